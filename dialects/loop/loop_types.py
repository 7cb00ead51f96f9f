"""Types of the `loop` dialect: cells, buffers and growables of one element type."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

INDEX = IndexType()
_WIDTHS = (1, 8, 16, 32, 64)
_OTHER_SCALARS = (IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type)


def is_scalar_element(element: Attribute) -> bool:
    """True for the types a buffer can hold: i1, i8..i64, index, f16, bf16, f32, f64 and complex of the last two."""
    # isinstance() takes ten times as long where the class is another one.
    if type(element) is IntegerType:
        return element.width.data in _WIDTHS
    if type(element) is ComplexType:
        return type(element.element_type) in (Float32Type, Float64Type)
    return type(element) in _OTHER_SCALARS


def is_vector_value(value: Attribute) -> bool:
    if not isinstance(value, VectorType) or isinstance(value.element_type, ComplexType):
        return False
    return len(value.shape.data) == 1 and is_scalar_element(value.element_type)


@lru_cache(maxsize=256)
def vector_of(element: Attribute, lanes: int) -> VectorType:
    """The type of a vector of one dimension, which takes long to make."""
    return VectorType(element, (lanes,))


@cache
def lanes_of(vector: VectorType, element: Attribute) -> VectorType:
    """The type of a vector of the same shape with other elements."""
    return VectorType(element, vector.shape)


def element_of(value: Attribute) -> Attribute:
    """The element type that a value of type `value` occupies in memory: a vector's lane type, or the type itself."""
    return value.element_type if isinstance(value, VectorType) else value


@irdl_attr_definition
class CellType(ParametrizedAttribute, TypeAttribute):
    """A mutable variable of one scalar or one vector, local to a function."""

    name = "loop.cell"
    element: Attribute

    def verify(self) -> None:
        if not is_scalar_element(self.element) and not is_vector_value(self.element):
            raise VerifyException(f"a cell cannot hold {self.element}")


@irdl_attr_definition
class BufferType(ParametrizedAttribute, TypeAttribute):
    """Memory of a caller, seen as consecutive elements; its length is not part of the value."""

    name = "loop.buffer"
    element: Attribute

    def verify(self) -> None:
        if not is_scalar_element(self.element):
            raise VerifyException(f"a buffer cannot hold {self.element}")


@irdl_attr_definition
class GrowableType(ParametrizedAttribute, TypeAttribute):
    """A slot {data, capacity, size} of the caller whose memory a kernel can enlarge."""

    name = "loop.growable"
    element: Attribute

    def verify(self) -> None:
        if not is_scalar_element(self.element):
            raise VerifyException(f"a growable cannot hold {self.element}")


_MEMORIES = (CellType, BufferType, GrowableType)


@cache
def cell_type(element: Attribute) -> CellType:
    """The cell type of `element`, made once."""
    return CellType(element)


@cache
def buffer_type(element: Attribute) -> BufferType:
    """The buffer type of `element`, made once."""
    return BufferType(element)


@cache
def growable_type(element: Attribute) -> GrowableType:
    """The growable type of `element`, made once."""
    return GrowableType(element)


def held_type(memory: SSAValue) -> Attribute:
    """The type of what a cell, a buffer or a growable holds."""
    held = memory.type
    # isinstance() of three classes takes longer than what asks for the type.
    assert type(held) in _MEMORIES
    return cast("CellType", held).element
