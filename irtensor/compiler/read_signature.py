"""Reads off a function's IR how its kernel is called: which operands it takes converted, where extents come from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue

from irtensor.compiler.kernel_signature import KernelSignature, PassedTensor
from irtensor.dialects.algebra import element_name
from irtensor.dialects.concrete_index import AccessOp, AssignOp, ComputeOp, LetOp
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.storage import format_of
from irtensor.frontend.element_types import ELEMENT_NAMES
from irtensor.frontend.kernel_request import KERNEL_NAME
from irtensor.passes.concrete_index.insert_conversions import converted_operands

_DTYPES = {name: dtype for dtype, name in ELEMENT_NAMES.items()}


def kernel_function(module: ModuleOp, name: str = KERNEL_NAME) -> FuncOp:
    """The function of this name."""
    return next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == name)


def read_signature(
    function: FuncOp, names: Sequence[str] | None = None, extents: Sequence[tuple[int, int]] | None = None
) -> KernelSignature:
    """The signature of a function in the concrete_index stage.

    `names` are those of its operands, by default the arguments' own; `extents` as in KernelSignature, by default found
    in the loops. Raises UserError [unsupported-function] unless it returns one tensor that it defines, from tensors.
    """
    arguments = function.body.block.args
    for argument in arguments:
        if not isinstance(argument.type, TensorType):
            raise _unsupported(f"argument '{argument.name_hint}' of @{function.sym_name.data} is no tensor", function)
    sources = converted_operands(function)
    passed = tuple(_passed(argument.type, n, sources[n]) for n, argument in enumerate(arguments))
    if names is None:
        own = [(n, argument) for n, argument in enumerate(arguments) if sources[n] in (None, n)]
        names = [argument.name_hint or f"arg{n}" for n, argument in own]
    terminator = function.body.block.last_op
    results = terminator.arguments if isinstance(terminator, ReturnOp) else ()
    if len(results) != 1 or not isinstance(compute := results[0].owner, ComputeOp):
        raise _unsupported(f"@{function.sym_name.data} does not return one tensor that it computes", function)
    format = format_of(results[0].type)
    is_plain = format.is_row_major and format.fill is None
    dtype = _DTYPES[element_name(_element(results[0].type))]
    if extents is None:
        extents = [(passed[number].operand, dimension) for number, dimension in _extents(function, compute)]
    return KernelSignature(tuple(names), passed, dtype, None if is_plain else format, tuple(extents))


def argument_dtypes(function: FuncOp) -> list[np.dtype]:
    """The dtypes of a function's tensors."""
    return [_DTYPES[element_name(_element(argument.type))] for argument in function.body.block.args]


def _unsupported(message: str, function: FuncOp) -> UserError:
    help = "a kernel takes tensors and returns one tensor computed by index_notation.assign or concrete_index.compute"
    return UserError("unsupported-function", message, op=function, help=help)


def _element(type: Attribute) -> Attribute:
    assert isinstance(type, TensorType)
    return type.element_type


def _passed(type: Attribute, number: int, source: int | None) -> PassedTensor:
    format = format_of(type)
    chosen = None if format.is_row_major and format.fill is None else format
    if source is None:
        return PassedTensor(number, format.rank, chosen)
    return PassedTensor(source, format.rank, chosen, converted=True)


def _extents(function: FuncOp, compute: ComputeOp) -> list[tuple[int, int]]:
    """For every dimension of the result, an argument and its dimension that are indexed by the same variable."""
    result = compute.body.block.args[0]
    assigns = [op for op in compute.walk() if isinstance(op, AssignOp) and op.tensor is result]
    arguments = list(function.body.block.args)
    sources: dict[SSAValue, tuple[int, int]] = {}
    for access in compute.walk():
        if isinstance(access, AccessOp) and access.tensor in arguments:
            for dimension, index in enumerate(access.indices):
                sources.setdefault(_resolved(index), (arguments.index(access.tensor), dimension))
    for assign in assigns:
        indices = [_resolved(index) for index in assign.indices]
        if all(index in sources for index in indices):
            return [sources[index] for index in indices]
    raise UserError("unknown-extent", "an index variable of the result indexes no argument", op=compute)


def _resolved(index: SSAValue) -> SSAValue:
    """The variable itself behind a `let`."""
    while isinstance(binder := index.owner.parent_op(), LetOp):  # pyright: ignore[reportAttributeAccessIssue]
        index = binder.coordinate
    return index
