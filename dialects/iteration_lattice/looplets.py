"""The looplets of the `iteration_lattice` dialect: how a level describes one of its fibers.

A looplet nest is a function from coordinates to payloads, put together from runs, lookups, phases and stored entries.
Source: Ahrens 2024 (Finch), section 3. Ranges are half-open, coordinates 0-based.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, StringAttr, UnitAttr, i1, i32
from xdsl.ir import Attribute, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.core.level_format import LevelFormat
from irtensor.dialects.concrete_index.protocols import READS
from irtensor.dialects.loop.loop_types import CellType
from irtensor.dialects.storage.storage import FiberType, format_of, payload_type
from irtensor.dialects.support.assembly import verify_bound, verify_yielded
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

_index = IndexType()


@irdl_attr_definition
class LoopletType(ParametrizedAttribute, TypeAttribute):
    """`!iteration_lattice.looplet<payload>`: a function from coordinates to payloads (elements or fibers)."""

    name = "iteration_lattice.looplet"
    payload: Attribute


def looplet_payload(nest: SSAValue) -> Attribute:
    """Payload type of a looplet nest."""
    assert isinstance(nest.type, LoopletType)
    return nest.type.payload


@define_operation
class YieldOp(IRDLOperation):
    """The outcome of a looplet's region: a payload, a nest, or the ends of chunks."""

    name = "iteration_lattice.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "($values^ `:` type($values))? attr-dict"

    @staticmethod
    def of(*values: SSAValue) -> YieldOp:
        return create_operation(YieldOp, values)


def yielded(region: Region) -> Sequence[SSAValue]:
    """Values that a looplet's region yields."""
    last = region.block.last_op
    assert isinstance(last, YieldOp)
    return last.values


@define_operation
class UnfurlOp(IRDLOperation):
    """The looplet nest of a fiber's next level, not yet expanded: the level format says what it is.

    A `protocol` asks to "step" through stored entries, or to "locate" each coordinate; else it is chosen. With
    `by_entries`, coordinates of the tensor's entries from which the window of the loop is computed are those of
    entries of this fiber.
    """

    name = "iteration_lattice.unfurl"
    fiber = operand_def(FiberType)
    protocol = opt_prop_def(StringAttr)
    by_entries = opt_prop_def(UnitAttr)
    result = result_def(LoopletType)
    traits = traits_def(Pure())
    assembly_format = (
        "(`by` $protocol^)? (`by_entries` $by_entries^)? $fiber `:` type($fiber) `->` type($result) attr-dict"
    )

    @staticmethod
    def of(fiber: SSAValue, protocol: str | None = None, by_entries: bool = False) -> UnfurlOp:
        assert isinstance(fiber.type, FiberType)
        payload = payload_type(fiber.type.tensor, fiber.type.level.data + 1)
        properties: dict[str, Attribute] = {} if protocol is None else {"protocol": StringAttr(protocol)}
        if by_entries:
            properties["by_entries"] = UnitAttr()
        return create_operation(UnfurlOp, (fiber,), (LoopletType(payload),), properties=properties)

    @property
    def level_format(self) -> LevelFormat:
        """How the level is stored that the nest describes."""
        assert isinstance(self.fiber.type, FiberType)
        return self.fiber.type.level_format

    def verify_(self) -> None:
        _verify_fiber(self.fiber, self.result)
        if self.protocol is not None and self.protocol.data not in READS:
            raise VerifyException(
                f"'{self.protocol.data}' is not a protocol of a read; protocols are {' and '.join(READS)}"
            )


@define_operation
class ThunkOp(IRDLOperation):
    """Host code that runs once before a nest is used; the region's arguments are the fiber's begin and end positions,
    and the coordinates above that positions depend on.

    A thunk over a fiber without stored entries is a run of the fill value.
    """

    name = "iteration_lattice.thunk"
    fiber = operand_def(FiberType)
    result = result_def(LoopletType)
    body = region_def("single_block")
    traits = traits_def(Pure())
    assembly_format = "$fiber `:` type($fiber) `->` type($result) $body attr-dict"

    @staticmethod
    def of(fiber: SSAValue, payload: Attribute, body: Region) -> ThunkOp:
        return create_operation(ThunkOp, (fiber,), (LoopletType(payload),), regions=[body])

    def verify_(self) -> None:
        _verify_fiber(self.fiber, self.result)
        fiber = self.fiber.type
        assert isinstance(fiber, FiberType)
        arguments = (_index,) * (2 + format_of(fiber.tensor).bounding_levels(fiber.level.data))
        _verify_region(self.body, arguments, self.result.type, "a thunk")


def _verify_fiber(fiber: SSAValue, nest: SSAValue) -> None:
    """A nest of a fiber's next level has the children of that level as its payload."""
    assert isinstance(fiber.type, FiberType)
    tensor, level = fiber.type.tensor, fiber.type.level.data
    if level >= len(format_of(tensor).levels):
        raise VerifyException("the fiber has no next level: all of its levels are resolved")
    payload = payload_type(tensor, level + 1)
    if looplet_payload(nest) != payload:
        raise VerifyException(f"level {level} of the fiber holds {payload}, not {looplet_payload(nest)}")


def _verify_region(region: Region, arguments: Sequence[Attribute], outcome: Attribute, what: str) -> None:
    verify_bound(region.block, arguments, what)
    if not isinstance(region.block.last_op, YieldOp):
        raise VerifyException(f"{what} ends in iteration_lattice.yield")
    verify_yielded(yielded(region), (outcome,), what)


@define_operation
class RunOp(IRDLOperation):
    """One payload for the whole range."""

    name = "iteration_lattice.run"
    payload = operand_def()
    result = result_def(LoopletType)
    traits = traits_def(Pure())
    assembly_format = "$payload `:` type($payload) `->` type($result) attr-dict"

    @staticmethod
    def of(payload: SSAValue) -> RunOp:
        return create_operation(RunOp, (payload,), (LoopletType(payload.type),))

    def verify_(self) -> None:
        _verify_payloads(self.result, self.payload)


def _verify_payloads(nest: SSAValue, *payloads: SSAValue) -> None:
    for payload in payloads:
        if payload.type != looplet_payload(nest):
            raise VerifyException(f"payload {payload.type} does not match nest {nest.type}")


def _verify_parts(nest: SSAValue, parts: Sequence[SSAValue]) -> None:
    for part in parts:
        if part.type != nest.type:
            raise VerifyException(f"{part.type} cannot be a part of nest {nest.type}")


@define_operation
class LookupOp(IRDLOperation):
    """A payload that any coordinate yields directly: the region maps a coordinate to its payload.

    Where that has to be found out at the coordinate, the region yields the nest of the single coordinate.
    """

    name = "iteration_lattice.lookup"
    result = result_def(LoopletType)
    body = region_def("single_block")
    traits = traits_def(Pure())
    assembly_format = "type($result) $body attr-dict"

    @staticmethod
    def of(payload: Attribute, body: Region) -> LookupOp:
        return create_operation(LookupOp, result_types=(LoopletType(payload),), regions=[body])

    def verify_(self) -> None:
        last = self.body.block.last_op
        nested = isinstance(last, YieldOp) and [value.type for value in last.values] == [self.result.type]
        outcome = self.result.type if nested else looplet_payload(self.result)
        _verify_region(self.body, (_index,), outcome, "a lookup")


@define_operation
class SequenceOp(IRDLOperation):
    """Consecutive phases: nest k is valid up to (excluding) end k; the last one up to the range's end.

    An end before that of the phase before, or before the range, leaves nothing for its phase. `within`: no end is
    behind the last coordinate of the dimension, so none where a loop is over a window. `inside`, of a chunk: no end is
    behind that of the chunk, or before that of the chunk before.
    """

    name = "iteration_lattice.sequence"
    ends = var_operand_def(IndexType)
    nests = var_operand_def(LoopletType)
    within = opt_prop_def(UnitAttr)
    inside = opt_prop_def(UnitAttr)
    result = result_def(LoopletType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    assembly_format = (
        "(`within` $within^)? (`inside` $inside^)? `until` $ends `nests` $nests `:` type($nests) `->` type($result) "
        "attr-dict"
    )

    @staticmethod
    def of(
        ends: Sequence[SSAValue], nests: Sequence[SSAValue], *, within: bool = False, inside: bool = False
    ) -> SequenceOp:
        properties: dict[str, Attribute] = {
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(ends), len(nests)])
        }
        if within:
            properties["within"] = UnitAttr()
        if inside:
            properties["inside"] = UnitAttr()
        return create_operation(SequenceOp, (*ends, *nests), (nests[0].type,), properties)

    def verify_(self) -> None:
        if len(self.nests) != len(self.ends) + 1:
            raise VerifyException(f"{len(self.ends)} phase ends need {len(self.ends) + 1} nests, got {len(self.nests)}")
        _verify_parts(self.result, self.nests)


@define_operation
class SpikeOp(IRDLOperation):
    """`gap` on all coordinates but the last of the range, `tail` on the last one: a gap and one stored entry."""

    name = "iteration_lattice.spike"
    gap = operand_def()
    tail = operand_def()
    result = result_def(LoopletType)
    traits = traits_def(Pure())
    assembly_format = "$gap `,` $tail `:` type($gap) `,` type($tail) `->` type($result) attr-dict"

    @staticmethod
    def of(gap: SSAValue, tail: SSAValue) -> SpikeOp:
        return create_operation(SpikeOp, (gap, tail), (LoopletType(tail.type),))

    def verify_(self) -> None:
        _verify_payloads(self.result, self.gap, self.tail)


@define_operation
class SwitchOp(IRDLOperation):
    """One of two nests, chosen by a condition that does not depend on the coordinate."""

    name = "iteration_lattice.switch"
    condition = operand_def(i1)
    positive = operand_def(LoopletType)
    negative = operand_def(LoopletType)
    result = result_def(LoopletType)
    traits = traits_def(Pure())
    assembly_format = (
        "$condition `,` $positive `,` $negative `:` type($positive) `,` type($negative) `->` type($result) attr-dict"
    )

    @staticmethod
    def of(condition: SSAValue, positive: SSAValue, negative: SSAValue) -> SwitchOp:
        return create_operation(SwitchOp, (condition, positive, negative), (positive.type,))

    def verify_(self) -> None:
        _verify_parts(self.result, (self.positive, self.negative))


class _ChunksOp(IRDLOperation):
    """Chunks of stored entries from the position in `cursor` up to position `end`, in order of coordinate.

    Region `load` maps a position to the exclusive end of its chunk; region `chunk` maps a position and the position
    after its chunk to the chunk's nest. `stop` is the end of the last chunk, at most the range's start if there is
    none; a coordinate behind it has what gaps between entries have. With `nonunique`, positions with equal ends form
    one chunk. With `holes`, positions whose end is 0 hold no chunk. With `empty`, a chunk may end where the one before
    does.
    """

    cursor = operand_def(CellType)
    end = operand_def(IndexType)
    stop = operand_def(IndexType)
    nonunique = opt_prop_def(UnitAttr)
    nonordered = opt_prop_def(UnitAttr)
    holes = opt_prop_def(UnitAttr)
    empty = opt_prop_def(UnitAttr)
    result = result_def(LoopletType)
    load = region_def("single_block")
    chunk = region_def("single_block")
    traits = traits_def(Pure())
    assembly_format = (
        "(`nonunique` $nonunique^)? (`nonordered` $nonordered^)? (`holes` $holes^)? (`empty` $empty^)? "
        "$cursor `to` $end `until` $stop `:` type($cursor) `->` "
        "type($result) `load` $load `chunk` $chunk attr-dict"
    )

    @classmethod
    def of(
        cls,
        cursor: SSAValue,
        end: SSAValue,
        stop: SSAValue,
        load: Region,
        chunk: Region,
        payload: Attribute,
        properties: dict[str, Attribute],
    ):
        return create_operation(
            cls,
            (cursor, end, stop),
            (LoopletType(payload),),
            regions=[load, chunk],
            properties=properties,
        )

    def verify_(self) -> None:
        assert isinstance(self.cursor.type, CellType)
        if self.cursor.type.element != _index:
            raise VerifyException(f"a cursor holds an index, not {self.cursor.type.element}")
        if self.holes is not None and self.nonordered is None:
            raise VerifyException("only chunks without order leave holes: a merge needs an end everywhere")
        _verify_region(self.load, (_index,), _index, "the load region")
        _verify_region(self.chunk, (_index, _index), self.result.type, "the chunk region")


@define_operation
class StepperOp(_ChunksOp):
    """Chunks visited one after the other (a sorted list of stored entries)."""

    name = "iteration_lattice.stepper"


@define_operation
class JumperOp(_ChunksOp):
    """A stepper that asks to lead: the largest chunk is visited next, the others search for it (galloping)."""

    name = "iteration_lattice.jumper"
