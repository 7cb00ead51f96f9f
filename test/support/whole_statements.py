"""Statements, the formats of their tensors, and every way to compute a part of one in a statement before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch
from zlib import crc32

import numpy as np
from count_operations import run_kernel
from counted_steps import count_steps
from reference.evaluate_dense import evaluate_dense
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from irtensor.api.schedule import Schedule
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.storage.storage import format_of
from irtensor.errors import UserError
from irtensor.frontend.build_index_notation import IndexNotation, build_index_notation
from irtensor.frontend.einsum import contraction_choice, contraction_costs
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    Literal,
    Reduce,
    Statement,
    accesses,
    children,
    free_indices,
    tensor_names,
)
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.parts import split_statement
from irtensor.frontend.parts.kernel_steps import Part
from irtensor.frontend.parts.may_split import may_split
from irtensor.frontend.parts.split_tensors import Sizes
from irtensor.frontend.summation import insert_reductions
from irtensor.options import current_options
from irtensor.passes.repairs.insert_conversions import converted_operands

# What makes a difference to steps, of the passes on loops.
PASSES = (
    *("fuse-equal-loops", "pack-strided-reads", "skip-idle-loops", "skip-unread-sums", "skip-annihilated-loops"),
    "drain-sets",
    *(
        "visit-drained-sets",
        "accumulate-unconditionally",
        "lower-prefix-sums",
        "lower-algebra-to-arith",
        "hoist-invariants",
    ),
)


class Extents(NamedTuple):
    """Extents of dimensions: beside sparse tensors, of more than three, where all is dense, of tensors of order three,
    and of columns.
    """

    long: int
    many: int
    dense: int
    cube: int
    short: int


# Of what the interpreter counts.
COUNTED = Extents(long=96, many=32, dense=32, cube=20, short=16)
SHORT_INDICES = "abcdefgpqr"
# Shares of elements that are stored, by the number of dimensions.
DENSITIES = {1: 0.25, 2: 0.05, 3: 0.03}
# Steps for each element of an operand that is converted to another format.
CONVERSION = 12
FORMATS = {
    "csr": "dense, compressed",
    "csc": "(i, j) -> (j : dense, i : compressed)",
    "dcsr": "compressed, compressed",
    "coo": "(i, j) -> (i : compressed(nonunique), j : singleton)",
    "columns": "(i, j) -> (j : dense, i : dense)",
    "list": "compressed",
    "csf": "compressed, compressed, compressed",
    "csf_kji": "(i, j, k) -> (k : compressed, j : compressed, i : compressed)",
    "dense_csf": "dense, compressed, compressed",
    "far": "dense, compressed, fill = inf",
    "far_list": "compressed, fill = inf",
}


@dataclass(frozen=True)
class Case:
    """A statement with every reduction written out, and formats of tensors by name; others are dense by rows."""

    statement: Statement
    formats: Mapping[str, TensorFormat]
    name: str
    marks: frozenset[str] = frozenset()

    @staticmethod
    def of(text: str, formats: str) -> Case:
        """From `R[i,f] = A[i,j] * B[j,f]` and `A csr, R csr`, behind which marks may stand, each with a `!`."""
        formats, *marks = (part.strip() for part in formats.split("!"))
        pairs = [pair.split() for pair in formats.split(",") if pair.split() != ["dense"]]
        chosen = {name: TensorFormat.parse(FORMATS[format]) for name, format in pairs}
        statement = insert_reductions(parse_statement(text), accumulate=True)
        return Case(statement, chosen, f"{text} | {formats}", frozenset(marks))

    def extents(self, sizes: Extents = COUNTED) -> dict[str, int]:
        """Of index variables."""
        reads = [self.statement.target, *accesses(self.statement.expression)]
        letters = {index for read in reads for index in read.plain_indices}
        is_dense = all(format.is_dense for format in self.formats.values())
        long = sizes.many if len(letters.difference(SHORT_INDICES)) > 3 else sizes.long
        long = sizes.cube if any(len(read.indices) > 2 for read in reads) else sizes.dense if is_dense else long
        return {letter: min(long, sizes.short) if letter in SHORT_INDICES else long for letter in sorted(letters)}

    def arrays(self, *, most: int = COUNTED.long) -> dict[str, np.ndarray]:
        """Operands: entries where the format has room for some only. No dimension has more than `most` coordinates."""
        extents, found = self.extents(), dict[str, np.ndarray]()
        for access in accesses(self.statement.expression):
            shape = tuple(extents[index] for index in access.plain_indices)
            rng = np.random.default_rng(crc32(access.tensor.encode()))
            array = rng.random(shape) + 0.5
            format = self.formats.get(access.tensor)
            if format is not None and not format.is_dense:
                fill = 0 if format.fill is None else format.fill
                array = np.where(rng.random(shape) < DENSITIES[len(shape)], array, fill)
            found[access.tensor] = array[tuple(slice(most) for _ in shape)]
        return found

    def expected(self) -> np.ndarray:
        """The result, by the oracle."""
        return evaluate_dense(self.statement, self.arrays(), self.extents())


@dataclass(frozen=True)
class Cut:
    """A part in a statement of its own, and the statement that reads it."""

    part: Statement
    rest: Statement

    def __str__(self) -> str:
        return f"{self.part}; {self.rest}"


def read_corpus(path: Path) -> list[Case]:
    """The cases of a file: on each line a statement and, behind bars, formats of its tensors."""
    lines = [line.partition("#")[0].strip() for line in path.read_text().splitlines()]
    found = [line.split("|") for line in lines if line]
    return [Case.of(text.strip(), formats) for text, *variants in found for formats in variants or ["dense"]]


# Cuts.


def cuts(statement: Statement, summed: bool = False) -> Iterator[Cut]:
    """Every part of a statement that can be a statement of its own, once; what is equal to it reads it as well.

    With `summed`, instead the factors of products below sums, each with the sum over what only it has.
    """
    names = {statement.target.tensor, *tensor_names(statement.expression)}
    name = next(letter for letter in "TUVWPQ" if letter not in names)
    seen: list[Expression] = []
    for part, around in _parts(statement.expression, ()):
        if part is statement.expression or not _is_worth_a_name(part):
            continue
        indices = free_indices(part)
        read = Access(name, indices)
        if summed:
            yield from _summed_cuts(statement, part, around, name)
        elif _renamed(part) not in seen:
            seen.append(_renamed(part))
            rest = _replaced(statement.expression, _renamed(part), read)
            yield Cut(replace(statement, target=read, expression=part), replace(statement, expression=rest))


def _parts(
    expression: Expression, around: tuple[Expression, ...]
) -> Iterator[tuple[Expression, tuple[Expression, ...]]]:
    """All parts with what they are parts of, the innermost last."""
    yield expression, around
    for child in children(expression):
        yield from _parts(child, (*around, expression))


def _is_worth_a_name(part: Expression) -> bool:
    """Not numbers, nor tensors that would be copied as they are: of matrices, another order may be better."""
    if isinstance(part, Access):
        return len(set(part.indices)) > 1
    return not isinstance(part, Literal) and bool(tensor_names(part))


def _summed_cuts(statement: Statement, part: Expression, around: Sequence[Expression], name: str) -> Iterator[Cut]:
    """The cut that takes along a sum around a product, over what only this factor of the product has."""
    chain = list(around)
    factor = part
    while chain and isinstance(chain[-1], Apply) and chain[-1].operator == "mul":
        factor = chain.pop()
    if factor is part or not chain or not isinstance(chain[-1], Reduce) or chain[-1].operator != "add":
        return
    sum = chain[-1]
    others = _with_hole(sum.body, part)
    alone = tuple(i for i in sum.indices if i in free_indices(part) and i not in free_indices(others))
    left = tuple(index for index in sum.indices if index not in alone)
    if not alone:
        return
    summed = Reduce("add", alone, part)
    read = Access(name, free_indices(summed))
    body = _put(sum.body, part, read)
    new = Reduce("add", left, body) if left else body
    rest = _put(statement.expression, sum, new)
    yield Cut(replace(statement, target=read, expression=summed), replace(statement, expression=rest))


def _with_hole(expression: Expression, part: Expression) -> Expression:
    return _put(expression, part, Literal(1.0))


def _put(expression: Expression, part: Expression, other: Expression) -> Expression:
    """The expression with another one in the place of this part, which is told by identity."""
    if expression is part:
        return other
    if isinstance(expression, Apply):
        return replace(expression, arguments=tuple(_put(child, part, other) for child in expression.arguments))
    if isinstance(expression, Reduce):
        return replace(expression, body=_put(expression.body, part, other))
    return expression


def _replaced(expression: Expression, renamed: Expression, other: Expression) -> Expression:
    """The expression with another one for each part that is equal up to names of bound variables."""
    if _renamed(expression) == renamed:
        return other
    if isinstance(expression, Apply):
        return replace(expression, arguments=tuple(_replaced(child, renamed, other) for child in expression.arguments))
    if isinstance(expression, Reduce):
        return replace(expression, body=_replaced(expression.body, renamed, other))
    return expression


def _renamed(expression: Expression, names: Mapping[str, str] = {}) -> Expression:
    """The expression with bound variables named by their place."""
    match expression:
        case Access():
            return replace(expression, indices=tuple(names.get(index, index) for index in expression.plain_indices))
        case Apply():
            return replace(expression, arguments=tuple(_renamed(child, names) for child in expression.arguments))
        case Reduce():
            inner = {**names, **{index: f"_{len(names) + n}" for n, index in enumerate(expression.indices)}}
            return Reduce(
                expression.operator, tuple(inner[i] for i in expression.indices), _renamed(expression.body, inner)
            )
        case _:
            return expression


# Steps.


def steps_of(
    statement: Statement,
    formats: Mapping[str, TensorFormat],
    arrays: Mapping[str, np.ndarray],
    extents: Mapping[str, int],
    schedule: Schedule | None = None,
) -> tuple[np.ndarray, int]:
    """The result of a statement, and its weighted steps: those of all kernels that compute it."""
    steps, made, described = 0, dict(arrays), dict(formats)
    parts = parts_of(statement, formats, arrays, extents) if schedule is None else ()
    for part in parts or (Part(statement, formats.get(statement.target.tensor), 0),):
        target = part.statement.target.tensor
        described.pop(target, None)
        if part.format is not None:
            described[target] = part.format
        made[target], its = _steps_of_kernel(part.statement, described, made, extents, schedule)
        steps += its
    return made[statement.target.tensor], steps


def parts_of(
    statement: Statement,
    formats: Mapping[str, TensorFormat],
    arrays: Mapping[str, np.ndarray],
    extents: Mapping[str, int],
) -> tuple[Part, ...]:
    """The statements that a statement is computed by, if a call takes no time, as arrays are small, nor BLAS less."""
    split = split_of(statement, formats, arrays, extents)
    return (Part(statement, formats.get(statement.target.tensor), 0),) if split is None else split.parts


def split_of(
    statement: Statement,
    formats: Mapping[str, TensorFormat],
    arrays: Mapping[str, np.ndarray],
    extents: Mapping[str, int],
) -> split_statement.Split | None:
    """The same with its expected times; None for a statement that one kernel computes for all sizes."""
    format = formats.get(statement.target.tensor)
    if not may_split(statement, format is not None and not format.is_dense):
        return None
    names = tensor_names(statement.expression)
    described = {n: OperandDescription(np.dtype("f8"), arrays[n].ndim, formats.get(n)) for n in names}
    entries = {n: int(np.count_nonzero(arrays[n] != (formats[n].fill or 0))) if n in formats else None for n in names}
    sizes = Sizes(described, entries, extents, format, sum(arrays[n].nbytes for n in names), np.dtype("f8"))
    with ExitStack() as stack:
        for module in (contraction_costs, contraction_choice, split_statement):
            for name in {"CALL", "COMPILED", "BLAS_CALL"} & {*vars(module)}:
                stack.enter_context(patch.object(module, name, 0.0))
        for name in ("BLAS", "_TILED"):
            stack.enter_context(patch.object(contraction_costs, name, contraction_costs.VECTOR))
        return split_statement.split_statement(statement, sizes)


def _steps_of_kernel(
    statement: Statement,
    formats: Mapping[str, TensorFormat],
    arrays: Mapping[str, np.ndarray],
    extents: Mapping[str, int],
    schedule: Schedule | None,
) -> tuple[np.ndarray, int]:
    request = prepared(statement, formats, arrays, schedule=schedule)
    shape = tuple(extents[index] for index in statement.target.plain_indices)
    converted = _converted_elements(request.module, request.argument_names, arrays)
    return run_kernel(
        request.module,
        request.argument_names,
        arrays,
        shape,
        lambda arguments: count_steps(request.module, arguments).weighted + CONVERSION * converted,
        passes=PASSES,
    )


def prepared(
    statement: Statement,
    formats: Mapping[str, TensorFormat],
    arrays: Mapping[str, np.ndarray],
    last: str = "concrete_index",
    schedule: Schedule | None = None,
) -> IndexNotation:
    """The statement at a stage, by default `concrete_index`, as it is compiled for a processor."""
    described = dict(described_operands(statement, formats, arrays))
    request = build_index_notation(statement, described, formats.get(statement.target.tensor))
    choices = PipelineChoices.of(True, current_options(num_threads=1), schedule=schedule)
    lower_module(request.module, "index_notation", last, choices=choices)
    return request


def described_operands(
    statement: Statement, formats: Mapping[str, TensorFormat], arrays: Mapping[str, np.ndarray]
) -> tuple[tuple[str, OperandDescription], ...]:
    """What a kernel is compiled for."""
    names = tensor_names(statement.expression)
    return tuple((n, OperandDescription(np.dtype("f8"), arrays[n].ndim, formats.get(n))) for n in names)


def _converted_elements(module: ModuleOp, names: Sequence[str], arrays: Mapping[str, np.ndarray]) -> int:
    """The stored elements of operands that are converted to another format."""
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    found = 0
    for argument, source in zip(function.body.block.args, converted_operands(function), strict=True):
        if source is not None:
            array, format = arrays[names[source]], format_of(argument.type)
            found += array.size if format.is_dense else int(np.count_nonzero(array != (format.fill or 0)))
    return found


def best_steps(cut: Cut, case: Case, arrays: Mapping[str, np.ndarray]) -> tuple[int, str]:
    """The steps of both statements in the best format of the tensor between them, and this format."""
    extents = case.extents()
    target = cut.part.target
    values = evaluate_dense(cut.part, arrays, extents)
    found: list[tuple[int, str]] = []
    for format in _formats_for(values):
        formats = {**case.formats, **({} if format is None else {target.tensor: format})}
        try:
            made, first = steps_of(cut.part, formats, arrays, extents)
            result, second = steps_of(cut.rest, formats, {**arrays, target.tensor: made}, extents)
        except UserError:
            continue
        _check(made, values, str(cut))
        _check(result, case.expected(), str(cut))
        found.append((first + second, "dense" if format is None else str(format)))
    return min(found)


def _formats_for(values: np.ndarray) -> list[TensorFormat | None]:
    """What a user would choose for a tensor: dense, by rows or columns, or sparse where most elements are zero."""
    rank = values.ndim
    if rank == 0:
        return [None]
    orders = list(permutations(range(rank))) if rank == 2 else [tuple(range(rank))]
    share = np.count_nonzero(values) / values.size
    found: list[TensorFormat | None] = [None, *(format_of_levels(["dense"] * rank, order) for order in orders[1:])]
    if rank > 2 and share < 0.1:
        found.clear()
    if share < 0.5:
        levels = ["dense", "compressed"] if rank == 2 else ["compressed"] * rank
        found += [format_of_levels(levels, order) for order in orders]
    return found


@cache
def _parsed(text: str) -> TensorFormat:
    return TensorFormat.parse(text)


def format_of_levels(levels: Sequence[str], order: Sequence[int], fill: object = None) -> TensorFormat:
    """A format that stores dimensions in this order."""
    letters = "ijklmn"[: len(levels)]
    stored = ", ".join(f"{letters[dimension]} : {level}" for level, dimension in zip(levels, order, strict=True))
    rest = "" if fill is None else f", fill = {fill}"
    return _parsed(f"({', '.join(letters)}) -> ({stored}){rest}")


def _check(actual: np.ndarray, expected: np.ndarray, what: str) -> None:
    """What is not a number may be absent, where it meets an absent entry."""
    known = ~np.isnan(expected)
    scale = np.max(np.abs(expected[known & np.isfinite(expected)]), initial=1.0)
    np.testing.assert_allclose(actual[known], expected[known], atol=1e-9 * scale, err_msg=what)


def excess(case: Case, summed: bool = False) -> list[tuple[float, Cut, str]]:
    """How many times the steps of each cut the whole takes, the most first."""
    arrays, extents = case.arrays(), case.extents()
    result, whole = steps_of(case.statement, case.formats, arrays, extents)
    _check(result, case.expected(), case.name)
    found = []
    for cut in cuts(case.statement, summed):
        steps, format = best_steps(cut, case, arrays)
        found.append((whole / steps, cut, format))
    return sorted(found, key=lambda one: -one[0])
