"""`simplify-loops`: index arithmetic, common subexpressions, unchanging cells, single iterations, equal branches."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.loop.loop import ForOp, IfOp, MapFindOp
from irtensor.dialects.loop.loop_assembly import AppendOp, CounterOp, CountOp
from irtensor.dialects.loop.loop_growables import CapacityOp, DataOp
from irtensor.dialects.loop.loop_memory import CellOp, GetOp, LoadOp, LowerBoundOp, SetOp, UpperBoundOp
from irtensor.dialects.storage.storage import ArrayOp, DimOp, GrowableOp, IndexMapOp, IndexSetOp, ValuesOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import erase_operation, first_result, insert_operation, replace_value
from irtensor.passes.iteration_lattice.support.counted_results import COUNTED
from irtensor.passes.support.emit import is_successor, move_before
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass

# Sets of exact types: a pass that asks for every operation cannot afford more.
_STORAGE = (ArrayOp, DimOp, GrowableOp, IndexMapOp, IndexSetOp, ValuesOp)
_PURE: frozenset[type[Operation]] = frozenset((ApplyOp, CastOp, ConstantOp, *_STORAGE, *arith.Arith.operations))
_REMOVABLE = _PURE.union((CapacityOp, CountOp, DataOp, GetOp, LoadOp, LowerBoundOp, MapFindOp, UpperBoundOp))
_FOLDED = frozenset((arith.AddiOp, arith.SubiOp, arith.MuliOp))
_Known = dict[Hashable, SSAValue]


class SimplifyLoopsPass(TensorPass):
    """Clean up after lowering, in one walk forwards and one backwards.

    Before: `%a = arith.muli %zero, %n; %b = arith.addi %a, %i; %c = arith.addi %b, %one; %d = arith.subi %c, %one`
    After:  nothing; uses of `%b` and `%d` become uses of `%i`
    A branch whose sides are the same is one of them.
    """

    name = "simplify-loops"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-storage": "equal extents, and equal arrays, are then one value each"}

    def on_function(self, function: FuncOp) -> None:
        block = function.body.block
        _simplify(block, {}, block)
        _erase_dead(block)


def is_pure(op: Operation) -> bool:
    """Whether an operation only computes a value from its operands."""
    return type(op) in _PURE


def _simplify(block: Block, known: _Known, entry: Block) -> None:
    """Simplify a block, with facts `known` before it; facts learned in it are dropped behind it."""
    local: list[Hashable] = []
    for op in operations_of(block):
        if type(op) in _PURE:
            _simplify_pure(op, known, local, entry)
            continue
        if type(op) is CellOp:
            _forward_unchanged(op)
        for region in op.regions:
            for inner in region.blocks:
                _simplify(inner, known, entry)
        if type(op) is ForOp and is_successor(op.upper, op.lower) and COUNTED not in op.attributes:
            _inline_single_iteration(op)
    for key in local:
        del known[key]


def _inline_single_iteration(loop: ForOp) -> None:
    """A loop over one index is its body: the entries of a branchless level below one position."""
    loop.induction.replace_all_uses_with(loop.lower)
    move_before(loop.body.block, loop)
    erase_operation(loop)


def _simplify_pure(op: Operation, known: _Known, local: list[Hashable], entry: Block) -> None:
    result = first_result(op)
    replacement = _fold(op)
    key: Hashable = None
    if replacement is None:
        key = (type(op), *op.operands, *op.properties.items(), result.type)
        replacement = known.get(key)
    if replacement is not None:
        if replacement.name_hint is None and type(replacement.owner) is not Block:
            replacement.name_hint = result.name_hint
        replace_value(result, replacement)
        erase_operation(op)
        return
    known[key] = result
    if op.operands:
        local.append(key)
    elif op.parent is not entry:
        # Constants serve the whole function.
        op.detach()
        first = entry.first_op
        assert first is not None
        insert_operation(op, first)


def _fold(op: Operation) -> SSAValue | None:
    """The existing value that an index operation equals, if any."""
    if type(op) not in _FOLDED or type(op.results[0].type) is not IndexType:
        return None
    a, b = op.operands
    left, right = constant_index(a), constant_index(b)
    if type(op) is arith.MuliOp:
        if left == 0 or right == 1:
            return a
        return b if right == 0 or left == 1 else None
    if right == 0:
        return a
    if type(op) is arith.AddiOp:
        return b if left == 0 else None
    before = a.owner
    if right is not None and type(before) is arith.AddiOp and constant_index(before.rhs) == right:
        return before.lhs
    return None


def _forward_unchanged(cell: CellOp) -> None:
    """A cell that is never set is its initial value."""
    uses = list(cell.cell.uses)
    if uses and all(isinstance(use.operation, GetOp) for use in uses):
        for use in uses:
            use.operation.results[0].replace_all_uses_with(cell.initial)
            erase_operation(use.operation)


def _erase_dead(block: Block) -> None:
    """Erase, inner code first and last operation first, what computes values that nothing uses."""
    for op in reversed(operations_of(block)):
        for region in op.regions:
            for inner in region.blocks:
                _erase_dead(inner)
        if _is_dead(op):
            erase_operation(op)
        elif type(op) is IfOp and _does_the_same(op):
            move_before(op.then.block, op)
            erase_operation(op)


def _does_the_same(branch: IfOp) -> bool:
    """Whether both sides of a branch are the same, as where entries of two operands have no values."""
    return branch.otherwise.first_block is not None and branch.then.is_structurally_equivalent(branch.otherwise)


def _is_dead(op: Operation) -> bool:
    if type(op) in _REMOVABLE:
        return all([result.first_use is None for result in op.results])
    if type(op) is CellOp or type(op) is CounterOp:
        return _erase_unread(op)
    if type(op) is ForOp or type(op) is IfOp:
        return all(block.first_op is None for region in op.regions for block in region.blocks)
    return False


def _erase_unread(made: CellOp | CounterOp) -> bool:
    """A cell that is only set is dead, with what sets it, and so is a counter that is only appended to."""
    uses = list(made.results[0].uses)
    if not all(isinstance(use.operation, SetOp | AppendOp) for use in uses):
        return False
    for use in uses:
        erase_operation(use.operation)
    return True
