"""Reads programs from IR as the values on which schedules are searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import NamedTuple

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.core.level_properties import LevelProperties
from irtensor.core.operators import Operator, Scalar
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.concrete_index.index_ranges import EntryOp
from irtensor.dialects.concrete_index.protocols import INSERT, LOCATE, STEP, supports
from irtensor.dialects.storage.storage import fill_of, format_of
from irtensor.passes.analysis.absence import is_temporary
from irtensor.passes.analysis.find_expression import values_of
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.lattice_points import acts_without
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.name_workspaces import number_workspaces
from irtensor.passes.autoschedule.pull_out_sums import pull_out_sums
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Expression,
    Forall,
    Indices,
    Literal,
    Sequence,
    Statement,
    Where,
    loops_of,
    stored_by,
    without_protocols,
)
from irtensor.passes.support.operations_in import operations_in


class Program(NamedTuple):
    """A definition as a value, and what its names stand for: index variables, and tensors without the temporaries.

    `dense` names the tensors without a pattern; `fills` says what tensors are where nothing is stored.
    """

    statement: Statement
    variables: Mapping[str, SSAValue]
    tensors: Mapping[str, SSAValue]

    @property
    def dense(self) -> frozenset[str]:
        return frozenset(name for name, tensor in self.tensors.items() if _has_no_pattern(tensor))

    @property
    def fills(self) -> dict[str, Scalar]:
        return {name: fill_of(tensor.type) for name, tensor in self.tensors.items()}

    def dimensions(self, compute: ComputeOp) -> dict[str, str]:
        """For each index variable, the first in the alphabet of those that run over the same coordinates: they index
        the same dimension of a tensor."""
        names = {variable: name for name, variable in self.variables.items()}
        for let in operations_in(compute, LetOp):
            names[let.variable] = names[let.coordinate]
        first = {name: name for name in self.variables}
        modes: dict[tuple[SSAValue, int], str] = {}
        # A workspace is one tensor to those who store it and to those who read it.
        pairs = [[region.block.args[0] for region in where.regions] for where in operations_in(compute, WhereOp)]
        stored: dict[SSAValue, SSAValue] = {read: produced for produced, read in pairs}

        def find(name: str) -> str:
            return name if first[name] == name else find(first[name])

        for access in operations_in(compute, AccessOp, AssignOp):
            for mode, index in enumerate(access.indices):
                key = stored.get(access.tensor, access.tensor), mode
                same = sorted((find(names[index]), find(modes.setdefault(key, names[index]))))
                first[same[1]] = same[0]
        return {name: find(name) for name in first}


def read_program(compute: ComputeOp) -> Program:
    """A definition in concrete index notation, with protocols, without conversions of numbers.

    Raises UserError [no-asymptotic-cost] for what a program cannot express.
    """
    variables = _named(loop.variable for loop in operations_in(compute, ForallOp))
    temporaries = [where.producer.block.args[0] for where in operations_in(compute, WhereOp)]
    accessed = dict.fromkeys(op.tensor for op in operations_in(compute, AccessOp, AssignOp))
    consumed = [where.consumer.block.args[0] for where in operations_in(compute, WhereOp)]
    tensors = [tensor for tensor in accessed if tensor not in (*temporaries, *consumed)]
    named = _named([*tensors, *temporaries])
    names = {value: name for name, value in (*variables.items(), *named.items())}
    for produced, read in zip(temporaries, consumed, strict=True):
        names[read] = names[produced]
    for let in operations_in(compute, LetOp):
        if let.coordinate not in names:
            raise _without_cost(let, "a coordinate that is computed")
        names[let.variable] = names[let.coordinate]
    statement = _Reader(names).statement_in(compute.body.block)
    return Program(statement, variables, {names[tensor]: tensor for tensor in tensors})


def read_kernel(compute: ComputeOp) -> Kernel:
    """The statement of a definition as `concretize` leaves it, to put other loops around it."""
    return kernel_of(read_program(compute), compute)


def kernel_of(program: Program, compute: ComputeOp, *, converted: bool = True) -> Kernel:
    """The statement of a program, which `concretize` made of a definition, without its loops.

    Operands that are not `converted` are read as their levels can be, which may be in another order.
    """
    for where in operations_in(compute, WhereOp):
        workspace = where.producer.block.args[0]
        assert isinstance(workspace.type, TensorType)
        if workspace.type.shape.data:
            raise _after_steps(f"'{name_of(workspace)}' has dimensions", where)
    written = loops_of(without_protocols(program.statement))[1]
    assert isinstance(compute.result.type, TensorType)
    element = element_name(compute.result.type.element_type)
    statement = number_workspaces(pull_out_sums(written, program.fills, element))
    if isinstance(statement, Sequence):
        raise _after_steps("statements are one after the other", compute)
    for loop in operations_in(compute, ForallOp):
        if not loop.variable.uses:
            raise _without_cost(loop, f"a loop over '{name_of(loop.variable)}', which indexes nothing")
    operands = program.tensors.keys() - program.dense - {str(stored_by(statement).target.tensor)}
    formats = {} if converted else {name: format_of(program.tensors[name].type) for name in operands}
    loops = tuple(program.variables)
    dimensions = program.dimensions(compute)
    written = number_workspaces(written)
    determined = {name: format_of(program.tensors[name].type).determined for name in operands}
    return Kernel(statement, program.dense, program.fills, dimensions, formats, loops, determined, written, element)


def _after_steps(what: str, op: Operation) -> UserError:
    message = f"autoschedule: {what}, so that steps before have changed the definition"
    return UserError("bad-schedule-step", message, op=op, help="let autoschedule be the first step")


def _has_no_pattern(tensor: SSAValue) -> bool:
    return format_of(tensor.type).is_full


def _named(values: Iterable[SSAValue]) -> dict[str, SSAValue]:
    """Different names for some values; each keeps its own name if possible."""
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
        self.operators: dict[Attribute, Operator] = {}

    def operator(self, name: Attribute, user: Operation) -> Operator:
        """The operator with a name, one value for all its uses."""
        if name not in self.operators:
            self.operators[name] = find_operator(name, user)
        return self.operators[name]

    def statement_in(self, block: Block) -> Statement:
        """What a block does."""
        found = [op for op in block.ops if not op.results or isinstance(op, EntryOp)]
        if not found:
            parent = block.parent_op()
            assert parent is not None
            raise _without_cost(parent, "a body that stores nothing")
        first, *others = found
        if not others:
            return self.statement(first)
        sequence = Sequence(tuple(map(self.statement, (first, *others))))
        for op, statement in zip(others, sequence.statements[1:], strict=True):
            store = stored_by(statement)
            if store.operator is None or store.target.tensor != stored_by(sequence).target.tensor:
                raise _without_cost(op, "statements one after the other, if one does not combine what they store")
        return sequence

    def statement(self, op: Operation) -> Statement:
        match op:
            case ForallOp():
                if op.bounds:
                    raise _without_cost(op, "a loop over a part of a range")
                return Forall(self.names[op.variable], self.statement_in(op.body.block))
            case LetOp():
                return self.statement_in(op.body.block)
            case WhereOp():
                return Where(self.statement_in(op.consumer.block), self.statement_in(op.producer.block))
            case AssignOp():
                operator = None if op.operator is None else self.operator(op.operator, op)
                target = Access(self.names[op.tensor], self.indices(op.indices), _located(op))
                return Assign(target, operator, self.value(op.value.owner, op))
            case _:
                raise _without_cost(op, f"'{op.name}'")

    def indices(self, variables: Iterable[SSAValue]) -> Indices:
        return tuple([self.names[variable] for variable in variables])

    def value(self, op: Operation | Block, assign: AssignOp) -> Expression:
        """A value that is stored by an assignment, or a part of one."""
        match op:
            case AccessOp():
                return Access(self.names[op.tensor], self.indices(op.indices), _protocols(op, assign))
            case ConstantOp():
                return Literal(op.scalar)
            case CastOp():
                return self.value(op.operand.owner, assign)
            case ApplyOp():
                arguments = [self.value(one.owner, assign) for one in op.arguments]
                return Call(self.operator(op.operator, op), tuple(arguments))
            case Operation():
                raise _without_cost(op, f"'{op.name}'")
            case _:
                loop = op.parent_op()
                assert loop is not None
                raise _without_cost(loop, "a coordinate that is used as a value")


def _protocols(op: AccessOp, assign: AssignOp) -> tuple[str, ...]:
    """How the levels are read that the indices of an access are of: as is said, else as they are lowered."""
    if op.protocols is not None:
        return tuple([protocol.data for protocol in op.protocols])
    levels = format_of(op.tensor.type).levels
    leads = any(level.format.access.looks_up for level in levels) and _leads(op, assign)
    found = [(level.expression.dimension, _protocol(level.format.properties, leads)) for level in levels]
    # A dimension may be stored in blocks: in two levels. A coordinate that is bound already is searched.
    stepped = [(dimension, STEP) in found and not _is_let(index) for dimension, index in enumerate(op.indices)]
    return tuple([STEP if one else LOCATE for one in stepped])


def _located(op: AssignOp) -> tuple[str, ...]:
    """Which modes of a workspace with several of them are located: its outermost levels have a slot for each coordinate
    of these."""
    if not is_temporary(op.tensor):
        return ()
    levels = format_of(op.tensor.type).levels
    outer = [*takewhile(lambda level: level.format.pattern.full, levels)]
    modes = {level.expression.dimension for level in outer}
    if not outer or len(op.indices) < 2:
        return ()
    return tuple([LOCATE if mode in modes else INSERT for mode in range(len(op.indices))])


def _is_let(index: SSAValue) -> bool:
    return isinstance(index.owner, Block) and isinstance(index.owner.parent_op(), LetOp)


def _protocol(level: LevelProperties, leads: bool) -> str:
    if not supports(level, STEP) or (level.access.looks_up and not leads):
        return LOCATE
    return STEP


def _leads(op: AccessOp, assign: AssignOp) -> bool:
    """Whether entries that can be found anywhere are stepped through: others do not say where something is stored."""
    reads = [value.owner for value in values_of(assign) if isinstance(value.owner, AccessOp)]
    others = {read.tensor for read in reads if read.tensor is not op.tensor and not _has_no_pattern(read.tensor)}
    assert assign.parent is not None
    return not others or acts_without(assign.parent, others)


def _without_cost(op: Operation, what: str) -> UserError:
    message = f"the asymptotic cost is not known of {what}"
    help = "it is of assignments in foralls and wheres: run the pass before loops are split or fused"
    return UserError("no-asymptotic-cost", message, op=op, help=help)
