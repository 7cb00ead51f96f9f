"""Compiles statements: from the front ends' request to a loaded kernel, cached in memory by the request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irtensor.compiler.kernel import Kernel, ResultDescription
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import Statement, accesses
from irtensor.frontend.kernel_request import OperandDescription

_kernels: dict[Any, Kernel] = {}
_KERNEL_LIMIT = 1024


def compile_statement(
    statement: Statement, operands: Mapping[str, OperandDescription], result_format: TensorFormat | None = None
) -> Kernel:
    """The kernel of a statement with explicit reductions; equal requests give the same kernel.

    Raises UserError if the statement cannot be compiled over these formats, saying what prevents it.
    """
    key = (statement, tuple(operands.items()), result_format)
    kernel = _kernels.get(key)
    if kernel is None:
        kernel = _compile(statement, operands, result_format)
        if len(_kernels) >= _KERNEL_LIMIT:
            _kernels.clear()
        _kernels[key] = kernel
    return kernel


def _compile(
    statement: Statement, operands: Mapping[str, OperandDescription], result_format: TensorFormat | None
) -> Kernel:
    from irtensor.compiler.lower_module import lower_module
    from irtensor.frontend.build_index_notation import KERNEL_NAME, build_index_notation
    from irtensor.runtime.cpu_engine import compile_llvm_text
    from irtensor.runtime.emit_llvm import emit_llvm

    request = build_index_notation(statement, operands, result_format)
    lower_module(request.module, "index_notation", "llvm")
    names = request.argument_names
    result = ResultDescription(request.result_dtype, request.result_format, _extent_sources(statement, names))
    kernel = Kernel(names, [operands[name].format for name in names], result)
    kernel.load(compile_llvm_text(emit_llvm(request.module), KERNEL_NAME))
    return kernel


def _extent_sources(statement: Statement, names: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """For every dimension of the result, the operand and dimension that have its extent."""
    sources: dict[str, tuple[int, int]] = {}
    for access in accesses(statement.expression):
        for dimension, index in enumerate(access.indices):
            sources.setdefault(index, (names.index(access.tensor), dimension))
    return tuple(sources[index] for index in statement.target.indices)
