"""`hoist-invariants`: scalar arithmetic, and loads that may run early, move out of the loops they do not depend on."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult

from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import SPECULATABLE, ForOp, GetOp, WhileOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.support.pass_base import TensorPass

# A division traps on zero, which its loop may never have met.
_TRAPS = {f"arith.{name}" for name in ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")}


class HoistInvariantsPass(TensorPass):
    """Move arithmetic, speculatable loads, and reads of cells to the outermost block where their operands are known.
    Functions of mathematics take long, so they only leave loops along whole dimensions, which have iterations.

    Before: `loop.for %j = %0 to %n { %r = arith.muli %i, %n; %a = arith.addi %r, %j; ... }`
    After:  `%r = arith.muli %i, %n; loop.for %j = %0 to %n { %a = arith.addi %r, %j; ... }`
    """

    name = "hoist-invariants"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-algebra-to-arith": "the arithmetic that operators become is moved as well"}

    def on_function(self, function: FuncOp) -> None:
        hoist_in(function.body.block)


def hoist_in(block: Block) -> None:
    """Move what does not depend on them out of the loops in a block, up to the block itself."""
    _hoist(block, [], {})


def is_speculatable(op: Operation) -> bool:
    """Whether an operation may run where it did not run before: it has no effect and never traps."""
    return (op.name.startswith("arith.") and op.name not in _TRAPS) or SPECULATABLE in op.attributes


def _hoist(block: Block, loops: list[Operation], depths: dict[Block, int]) -> None:
    """`loops` are the loops around the block, outermost first; `depths` says how many there are around each block
    in which we are."""
    depth = depths[block] = len(loops)
    op = block.first_op
    while op is not None:
        following = op.next_op
        if op.regions:
            inner = [*loops, op] if type(op) in (ForOp, WhileOp) else loops
            for region in op.regions:
                for nested in region.blocks:
                    _hoist(nested, inner, depths)
        elif depth and (needed := _depth_needed(op, loops, depths)) < depth:
            op.detach()
            target = loops[needed]
            assert target.parent is not None
            if op.name.startswith("math.") and isinstance(target, ForOp) and (name := target.induction.name_hint):
                remark(f"{op.name[5:]} is computed outside of the loop over {name}", by="hoist-invariants")
            target.parent.insert_op_before(op, target)
        op = following


def _depth_needed(op: Operation, loops: list[Operation], depths: dict[Block, int]) -> int:
    """How many of the loops have to stay around an operation."""
    is_function = op.name.startswith("math.")
    if not (is_function or type(op) is GetOp or is_speculatable(op)):
        return len(loops)
    needed = _changing(op, loops) if type(op) is GetOp else 0
    for operand in op._operands:
        home = operand.op.parent if isinstance(operand, OpResult) else operand.owner
        assert isinstance(home, Block)
        needed = max(needed, depths.get(home, 0))
    return max(needed, _last_to_wait_for(op, loops)) if is_function else needed


def _last_to_wait_for(op: Operation, loops: list[Operation]) -> int:
    """The number of the innermost loop that may not come to an operation in some iteration, or has none."""
    inner = op
    for number, loop in reversed(list(enumerate(loops, 1))):
        along_all = (
            isinstance(loop, ForOp) and constant_index(loop.lower) == 0 and isinstance(loop.upper, BlockArgument)
        )
        if inner.parent_op() is not loop or not along_all:
            return number
        inner = loop
    return 0


def _changing(get: GetOp, loops: list[Operation]) -> int:
    """How many of the loops are around one that changes the cell, that one included."""
    changes = [use.operation for use in get.cell.uses if not isinstance(use.operation, GetOp)]
    numbers = [number for number, loop in enumerate(loops, 1) if any(map(loop.is_ancestor, changes))]
    return max(numbers, default=0)
