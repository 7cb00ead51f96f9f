"""Ranges of loops: which variables they are computed from, and the operations that compute them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from xdsl.dialects.arith import AddiOp, ConstantOp, DivSIOp, MuliOp, RemSIOp, SubiOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, LetOp
from irtensor.dialects.concrete_index.index_ranges import BoundOp, EntryCountOp, EntryNumberOp, EntryOp, ExtentOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.support.operations_in import OpTypes

# Attribute of loops that count blocks and index a temporary as well, such as one of a partial sum for each block.
BLOCKS = "blocks"
# Attribute of loops that have been cut together with others which are not inside of them any more: one that ends within
# a row visits the row, and so does the next, which begins there.
SHARED_ENDS = "shared_ends"
# What computes nothing but an index, beside arithmetic.
_RANGES = OpTypes(ExtentOp, BoundOp, EntryOp, EntryCountOp, EntryNumberOp)


def forall_of(variable: SSAValue) -> ForallOp | None:
    """The loop that binds an index variable."""
    loop = variable.owner.parent_op() if isinstance(variable.owner, Block) else None
    return loop if isinstance(loop, ForallOp) else None


def sources(value: SSAValue) -> frozenset[SSAValue]:
    """The variables of foralls that an index is computed from, itself if it is one."""
    found: set[SSAValue] = set()
    # A value that is computed repeatedly from one other is analyzed once.
    waiting, seen = [value], {value}
    while waiting:
        one = waiting.pop()
        if type(one) is OpResult:
            inputs: Sequence[SSAValue] = one.op.operands
        else:
            assert isinstance(one, BlockArgument)
            binder = one.block.parent_op()
            inputs = (binder.coordinate,) if type(binder) is LetOp else ()
            if type(binder) is ForallOp:
                found.add(one)
        waiting += [new for new in inputs if new not in seen]
        seen.update(inputs)
    return frozenset(found)


def range_sources(variable: SSAValue) -> frozenset[SSAValue]:
    """The variables that the range of a variable's loop is computed from."""
    return frozenset[SSAValue]().union(*map(sources, range_bounds(variable)))


def range_bounds(variable: SSAValue) -> Sequence[SSAValue]:
    """Where the range of a variable's loop begins and ends; nothing where it is a whole dimension."""
    loop = forall_of(variable)
    return () if loop is None else tuple(loop.bounds)


def block_variables(variable: SSAValue) -> frozenset[SSAValue]:
    """The variables that count blocks, if the windows of a variable are parts of these."""
    found: set[SSAValue] = set()
    waiting = list(range_sources(variable))
    while waiting:
        outer = waiting.pop()
        if outer not in found and counts_blocks(outer):
            found.add(outer)
            waiting += range_sources(outer)
    return frozenset(found)


def nested_blocks(variable: SSAValue) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of those variables: the second counts blocks that are parts of one that the first counts.

    The windows of `variable` follow each other only where the loop over the first is outside.
    """
    blocks = block_variables(variable)
    waiting, seen = list(range_bounds(variable)), set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in blocks:
            waiting += range_bounds(value)
        if not isinstance(owner := value.owner, Operation):
            continue
        waiting += owner.operands
        # A block, or an element in one, begins behind the start of the dimension that contains it.
        if isinstance(owner, AddiOp):
            offset = owner.rhs.owner.lhs if isinstance(owner.rhs.owner, MuliOp) else owner.rhs
            outside = sources(owner.lhs) & blocks
            yield from product(outside, (_counting(offset) - _counting(owner.lhs)) & blocks)


def _counting(value: SSAValue) -> frozenset[SSAValue]:
    """The variables that a value is computed from, and those that count the blocks that they are parts of."""
    found = sources(value)
    return found.union(*map(block_variables, found))


def _selected_by(variable: SSAValue, known: set[SSAValue]) -> set[SSAValue]:
    """The variables whose ranges are computed from one that counts blocks: those that are `known` or count no blocks
    themselves."""
    found: set[SSAValue] = set()
    waiting, seen = list(variable.uses), set[Operation]()
    while waiting:
        user = waiting.pop().operation
        if user in seen:
            continue
        seen.add(user)
        if isinstance(user, ForallOp):
            if user.variable in known or not counts_blocks(user.variable):
                found.add(user.variable)
            waiting += user.variable.uses if user.variable not in found else ()
        else:
            waiting += [use for result in user.results for use in result.uses]
    return found


def _tells_apart(known: set[SSAValue], block: SSAValue) -> bool:
    """Whether variables tell the blocks apart that another counts.

    Those of nested loops do that are cut together: where one is at its first or last coordinate, the loop inside begins
    late or ends early. Loops on two sides of a temporary are cut each by itself.
    """
    loops = [loop for loop in map(forall_of, _selected_by(block, known)) if loop is not None]
    for innermost in (loop for loop in loops if loop.variable in known):
        if any(innermost.is_ancestor(loop) for loop in loops if loop is not innermost):
            continue
        nest = [loop for loop in loops if loop.is_ancestor(innermost)]
        if all(loop.variable in known and SHARED_ENDS not in loop.attributes for loop in nest):
            return True
    return False


def counts_blocks(variable: SSAValue) -> bool:
    """Whether a variable counts blocks: it indexes nothing, or its loop says so."""
    loop = forall_of(variable)
    return not _indexes(variable) or (loop is not None and BLOCKS in loop.attributes)


def _indexes(variable: SSAValue) -> bool:
    """Whether an access has a variable as its index, perhaps under the name of a let."""
    for use in variable.uses:
        user = use.operation
        if isinstance(user, AccessOp | AssignOp) or (isinstance(user, LetOp) and _indexes(user.variable)):
            return True
    return False


def covered_by(indices: Iterable[SSAValue], given: Iterable[SSAValue] = ()) -> set[SSAValue]:
    """The variables whose loops reach no component with these indices twice: the indices, and what counts blocks.

    A value computed from several variables tells one of them apart where the others are known: `j - d` is the same in
    many iterations of both loops, and so is the block of a coordinate without the offset in it. Blocks of several loops
    that are cut together are only told apart by the indices of all. `given` are variables that have one value each.
    """
    parts = [part for index in indices for part in _digits(index)]
    computed = [sources(part) for part in (*_wholes(parts), *parts) if _is_sum(part)]
    found, known = set(given), -1
    while known < len(found):
        known = len(found)
        found = found.union(*(part for part in computed if len(part - found) <= 1))
    blocks = set[SSAValue]().union(*map(block_variables, found))
    return found | {block for block in blocks if _tells_apart(found, block)}


def _is_sum(part: SSAValue) -> bool:
    """Whether a coordinate is a sum of variables, whose factors are not 0: a quotient, a limit or an element of a
    tensor is the same for several values of a variable."""
    waiting, seen = [part], {part}
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, Block) and isinstance(binder := owner.parent_op(), LetOp):
            inputs: Sequence[SSAValue] = (binder.coordinate,)
        elif isinstance(owner, Block | ExtentOp | EntryNumberOp | EntryOp | EntryCountOp | ConstantOp):
            continue
        elif isinstance(owner, AddiOp | SubiOp | MuliOp | BoundOp):
            inputs = owner.operands
        else:
            return False
        waiting += [one for one in inputs if one not in seen]
        seen.update(inputs)
    return True


def _digits(index: SSAValue) -> Iterator[SSAValue]:
    """The parts that an index consists of and determines: the number of a block and the position in it."""
    binder = index.owner.parent_op() if isinstance(index.owner, Block) else None
    if isinstance(binder, LetOp):
        yield from _digits(binder.coordinate)
    elif isinstance(entry := index.owner, EntryNumberOp):
        # Each entry has coordinates of its own.
        for coordinate in entry.indices:
            yield from _digits(coordinate)
    elif (parts := block_parts(index)) is not None:
        for part in parts:
            yield from _digits(part)
    else:
        yield index


def _wholes(parts: Sequence[SSAValue]) -> Iterator[SSAValue]:
    """The digits of the coordinates that have both parts: the number of a block and the position in it."""
    divided = {key for part in parts if (key := _quotient(part)) is not None}
    for op_type, whole, size in divided:
        if op_type is DivSIOp and (RemSIOp, whole, size) in divided:
            yield from _digits(whole)


def _quotient(part: SSAValue) -> tuple[type[Operation], SSAValue, int | None] | None:
    """The division that gives the number of a block or an offset in it: the class, the dividend, and the divisor."""
    owner = part.owner
    if type(owner) is DivSIOp or type(owner) is RemSIOp:
        return type(owner), owner.lhs, constant_index(owner.rhs)
    return None


def block_parts(coordinate: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The number of a block and the offset in it that a coordinate is composed of, as `number * size + offset`."""
    owner = coordinate.owner
    if isinstance(owner, AddiOp) and isinstance(offset := owner.lhs.owner, MuliOp):
        return offset.lhs, owner.rhs
    return None


def computes_range(op: Operation) -> bool:
    """Whether an operation computes nothing but an index: it may stand between two loops that are one nest."""
    return _RANGES[type(op)] or op.dialect_name() == "arith"


def is_whole(loop: ForallOp) -> bool:
    """Whether a loop reaches every coordinate of its dimension: it has no range, or one that is only bounded."""
    if not loop.bounds:
        return True
    lo, hi = loop.bounds
    return constant_index(lo) == 0 and isinstance(hi.owner, BoundOp) and isinstance(hi.owner.extent.owner, ExtentOp)


def only_statement(block: Block) -> Operation | None:
    """The statement that a block consists of, apart from what computes indices."""
    last = block.last_op
    return last if all(computes_range(op) for op in block.ops if op is not last) else None


def only_forall(block: Block) -> ForallOp | None:
    """The loop that a block consists of, apart from what computes its range."""
    last = only_statement(block)
    return last if isinstance(last, ForallOp) else None


def lets_in(block: Block) -> tuple[list[LetOp], Block]:
    """The names of coordinates that a block consists of, outermost first, with nothing between them but coordinates;
    and the block inside of them."""
    lets = list[LetOp]()
    while isinstance(let := only_statement(block), LetOp):
        lets.append(let)
        block = let.body.block
    return lets, block


def foralls_in(block: Block) -> list[ForallOp]:
    """The loops that a block consists of, outermost first, with nothing between them but what computes their ranges."""
    chain = list[ForallOp]()
    while (loop := only_forall(block)) is not None:
        chain.append(loop)
        block = loop.body.block
    return chain


def needed_by(values: Iterable[SSAValue], available: Sequence[Operation]) -> Iterator[Operation]:
    """Those of the operations `available` that values are computed with, in the same order."""
    waiting, needed = list(values), set[Operation]()
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, Operation) and owner in available and owner not in needed:
            needed.add(owner)
            waiting += owner.operands
    return (op for op in available if op in needed)
