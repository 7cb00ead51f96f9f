"""Which entries of an operand a loop, or fused loops, iterate over, so that they can be counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.core.numbered_dimensions import NotNumbered, dimensions_in_order, numbered_dimensions
from irtensor.core.storage_levels import Level
from irtensor.dialects.concrete_index.concrete_index import AccessOp, ForallOp
from irtensor.dialects.concrete_index.index_ranges import EntryCountOp, EntryOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    enclosing_variables,
    level_variables,
    name_of,
    needs_splitting,
)
from irtensor.passes.analysis.ranges import forall_of, only_forall, range_sources
from irtensor.passes.concrete_index.support.loop_ranges import FOLLOWS, FUSED, POSITIONS, step_name
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import is_argument, operations_in


def counted_entries(nest: Sequence[ForallOp]) -> str | None:
    """The operand whose entries a step `pos` lets loops count; None on a side of a temporary that does not read it."""
    counted = nest[0].attributes.get(POSITIONS)
    return counted.data if isinstance(counted, StringAttr) and _reads(nest, counted.data) else None


def those_that_read(nests: Sequence[Sequence[ForallOp]], tensor: str | None) -> Sequence[Sequence[ForallOp]]:
    """The nests that bind an index of an operand, by default of the one whose entries are counted; all if none does."""
    found = [nest for nest in nests if (counted_entries(nest) if tensor is None else _reads(nest, tensor))]
    return found or nests


def _reads(nest: Sequence[ForallOp], tensor: str) -> bool:
    variables = {loop.variable for loop in nest}
    found = (access for access in accesses_in(nest[-1].body.block) if name_of(access.tensor) == tensor)
    return any(variables.intersection(access.indices) for access in found)


class _Problem(NamedTuple):
    """Why entries cannot be counted, and what to do about that."""

    reason: str
    help: str = ""


class EntriesRefused(UserError):
    """Entries of an operand cannot be counted; those of `others` may be, or the alternative `otherwise`."""

    first: str = ""
    others: tuple[str, ...] = ()
    otherwise: str = ""

    def help_with(self, others: Sequence[str]) -> str:
        """The help that names some of the other operands."""
        instead = f"name {' or '.join(others)}" if others else self.otherwise
        return f"{self.first}, or {instead}" if self.first else instead


class Entries(NamedTuple):
    """The entries of an operand below the coordinates of `prefix`, which are those of levels, or of dimensions."""

    tensor: SSAValue
    prefix: tuple[SSAValue, ...]
    by_dimension: bool = False

    def counted(self, levels: int, emit: Emitter, before: Sequence[SSAValue] = ()) -> SSAValue:
        return emit.insert(EntryCountOp.of(self.tensor, self.prefix, levels, before, self.by_dimension)).result

    def at(self, number: SSAValue, levels: int, emit: Emitter, between: Sequence[SSAValue] = ()) -> list[SSAValue]:
        """The coordinates of the entry with a number."""
        found = EntryOp.of(self.tensor, self.prefix, number, levels, between, self.by_dimension)
        return list(emit.insert(found).coordinates)


def entries_of(nest: Sequence[ForallOp], step: str, tensor: str) -> Entries:
    """The operand whose entries are counted, below the variables of what it is stored by above the nest's.

    Raises UserError [illegal-split] if the nest does not iterate over them, or they have no numbers.
    """
    found = _find(nest, tensor)
    if isinstance(found, _Problem):
        error = EntriesRefused("illegal-split", f"{step}: {found.reason}", op=nest[0])
        error.first, error.others = found.help, tuple(_operands_with_entries(nest))
        error.otherwise = _instead(nest, step, tensor)
        error.help = error.help_with(error.others)
        raise error
    return found


def stores_all(nest: Sequence[ForallOp], tensor: str) -> bool:
    """Whether the entries of an operand that a nest iterates over are its coordinates."""
    found = _find(nest, tensor)
    if isinstance(found, _Problem):
        return False
    format, first = format_of(found.tensor.type), len(found.prefix)
    if found.by_dimension:
        dimensions = dimensions_in_order(format)[first : first + len(nest)]
        return _all_full([level for level in format.levels if level.expression.dimension in dimensions])
    return _all_full(format.levels[first : first + len(nest)])


def refused_cut(step: str, nest: Sequence[ForallOp], problem: str, help: str) -> UserError:
    return UserError("illegal-split", f"{step}: {problem}", op=nest[0], help=help)


def _operands_with_entries(nest: Sequence[ForallOp]) -> list[str]:
    """The operands whose entries a nest iterates over, which are not its coordinates."""
    names = dict.fromkeys(name_of(access.tensor) for access in _operands_in(nest))
    return [name for name in names if not (isinstance(_find(nest, name), _Problem) or stores_all(nest, name))]


def _operands_in(nest: Sequence[ForallOp]) -> Iterator[AccessOp]:
    for access in accesses_in(nest[-1].body.block):
        if isinstance(access, AccessOp) and is_argument(access.tensor):
            yield access


def _find(nest: Sequence[ForallOp], tensor: str) -> Entries | _Problem:
    variables = [loop.variable for loop in nest]
    for access in _operands_in(nest):
        if name_of(access.tensor) != tensor:
            continue
        indices = _counted_indices(access)
        first = next((k for k in range(len(indices)) if indices[k : k + len(variables)] == variables), None)
        if first is not None:
            entries = Entries(access.tensor, tuple(indices[:first]), needs_splitting(access))
            return _problem_of_levels(access, first, nest) or entries
    names = ", ".join(map(name_of, variables))
    return _Problem(f"no operand '{tensor}' has {names} as the indices of consecutive levels")


def _counted_indices(access: AccessOp) -> list[SSAValue]:
    """The variables of what entries are counted along, outermost first: levels, or dimensions that are in blocks."""
    if needs_splitting(access):
        return [access.indices[dimension] for dimension in dimensions_in_order(format_of(access.tensor.type))]
    return level_variables(access)


def _counted_levels(access: AccessOp, first: int, count: int) -> range | _Problem:
    if not needs_splitting(access):
        return range(first, first + count)
    format = format_of(access.tensor.type)
    found = numbered_dimensions(format, first, count)
    if isinstance(found, NotNumbered):
        text = f"'{name_of(access.tensor)}' {found.problem}"
        if found.level is not None:
            text = f"level {found.level} ({format.level_text(found.level)}) of {text}"
        return _Problem(f"{text}", "convert the operand to a format without blocks")
    return range(found[0].levels.start, found[-1].levels.stop)


def _problem_of_levels(access: AccessOp, first: int, nest: Sequence[ForallOp]) -> _Problem | None:
    format, tensor, indices = format_of(access.tensor.type), name_of(access.tensor), _counted_indices(access)
    counted = _counted_levels(access, first, len(nest))
    if isinstance(counted, _Problem):
        return counted
    level = counted[-1]
    if format.levels[level].format.pattern.full and not _all_full(format.levels[level + 1 :]):
        problem = f"level {level} ({format.level_text(level)}) of '{tensor}' stores every coordinate"
        return _Problem(problem, _fused_with(access, first, nest))
    for number in counted:
        level_format, text = format.levels[number].format, f"level {number} ({format.level_text(number)}) of '{tensor}'"
        if not level_format.properties.numbers_entries:
            return _Problem(f"entries of {text} have no numbers", "convert the operand to compressed levels")
        if (not level_format.ordered or level_format.access.inserts) and not level_format.pattern.full:
            return _Problem(f"entries of {text} are not in order", "convert the operand to an ordered list")
    return _problem_of_order(indices[:first], nest, tensor)


def _all_full(levels: Sequence[Level]) -> bool:
    return all(level.format.pattern.full for level in levels)


def _problem_of_order(indices: Sequence[SSAValue], nest: Sequence[ForallOp], tensor: str) -> _Problem | None:
    """The entries are those below one coordinate of each level above."""
    outside = list(enclosing_variables(nest[0]))
    above = next((variable for variable in indices if variable not in outside), None)
    if above is None:
        return None
    names = _names_to_move(above, outside)
    problem = f"loop {name_of(above)} is inside, but '{tensor}' has it on the level above"
    outward = f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} outside"
    return _Problem(problem, f"reorder the loops so that {outward}")


def _fused_with(access: AccessOp, first: int, nest: Sequence[ForallOp]) -> str:
    """The help to fuse loops with the one inside, if that is over the next index, may be fused, and has entries."""
    inner, following = only_forall(nest[-1].body.block), _counted_indices(access)[first + len(nest) :]
    if inner is None or not following or inner.variable is not following[0] or FUSED in nest[0].attributes:
        return ""
    if range_sources(inner.variable).intersection(loop.variable for loop in nest):
        return ""
    fused = _problem_of_levels(access, first, [*nest, inner])
    if fused is not None and not fused.help.startswith("fuse it"):
        return ""
    return f"fuse it with {name_of(inner.variable)}, the loop inside"


def _names_to_move(variable: SSAValue, outside: Sequence[SSAValue]) -> list[str]:
    """The loops that go outside so that one does: a loop over an offset in a block follows those that give the
    offset."""
    loop = forall_of(variable)
    if loop is not None and FOLLOWS in loop.attributes:
        return sorted(name_of(one) for one in range_sources(variable) if one not in outside)
    return [name_of(variable)]


def _instead(nest: Sequence[ForallOp], step: str, tensor: str) -> str:
    """What may be counted where no other operand has entries: those of this one in a loop inside, or coordinates."""
    coordinates = "omit the step" if step == "pos" else "omit tensor="
    if counted_entries(nest) == tensor and step != "pos":
        coordinates = "let coord count coordinates before"
    within = _counted_within(nest, tensor)
    return coordinates if within is None else f"name {within}, the loop over coordinates within, or {coordinates}"


def _counted_within(nest: Sequence[ForallOp], tensor: str) -> str | None:
    """The loop along the entries of an operand in a block that other loops count, or at an offset of one."""
    own, found = {loop.variable for loop in nest}, dict[str, list[ForallOp]]()
    if _reads(nest, tensor):
        return None
    for loop in operations_in(nest[-1].body, ForallOp):
        if own & range_sources(loop.variable):
            found.setdefault(step_name(loop), []).append(loop)
    return next((name for name, loops in found.items() if not isinstance(_find(loops, tensor), _Problem)), None)
