"""Reads programs from IR as the values on which schedules are searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, WhereOp
from irtensor.dialects.storage import fill_of, format_of
from irtensor.dialects.tensor_format import LEVEL_PROPERTIES
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.name_workspaces import number_workspaces
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Expression,
    Forall,
    Indices,
    Literal,
    Statement,
    Where,
    loops_of,
)
from irtensor.passes.operations_in import operations_in


class Program(NamedTuple):
    """A definition as a value, and what its names stand for: index variables, and tensors without the temporaries."""

    statement: Statement
    variables: Mapping[str, SSAValue]
    tensors: Mapping[str, SSAValue]


def read_program(compute: ComputeOp) -> Program:
    """A definition in concrete index notation. Conversions of numbers are left out."""
    variables = _named(loop.variable for loop in operations_in(compute, ForallOp))
    temporaries = [where.producer.block.args[0] for where in operations_in(compute, WhereOp)]
    accessed = dict.fromkeys(op.tensor for op in operations_in(compute, AccessOp, AssignOp))
    consumed = [where.consumer.block.args[0] for where in operations_in(compute, WhereOp)]
    tensors = [tensor for tensor in accessed if tensor not in (*temporaries, *consumed)]
    named = _named([*tensors, *temporaries])
    names = {value: name for name, value in (*variables.items(), *named.items())}
    for produced, read in zip(temporaries, consumed, strict=True):
        names[read] = names[produced]
    statement = _Reader(names).statement_in(compute.body.block)
    return Program(statement, variables, {names[tensor]: tensor for tensor in tensors})


def read_kernel(compute: ComputeOp) -> Kernel:
    """The statement of a definition as `concretize` leaves it, to put other loops around it.

    Index variables of one dimension of a tensor run over the same coordinates.
    """
    program = read_program(compute)
    tensors = program.tensors
    return Kernel(
        number_workspaces(loops_of(program.statement)[1]),
        frozenset(name for name, tensor in tensors.items() if _has_no_pattern(tensor)),
        {name: fill_of(tensor.type) for name, tensor in tensors.items()},
        _dimensions(program, operations_in(compute, AccessOp, AssignOp)),
    )


def _has_no_pattern(tensor: SSAValue) -> bool:
    return all(LEVEL_PROPERTIES[level.format.name].full for level in format_of(tensor.type).levels)


def _dimensions(program: Program, accesses: Iterable[AccessOp | AssignOp]) -> dict[str, str]:
    """For each index variable the first, in the alphabet, of those that run over the same coordinates."""
    names = {variable: name for name, variable in program.variables.items()}
    first = {name: name for name in program.variables}
    modes: dict[tuple[SSAValue, int], str] = {}

    def find(name: str) -> str:
        return name if first[name] == name else find(first[name])

    for access in accesses:
        for mode, index in enumerate(access.indices):
            same = sorted((find(names[index]), find(modes.setdefault((access.tensor, mode), names[index]))))
            first[same[1]] = same[0]
    return {name: find(name) for name in first}


def _named(values: Iterable[SSAValue]) -> dict[str, SSAValue]:
    """Different names for some values, those that they have as far as possible."""
    found: dict[str, SSAValue] = {}
    for value in values:
        name, number = name_of(value), 0
        while name in found:
            number += 1
            name = f"{name_of(value)}_{number}"
        found[name] = value
    return found


class _Reader:
    def __init__(self, names: Mapping[SSAValue, str]) -> None:
        self.names = names

    def statement_in(self, block: Block) -> Statement:
        """The one statement of a block."""
        (op,) = [op for op in block.ops if isinstance(op, ForallOp | WhereOp | AssignOp)]
        match op:
            case ForallOp():
                return Forall(self.names[op.variable], self.statement_in(op.body.block))
            case WhereOp():
                return Where(self.statement_in(op.consumer.block), self.statement_in(op.producer.block))
            case AssignOp():
                operator = None if op.operator is None else _operator_name(op.operator)
                return Assign(self.access(op), operator, self.value(op.value.owner))

    def access(self, op: AccessOp | AssignOp) -> Access:
        return Access(self.names[op.tensor], self.indices(op.indices))

    def indices(self, variables: Iterable[SSAValue]) -> Indices:
        return tuple([self.names[variable] for variable in variables])

    def value(self, op: Operation | Block) -> Expression:
        match op:
            case AccessOp():
                return self.access(op)
            case ConstantOp():
                return Literal(op.scalar)
            case CastOp():
                return self.value(op.operand.owner)
            case ApplyOp():
                return Call(_operator_name(op.operator), tuple([self.value(one.owner) for one in op.arguments]))
            case _:
                raise AssertionError("values are computed from accesses and constants")


def _operator_name(operator: Attribute) -> str:
    assert isinstance(operator, StringAttr | SymbolRefAttr)
    return operator.data if isinstance(operator, StringAttr) else f"@{operator.string_value()}"
