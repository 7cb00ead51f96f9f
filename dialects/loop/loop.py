"""The `loop` dialect: structured imperative loops over typed buffers, with mutable state in cells.

Control flow has no results: a value that changes lives in a cell. Positions and extents are `index`; a bool buffer
holds one byte per element. This module offers every op and type of the dialect.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i1, i64
from xdsl.ir import Attribute, Dialect, Region, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, NoTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_assembly import (
    AccumulateOp,
    AppendOp,
    AssembledOp,
    CloseOp,
    CounterOp,
    CounterType,
    CountOp,
)
from irtensor.dialects.loop.loop_growables import CapacityOp, DataOp, PartOfOp, ReserveOp, ScratchOp, SetSizeOp
from irtensor.dialects.loop.loop_lanes import GatherOp, LoadLanesOp, SelectLanesOp
from irtensor.dialects.loop.loop_launch import LaunchOp, MemsetOp, ReadOp
from irtensor.dialects.loop.loop_maps import (
    IndexMapOp,
    IndexMapType,
    MapClearOp,
    MapCountOp,
    MapFindOp,
    MapInsertOp,
    MapListOp,
)
from irtensor.dialects.loop.loop_memory import (
    ORDERED,
    PROVISIONAL,
    SPECULATABLE,
    CellOp,
    CopyOp,
    FillOp,
    GetOp,
    LoadOp,
    LowerBoundOp,
    PrefetchOp,
    RequireOp,
    SearchOp,
    SetOp,
    StoreOp,
    UpperBoundOp,
)
from irtensor.dialects.loop.loop_parallel import CountedOp, ParallelOp, PartsOp
from irtensor.dialects.loop.loop_prefix_sum import PrefixSumOp
from irtensor.dialects.loop.loop_races import AtomicOp, PrivateOp, ReduceOp, ViewOp, YieldOp
from irtensor.dialects.loop.loop_sets import (
    ClearOp,
    ContainsOp,
    IndexSetOp,
    IndexSetType,
    InsertOp,
    MembersOp,
    RemoveOp,
    VisitOp,
)
from irtensor.dialects.loop.loop_shared import BarrierOp, SharedOp
from irtensor.dialects.loop.loop_types import (
    INDEX,
    BufferType,
    CellType,
    GrowableType,
    buffer_type,
    cell_type,
    element_of,
    growable_type,
    is_scalar_element,
)
from irtensor.dialects.loop.loop_units import UnitsAttr
from irtensor.dialects.loop.memory_op import MemoryOp
from irtensor.dialects.support.create_operation import create_block, create_operation, create_region
from irtensor.dialects.support.define_operation import define_operation

__all__ = [
    "AS_IT_IS",
    "COUNTS_TO_POLL",
    "INDEX",
    "ORDERED",
    "POLL",
    "PROVISIONAL",
    "SEARCH",
    "SHORT",
    "SPECULATABLE",
    "STRIP",
    "STRIPS",
    "AccumulateOp",
    "AppendOp",
    "AssembledOp",
    "AtomicOp",
    "BarrierOp",
    "BufferType",
    "CapacityOp",
    "CellOp",
    "CellType",
    "ClearOp",
    "CloseOp",
    "ConditionOp",
    "ContainsOp",
    "CopyOp",
    "CountOp",
    "CounterOp",
    "CounterType",
    "DataOp",
    "FillOp",
    "ForOp",
    "GatherOp",
    "GetOp",
    "GrowableType",
    "IfOp",
    "IndexMapOp",
    "IndexMapType",
    "IndexSetOp",
    "IndexSetType",
    "InsertOp",
    "LaunchOp",
    "LoadLanesOp",
    "LoadOp",
    "Loop",
    "LowerBoundOp",
    "MapClearOp",
    "MapCountOp",
    "MapFindOp",
    "MapInsertOp",
    "MapListOp",
    "MembersOp",
    "MemoryOp",
    "MemsetOp",
    "ParallelOp",
    "PartOfOp",
    "PartsOp",
    "PrefetchOp",
    "PrefixSumOp",
    "PrivateOp",
    "ReadOp",
    "ReduceOp",
    "RemoveOp",
    "RequireOp",
    "ReserveOp",
    "ScratchOp",
    "SearchOp",
    "SelectLanesOp",
    "SetOp",
    "SetSizeOp",
    "SharedOp",
    "StoreOp",
    "UnitsAttr",
    "UpperBoundOp",
    "ViewOp",
    "VisitOp",
    "WhileOp",
    "YieldOp",
    "buffer_type",
    "cell_type",
    "element_of",
    "growable_type",
    "is_scalar_element",
]


@define_operation
class ForOp(CountedOp):
    """Run the body for each index from `lower` up to, not including, `upper`; bounds are read once.

    Attributes are hints: `unroll`, `vectorize` and `interleave` with a count as an i64; 1 forbids it. `mask` with a
    count of lanes asks for vectors with masks: the last vector may be used in part. With 0, that may be so where
    the processor has masks, in as many lanes as LLVM takes. `parallel` says that iterations may run at the same
    time, and how they keep out of each other's way. `poll` with a count says that the caller may want the loop to
    end early: it asks after so many iterations at most, and leaves the function if so. With `strip`, the iterations
    between two questions are a loop of their own, at first so many. Iterations of a loop with `counts_to_poll`
    count for the loop around it that asks. With `independent`, loads and stores with `apart` allow iterations in any
    order and at the same time. A `short` loop has fewer iterations than a vector has lanes.
    """

    name = "loop.for"
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())


# Attribute of loops that search: they say nothing about how a function is best compiled.
SEARCH = "search"
# Attribute of loops over the strips of what was one loop, and may become vectors as that did: they merge nothing.
STRIPS = "strips"
# Attribute of functions whose loops over rows call functions of mathematics, and fill narrow vectors better.
NARROW_VECTORS = "loop.narrow_vectors"
# Attribute of loops that ask now and then whether to go on: after how many iterations at most.
POLL = "poll"
# Attribute of such loops with short iterations: how many there are before the first question.
STRIP = "strip"
# Attribute of loops that never ask, and whose iterations count for the loop around them that does.
COUNTS_TO_POLL = "counts_to_poll"
# Attribute of loops that are to become vectors: how many iterations one of them does.
VECTORIZE = "vectorize"
# Attribute of such loops if no iteration stores what another one loads or stores.
INDEPENDENT = "independent"
# Attribute of loops with fewer iterations than a vector has lanes, such as along rows that are too short for one.
SHORT = "short"
# Hints of loops that hold vectors already, or run a few iterations: efforts of LLVM would cost time and gain nothing.
AS_IT_IS: dict[str, Attribute] = {"unroll": IntegerAttr(1, i64), VECTORIZE: IntegerAttr(1, i64)}


@define_operation
class WhileOp(IRDLOperation):
    """Run `condition`; while it yields true, run `body` and `condition` again.

    Attributes are hints as those of `loop.for`; `search` says that the loop only looks for a position, `unlikely` that
    it passes over most of what it could visit, `strips` that it goes over strips of what was one loop, `poll` what it
    says there.
    """

    name = "loop.while"
    condition = region_def("single_block")
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    @staticmethod
    def of() -> WhileOp:
        """A loop with an empty condition block, to be ended by `loop.condition`, and an empty body."""
        return create_operation(WhileOp, regions=(create_region(), create_region()))

    def verify_(self) -> None:
        if not isinstance(self.condition.block.last_op, ConditionOp):
            raise VerifyException("the first region ends in loop.condition")

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.condition)
        printer.print_string(" do ")
        printer.print_region(self.body, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        hints = parser.parse_optional_attr_dict_with_keyword()
        condition = _parse_block(parser)
        parser.parse_keyword("do")
        return create_operation(
            WhileOp, regions=(condition, _parse_block(parser)), attributes=hints.data if hints else {}
        )


@define_operation
class ConditionOp(IRDLOperation):
    """End the condition of a `loop.while`."""

    name = "loop.condition"
    condition = operand_def(i1)
    traits = traits_def(IsTerminator(), HasParent(WhileOp))
    assembly_format = "$condition attr-dict"

    @staticmethod
    def of(condition: SSAValue) -> ConditionOp:
        return create_operation(ConditionOp, (condition,))


@define_operation
class IfOp(IRDLOperation):
    """Run the first region if the condition holds, else the second, which may be absent.

    The hint `attributes {unlikely}` says that it rarely holds: registers are then kept for the code around.
    """

    name = "loop.if"
    condition = operand_def(i1)
    then = region_def("single_block")
    otherwise = region_def()
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    @staticmethod
    def of(condition: SSAValue, with_else: bool = False) -> IfOp:
        """A branch with empty blocks; without `with_else` the second region has none."""
        otherwise = create_region() if with_else else Region()
        return create_operation(IfOp, (condition,), regions=(create_region(), otherwise))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.then, print_empty_block=False)
        if self.otherwise.first_block is not None:
            printer.print_string(" else ")
            printer.print_region(self.otherwise, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        condition = parser.resolve_operand(parser.parse_unresolved_operand(), i1)
        hints = parser.parse_optional_attr_dict_with_keyword()
        then = _parse_block(parser)
        otherwise = _parse_block(parser) if parser.parse_optional_keyword("else") else Region()
        return create_operation(IfOp, (condition,), regions=(then, otherwise), attributes=hints.data if hints else {})


def _parse_block(parser: Parser) -> Region:
    region = parser.parse_region()
    if region.first_block is None:
        region.add_block(create_block())
    return region


Loop = Dialect(
    "loop",
    [
        ForOp,
        ParallelOp,
        PartsOp,
        PrivateOp,
        AtomicOp,
        ReduceOp,
        YieldOp,
        SharedOp,
        BarrierOp,
        WhileOp,
        ConditionOp,
        IfOp,
        CellOp,
        GetOp,
        SetOp,
        LoadOp,
        StoreOp,
        FillOp,
        CopyOp,
        PrefixSumOp,
        ViewOp,
        LowerBoundOp,
        UpperBoundOp,
        ScratchOp,
        PartOfOp,
        ReserveOp,
        DataOp,
        SetSizeOp,
        CapacityOp,
        CounterOp,
        CountOp,
        AppendOp,
        CloseOp,
        AssembledOp,
        AccumulateOp,
        PrefetchOp,
        LoadLanesOp,
        GatherOp,
        SelectLanesOp,
        RequireOp,
        LaunchOp,
        MemsetOp,
        ReadOp,
        IndexSetOp,
        InsertOp,
        RemoveOp,
        ContainsOp,
        MembersOp,
        ClearOp,
        VisitOp,
        IndexMapOp,
        MapInsertOp,
        MapFindOp,
        MapCountOp,
        MapListOp,
        MapClearOp,
    ],
    [CellType, BufferType, GrowableType, CounterType, IndexSetType, IndexMapType, UnitsAttr],
)
