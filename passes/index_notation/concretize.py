"""`concretize`: index notation to concrete index notation (Kjolstad 2020, section 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import identity_of
from irtensor.dialects.concrete_index import concrete_index
from irtensor.dialects.concrete_index.index_loops import IfOp
from irtensor.dialects.index_notation import index_notation
from irtensor.dialects.support.create_operation import (
    create_block,
    create_operation,
    create_region,
    erase_operation,
    insert_operation,
)
from irtensor.passes.index_notation.support.coordinates import (
    ComputedCoordinate,
    bind_coordinate,
    emit_coordinate,
    emit_is_inside,
)
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass, structured_functions
from irtensor.passes.support.read_arith import read_arith
from irtensor.passes.support.wrong_stage import refuse_left

_index = IndexType()


class ConcretizePass(TensorPass):
    """Turn every definition into loops over its index variables; a reduction becomes a compound assignment.

    Before: `assign (%i) { %s = reduce add (%j) { ... yield %p } yield %s }`
    After:  `compute (%y) { forall %i { forall %j { ... assign add %p into %y[%i] } } }`
    A reduction that is only part of a value is computed into a temporary by a `where`. A condition becomes an `if`, a
    coordinate that is computed a `let`.
    """

    name = "concretize"
    accepts = ("index_notation",)
    leaves = ("concrete_index", "algebra")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        read_arith(op, self.name)
        for function in structured_functions(op):
            for definition in operations_of(function.body.block):
                if isinstance(definition, index_notation.AssignOp):
                    _replace(definition)
        refuse_left(op, "index_notation", self.name)


def _replace(definition: index_notation.AssignOp) -> None:
    body = create_block((definition.result.type,))
    result = body.args[0]
    result.name_hint = definition.result.name_hint
    inner, variables = _foralls(body, definition.indices, {}, definition)
    _Statement(variables, definition, {}).assign_if(
        definition, result, tuple(inner.args_of(definition.indices)), None, inner.block
    )
    compute = concrete_index.ComputeOp.of(create_region(body), definition.result.type)
    compute.location = definition.location
    insert_operation(compute, definition)
    compute.result.name_hint = definition.result.name_hint
    definition.result.replace_all_uses_with(compute.result)
    erase_operation(definition)


@dataclass
class _Nest:
    """The innermost block of new loops, and what the old index variables became."""

    block: Block
    variables: dict[SSAValue, SSAValue]

    def args_of(self, indices: Sequence[SSAValue]) -> list[SSAValue]:
        return [self.variables[index] for index in indices]


def _foralls(
    block: Block, indices: Sequence[SSAValue], outer: dict[SSAValue, SSAValue], source: Operation
) -> tuple[_Nest, dict[SSAValue, SSAValue]]:
    """Nest one forall per index variable of `source` into `block`, the first outermost."""
    variables = dict(outer)
    for index in indices:
        body = create_block((_index,), (index.name_hint,))
        variables[index] = body.args[0]
        forall = concrete_index.ForallOp.of(create_region(body))
        forall.location = source.location
        block.add_op(forall)
        block = body
    return _Nest(block, variables), variables


class _Statement:
    """Builds the statement that stores one value; `variables` maps old index variables to new ones.

    `source` is the definition or reduction that the statement stands for: where errors about it point to. `known` has
    the temporaries of reductions that were computed around the statement.
    """

    def __init__(self, variables: dict[SSAValue, SSAValue], source: Operation, known: dict[SSAValue, SSAValue]):
        self.variables = variables
        self.source = source
        self.known = known

    def assign_if(
        self,
        source: index_notation.AssignOp | index_notation.ReduceOp,
        target: SSAValue,
        indices: tuple[SSAValue, ...],
        operator: Attribute | None,
        block: Block,
    ) -> None:
        """Append to `block` the statement that stores what a region yields, where its condition holds."""
        if source.condition is not None:
            block, temporaries = self._with_reductions(source.condition, block)
            values = _Values(self.variables, temporaries, block)
            body = create_block(())
            sieve = create_operation(IfOp, (values.of(source.condition),), regions=[create_region(body)])
            sieve.location = self.source.location
            values.block.add_op(sieve)
            block = body
        self.assign(source.value, target, indices, operator, block)

    def _with_reductions(self, value: SSAValue, block: Block) -> tuple[Block, dict[SSAValue, SSAValue]]:
        """Compute the reductions that a value is computed from; gives the block in which they are known."""
        temporaries = dict(self.known)
        for part in _outer_reductions(value):
            if part.result not in temporaries:
                block, temporaries[part.result] = self._temporary(part, block, temporaries)
        return block, temporaries

    def assign(
        self,
        value: SSAValue,
        target: SSAValue,
        indices: tuple[SSAValue, ...],
        operator: Attribute | None,
        block: Block,
    ) -> None:
        """Append to `block` the statement `target[indices] operator= value`."""
        reduction = value.owner
        is_new = value not in self.known
        if is_new and isinstance(reduction, index_notation.ReduceOp) and operator in (None, reduction.operator):
            identity_of(reduction.operator, reduction, reduction.result.type)
            nest, variables = _foralls(block, reduction.indices, self.variables, reduction)
            inner = _Statement(variables, self.source, self.known)
            inner.assign_if(reduction, target, indices, reduction.operator, nest.block)
            return
        block, temporaries = self._with_reductions(value, block)
        values = _Values(self.variables, temporaries, block)
        assign = concrete_index.AssignOp.of(values.of(value), target, indices, operator)
        assign.location = self.source.location
        values.block.add_op(assign)

    def _temporary(
        self, reduction: index_notation.ReduceOp, block: Block, known: dict[SSAValue, SSAValue]
    ) -> tuple[Block, SSAValue]:
        """Compute a reduction in the producer of a `where`; returns its consumer and the temporary in it."""
        identity_of(reduction.operator, reduction, reduction.result.type)
        scalar = TensorType(reduction.result.type, [])
        where = concrete_index.WhereOp.of(scalar, "t")
        producer, consumer = where.producer.block, where.consumer.block
        _Statement(self.variables, reduction, dict(known)).assign(
            reduction.result, producer.args[0], (), reduction.operator, producer
        )
        where.location = reduction.location
        block.add_op(where)
        return consumer, consumer.args[0]


class _Values:
    """Copies the operations that compute values to a block, reading temporaries in place of reductions.

    The block goes on inside of a `let` for each coordinate that is computed.
    """

    def __init__(self, variables: dict[SSAValue, SSAValue], temporaries: dict[SSAValue, SSAValue], block: Block):
        self.variables = variables
        self.temporaries = temporaries
        self.block = block
        self._done: dict[SSAValue, SSAValue] = {}
        self._bound: dict[SSAValue, SSAValue] = {}

    def of(self, value: SSAValue) -> SSAValue:
        """What a value has become."""
        if value in self._done:
            return self._done[value]
        if value in self.variables:
            return self.variables[value]
        owner = value.owner
        if isinstance(owner, ComputedCoordinate):
            new = self._done[value] = emit_coordinate(owner, self.of, self.block)
            return new
        if isinstance(owner, index_notation.IsInsideOp):
            new = self._done[value] = emit_is_inside(owner, self.of, self.block)
            return new
        if isinstance(owner, index_notation.ReduceOp):
            made: Operation = concrete_index.AccessOp.of(self.temporaries[value], ())
        elif isinstance(owner, index_notation.AccessOp):
            indices = [self._index(index, owner) for index in owner.indices]
            made = concrete_index.AccessOp.of(owner.tensor, indices)
        elif isinstance(owner, Operation) and not owner.regions:
            operands = [self.of(operand) for operand in owner.operands]
            made = owner.clone(dict(zip(owner.operands, operands, strict=True)))
        else:
            return value
        made.location = owner.location
        self.block.add_op(made)
        made.results[0].name_hint = value.name_hint
        self._done[value] = made.results[0]
        return made.results[0]

    def _index(self, index: SSAValue, access: Operation) -> SSAValue:
        """The variable that an index has become, bound by a `let` if it is computed."""
        if index in self.variables:
            return self.variables[index]
        if index not in self._bound:
            let = bind_coordinate(self.of(index), index.name_hint, self.block)
            let.location = access.location
            self._bound[index], self.block = let.variable, let.body.block
        return self._bound[index]


def _outer_reductions(value: SSAValue) -> list[index_notation.ReduceOp]:
    """Reductions that a value is computed from, not looking into their regions, left to right."""
    found: dict[index_notation.ReduceOp, None] = {}
    seen: set[SSAValue] = set()

    def visit(part: SSAValue) -> None:
        # A value may be used often: without this, squaring a value n times takes 2 ** n visits.
        if part in seen:
            return
        seen.add(part)
        owner = part.owner
        if isinstance(owner, index_notation.ReduceOp):
            found[owner] = None
        elif isinstance(owner, Operation) and not isinstance(owner, index_notation.AccessOp):
            for operand in owner.operands:
                visit(operand)

    visit(value)
    return list(found)
