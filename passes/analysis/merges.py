"""Which loops can gallop: those over ordered lists, where every list needs an entry for anything to happen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from irtensor.core.diagnostics import AskedBy, Note, UserError
from irtensor.core.level_format import LevelFormat
from irtensor.core.schedule_words import GALLOP
from irtensor.dialects.concrete_index.concrete_index import AccessOp, ComputeOp, ForallOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    level_variables,
    loop_name,
    name_of,
    needs_splitting,
    whole_variable,
)
from irtensor.passes.analysis.lattice_points import acts_without
from irtensor.passes.support.operations_in import operations_in

# Attribute of loops that a schedule sets: how they merge several lists.
MERGE = "merge"
_STAY = "omit the step, or write merge({}, linear)"


def is_searched(level: LevelFormat) -> bool:
    """Whether a level is a list in which a later coordinate is searched from where the loop is, once it is in order."""
    return level.properties.has_coordinates and not (level.access.inserts or level.pattern.structured)


def gallops(op: ForallOp) -> bool:
    merge = op.attributes.get(MERGE)
    return merge is not None and merge == StringAttr(GALLOP)


def check_needed(loop: ForallOp) -> None:
    """Refuse a loop that does something where one of its operands has no entry: every list would have to be walked.

    Raises UserError [illegal-merge].
    """
    for access in _reads(loop):
        if not _is_full(access, loop.variable) and acts_without(loop.body.block, [access.tensor]):
            raise not_needed(loop_name(loop.variable), name_of(access.tensor), access)


def check_lists(compute: ComputeOp) -> None:
    """Refuse loops that are to gallop and do not have two lists, in the form in which they are lowered.

    Of a variable that is split where operands are stored in blocks, one of the loops has to have them.
    Raises UserError [illegal-merge].
    """
    marked: dict[SSAValue, list[ForallOp]] = {}
    for loop in operations_in(compute, ForallOp):
        if gallops(loop):
            marked.setdefault(whole_variable(loop.variable), []).append(loop)
    for variable, loops in marked.items():
        if not any(len(_lists(loop)) > 1 for loop in loops):
            loop = max(loops, key=lambda loop: len(_lists(loop)))
            raise _too_few(name_of(variable), loop, [*_levels(loop)])


def not_needed(variable: str, tensor: str, op: Operation) -> UserError:
    return UserError(
        "illegal-merge",
        f"merge: loop {variable} cannot gallop, because it also does something where '{tensor}' has no entry: every "
        "entry of the others is visited anyway",
        op=op,
        help=f"{_STAY.format(variable)}; products gallop, because each of their operands needs an entry",
        asked_by=AskedBy(("merge",), variable),
    )


def other_list(variable: str, op: Operation) -> UserError:
    """The error for a loop that has lists besides, in which nothing is searched."""
    return UserError(
        "illegal-merge",
        f"merge: loop {variable} cannot gallop, because it also iterates over a level that is walked entry by entry",
        op=op,
        help=_STAY.format(variable),
        asked_by=AskedBy(("merge",), variable),
    )


def _too_few(variable: str, loop: ForallOp, levels: list[tuple[AccessOp, int]]) -> UserError:
    texts: list[str] = []
    others: list[AccessOp] = []
    for access, number in levels:
        format, how = format_of(access.tensor.type), "is a list"
        if not is_searched(format.levels[number].format):
            others.append(access)
            how = "finds any coordinate at once"
        texts.append(f"level {number} ({format.level_text(number)}) of '{name_of(access.tensor)}' {how}")
    stored = f"store '{name_of(others[0].tensor)}' with a compressed level for {variable}, or " if others else ""
    return UserError(
        "illegal-merge",
        f"merge: loop {variable} cannot gallop, because it does not have two lists: "
        + (", ".join(dict.fromkeys(texts)) or "no operand is indexed by it"),
        op=loop,
        notes=[Note(f"'{name_of(one.tensor)}' is read as {format_of(one.tensor.type)}", op=one) for one in others],
        help=stored + _STAY.format(variable),
        asked_by=AskedBy(("merge",), variable),
    )


def _reads(loop: ForallOp) -> Iterable[AccessOp]:
    accesses = accesses_in(loop.body.block)
    return [access for access in accesses if isinstance(access, AccessOp) and loop.variable in access.indices]


def _levels(loop: ForallOp) -> Iterator[tuple[AccessOp, int]]:
    """The levels of operands that a loop's variable indexes."""
    for access in _reads(loop):
        yield from ((access, number) for number, index in enumerate(level_variables(access)) if index is loop.variable)


def _lists(loop: ForallOp) -> set[tuple[SSAValue, tuple[SSAValue, ...]]]:
    """The different lists that a loop iterates over."""
    found: set[tuple[SSAValue, tuple[SSAValue, ...]]] = set()
    for access, number in _levels(loop):
        if is_searched(format_of(access.tensor.type).levels[number].format):
            found.add((access.tensor, tuple(level_variables(access)[: number + 1])))
    return found


def _is_full(access: AccessOp, variable: SSAValue) -> bool:
    """Whether the levels that a variable indexes have all coordinates."""
    format = format_of(access.tensor.type)
    if needs_splitting(access):
        dimension = list(access.indices).index(variable)
        levels = [level for level in format.levels if level.expression.dimension == dimension]
    else:
        levels = [format.levels[number] for number, index in enumerate(level_variables(access)) if index is variable]
    return all(level.format.pattern.full for level in levels)
