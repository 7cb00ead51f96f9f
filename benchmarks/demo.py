"""The tour: compiles five kernels, checks and times them beside SciPy and NumPy, and shows one at every IR level."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from statistics import median
from typing import Any

import numpy as np
import pyamg.gallery
import scipy.sparse as sp
import sklearn.datasets
from rich.console import Console
from rich.markup import escape
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table

import irtensor as it

# Wall time spent on one row, in seconds; large kernels get at least MINIMUM_ROUNDS rounds all the same.
ROW_SECONDS = 1.5
MINIMUM_ROUNDS = 5
# A sample shorter than this is too near the clock's own noise, so short calls are timed in batches.
SAMPLE_SECONDS = 1e-3
# Just below glibc's upper limit for blocks that it keeps.
ALLOCATOR_BYTES = 31 << 20
# Columns of text where there is no terminal to ask.
LOG_WIDTH = 150
# Largest error relative to the largest element: both sides sum the same products in different orders.
TOLERANCE = 1e-12

# Entries whose gathered rows NumPy handles at a time: they stay in the cache.
PIECE = 256

HEADINGS = ("kernel", "data", "max error", "first call", "irtensor", "reference", "ratio", "reference is")
SPMV = "y[i] = A[i,j] * x[j]"


@dataclass(frozen=True)
class Row:
    """One line of a table: the same result computed by irtensor and by the reference, and what the latter is."""

    kernel: str
    data: str
    compute: Callable[[], Any]
    reference: Callable[[], Any]
    against: str


@dataclass(frozen=True)
class Measurement:
    """Seconds of the first call (which compiles), medians of interleaved calls in seconds, and the largest error."""

    first_call: float
    seconds: float
    reference_seconds: float
    error: float


def dense(result: Any) -> Any:
    """A result in a form that can be subtracted: arrays stay, sparse tensors become SciPy's."""
    return sp.csr_array(result.to_scipy()) if isinstance(result, it.Tensor) else result


def relative_error(result: Any, expected: Any) -> float:
    """Largest difference of two results, relative to the largest element."""
    difference = abs(dense(result) - dense(expected)).max()
    return float(difference / abs(dense(expected)).max())


def warm_allocator() -> None:
    """Free one large block, after which glibc keeps memory up to that size instead of returning it to the system.

    NumPy and SciPy are several times slower in a process in which that has not happened yet; it would flatter us.
    """
    np.ones(ALLOCATOR_BYTES // 8)


def batch_size(function: Callable[[], Any]) -> int:
    """Calls that together take long enough for the clock."""
    start = time.perf_counter()
    function()
    return max(1, round(SAMPLE_SECONDS / max(time.perf_counter() - start, 1e-7)))


def seconds_of(function: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - start) / calls


def measure(row: Row) -> Measurement:
    """Check a row's result, then time both sides in turn, so that a change of the machine's speed meets both."""
    start = time.perf_counter()
    result = row.compute()
    first_call = time.perf_counter() - start
    error = relative_error(result, row.reference())
    del result
    sides = [(function, batch_size(function)) for function in (row.compute, row.reference)]
    samples: list[list[float]] = [[], []]
    start = time.perf_counter()
    while len(samples[0]) < MINIMUM_ROUNDS or time.perf_counter() - start < ROW_SECONDS:
        for taken, (function, calls) in zip(samples, sides, strict=True):
            taken.append(seconds_of(function, calls))
    return Measurement(first_call, median(samples[0]), median(samples[1]), error)


def sddmm_by_numpy(pattern: sp.csr_array, left: np.ndarray, right: np.ndarray) -> sp.csr_array:
    """SciPy has no SDDMM: dot products of gathered rows, in pieces that stay in the cache."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    values = np.empty(pattern.nnz)
    for start in range(0, pattern.nnz, PIECE):
        piece = slice(start, start + PIECE)
        values[piece] = np.einsum("nk,nk->n", left[rows[piece]], right[pattern.indices[piece]])
    return sp.csr_array((values * pattern.data, pattern.indices, pattern.indptr), shape=pattern.shape)


def mttkrp_by_scipy(tensor: it.Tensor) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """SciPy has no tensors: two sparse matrix products over the fibers (i, j, :), prepared outside of the timing."""
    (i, j, k), values = tensor.to_coo()
    key = i.astype(np.int64) * tensor.shape[1] + j
    fibers, fiber_of_entry = np.unique(key, return_inverse=True)
    count = len(fibers)
    entries = sp.csr_array((values, (fiber_of_entry, k)), shape=(count, tensor.shape[2]))
    rows, middle = np.divmod(fibers, tensor.shape[1])
    gather = sp.csr_array((np.ones(count), (rows, np.arange(count))), shape=(tensor.shape[0], count))
    return lambda second, third: gather @ ((entries @ third) * second[middle])


def random_matrix(rng: np.random.Generator, extent: int, entries: int) -> sp.csr_array:
    """A square matrix with entries at uniform places; the rows are sorted and without duplicates."""
    rows, columns = rng.integers(extent, size=(2, entries), dtype=np.int32)
    matrix = sp.csr_array((rng.random(entries), (rows, columns)), shape=(extent, extent))
    matrix.sum_duplicates()
    return matrix


def random_tensor(rng: np.random.Generator, shape: tuple[int, ...], entries: int) -> it.Tensor:
    coordinates = np.stack([rng.integers(extent, size=entries) for extent in shape])
    return it.Tensor.from_coo(coordinates, rng.random(entries), shape=shape, format=it.CSF(len(shape)))


def spmv(rng: np.random.Generator, name: str, matrix: sp.csr_array) -> Row:
    tensor, x = it.Tensor.from_scipy(matrix), rng.random(matrix.shape[1]).astype(matrix.dtype)
    return Row("SpMV", name, lambda: it.einsum("ij,j->i", tensor, x), lambda: matrix @ x, "SciPy A @ x")


def spmm(rng: np.random.Generator, name: str, matrix: sp.csr_array, columns: int) -> Row:
    tensor, b = it.Tensor.from_scipy(matrix), rng.random((matrix.shape[1], columns))
    title = f"SpMM, {columns} columns"
    return Row(title, name, lambda: it.einsum("ik,kj->ij", tensor, b), lambda: matrix @ b, "SciPy A @ B")


def sddmm(rng: np.random.Generator, name: str, matrix: sp.csr_array, inner: int) -> Row:
    tensor = it.Tensor.from_scipy(matrix)
    left, right = (rng.random((extent, inner)) for extent in matrix.shape)

    def compute() -> it.Tensor:
        return it.einsum("ij,ik,jk->ij", tensor, left, right, format=tensor.format)

    return Row(f"SDDMM, k = {inner}", name, compute, lambda: sddmm_by_numpy(matrix, left, right), "NumPy, gathered")


def mttkrp(rng: np.random.Generator, name: str, tensor: it.Tensor, rank: int) -> Row:
    second, third = (rng.random((extent, rank)) for extent in tensor.shape[1:])
    reference = mttkrp_by_scipy(tensor)

    def compute() -> np.ndarray:
        return it.einsum("ijk,jr,kr->ir", tensor, second, third)

    return Row(f"MTTKRP, rank {rank}", name, compute, lambda: reference(second, third), "SciPy, 2 products")


def add(name: str, *matrices: sp.csr_array) -> Row:
    """The sum of sparse matrices, stored sparse: one merge of all of them at once."""
    names = "ABCDE"[: len(matrices)]
    tensors = [it.Tensor.from_scipy(matrix) for matrix in matrices]
    notation = "S[i,j] = " + " + ".join(f"{name}[i,j]" for name in names)
    kernel = it.compile(notation, formats={"S": tensors[0].format})
    title = "sparse add" if len(matrices) == 2 else f"{len(matrices)}-way sparse add"
    against = "SciPy " + " + ".join(names)
    return Row(title, name, lambda: kernel(*tensors), lambda: sum(matrices[1:], matrices[0]), against)


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
    yield add(label("Galerkin diffusion and its transpose", galerkin), galerkin, sp.csr_array(galerkin.T))


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


def label(name: str, data: Any) -> str:
    return f"{name}\n{' x '.join(f'{extent:,}' for extent in data.shape)}, {data.nnz:,} stored"


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale >= 1.0:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.0f} µs"


def cells(row: Row, result: Measurement) -> tuple[str, ...]:
    """A line of a table: kernel, data, error, times, ratio, and what the reference is."""
    return (
        row.kernel,
        row.data,
        f"{result.error:.0e}",
        duration(result.first_call),
        duration(result.seconds),
        duration(result.reference_seconds),
        f"{result.reference_seconds / result.seconds:.2f}x",
        row.against,
    )


def show_table(console: Console, title: str, rows: Iterator[Row]) -> bool:
    """Measure and print rows; whether all results were right."""
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", show_lines=True)
    for heading in HEADINGS:
        numeric = heading not in ("kernel", "data", "reference is")
        table.add_column(heading, justify="right" if numeric else "left", no_wrap=numeric)
    right = True
    with console.status("compiling and measuring") as status:
        for row in rows:
            status.update(f"{row.kernel}: {row.data}".replace("\n", ", "))
            result = measure(row)
            good = result.error <= TOLERANCE
            right &= good
            table.add_row(*cells(row, result), style=None if good else "bold red")
    console.print(table)
    return right


def print_markdown(rows: Iterable[Row]) -> None:
    """The tables as README.md has them."""
    print(f"| {' | '.join(HEADINGS)} |\n|{' --- | --- |' + ' ---: |' * 5 + ' --- |'}")
    for row in rows:
        line = [cell.replace("\n", ": ") for cell in cells(row, measure(row))]
        print(f"| {' | '.join(line)} |", flush=True)


def ir_at_every_stage() -> Iterator[tuple[str, str]]:
    """The stages of SpMV's way down and its IR at each; the format is written as an alias, to keep lines short."""
    kernel = it.compile(SPMV, formats={"A": it.CSR})
    encoding = f"#storage.format<{it.CSR}>"
    for stage in ("index_notation", "concrete_index", "iteration_lattice", "loop", "llvm"):
        text = kernel.ir(stage)
        alias = f"#csr = {encoding}\n" if encoding in text else ""
        yield stage, alias + text.replace(encoding, "#csr")
    yield "LLVM IR, as generated", kernel.llvm_ir()


def show_ir(console: Console) -> None:
    console.print(Rule(f"{escape(SPMV)}, A stored as CSR, at every level", style="bold"))
    for stage, text in ir_at_every_stage():
        console.print(f"\n[bold]{stage}[/]")
        language = "llvm" if stage.startswith("LLVM") else "mlir"
        console.print(Syntax(text.strip(), language, background_color="default", word_wrap=True))


def show_refusal(console: Console) -> None:
    """What irtensor does with a statement that it cannot compile."""
    console.print(Rule("and a statement that cannot be compiled as asked", style="bold"))
    matrix = it.Tensor.from_scipy(sp.eye_array(3, format="csr"))
    console.print('it.einsum("ik,kj->ij", A, A, format=it.CSR)', style="bold", markup=False)
    try:
        it.einsum("ik,kj->ij", matrix, matrix, format=it.CSR)
    except it.UserError as error:
        console.print(str(error), markup=False, highlight=False)


def main() -> int:
    # The first call shall show what compiling takes, also when the demo runs again.
    os.environ.setdefault("IRTENSOR_DISK_CACHE", "0")
    warm_allocator()
    rng = np.random.default_rng(0)
    if "--markdown" in sys.argv:
        print_markdown(chain(real_rows(rng), generated_rows(rng)))
        return 0
    console = Console()
    if not console.is_terminal:
        console = Console(width=LOG_WIDTH)
    start = time.perf_counter()
    versions = ", ".join(f"{name} {version(name)}" for name in ("irtensor", "numpy", "scipy", "llvmlite", "xdsl"))
    console.print(f"{versions}; Python {platform.python_version()} on {platform.machine()}; everything on one thread")
    console.print("times are medians of interleaved calls; ratio is the reference's time by irtensor's\n")
    right = show_table(console, "Real data", real_rows(rng))
    right &= show_table(console, "Generated, larger", generated_rows(rng))
    show_ir(console)
    show_refusal(console)
    console.print(f"\n{'all results are right' if right else 'SOME RESULTS ARE WRONG'}; ", end="")
    console.print(f"{time.perf_counter() - start:.0f} s in all")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
