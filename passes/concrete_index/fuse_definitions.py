"""`fuse-definitions`: tensors that are computed by loops along the same operand are computed in one traversal."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from irtensor.core.diagnostics import remark
from irtensor.dialects.concrete_index.concrete_index import (
    AccessOp,
    AssignOp,
    ComputeOp,
    ForallOp,
    IfOp,
    LetOp,
    WhereOp,
)
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.analysis.iteration_graph import accesses_in, level_variables, name_of
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

# What stands in a block of statements; everything else computes values.
_STATEMENTS = (AssignOp, ForallOp, IfOp, LetOp, WhereOp)


class FuseDefinitionsPass(TensorPass):
    """Compute definitions that stand one behind the other in one traversal, where their loops follow one operand.

    Before: `compute (%m) { forall %i { forall %j { assign max %A[%i, %j] into %m[%i] } } };
             compute (%s) { forall %k { forall %l { assign add %A[%k, %l] into %s[%k] } } }`
    After:  `compute (%m, %s) { forall %i { forall %j { assign max %A[%i, %j] into %m[%i];
             assign add %A[%i, %j] into %s[%i] } } }`
    Both read one tensor whose dimensions all of the loops range over, in the same order, and the loops visit entries
    of the same tensors. Neither reads what the other one computes. So no loop does more than both did, and the tensor
    is read once. A sum that ends inside of the loops is a temporary around the inner ones, as before.
    """

    name = "fuse-definitions"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"concordize": "the loops are final then"}
    before = {"lower-concrete-index-to-iteration-lattice": "the loops of a definition are unfolded there"}

    def on_function(self, function: FuncOp) -> None:
        fused: ComputeOp | None = None
        for second in operations_of(function.body.block):
            first = second.prev_op
            if isinstance(second, ComputeOp) and isinstance(first, ComputeOp) and _may_fuse(first, second):
                fused = _fuse(first, second)
            elif fused is not None:
                self._tell(fused)
                fused = None

    def _tell(self, fused: ComputeOp) -> None:
        names = [name_of(one) for one in fused.results]
        message = f"{', '.join(names[:-1])} and {names[-1]} are computed in one traversal"
        remark(message, by=self.name, about=names)


def _may_fuse(first: ComputeOp, second: ComputeOp) -> bool:
    if first.assemble is not None or second.assemble is not None or first.scheduled != second.scheduled:
        return False
    if any(second.is_ancestor(use.operation) for one in first.results for use in one.uses):
        return False
    equal: dict[SSAValue, SSAValue] = {}
    return _join(first.body.block, second.body.block, equal) and _traverse_one_tensor(first, second, equal)


def _join(first: Block, second: Block, equal: dict[SSAValue, SSAValue]) -> bool:
    """Whether the innermost statements of both blocks can stand in the same loops; `equal` gets the variables of the
    second that are those of the first."""
    match _loops(first), _loops(second):
        case (WhereOp() as where,), _ if _is_scalar(where):
            return _join(where.producer.block, second, equal)
        case _, (WhereOp() as where,) if _is_scalar(where):
            return _join(first, where.producer.block, equal)
        case (ForallOp() as one,), (ForallOp() as other,):
            if one.bounds or other.bounds or one.attributes != other.attributes:
                return False
            equal[other.variable] = one.variable
            return _followed(one, {}) == _followed(other, equal) and _join(one.body.block, other.body.block, equal)
        case (IfOp() as one,), (IfOp() as other,):
            same = _is_same(one.condition, other.condition, equal)
            return same and _join(one.body.block, other.body.block, equal)
        case (), ():
            return True
        case _:
            return False


def _loops(block: Block) -> tuple[Operation, ...]:
    """The statements of a block; nothing where all are plain stores."""
    statements = tuple([op for op in block.ops if isinstance(op, _STATEMENTS)])
    return () if all(isinstance(op, AssignOp) for op in statements) else statements


def _is_scalar(where: WhereOp) -> bool:
    type = where.producer.block.args[0].type
    return isinstance(type, TensorType) and not type.shape.data


def _followed(loop: ForallOp, equal: dict[SSAValue, SSAValue]) -> set[tuple[SSAValue, tuple[SSAValue, ...]]]:
    """The levels with entries that a loop visits: tensors, and the variables of their levels up to the one of the
    loop."""
    found: set[tuple[SSAValue, tuple[SSAValue, ...]]] = set()
    for access in accesses_in(loop.body.block):
        variables = level_variables(access)
        if isinstance(access, AssignOp) or loop.variable not in variables:
            continue
        level = variables.index(loop.variable)
        if not format_of(access.tensor.type).levels[level].format.pattern.full:
            found.add((access.tensor, tuple([equal.get(one, one) for one in variables[: level + 1]])))
    return found


def _is_same(value: SSAValue, other: SSAValue, equal: dict[SSAValue, SSAValue]) -> bool:
    """Whether two values are computed in the same way."""
    if equal.get(other, other) is value:
        return True
    one, two = value.owner, other.owner
    if isinstance(one, Block) or isinstance(two, Block) or type(one) is not type(two) or one.regions:
        return False
    if one.properties != two.properties or one.attributes != two.attributes or value.type != other.type:
        return False
    pairs = zip(one.operands, two.operands, strict=False)
    return len(one.operands) == len(two.operands) and all(_is_same(a, b, equal) for a, b in pairs)


def _traverse_one_tensor(first: ComputeOp, second: ComputeOp, equal: dict[SSAValue, SSAValue]) -> bool:
    """Whether all joined loops range over dimensions of one tensor that both read, along the same ones."""
    joined = set(equal.values())
    of_second = {tuple([equal.get(one, one) for one in access.indices]): access for access in _reads(second)}
    for access in _reads(first):
        other = of_second.get(tuple(access.indices))
        if other is not None and other.tensor is access.tensor and joined <= {*access.indices}:
            return _all_loops_are_joined(first, joined) and _all_loops_are_joined(second, {*equal})
    return False


def _reads(compute: ComputeOp) -> Iterator[AccessOp]:
    return (access for access in operations_in(compute.body, AccessOp) if access.indices)


def _all_loops_are_joined(compute: ComputeOp, joined: set[SSAValue]) -> bool:
    """Whether loops that are not joined stand only in consumers, which run after the traversal."""
    for loop in operations_in(compute.body, ForallOp):
        if loop.variable in joined:
            continue
        around = loop.parent_op()
        while not isinstance(around, ComputeOp | None) and not _is_in_consumer(around, loop):
            around = around.parent_op()
        if around is None or isinstance(around, ComputeOp):
            return False
    return True


def _is_in_consumer(around: Operation, loop: Operation) -> bool:
    return isinstance(around, WhereOp) and around.consumer.block.find_ancestor_op_in_block(loop) is not None


def _fuse(first: ComputeOp, second: ComputeOp) -> ComputeOp:
    """Make one definition of two, at the place of the second."""
    region = first.detach_region(first.body)
    block = region.block
    arguments = list(second.body.block.args)
    for argument in arguments:
        target = block.insert_arg(argument.type, len(block.args))
        target.name_hint = argument.name_hint
        argument.replace_all_uses_with(target)
    _merge(block, second.body.block)
    olds = (*first.results, *second.results)
    new = ComputeOp.of(region, [one.type for one in olds], scheduled=first.scheduled)
    new.location = first.location
    Rewriter.insert_op(new, InsertPoint.before(second))
    for old, result in zip(olds, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    erase_operation(first)
    erase_operation(second)
    return new


def _merge(first: Block, second: Block) -> None:
    """Put the statements of the second block into the loops of the first one."""
    one, other = (next(iter(_loops(block)), None) for block in (first, second))
    if isinstance(one, WhereOp):
        _merge(one.producer.block, second)
        return
    for op in operations_of(second):
        if op is not other:
            op.detach()
            if one is None:
                first.add_op(op)
            else:
                first.insert_op_before(op, one)
    if one is None or other is None:
        return
    other.detach()
    if isinstance(other, WhereOp):
        # The temporary of the second is made around the loops of both.
        inner = Block()
        for op in operations_of(other.producer.block):
            op.detach()
            inner.add_op(op)
        one.detach()
        other.producer.block.add_op(one)
        first.add_op(other)
        _merge(other.producer.block, inner)
        return
    if isinstance(one, ForallOp) and isinstance(other, ForallOp):
        other.variable.replace_all_uses_with(one.variable)
    assert isinstance(one, ForallOp | IfOp) and isinstance(other, ForallOp | IfOp)
    _merge(one.body.block, other.body.block)
    other.erase()
