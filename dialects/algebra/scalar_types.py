"""Element types, their names in the IR, and scalar constants as attributes."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i1,
)
from xdsl.ir import Attribute

from irtensor.core.operators import Scalar

ELEMENT_TYPES: dict[str, Attribute] = {
    "i1": i1,
    "i8": IntegerType(8),
    "i16": IntegerType(16),
    "i32": IntegerType(32),
    "i64": IntegerType(64),
    **{f"ui{bits}": IntegerType(bits, Signedness.UNSIGNED) for bits in (8, 16, 32, 64)},
    "f16": f16,
    "bf16": bf16,
    "f32": f32,
    "f64": f64,
    "complex<f32>": ComplexType(f32),
    "complex<f64>": ComplexType(f64),
}


def element_name(element: Attribute) -> str:
    """IR spelling of an element type: the key of operator traits."""
    if isinstance(element, Float64Type):
        return "f64"
    if isinstance(element, IntegerType):
        return f"{'u' if is_unsigned(element) else ''}i{element.width.data}"
    if isinstance(element, Float32Type):
        return "f32"
    if isinstance(element, Float16Type | BFloat16Type):
        return element.name
    if isinstance(element, ComplexType):
        return f"complex<{element_name(element.element_type)}>"
    return "index"


def is_unsigned(element: Attribute) -> bool:
    """Whether a type is that of integers without a sign."""
    return isinstance(element, IntegerType) and element.signedness.data is Signedness.UNSIGNED


def constant_attribute(value: Scalar, element: Attribute) -> Attribute:
    """`value` as an attribute of an element type; a complex number is a pair of floats."""
    if isinstance(element, ComplexType):
        number = complex(value)
        part = element.element_type
        return ArrayAttr([FloatAttr(number.real, part), FloatAttr(number.imag, part)])
    if isinstance(element, Float32Type | Float64Type | Float16Type | BFloat16Type):
        return FloatAttr(float(value.real), element)
    assert isinstance(value, int) and isinstance(element, IntegerType | IndexType)
    return IntegerAttr(-1 if value is True and element == i1 else int(value), element)


def constant_value(attribute: Attribute) -> Scalar | None:
    """The Python scalar that an attribute made by `constant_attribute` holds, or None."""
    if isinstance(attribute, FloatAttr):
        return attribute.value.data
    if isinstance(attribute, IntegerAttr):
        value = attribute.value.data
        return bool(value) if attribute.type == i1 else value
    if isinstance(attribute, ArrayAttr) and len(attribute.data) == 2:
        real, imaginary = attribute.data
        if isinstance(real, FloatAttr) and isinstance(imaginary, FloatAttr):
            return complex(real.value.data, imaginary.value.data)
    return None


def constant_type(value: Attribute) -> Attribute | None:
    """Element type of a constant made by `constant_attribute`, or None."""
    if isinstance(value, ArrayAttr) and constant_value(value) is not None:
        return ComplexType(value.data[0].type)
    return value.type if isinstance(value, FloatAttr | IntegerAttr) else None
