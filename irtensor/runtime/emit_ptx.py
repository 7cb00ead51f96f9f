"""Writes modules of the `llvm` and `nvvm` dialects as PTX."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation

from irtensor.errors import InternalError, UserError
from irtensor.passes.support.wrong_stage import wrong_stage
from irtensor.runtime.device_text import Problem, problem_of
from irtensor.runtime.emit_llvm import kernels_of
from irtensor.runtime.emit_nvvm import emit_nvvm
from irtensor.runtime.nvptx_engine import compile_ptx
from irtensor.runtime.nvptx_targets import Processor, processor_named


def emit_ptx(module: ModuleOp, arch: str) -> str:
    """The PTX of kernels and of what they call, for a processor such as `sm_90`.

    Raises UserError: [wrong-stage] for what GPUs do not have, and [cuda-arch] for what this one does not have, at the
    operation; [cuda-arch] for a processor that is not known; [no-libdevice] if a function needs it and it is missing.
    """
    processor = processor_named(arch)
    # Beside code of the host, kernels have a module of their own.
    module = kernels_of(module, module)
    text = emit_nvvm(module)
    try:
        return compile_ptx(text, processor)
    except InternalError as error:
        problem = problem_of(text, processor)
        if problem is None:
            raise
        raise _refusal(module, problem) from error


def ptx_of_text(text: str, processor: Processor) -> str:
    """The PTX of kernels whose LLVM IR is all that is left of them.

    Raises UserError [cuda-arch] for what the processor does not have, and [no-libdevice].
    """
    try:
        return compile_ptx(text, processor)
    except InternalError as error:
        problem = problem_of(text, processor)
        if problem is None or problem.needs is None:
            raise
        help = f"this statement needs sm_{problem.needs} or a later processor"
        raise UserError("cuda-arch", problem.reason, help=help) from error


def _refusal(module: ModuleOp, problem: Problem) -> UserError:
    """The error about what LLVM was not shown, at the first operation that has it."""
    op = next((op for op in module.walk() if _has(op, problem.word)), module)
    if problem.needs is not None:
        return UserError("cuda-arch", problem.reason, op=op, help=f"compile for sm_{problem.needs} or a later one")
    help = "functions of libdevice compute what intrinsics do not, such as '__nv_exp'"
    return wrong_stage(op, "nvvm", problem.reason, help if problem.word.startswith("llvm.") else None)


def _has(op: Operation, word: str) -> bool:
    """Whether the text of an operation has a word: the name of a function, a type, or a scope."""
    return word.startswith(f"llvm.{op.name}") or word in _names(op) or any(str(type) == word for type in _types(op))


def _names(op: Operation) -> Iterator[str]:
    for attribute in (*op.properties.values(), *op.attributes.values()):
        if isinstance(attribute, StringAttr):
            yield attribute.data
        elif isinstance(attribute, SymbolRefAttr):
            yield attribute.root_reference.data


def _types(op: Operation) -> Iterator[Attribute]:
    yield from op.operand_types
    yield from op.result_types
