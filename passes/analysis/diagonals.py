"""Which accesses of tensors stored by diagonals are traversed along them, and which index variable then follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.absence import stores_out_of, value_without
from irtensor.passes.analysis.iteration_graph import can_locate, name_of, needs_splitting
from irtensor.passes.analysis.ranges import forall_of, only_forall, range_sources
from irtensor.passes.support.operations_in import operations_in

Access = AccessOp | AssignOp


class Diagonal(NamedTuple):
    """Two index variables: `followed` is computed from the other one and from `minuend - subtrahend`."""

    minuend: SSAValue
    subtrahend: SSAValue
    followed: SSAValue
    accesses: tuple[Access, ...]

    @property
    def kept(self) -> SSAValue:
        return self.subtrahend if self.followed is self.minuend else self.minuend

    @property
    def is_single_nest(self) -> bool:
        """Whether nothing but loops is between the loops over the two variables."""
        return _inner_of((self.minuend, self.subtrahend)) is None


def by_diagonal(access: Access) -> bool:
    """Whether a tensor is stored by diagonals and indexed by dimension."""
    return format_of(access.tensor.type).has_diagonals and needs_splitting(access)


def diagonals_of(module: ModuleOp) -> tuple[list[Diagonal], list[tuple[Access, str]]]:
    """The diagonals to run along, and the accesses that cannot be, each with the reason."""
    accesses = [op for op in operations_in(module, AccessOp, AssignOp) if by_diagonal(op)]
    pairs: dict[tuple[SSAValue, SSAValue], list[Access]] = {}
    for access in accesses:
        for pair in _pairs(access):
            pairs.setdefault(pair, []).append(access)
    found: list[Diagonal] = []
    refused: dict[Access, str] = {}
    for pair, group in pairs.items():
        chosen = _choose(pair, group, found, [other for other in pairs if other != pair])
        if isinstance(chosen, Diagonal):
            found.append(chosen)
        else:
            refused.update(dict.fromkeys(group, chosen))
    return found, list(refused.items())


def _pairs(access: Access) -> Iterator[tuple[SSAValue, SSAValue]]:
    for level in format_of(access.tensor.type).levels:
        expression = level.expression
        if expression.other is not None:
            yield access.indices[expression.dimension], access.indices[expression.other]


def _choose(
    pair: tuple[SSAValue, SSAValue],
    group: list[Access],
    found: Iterable[Diagonal],
    others: Iterable[tuple[SSAValue, SSAValue]],
) -> Diagonal | str:
    """The diagonal of a pair of variables, or why there is none."""
    if any(isinstance(access, AssignOp) for access in group):
        return "results by diagonals are not written"
    if pair[0] is pair[1] or any(forall_of(variable) is None for variable in pair):
        return "its variables are not those of two loops"
    if any(diagonal.followed in pair for diagonal in found):
        return "one of its variables follows from another diagonal"
    inner = _inner_of(pair)
    format = format_of(group[0].tensor.type)
    followed = [index for n, index in enumerate(group[0].indices) if format.follows(n) and index in pair]
    candidates = [*followed, *(variable for variable in pair if variable not in followed)]
    candidates = candidates if inner is None else [inner]
    reason = "both of its variables index other diagonals"
    for variable in candidates:
        if any(variable in other for other in others):
            continue
        problem = _problem(variable, group)
        if problem is None:
            break
        reason = problem
    else:
        return reason
    kept = pair[0] if variable is pair[1] else pair[1]
    if inner is not None and not all(_is_looked_up(access, kept) for access in group):
        return f"the loop over {name_of(kept)} is outside of that over its diagonals"
    if not _acts_on_diagonals(pair, group):
        return "the computed values are not only on its diagonals"
    return Diagonal(*pair, variable, tuple(group))


def _loops(pair: tuple[SSAValue, SSAValue]) -> tuple[ForallOp, ForallOp]:
    """The loops over two variables, the outer one first."""
    first, second = (loop for variable in pair if (loop := forall_of(variable)) is not None)
    return (first, second) if first.is_ancestor(second) else (second, first)


def _inner_of(pair: tuple[SSAValue, SSAValue]) -> SSAValue | None:
    """The inner one of two loop variables, or None where only loops are between the two."""
    loop, inner = _loops(pair)
    while loop is not inner:
        below = only_forall(loop.body.block)
        if below is None:
            return inner.variable
        loop = below
    return None


def _problem(variable: SSAValue, group: list[Access]) -> str | None:
    """Why a variable cannot be computed from another and the diagonal, if it cannot."""
    loop = forall_of(variable)
    assert loop is not None
    inside = operations_in(loop.body, ForallOp)
    if loop.bounds or loop.attributes or any(variable in range_sources(one.variable) for one in inside):
        return f"a schedule has changed the loop over {name_of(variable)}"
    for use in variable.uses:
        access = use.operation
        if not isinstance(access, AccessOp | AssignOp):
            return f"'{access.name}' uses {name_of(variable)}"
        if _in_blocks(access, variable):
            return f"'{name_of(access.tensor)}' is stored in blocks along {name_of(variable)}"
        if not _is_looked_up(access, variable):
            return f"'{name_of(access.tensor)}' is not looked up by {name_of(variable)}"
    return None


def _in_blocks(access: Access, variable: SSAValue) -> bool:
    """Whether a tensor needs a loop over blocks of a variable, which has none where it follows from others."""
    expressions = (level.expression for level in format_of(access.tensor.type).levels)
    blocked = (one.dimension for one in expressions if one.form == "floordiv")
    return needs_splitting(access) and any(access.indices[dimension] is variable for dimension in blocked)


def _is_looked_up(access: Access, variable: SSAValue) -> bool:
    """Whether a tensor is looked up by a variable, and by all that comes after it."""
    format = format_of(access.tensor.type)
    dimensions = [n for n, index in enumerate(access.indices) if index is variable]
    expressions = [level.expression for level in format.levels]
    first = next(n for n, one in enumerate(expressions) if one.form != "minus" and one.dimension in dimensions)
    return all(can_locate(format, level) for level in range(first, len(expressions)))


def _acts_on_diagonals(pair: tuple[SSAValue, SSAValue], group: list[Access]) -> bool:
    """Whether everything stored has a constant value where none of the accesses has an entry."""
    _, inner = _loops(pair)
    return all(value_without(store.value, lambda read: read in group) is not None for store in stores_out_of(inner))
