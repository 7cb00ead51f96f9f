"""The tour: compiles five kernels, checks and times them beside SciPy and NumPy, and shows one at every IR level."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.threads import one_thread

one_thread()

import numpy as np  # noqa: E402
import pyamg.gallery  # noqa: E402
import scipy.sparse as sp  # noqa: E402
import sklearn.datasets  # noqa: E402
from rich import box  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.markup import escape  # noqa: E402
from rich.rule import Rule  # noqa: E402
from rich.syntax import Syntax  # noqa: E402
from rich.table import Table  # noqa: E402
from rich.text import Text  # noqa: E402

import irtensor as it  # noqa: E402
from benchmarks.interleave import interleaved, ratio, warm_allocator  # noqa: E402
from benchmarks.references import mttkrp_by_scipy, sddmm_by_numpy  # noqa: E402
from benchmarks.report import LOG_WIDTH, duration  # noqa: E402

# Measuring time of one row, in seconds; large kernels get five rounds all the same.
ROW_SECONDS = 1.0
# Largest error relative to the largest element: both sides sum the same products in different orders.
TOLERANCE = 1e-12

SPMV = "y[i] = A[i,j] * x[j]"
FIRST = """
import numpy as np
import pyamg.gallery

import irtensor as it

A = pyamg.gallery.load_example("bar")["A"]   # a stiffness matrix, SciPy's CSC
y = it.einsum("ij,j->i", A, np.ones(600))    # compiled to native code for this format, then called
"""
STAGES = (
    ("index_notation", "the computation: y[i] is a sum over j; nothing about loops or storage"),
    ("concrete_index", "how: a loop over i around one over j, the sum in a temporary; storage plays no role yet"),
    ("iteration_lattice", "which coordinates: each loop is a product of the levels it traverses, still to be unfolded"),
    ("loop", "what runs: a loop over rows around one over a row's stored entries, no branch"),
    ("llvm", "the same for LLVM, after the passes for speed; LLVM optimises it for this processor"),
)


@dataclass(frozen=True)
class Row:
    """One line of a table: the same result computed by irtensor and by the reference, and what the latter is."""

    kernel: str
    statement: str
    data: str
    compute: Callable[[], Any]
    reference: Callable[[], Any]
    against: str


@dataclass(frozen=True)
class Measurement:
    """Seconds of the first call (which compiles) and of later ones, how many times faster, and the largest error."""

    first_call: float
    seconds: float
    reference_seconds: float
    ratio: float
    error: float


def dense(result: Any) -> Any:
    """A result in a form that can be subtracted: arrays stay, sparse tensors become SciPy's."""
    return sp.csr_array(result.to_scipy()) if isinstance(result, it.Tensor) else result


def relative_error(result: Any, expected: Any) -> float:
    """Largest difference of two results, relative to the largest element."""
    difference = abs(dense(result) - dense(expected)).max()
    return float(difference / abs(dense(expected)).max())


def measure(row: Row) -> Measurement:
    """Check a row's result, then time both sides in turn, so that a change of the machine's speed meets both."""
    start = time.perf_counter()
    result = row.compute()
    first_call = time.perf_counter() - start
    error = relative_error(result, row.reference())
    del result
    timings = interleaved({"irtensor": row.compute, "reference": row.reference}, ROW_SECONDS)
    seconds, reference = (timings[name].seconds for name in ("irtensor", "reference"))
    return Measurement(first_call, seconds, reference, ratio(timings, "irtensor", "reference"), error)


def random_matrix(rng: np.random.Generator, extent: int, entries: int) -> sp.csr_array:
    """A square matrix with entries at uniform coordinates; the rows are sorted and without duplicates."""
    rows, columns = rng.integers(extent, size=(2, entries), dtype=np.int32)
    matrix = sp.csr_array((rng.random(entries), (rows, columns)), shape=(extent, extent))
    matrix.sum_duplicates()
    return matrix


def random_tensor(rng: np.random.Generator, shape: tuple[int, ...], entries: int) -> it.Tensor:
    coordinates = np.stack([rng.integers(extent, size=entries) for extent in shape])
    return it.Tensor.from_coo(coordinates, rng.random(entries), shape=shape, format=it.CSF(len(shape)))


def spmv(rng: np.random.Generator, name: str, matrix: sp.csr_array) -> Row:
    tensor, x = it.Tensor.from_scipy(matrix), rng.random(matrix.shape[1]).astype(matrix.dtype)
    return Row("SpMV", SPMV, name, lambda: it.einsum("ij,j->i", tensor, x), lambda: matrix @ x, "SciPy A @ x")


def spmm(rng: np.random.Generator, name: str, matrix: sp.csr_array, columns: int) -> Row:
    tensor, b = it.Tensor.from_scipy(matrix), rng.random((matrix.shape[1], columns))
    statement = "C[i,j] = A[i,k] * B[k,j]"
    title = f"SpMM, {columns} columns"
    return Row(title, statement, name, lambda: it.einsum("ik,kj->ij", tensor, b), lambda: matrix @ b, "SciPy A @ B")


def sddmm(rng: np.random.Generator, name: str, matrix: sp.csr_array, inner: int) -> Row:
    tensor = it.Tensor.from_scipy(matrix)
    left, right = (rng.random((extent, inner)) for extent in matrix.shape)

    def compute() -> it.Tensor:
        return it.einsum("ij,ik,jk->ij", tensor, left, right, format=tensor.format)

    statement = "S[i,j] = A[i,j] * C[i,k] * D[j,k]"
    title = f"SDDMM, k = {inner}"
    return Row(title, statement, name, compute, lambda: sddmm_by_numpy(matrix, left, right), "NumPy, gathered")


def mttkrp(rng: np.random.Generator, name: str, tensor: it.Tensor, rank: int) -> Row:
    second, third = (rng.random((extent, rank)) for extent in tensor.shape[1:])
    reference = mttkrp_by_scipy(*tensor.to_coo(), tensor.shape)

    def compute() -> np.ndarray:
        return it.einsum("ijk,jr,kr->ir", tensor, second, third)

    statement = "M[i,r] = T[i,j,k] * C[j,r] * D[k,r]"
    title = f"MTTKRP, rank {rank}"
    return Row(title, statement, name, compute, lambda: reference(second, third), "SciPy, 2 products")


def add(name: str, *matrices: sp.csr_array) -> Row:
    """The sum of sparse matrices, stored sparse: one merge of all of them at once."""
    names = "ABCDE"[: len(matrices)]
    tensors = [it.Tensor.from_scipy(matrix) for matrix in matrices]
    notation = "S[i,j] = " + " + ".join(f"{name}[i,j]" for name in names)
    kernel = it.compile(notation, formats={"S": tensors[0].format})
    title = f"sparse add of {len(matrices)}"
    against = "SciPy " + " + ".join(names)
    return Row(title, notation, name, lambda: kernel(*tensors), lambda: sum(matrices[1:], matrices[0]), against)


def example(name: str) -> sp.csr_array:
    """A matrix from PyAMG's wheel."""
    matrix = sp.csr_array(pyamg.gallery.load_example(name)["A"])
    matrix.sum_duplicates()
    return matrix


def real_rows(rng: np.random.Generator) -> Iterator[Row]:
    """Matrices of finite elements inside PyAMG's wheel, and scikit-learn's digits as a 3-tensor."""
    bar, galerkin, waves = example("bar"), example("local_disc_galerkin_diffusion"), example("helmholtz_2D")
    yield spmv(rng, label("elastic bar", bar), bar)
    yield spmv(rng, label("Helmholtz waves, complex", waves), waves)
    yield spmm(rng, label("Galerkin diffusion", galerkin), galerkin, 32)
    yield sddmm(rng, label("elastic bar", bar), bar, 64)
    images: Any = sklearn.datasets.load_digits()
    digits = it.Tensor.from_numpy(images["images"], it.CSF(3))
    yield mttkrp(rng, label("handwritten digits", digits), digits, 16)
    yield add(label("Galerkin and its transpose", galerkin), galerkin, sp.csr_array(galerkin.T))


def generated_rows(rng: np.random.Generator) -> Iterator[Row]:
    """Larger than the caches, so what counts is how memory is used."""
    grid = sp.csr_array(pyamg.gallery.poisson((100, 100, 100), format="csr"))
    yield spmv(rng, label("Poisson on a 3D grid", grid), grid)
    large = random_matrix(rng, 1_000_000, 10_000_000)
    yield spmv(rng, label("random", large), large)
    del large
    medium = random_matrix(rng, 200_000, 2_000_000)
    yield spmm(rng, label("random", medium), medium, 32)
    yield sddmm(rng, label("random", medium), medium, 64)
    cube = random_tensor(rng, (2000, 200, 2000), 2_000_000)
    yield mttkrp(rng, label("random", cube), cube, 16)
    four = [random_matrix(rng, 300_000, 3_000_000) for _ in range(4)]
    yield add(label("random", four[0]), *four[:2])
    yield add(label("random", four[0]), *four)


def count(number: int) -> str:
    return f"{number:,}" if number < 1_000_000 else f"{number / 1e6:.3g}M"


def label(name: str, data: Any) -> str:
    return f"{name}, {' × '.join(map(count, data.shape))}, {count(data.nnz)} stored"


def show_table(console: Console, title: str, rows: Iterator[Row]) -> bool:
    """Measure and print rows; whether all results were right."""
    table = Table(
        title=title, title_justify="left", title_style="bold", header_style="bold", box=box.SIMPLE_HEAD, show_lines=True
    )
    table.add_column("kernel")
    for heading in ("error", "first call", "irtensor", "other", "faster"):
        table.add_column(heading, justify="right", no_wrap=True)
    right = True
    with console.status("compiling and measuring") as status:
        for row in rows:
            status.update(f"{row.kernel}: {row.data}")
            result = measure(row)
            good = result.error <= TOLERANCE
            right &= good
            table.add_row(
                Text.assemble((row.kernel, "bold"), f" beside {row.against}\n{row.statement}\n", (row.data, "dim")),
                Text(f"{result.error:.0e}", style="" if good else "bold red"),
                duration(result.first_call),
                duration(result.seconds),
                duration(result.reference_seconds),
                Text(f"{result.ratio:.2f}×", style="green" if result.ratio >= 1.0 else "red"),
            )
    console.print(table)
    return right


def show_first(console: Console) -> None:
    """The shortest program, and that its result is SciPy's."""
    console.print(Rule("a sparse matrix times a vector", style="bold"))
    console.print(Syntax(FIRST.strip(), "python", background_color="default"))
    matrix, ones = pyamg.gallery.load_example("bar")["A"], np.ones(600)
    result = it.einsum("ij,j->i", matrix, ones)
    error = relative_error(result, matrix @ ones)
    console.print(f"y[:4] = {result[:4]}, largest difference from SciPy's A @ x: {error:.0e}\n", highlight=False)


def show_ir(console: Console) -> None:
    """SpMV's way down; the format is written as an alias, to keep lines short."""
    console.print(Rule(f"the IR of {escape(SPMV)}, A stored as CSR, at every level", style="bold"))
    kernel = it.compile(SPMV, formats={"A": it.CSR})
    encoding = f"#storage.format<{it.CSR}>"
    for stage, meaning in STAGES:
        console.print(Text.assemble("\n", (stage, "bold"), f": {meaning}\n"))
        text = kernel.ir(stage).strip().replace(encoding, "#csr")
        console.print(Syntax(text, "mlir", background_color="default", word_wrap=True))
    console.print(f"\nhere #csr is {encoding}; kernel.llvm_ir() and kernel.assembly() show the rest\n", highlight=False)


def show_refusal(console: Console) -> None:
    """What irtensor does with a statement that it cannot compile."""
    console.print(Rule("a statement that cannot be compiled as asked", style="bold"))
    matrix = it.Tensor.from_scipy(sp.eye_array(3, format="csr"))
    console.print('it.einsum("ij,ji->ij", A, A, format=it.CSR, convert=False)', style="bold", markup=False)
    try:
        it.einsum("ij,ji->ij", matrix, matrix, format=it.CSR, convert=False)
    except it.UserError as error:
        console.print(f"{error}\n", markup=False, highlight=False)
    else:
        raise AssertionError("what the tour shows as refused is compiled")


def show_way_on(console: Console) -> None:
    console.print(Rule("where to go on", style="bold"))
    way = Table(box=None, show_header=False)
    for command, meaning in (
        ("README.md, docs/index.md", "the manual; make site builds it as a site"),
        (f"irtensor-run '{SPMV}' A=matrix.mtx x='ones(600)' --explain", "a kernel over your files, and why it is so"),
        ("irtensor-opt --index-notation-to-loop docs/examples/spmv.mlir", "every pass on IR in a file"),
        ("make bench", "the same against MKL, GraphBLAS and others"),
    ):
        way.add_row(Text(command, style="bold"), meaning)
    console.print(way)


def main() -> int:
    # The first call shall show what compiling takes, also when the demo runs again.
    os.environ.setdefault("IRTENSOR_DISK_CACHE", "0")
    warm_allocator()
    rng = np.random.default_rng(0)
    console = Console()
    if not console.is_terminal:
        console = Console(width=LOG_WIDTH)
    start = time.perf_counter()
    versions = ", ".join(f"{name} {version(name)}" for name in ("irtensor", "numpy", "scipy", "llvmlite", "xdsl"))
    console.print(f"{versions}; Python {platform.python_version()} on {platform.machine()}\n", highlight=False)
    show_first(console)
    console.print(Rule("kernels, checked and timed", style="bold"))
    console.print(
        "Medians of calls that alternate with the reference's, everything on one thread. The first call compiles.\n"
    )
    right = show_table(console, "real data", real_rows(rng))
    right &= show_table(console, "generated, larger than the caches", generated_rows(rng))
    show_ir(console)
    show_refusal(console)
    show_way_on(console)
    console.print(f"\n{'all results are right' if right else 'SOME RESULTS ARE WRONG'}; ", end="")
    console.print(f"{time.perf_counter() - start:.0f} s in all")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
