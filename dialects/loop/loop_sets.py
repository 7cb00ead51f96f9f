"""Ops of the `loop` dialect on sets of integers, which are listed in order."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr, i1, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    MemoryAllocEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoTerminator,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_parallel import ParallelOp
from irtensor.dialects.loop.loop_types import INDEX, BufferType, buffer_type
from irtensor.dialects.support.create_operation import create_block, create_operation, create_region
from irtensor.dialects.support.define_operation import define_operation


@irdl_attr_definition
class IndexSetType(ParametrizedAttribute, TypeAttribute):
    """A set of integers in [0, extent): insertion, membership, and listing in ascending order."""

    name = "loop.index_set"


_SET = IndexSetType()
# Attribute of sets whose members nothing goes through.
UNLISTED = "unlisted"


@define_operation
class IndexSetOp(IRDLOperation):
    """A new, empty set for integers from 0 up to, not including, `extent`; given back when the function ends.

    At the top of a parallel loop, each iteration has one of its own. With `memory`, a buffer of i64, the set lies
    there: empty if all of it is 0. Rules: it has room for a bit, and for a byte, per integer; see `place-memory`. All
    sets that lie in one buffer have the attribute `unlisted`, or none has: nothing goes through their members.
    """

    name = "loop.index_set"
    extent = operand_def(INDEX)
    memory = opt_operand_def(BufferType)
    set = result_def(_SET)
    # Beside loops and branches, so that there is one per call or iteration.
    traits = traits_def(MemoryAllocEffect(), HasParent(FuncOp, ParallelOp))
    assembly_format = "$extent (`in` $memory^ `:` type($memory))? attr-dict"

    @staticmethod
    def of(extent: SSAValue, memory: SSAValue | None = None) -> IndexSetOp:
        return create_operation(IndexSetOp, (extent,) if memory is None else (extent, memory), (_SET,))

    def is_never_listed(self) -> bool:
        """Whether nothing is done with the set but to ask for single integers, and to put them in and take them out."""
        if self.memory is not None:
            return UNLISTED in self.attributes
        return all(isinstance(use.operation, InsertOp | RemoveOp | ContainsOp) for use in self.set.uses)

    def verify_(self) -> None:
        if self.memory is not None and self.memory.type != buffer_type(i64):
            raise VerifyException(f"a set lies in a buffer of i64, not {self.memory.type}")


@define_operation
class InsertOp(IRDLOperation):
    """Put an integer into a set; the result says whether it was there already."""

    name = "loop.insert"
    member = operand_def(INDEX)
    set = operand_def(_SET)
    present = result_def(i1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$member `into` $set attr-dict"

    @staticmethod
    def of(member: SSAValue, set: SSAValue) -> InsertOp:
        return create_operation(InsertOp, (member, set), (i1,))


@define_operation
class RemoveOp(IRDLOperation):
    """Take an integer out of a set; the result says whether it was there."""

    name = "loop.remove"
    member = operand_def(INDEX)
    set = operand_def(_SET)
    present = result_def(i1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$member `from` $set attr-dict"

    @staticmethod
    def of(member: SSAValue, set: SSAValue) -> RemoveOp:
        return create_operation(RemoveOp, (member, set), (i1,))


@define_operation
class ContainsOp(IRDLOperation):
    """Whether an integer is in a set."""

    name = "loop.contains"
    member = operand_def(INDEX)
    set = operand_def(_SET)
    present = result_def(i1)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$member `in` $set attr-dict"

    @staticmethod
    def of(member: SSAValue, set: SSAValue) -> ContainsOp:
        return create_operation(ContainsOp, (member, set), (i1,))


@define_operation
class MembersOp(IRDLOperation):
    """Write the members of a set to a buffer of i64 in ascending order; the result is their number.

    Takes time proportional to that number. With `drain` the set is empty afterwards. Without members, the
    first element becomes 0: a merge may read it, and what it leads to, before it drops both. Rule: the buffer has room
    for all members, and for one.
    """

    name = "loop.members"
    set = operand_def(_SET)
    buffer = operand_def(BufferType)
    drain = opt_prop_def(UnitAttr)
    count = result_def(INDEX)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$set `into` $buffer (`drain` $drain^)? attr-dict `:` type($buffer)"

    @staticmethod
    def of(set: SSAValue, buffer: SSAValue) -> MembersOp:
        return create_operation(MembersOp, (set, buffer), (INDEX,))

    def verify_(self) -> None:
        if self.buffer.type != buffer_type(i64):
            raise VerifyException(f"members are listed in a buffer of i64, not {self.buffer.type}")


@define_operation
class ClearOp(IRDLOperation):
    """Take all members out of a set, in time proportional to their number."""

    name = "loop.clear"
    set = operand_def(_SET)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$set attr-dict"

    @staticmethod
    def of(set: SSAValue) -> ClearOp:
        return create_operation(ClearOp, (set,))


@define_operation
class VisitOp(IRDLOperation):
    """Run the body for each member of a set in ascending order; the set is empty afterwards.

    Takes time proportional to the number of members. Rule: the body does not use the set.
    """

    name = "loop.visit"
    set = operand_def(_SET)
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect(), MemoryReadEffect(), MemoryWriteEffect())

    @staticmethod
    def of(set: SSAValue) -> VisitOp:
        """A visit with an empty body."""
        return create_operation(VisitOp, (set,), regions=(create_region(create_block((INDEX,))),))

    @property
    def member(self) -> SSAValue:
        return self.body.block.args[0]

    def verify_(self) -> None:
        if [argument.type for argument in self.body.block.args] != [INDEX]:
            raise VerifyException("the body takes one argument of type index")
        if any(self.set in op.operands for op in self.body.walk()):
            raise VerifyException("the body uses the set that is visited")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.member)
        printer.print_string(" in ")
        printer.print_ssa_value(self.set)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> VisitOp:
        member = parser.parse_argument(expect_type=False)
        parser.parse_keyword("in")
        set = parser.resolve_operand(parser.parse_unresolved_operand(), _SET)
        hints = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region((member.resolve(INDEX),))
        return create_operation(VisitOp, (set,), regions=(body,), attributes=hints.data if hints else {})
