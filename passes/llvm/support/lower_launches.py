"""What the host does with a device, to the `llvm` dialect: it starts kernels, fills memory and reads single elements.

All are functions that whoever links the code gives, for a device of its own; see irtensor/runtime/launch_code.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i1, i32, i64
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.loop.loop_launch import LaunchOp, MemsetOp
from irtensor.passes.llvm.support.byte_patterns import LONGEST, repeated_word
from irtensor.passes.llvm.support.function_builder import FunctionBuilder, element_size
from irtensor.passes.llvm.support.lower_memory import element_address, load_value
from irtensor.passes.llvm.support.lower_parallel import pack, parts_of
from irtensor.passes.llvm.support.support_functions import add_launch, add_memset, add_read
from irtensor.passes.support.wrong_stage import wrong_stage

if TYPE_CHECKING:
    from irtensor.passes.llvm.support.function_lowering import FunctionLowering


def kernel_number(launch: LaunchOp) -> int:
    """Which of the functions of its module of kernels an operation launches."""
    names = [kernel.properties["sym_name"] for kernel in launch.kernels()]
    return names.index(launch.kernel.nested_references.data[-1])


def _launch(state: FunctionLowering, op: Operation) -> None:
    """Keep what the kernel uses in a structure on the stack, in the order of its arguments."""
    assert isinstance(op, LaunchOp)
    builder, values = state.builder, state.values
    iterations, *arguments = op.operands
    words = [word for argument in arguments for word in parts_of(values[argument])]
    # A bool is passed as a byte.
    words = [builder.value(llvm.ZExtOp, (word,), i64) if word.type == i1 else word for word in words]
    operands = (state.context(), builder.integer(kernel_number(op)), values[iterations], pack(state, words))
    state.fail_if_failed(builder.call(add_launch(state.declarations), operands, i32))


def _read(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    element = op.results[0].type
    target = builder.alloca(llvm.LLVMArrayType(2, i64))
    size = builder.integer(element_size(element))
    operands = (state.context(), element_address(state, op.operands[0], op.operands[1]), size, target)
    state.fail_if_failed(builder.call(add_read(state.declarations), operands, i32))
    state.values[op.results[0]] = load_value(state, element, target)


def _memset(state: FunctionLowering, op: Operation) -> None:
    """An element of more than 4 bytes is several of the pattern."""
    assert isinstance(op, MemsetOp)
    builder, values = state.builder, state.values
    size = element_size(op.value.type)
    unit = min(size, LONGEST)
    pattern = _short_pattern(builder, values[op.value]) if size <= LONGEST else _long_pattern(state, op)
    count = builder.value(llvm.SubOp, (values[op.upper], values[op.lower]), i64)
    if size > unit:
        count = builder.value(llvm.MulOp, (count, builder.integer(size // unit)), i64)
    address = element_address(state, op.buffer, op.lower)
    operands = (state.context(), address, pattern, builder.integer(unit), count)
    state.fail_if_failed(builder.call(add_memset(state.declarations), operands, i32))


def _short_pattern(builder: FunctionBuilder, value: SSAValue) -> SSAValue:
    """The bytes of an element of up to 4, at the low end of an integer of 4."""
    if not isinstance(value.type, IntegerType):
        value = builder.value(llvm.BitcastOp, (value,), IntegerType(8 * element_size(value.type)))
    return value if value.type == i32 else builder.value(llvm.ZExtOp, (value,), i32)


def _long_pattern(state: FunctionLowering, op: MemsetOp) -> SSAValue:
    word = repeated_word(op.value)
    if word is None:
        message = f"the bytes of a value of type {op.value.type} are not a constant pattern of {LONGEST} bytes"
        raise wrong_stage(op, state.pass_name, message, "fill with loop.fill, which becomes a kernel")
    return state.builder.integer(word, i32)


LAUNCH_HANDLERS: dict[str, Any] = {"loop.launch": _launch, "loop.memset": _memset, "loop.read": _read}
