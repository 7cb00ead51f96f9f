"""Values whose bytes are one pattern of 1, 2 or 4 bytes, repeated: what a GPU's driver fills memory with."""

from __future__ import annotations

import struct

from xdsl.dialects import arith
from xdsl.dialects.builtin import ComplexType, IndexType, IntegerType, f32, f64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.operators import Scalar
from irtensor.dialects.algebra.scalar_types import constant_value
from irtensor.passes.llvm.support.function_builder import element_size

# In bytes.
LONGEST = 4
_LETTERS: dict[Attribute, str] = {f32: "f", f64: "d"}
_CONSTANTS = ("algebra.constant", "arith.constant", "complex.constant")


def has_pattern(value: SSAValue) -> bool:
    """Whether the bytes of an element are a pattern: any that is short, and of the others constants."""
    return element_size(value.type) <= LONGEST or repeated_word(value) is not None


def repeated_word(value: SSAValue) -> int | None:
    """The 4 bytes that a constant of more bytes consists of, as an integer."""
    words = _words(value)
    return words[0] if words and len(set(words)) == 1 else None


def _words(value: SSAValue) -> tuple[int, ...]:
    """The bytes of a constant in pieces of 4, in memory's order; nothing for a value that is not known."""
    owner = value.owner
    if isinstance(owner, arith.IndexCastOp) and _integer_bytes(owner.input.type) == element_size(value.type):
        return _words(owner.input)
    constant = _constant(owner)
    if isinstance(constant, int) and _integer_bytes(value.type) == 8:
        return struct.unpack("<2I", struct.pack("<Q", constant % (1 << 64)))
    float_type = value.type.element_type if isinstance(value.type, ComplexType) else value.type
    letter = _LETTERS.get(float_type)
    if letter is None or not isinstance(constant, float | complex):
        return ()
    parts = (constant.real, constant.imag) if isinstance(value.type, ComplexType) else (constant.real,)
    data = struct.pack(f"<{len(parts)}{letter}", *parts)
    return struct.unpack(f"<{len(data) // LONGEST}I", data)


def _constant(owner: Operation | Block) -> Scalar | None:
    if isinstance(owner, Operation) and owner.name in _CONSTANTS:
        return constant_value(owner.properties["value"])
    return None


def _integer_bytes(type: Attribute) -> int | None:
    return element_size(type) if isinstance(type, IntegerType | IndexType) else None
