"""The pass `lower-loop-to-nvvm`: kernels of the `loop` dialect with upstream scalars, to `llvm` and `nvvm`."""

from __future__ import annotations

from typing import Any

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, IntAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from irtensor.dialects.llvm.kernel_attributes import GLOBAL_SPACE, KERNEL, MAXIMAL_THREADS, is_read_only
from irtensor.dialects.loop.loop import ParallelOp
from irtensor.dialects.loop.loop_maps import IndexMapOp
from irtensor.dialects.loop.loop_sets import IndexSetOp
from irtensor.dialects.loop.loop_units import units_of
from irtensor.passes.llvm.support.function_builder import POINTER, declare
from irtensor.passes.llvm.support.function_lowering import argument_types, bind_arguments
from irtensor.passes.llvm.support.lower_atomics import ATOMIC_HANDLERS
from irtensor.passes.llvm.support.lower_complex import COMPLEX_HANDLERS
from irtensor.passes.llvm.support.lower_control import CONTROL_HANDLERS
from irtensor.passes.llvm.support.lower_maps import MAP_HANDLERS
from irtensor.passes.llvm.support.lower_memory import MEMORY_HANDLERS
from irtensor.passes.llvm.support.lower_scalars import SCALAR_HANDLERS
from irtensor.passes.llvm.support.lower_sets import SET_HANDLERS
from irtensor.passes.nvvm.support.device_math import COMPLEX_MATH, DEVICE_MATH
from irtensor.passes.nvvm.support.device_memory import DEVICE_MEMORY
from irtensor.passes.nvvm.support.kernel_lowering import KernelLowering
from irtensor.passes.nvvm.support.mapped_loops import MAPPED_LOOPS
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, structured_functions
from irtensor.passes.support.wrong_stage import wrong_stage

_UNIT = UnitAttr()
_GLOBAL_POINTER = llvm.LLVMPointerType(IntAttr(GLOBAL_SPACE))
_DEFINED = {"llvm.noundef": _UNIT}
# Code that goes from member to member of a set, or from cell to cell of a map, gains no speed where LLVM changes its
# loops: it takes half as many registers again.
_LIGHT = ArrayAttr([ArrayAttr([StringAttr("irtensor-effort"), StringAttr("light")])])
# Growables have slots, which are the host's; nothing on the device can run out of memory.
_NOT_ON_DEVICE = ("loop.reserve", "loop.data", "loop.set_size", "loop.capacity", "loop.part_of", "loop.prefetch")


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
        "lower-algebra-to-arith": "operators of algebra have no LLVM code",
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
            _check_threads(function, self.name)
            block.insert_op_before(_lower_kernel(function, known), function)
            function.detach()
        for module, known in declarations.items():
            module.regions[0].block.add_ops(known.values())


def _check_threads(kernel: FuncOp, name: str) -> None:
    """Raise UserError [wrong-stage] unless blocks have as many threads as the kernel is launched with."""
    known = kernel.attributes.get(MAXIMAL_THREADS)
    threads = next(iter(known.get_values()), None) if isinstance(known, DenseArrayBase) else None
    for loop in operations_in(kernel, ParallelOp):
        units = units_of(loop)
        if units is not None and units.word == "blocks" and units.size.data != threads:
            message = f"blocks of {units.size.data} threads are in a kernel without '{MAXIMAL_THREADS}'"
            if threads is not None:
                message = f"blocks of {units.size.data} threads are in a kernel whose blocks have {threads}"
            help = f"give the kernel the attribute {MAXIMAL_THREADS} = array<i32: {units.size.data}>"
            raise wrong_stage(loop, name, message, help)


def _lower_kernel(source: FuncOp, declarations: dict[str, Operation]) -> Operation:
    block = source.body.block
    types: list[Attribute] = []
    attributes: list[Attribute] = []
    known = source.arg_attrs.data if source.arg_attrs is not None else [DictionaryAttr({})] * len(block.args)
    for argument, given in zip(block.args, known, strict=True):
        assert isinstance(given, DictionaryAttr)
        # Memory that a launch passes is that of the device.
        lowered = [_GLOBAL_POINTER if type == POINTER else type for type in argument_types(argument.type)]
        types += lowered
        attributes += [DictionaryAttr({**_DEFINED, **given.data}) for _ in lowered]
    state = KernelLowering(source.sym_name.data, declarations, types, _HANDLERS)
    arguments = zip(state.builder.entry.args, attributes, strict=True)
    state.read_only |= {argument for argument, given in arguments if is_read_only(given)}
    bind_arguments(state, block.args)
    state.lower_body(block.ops)
    extra: dict[str, Attribute] = {"arg_attrs": ArrayAttr(attributes), "no_unwind": _UNIT}
    if operations_in(source, IndexSetOp, IndexMapOp):
        extra["passthrough"] = _LIGHT
    output = llvm.LLVMVoidType()
    made = declare(source.sym_name.data, types, output, state.builder.finish(), exported=True, **extra)
    made.location = source.location
    made.attributes |= {name: value for name, value in source.attributes.items() if name.startswith("nvvm.")}
    return made


def _return(state: KernelLowering, op: Operation) -> None:
    state.leave()


def _refused(state: KernelLowering, op: Operation) -> None:
    raise wrong_stage(op, state.pass_name, f"'{op.name}' is for the host: a kernel has memory that was made before it")


_HANDLERS: dict[str, Any] = {
    "func.return": _return,
    **CONTROL_HANDLERS,
    **ATOMIC_HANDLERS,
    **SCALAR_HANDLERS,
    **COMPLEX_HANDLERS,
    **COMPLEX_MATH,
    **MEMORY_HANDLERS,
    **SET_HANDLERS,
    **MAP_HANDLERS,
    **DEVICE_MEMORY,
    **DEVICE_MATH,
    **MAPPED_LOOPS,
    **dict.fromkeys(_NOT_ON_DEVICE, _refused),
}
