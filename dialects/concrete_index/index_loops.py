"""Operations of `concrete_index` that run statements: for each coordinate of an index variable, for one, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, region_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.support.assembly import Statements
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

_index = IndexType()


@define_operation
class ForallOp(IRDLOperation):
    """Run the body for every coordinate of an index variable; says nothing about how.

    The range is the extent of the dimensions that the variable indexes, or the window from `lo` up to, not including,
    `hi`, computed from variables bound outside. A variable that indexes nothing counts blocks: the windows computed
    from it share no coordinate and are the whole range together. `blocks` says it of one that indexes temporaries,
    `shared_ends` that the last coordinate of a window may be the first of the next.
    Attributes are tags for the loops that it becomes: `unroll`, `vectorize` with a count as i64, `parallel`, `merge`.
    """

    name = "concrete_index.forall"
    bounds = var_operand_def(IndexType)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())

    @staticmethod
    def of(body: Region, bounds: Sequence[SSAValue] = (), tags: Mapping[str, Attribute] = {}) -> ForallOp:
        return create_operation(ForallOp, bounds, regions=[body], attributes=tags)

    @property
    def variable(self) -> SSAValue:
        return self.body.block.args[0]

    def verify_(self) -> None:
        arguments = self.body.block.args
        if len(arguments) != 1 or not isinstance(arguments[0].type, IndexType):
            raise VerifyException("a forall binds one index variable of type index")
        if len(self.bounds) not in (0, 2):
            raise VerifyException("a range has a first coordinate and one past the last")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.variable)
        for word, bound in zip(("from", "to"), self.bounds, strict=False):
            printer.print_string(f" {word} ")
            printer.print_ssa_value(bound)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> ForallOp:
        argument = parser.parse_argument(expect_type=False).resolve(_index)
        bounds: list[SSAValue] = []
        if parser.parse_optional_keyword("from"):
            bounds.append(parser.resolve_operand(parser.parse_unresolved_operand(), _index))
            parser.parse_keyword("to")
            bounds.append(parser.resolve_operand(parser.parse_unresolved_operand(), _index))
        tags = parser.parse_optional_attr_dict_with_keyword()
        return ForallOp.of(parser.parse_region([argument]), bounds, {} if tags is None else tags.data)


@define_operation
class LetOp(IRDLOperation):
    """Bind an index variable to the coordinate that another has: a forall over a single coordinate.

    It makes an access concordant whose dimension is bound already (a diagonal, a transposed dense operand).
    Rule: the coordinate is another index variable, or computed from others (the parts of a blocked dimension).
    Source: Ahrens 2024, section 4 (concordization).
    """

    name = "concrete_index.let"
    coordinate = operand_def(IndexType)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())

    @staticmethod
    def of(coordinate: SSAValue, body: Region) -> LetOp:
        return create_operation(LetOp, (coordinate,), regions=[body])

    def verify_(self) -> None:
        arguments = self.body.block.args
        if len(arguments) != 1 or not isinstance(arguments[0].type, IndexType):
            raise VerifyException("a let binds one index variable of type index")

    @property
    def variable(self) -> SSAValue:
        return self.body.block.args[0]

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.variable)
        printer.print_string(" = ")
        printer.print_ssa_value(self.coordinate)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> LetOp:
        argument = parser.parse_argument(expect_type=False).resolve(_index)
        parser.parse_punctuation("=")
        coordinate = parser.resolve_operand(parser.parse_unresolved_operand(), _index)
        return LetOp.of(coordinate, parser.parse_region([argument]))


@define_operation
class IfOp(IRDLOperation):
    """Run the body where a condition holds (a sieve)."""

    name = "concrete_index.if"
    condition = operand_def(i1)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    assembly_format = "$condition custom<Statements>($body) attr-dict"
    custom_directives = (Statements,)


def binder_of(value: SSAValue) -> Operation | None:
    """The operation whose region binds a value, or that computes it."""
    return value.owner.parent_op() if isinstance(value.owner, Block) else value.owner


def is_whole_index(index: SSAValue) -> bool:
    """Whether an index variable ranges over all of the dimensions that it indexes."""
    return isinstance(binder := binder_of(index), ForallOp) and not binder.bounds


def loop_sources(index: SSAValue) -> set[SSAValue]:
    """The forall variables that an index, or the range of its loop, is computed from; itself if it is one."""
    # A value that is computed repeatedly from one other is visited once.
    waiting, seen = [index], {index}
    while waiting:
        value = waiting.pop()
        binder = binder_of(value)
        inputs: Sequence[SSAValue] = ()
        if isinstance(binder, ForallOp):
            inputs = binder.bounds
        elif isinstance(binder, LetOp):
            inputs = (binder.coordinate,)
        elif binder is not None and isinstance(value.owner, Operation):
            inputs = binder.operands
        waiting += [new for new in inputs if new not in seen]
        seen.update(inputs)
    return {value for value in seen if isinstance(binder_of(value), ForallOp)}
