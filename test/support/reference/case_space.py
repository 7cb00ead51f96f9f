"""Every pair of storages under every binary operator, in every order of up to three loops: the space of the proof.

A nest of loops over i, j, k with two operands is, up to the names of the variables, a list of level formats for the
one and storage (level formats, and the order of its variables) for the other. `every_case` gives each such pair under
each operator once; what else a case has (fill values, which variables are reduced and how, the result's format, which
operand comes first, the names of the variables, in which order accesses write their dimensions) takes turns, so that
each of them meets every pair and every operator. `sample` picks cases in which all pairs of these choices occur,
or in fewer cases many of them.
"""

from __future__ import annotations

import operator as comparison
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product
from typing import TypeVar

import numpy as np
from reference.compare_with_oracle import DEFAULT_POOL, Case

from irtensor.core.fill_values import FillValue
from irtensor.core.level_format import LevelFormat
from irtensor.core.operators import OPERATORS
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat

INF, NAN = float("inf"), float("nan")
DENSE, COMPRESSED, SINGLETON = LevelFormat("dense"), LevelFormat("compressed"), LevelFormat("singleton")
HEAD, MIDDLE = LevelFormat("compressed", unique=False), LevelFormat("singleton", unique=False)
UNORDERED, BITMAP = LevelFormat("compressed", ordered=False), LevelFormat("bitmap")
HASHED, PADDED = LevelFormat("hashed"), LevelFormat("padded")
RANGE, OFFSET = LevelFormat("range"), LevelFormat("offset")

Levels = tuple[LevelFormat, ...]
# Lists of level formats by rank. What is dense is a NumPy array as well as a Tensor. Two levels above an offset, which
# follows from the level between, is that of the diagonals: the one dimension minus the other.
OPERANDS: Mapping[int, tuple[Levels, ...]] = {
    1: ((DENSE,), (COMPRESSED,), (UNORDERED,), (HEAD,), (BITMAP,), (HASHED,), (PADDED,)),
    2: (
        *(*product((DENSE, COMPRESSED), repeat=2), (HEAD, SINGLETON), (DENSE, UNORDERED), (COMPRESSED, HEAD)),
        *((DENSE, BITMAP), (BITMAP, COMPRESSED), (COMPRESSED, BITMAP), (BITMAP, BITMAP)),
        *((DENSE, HASHED), (HASHED, COMPRESSED), (DENSE, PADDED), (PADDED, HASHED)),
        *((COMPRESSED, RANGE, OFFSET), (DENSE, RANGE, OFFSET), (BITMAP, COMPRESSED, OFFSET)),
    ),
    3: (
        *(*product((DENSE, COMPRESSED), repeat=3), (HEAD, MIDDLE, SINGLETON), (DENSE, HEAD, SINGLETON)),
        *((HEAD, SINGLETON, DENSE), (COMPRESSED, COMPRESSED, UNORDERED)),
        *((COMPRESSED, BITMAP, COMPRESSED), (BITMAP, COMPRESSED, BITMAP)),
        *((DENSE, PADDED, DENSE), (COMPRESSED, HASHED, PADDED)),
        *((DENSE, COMPRESSED, RANGE, OFFSET), (COMPRESSED, RANGE, OFFSET, COMPRESSED)),
    ),
}
# Results have each entry once, in order unless they are tables; without level formats they are NumPy arrays.
RESULTS = {
    rank: (
        (),
        *(
            levels
            for levels in lists
            if all(level.ordered or level.pattern.unordered for level in levels) and levels[-1].unique
        ),
    )
    for rank, lists in OPERANDS.items()
}
BINARY = tuple(name for name, operator in OPERATORS.items() if operator.arity == 2)
SHIFTS = ("shl", "shr")
INTEGER = ("and", "or", "xor", *SHIFTS)
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
DIVISIONS = ("div", "floordiv", "mod")
_INFIX = {
    **{"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**"},
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "&", "or": "|", "xor": "^"},
}
# Of so many cases one operand has entries that are all true, and no values.
_PATTERNS = 0.25
Fills = tuple[float, float]
_Choice = TypeVar("_Choice")


@dataclass(frozen=True)
class Storage:
    """Level formats from the outermost, and the index variables of the levels, but for those of diagonals."""

    levels: Levels
    variables: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """The storage of both operands of a nest over `variables`."""

    variables: str
    left: Storage
    right: Storage


def pairs(loops: int) -> list[Pair]:
    """Every pair of storages over a nest of so many loops, up to the names of the variables and to which comes first.

    The left operand has no fewer variables than the right one; the names are those of its storage order.
    """
    names = "ijk"[:loops]
    found: list[Pair] = []
    for left, right in product(_subsets(names), repeat=2):
        is_first = left == tuple(names[: len(left)]) and len(right) <= len(left)
        if is_first and set(left) | set(right) == set(names):
            ones = [Storage(levels, left) for levels in OPERANDS[len(left)]]
            others = [Storage(levels, order) for levels in OPERANDS[len(right)] for order in permutations(right)]
            found += [Pair(names, one, other) for one, other in product(ones, others)]
    return found


def _subsets(names: str) -> list[tuple[str, ...]]:
    return [subset for count in range(1, len(names) + 1) for subset in combinations(names, count)]


def fill_pairs(operator: str) -> tuple[Fills, ...]:
    """Fill values to try. Where NumPy has NaN and stored-entries-only algebra a number, there is no pair."""
    if operator in DIVISIONS:
        return ((0, 1), (2, 1))
    if operator in ("pow", "mul") or operator in INTEGER:
        return ((0, 0), (1, 0), (1, 2))
    return ((0, 0), (1, 2), (INF, 0), (0, INF), (INF, INF))


def reductions(operator: str) -> tuple[str, ...]:
    """Operators that reduce the elements which an operator gives."""
    if operator in INTEGER:
        return ("sum", "or", "and", "xor", "max")
    if operator == "complex":
        return ("sum", "prod")
    return ("sum", "or", "and") if operator in COMPARISONS else ("sum", "max", "prod", "min")


def pools(operator: str, left: str, right: str) -> dict[str, np.ndarray]:
    """Values of the operands: integers for bitwise operators, no zero as a divisor, natural exponents."""
    if operator in SHIFTS:
        return {left: np.array([-3, 1, 2, 6]), right: np.array([0, 1, 3, 4])}
    if operator in INTEGER:
        return {left: np.array([-3, 1, 2, 6]), right: np.array([-1, 1, 3, 4])}
    if operator in DIVISIONS:
        return {right: np.array([-3.0, -2.0, 1.0, 2.0])}
    if operator == "pow":
        return {left: np.array([1.0, 2.0, 3.0]), right: np.array([1.0, 2.0])}
    return {}


@dataclass(frozen=True)
class Turns:
    """What takes turns in a case: each is a number, taken modulo how many choices there are."""

    fills: int = 0
    target: int = 0
    result: int = 0
    reduction: int = 0
    names: int = 0
    swapped: int = 0


def stored(levels: Sequence[LevelFormat], order: Sequence[int], fill: FillValue = None) -> TensorFormat:
    """The format with these levels, whose dimensions are in this order; that of diagonals has none of its own."""
    dimensions = iter(order)
    below = {n - 2 for n, level in enumerate(levels) if level.name == "offset"}
    own = [None if n in below else LevelExpression(next(dimensions)) for n in range(len(levels))]
    expressions = [one or _diagonal(own[n + 2], own[n + 1]) for n, one in enumerate(own)]
    pairs = zip(expressions, levels, strict=True)
    return TensorFormat(len(order), tuple(Level(expression, level) for expression, level in pairs), fill)


def _diagonal(minuend: LevelExpression | None, subtrahend: LevelExpression | None) -> LevelExpression:
    assert minuend is not None and subtrahend is not None, "an offset is two levels below its diagonals"
    return LevelExpression(minuend.dimension, "minus", other=subtrahend.dimension)


def build(pair: Pair, operator: str, turns: Turns, fill_values: Sequence[Fills] = ()) -> Case:
    """The case of a pair in which everything else is as its turn wants."""
    leaf = random.Random(str((pair, operator, turns))).random()
    first, second = (pair.left, pair.right) if turns.swapped % 2 == 0 else (pair.right, pair.left)
    choose = random.Random(turns.names)
    new_names = dict(zip(pair.variables, choose.sample(pair.variables, len(pair.variables)), strict=True))
    fills = _turn(fill_values or fill_pairs(operator), turns.fills)
    (left, one), (right, two) = (
        _operand(name, storage, fill, new_names, choose)
        for name, storage, fill in zip("AB", (first, second), fills, strict=True)
    )
    values = pools(operator, "A", "B")
    formats = {"A": one, "B": two}
    if not fill_values and (name := "A" if leaf < _PATTERNS / 2 else "B" if leaf < _PATTERNS else None):
        formats[name], values[name] = _as_pattern(formats[name], operator, name, values.get(name, DEFAULT_POOL))
    term = f"({left} {_INFIX[operator]} {right})" if operator in _INFIX else f"{operator}({left}, {right})"
    kept, levels = _result(pair, turns)
    reduced = [new_names[name] for name in pair.variables if name not in kept]
    if reduced:
        term = f"{_turn(reductions(operator), turns.reduction)}({', '.join(reduced)}, {term})"
    order = [new_names[name] for name in choose.sample(kept, len(kept))]
    text = f"C[{', '.join(order)}] = {term}" if kept else f"s = {term}"
    # Every second result is stored in the order of the first operand's loops.
    storage = order if choose.random() < 0.5 else [new_names[v] for v in pair.variables if v in kept]
    result = stored(levels, [order.index(v) for v in storage]) if levels else None
    if result is not None and leaf < _PATTERNS and not reduced and _is_false_in_gaps(operator, [*formats.values()]):
        result = _without_values(result)
    return Case(text, formats, result, values)


def _without_values(format: TensorFormat) -> TensorFormat:
    """The format that stores what is true, unless that would be true at elements that are not entries."""
    return format if format.is_dense else replace(format, fill=None, is_pattern=True).for_any_entries


def _is_false_in_gaps(operator: str, formats: Sequence[TensorFormat | None]) -> bool:
    """Whether an operator gives bools, and false where no operand has an entry, if there is such a place."""
    stored = [format for format in formats if format is not None and not format.is_dense]
    if operator not in COMPARISONS or len(stored) < len(formats):
        return operator in COMPARISONS
    left, right = (0 if format.fill is None else format.fill for format in stored)
    return not getattr(comparison, f"__{operator}__")(left, right)


def _as_pattern(
    format: TensorFormat | None, operator: str, name: str, pool: np.ndarray
) -> tuple[TensorFormat | None, np.ndarray]:
    """How an operand is stored whose entries are all true, and its values; as it is where it cannot be one."""
    is_divisor = name == "B" and operator in DIVISIONS
    if format is None or is_divisor or not (pattern := _without_values(format)).is_pattern:
        return format, pool
    return pattern, np.array([True])


def _operand(
    name: str, storage: Storage, fill: float, new_names: Mapping[str, str], choose: random.Random
) -> tuple[str, TensorFormat | None]:
    """How an operand is accessed and stored; the order of its dimensions says nothing, so it is any."""
    variables = [new_names[variable] for variable in storage.variables]
    if set(storage.levels) == {DENSE} and choose.random() < 0.5:
        return f"{name}[{', '.join(variables)}]", None
    written = choose.sample(variables, len(variables))
    format = stored(storage.levels, [written.index(variable) for variable in variables])
    return f"{name}[{', '.join(written)}]", format if format.is_dense else format.with_fill(fill)


def _turn(choices: Sequence[_Choice], number: int) -> _Choice:
    return choices[number % len(choices)]


def every_case(loops: int, operator: str) -> Iterator[Case]:
    """Every pair of storages under the operator; with one loop, with all fill values and results as well."""
    number = random.Random(f"{loops} {operator}").randrange(1 << 16)
    for pair in pairs(loops):
        if loops == 1:
            everything = product(range(len(fill_pairs(operator))), range(len(RESULTS[1]) + 1))
            cases = [build(pair, operator, Turns(f, r > 0, r, f, swapped=f + r)) for f, r in everything]
            yield from {str(case): case for case in cases}.values()
            continue
        for _ in range(2 if loops == 2 else 1):
            yield build(pair, operator, _draw_turns(random.Random(number), number))
            number += 1


def _draw_turns(draw: random.Random, fills: int) -> Turns:
    return Turns(fills, *(draw.randrange(1 << 16) for _ in range(5)))


def sample(loops: int, candidates: int = 4000, least: int = 1) -> dict[str, list[Case]]:
    """Cases by operator, the same in every run; each has at least so many pairs of choices that none before it has.

    With 1, any two choices meet that do so in some candidate. Each list of level formats occurs whatever `least` is.
    """
    draw = random.Random(loops)
    found = pairs(loops)
    drawn = [
        (draw.choice(found), draw.choice(BINARY), _draw_turns(draw, draw.randrange(60))) for _ in range(candidates)
    ]
    chosen: dict[str, list[Case]] = {operator: [] for operator in BINARY}
    meetings = [_meetings(*choice) for choice in drawn]
    lists = [_lists(pair, turns) for pair, _, turns in drawn]
    seen: set[object] = set()
    # Those that bring many meetings first: one pass would take most candidates for the sake of one meeting each.
    for new in (*(count for count in (24, 12, 6, 3) if count > least), least):
        for (pair, operator, turns), met, its in zip(drawn, meetings, lists, strict=True):
            if len(met - seen) >= new or not its <= seen:
                seen |= met | its
                chosen[operator].append(build(pair, operator, turns))
    return chosen


def _lists(pair: Pair, turns: Turns) -> set[object]:
    """The lists of level formats in a case, those of operands and that of the result apart."""
    _, result = _result(pair, turns)
    return {("operand", pair.left.levels), ("operand", pair.right.levels), ("result", result)}


def _result(pair: Pair, turns: Turns) -> tuple[tuple[str, ...], Levels]:
    """The variables of a result, and its list of level formats."""
    kept = _turn([(), *_subsets(pair.variables)], turns.target)
    return kept, _turn(RESULTS[len(kept)], turns.result) if kept else ()


def _meetings(pair: Pair, operator: str, turns: Turns) -> set[object]:
    """What meets in a case: any two choices, and the result's levels with the operator and with each operand's."""
    left, right = ((storage.levels, len(storage.variables)) for storage in (pair.left, pair.right))
    kept, levels = _result(pair, turns)
    choices = (
        ("operator", operator),
        ("left", left),
        ("right", right),
        ("order", (pair.left.variables, pair.right.variables)),
        ("fills", turns.fills % len(fill_pairs(operator))),
        ("target", kept),
        ("swapped", turns.swapped % 2),
    )
    result = (len(kept), levels)
    return {*combinations(choices, 2), *(("result", result, other) for other in (operator, left, right))}
