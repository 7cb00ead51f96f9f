"""How many bytes values have in memory."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import FixedBitwidthType, VectorType
from xdsl.ir import Attribute


def size_of(type: Attribute) -> int:
    """The bytes that a value of a type of the `llvm` dialect has in memory."""
    if isinstance(type, llvm.LLVMArrayType):
        return type.size.data * size_of(type.type)
    if isinstance(type, VectorType):
        return type.shape.data[0].data * size_of(type.element_type)
    if isinstance(type, llvm.LLVMStructType):
        return sum(map(size_of, type.types.data))
    return -(-type.bitwidth // 8) if isinstance(type, FixedBitwidthType) else 8
