"""Draws statements of many operands: sums inside of functions, sums that loops repeat or share, chains and masks."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reference.compare_with_oracle import Case
from reference.draw_widths import with_drawn_widths
from reference.random_statements import FAMILIES, FILLS, POOLS, SPECIAL

from irtensor.core.level_format import LevelFormat
from irtensor.core.tensor_format import TensorFormat

# Tensors by rank. One that is read twice may have other indices at the second place.
_NAMES = {0: "rs", 1: "uvwxyz", 2: "ABDE", 3: "T"}
_VARIABLES = "ijkl"
_TARGETS = ("", "i", "i", "j", "ij", "ij", "ji", "ik", "ijk")
_FEWEST, _MOST = 4, 7
# Extents of i, j, k, l, and how operands are stored. They are equal where a tensor is read with its indices exchanged:
# more than threads of an emulated grid, and none.
SITUATIONS = (
    ((5, 5, 5, 5), ("sparse", "full", "holes")),
    ((13, 13, 13, 13), ("holes", "sparse", "sparse")),
    ((4, 5, 3, 2), ("full", "sparse", "holes")),
    ((3, 7, 4, 6), ("sparse", "holes", "sparse")),
    ((1, 1, 1, 1), ("full", "sparse", "full")),
    ((0, 0, 0, 0), ("full", "full", "full")),
)
# Most products and sums, as programs have them. Quotients and powers are kept where they are finite.
_COMBINED = {
    "floats": ("({} * {})",) * 5 + ("({} + {})", "({} - {})", "({} / (abs({}) + 1.5))", "max({}, {})", "min({}, {})"),
    "integers": ("({} * {})",) * 4 + ("({} + {})", "({} - {})", "max({}, {})", "({} // 3 - {})", "({} & {})"),
    "complex": ("({} * {})",) * 4 + ("({} + {})", "({} - {})"),
    "bool": ("({} & {})",) * 3 + ("({} | {})", "({} ^ {})"),
}
_OF_SUMS = {
    "floats": ("exp(min({}, 1))", "tanh({})", "max({}, 0)", "sqrt(abs({}))", "(1.5 + abs({}))", "(1 / (2 + abs({})))"),
    "integers": ("abs({})", "max({}, 0)", "-{}", "({} + 1)"),
    "complex": ("conj({})", "({} + 1)", "(1 / (2 + abs({})))"),
    "bool": ("~{}",),
}
_OF_ELEMENTS = {
    "floats": ("abs({})", "exp({})", "tanh({})", "sin({})", "({} ** 2)", "(1 - {})", "({} > 0)"),
    "integers": ("abs({})", "({} ** 2)", "~{}", "({} != 1)"),
    "complex": ("conj({})", "({} ** 2)", "(1 - {})", "abs({})"),
    "bool": ("~{}",),
}
# The greatest of no elements is not finite, and does not survive an annihilating fill value (docs/notation.md).
_REDUCTIONS = {
    "floats": ("sum({}, {})",) * 6 + ("max(max({}, {}), -9)", "min(min({}, {}), 9)"),
    "integers": ("sum({}, {})",) * 4 + ("max({}, {})", "xor({}, {})", "prod({}, {})"),
    "complex": ("sum({}, {})",),
    "bool": ("or({}, {})", "or({}, {})", "and({}, {})", "xor({}, {})"),
}
# Formats of matrices as they are used most, in the order of their dimensions; others are drawn from their levels.
_LEVELS = [LevelFormat(name) for name in ["dense"] * 2 + ["compressed"] * 3 + ["bitmap", "hashed"]]


@dataclass(frozen=True)
class _Term:
    """Text with the index variables that it reads, those that its reductions bind, and how many accesses it has."""

    text: str
    free: frozenset[str]
    bound: frozenset[str] = frozenset()
    reads: int = 1


@dataclass
class _Draft:
    """What a statement is drawn with: its elements, its tensors by rank, and the reductions that it has."""

    rng: random.Random
    family: str
    names: Mapping[int, Sequence[str]]
    around: list[str]
    """Index variables that no reduction may bind anew."""
    sums: list[_Term] = field(default_factory=list[_Term])

    @property
    def product(self) -> str:
        return "({} & {})" if self.family == "bool" else "({} * {})"


def long_case(seed: int) -> Case:
    """The statement of a seed with four to seven reads of tensors, at least one sum, and formats of all tensors."""
    rng = random.Random(seed)
    family = rng.choice(("floats",) * 5 + ("integers", "integers", "complex", "bool"))
    while True:
        names = {rank: rng.sample(known, min(len(known), rng.choice((1, 2, 3)))) for rank, known in _NAMES.items()}
        target = rng.choice(_TARGETS)
        draft = _Draft(rng, family, names, [*target])
        term = _drawn(draft, target, 4)
        if rng.random() < 0.2:
            mask = "({1} & {0})" if family == "bool" else "where({1} != 0, {0}, 0)"
            term = _applied(mask, term, _access(draft, target))
        if (
            _FEWEST <= term.reads <= _MOST
            and term.bound
            and term.free.issuperset(target)
            and len(term.free) == len(target)
        ):
            break
    used = [name for known in names.values() for name in known if re.search(rf"\b{name}\b", term.text)]
    pools = {name: POOLS[rng.choice(FAMILIES[family])] for name in used}
    ranks = {name: rank for rank, known in _NAMES.items() for name in known}
    formats = {name: _format(rng, ranks[name], FILLS[pools[name].dtype.kind]) for name in used}
    result = _format(rng, len(target), (0,))
    return Case(f"{f'C[{chr(44).join(target)}]' if target else 'c'} = {term.text}", formats, result, pools)


def _applied(text: str, *arguments: _Term) -> _Term:
    free = frozenset[str]().union(*(term.free for term in arguments))
    bound = frozenset[str]().union(*(term.bound for term in arguments))
    written = text.format(*(term.text for term in arguments))
    return _Term(written, free, bound, sum(term.reads for term in arguments))


def _drawn(draft: _Draft, scope: Sequence[str], depth: int) -> _Term:
    """A term that reads what is in scope, of at most so many operators one inside of another."""
    if depth <= 0:
        return _access(draft, scope)
    kinds = {_combined: 6, _sum: 5, _of_sum: 3, _again: 2, _chain: 1, _of_element: 1}
    (kind,) = draft.rng.choices(list(kinds), list(kinds.values()))
    return kind(draft, scope, depth)


def _combined(draft: _Draft, scope: Sequence[str], depth: int) -> _Term:
    text = draft.rng.choice(_COMBINED[draft.family])
    left = _drawn(draft, scope, depth - 2) if draft.rng.random() < 0.5 else _access(draft, scope)
    return _applied(text, left, _drawn(draft, scope, depth - 1))


def _of_element(draft: _Draft, scope: Sequence[str], depth: int) -> _Term:
    return _applied(draft.rng.choice(_OF_ELEMENTS[draft.family]), _access(draft, scope))


def _of_sum(draft: _Draft, scope: Sequence[str], depth: int) -> _Term:
    return _applied(draft.rng.choice(_OF_SUMS[draft.family]), _sum(draft, scope, depth - 1))


def _sum(draft: _Draft, scope: Sequence[str], depth: int) -> _Term:
    """A reduction over another index; what it holds reads few of the others, so that loops repeat it."""
    kept = draft.rng.sample(scope, min(len(scope), draft.rng.choice((0, 1, 1, 1, 2))))
    return _reduced(draft, scope, lambda index: _drawn(draft, (*kept, index), depth - 1), kept)


def _chain(draft: _Draft, scope: Sequence[str], depth: int) -> _Term:
    """A matrix times another one, or times a vector."""
    return _reduced(draft, scope, lambda index: _access(draft, (*scope, index), index), scope)


def _reduced(draft: _Draft, scope: Sequence[str], inner: Callable[[str], _Term], kept: Sequence[str]) -> _Term:
    """A reduction of a product over an index that is not in scope."""
    bound = [index for index in _VARIABLES if index not in draft.around]
    if not bound:
        return _access(draft, scope)
    index = draft.rng.choice(bound)
    draft.around.append(index)
    body = _applied(draft.product, _access(draft, (*kept, index), index), inner(index))
    draft.around.pop()
    text = draft.rng.choice(_REDUCTIONS[draft.family]).format(index, body.text)
    term = _Term(text, body.free - {index}, body.bound | {index}, body.reads)
    draft.sums.append(term)
    return term


def _again(draft: _Draft, scope: Sequence[str], depth: int) -> _Term:
    """A reduction that the statement has already."""
    known = [term for term in draft.sums if term.free <= {*scope} and not term.bound & {*draft.around}]
    return draft.rng.choice(known) if known else _sum(draft, scope, depth)


def _access(draft: _Draft, scope: Sequence[str], index: str | None = None) -> _Term:
    """A tensor at indices in scope, `index` among them; one in ten may have an index twice."""
    rng = draft.rng
    rank = rng.choice([rank for rank in (0, 1, 1, 1, 2, 2, 2, 2, 3) if rank <= len(scope) and (rank or index is None)])
    indices = rng.choices(scope, k=rank) if rng.random() < 0.1 else rng.sample(scope, rank)
    if index is not None and index not in indices:
        indices[rng.randrange(rank)] = index
    name = rng.choice(draft.names[rank])
    return _Term(f"{name}[{','.join(indices)}]" if indices else name, frozenset(indices))


def _format(rng: random.Random, rank: int, fills: Sequence[Any]) -> TensorFormat | None:
    if rank == 0 or rng.random() < 0.25:
        return None
    if rng.random() < 0.15:
        levels = rng.choice(SPECIAL[rank])
    elif rng.random() < 0.4:
        levels = [LevelFormat("dense"), LevelFormat("compressed"), LevelFormat("compressed")][:rank]
    else:
        levels = [rng.choice(_LEVELS) for _ in range(rank)]
    order = range(rank) if rng.random() < 0.6 else rng.sample(range(rank), rank)
    format = TensorFormat.of(levels, list(order))
    fill = None if format.is_dense else rng.choice((0, 0, 0, *fills))
    return with_drawn_widths(format, rng.choice).with_fill(fill)
