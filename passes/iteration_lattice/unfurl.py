"""`unfurl`: storage formats enter; every level describes its fibers as looplets (Ahrens 2024, section 4)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp, UnitAttr
from xdsl.ir import Block, BlockArgument, SSAValue

from irtensor.core.diagnostics import located_at
from irtensor.core.level_format import LevelFormat
from irtensor.core.schedule_words import GALLOP
from irtensor.core.storage_levels import Level
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.protocols import LOCATE, STEP
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    RunOp,
    ThunkOp,
    UnfurlOp,
    YieldOp,
    looplet_payload,
)
from irtensor.dialects.iteration_lattice.looplets import LookupOp, yielded
from irtensor.dialects.storage.storage import FiberOp, FiberType, FinalizeOp, OptionalFiberOp, RootOp, format_of
from irtensor.dialects.support.create_operation import create_block, create_region, erase_operation, insert_operation
from irtensor.levels.level_codes import level_code
from irtensor.passes.analysis.merges import is_searched, not_needed
from irtensor.passes.iteration_lattice.support.coiteration import nests_of, rewrite_all
from irtensor.passes.iteration_lattice.support.known_values import FILL, Known, fill_payload, known_value
from irtensor.passes.iteration_lattice.support.probe import probe
from irtensor.passes.iteration_lattice.support.repeated_lists import comes_again, searched_lists
from irtensor.passes.iteration_lattice.support.specialize import gap_of
from irtensor.passes.level_formats.interface import Fiber, lookup
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.pass_base import TensorPass, option
from irtensor.passes.support.unordered_error import MERGED, UnorderedError

_index = IndexType()


@dataclass(frozen=True)
class UnfurlPass(TensorPass):
    """Expand every `unfurl` by the level format of its fiber, outermost loops first.

    Before: `%n = unfurl %fiber`, with a compressed level below
    After:  `%n = thunk %fiber { (%begin, %end): ... sequence until %stop nests (stepper ...), (run %fill) }`
    Over a single coordinate a level is located or searched instead of walked. With `gallop`, sorted lists become
    jumpers: in an intersection they search each other's coordinates, which pays where their lengths differ much. They
    do so in any case where one of them is the outermost list of a tensor and comes again in each iteration of a loop:
    to walk along all of it each time would cost the product of the lengths (rows of B in `A[i,k] * B[k,j]`). Where such
    a list meets more than lists that all have to have an entry, it is searched for what leads the loop. In a loop over
    a window, a list is the part of it that lies in the window, found by two searches; none are needed `by_entries`.
    """

    name = "unfurl"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")
    gallop: bool = option("Whether sorted lists search each other's coordinates in every intersection.", False)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lambda coiterate: unfurl(coiterate, self.gallop))


def unfurl(op: CoiterateOp, gallop: bool = False) -> bool:
    """Expand the unfurled nests of one coiterate whose tensors are known; with `gallop`, lists ask to lead.

    The attribute of the loop itself decides (`merge`).
    """
    found = False
    said = None if op.merge is None else op.merge.data
    gallop = said == GALLOP or (said is None and (gallop or comes_again(op)))
    searched = searched_lists(op, acts_without) if said is None else frozenset[int]()
    if said == GALLOP:
        _check_needed(op)
    for number, nest in nests_of(op, UnfurlOp):
        fiber = nest.fiber.type
        assert isinstance(fiber, FiberType)
        block = create_block((_index,) * (2 + format_of(fiber.tensor).bounding_levels(fiber.level.data)))
        emit = Emitter(block)
        tensor = tensor_of(nest.fiber)
        if tensor is None:
            # In a loop that was lowered before, as its iterations are divided for threads, the gaps come to be known.
            found |= known_value(nest.fiber) is FILL and _as_run(op, number, nest)
            continue
        found = True
        format = fiber.level_format
        window = (op.lo, op.hi) if op.window is not None else None
        located = nest.protocol is not None and nest.protocol.data == LOCATE
        level = Fiber(tensor, fiber.level.data, block.args[0], block.args[1], gallop, window, located=located)
        level = level._replace(by_entries=nest.by_entries is not None, path=tuple(block.args[2:]))
        code = level_code(format.name)
        with located_at(nest):
            if format.access.looks_up and op.unit is None and (window is None or not format.pattern.unordered):
                level = level._replace(leads=_leads(op, number, nest, searched))
            if number in searched:
                looplet = lookup(emit, level, code.locate)
            else:
                looplet = code.locate(emit, level, op.lo) if op.unit is not None else code.unfurl(emit, level)
        emit.insert(YieldOp.of(looplet))
        for made in block.ops:
            made.location = nest.location
        thunk = ThunkOp.of(nest.fiber, looplet_payload(nest.result), create_region(block))
        thunk.location = nest.location
        insert_operation(thunk, nest)
        op.operands[2 + number] = thunk.result
        if not nest.result.uses:
            erase_operation(nest)
    if op.window is not None and not any(isinstance(nest.owner, UnfurlOp) for nest in op.nests):
        op.window, op.full, op.entered = None, UnitAttr(), UnitAttr()
    return found


def _as_run(op: CoiterateOp, number: int, nest: UnfurlOp) -> bool:
    """Let a nest of a fiber without entries be the same at every coordinate."""
    block = create_block()
    emit = Emitter(block)
    op.operands[2 + number] = emit.insert(RunOp.of(gap_of(nest, emit))).result
    move_before(block, op)
    if not nest.result.uses:
        erase_operation(nest)
    return True


def _check_needed(op: CoiterateOp) -> None:
    """Refuse to gallop where the loop does something without an entry of one of its lists.

    Two accesses of one operand are two lists here.
    """
    lists = [(number, nest) for number, nest in nests_of(op, UnfurlOp) if is_searched(_level(nest))]
    for number, nest in lists if len(lists) > 1 and op.unit is None else ():
        if acts_without(op, [number]):
            tensor = tensor_of(nest.fiber)
            raise not_needed(op.body.block.args[0].name_hint or "?", getattr(tensor, "name_hint", None) or "?", op)


def _leads(op: CoiterateOp, number: int, nest: UnfurlOp, searched: Collection[int]) -> bool:
    """Whether a loop is to visit the entries of a level that finds any of them: if no list does so anyway, or if it
    is asked for."""
    asked = None if nest.protocol is None else nest.protocol.data
    # Of several without order, the first leads that is below another level: an outermost one comes again, as a whole,
    # in each iteration of the loops around.
    ranks = {k: (_level_of(other) == 0, k) for k, other in _nests(op)}
    lists = [k for k, found in _levels(op) if ranks[k] < ranks[number] and found.format.pattern.unordered]
    lists += [k for k, other in _nests(op) if k != number and k not in searched and _is_walked(other)]
    others_do = any(not acts_without(op, [other]) for other in lists) or (lists and not acts_without(op, lists))
    if asked == LOCATE or (asked is None and others_do):
        return False
    format, level = _format_of(nest), _level_of(nest)
    if not format.levels[level].format.pattern.unordered:
        return True
    # Entries in no order cannot be met by those of a list.
    clash = asked == STEP and others_do
    if not clash and not acts_without(op, [number]):
        return True
    partial = [other for other, found in _levels(op) if not found.format.pattern.full]
    if asked == STEP or not acts_without(op, partial):
        tensor = tensor_of(nest.fiber)
        name = getattr(tensor, "name_hint", None) or "?"
        raise UnorderedError(
            "unordered-merge",
            f"level {level} ({format.level_text(level)}) of '{name}', which is not ordered, {MERGED}",
            tensor,
            MERGED,
            help="convert the operand to a format with a compressed level instead",
        )
    return False


def _is_walked(nest: UnfurlOp | ThunkOp) -> bool:
    """Whether a loop iterates over the entries of a level, though a hash table of a workspace would find any of
    them."""
    properties = _format_of(nest).levels[_level_of(nest)].format.properties
    if properties.workspace != "map":
        return not properties.access.inserts
    if isinstance(nest, ThunkOp):
        return not isinstance(yielded(nest.body)[0].owner, LookupOp)
    return nest.protocol is None or nest.protocol.data != LOCATE


def _levels(op: CoiterateOp) -> list[tuple[int, Level]]:
    """The levels that a loop unfurls, or has unfurled, by the numbers of their nests."""
    return [(number, _format_of(nest).levels[_level_of(nest)]) for number, nest in _nests(op)]


def _nests(op: CoiterateOp) -> list[tuple[int, UnfurlOp | ThunkOp]]:
    """The nests of levels that a loop unfurls, or has unfurled, with their numbers."""
    owners = [(number, nest.owner) for number, nest in enumerate(op.nests)]
    return [(number, owner) for number, owner in owners if isinstance(owner, UnfurlOp | ThunkOp)]


def _level(nest: UnfurlOp) -> LevelFormat:
    return _format_of(nest).levels[_level_of(nest)].format


def _format_of(nest: UnfurlOp | ThunkOp) -> TensorFormat:
    fiber = nest.fiber.type
    assert isinstance(fiber, FiberType)
    return format_of(fiber.tensor)


def _level_of(nest: UnfurlOp | ThunkOp) -> int:
    fiber = nest.fiber.type
    assert isinstance(fiber, FiberType)
    return fiber.level.data


def acts_without(op: CoiterateOp, absent: Collection[int]) -> bool:
    """Whether anything happens at a coordinate at which some nests have no entry."""
    arguments, nests = op.body.block.args[1:], op.nests
    payloads: dict[SSAValue, Known] = {}
    for number in absent:
        level = nests[number].owner
        assert isinstance(level, UnfurlOp | ThunkOp)
        payloads[arguments[number]] = fill_payload(level)
    others: dict[SSAValue, SSAValue] = {a: nest for a, nest in zip(arguments, nests, strict=True) if a not in payloads}
    return probe(op.body.block, payloads, others).effect


def tensor_of(fiber: SSAValue) -> SSAValue | None:
    """The tensor that a fiber belongs to, found through the loops that resolved its outer levels."""
    owner = fiber.owner
    if isinstance(owner, RootOp | FiberOp | FinalizeOp):
        return owner.tensor
    if isinstance(owner, OptionalFiberOp):
        return tensor_of(owner.fiber)
    loop = owner.parent_op() if isinstance(owner, Block) else None
    if isinstance(loop, CoiterateOp) and isinstance(fiber, BlockArgument) and fiber.index > 0:
        nest = loop.nests[fiber.index - 1].owner
        if isinstance(nest, UnfurlOp | ThunkOp):
            return tensor_of(nest.fiber)
    return None
