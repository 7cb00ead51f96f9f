"""Ops of the `loop` dialect that count: loops whose iterations run one after the other, or at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Self

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_types import INDEX
from irtensor.dialects.loop.loop_units import UnitsAttr, parse_units, print_units, units_of, verify_units
from irtensor.dialects.support.create_operation import create_block, create_operation, create_region
from irtensor.dialects.support.define_operation import define_operation
from irtensor.dialects.support.is_inside import innermost_around, is_inside


class CountedOp(IRDLOperation):
    """Runs the body for each index from `lower` up to, not including, `upper`; bounds are read once."""

    lower = operand_def(INDEX)
    upper = operand_def(INDEX)
    body = region_def("single_block")
    HAS_UNITS: ClassVar[bool] = False

    @classmethod
    def of(cls, lower: SSAValue, upper: SSAValue, hints: Mapping[str, Attribute] = {}) -> Self:
        """A loop with an empty body."""
        region = create_region(create_block((INDEX,)))
        return create_operation(cls, (lower, upper), regions=(region,), attributes=hints)

    @property
    def induction(self) -> SSAValue:
        return self.body.block.args[0]

    def verify_(self) -> None:
        if [argument.type for argument in self.body.block.args] != [INDEX]:
            raise VerifyException("the body takes one argument of type index")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.induction)
        printer.print_string(" = ")
        printer.print_ssa_value(self.lower)
        printer.print_string(" to ")
        printer.print_ssa_value(self.upper)
        units = units_of(self)
        if units is not None:
            print_units(units, printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        induction = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        lower = parser.resolve_operand(parser.parse_unresolved_operand(), INDEX)
        parser.parse_keyword("to")
        upper = parser.resolve_operand(parser.parse_unresolved_operand(), INDEX)
        units = parse_units(parser) if cls.HAS_UNITS else None
        hints = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region((induction.resolve(INDEX),))
        properties = {} if units is None else {"on": units}
        attributes = hints.data if hints else {}
        return create_operation(cls, (lower, upper), regions=(body,), attributes=attributes, properties=properties)


@define_operation
class PartsOp(IRDLOperation):
    """Into how many parts so many iterations of inner loops are worth dividing: at least 1, more if threads are free.

    The threads are those that the call of the function may use. With `each`, how many elements every part makes ready
    and combines with the others', there are as few parts as will do, and none that has not much more work than that.
    """

    name = "loop.parts"
    work = operand_def(INDEX)
    each = opt_operand_def(INDEX)
    parts = result_def(INDEX)
    assembly_format = "$work (`each` $each^)? attr-dict"

    @staticmethod
    def of(work: SSAValue, each: SSAValue | None = None) -> PartsOp:
        return create_operation(PartsOp, (work,) if each is None else (work, each), (INDEX,))


# What changes the state of a cell, a growable, a counter, a set or a map, and which operand it is.
_CHANGES = {
    **{"loop.set": 1, "loop.reserve": 0, "loop.set_size": 0},
    **{"loop.append": 1, "loop.assembled": 0},
    **{"loop.insert": 1, "loop.remove": 1, "loop.clear": 0, "loop.members": 0, "loop.visit": 0},
    **{"loop.map_insert": 2, "loop.map_clear": 0, "loop.map_list": 0},
}


# What only the host does: a device has no slots, no memory to give, and no status to return.
OF_THE_HOST = ("loop.reserve", "loop.set_size", "loop.require", "loop.launch", "loop.read", "func.call")


@define_operation
class ParallelOp(CountedOp):
    """A counted loop whose iterations may run at the same time, on several threads, and in any order.

    `on` says among which units of a device they are divided (`UnitsAttr`): a loop on blocks has loops on teams or on
    threads inside, and one on teams has loops on lanes. Operations between them are done by all threads alike, and
    stores there are done once. Without units, iterations are divided among all available threads, and no other
    parallel loop is around.

    Rules: cells, growables, counters, sets and maps made outside are only read inside; what iterations write to buffers
    is up to the author. `loop.reduce` is how lanes or threads change a cell that is made outside of their loop.
    """

    name = "loop.parallel"
    on = opt_prop_def(UnitsAttr)
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())
    HAS_UNITS: ClassVar[bool] = True

    @classmethod
    def on_units(cls, lower: SSAValue, upper: SSAValue, units: UnitsAttr) -> Self:
        """A loop on units of a device, with an empty body."""
        region = create_region(create_block((INDEX,)))
        return create_operation(cls, (lower, upper), regions=(region,), properties={"on": units})

    def verify_(self) -> None:
        super().verify_()
        verify_units(self, self.lower, self.upper, parallel_loop_around(self))
        for op in self.body.walk():
            self._verify_inside(op)

    def _verify_inside(self, op: Operation) -> None:
        if isinstance(op, PartsOp):
            raise VerifyException("an iteration of a parallel loop has one thread: there is nothing to divide")
        if self.on is not None and op.name in OF_THE_HOST:
            raise VerifyException(f"'{op.name}' is for the host, and not inside of a loop on {self.on.word}")
        changed = changed_by(op)
        if changed is not None and not is_inside(changed, self):
            message = f"'{op.name}' changes memory made outside of the loop: iterations would race for it"
            raise VerifyException(message)


def parallel_loop_around(op: Operation) -> ParallelOp | None:
    """The innermost parallel loop that an operation is inside of, if there is one."""
    return innermost_around(op, ParallelOp)


def changed_by(op: Operation) -> SSAValue | None:
    """The cell, growable, counter, set or map whose state an operation changes, if it does so."""
    number = _CHANGES.get(op.name)
    return None if number is None else op.operands[number]


def used_from_outside(op: Operation) -> list[SSAValue]:
    """What the regions of an operation use of the function around it, in order of first use."""
    arguments = {argument for region in op.regions for block in region.blocks for argument in block.args}
    operations = [inner for region in op.regions for block in region.blocks for inner in block.ops]
    return [value for value in used_by(operations) if value not in arguments]


def used_by(operations: Iterable[Operation]) -> list[SSAValue]:
    """What operations, and those in their regions, use and do not make, in order of first use."""
    # By identity: the hash of a value is a function in Python.
    inside: set[int] = set()
    used: dict[int, SSAValue] = {}
    _collect_values(operations, inside, used)
    return [value for key, value in used.items() if key not in inside]


def _collect_values(operations: Iterable[Operation], inside: set[int], used: dict[int, SSAValue]) -> None:
    for op in operations:
        for operand in op._operands:
            used[id(operand)] = operand
        inside.update(map(id, op.results))
        for region in op.regions:
            for block in region.blocks:
                inside.update(map(id, block.args))
                _collect_values(block.ops, inside, used)
