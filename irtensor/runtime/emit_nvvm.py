"""Writes modules of the `llvm` and `nvvm` dialects as LLVM IR text for GPUs of NVIDIA."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp
from xdsl.ir import BlockArgument, Data, Operation

from irtensor.dialects.llvm.kernel_attributes import KERNEL, MAXIMAL_THREADS, MINIMAL_BLOCKS, is_read_only
from irtensor.dialects.llvm.llvm_extra import ConstantRangeAttr
from irtensor.dialects.support.expect import expect
from irtensor.passes.llvm.support.pointers import start_of
from irtensor.passes.support.wrong_stage import wrong_stage
from irtensor.runtime.emit_llvm import Dialect, emit_llvm
from irtensor.runtime.function_emitter import Emitter, FunctionEmitter
from irtensor.runtime.kernel_limits import check_kernels
from irtensor.runtime.llvm_instructions import EMITTERS, convention


def _register(name: str) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        bounds = ""
        if "range" in op.properties:
            limits = expect(op.properties["range"], ConstantRangeAttr)
            bounds = f"range(i32 {limits.lower.data}, {limits.upper.data}) "
        return f"call {bounds}i32 @llvm.nvvm.read.ptx.sreg.{name}()"

    return emit


def _intrinsic(name: Callable[[Operation], str]) -> Emitter:
    """A call of an intrinsic with the operands of the operation in their order."""

    def emit(state: FunctionEmitter, op: Operation) -> str:
        result = state.type(op.results[0].type) if op.results else "void"
        return f"call {result} @llvm.nvvm.{name(op)}({', '.join(state.typed_operands(op))})"

    return emit


def _kind(op: Operation) -> str:
    return expect(op.properties["kind"], Data).data


def _match(op: Operation) -> str:
    """With `all`, the name says that there is a second result."""
    return f"match.{_kind(op)}.sync.{op.operands[1].type}{'p' if _kind(op) == 'all' else ''}"


def _load(state: FunctionEmitter, op: Operation) -> str | None:
    """Of memory that nobody changes meanwhile, as the way to it is another one."""
    text = EMITTERS["llvm.load"](state, op)
    return f"{text}, !invariant.load !{state.metadata.node('')}" if _is_invariant(state.function, op) else text


def _is_invariant(function: llvm.FuncOp, load: Operation) -> bool:
    start = start_of(load.operands[0])
    known = function.arg_attrs
    if not isinstance(start, BlockArgument) or start.owner is not function.body.first_block or known is None:
        return False
    return is_read_only(known.data[start.index])


def _kernel_convention(function: llvm.FuncOp) -> str:
    """What the host launches is a kernel; it has no result."""
    if KERNEL not in function.attributes:
        return convention(function)
    if not isinstance(function.function_type.output, llvm.LLVMVoidType):
        help = "a kernel writes what it computes into memory"
        message = f"kernel '{function.sym_name.data}' returns {function.function_type.output}"
        raise wrong_stage(function, "nvvm", message, help)
    return "ptx_kernel "


def _kernel_attributes(function: llvm.FuncOp) -> str:
    """How a kernel is launched, for the allocation of registers; a call takes long, and needs memory of the thread."""
    if function.linkage.linkage.data == "internal":
        return " alwaysinline"
    threads, blocks = function.attributes.get(MAXIMAL_THREADS), function.attributes.get(MINIMAL_BLOCKS)
    text = ""
    if isinstance(threads, DenseArrayBase):
        text += f' "{MAXIMAL_THREADS}"="{",".join(map(str, threads.get_values()))}"'
    if isinstance(blocks, IntegerAttr):
        text += f' "{MINIMAL_BLOCKS}"="{blocks.value.data}"'
    return text


_EMITTERS: dict[str, Emitter] = {
    **EMITTERS,
    "llvm.load": _load,
    "nvvm.barrier0": lambda state, op: "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
    "nvvm.bar.warp.sync": _intrinsic(lambda op: "bar.warp.sync"),
    "nvvm.shfl.sync": _intrinsic(lambda op: f"shfl.sync.{_kind(op)}.{op.results[0].type}"),
    "nvvm.vote.sync": _intrinsic(lambda op: f"vote.{_kind(op)}.sync"),
    "nvvm.redux.sync": _intrinsic(lambda op: f"redux.sync.{_kind(op)}"),
    "nvvm.match.sync": _intrinsic(_match),
}
for _name in ("tid.x", "ntid.x", "ctaid.x", "nctaid.x", "laneid"):
    _EMITTERS[f"nvvm.read.ptx.sreg.{_name}"] = _register(_name)
_OF_DEVICES = Dialect(_EMITTERS, _kernel_convention, _kernel_attributes, "ptx")


def emit_nvvm(module: ModuleOp) -> str:
    """LLVM IR text of a module of kernels and what they call; errors as those of `emit_llvm` and `check_kernels`."""
    check_kernels(module)
    return emit_llvm(module, _OF_DEVICES)
