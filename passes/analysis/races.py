"""Whether the iterations of a forall may run at the same time: what they write that is not their own.

Source: Kjolstad 2020, section 6.4; an iteration's own are components that its variable indexes, and temporaries inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, TensorType
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import AskedBy, UserError
from irtensor.dialects.algebra.algebra import find_operator
from irtensor.dialects.algebra.order_of_sums import keeps_order, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, WhereOp
from irtensor.dialects.concrete_index.index_loops import binder_of
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.expect import expect
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    can_locate,
    enclosing_variables,
    last_append_level,
    level_variables,
    name_of,
    needs_splitting,
)
from irtensor.passes.analysis.ranges import covered_by, forall_of, sources
from irtensor.passes.support.operations_in import operations_in

# Attribute of loops whose iterations may run at the same time: how they keep out of each other's way.
PARALLEL = "parallel"
AUTOMATIC = StringAttr("automatic")
# Attribute beside it where a schedule chose the loop: its variable, which loops over positions are not named after.
OVER = "over"
# Attribute of loops whose parts have to be windows of coordinates: no two parts then have iterations of one coordinate.
WINDOWS = "windows"
# Attribute of loops that says how many threads of a GPU share an iteration.
TEAM = "team"
TEMPORARY, ATOMICS = StringAttr("temporary"), StringAttr("atomics")

Conflict = Literal["reduction", "repeated", "append", "segment", "set"]


class Race(NamedTuple):
    """A store that iterations of a loop would make to the same element, and why, as a clause."""

    conflict: Conflict
    store: AssignOp
    reason: str


def races_of(loop: ForallOp) -> Iterator[Race]:
    """The stores inside a loop that keep its iterations from running at the same time."""
    variable = loop.variable
    repeated = repeating_access(loop)
    stores = [access for access in accesses_in(loop.body.block) if isinstance(access, AssignOp)]
    shared = [store for store in stores if not _is_private(store.tensor, loop)]
    for store in shared:
        race = _race(store, variable, repeated) or _race_of_several(store, variable, shared)
        if race is not None:
            yield race


def _race(store: AssignOp, variable: SSAValue, repeated: AccessOp | None) -> Race | None:
    name, index = name_of(store.tensor), name_of(variable)
    format = format_of(store.tensor.type)
    if any(level.format.workspace is not None for level in format.levels):
        return Race("set", store, f"all iterations put entries into '{name}'")
    if variable not in covered_by(store.indices, _around(store.tensor)):
        reason = f"{index} does not index '{name}', so that iterations store into the same component"
        return Race("reduction", store, reason)
    if repeated is not None:
        other = name_of(repeated.tensor)
        reason = f"'{other}' may store a coordinate of {index} several times, each an iteration that stores into "
        reason += f"'{name}'"
        return Race("repeated", store, reason)
    level = _shared_segments(store, variable)
    if level is not None:
        text = format.level_text(level)
        reason = f"an iteration may begin within a segment of level {level} ({text}) of '{name}', which says where "
        reason += "each ends"
        return Race("segment", store, reason)
    level = last_append_level(format)
    if level is not None:
        text = format.level_text(level)
        return Race("append", store, f"level {level} ({text}) of '{name}' is appended to in order")
    return None


def _race_of_several(store: AssignOp, variable: SSAValue, stores: Sequence[AssignOp]) -> Race | None:
    """Several stores into a tensor keep apart if a variable is in the same dimensions of all of them: not where one
    stores into `y[i]` and another one into `y[j]`."""
    accessed = {tuple(other.indices) for other in stores if other.tensor is store.tensor}
    if len(accessed) == 1:
        return None
    around = list(_around(store.tensor))
    same = [indices[0] for indices in zip(*accessed, strict=True) if len(set(indices)) == 1]
    if variable in covered_by(same, around):
        return None
    its = [{n for n, one in enumerate(indices) if variable in covered_by((one,), around)} for indices in accessed]
    if set[int].intersection(*its):
        return None
    name, index = name_of(store.tensor), name_of(variable)
    reason = f"{index} indexes other dimensions of '{name}' in other stores, so that iterations store into the same "
    return Race("reduction", store, reason + "component")


def _shared_segments(store: AssignOp, variable: SSAValue) -> int | None:
    """A level that is appended to and whose segments iterations share: the indices above do not tell them apart."""
    if needs_splitting(store):
        return None  # asked again when its blocks are loops
    indices, format = level_variables(store), format_of(store.tensor.type)
    loop = forall_of(variable)
    for number, level in enumerate(format.levels):
        if not level.format.properties.has_positions or can_locate(format, number):
            continue
        parents = [forall_of(source) for index in indices[:number] for source in sources(index)]
        within = [parent for parent in parents if parent is not None and loop is not None and loop.is_ancestor(parent)]
        if within and variable not in covered_by(indices[:number]):
            return number
    return None


def _around(tensor: SSAValue) -> Iterator[SSAValue]:
    """The variables around the statement that a tensor is the temporary of."""
    binder = tensor.owner.parent_op() if isinstance(tensor.owner, Block) else None
    return iter(()) if binder is None else enclosing_variables(binder)


def _is_private(tensor: SSAValue, loop: ForallOp) -> bool:
    """Whether a tensor is a temporary that every iteration has anew."""
    return isinstance(tensor.owner, Block) and loop.is_ancestor(tensor.owner)


def repeating_access(loop: ForallOp) -> AccessOp | None:
    """An operand with a level over the loop's variable that may hold a coordinate several times."""
    for access in accesses_in(loop.body.block):
        if isinstance(access, AccessOp):
            levels = format_of(access.tensor.type).levels
            by_dimension = needs_splitting(access)
            for number, level in enumerate(levels):
                if level.format.unique:
                    continue
                index = access.indices[level.expression.dimension] if by_dimension else level_variables(access)[number]
                if sources(index) == frozenset((loop.variable,)):
                    return access
    return None


def is_independent(loop: ForallOp) -> bool:
    """Whether no iteration of a loop stores what another one reads or stores: entries that are appended aside.

    Memory that an iteration empties for itself is the same memory in the next one.
    """
    temporaries = [where.producer.block.args[0] for where in operations_in(loop.body, WhereOp)]
    if any(expect(one.type, TensorType).shape.data for one in temporaries):
        return False
    if any(race.conflict != "append" for race in races_of(loop)):
        return False
    stores = [access for access in accesses_in(loop.body.block) if isinstance(access, AssignOp)]
    reads = [access for access in accesses_in(loop.body.block) if isinstance(access, AccessOp)]
    return all(
        tuple(read.indices) == tuple(store.indices)
        for store in stores
        for read in reads
        if read.tensor is store.tensor and read.indices
    )


def has_windows(loop: ForallOp) -> bool:
    """Whether the entries of a window of the loop's coordinates can be searched in all operands, which are in order."""
    if loop.bounds:
        return False
    for access in accesses_in(loop.body.block):
        for level, index in zip(format_of(access.tensor.type).levels, level_variables(access), strict=False):
            if loop.variable in sources(index) and (index is not loop.variable or not level.format.ordered):
                return False
    return True


def is_scalar(store: AssignOp) -> bool:
    """Whether a store is into a number instead of a component of an array."""
    assert isinstance(store.tensor.type, TensorType)
    return not store.tensor.type.shape.data


def refusal(race: Race, strategy: str, deterministic: bool = False) -> str | None:
    """Why iterations that meet in a store cannot do so by a strategy, as a clause; None if they can.

    To be deterministic, what they combine may not depend on which of them comes first.
    """
    if race.conflict == "append" or (race.conflict in _MEETING and strategy == "ignore"):
        return None
    if race.conflict not in _MEETING or strategy == "none":
        return ""
    store = race.store
    format = format_of(store.tensor.type)
    if not format.is_dense:
        return f"and '{name_of(store.tensor)}' is not dense, but {format}"
    return _refused_if_dense(store, strategy, deterministic)


def _refused_if_dense(store: AssignOp, strategy: str, deterministic: bool = False) -> str | None:
    """The same for a store into a dense tensor, by a strategy that combines what iterations store."""
    if store.operator is None:
        return "and the last stored value stays"
    assert isinstance(store.operator, StringAttr | SymbolRefAttr)
    operator, element = find_operator(store.operator, store), element_name(store.value.type)
    if not (operator.associative and operator.commutative):
        return f"and its operator '{operator.name}' is not associative and commutative"
    if rounds(operator, element) and keeps_order(store):
        return _KEPT_ORDER
    if rounds(operator, element) and deterministic and strategy == "atomics":
        return _BY_CHANCE
    if strategy == "atomics" and not is_scalar(store):
        return "and a complex number is two words, which change one by one" if element.startswith("complex") else None
    if operator.identity(element) is None:
        return f"and its operator '{operator.name}' has no identity that a part could begin with"
    return None


def strategy_at(store: AssignOp) -> StringAttr | None:
    """How iterations of a parallel loop around a store meet in it, by one of two strategies; None if they do not."""
    loop = store.parent_op()
    while loop is not None and PARALLEL not in loop.attributes:
        loop = loop.parent_op()
    if not isinstance(loop, ForallOp):
        return None
    mark = loop.attributes[PARALLEL]
    chosen = next((one for one in (TEMPORARY, ATOMICS) if mark in (one, AUTOMATIC)), None)
    if chosen == ATOMICS and element_name(store.value.type).startswith("complex"):
        # Into a number: into components of an array it has been refused.
        chosen = TEMPORARY
    return chosen if store in meeting_stores(loop) else None


def meeting_stores(loop: ForallOp) -> list[AssignOp]:
    """The stores in which iterations of a loop reach components that other iterations reach as well."""
    meeting = ("reduction",) if WINDOWS in loop.attributes else _MEETING
    return [race.store for race in races_of(loop) if race.conflict in meeting]


def is_marked(loop: ForallOp) -> bool:
    return PARALLEL in loop.attributes


def unmark(loop: Operation) -> None:
    """Let a loop be one that is divided no more."""
    for name in (PARALLEL, OVER):
        loop.attributes.pop(name, None)


def check_races(loop: ForallOp, strategy: str, deterministic: bool = False) -> None:
    """Raise UserError [parallel-race] if iterations of a loop would meet in a way that the strategy does not allow for.

    Other passes may have put workspaces around a loop since it was marked, so it is checked again before it is lowered.
    """
    for race in races_of(loop):
        reason = refusal(race, strategy, deterministic)
        if reason is not None:
            more = f", {reason}" if reason else ""
            message = f"the loop over {name_of(loop.variable)} cannot be parallel: {race.reason}{more}"
            help = _without_the_race(race, strategy, reason)
            asked_by = AskedBy(("parallelize",), name_of(loop.variable))
            raise UserError("parallel-race", message, op=race.store, help=help, asked_by=asked_by)


def _without_the_race(race: Race, strategy: str, reason: str) -> str:
    """What takes away that a store is refused."""
    store = race.store
    if reason in _HELP_BY_REASON:
        return _HELP_BY_REASON[reason]
    if race.conflict == "set":
        return ", or ".join(_with_another_temporary(store)) or LEAVE_OUT
    combined = "temporary" if strategy == "none" else strategy
    if race.conflict not in _MEETING or format_of(store.tensor.type).is_dense or _refused_if_dense(store, combined):
        return LEAVE_OUT
    if not isinstance(binder_of(store.tensor), ComputeOp):
        return ", or ".join(_with_another_temporary(store)) or LEAVE_OUT
    dense = f"store '{name_of(store.tensor)}' dense"
    return dense if combined == strategy else f"{dense} and say races={combined}"


def _with_another_temporary(store: AssignOp) -> Iterator[str]:
    """Each thread has one of its own, or it is shared; those that no step has made cannot be changed."""
    where, compute = binder_of(store.tensor), innermost_around(store, ComputeOp)
    outer = None if where is None else innermost_around(where, ForallOp)
    while outer is not None and (further := innermost_around(outer, ForallOp)) is not None:
        outer = further
    if outer is not None and all(refusal(race, "none") is None for race in races_of(outer)):
        yield f"parallelize {name_of(outer.variable)}"
    if compute is not None and compute.scheduled is not None and StringAttr("precompute") in compute.scheduled.data:
        yield f"have '{name_of(store.tensor)}' dense (format= of precompute)"


# What helps against any refusal of a step.
LEAVE_OUT = "omit the step"
_KEPT_ORDER = "and floating-point sums keep their order (strict_fp)"
_BY_CHANCE = "and threads combine floating-point numbers as they come, with other bits each time (deterministic)"
_HELP_BY_REASON = {
    _KEPT_ORDER: "omit strict_fp, and sums are added up in parts",
    _BY_CHANCE: "omit deterministic",
}
# Conflicts in which several iterations store into the same component.
_MEETING = ("reduction", "repeated")
