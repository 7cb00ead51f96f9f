"""Types without operations of their own as those of registers, once each operation says itself how it reads them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DictionaryAttr,
    Float16Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    i16,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.element_values import convert
from irtensor.dialects.algebra.scalar_types import ELEMENT_TYPES, is_unsigned
from irtensor.dialects.loop.loop_types import BufferType, CellType, GrowableType
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.support.operations_in import everything_in

_HOLDERS = (CellType, BufferType, GrowableType)
_STORED_FLOATS = (Float16Type, BFloat16Type)


def use_types_of_registers(root: Operation) -> None:
    """Give values, constants and functions in `root` types of registers: of integers without a sign plain ones, and of
    f16 and bf16 the integer of their bits."""
    operations = everything_in(root)
    if not any(map(_mentions_other, operations)):
        return
    known: dict[Attribute, Attribute] = {}
    for op in operations:
        values: list[SSAValue] = [*op.results]
        for region in op.regions:
            for block in region.blocks:
                values += block.args
        for value in values:
            if (type := _in_register(value.type, known)) is not value.type:
                Rewriter.replace_value_with_new_type(value, type)
        op.properties = {name: _in_register(value, known) for name, value in op.properties.items()}
        op.attributes = {name: _in_register(value, known) for name, value in op.attributes.items()}
    for op in operations:
        if isinstance(op, arith.BitcastOp) and op.input.type == op.result.type:
            op.result.replace_all_uses_with(op.input)
            erase_operation(op)


def _mentions_other(op: Operation) -> bool:
    for region in op.regions:
        for block in region.blocks:
            if any(_holds_other(argument.type) for argument in block.args):
                return True
    return any(_holds_other(result.type) for result in op.results)


def _holds_other(type_: Attribute) -> bool:
    # isinstance() of several classes takes ten times as long.
    held: Any = type_.element if type(type_) in _HOLDERS else type_  # pyright: ignore[reportAttributeAccessIssue]
    return is_unsigned(held) if type(held) is IntegerType else type(held) in _STORED_FLOATS


def _in_register(attribute: Attribute, known: dict[Attribute, Attribute]) -> Any:
    """An attribute with types of registers; itself where it has no others."""
    found = known.get(attribute)
    if found is None:
        found = known[attribute] = _changed(attribute, known)
    return found


def _changed(attribute: Attribute, known: dict[Attribute, Attribute]) -> Attribute:
    match attribute:
        case IntegerType():
            return ELEMENT_TYPES[f"i{attribute.width.data}"] if is_unsigned(attribute) else attribute
        case Float16Type() | BFloat16Type():
            return i16
        case IntegerAttr(value=number, type=IntegerType() as type) if is_unsigned(type):
            width = type.width.data
            return IntegerAttr(int(convert(number.data, f"i{width}").real), IntegerType(width))
        case FloatAttr(value=number, type=Float16Type()):
            return IntegerAttr(*struct.unpack("<h", struct.pack("<e", convert(number.data, "f16"))), i16)
        case FloatAttr(value=number, type=BFloat16Type()):
            # The first half of the same number in f32.
            return IntegerAttr(*struct.unpack("<2xh", struct.pack("<f", convert(number.data, "bf16"))), i16)
        case ArrayAttr():
            return ArrayAttr(_all(attribute.data, known))
        case DictionaryAttr():
            return DictionaryAttr({name: _in_register(value, known) for name, value in attribute.data.items()})
        case ParametrizedAttribute():
            parameters = _all(attribute.parameters, known)
            same = all(one is other for one, other in zip(parameters, attribute.parameters, strict=True))
            return attribute if same else attribute.new(parameters)
        case _:
            return attribute


def _all(attributes: Sequence[Attribute], known: dict[Attribute, Attribute]) -> list[Attribute]:
    return [_in_register(one, known) for one in attributes]
