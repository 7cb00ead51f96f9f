"""Builds the index_notation module of a statement and its operands; no text on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i1,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from irtensor.core.operators import convert
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, OperatorOp
from irtensor.dialects.algebra.scalar_types import ELEMENT_TYPES
from irtensor.dialects.index_notation.affine import AffineOp
from irtensor.dialects.index_notation.bounded import ClampOp, IsInsideOp, WrapOp
from irtensor.dialects.index_notation.index_notation import AccessOp, AssignOp, ReduceOp, YieldOp
from irtensor.dialects.storage.storage import FormatAttr
from irtensor.dialects.storage.storage_types import ENTRIES_OF
from irtensor.frontend.bind_extents import check_result_indices
from irtensor.frontend.build_operator import build_operator, declare_distribution
from irtensor.frontend.choices import with_choices_by_fill
from irtensor.frontend.element_types import check_dtype, element_name
from irtensor.frontend.empty_reductions import nonempty_ranges
from irtensor.frontend.expression_tree import (
    Access,
    Coordinate,
    Index,
    Scalar,
    Span,
    Statement,
    Term,
    tensor_names,
    variables_of,
)
from irtensor.frontend.kernel_request import KERNEL_NAME, NonemptyRange, OperandDescription
from irtensor.frontend.notation.notation_errors import locate
from irtensor.frontend.promotion import type_bodies, type_statement
from irtensor.frontend.result_conversion import check_pattern_result, converted_result
from irtensor.frontend.result_fill import result_fill
from irtensor.frontend.typed_expression import (
    TypedAccess,
    TypedApply,
    TypedCast,
    TypedConstant,
    TypedExpression,
    TypedIf,
    TypedReduce,
    TypedVariable,
)
from irtensor.frontend.user_operator import UserOperator, by_name

_INDEX = IndexType()
_NAME = re.compile(r"[A-Za-z_][\w$.-]*", re.ASCII)
_FORBIDDEN = re.compile(r"[^\w$.-]", re.ASCII)


class IndexNotation(NamedTuple):
    """A module with one function `@kernel`; its arguments are the tensors of `argument_names`, in that order.

    `result_format` is None for a dense row-major result, else the requested format with the fill that follows from the
    statement, unless the request had a fill of its own. `nonempty` lists ranges that need a coordinate for the result
    to be right.
    """

    module: ModuleOp
    argument_names: tuple[str, ...]
    result_dtype: np.dtype
    result_format: TensorFormat | None
    nonempty: tuple[NonemptyRange, ...]


def build_index_notation(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    result_format: TensorFormat | None = None,
    operators: Sequence[UserOperator] = (),
    result_dtype: np.dtype | None = None,
    *,
    is_pattern: bool = False,
) -> IndexNotation:
    """The module of a statement with explicit reductions. Errors are UserErrors that point into the statement's source.

    `result_dtype` is what the result is converted to, by default the one that follows from the statement. `is_pattern`:
    whether it is stored without values in the end.

    Casts follow NumPy's promotion (irtensor.frontend.promotion), so every operator has operands of one type.
    """
    assert statement.operator is None, "insert_reductions comes first"
    check_result_indices(statement)
    statement, table = with_choices_by_fill(statement, operands, by_name(operators))
    typed = type_statement(statement, operands, table)
    if result_dtype is not None:
        typed = converted_result(typed, result_dtype, statement)
    names = tensor_names(statement.expression)
    if is_pattern:
        check_pattern_result(statement, typed.dtype, result_fill(typed, operands, table))
    if result_format is not None and result_format.fill is None and not result_format.is_dense:
        # A zero or unknown fill stays None, the zero of the element type.
        result_format = result_format.with_fill(result_fill(typed, operands, table) or None)
    result_type = _tensor_type(typed.dtype, len(statement.target.indices), result_format)
    arguments = [_operand_type(name, operands[name]) for name in names]
    function = FuncOp(KERNEL_NAME, (arguments, [result_type]))
    known = [operands[name].entries_of for name in names]
    if any(number is not None for number in known):
        function.arg_attrs = ArrayAttr([_entries_of(number) for number in known])
    block = function.body.block
    for name, argument in zip(names, block.args, strict=True):
        _name(argument, name)
    builder = _Builder(statement.source, dict(zip(names, block.args, strict=True)), operands, table)
    assign = builder.build_assign(statement, typed, result_type)
    block.add_ops([assign, ReturnOp(assign.result)])
    declare_distribution(builder.declarations, table)
    module = ModuleOp([*builder.declarations.values(), function])
    nonempty = nonempty_ranges(statement, typed, operands, table, result_format)
    return IndexNotation(module, names, typed.dtype, result_format, nonempty)


def _operand_type(name: str, operand: OperandDescription) -> TensorType[Attribute]:
    check_dtype(operand.dtype, f"operand {name}")
    return _tensor_type(operand.dtype, operand.rank, operand.format)


def _tensor_type(dtype: np.dtype, rank: int, format: TensorFormat | None) -> TensorType[Attribute]:
    element, shape = ELEMENT_TYPES[element_name(dtype)], [DYNAMIC_INDEX] * rank
    if format is None or (format.is_row_major and format.fill is None):
        return TensorType(element, shape)
    return TensorType(element, shape, FormatAttr(format))


def _entries_of(number: int | None) -> DictionaryAttr:
    """The attribute of an argument that has entries where another one has them."""
    return DictionaryAttr({} if number is None else {ENTRIES_OF: IntegerAttr(number, _INDEX)})


def _name(value: SSAValue, name: str) -> None:
    """Print `value` under the user's name, or under one like it where the IR's grammar forbids the name."""
    value.name_hint = name if _NAME.fullmatch(name) else f"t{_FORBIDDEN.sub('_', name)}"


class _Builder:
    def __init__(
        self,
        source: str | None,
        tensors: Mapping[str, SSAValue],
        operands: Mapping[str, OperandDescription],
        operators: Mapping[str, UserOperator],
    ):
        self.source = source
        self.tensors = tensors
        self.operands = operands
        self.operators = operators
        # The module's operators, by name and argument dtype.
        self.declarations: dict[tuple[str, np.dtype], OperatorOp] = {}

    def build_assign(
        self, statement: Statement, value: TypedExpression, result_type: TensorType[Attribute]
    ) -> AssignOp:
        region = self.build_region(statement.target.plain_indices, value, {})
        assign = AssignOp(region, result_type)
        self.set_location(assign, statement.target.span)
        _name(assign.result, statement.target.tensor)
        return assign

    def build_region(
        self, indices: tuple[str, ...], value: TypedExpression, variables: Mapping[str, SSAValue]
    ) -> Region:
        block = Block(arg_types=[_INDEX] * len(indices))
        for index, argument in zip(indices, block.args, strict=True):
            _name(argument, index)
        inner = {**variables, **dict(zip(indices, block.args, strict=True))}
        operands: list[SSAValue] = []
        if isinstance(value, TypedIf):
            operands.append(self.build_value(value.condition, inner, block))
            value = value.body
        operands.insert(0, self.build_value(value, inner, block))
        block.add_op(YieldOp.create(operands=operands))
        return Region(block)

    def build_value(self, value: TypedExpression, variables: Mapping[str, SSAValue], block: Block) -> SSAValue:
        """Append the ops that compute `value` to `block`."""
        element = ELEMENT_TYPES[element_name(value.dtype)]
        span: Span | None = None
        match value:
            case TypedConstant():
                op: Operation = ConstantOp.of(value.value, element)
            case TypedAccess(access=access):
                span = access.span
                return self.build_access(access, element, variables, block)
            case TypedVariable():
                span = value.span
                op = CastOp.of(variables[value.name], element)
            case TypedCast():
                span = value.span
                operand = self.build_value(value.operand, variables, block)
                if operand.type == element:
                    return operand
                op = CastOp.of(operand, element, written=value.written)
            case TypedApply():
                span = value.span
                arguments = [self.build_value(argument, variables, block) for argument in value.arguments]
                op = ApplyOp.of(self.operator(value.operator, value.arguments[0].dtype), arguments, element)
                if value.exact:
                    op.properties["exact"] = UnitAttr()
            case TypedReduce():
                span = value.span
                region = self.build_region(value.indices, value.body, variables)
                op = ReduceOp(self.operator(value.operator, value.dtype), region, element)
            case TypedIf():
                raise AssertionError("a condition is that of a reduction or of a statement")
        self.set_location(op, span)
        block.add_op(op)
        return op.results[0]

    def build_access(
        self, access: Access, element: Attribute, variables: Mapping[str, SSAValue], block: Block
    ) -> SSAValue:
        """Append the ops that read an element, and those that compute its coordinates."""
        tensor = self.tensors[access.tensor]

        def insert(op: Operation) -> SSAValue:
            self.set_location(op, access.span)
            block.add_op(op)
            return op.results[0]

        indices: list[SSAValue] = []
        inside: list[SSAValue] = []
        for dimension, index in enumerate(access.indices):
            coordinate = self.build_index(index, variables, block, insert)
            outside = index.outside if isinstance(index, Coordinate) else None
            if outside == "pad":
                inside.append(insert(IsInsideOp.of(coordinate, tensor, dimension)))
            if outside is not None:
                bounded = WrapOp if outside == "wrap" else ClampOp
                name = coordinate.name_hint
                coordinate = insert(bounded.of(coordinate, tensor, dimension))
                coordinate.name_hint = name
            indices.append(coordinate)
        value = insert(AccessOp(tensor, indices))
        if not inside:
            return value
        is_inside = inside[0]
        for other in inside[1:]:
            is_inside = insert(ApplyOp.of(StringAttr("and"), (is_inside, other), i1))
        padding = insert(ConstantOp.of(self.padding(access), element))
        return insert(ApplyOp.of(StringAttr("where"), (is_inside, value, padding), element))

    def build_index(
        self,
        index: Index | Term,
        variables: Mapping[str, SSAValue],
        block: Block,
        insert: Callable[[Operation], SSAValue],
    ) -> SSAValue:
        """A variable, or what computes a coordinate, before it is brought inside of the dimension."""
        match index:
            case str():
                return variables[index]
            case Access():
                element = ELEMENT_TYPES[element_name(self.operands[index.tensor].dtype)]
                return self.build_access(index, element, variables, block)
            case Coordinate():
                terms = [self.build_index(term, variables, block, insert) for term, _ in index.terms]
                factors = [factor for _, factor in index.terms]
                coordinate = insert(AffineOp.of(terms, factors, index.offset, index.divisor))
                if names := variables_of(index):
                    # As `j + 1` is not `j`, nor `j_1`, which a second `j` is called.
                    _name(coordinate, f"{'_'.join(names)}_at")
                return coordinate

    def padding(self, access: Access) -> Scalar:
        """The value outside of the padded dimensions of an access: a number of the statement, else the fill."""
        operand = self.operands[access.tensor]
        name = element_name(operand.dtype)
        for index in access.indices:
            if isinstance(index, Coordinate) and index.outside == "pad" and index.value is not None:
                return convert(index.value, name)
        fill = None if operand.format is None else operand.format.fill
        return convert(0 if fill is None else fill, name)

    def operator(self, name: str, dtype: np.dtype) -> Attribute:
        """How the IR refers to an operator; a user's is declared for its argument type on the way."""
        if not name.startswith("@"):
            return StringAttr(name)
        if (declared := self.declarations.get((name, dtype))) is None:
            operator = self.operators[name]
            taken = any(known == name for known, _ in self.declarations)
            symbol = f"{operator.name}_{dtype.name}" if taken else operator.name
            declared = build_operator(operator, symbol, type_bodies(operator, dtype), dtype)
            self.declarations[name, dtype] = declared
        return SymbolRefAttr(declared.sym_name.data)

    def set_location(self, op: Operation, span: Span | None) -> None:
        location = locate(self.source, span)
        if location is not None:
            column = IntAttr(location.column)
            op.location = FileLineColLoc(StringAttr(location.file), IntAttr(location.line), column)
