"""How time grows with stored entries, rows, operands and density: `python -m benchmarks.sweeps --help`."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if not __package__:
    sys.path.insert(0, str(ROOT))

from benchmarks.threads import one_thread  # noqa: E402

one_thread()

import numpy as np  # noqa: E402

import irtensor as it  # noqa: E402
from benchmarks.inputs import CSF, CSR, random_csf, random_csr, vector  # noqa: E402
from benchmarks.interleave import warm_allocator  # noqa: E402
from benchmarks.sparse_results import sum_of  # noqa: E402

DCSR = "compressed, compressed, pos = i32, crd = i32"
Call = Callable[[], Any]


@dataclass
class Series:
    """One kernel: seconds by the quantity that grows, and the largest exponent that is right for it."""

    kernel: str
    exponent: float
    sizes: list[float]
    seconds: list[float]

    @property
    def slope(self) -> float:
        """The exponent of growth over the upper half of the sizes, where constant costs no longer count."""
        half = len(self.sizes) // 2
        x, y = np.log(self.sizes[half:]), np.log(self.seconds[half:])
        return float(np.polyfit(x, y, 1)[0])


@dataclass(frozen=True)
class Sweep:
    """A quantity, its values, and by kernel the largest right exponent and what makes the call for a value."""

    quantity: str
    sizes: list[float]
    kernels: dict[str, tuple[float, Callable[[float], Call]]]


def uniform(rows: int, stored: float, seed: int, format: str = CSR) -> it.Tensor:
    """A square matrix with entries at uniform coordinates; without an array of its rows unless the format has one."""
    if format == CSR:
        return it.Tensor.from_scipy(random_csr(rows, rows, int(stored), seed))
    generator = np.random.default_rng(seed)
    keys = np.unique(generator.integers(0, rows * rows, int(stored)))
    return it.Tensor.from_coo(np.divmod(keys, rows), generator.random(len(keys)), shape=(rows, rows), format=format)


def _spmv(rows: int, stored: float, format: str) -> Call:
    a, x = uniform(rows, stored, 0, format), vector(rows)
    return lambda: it.einsum("ij,j->i", a, x)


def _sum_of_products(rows: int, stored: float, format: str) -> Call:
    """x' A x: touches no array over the rows but x."""
    a, x = uniform(rows, stored, 0, format), vector(rows)
    return lambda: it.einsum("i,ij,j->", x, a, x)


def _add(rows: int, stored: float, format: str, count: int = 2) -> Call:
    return sum_of([uniform(rows, stored, seed, format) for seed in range(count)], format)


def _product(rows: int, stored: float, format: str) -> Call:
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats={"C": format})
    a, b = uniform(rows, stored, 0, format), uniform(rows, stored, 1, format)
    return lambda: kernel(a, b)


def _copy_of(rows: int, stored: float, format: str) -> Call:
    a = uniform(rows, stored, 0, format)
    swapped = f"(i, j) -> (j : {format.partition(',')[0]}, i : compressed), pos = i32, crd = i32"
    return lambda: a.to_format(swapped)


def _mttkrp(stored: float) -> Call:
    t, c, d = random_csf((500, 500, 500), int(stored)), vector(500, 16), vector(500, 16)
    return lambda: it.einsum("ikl,kj,lj->ij", t, c, d)


def _csf_add(stored: float) -> Call:
    kernel = it.compile("C[i,j,k] = A[i,j,k] + B[i,j,k]", formats={"C": CSF})
    x, y = (random_csf((500, 500, 500), int(stored), seed) for seed in range(2))
    return lambda: kernel(x, y)


def _sparse_mttkrp(density: float) -> Call:
    t = random_csf((500, 500, 500), 200_000)
    c, d = (it.Tensor.from_scipy(random_csr(500, 32, max(1, int(density * 500 * 32)), seed)) for seed in (1, 2))
    return lambda: it.einsum("ikl,kj,lj->ij", t, c, d, format=CSR)


def _sddmm(density: float) -> Call:
    rows = 2000
    a, c = it.Tensor.from_scipy(random_csr(rows, rows, int(density * rows * rows))), vector(rows, 32)
    return lambda: it.einsum("ij,ik,jk->ij", a, c, c, format=CSR)


def sweeps(quick: bool) -> list[Sweep]:
    """The sweeps; `quick` skips the largest sizes."""
    last = -2 if quick else None
    entries = [float(1000 * 4**n) for n in range(7)][:last]
    rows = [10.0**n for n in range(3, 8)][:last]
    counts = [2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0][:last]
    densities = [10.0**n for n in range(-4, 0)][:last]
    few = 20_000
    # SpGEMM multiplies entries per row: with rows fixed, work grows with their square.
    by_entries: dict[str, tuple[float, Callable[[float], Call]]] = {
        "SpMV": (1.0, lambda n: _spmv(few, n, CSR)),
        "CSR + CSR": (1.0, lambda n: _add(few, n, CSR)),
        "SpGEMM, 4 per row": (1.0, lambda n: _product(max(1, int(n) // 4), n, CSR)),
        "MTTKRP, CSF": (1.0, _mttkrp),
        "CSF + CSF": (1.0, _csf_add),
        "CSR to CSC": (1.0, lambda n: _copy_of(few, n, CSR)),
    }
    by_rows: dict[str, tuple[float, Callable[[float], Call]]] = {
        "x' A x, DCSR": (0.0, lambda n: _sum_of_products(int(n), few, DCSR)),
        "DCSR + DCSR": (0.0, lambda n: _add(int(n), few, DCSR)),
        "sum of 5, DCSR": (0.0, lambda n: _add(int(n), few, DCSR, 5)),
        "SpGEMM, DCSR": (0.0, lambda n: _product(int(n), few, DCSR)),
        "DCSR to DCSC": (0.0, lambda n: _copy_of(int(n), few, DCSR)),
        "CSR + CSR": (1.0, lambda n: _add(int(n), few, CSR)),
    }
    by_count: dict[str, tuple[float, Callable[[float], Call]]] = {
        "sum, CSR": (1.0, lambda n: _add(few, 5 * few, CSR, int(n))),
        "sum, DCSR": (1.0, lambda n: _add(few, 5 * few, DCSR, int(n))),
    }
    by_density: dict[str, tuple[float, Callable[[float], Call]]] = {
        "SDDMM": (1.0, _sddmm),
        "MTTKRP, sparse factors": (2.0, _sparse_mttkrp),
        "CSR + CSR": (1.0, lambda d: _add(2000, d * 2000**2, CSR)),
    }
    return [
        Sweep("stored entries", entries, by_entries),
        Sweep(f"rows, with {few:,} entries", rows, by_rows),
        Sweep("operands", counts, by_count),
        Sweep("density", densities, by_density),
    ]


def fastest(call: Call, seconds: float) -> float:
    """The least time of a call: what else runs on the machine only ever adds to it."""
    call()
    call()
    best, end = math.inf, perf_counter() + seconds
    while perf_counter() < end:
        start = perf_counter()
        call()
        best = min(best, perf_counter() - start)
    return best


def measure(sweep: Sweep, seconds: float) -> Iterator[Series]:
    for kernel, (exponent, make) in sweep.kernels.items():
        times = [fastest(call, seconds) for call in map(partial(_made, make), sweep.sizes)]
        yield Series(kernel, exponent, sweep.sizes, times)


def _made(make: Callable[[float], Call], size: float) -> Call:
    return make(size)


def plot(results: dict[str, list[Series]], target: Path) -> bool:
    """A panel per quantity, time against it on logarithmic axes; False where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(10.5, 8.5), layout="constrained")
    panels: Any = figure.subplots(2, 2)
    for axes, (quantity, found) in zip(panels.flat, results.items(), strict=True):
        for series, shape in zip(found, "osD^v*", strict=False):
            milliseconds = [1e3 * second for second in series.seconds]
            axes.plot(series.sizes, milliseconds, marker=shape, label=f"{series.kernel}: {series.slope:.2f}")
        axes.set_xscale("log", base=2 if quantity == "operands" else 10)
        axes.set_yscale("log")
        axes.set_xlabel(quantity)
        axes.set_ylabel("ms")
        axes.grid(color="#d8dee4", linewidth=0.8)
        axes.legend(frameon=False, fontsize=8, title="exponent, upper half", title_fontsize=8)
    figure.suptitle("How time grows, one thread", fontsize=11)
    figure.savefig(target, metadata={"Date": None})
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3, help="measuring time per point")
    parser.add_argument("--quick", action="store_true", help="skip the largest sizes")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "benchmarks", help="folder for the reports")
    parser.add_argument("--docs", action="store_true", help="write into docs/benchmarks")
    options = parser.parse_args()
    warm_allocator()
    results: dict[str, list[Series]] = {}
    for sweep in sweeps(options.quick):
        results[sweep.quantity] = []
        for series in measure(sweep, options.seconds):
            results[sweep.quantity].append(series)
            times = ", ".join(f"{1e3 * second:.3g}" for second in series.seconds)
            too_fast = "  FASTER THAN IT SHOULD" if series.slope > series.exponent + 0.25 else ""
            print(f"{sweep.quantity}: {series.kernel}: {times} ms, exponent {series.slope:.2f}{too_fast}", flush=True)
    folder = ROOT / "docs" / "benchmarks" if options.docs else options.output
    folder.mkdir(parents=True, exist_ok=True)
    stored = {quantity: [asdict(series) for series in found] for quantity, found in results.items()}
    (folder / "growth.json").write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    if not plot(results, folder / "growth.svg"):
        print("matplotlib is not installed: no chart is drawn")
    return 0


if __name__ == "__main__":
    sys.exit(main())
