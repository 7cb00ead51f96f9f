"""Kernels that are called one after the other: those of the parts of a statement or of an einsum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.bind_extents import wide_indices
from irtensor.frontend.expression_tree import Statement, accesses
from irtensor.frontend.kernel_request import CompiledStatement, CompileStatement, OperandDescription

if TYPE_CHECKING:
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.frontend.user_operator import UserOperator

# Bytes that an intermediate may take, whatever the operands and the result do.
ALWAYS_ALLOWED = 256 << 20


def allowed_bytes(taken: int, result: int) -> int:
    """How many bytes an intermediate may take, beside operands that take so many and a dense result."""
    return max(ALWAYS_ALLOWED, taken + result)


class Part(NamedTuple):
    """A statement whose result the ones behind it may read, by the name of its target. `size`: elements if dense."""

    statement: Statement
    format: TensorFormat | None
    size: int


class Step(NamedTuple):
    """One call of a kernel. Operands and results are one list; the result goes to its end.

    `arguments` are positions in that list: what the kernel reads. `finished` are those that no later step reads. `big`
    is how many bytes a dense intermediate takes, where only large operands allow that.
    """

    arguments: tuple[int, ...]
    kernel: CompiledStatement
    finished: tuple[int, ...]
    big: int | None


def compile_parts(
    parts: Sequence[Part],
    operands: Sequence[tuple[str, OperandDescription]],
    extents: Mapping[str, int],
    operators: tuple[UserOperator, ...],
    compile_statement: CompileStatement,
) -> tuple[Step, ...]:
    """The kernels for parts of a statement with these operands; one may be there twice. Raises UserError."""
    described, positions = dict(reversed(operands)), {}
    for position, (name, _) in enumerate(operands):
        positions.setdefault(name, position)
    kernels: list[CompiledStatement] = []
    read: list[tuple[int, ...]] = []
    for part in parts:
        kernel = _compiled(part, described, extents, operators, compile_statement)
        read.append(tuple([positions[name] for name in kernel.argument_names]))
        target = part.statement.target
        described[target.tensor] = OperandDescription(kernel.result_dtype, len(target.indices), part.format)
        positions[target.tensor] = len(operands) + len(kernels)
        kernels.append(kernel)
    steps: list[Step] = []
    for number, (part, kernel) in enumerate(zip(parts, kernels, strict=True)):
        later = {position for its in read[number + 1 :] for position in its}
        size = part.size * kernel.result_dtype.itemsize if number < len(parts) - 1 else 0
        finished = tuple([position for position in read[number] if position not in later])
        steps.append(Step(read[number], kernel, finished, size if size > ALWAYS_ALLOWED else None))
    return tuple(steps)


def _compiled(
    part: Part,
    described: Mapping[str, OperandDescription],
    extents: Mapping[str, int],
    operators: tuple[UserOperator, ...],
    compile_statement: CompileStatement,
) -> CompiledStatement:
    statement = part.statement
    shapes = {one.tensor: tuple([extents[i] for i in one.plain_indices]) for one in accesses(statement.expression)}
    read, wide = {name: described[name] for name in shapes}, wide_indices(statement, shapes)
    return compile_statement(statement, read, part.format, operators=operators, wide=wide)


def run_steps(steps: Sequence[Step], operands: Sequence[Any], shape: tuple[int, ...], target: Any) -> Any:
    """What kernels compute one after the other; the last one stores into `target`, if there is one.

    Raises UserError [dense-intermediate].
    """
    current, last = list(operands), len(steps) - 1
    for number, step in enumerate(steps):
        if step.big is not None:
            _check_intermediate(step.big, number, operands, shape)
        result = step.kernel([current[position] for position in step.arguments], target if number == last else None)
        for position in step.finished:
            current[position] = None
        current.append(result)
    return current[-1]


def _check_intermediate(size: int, number: int, operands: Sequence[Any], shape: tuple[int, ...]) -> None:
    """Contracting sparse operands in pairs must not make a dense intermediate that dwarfs them and the result."""
    if all([type(operand) is np.ndarray for operand in operands]):
        return
    taken = sum([operand.nbytes for operand in operands]) + math.prod(shape) * 8
    if size > taken:
        raise UserError(
            "dense-intermediate",
            f"step {number} of the contraction path would make a dense intermediate of {size} bytes, more than 256 MB "
            f"and than the {taken} bytes of operands and result",
            help="omit optimize=, or use optimize=False for one kernel",
        )
