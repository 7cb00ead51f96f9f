"""The `iteration_lattice` dialect: WHICH coordinates are visited, as products of looplet nests.

A looplet nest describes one fiber as a function from coordinate to payload. `coiterate` is a product of nests that is not
yet enumerated; rewrites turn it into points (ordered sub-ranges), walks and merges (loops over stored entries).
Source: Ahrens 2024 (looplets), Kjolstad 2020 chapter 3 (iteration lattices). Ranges are half-open, coordinates 0-based.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Dialect, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.assembly import parse_operator, print_operator
from irtensor.dialects.loop_types import CellType
from irtensor.dialects.storage import FiberType, payload_type

_index = IndexType()
_UNIT = UnitAttr()


@irdl_attr_definition
class LoopletType(ParametrizedAttribute, TypeAttribute):
    """`!iteration_lattice.looplet<payload>`: a function from coordinates to payloads (elements or fibers)."""

    name = "iteration_lattice.looplet"
    payload: Attribute


def looplet_payload(nest: SSAValue) -> Attribute:
    """Payload type of a looplet nest."""
    assert isinstance(nest.type, LoopletType)
    return nest.type.payload


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The outcome of a looplet's region: a payload, a nest, or the ends of chunks."""

    name = "iteration_lattice.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "($values^ `:` type($values))? attr-dict"

    @staticmethod
    def of(*values: SSAValue) -> YieldOp:
        return YieldOp.create(operands=values)


def yielded(region: Region) -> Sequence[SSAValue]:
    """Values that a looplet's region yields."""
    last = region.block.last_op
    assert isinstance(last, YieldOp)
    return last.values


@irdl_op_definition
class UnfurlOp(IRDLOperation):
    """The looplet nest of a fiber's next level, not yet expanded: the level format says what it is."""

    name = "iteration_lattice.unfurl"
    fiber = operand_def(FiberType)
    result = result_def(LoopletType)
    traits = traits_def(Pure())
    assembly_format = "$fiber `:` type($fiber) `->` type($result) attr-dict"

    @staticmethod
    def of(fiber: SSAValue) -> UnfurlOp:
        assert isinstance(fiber.type, FiberType)
        payload = payload_type(fiber.type.tensor, fiber.type.level.data + 1)
        return UnfurlOp.create(operands=(fiber,), result_types=(LoopletType(payload),))


@irdl_op_definition
class ThunkOp(IRDLOperation):
    """Host code that runs once before a nest is used; the region's arguments are the fiber's begin and end positions.

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
        return ThunkOp.create(operands=(fiber,), result_types=(LoopletType(payload),), regions=[body])


@irdl_op_definition
class RunOp(IRDLOperation):
    """One payload for the whole range."""

    name = "iteration_lattice.run"
    payload = operand_def()
    result = result_def(LoopletType)
    traits = traits_def(Pure())
    assembly_format = "$payload `:` type($payload) `->` type($result) attr-dict"

    @staticmethod
    def of(payload: SSAValue) -> RunOp:
        return RunOp.create(operands=(payload,), result_types=(LoopletType(payload.type),))


@irdl_op_definition
class LookupOp(IRDLOperation):
    """A payload that any coordinate yields directly: the region maps a coordinate to its payload."""

    name = "iteration_lattice.lookup"
    result = result_def(LoopletType)
    body = region_def("single_block")
    traits = traits_def(Pure())
    assembly_format = "type($result) $body attr-dict"

    @staticmethod
    def of(payload: Attribute, body: Region) -> LookupOp:
        return LookupOp.create(result_types=(LoopletType(payload),), regions=[body])


@irdl_op_definition
class SequenceOp(IRDLOperation):
    """Consecutive phases: nest k is valid up to (excluding) end k; the last one up to the range's end."""

    name = "iteration_lattice.sequence"
    ends = var_operand_def(IndexType)
    nests = var_operand_def(LoopletType)
    result = result_def(LoopletType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())
    assembly_format = "`until` $ends `nests` $nests `:` type($nests) `->` type($result) attr-dict"

    @staticmethod
    def of(ends: Sequence[SSAValue], nests: Sequence[SSAValue]) -> SequenceOp:
        sizes = DenseArrayBase.from_list(i32, [len(ends), len(nests)])
        return SequenceOp.create(
            operands=(*ends, *nests), result_types=(nests[0].type,), properties={"operandSegmentSizes": sizes}
        )

    def verify_(self) -> None:
        if len(self.nests) != len(self.ends) + 1:
            raise VerifyException(f"{len(self.ends)} phase ends need {len(self.ends) + 1} nests, got {len(self.nests)}")


@irdl_op_definition
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
        return SpikeOp.create(operands=(gap, tail), result_types=(LoopletType(tail.type),))


@irdl_op_definition
class SwitchOp(IRDLOperation):
    """One of two nests, chosen by a condition that does not depend on the coordinate."""

    name = "iteration_lattice.switch"
    condition = operand_def(i1)
    positive = operand_def(LoopletType)
    negative = operand_def(LoopletType)
    result = result_def(LoopletType)
    traits = traits_def(Pure())
    assembly_format = "$condition `,` $positive `,` $negative `:` type($positive) `,` type($negative) `->` type($result) attr-dict"

    @staticmethod
    def of(condition: SSAValue, positive: SSAValue, negative: SSAValue) -> SwitchOp:
        return SwitchOp.create(operands=(condition, positive, negative), result_types=(positive.type,))


class _ChunksOp(IRDLOperation):
    """Chunks of stored entries from the position in `cursor` up to position `end`, in order of coordinate.

    Region `load` maps a position to the exclusive end of its chunk; region `chunk` maps a position and the position
    after its chunk to the chunk's nest. `stop` is the end of the last chunk; coordinates from there on are not covered
    (0 if there is none). With `nonunique`, positions with equal ends form one chunk.
    """

    cursor = operand_def(CellType)
    end = operand_def(IndexType)
    stop = operand_def(IndexType)
    nonunique = opt_prop_def(UnitAttr)
    nonordered = opt_prop_def(UnitAttr)
    result = result_def(LoopletType)
    load = region_def("single_block")
    chunk = region_def("single_block")
    traits = traits_def(Pure())
    assembly_format = (
        "(`nonunique` $nonunique^)? (`nonordered` $nonordered^)? $cursor `to` $end `until` $stop `:` type($cursor) `->` "
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
        return cls.create(
            operands=(cursor, end, stop),
            result_types=(LoopletType(payload),),
            regions=[load, chunk],
            properties=properties,
        )


@irdl_op_definition
class StepperOp(_ChunksOp):
    """Chunks visited one after the other (a sorted list of stored entries)."""

    name = "iteration_lattice.stepper"


@irdl_op_definition
class JumperOp(_ChunksOp):
    """A stepper that asks to lead: the largest chunk is visited next, the others search for it (galloping)."""

    name = "iteration_lattice.jumper"


@irdl_op_definition
class CoiterateOp(IRDLOperation):
    """Run the body for every coordinate in [lo, hi), with the payload of every nest at that coordinate.

    `unit`: the range holds exactly one coordinate. `full`: the range reaches the dimension's end, so no stored
    coordinate lies behind it. `live`: numbers of nests that do not run out before `hi`, one of which ends at `hi`.
    """

    name = "iteration_lattice.coiterate"
    lo = operand_def(IndexType)
    hi = operand_def(IndexType)
    nests = var_operand_def(LoopletType)
    unit = opt_prop_def(UnitAttr)
    full = opt_prop_def(UnitAttr)
    live = opt_prop_def(ArrayAttr[IntAttr])
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = (
        "(`unit` $unit^)? (`full` $full^)? $lo `to` $hi (`over` $nests^ `:` type($nests))? (`live` $live^)? "
        "$body attr-dict"
    )

    @staticmethod
    def of(
        lo: SSAValue, hi: SSAValue, nests: Sequence[SSAValue], body: Region, *, unit: bool = False, full: bool = False
    ) -> CoiterateOp:
        properties: dict[str, Attribute] = {}
        if unit:
            properties["unit"] = _UNIT
        if full:
            properties["full"] = _UNIT
        return CoiterateOp.create(operands=(lo, hi, *nests), regions=[body], properties=properties)

    def verify_(self) -> None:
        arguments = self.body.block.args
        if len(arguments) != len(self.nests) + 1 or not isinstance(arguments[0].type, IndexType):
            raise VerifyException("the body binds the coordinate and one payload per nest")
        for argument, nest in zip(arguments[1:], self.nests, strict=True):
            if argument.type != looplet_payload(nest):
                raise VerifyException(f"payload {argument.type} does not match nest {nest.type}")


@irdl_op_definition
class PlaceOp(IRDLOperation):
    """Descend into a result at a coordinate; the body writes below it, then the entry is committed.

    A dense level computes the position; a compressed level appends the coordinate if anything was written below.
    """

    name = "iteration_lattice.place"
    fiber = operand_def(FiberType)
    coordinate = operand_def(IndexType)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$fiber `at` $coordinate `:` type($fiber) $body attr-dict"

    @staticmethod
    def of(fiber: SSAValue, coordinate: SSAValue, body: Region) -> PlaceOp:
        return PlaceOp.create(operands=(fiber, coordinate), regions=[body])


@irdl_op_definition
class UpdateOp(IRDLOperation):
    """Store a value into a component of a result or a temporary, combining with the old one if an operator is given."""

    name = "iteration_lattice.update"
    value = operand_def()
    target = operand_def(FiberType | CellType)
    operator = opt_prop_def(StringAttr | SymbolRefAttr)

    @staticmethod
    def of(value: SSAValue, target: SSAValue, operator: Attribute | None) -> UpdateOp:
        properties = {} if operator is None else {"operator": operator}
        return UpdateOp.create(operands=(value, target), properties=properties)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.operator is not None:
            print_operator(printer, self.operator)
            printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(" into ")
        printer.print_ssa_value(self.target)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.target.type)

    @classmethod
    def parse(cls, parser: Parser) -> UpdateOp:
        value = parser.parse_optional_unresolved_operand()
        operator = None
        if value is None:
            operator = parse_operator(parser)
            value = parser.parse_unresolved_operand()
        parser.parse_keyword("into")
        target = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        parser.parse_punctuation(",")
        target_type = parser.parse_type()
        return UpdateOp.of(
            parser.resolve_operand(value, value_type), parser.resolve_operand(target, target_type), operator
        )


@irdl_op_definition
class IfOp(IRDLOperation):
    """Run the first region where a condition holds, else the second."""

    name = "iteration_lattice.if"
    condition = operand_def(i1)
    then = region_def("single_block")
    otherwise = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$condition $then `else` $otherwise attr-dict"

    @staticmethod
    def of(condition: SSAValue, then: Region, otherwise: Region) -> IfOp:
        return IfOp.create(operands=(condition,), regions=[then, otherwise])


@irdl_op_definition
class PointOp(IRDLOperation):
    """A lattice point of a sequence: the sub-range from the running coordinate up to `end`, skipped if empty.

    The body's arguments are the sub-range. Afterwards the running coordinate is at least `end`. `kinds` names the
    phase of each operand, for readers.
    """

    name = "iteration_lattice.point"
    running = operand_def(CellType)
    end = operand_def(IndexType)
    kinds = opt_prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$running `to` $end (`kinds` $kinds^)? `:` type($running) $body attr-dict"

    @staticmethod
    def of(running: SSAValue, end: SSAValue, kinds: Sequence[str], body: Region) -> PointOp:
        names = ArrayAttr([StringAttr(kind) for kind in kinds])
        return PointOp.create(operands=(running, end), properties={"kinds": names}, regions=[body])


@irdl_op_definition
class WalkOp(IRDLOperation):
    """Visit the positions [begin, end) of one operand: a counted loop, no merge. The argument is the position."""

    name = "iteration_lattice.walk"
    begin = operand_def(IndexType)
    end = operand_def(IndexType)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$begin `to` $end $body attr-dict"

    @staticmethod
    def of(begin: SSAValue, end: SSAValue, body: Region) -> WalkOp:
        return WalkOp.create(operands=(begin, end), regions=[body])


@irdl_op_definition
class MergeOp(IRDLOperation):
    """Visit the chunks of several operands together, from `lo` to `hi` in order of coordinate.

    Each turn loads the end of every cursor's chunk and takes the least as the end of the turn's range; cursors whose chunk ends
    there are aligned. The case whose set of aligned cursors matches runs; cases of no effect are absent. Then aligned
    cursors advance. Region 0 maps positions to ends. Case arguments: the range [c, e), then position and next position
    of each cursor. `sentinel` lists the cursors that may run out before `hi`; `nonunique` those whose chunks span
    several positions. With `cut`, `hi` may fall inside a chunk, then no cursor is aligned. `strategy` is `walk`
    (cases), `select` (one body; payloads chosen by alignment) or `gallop` (the largest end leads).
    """

    name = "iteration_lattice.merge"
    lo = operand_def(IndexType)
    hi = operand_def(IndexType)
    cursors = var_operand_def(CellType)
    ends = var_operand_def(IndexType)
    strategy = prop_def(StringAttr)
    cases = prop_def(ArrayAttr[ArrayAttr[IntAttr]])
    sentinel = prop_def(ArrayAttr[IntAttr])
    nonunique = prop_def(ArrayAttr[IntAttr])
    cut = opt_prop_def(UnitAttr)
    load = region_def("single_block")
    bodies = var_region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(NoTerminator())
    assembly_format = (
        "$strategy $lo `to` $hi `cursors` $cursors `to` $ends `:` type($cursors) `sentinel` $sentinel "
        "`nonunique` $nonunique (`cut` $cut^)? `load` $load `cases` $cases $bodies attr-dict"
    )

    def case_sets(self) -> Iterator[tuple[tuple[int, ...], Block]]:
        """The aligned cursors of each case, with the case's block."""
        for case, body in zip(self.cases.data, self.bodies, strict=True):
            yield tuple(k.data for k in case.data), body.block

    def verify_(self) -> None:
        if len(self.cursors) != len(self.ends):
            raise VerifyException(f"{len(self.cursors)} cursors need as many ends, got {len(self.ends)}")
        if len(self.cases) != len(self.bodies):
            raise VerifyException(f"{len(self.cases)} cases need as many regions, got {len(self.bodies)}")
        for aligned, block in self.case_sets():
            if any(not 0 <= k < len(self.cursors) for k in aligned):
                raise VerifyException(f"case {list(aligned)} names a cursor outside 0..{len(self.cursors) - 1}")
            if len(block.args) != 2 + 2 * len(self.cursors):
                raise VerifyException("a case binds its range, then position and next position of each cursor")


IterationLattice = Dialect(
    "iteration_lattice",
    [
        YieldOp,
        UnfurlOp,
        ThunkOp,
        RunOp,
        LookupOp,
        SequenceOp,
        SpikeOp,
        SwitchOp,
        StepperOp,
        JumperOp,
        CoiterateOp,
        PlaceOp,
        UpdateOp,
        IfOp,
        PointOp,
        WalkOp,
        MergeOp,
    ],
    [LoopletType],
)
