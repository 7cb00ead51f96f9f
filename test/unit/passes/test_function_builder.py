"""Pointers in the functions that are built: which memory they are into."""

from xdsl.dialects.builtin import IntAttr, i1, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Operation

from irtensor.dialects.llvm.llvm_extra import AddrSpaceCastOp
from irtensor.passes.llvm.support.function_builder import POINTER, FunctionBuilder

GLOBAL, SHARED = (LLVMPointerType(IntAttr(space)) for space in (1, 3))


def test_addresses_are_in_the_memory_they_are_counted_from():
    builder = FunctionBuilder([GLOBAL, i64])
    memory, place = builder.entry.args
    assert builder.address(memory, place, i64).type == GLOBAL


def test_a_choice_between_two_kinds_of_memory_may_be_any():
    builder = FunctionBuilder([i1, GLOBAL, SHARED])
    condition, near, far = builder.entry.args
    assert builder.select(condition, near, near).type == GLOBAL
    chosen = builder.select(condition, near, far)
    assert chosen.type == POINTER
    assert isinstance(chosen.owner, Operation)
    assert [type(pointer.owner) for pointer in chosen.owner.operands[1:]] == [AddrSpaceCastOp] * 2
