"""Times statements beside their parts, at sizes that users have: where is one statement slower than two?

    python test/time_cuts.py                       every statement of test/support/whole_statements.txt
    python test/time_cuts.py FILE                  those of another file in its form
    python test/time_cuts.py -c "STATEMENT | A csr, R csr"

Each part that can be a statement of its own is computed before, into each format that may suit it. What is printed is
the time of the whole over that of both statements, the largest first. `test_whole_statements` counts steps instead,
which are the same on each machine; here all that a call does takes part, on one thread.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from time import process_time
from typing import Any
from zlib import crc32

for variable in ("IRTENSOR_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "test" / "support")]

import numpy as np  # noqa: E402
from whole_statements import Case, Cut, Extents, cuts, format_of_levels, read_corpus  # noqa: E402

import irtensor as it  # noqa: E402
from benchmarks.interleave import interleaved  # noqa: E402
from irtensor.core.tensor_format import TensorFormat  # noqa: E402
from irtensor.errors import UserError  # noqa: E402
from irtensor.frontend.expression_tree import Access, Statement, accesses  # noqa: E402

CORPUS = ROOT / "test" / "support" / "whole_statements.txt"
# Sizes that users have, and entries for each coordinate of the first dimension.
TIMED, ENTRIES = Extents(long=6_000, many=6_000, dense=600, cube=150, short=32), 16
# Bytes of a dense part that are still worth a try, and of all memory: parts of many entries are given up.
MOST_BYTES, MOST_MEMORY = 1 << 28, 6 << 30


@dataclass(frozen=True)
class Row:
    """A cut of a statement with the seconds of both."""

    name: str
    whole: float
    cut: float
    text: str

    @property
    def ratio(self) -> float:
        return self.whole / self.cut


def operands_of(case: Case, extents: Mapping[str, int]) -> dict[str, Any]:
    """Arrays where a tensor has no format, else tensors of `ENTRIES` per coordinate of the first dimension."""
    return {
        access.tensor: operand(access, extents, case.formats.get(access.tensor))
        for access in accesses(case.statement.expression)
    }


def operand(access: Access, extents: Mapping[str, int], format: TensorFormat | None) -> Any:
    shape = tuple(extents[index] for index in access.plain_indices)
    rng = np.random.default_rng(crc32(access.tensor.encode()))
    if format is None or format.is_dense:
        array = rng.random(shape) + 0.5
        return array if format is None else it.Tensor.from_numpy(array, format)
    count = shape[0] * ENTRIES if len(shape) > 1 else shape[0] // ENTRIES
    places = np.unique(rng.integers(0, np.prod(shape), count))
    coordinates, values = np.unravel_index(places, shape), rng.random(len(places)) + 0.5
    return it.Tensor.from_coo(coordinates, values, shape=shape, format=format)


def formats_for(shape: tuple[int, ...], fill: Any) -> Iterator[TensorFormat | None]:
    """What a user may choose for a part: dense, by columns, or sparse with the fill of the operands."""
    if 8 * np.prod(shape, dtype=float) <= MOST_BYTES:
        yield None
        if len(shape) == 2:
            yield format_of_levels(("dense", "dense"), (1, 0))
    if len(shape) == 2 and min(shape) > TIMED.short:
        yield from (format_of_levels(("dense", "compressed"), order, fill) for order in permutations((0, 1)))
    elif len(shape) == 3:
        yield format_of_levels(("compressed",) * 3, (0, 1, 2), fill)


def kernel(statement: Statement, formats: Mapping[str, TensorFormat]) -> it.NotationKernel:
    target = statement.target.tensor
    return it.compile(str(statement), formats={target: formats[target]} if target in formats else None)


def as_parts(cut: Cut, format: TensorFormat | None, case: Case, operands: Mapping[str, Any]) -> Callable[[], Any]:
    """A call that computes the part and then the rest."""
    first = kernel(cut.part, {} if format is None else {cut.part.target.tensor: format})
    second = kernel(cut.rest, case.formats)

    def call() -> Any:
        made = {**operands, cut.part.target.tensor: first(**chosen(first, operands))}
        return second(**chosen(second, made))

    return call


def chosen(made: it.NotationKernel, operands: Mapping[str, Any]) -> dict[str, Any]:
    return {name: operands[name] for name in made.operand_names}


def rows_of(case: Case, rounds: int) -> Iterator[Row]:
    """One for each cut, with the best format of its part."""
    extents = case.extents(TIMED)
    operands = operands_of(case, extents)
    made = kernel(case.statement, case.formats)
    arguments = chosen(made, operands)
    expected = made(**arguments)
    fill = next((format.fill for format in case.formats.values() if format.fill is not None), None)
    for cut in cuts(case.statement):
        shape = tuple(extents[index] for index in cut.part.target.plain_indices)
        calls: list[Callable[[], Any]] = []
        for format in formats_for(shape, fill):
            call = as_parts(cut, format, case, operands)
            try:
                check(call(), expected, f"{cut} [{format}]")
            except (UserError, MemoryError):
                continue
            calls.append(call)
        if calls:
            competitors = {"whole": lambda: made(**arguments), **dict(zip(map(str, range(len(calls))), calls))}
            timings = interleaved(competitors, seconds=0, fewest=rounds, clock=process_time)
            best = {name: min(timing.rounds) for name, timing in timings.items()}
            yield Row(case.name, best.pop("whole"), min(best.values()), str(cut))


def check(actual: Any, expected: Any, text: str) -> None:
    """Values alike, as of their sums: a cut may add up in another order."""
    sums = [float(np.sum(np.asarray(getattr(one, "values", one)))) for one in (actual, expected)]
    if np.isfinite(sums).all() and not np.isclose(*sums, rtol=1e-6):
        sys.exit(f"another result: {text}: {sums[0]} and {sums[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=CORPUS, help="statements, each with formats")
    parser.add_argument("-c", "--case", action="append", help="a statement with formats behind a bar")
    parser.add_argument("-k", "--containing", default="", help="only statements that contain this text")
    parser.add_argument("--rounds", type=int, default=7, help="timings of each call (default 7)")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    if options.case:
        cases = [
            Case.of(text.strip(), formats or "dense") for text, _, formats in (c.partition("|") for c in options.case)
        ]
    else:
        cases = read_corpus(options.file)
    found: list[Row] = []
    for case in cases:
        if options.containing not in case.name:
            continue
        try:
            worst = max(rows_of(case, options.rounds), key=lambda row: row.ratio, default=None)
        except UserError as error:
            print(f"refused  {case.name}: {str(error).splitlines()[0]}", flush=True)
            continue
        if worst is not None:
            found.append(worst)
            print(f"{worst.ratio:7.2f}  {1e3 * worst.whole:9.3f} ms  {case.name}", flush=True)
    print("\nThe slowest beside their parts:")
    for row in sorted(found, key=lambda row: -row.ratio)[:40]:
        print(f"{row.ratio:7.2f}  {1e3 * row.whole:9.3f} of {1e3 * row.cut:9.3f} ms  {row.name}\n         {row.text}")


if __name__ == "__main__":
    main()
