"""The `iteration_lattice` dialect: WHICH coordinates are visited, as products of looplet nests.

A looplet nest describes one fiber as a function from coordinate to payload. `coiterate` is a product of nests that is
not enumerated yet; rewrites turn it into points (ordered sub-ranges), walks and merges (loops over stored entries).
Source: Ahrens 2024 (looplets), Kjolstad 2020 chapter 3 (iteration lattices). Ranges are half-open, coordinates 0-based.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    IndexType,
    IntAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, Dialect, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from irtensor.core.schedule_words import MERGE_STRATEGIES
from irtensor.dialects.algebra.algebra import verify_operator
from irtensor.dialects.iteration_lattice.lattice_entries import EntryCountOp, EntryNumberOp, EntryOp
from irtensor.dialects.iteration_lattice.looplets import (
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
    YieldOp,
    looplet_payload,
    yielded,
)
from irtensor.dialects.loop.loop_types import CellType
from irtensor.dialects.storage.storage import FiberType, fiber_type, payload_type
from irtensor.dialects.support.assembly import (
    NumberLists,
    Numbers,
    OptionalCount,
    OptionalNumbers,
    Regions,
    Statements,
    Word,
    parse_stored,
    print_stored,
    verify_bound,
    verify_yielded,
)
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

__all__ = [
    "CoiterateOp",
    "IfOp",
    "IterationLattice",
    "JumperOp",
    "LookupOp",
    "LoopletType",
    "MergeOp",
    "PlaceOp",
    "PointOp",
    "RunOp",
    "SequenceOp",
    "SpikeOp",
    "StepperOp",
    "SwitchOp",
    "ThunkOp",
    "UnfurlOp",
    "UpdateOp",
    "WalkOp",
    "YieldOp",
    "looplet_payload",
    "yielded",
]

_UNIT = UnitAttr()
_index = IndexType()


@define_operation
class CoiterateOp(IRDLOperation):
    """Run the body for every coordinate in [lo, hi), with the payload of every nest at that coordinate.

    `unit`: the range holds exactly one coordinate. `full`: the range reaches the dimension's end, so no stored
    coordinate lies behind it. `window`: it does once the nests are expanded, because lists of stored entries are then
    entered at `lo` and left at `hi`. `entered`: the cursor of each list stands at the first chunk that ends behind
    `lo`; where it is absent and `lo` is not 0, cursors are moved there. `live`: numbers of nests that do not run out
    before `hi`; one of them ends there.
    `copies`: how many loops like this one there are, because code around it was copied for several cases; 1 if absent.
    `merge`: how lists are to be merged, `gallop` or `linear`. Attributes are tags for the loops that it becomes.
    """

    name = "iteration_lattice.coiterate"
    lo = operand_def(IndexType)
    hi = operand_def(IndexType)
    nests = var_operand_def(LoopletType)
    unit = opt_prop_def(UnitAttr)
    full = opt_prop_def(UnitAttr)
    window = opt_prop_def(UnitAttr)
    entered = opt_prop_def(UnitAttr)
    live = opt_prop_def(ArrayAttr[IntAttr])
    copies = opt_prop_def(IntAttr)
    merge = opt_prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = (
        "(`unit` $unit^)? (`full` $full^)? (`window` $window^)? (`entered` $entered^)? (`merge` $merge^)? $lo `to` $hi "
        "(`over` $nests^ `:` type($nests))? "
        "custom<OptionalNumbers>($live) custom<OptionalCount>($copies) $body attr-dict"
    )
    custom_directives = (OptionalNumbers, OptionalCount)

    @staticmethod
    def of(
        lo: SSAValue, hi: SSAValue, nests: Sequence[SSAValue], body: Region, *, unit: bool = False, full: bool = False
    ) -> CoiterateOp:
        properties: dict[str, Attribute] = {}
        if unit:
            properties["unit"] = _UNIT
        if full:
            properties["full"] = _UNIT
        return create_operation(CoiterateOp, (lo, hi, *nests), regions=[body], properties=properties)

    @property
    def number_of_copies(self) -> int:
        """How many loops like this one there are, itself included."""
        return 1 if self.copies is None else self.copies.data

    def verify_(self) -> None:
        arguments = self.body.block.args
        if len(arguments) != len(self.nests) + 1 or not isinstance(arguments[0].type, IndexType):
            raise VerifyException("the body binds the coordinate and one payload per nest")
        for argument, nest in zip(arguments[1:], self.nests, strict=True):
            if argument.type != looplet_payload(nest):
                raise VerifyException(f"payload {argument.type} does not match nest {nest.type}")
        if self.live is not None:
            _verify_numbers(self.live, len(self.nests), "nest")
        if self.merge is not None and self.merge.data not in MERGE_STRATEGIES:
            known = " and ".join(MERGE_STRATEGIES)
            raise VerifyException(f"lists are not merged by '{self.merge.data}'; strategies are {known}")


def _verify_numbers(numbers: ArrayAttr[IntAttr], count: int, what: str) -> None:
    for number in numbers.data:
        if not 0 <= number.data < count:
            raise VerifyException(f"{what} {number.data} does not exist; the operation has {count}")


@define_operation
class PlaceOp(IRDLOperation):
    """Descend into a result at a coordinate; the body writes below it, then the entry is committed.

    A dense level computes the position; a compressed level appends the coordinate if anything was written below.
    With `until`, the same is written at each coordinate from the first up to that one, which is behind them. Rule: the
    level takes ranges.
    """

    name = "iteration_lattice.place"
    fiber = operand_def(FiberType)
    coordinate = operand_def(IndexType)
    until = opt_operand_def(IndexType)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$fiber `at` $coordinate (`until` $until^)? `:` type($fiber) $body attr-dict"

    @staticmethod
    def of(fiber: SSAValue, coordinate: SSAValue, body: Region, until: SSAValue | None = None) -> PlaceOp:
        operands = (fiber, coordinate) if until is None else (fiber, coordinate, until)
        return create_operation(PlaceOp, operands, regions=[body])

    def verify_(self) -> None:
        assert isinstance(self.fiber.type, FiberType)
        tensor, level = self.fiber.type.tensor, self.fiber.type.level.data
        verify_bound(self.body.block, (fiber_type(tensor, level + 1),), "a place")
        if self.until is not None and not self.fiber.type.level_format.properties.takes_ranges:
            raise VerifyException(f"a level that is {self.fiber.type.level_format} takes single coordinates, no ranges")


@define_operation
class UpdateOp(IRDLOperation):
    """Store a value into a component of a result or a temporary, combining with the old one if an operator is given.

    Rules: all levels of a result are resolved; the value has the element type. `races` says what becomes of updates of
    the same component by several iterations of a parallel loop around it, if there may be any.
    """

    name = "iteration_lattice.update"
    value = operand_def()
    target = operand_def(FiberType | CellType)
    operator = opt_prop_def(StringAttr | SymbolRefAttr)
    races = opt_prop_def(StringAttr)

    @staticmethod
    def of(value: SSAValue, target: SSAValue, operator: Attribute | None, races: StringAttr | None = None) -> UpdateOp:
        given = {"operator": operator, "races": races}
        properties = {name: attribute for name, attribute in given.items() if attribute is not None}
        return create_operation(UpdateOp, (value, target), (), properties)

    def verify_(self) -> None:
        target = self.target.type
        if isinstance(target, CellType):
            element = target.element
        else:
            assert isinstance(target, FiberType)
            element = payload_type(target.tensor, target.level.data)
            if isinstance(element, FiberType):
                raise VerifyException(f"{target} is not a component yet: place it at the coordinates that are left")
        if self.value.type != element:
            raise VerifyException(f"cannot store {self.value.type} in a component of type {element}")
        if self.operator is not None:
            verify_operator(self.operator, self, (element, element), element)

    def print(self, printer: Printer) -> None:
        print_stored(printer, self.operator, self.value)
        printer.print_ssa_value(self.target)
        if self.races is not None:
            printer.print_string(" races ")
            printer.print_attribute(self.races)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.target.type)

    @classmethod
    def parse(cls, parser: Parser) -> UpdateOp:
        operator, value = parse_stored(parser)
        target = parser.parse_unresolved_operand()
        races = None
        if parser.parse_optional_keyword("races"):
            races = StringAttr(parser.parse_str_literal())
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        parser.parse_punctuation(",")
        target_type = parser.parse_type()
        operands = parser.resolve_operand(value, value_type), parser.resolve_operand(target, target_type)
        return UpdateOp.of(*operands, operator, races)


@define_operation
class IfOp(IRDLOperation):
    """Run the first region where a condition holds, else the second."""

    name = "iteration_lattice.if"
    condition = operand_def(i1)
    then = region_def("single_block")
    otherwise = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$condition custom<Statements>($then) `else` custom<Statements>($otherwise) attr-dict"
    custom_directives = (Statements,)

    @staticmethod
    def of(condition: SSAValue, then: Region, otherwise: Region) -> IfOp:
        return create_operation(IfOp, (condition,), regions=[then, otherwise])


@define_operation
class PointOp(IRDLOperation):
    """A lattice point of a sequence: the sub-range from the running coordinate up to `end`, skipped if empty.

    The body's arguments are the sub-range. Afterwards the running coordinate is at least `end`. `phases` names the
    phase of each operand, for readers.
    """

    name = "iteration_lattice.point"
    running = operand_def(CellType)
    end = operand_def(IndexType)
    phases = opt_prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$running `to` $end (`phases` $phases^)? `:` type($running) $body attr-dict"

    @staticmethod
    def of(running: SSAValue, end: SSAValue, phases: Sequence[str], body: Region) -> PointOp:
        names = ArrayAttr([StringAttr(phase) for phase in phases])
        return create_operation(PointOp, (running, end), properties={"phases": names}, regions=[body])

    def verify_(self) -> None:
        verify_bound(self.body.block, (_index, _index), "a point")


@define_operation
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
        return create_operation(WalkOp, (begin, end), regions=[body])

    def verify_(self) -> None:
        verify_bound(self.body.block, (_index,), "a walk")


@define_operation
class MergeOp(IRDLOperation):
    """Visit the chunks of several operands together, from `lo` to `hi` in order of coordinate.

    Each iteration loads the end of every cursor's chunk; the least is the end of the iteration's range, and cursors
    whose chunk ends there are aligned. Then the cases are tried, and aligned cursors advance. Region 0 maps positions
    to ends.

    With `strategy` `cases`, there is a body per case, and the first whose cursors are all aligned runs. Its arguments
    are the range [c, e), then the position and the position after the chunk of each cursor. With `select` there is one
    body, which runs if some case's cursors are all aligned; it also gets whether each cursor is aligned. With `gallop`
    the only case needs all cursors; where they are not aligned, each is searched for the largest of their ends.
    `sentinel` lists the cursors that may run out before `hi`; `nonunique` those whose chunks span several positions.
    With `cut`, `hi` may fall inside a chunk, then no cursor is aligned. With `search`, chunks may span many
    positions, and only a part of them is needed: the end of a chunk is searched.
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
    search = opt_prop_def(UnitAttr)
    load = region_def("single_block")
    bodies = var_region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(NoTerminator())
    assembly_format = (
        "custom<Word>($strategy) $lo `to` $hi `cursors` $cursors `to` $ends `:` type($cursors) "
        "`sentinel` custom<Numbers>($sentinel) `nonunique` custom<Numbers>($nonunique) (`cut` $cut^)? "
        "(`search` $search^)? `load` $load `cases` custom<NumberLists>($cases) custom<Regions>($bodies) attr-dict"
    )
    custom_directives = (Numbers, NumberLists, Regions, Word)

    @property
    def selects(self) -> bool:
        return self.strategy.data == "select"

    def case_sets(self) -> list[tuple[int, ...]]:
        """The cursors that each case needs aligned."""
        return [tuple(number.data for number in case.data) for case in self.cases.data]

    def verify_(self) -> None:
        count = len(self.cursors)
        if count != len(self.ends):
            raise VerifyException(f"{count} cursors need as many ends, got {len(self.ends)}")
        for numbers in (self.sentinel, self.nonunique, *self.cases.data):
            _verify_numbers(numbers, count, "cursor")
        if self.strategy.data not in ("cases", "select", "gallop"):
            raise VerifyException(f"unknown strategy '{self.strategy.data}'; strategies are cases, select and gallop")
        if self.strategy.data == "gallop" and self.case_sets() != [tuple(range(count))]:
            raise VerifyException("a galloping merge has one case, in which all cursors are aligned")
        bodies = 1 if self.selects else len(self.cases)
        if bodies != len(self.bodies):
            raise VerifyException(f"{len(self.cases)} cases need {bodies} regions, got {len(self.bodies)}")
        known = [*[_index] * (2 + 2 * count), *([i1] * count if self.selects else [])]
        for body in self.bodies:
            verify_bound(body.block, known, "a case")
        verify_bound(self.load.block, [_index] * count, "the load region")
        if not isinstance(self.load.block.last_op, YieldOp):
            raise VerifyException("the load region ends in iteration_lattice.yield")
        verify_yielded(yielded(self.load), [_index] * count, "the load region")


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
        EntryOp,
        EntryCountOp,
        EntryNumberOp,
    ],
    [LoopletType],
)
