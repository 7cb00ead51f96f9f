"""Check that every value is defined before it is used; xDSL's own verifier does not."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from irtensor.core.diagnostics import Note, UserError
from irtensor.passes.support.pass_base import TensorPass


class VerifyDominancePass(TensorPass):
    """Check that every operand's definition dominates its use."""

    name = "verify-dominance"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_dominance(op)


def check_dominance(op: Operation) -> None:
    """Raise UserError (`does-not-dominate`) at the first operand below `op` whose definition does not reach it.

    A value is visible after its operation in the same block, in the blocks that this block dominates, and in regions
    nested there up to the next isolated operation. As in MLIR, the body of a module has no order, and code that no
    path reaches is not checked.
    """
    _check_regions(op, set())


def _check_regions(op: Operation, visible: set[SSAValue]) -> None:
    if not op.regions:
        return
    if op.has_trait(IsolatedFromAbove):
        visible = set()
    for region in op.regions:
        _check_region(region, visible, ordered=not isinstance(op, ModuleOp))


def _check_region(region: Region, visible: set[SSAValue], ordered: bool) -> None:
    """Check the blocks of a region in dominator-tree order; `visible` is left as it was found."""
    entry = region.first_block
    if entry is None:
        return
    if entry.next_block is None:
        added = _check_block(entry, visible, ordered)
        visible.difference_update(added)
        return
    children = _dominator_tree(entry)
    # None marks the end of a subtree, where the values of its root go out of sight.
    stack: list[Block | None] = [entry]
    scopes: list[list[SSAValue]] = []
    while stack:
        block = stack.pop()
        if block is None:
            visible.difference_update(scopes.pop())
            continue
        scopes.append(_check_block(block, visible, ordered))
        stack.append(None)
        stack.extend(children[block])


def _check_block(block: Block, visible: set[SSAValue], ordered: bool) -> list[SSAValue]:
    """Check one block, and return the values that it made visible."""
    added: list[SSAValue] = list(block.args)
    if not ordered:
        added += [result for op in block.ops for result in op.results]
    visible.update(added)
    for op in block.ops:
        for index, operand in enumerate(op.operands):
            if operand not in visible:
                raise _does_not_dominate(op, index, operand)
        _check_regions(op, visible)
        if ordered:
            added += op.results
            visible.update(op.results)
    return added


def _does_not_dominate(op: Operation, index: int, operand: SSAValue) -> UserError:
    owner = operand.owner
    if isinstance(owner, Block):
        note = Note("operand is a block argument defined here", op=owner.parent_op())
    elif owner is op.parent_op() or owner.is_ancestor(op):
        note = Note("operand defined here (op encloses its own use)", op=owner)
    else:
        where = "op in the same block" if owner.parent is op.parent else "op in another block or region"
        note = Note(f"operand defined here ({where})", op=owner)
    name = f" '%{operand.name_hint}'" if operand.name_hint else ""
    message = f"operand #{index}{name} of '{op.name}' does not dominate this use"
    help = "move the definition up to where it comes before every use, or the use below it"
    return UserError("does-not-dominate", message, op=op, notes=[note], help=help)


def _dominator_tree(entry: Block) -> dict[Block, list[Block]]:
    """Children of each reachable block in the dominator tree (Cooper, Harvey, Kennedy: A Simple, Fast Dominance
    Algorithm, 2001)."""
    order = list(_reverse_postorder(entry))
    number = {block: position for position, block in enumerate(order)}
    predecessors: list[list[int]] = [[] for _ in order]
    for position, block in enumerate(order):
        for successor in _successors(block):
            predecessors[number[successor]].append(position)
    dominator = [0] + [-1] * (len(order) - 1)
    changed = True
    while changed:
        changed = False
        for position in range(1, len(order)):
            new = -1
            for predecessor in predecessors[position]:
                if dominator[predecessor] >= 0:
                    new = predecessor if new < 0 else _meet(dominator, new, predecessor)
            if dominator[position] != new:
                dominator[position] = new
                changed = True
    children: dict[Block, list[Block]] = {block: [] for block in order}
    for position in range(1, len(order)):
        children[order[dominator[position]]].append(order[position])
    return children


def _meet(dominator: list[int], left: int, right: int) -> int:
    while left != right:
        if left > right:
            left = dominator[left]
        else:
            right = dominator[right]
    return left


def _successors(block: Block) -> tuple[Block, ...]:
    last = block.last_op
    return tuple(last.successors) if last is not None else ()


def _reverse_postorder(entry: Block) -> Iterator[Block]:
    seen = {entry}
    finished: list[Block] = []
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(_successors(successor))))
                break
        else:
            finished.append(block)
            stack.pop()
    return reversed(finished)
