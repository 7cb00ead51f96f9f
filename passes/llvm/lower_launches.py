"""What the host does with a device, to the `llvm` dialect: it starts kernels and reads single elements.

Both are functions that whoever links the code gives, for a device of its own; see irtensor/runtime/launch_code.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import Operation

from irtensor.dialects.loop_launch import LaunchOp
from irtensor.passes.llvm.function_builder import element_size
from irtensor.passes.llvm.lower_memory import element_address, load_value
from irtensor.passes.llvm.lower_parallel import pack, parts_of
from irtensor.passes.llvm.support_functions import add_launch, add_read

if TYPE_CHECKING:
    from irtensor.passes.llvm.lower_loop_to_llvm import FunctionLowering


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


LAUNCH_HANDLERS: dict[str, Any] = {"loop.launch": _launch, "loop.read": _read}
