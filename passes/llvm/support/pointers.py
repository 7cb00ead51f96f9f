"""Facts about a pointer of the `llvm` dialect: into which kind of memory it points, and from which pointer it is
computed."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import SSAValue

from irtensor.dialects.support.expect import expect


def address_space(pointer: SSAValue) -> int:
    """The number of the kind of memory that a pointer is into; 0 if it may be any."""
    space = expect(pointer.type, llvm.LLVMPointerType).addr_space
    return space.data if isinstance(space, IntAttr) else 0


def start_of(pointer: SSAValue) -> SSAValue:
    """The pointer that an address is counted from."""
    while isinstance(pointer.owner, llvm.GEPOp):
        pointer = pointer.owner.ptr
    return pointer
