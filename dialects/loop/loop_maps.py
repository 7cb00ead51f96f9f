"""Ops of the `loop` dialect on maps from pairs of integers to slots, which are listed in order."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, UnitAttr, i1, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import HasParent, MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_parallel import ParallelOp
from irtensor.dialects.loop.loop_types import INDEX, BufferType, buffer_type
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation


@irdl_attr_definition
class IndexMapType(ParametrizedAttribute, TypeAttribute):
    """A map from pairs (outer, coordinate) of integers from 0 up to slots: 0, 1, 2, ... in order of insertion."""

    name = "loop.index_map"


_MAP = IndexMapType()


# Attribute of maps that are a level of a workspace: which it is, for people.
LEVEL = "level"
# A map in memory has so many words for each pair that it has room for, and so many more.
WORDS_PER_PAIR, MORE_WORDS = 8, 32
# So many of them, from the first on, are 0 while it is empty.
ZEROS_PER_PAIR, MORE_ZEROS = 4, 1


@define_operation
class IndexMapOp(IRDLOperation):
    """A new, empty map; its memory grows with what it holds, and is given back when the function ends.

    At the top of a parallel loop, each iteration has one of its own. With `capacity`, which is at least 1, no more than
    so many pairs are put into it. With `memory` as well, the map lies there, and does not grow: empty if the
    first 4 * capacity + 1 elements are 0. A pair without room is not put in, its slot is 0, and the first
    element of `full` becomes 1. Rules: both are buffers of i64, `memory` has room for 8 * capacity + 32 elements.
    """

    name = "loop.index_map"
    capacity = opt_operand_def(INDEX)
    memory = opt_operand_def(BufferType)
    full = opt_operand_def(BufferType)
    map = result_def(_MAP)
    # Beside loops and branches, so that there is one per call or iteration.
    traits = traits_def(MemoryAllocEffect(), HasParent(FuncOp, ParallelOp))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = "(`for` $capacity^)? (`in` $memory^ `:` type($memory) `full` $full `:` type($full))? attr-dict"

    @staticmethod
    def of(
        capacity: SSAValue | None = None, memory: SSAValue | None = None, full: SSAValue | None = None
    ) -> IndexMapOp:
        given = (capacity, memory, full)
        operands = [operand for operand in given if operand is not None]
        segments = DenseArrayBase.from_list(i32, [int(operand is not None) for operand in given])
        return create_operation(IndexMapOp, operands, (_MAP,), {"operandSegmentSizes": segments})

    def verify_(self) -> None:
        if (self.memory is None) != (self.full is None) or (self.memory is not None and self.capacity is None):
            raise VerifyException("a map that lies in memory has a capacity, and a flag that says that it is full")
        for buffer in (self.memory, self.full):
            if buffer is not None and buffer.type != buffer_type(i64):
                raise VerifyException(f"a map lies in a buffer of i64, not {buffer.type}")


@define_operation
class MapInsertOp(IRDLOperation):
    """The slot of a pair, a new one if the map does not hold the pair, and whether it did.

    When memory runs out, the function ends with status 1. Rule: a map with a capacity has room for the pair.
    """

    name = "loop.map_insert"
    outer = operand_def(INDEX)
    coordinate = operand_def(INDEX)
    map = operand_def(_MAP)
    slot = result_def(INDEX)
    present = result_def(i1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$outer `,` $coordinate `into` $map attr-dict"

    @staticmethod
    def of(outer: SSAValue, coordinate: SSAValue, map: SSAValue) -> MapInsertOp:
        return create_operation(MapInsertOp, (outer, coordinate, map), (INDEX, i1))


@define_operation
class MapFindOp(IRDLOperation):
    """The slot of a pair, and whether the map holds the pair; takes constant time.

    Where it does not, the slot is 0: what the slot leads to may be read before it is dropped, if the author has made
    room for a first slot, be there a pair or not.
    """

    name = "loop.map_find"
    outer = operand_def(INDEX)
    coordinate = operand_def(INDEX)
    map = operand_def(_MAP)
    slot = result_def(INDEX)
    present = result_def(i1)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$outer `,` $coordinate `in` $map attr-dict"

    @staticmethod
    def of(outer: SSAValue, coordinate: SSAValue, map: SSAValue) -> MapFindOp:
        return create_operation(MapFindOp, (outer, coordinate, map), (INDEX, i1))


@define_operation
class MapCountOp(IRDLOperation):
    """How many pairs a map holds."""

    name = "loop.map_count"
    map = operand_def(_MAP)
    count = result_def(INDEX)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$map attr-dict"

    @staticmethod
    def of(map: SSAValue) -> MapCountOp:
        return create_operation(MapCountOp, (map,), (INDEX,))


@define_operation
class MapListOp(IRDLOperation):
    """List the pairs of a map by parent, and for each parent by coordinate, or if `unordered`, as they were inserted.

    Entries `positions[p]` up to `positions[p + 1]` of `coordinates` and `slots` are those of parent p, in order.
    Takes time proportional to the number of pairs (in order, times the digits of the largest coordinate) and of
    parents. Without pairs, the first coordinate and slot become 0: a merge may read them, and what they lead
    to, before it drops them. Rules: all are buffers of i64, with room for the pairs and for one, `positions`
    for one more than the parents.
    """

    name = "loop.map_list"
    map = operand_def(_MAP)
    parents = operand_def(INDEX)
    positions = operand_def(BufferType)
    coordinates = operand_def(BufferType)
    slots = operand_def(BufferType)
    unordered = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$map `for` $parents `into` $positions `,` $coordinates `,` $slots (`unordered` $unordered^)? attr-dict `:` "
        "type($positions) `,` type($coordinates) `,` type($slots)"
    )

    @staticmethod
    def of(
        map: SSAValue,
        parents: SSAValue,
        positions: SSAValue,
        coordinates: SSAValue,
        slots: SSAValue,
        unordered: bool = False,
    ) -> MapListOp:
        made = create_operation(MapListOp, (map, parents, positions, coordinates, slots))
        if unordered:
            made.unordered = UnitAttr()
        return made

    def verify_(self) -> None:
        for buffer in (self.positions, self.coordinates, self.slots):
            if buffer.type != buffer_type(i64):
                raise VerifyException(f"pairs are listed in buffers of i64, not {buffer.type}")


@define_operation
class MapClearOp(IRDLOperation):
    """Take all pairs out of a map, in time proportional to their number."""

    name = "loop.map_clear"
    map = operand_def(_MAP)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$map attr-dict"

    @staticmethod
    def of(map: SSAValue) -> MapClearOp:
        return create_operation(MapClearOp, (map,))
