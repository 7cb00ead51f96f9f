"""What the looplet rewrites share: taking a coiterate apart, and replacing it by smaller ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, TypeVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    JumperOp,
    LookupOp,
    LoopletType,
    RunOp,
    SequenceOp,
    SpikeOp,
    StepperOp,
    SwitchOp,
    ThunkOp,
    UnfurlOp,
    looplet_payload,
    yielded,
)
from irtensor.dialects.storage.storage import FiberType
from irtensor.dialects.support.create_operation import clone_operation, create_region, erase_operation, replace_value
from irtensor.passes.iteration_lattice.support.known_values import Known, is_entry, known_value
from irtensor.passes.iteration_lattice.support.probe import Probe, probe
from irtensor.passes.iteration_lattice.support.specialize import Copier, held_payload
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of

_Op = TypeVar("_Op", bound=Operation)
Rewrite = Callable[[CoiterateOp], bool]
# How many loops may become of one that is copied for cases, before a single one serves several cases by selects. LLVM
# takes 5 to 10 ms for each, and longer still where there are hundreds in a function.
MOST_LOOPS = 96


def nests_of(op: CoiterateOp, looplet: type[_Op]) -> list[tuple[int, _Op]]:
    """The nests of a coiterate that are of one kind, with their numbers."""
    found: list[tuple[int, _Op]] = []
    for number, nest in enumerate(op.nests):
        owner = nest.owner
        if isinstance(owner, looplet):
            found.append((number, owner))
    return found


# Which nests of a loop are rewritten first: code and constants before choices, choices before loops, because what cuts
# a range into smaller ones must find every operand in a form that can be cut (Ahrens 2024, figure 9).
PRIORITY: tuple[type[Operation], ...] = (
    UnfurlOp,
    ThunkOp,
    RunOp,
    SwitchOp,
    SequenceOp,
    JumperOp,
    StepperOp,
    SpikeOp,
    LookupOp,
)


def waits_for_others(op: CoiterateOp, looplet: type[Operation]) -> bool:
    """Whether nests remain that have to be rewritten before those of this kind; runs can be cut as they are."""
    earlier = PRIORITY[: PRIORITY.index(looplet)]
    return any(type(nest.owner) in earlier and not isinstance(nest.owner, RunOp) for nest in op.nests)


def rewrite_all(module: ModuleOp, rewrite: Rewrite) -> None:
    """Apply a rewrite to every coiterate, outer ones first, until it applies to none."""
    changed = True
    while changed:
        changed = False
        for op in operations_in(module, CoiterateOp):
            if op.parent is not None and _is_attached(op, module):
                changed |= rewrite(op)


def _is_attached(op: Operation, module: ModuleOp) -> bool:
    ancestor: Operation | None = op
    while ancestor is not None and ancestor is not module:
        ancestor = ancestor.parent_op()
    return ancestor is module


def probe_with(
    op: CoiterateOp,
    nests: Sequence[SSAValue],
    at_entries: Collection[int] = (),
    in_gaps: Mapping[int, Known] = {},
) -> Probe:
    """What the body would do with these nests; a value that is not a looplet is a payload that holds everywhere.

    The nests numbered in `at_entries` are where they have an entry, those in `in_gaps` where they have none and read as
    what it says, the others there or in a gap.
    """
    payloads: dict[SSAValue, Known] = {}
    sources: dict[SSAValue, SSAValue] = {}
    present: list[SSAValue] = []
    entries: list[SSAValue] = []
    for number, (argument, nest) in enumerate(zip(op.body.block.args[1:], nests, strict=True)):
        payload = held_payload(nest)
        value = in_gaps.get(number, None if payload is None else known_value(payload))
        if value is not None:
            payloads[argument] = value
            if payload is not None and number not in in_gaps and is_entry(payload):
                entries.append(argument)
        elif number in at_entries:
            present.append(argument)
        elif payload is None or isinstance(nest.owner, RunOp):
            sources[argument] = nest
    return probe(op.body.block, payloads, sources, present, entries)


class Facts(NamedTuple):
    """Facts about the range of a loop and about its lists: properties of a coiterate."""

    unit: bool = False
    full: bool = False
    entered: bool = False
    live: Sequence[int] | None = None


UNIT = Facts(unit=True)
_NOTHING_KNOWN = Facts()


def facts_of(op: CoiterateOp) -> Facts:
    """The known facts about the range of a loop and about its lists."""
    live = None if op.live is None else [number.data for number in op.live.data]
    return Facts(op.unit is not None, op.full is not None, op.entered is not None, live)


def emit_coiterate(
    emit: Emitter,
    body: Block,
    lo: SSAValue,
    hi: SSAValue,
    nests: Sequence[SSAValue],
    facts: Facts = _NOTHING_KNOWN,
    *,
    last: bool = False,
) -> bool:
    """Emit a coiterate with a copy of `body`, simplified by the runs among the nests; says whether it does anything.

    A nest that is not a looplet is a payload that holds everywhere. With `last` the body is not needed any more. The
    tags of the loop that has the body are kept.
    """
    copier = Copier({}, moves=last)
    kept: list[SSAValue] = []
    renumbered: dict[int, int] = {}
    for number, (nest, argument) in enumerate(zip(nests, body.args[1:], strict=True)):
        payload = copier.constant_payload(nest, emit)
        if payload is None:
            renumbered[number] = len(kept)
            kept.append(nest)
        else:
            copier.mapping[argument] = payload
    if facts.unit and not kept:
        copier.mapping[body.args[0]] = lo
        return copier.statements(body, emit)
    block, effect = copier.region(body, kept)
    if effect:
        new = emit.insert(CoiterateOp.of(lo, hi, kept, create_region(block), unit=facts.unit, full=facts.full))
        source = body.parent_op()
        if isinstance(source, CoiterateOp):
            new.location = source.location
            if not facts.unit:
                new.attributes.update(source.attributes)
                new.window = source.window
                new.merge = source.merge
            new.copies = source.copies
        if facts.entered and not facts.unit and any(map(_may_have_cursors, kept)):
            new.entered = UnitAttr()
        if facts.live is not None:
            new.live = ArrayAttr([IntAttr(renumbered[number]) for number in facts.live if number in renumbered])
    return effect


def _may_have_cursors(nest: SSAValue) -> bool:
    return not isinstance(nest.owner, RunOp | LookupOp | SpikeOp)


def has_windows(op: CoiterateOp) -> bool:
    """Whether another loop over a window is inside: it may need only a part of the fiber below a coordinate, and this
    loop may visit the same coordinates again for other parts."""
    return any(inner.window is not None for inner in operations_in(op.body, CoiterateOp))


def exceeds_most_loops(op: CoiterateOp, cases: int) -> bool:
    """Whether a copy of a loop, with those inside it, for each of some cases would be too many loops."""
    inside = sum(inner.unit is None for inner in operations_in(op.body, CoiterateOp))
    return op.number_of_copies * cases * (1 + inside) > MOST_LOOPS


def count_copies(blocks: Sequence[Block]) -> None:
    """Note in loops how many copies there are of them: one in each of these blocks, if it has any code."""
    count = sum(block.first_op is not None for block in blocks)
    for inner in [inner for block in blocks for inner in operations_in(block, CoiterateOp)] if count > 1 else ():
        inner.copies = IntAttr(inner.number_of_copies * count)


def replace(op: CoiterateOp, block: Block) -> None:
    """Put the operations of `block` in place of the coiterate."""
    move_before(block, op)
    nests = list(op.nests)
    erase_operation(op)
    for nest in nests:
        erase_unused(nest)


def erase_unused(value: SSAValue) -> None:
    """Erase a looplet operation that nothing uses any more, and those it was made of."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.parent is not None and not any(result.uses for result in owner.results):
        operands = list(owner.operands)
        erase_operation(owner)
        for operand in operands:
            if operand.owner is not owner and isinstance(operand.type, LoopletType):
                erase_unused(operand)


def inline_region(
    region: Region, arguments: Sequence[SSAValue], emit: Emitter, *, last: bool = False
) -> Sequence[SSAValue]:
    """Copy a looplet's region to the emitter; gives what it yields. With `last` the region is not needed any more."""
    block = region.block
    if last:
        for argument, value in zip(block.args, arguments, strict=True):
            argument.name_hint = None  # the value keeps its own name, if it has one
            replace_value(argument, value)
        emit.take(operations_of(block)[:-1])
        return yielded(region)
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    for op in block.ops:
        if op is not block.last_op:
            emit.insert(clone_operation(op, mapping))
    return [mapping.get(value, value) for value in yielded(region)]


def known_gap(chunk: Region) -> SSAValue | None:
    """The payload of a chunk's gap, when the chunk is a spike and the payload is known."""
    nest = yielded(chunk)[0].owner
    return nest.gap if isinstance(nest, SpikeOp) and known_value(nest.gap) is not None else None


def stand_in(emit: Emitter, nest: SSAValue) -> SSAValue:
    """A run for a nest that has one and whose payload does not matter: of a list's gap, or else of any element."""
    owner = nest.owner
    gap = known_gap(owner.chunk) if isinstance(owner, StepperOp | JumperOp) else None
    if gap is None:
        return emit.insert(RunOp.of(emit.constant(0, looplet_payload(nest)))).result
    assert isinstance(gap.owner, Operation)
    return emit.insert(RunOp.of(emit.insert(clone_operation(gap.owner, {})).results[0])).result


def has_stand_in(nest: SSAValue) -> bool:
    """Whether a run can stand for a nest whose payload does not matter."""
    owner = nest.owner
    is_known = isinstance(owner, StepperOp | JumperOp) and known_gap(owner.chunk) is not None
    return is_known or not isinstance(looplet_payload(nest), FiberType)
