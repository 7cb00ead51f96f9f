"""How the flags of a group of a set, a byte each that is 0 or 1, become the bits of a word."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType, i1, i8, i64
from xdsl.ir import SSAValue

from irtensor.passes.llvm.support.function_builder import NE, PREDICATES, FunctionBuilder

GROUP = VectorType(i8, (64,))
_WORDS, _FLAGS = 8, 8
# Its product with a word has flag i of the word as bit 56 + i, and carries nothing there: 8 * i - 7 * j is another
# number for each two flags i and j.
_COLLECT = sum(1 << (56 - 7 * flag) for flag in range(_FLAGS))

# Read the 64 flags at an address, and let them be 0 if asked for.
ReadFlags = Callable[[FunctionBuilder, SSAValue, bool], SSAValue]


def flags_by_vector(builder: FunctionBuilder, address: SSAValue, drain: bool) -> SSAValue:
    """All at once, on a processor that compares vectors."""
    group, zero = builder.load(address, GROUP, 8), builder.zero(GROUP)
    if drain:
        builder.store(zero, address, 8)
    some = builder.value(llvm.ICmpOp, (group, zero), VectorType(i1, (64,)), {"predicate": PREDICATES[NE]})
    return builder.value(llvm.BitcastOp, (some,), i64)


def flags_by_words(builder: FunctionBuilder, address: SSAValue, drain: bool) -> SSAValue:
    """A word after the other, on one that would compare byte by byte."""
    bits = builder.integer(0)
    for number in range(_WORDS):
        word = builder.address(address, builder.integer(number), i64)
        product = builder.value(llvm.MulOp, (builder.load(word, i64, 8), builder.integer(_COLLECT)), i64)
        if drain:
            builder.store(builder.integer(0), word, 8)
        found = builder.value(llvm.LShrOp, (product, builder.integer(56)), i64)
        shifted = builder.value(llvm.ShlOp, (found, builder.integer(number * _FLAGS)), i64)
        bits = builder.value(llvm.OrOp, (bits, shifted), i64)
    return bits
