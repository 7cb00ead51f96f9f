"""Small kernels that each have much of one cost of `passes/support/step_costs.py`: what it takes, in seconds each.

A cost is what a kernel takes more than another one that differs in it. What else they differ in is taken off as the
table says that it counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import CSR, random_csf, random_csr, vector
from benchmarks.interleave import interleaved
from irtensor.passes.support.step_costs import STEPS

DCSR = "compressed, compressed"
CSF = "compressed, compressed, compressed"
# The columns of matrices: a vector of so many elements stays in the cache.
_COLUMNS = 10_000
_LONG, _TEN = 1000, 10
Call = Callable[[], Any]


class StepKernels:
    """The kernels, on operands with some 2^17 entries times `scale`; each is timed for some seconds."""

    def __init__(self, scale: float, seconds: float) -> None:
        self._entries = max(1 << 10, int(scale * (1 << 17)))
        self._seconds = seconds

    def _times(self, *calls: Call) -> list[float]:
        """Seconds of calls that take turns."""
        timings = interleaved({str(number): call for number, call in enumerate(calls)}, self._seconds)
        return [timings[str(number)].seconds for number in range(len(calls))]

    def _more(self, call: Call, than: Call) -> float:
        """How much longer one call takes than another one."""
        seconds, others = self._times(call, than)
        return seconds - others

    # Units.

    @cached_property
    def step(self) -> float:
        """A step along a list of five to fifteen entries, at density 0.01: that it is left is a part of its steps."""
        generator = np.random.default_rng(0)
        counts = generator.integers(_TEN // 2, 3 * _TEN // 2 + 1, self._entries // _TEN)
        matrix = _tensor(_rows_of(counts, 100 * _TEN, generator))
        (seconds,) = self._times(_product(matrix))
        return seconds / _stored(matrix)

    @cached_property
    def iteration(self) -> float:
        """An iteration of an inner loop over the entries of a long list."""
        matrix = _tensor(self._matrix(_LONG))
        (seconds,) = self._times(_product(matrix))
        return seconds / _stored(matrix)

    # Costs in steps.

    def leave(self) -> float:
        # To go to a row is a step, and its sum is stored.
        return self.outer() - (1.0 + STEPS.store) * self.step

    def merge(self) -> float:
        matrices = [_tensor(self._matrix(_LONG, seed)) for seed in (0, 1)]
        merging = _call("y[i] = A[i,j] * B[i,j]", "forall ij: y[i] += A[l(i),s(j)] * B[l(i),s(j)]", *matrices)
        (seconds,) = self._times(merging)
        return seconds / sum(map(_stored, matrices)) - self.step

    def store(self) -> float:
        factor, empty, rows = _tensor(self._factor()), _empty(64, 256), _tensor(self._long_rows())
        program = "forall ikj: C[i,j] += A[l(i),s(k)] * B[l(k),s(j)]"
        calls = [_call("C[i,j] = A[i,k] * B[k,j]", program, one, rows) for one in (factor, empty)]
        return self._more(*calls) / self._products(self._factor().T, self._long_rows()) - self.step

    def found(self) -> float:
        matrix = self._matrix(_LONG)
        half = np.where(np.random.default_rng(2).random(matrix.shape) < 0.5, 1.0, 0.0)
        both = int(half[matrix.nonzero()].sum())
        operands = [it.Tensor.from_numpy(half, "dense, bitmap"), half]
        programs = [f"forall ij: C[i,j] = A[l(i),s(j)] * {read}" for read in ("B[l(i),l(j)]", "B[i,j]")]
        calls = [
            _call("C[i,j] = A[i,j] * B[i,j]", program, _tensor(matrix), one)
            for program, one in zip(programs, operands, strict=True)
        ]
        fewer = (matrix.nnz - both) * STEPS.store * self.step
        return (self._more(*calls) + fewer) / both

    def look_up(self) -> float:
        matrix = _tensor(self._matrix(_LONG))
        hashed = it.Tensor.from_numpy(vector(_COLUMNS), "hashed")
        looking = _call("y[i] = A[i,j] * x[j]", "forall ij: y[i] += A[l(i),s(j)] * x[l(j)]", matrix, hashed)
        return self._more(looking, _product(matrix)) / _stored(matrix)

    def update(self) -> float:
        one, other = self._factors()
        program = "forall kij: C[i,j] += A[l(k),s(i)] * B[l(k),s(j)]"
        (seconds,) = self._times(_call("C[i,j] = A[k,i] * B[k,j]", program, _tensor(one), _tensor(other), result=CSR))
        return seconds / self._products(one, other) - (1.0 + STEPS.store) * self.step

    def find(self) -> float:
        one, other = (random_csr(256, 256, 512, seed) for seed in (0, 1))
        many, none = self._matrix(min(128, self._entries // 256), columns=256, rows=256), sp.csr_array((256, 256))
        calls = (self._finding("w[i,j]", one, other, third) for third in (many, none))
        return self._more(*calls) / many.nnz - self.step

    def slot(self) -> float:
        (one, other), nothing = self._factors(), sp.csr_array((256, 256))
        calls = (self._finding("w[l(i),l(j)]", *its, nothing) for its in ((one, other), (nothing, nothing)))
        return self._more(*calls) / self._products(one, other) - (1.0 + STEPS.store) * self.step

    def _finding(self, written: str, one: Any, other: Any, third: Any) -> Call:
        """A product of two matrices in a temporary, in which an element is looked up for each entry of a third one."""
        program = (
            f"(forall ij: y[i] += D[l(i),s(j)] * w[l(i),l(j)])"
            f" where (forall kij: {written} += A[l(k),s(i)] * B[l(k),s(j)])"
        )
        return _call("y[i] = A[k,i] * B[k,j] * D[i,j]", program, *map(_tensor, (one, other, third)))

    def empty_number(self) -> float:
        small, large = 64, 1 << ((8 * self._entries).bit_length() // 2)
        return self._emptying("ll", small, large) / (large**2 - small**2)

    def empty_list(self) -> float:
        small, large = 64, 8 * self._entries
        return self._emptying("is", small, large) / (large - small)

    def _emptying(self, protocols: str, small: int, large: int) -> float:
        """How much longer it takes with extents that are large, and entries as few as with small ones.

        The protocols are those by which the last dimension of a temporary is written and read.
        """
        write, read = protocols
        program = (
            f"(forall ij: y += D[s(i),s(j)] * w[l(i),{read}(j)])"
            f" where (forall kij: w[l(i),{write}(j)] += A[s(k),s(i)] * B[s(k),s(j)])"
        )
        calls: list[Call] = []
        for extent in (large, small):
            shapes = ((8, extent), (8, extent), (extent, extent))
            few = [_tensor(random_csr(*shape, 30, seed), DCSR) for seed, shape in enumerate(shapes)]
            calls.append(_call("y = A[k,i] * B[k,j] * D[i,j]", program, *few))
        return self._more(*calls)

    def convert(self) -> float:
        return self._reordering(random_csf((8, 8, 8), 1, 0, CSF))

    def sort(self) -> float:
        operand = random_csf((512, 512, 512), self._entries, 0, CSF)
        return (self._reordering(operand) - self.convert()) / _stored(operand)

    def _reordering(self, operand: Any) -> float:
        orders = ("kji", "ijk")
        programs = [f"forall {order}: y[k] += A[s(i),s(j),s(k)]" for order in orders]
        return self._more(*(_call("y[k] = A[i,j,k]", program, operand) for program in programs))

    def transpose(self) -> float:
        return self._transposing(_empty(8, 8))

    def move(self) -> float:
        matrix = _tensor(self._matrix(_TEN))
        # Its steps iterate over columns, which are other stores.
        steps = _stored(matrix) * STEPS.store * self.step
        return (self._transposing(matrix) - self.transpose() - steps) / _stored(matrix)

    def _transposing(self, matrix: Any) -> float:
        columns = "forall ji: y[i] += A[s(i),l(j)] * x[j]"
        turned = _call("y[i] = A[i,j] * x[j]", columns, matrix, vector(matrix.shape[1]))
        return self._more(turned, _product(matrix))

    def hash(self) -> float:
        rows = self._entries
        matrix = _tensor(random_csr(rows, 10, rows), DCSR)
        programs = [f"forall ij: y[i] += A[{read}(i),s(j)] * x[i]" for read in "ls"]
        calls = [_call("y[i] = A[i,j] * x[i]", program, matrix, vector(rows)) for program in programs]
        return self._more(*calls) / _stored(matrix)

    def copy(self) -> float:
        rows = self._entries // _LONG + 1
        return self._copying(rows, _LONG) / (rows * _LONG)

    def fill(self) -> float:
        rows = self._entries // _TEN
        return self._copying(rows, 1) / rows - STEPS.copy * self.step

    def _copying(self, rows: int, length: int) -> float:
        """How much longer it takes to find a few elements in rows that are copied before than in an array."""
        few, copied = (self._matrix(each, seed, rows=rows) for seed, each in enumerate((1, length)))
        program = "forall ij: y[i] += A[l(i),s(j)] * B[l(i),l(j)]"
        copying = _call("y[i] = A[i,j] * B[i,j]", program, _tensor(few), _tensor(copied))
        return self._more(copying, _product(_tensor(few)))

    def search(self) -> float:
        operands = {name: _tensor(self._matrix(_TEN, seed, columns=256, rows=256)) for seed, name in enumerate("ABC")}
        kernel = it.compile(
            "R[i,l] = A[i,j] * B[j,k] * C[k,l]",
            {**dict.fromkeys("ABC", CSR), "R": CSR},
            schedule="auto",
            num_threads=1,
            disk_cache=False,
        )
        start = perf_counter()
        kernel(**operands)
        return perf_counter() - start

    # Costs in iterations.

    def outer(self) -> float:
        """The cost of a row with up to eight entries, without its entries."""
        generator = np.random.default_rng(3)
        counts = generator.integers(0, 9, self._entries // 4)
        matrix = _tensor(_rows_of(counts, _COLUMNS, generator))
        (seconds,) = self._times(_product(matrix))
        return (seconds - _stored(matrix) * self.iteration) / len(counts)

    def lanes(self) -> float:
        array = np.ones((self._entries // _LONG + 1, _LONG))
        (seconds,) = self._times(
            _call("y[i] = A[i,j] * x[j]", "forall ij: y[i] += A[i,j] * x[j]", array, vector(_LONG))
        )
        return seconds / array.size

    def fills(self) -> float:
        calls: list[Call] = []
        for columns in (self._entries // 8, 1):
            program = "forall ikj: C[i,j] += A[l(i),s(k)] * B[l(k),s(j)]"
            calls.append(_call("C[i,j] = A[i,k] * B[k,j]", program, _empty(64, 8), _empty(8, columns)))
        return self._more(*calls) / (64 * (self._entries // 8 - 1))

    # Operands.

    def _matrix(self, length: int, seed: int = 0, columns: int = _COLUMNS, rows: int | None = None) -> Any:
        """A matrix with rows of some length, as many as there are entries for."""
        rows = max(1, self._entries // length) if rows is None else rows
        return _rows_of(np.full(rows, length), columns, np.random.default_rng(seed))

    def _factor(self) -> Any:
        """A few numbers by which each row of `_long_rows` is multiplied."""
        return random_csr(64, 256, 64 * 16, 4)

    def _long_rows(self) -> Any:
        return self._matrix(max(8, self._entries // 256), rows=256)

    def _factors(self) -> tuple[Any, Any]:
        """Matrices with as many products of entries in rows of the same number as there are entries."""
        length = max(2, int((self._entries / 256) ** 0.5))
        one, other = (self._matrix(length, seed, columns=256, rows=256) for seed in (0, 1))
        return one, other

    def _products(self, one: Any, other: Any) -> int:
        counts = [np.bincount(matrix.tocoo().coords[0], minlength=matrix.shape[0]) for matrix in (one, other)]
        return int(counts[0] @ counts[1])


def _rows_of(counts: Any, columns: int, generator: Any) -> Any:
    """A CSR array with so many entries in each row: in each of as many parts of it, one at any coordinate."""
    positions = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    offsets = np.arange(positions[-1]) - np.repeat(positions[:-1], counts)
    widths = columns // np.repeat(np.maximum(counts, 1), counts)
    coordinates = (offsets * widths + generator.integers(0, widths)).astype(np.int32)
    return sp.csr_array((generator.random(len(coordinates)), coordinates, positions), shape=(len(counts), columns))


def _tensor(matrix: Any, format: str | None = None) -> it.Tensor:
    tensor = it.Tensor.from_scipy(matrix)
    return tensor if format is None else tensor.to_format(format)


def _empty(rows: int, columns: int) -> it.Tensor:
    return _tensor(sp.csr_array((rows, columns)))


def _stored(tensor: it.Tensor) -> int:
    return tensor.values.size


def _product(matrix: it.Tensor) -> Call:
    program = "forall ij: y[i] += A[l(i),s(j)] * x[j]"
    return _call("y[i] = A[i,j] * x[j]", program, matrix, vector(matrix.shape[1]))


def _call(statement: str, program: str, *operands: Any, result: str | None = None) -> Call:
    """A call of a kernel with a program, on operands in the order in which the statement has them."""
    names = it.compile(statement).operand_names
    given = dict(zip(names, operands, strict=True))
    formats = {name: operand.format for name, operand in given.items() if isinstance(operand, it.Tensor)}
    if result is not None:
        formats[statement[0]] = it.Format(result)
    schedule = it.schedule().autoschedule(program=program)
    kernel = it.compile(statement, formats, schedule=schedule, num_threads=1, disk_cache=False)
    return lambda: kernel(**given)
