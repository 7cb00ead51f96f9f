"""The `index_notation` dialect: the computation without loops, in SSA form; index variables are block arguments.

Source: Kjolstad 2020, sections 4.1-4.2. A reduction's scope is its region: which terms it covers is never a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IndexType, StringAttr, SymbolRefAttr, TensorType, i1
from xdsl.ir import Attribute, Block, Dialect, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.algebra.algebra import verify_operator
from irtensor.dialects.index_notation.affine import AffineOp
from irtensor.dialects.index_notation.bounded import ClampOp, IsInsideOp, WrapOp
from irtensor.dialects.storage.static_extents import Indexed, check_static_extents, name_text
from irtensor.dialects.storage.storage import verify_tensor
from irtensor.dialects.support.assembly import (
    parse_index_region,
    parse_operator,
    parse_tensor_type,
    print_index_region,
    print_operator,
)
from irtensor.dialects.support.define_operation import define_operation
from irtensor.dialects.support.expect import expect

_index = IndexType()


@define_operation
class YieldOp(IRDLOperation):
    """The value of an `assign` or `reduce` region; with a condition, where that holds.

    Elsewhere a reduction combines nothing, and of a definition nothing is stored.
    """

    name = "index_notation.yield"
    value = operand_def()
    condition = opt_operand_def(i1)
    traits = traits_def(IsTerminator())
    assembly_format = "$value `:` type($value) (`if` $condition^)? attr-dict"


@define_operation
class AccessOp(IRDLOperation):
    """One component of a tensor: `index_notation.access %A[%i, %j]`.

    Rules: one index per dimension; indices are index variables of enclosing regions, or coordinates computed from them
    (`affine`, `clamp`, `wrap`); the result is the element type.
    """

    name = "index_notation.access"
    tensor = operand_def(TensorType)
    indices = var_operand_def(IndexType)
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, tensor: SSAValue, indices: Sequence[SSAValue]):
        assert isinstance(tensor.type, TensorType)
        super().__init__(operands=[tensor, indices], result_types=[tensor.type.element_type])

    def verify_(self) -> None:
        assert isinstance(self.tensor.type, TensorType)
        verify_tensor(self.tensor.type)
        rank = len(self.tensor.type.shape)
        if len(self.indices) != rank:
            raise VerifyException(f"the tensor has {rank} dimensions, the access has {len(self.indices)} indices")
        for number, index in enumerate(self.indices):
            binder = index.owner.parent_op() if isinstance(index.owner, Block) else index.owner
            if not isinstance(binder, AssignOp | ReduceOp | AffineOp | ClampOp | WrapOp):
                raise VerifyException(
                    f"index {number} is not an index variable of an assign or reduce around the access, "
                    "nor computed from some"
                )
        if self.result.type != self.tensor.type.element_type:
            raise VerifyException(f"an access gives {self.tensor.type.element_type}, not {self.result.type}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tensor)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)

    @classmethod
    def parse(cls, parser: Parser) -> AccessOp:
        tensor = parser.parse_unresolved_operand()
        names = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        tensor_type = parse_tensor_type(parser, "an access reads a tensor")
        indices = [parser.resolve_operand(name, _index) for name in names]
        op = AccessOp(parser.resolve_operand(tensor, tensor_type), indices)
        op.attributes = attributes
        return op


@define_operation
class ReduceOp(IRDLOperation):
    """Combine the region's value over all values of its index variables with an operator.

    Rules: the operator is associative and has an identity (checked by `check-index-notation`); the region yields the
    result type.
    """

    name = "index_notation.reduce"
    operator = prop_def(StringAttr | SymbolRefAttr)
    result = result_def()
    body = region_def("single_block")

    def __init__(self, operator: Attribute, body: Region, result: Attribute):
        super().__init__(properties={"operator": operator}, regions=[body], result_types=[result])

    @property
    def indices(self) -> tuple[SSAValue, ...]:
        return tuple(self.body.block.args)

    @property
    def value(self) -> SSAValue:
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last.value

    @property
    def condition(self) -> SSAValue | None:
        """Where the value counts; everywhere if it is None."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last.condition

    def verify_(self) -> None:
        element = self.result.type
        verify_operator(self.operator, self, (element, element), element)
        _verify_region(self.body.block, element, "reduce")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_operator(printer, self.operator)
        print_index_region(printer, self.body, self.result.type)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        operator = parse_operator(parser)
        body, result = parse_index_region(parser)
        op = ReduceOp(operator, body, result)
        op.attributes = parser.parse_optional_attr_dict()
        return op


@define_operation
class AssignOp(IRDLOperation):
    """Define a tensor: every component is the region's value at its coordinates.

    Rules: one index variable per dimension of the result; the region yields the element type.
    """

    name = "index_notation.assign"
    result = result_def(TensorType)
    body = region_def("single_block")

    def __init__(self, body: Region, result: Attribute):
        super().__init__(regions=[body], result_types=[result])

    @property
    def indices(self) -> tuple[SSAValue, ...]:
        return tuple(self.body.block.args)

    @property
    def value(self) -> SSAValue:
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last.value

    @property
    def condition(self) -> SSAValue | None:
        """Where the value counts; everywhere if it is None."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last.condition

    def verify_(self) -> None:
        assert isinstance(self.result.type, TensorType)
        verify_tensor(self.result.type)
        rank = len(self.result.type.shape)
        if len(self.body.block.args) != rank:
            raise VerifyException(
                f"the result has {rank} dimensions, {len(self.body.block.args)} index variables given"
            )
        _verify_region(self.body.block, self.result.type.element_type, "assign")
        check_static_extents(self._indexed())

    def _indexed(self) -> Iterator[Indexed]:
        yield self, "the result", self.result.type, self.indices
        for access in self.body.walk():
            if not isinstance(access, AccessOp):
                continue
            type = expect(access.tensor.type, TensorType)
            if len(access.indices) == type.get_num_dims():
                yield access, name_text(access.tensor), type, access.indices

    def print(self, printer: Printer) -> None:
        print_index_region(printer, self.body, self.result.type)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> AssignOp:
        body, result = parse_index_region(parser)
        op = AssignOp(body, result)
        op.attributes = parser.parse_optional_attr_dict()
        return op


def _verify_region(block: Block, expected: Attribute, what: str) -> None:
    if any(not isinstance(argument.type, IndexType) for argument in block.args):
        raise VerifyException("index variables have type index")
    last = block.last_op
    if not isinstance(last, YieldOp):
        raise VerifyException(f"an index_notation.{what} region ends in index_notation.yield")
    if last.value.type != expected:
        raise VerifyException(f"the region yields {last.value.type}, expected {expected}")


IndexNotation = Dialect(
    "index_notation", [AccessOp, AffineOp, ClampOp, WrapOp, IsInsideOp, ReduceOp, AssignOp, YieldOp], []
)
