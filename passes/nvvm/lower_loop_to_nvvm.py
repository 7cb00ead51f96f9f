"""The pass `lower-loop-to-nvvm`: kernels of the `loop` dialect with upstream scalars, to `llvm` and `nvvm`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.create_operation import create_block
from irtensor.dialects.kernel_attributes import KERNEL
from irtensor.passes.llvm.function_builder import NO_WRAP, SLT, declare
from irtensor.passes.llvm.lower_atomics import ATOMIC_HANDLERS
from irtensor.passes.llvm.lower_complex import COMPLEX_HANDLERS
from irtensor.passes.llvm.lower_control import CONTROL_HANDLERS
from irtensor.passes.llvm.lower_loop_to_llvm import FunctionLowering, argument_types, bind_arguments
from irtensor.passes.llvm.lower_memory import MEMORY_HANDLERS
from irtensor.passes.llvm.lower_scalars import SCALAR_HANDLERS
from irtensor.passes.llvm.lower_sets import SET_HANDLERS
from irtensor.passes.nvvm.device_math import DEVICE_MATH
from irtensor.passes.nvvm.device_memory import DEVICE_MEMORY
from irtensor.passes.nvvm.thread_numbers import thread_of_grid, threads_of_grid
from irtensor.passes.pass_base import TensorPass, structured_functions
from irtensor.passes.wrong_stage import wrong_stage

_UNIT = UnitAttr()
_DEFINED = {"llvm.noundef": _UNIT}
# Growables have slots, which are the host's; nothing on the device can run out of memory.
_NOT_ON_DEVICE = ("loop.reserve", "loop.data", "loop.set_size", "loop.capacity", "loop.part_of", "loop.prefetch")


class KernelLowering(FunctionLowering):
    """One kernel: it returns nothing, and runs to its end."""

    pass_name = "lower-loop-to-nvvm"

    def handler_of(self, op: Operation) -> Any:
        return _HANDLERS.get(op.name)

    def leave(self, status: SSAValue | None = None) -> None:
        self.builder.effect(llvm.ReturnOp, ())


@dataclass(frozen=True)
class LowerLoopToNvvmPass(TensorPass):
    """Lower functions with the attribute `nvvm.kernel`: each thread of the grid takes every so manieth iteration.

    Before: `func.func @f_0(%n: index) attributes {nvvm.kernel} { loop.parallel %i = %0 to %n { body } }`
    After:  `llvm.func @f_0(%n: i64) attributes {nvvm.kernel}`, in which a thread begins with the iteration of its own
            number in the grid, and goes on by the number of threads in the grid
    """

    name = "lower-loop-to-nvvm"
    accepts = ("loop",)
    leaves = ("llvm", "nvvm", "loop")
    after = {
        "outline-launches": "the functions that run on the device are made then",
        "lower-algebra-to-arith": "there is no LLVM code for the operators of algebra",
    }
    before = {"lower-loop-to-llvm": "numbers of kernels are those of functions in their module"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        declarations: dict[Operation, dict[str, Operation]] = {}
        for function in list(structured_functions(op)):
            if KERNEL not in function.attributes:
                continue
            block = function.parent
            module = function.parent_op()
            assert block is not None and module is not None
            known = declarations.setdefault(module, {})
            block.insert_op_before(_lower_kernel(function, known), function)
            function.detach()
        for module, known in declarations.items():
            module.regions[0].block.add_ops(known.values())


def _lower_kernel(source: FuncOp, declarations: dict[str, Operation]) -> Operation:
    block = source.body.block
    types: list[Attribute] = []
    attributes: list[Attribute] = []
    known = source.arg_attrs.data if source.arg_attrs is not None else [DictionaryAttr({})] * len(block.args)
    for argument, given in zip(block.args, known, strict=True):
        assert isinstance(given, DictionaryAttr)
        lowered = argument_types(argument.type)
        types += lowered
        attributes += [DictionaryAttr({**_DEFINED, **given.data}) for _ in lowered]
    state = KernelLowering(declarations, types)
    bind_arguments(state, block.args)
    state.lower_body(block.ops)
    extra: Mapping[str, Attribute] = {"arg_attrs": ArrayAttr(attributes), "no_unwind": _UNIT}
    output = llvm.LLVMVoidType()
    made = declare(source.sym_name.data, types, output, state.builder.finish(), exported=True, **extra)
    made.attributes[KERNEL] = _UNIT
    return made


def _return(state: KernelLowering, op: Operation) -> None:
    state.leave()


def _parallel(state: KernelLowering, op: Operation) -> None:
    builder, values = state.builder, state.values
    lower, upper = values[op.operands[0]], values[op.operands[1]]
    source = op.regions[0].block
    body, after = create_block((i64,)), create_block()
    first = builder.add(lower, thread_of_grid(builder))
    step = threads_of_grid(builder)
    builder.branch_if(builder.compare(SLT, first, upper), body, (first,), after)
    builder.start(body)
    values[source.args[0]] = index = body.args[0]
    state.lower_block(source)
    following = builder.value(llvm.AddOp, (index, step), i64, {"overflowFlags": NO_WRAP})
    builder.branch_if(builder.compare(SLT, following, upper), body, (following,), after)
    builder.start(after)


def _refused(state: KernelLowering, op: Operation) -> None:
    raise wrong_stage(op, state.pass_name, f"'{op.name}' is for the host: a kernel has memory that was made before it")


_HANDLERS: dict[str, Any] = {
    "func.return": _return,
    "loop.parallel": _parallel,
    **CONTROL_HANDLERS,
    **ATOMIC_HANDLERS,
    **SCALAR_HANDLERS,
    **COMPLEX_HANDLERS,
    **MEMORY_HANDLERS,
    **SET_HANDLERS,
    **DEVICE_MEMORY,
    **DEVICE_MATH,
    **dict.fromkeys(_NOT_ON_DEVICE, _refused),
}
