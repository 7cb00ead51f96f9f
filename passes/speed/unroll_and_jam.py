"""`unroll-and-jam`: the rows of a block are done together in the loops inside, so that they share what they read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.argument_layout import tensor_named
from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, IfOp, LoadOp, StoreOp, ViewOp, WhileOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import clone_operation, erase_operation
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.accumulation_nests import find_nests, is_outside, loop_around, sum_terms
from irtensor.passes.loop.support.memory_roots import is_seen_otherwise, memory_of, roots_of
from irtensor.passes.speed.accumulate_in_registers import is_row
from irtensor.passes.speed.support.register_tiles import with_what_they_use
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.operations_in import everything_in, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option

_Values = dict[SSAValue, SSAValue]


@dataclass(frozen=True)
class UnrollAndJamPass(TensorPass):
    """Move the loop over the rows of a block into the loops inside of it, and write it out there.

    Before: `for %p { for %i = 0 to min(4, %left) { for %j { %a = %A[%p, %i, %j];
             for %f = 0 to %n { %C[%r + %i * %m + %f] += %a * %D[%j, %f] } } } }`
    After:  `if %left >= 4 and the rows are apart { %c0 .. %c3 = views of %C; for %p { for %j { 4 x %a = %A[%p, .., %j];
             for %f = 0 to %n { 4 x %c[%f] += %a * %D[%j, %f] } } } } else { as before }`
    An element of `%D` is loaded once for all rows of a block, and `accumulate-in-registers` keeps their results in
    vectors while the loop goes over blocks. Where the rows of the result are has to be known outside of that loop. An
    element is combined with the same values in the same order as before, so it is the same bit for bit.
    """

    name = "unroll-and-jam"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is moved",
        "hoist-invariants": "the end of the rows is computed outside of the loop over blocks",
    }
    before = {
        "separate-full-blocks": "the loops inside of full blocks are asked about together",
        "accumulate-in-registers": "the rows of a block are kept in registers together",
    }

    rows: int = option("The most rows that are done together.", 8)
    limit: int = option("The largest nest, in operations, that all rows together may be.", 200)

    def on_function(self, function: FuncOp) -> None:
        for nest in [nest for loop in operations_in(function, ForOp) if (nest := _find(loop, self.rows)) is not None]:
            together = _together(nest)
            if [found.size <= self.limit for found in find_nests(together.body, is_row)] == [True]:
                _rewrite(nest, together)


@dataclass
class _Nest:
    """`loop` counts the rows of a block, `row` runs over the elements of one, and `around` over blocks."""

    around: ForOp | WhileOp
    loop: ForOp
    row: ForOp
    count: int
    starts: dict[SSAValue, tuple[SSAValue, ...]]
    """Of each buffer that is stored to, the terms of where a row begins."""


def _find(loop: ForOp, most: int) -> _Nest | None:
    """A loop as that over the rows of a block, if it can go into the loops inside."""
    count, around = _most_iterations(loop), loop_around(loop)
    if count is None or not 2 <= count <= most or around is None or not is_outside(loop.upper, around):
        return None
    row = _innermost(loop)
    if row is None or not all(_may_move(op, loop, row) for op in everything_in(loop) if op is not loop):
        return None
    starts: dict[SSAValue, tuple[SSAValue, ...]] = {}
    for store in operations_in(row, StoreOp):
        terms = sum_terms(store.index, row.induction, row)
        if terms is None or store.buffer in starts or not is_outside(store.buffer, around):
            return None
        if not all(_is_known(term, loop, around) for term in terms) or not _differs(terms, loop):
            return None
        starts[store.buffer] = terms
    if not starts or not _touches_only(around, row, starts):
        return None
    return _Nest(around, loop, row, count, starts)


def _most_iterations(loop: ForOp) -> int | None:
    """How many iterations a loop from 0 has at most, if that is known."""
    if constant_index(loop.lower) != 0 or loop.attributes:
        return None
    end = loop.upper.owner
    ends = end.operands if isinstance(end, arith.MinSIOp) else (loop.upper,)
    return next((number for number in map(constant_index, ends) if number is not None), None)


def _innermost(loop: ForOp) -> ForOp | None:
    """The innermost of loops that are alone in each other, if there is one inside of `loop`."""
    row = loop
    while inner := [op for op in row.body.block.ops if op.regions]:
        if len(inner) > 1 or not isinstance(inner[0], ForOp):
            return None
        row = inner[0]
    return None if row is loop else row


def _may_move(op: Operation, loop: ForOp, row: ForOp) -> bool:
    """Whether the rows of a block may do an operation one after the other, inside of the loops that are inside."""
    if isinstance(op, ForOp):
        return is_outside(op.lower, loop) and is_outside(op.upper, loop) and (op is not row or not op.attributes)
    if isinstance(op, StoreOp):
        return op.parent is row.body.block
    return isinstance(op, LoadOp) or is_pure(op) or is_speculatable(op)


def _is_known(term: SSAValue, loop: ForOp, around: Operation) -> bool:
    """Whether a value can be computed outside of a loop over blocks for each row."""
    if is_outside(term, around) or term is loop.induction:
        return True
    op = term.owner
    return (
        isinstance(op, Operation) and is_speculatable(op) and all(_is_known(one, loop, around) for one in op.operands)
    )


def _differs(terms: tuple[SSAValue, ...], loop: ForOp) -> bool:
    """Whether a sum of terms is another one for each row, or might be: it uses the number of the row."""
    used = [value for op in with_what_they_use(terms, loop) for value in op.operands]
    return any(value is loop.induction for value in (*terms, *used))


def _touches_only(around: Operation, row: ForOp, targets: dict[SSAValue, tuple[SSAValue, ...]]) -> bool:
    """Whether all that is done with the memory of results is to combine the elements of a row with something."""
    memories = {memory_of(buffer) for buffer in targets}
    if len(memories) != len(targets) or is_seen_otherwise(targets, around):
        return False
    updated = {(store.buffer, store.index) for store in operations_in(row, StoreOp)}
    for op in everything_in(around):
        if any(memory_of(one) in memories for one in op.operands):
            if not isinstance(op, LoadOp | StoreOp) or op.parent is not row.body.block:
                return False
            if (op.buffer, op.index) not in updated:
                return False
    return True


@dataclass
class _Together:
    """All rows of a block done together."""

    before: Block
    """What computes where rows are, and `fits`: whether there are as many rows, apart from each other."""
    fits: SSAValue
    body: Block


def _together(nest: _Nest) -> _Together:
    """The loop over blocks as it is when all rows are done together, and what comes before it."""
    before, body = Emitter(Block()), Emitter(Block())
    starts = {buffer: _starts(nest, terms, before) for buffer, terms in nest.starts.items()}
    length = before.sub(nest.row.upper, nest.row.lower)
    fits = before.compare("eq", nest.loop.upper, before.index(nest.count))
    for each in starts.values():
        for one, following in pairwise(each):
            fits = before.both(fits, before.compare("sge", before.sub(following, one), length))
    views: dict[SSAValue, list[SSAValue]] = {}
    for buffer, each in starts.items():
        views[buffer] = [body.insert(ViewOp.of(buffer, one)).view for one in each]
        for view in views[buffer]:
            view.name_hint = buffer.name_hint
    values: _Values = {}
    body.insert(clone_operation(nest.around, values))
    loop = values[nest.loop.induction].owner.parent_op()
    assert isinstance(loop, ForOp)
    _Jam(loop, nest.count, views).emit()
    return _Together(before.block, fits, body.block)


def _rewrite(nest: _Nest, together: _Together) -> None:
    """Put the loop over blocks into a branch that runs where a block has fewer rows, which are the few at an edge."""
    names = ", ".join(f"'{tensor_named(next(roots_of(buffer)).name_hint)}'" for buffer in nest.starts)
    remark(f"{nest.count} rows of {names} in a block are computed together", by="unroll-and-jam")
    branch = IfOp.of(together.fits, with_else=True)
    move_before(together.before, nest.around)
    assert nest.around.parent is not None
    nest.around.parent.insert_op_before(branch, nest.around)
    Emitter(branch.then.block).take(operations_of(together.body))
    nest.around.detach()
    branch.otherwise.block.add_op(nest.around)
    # Loops of few iterations inside are not worth another copy here, as `separate-full-blocks` would make.
    nest.row.attributes.update(AS_IT_IS)


def _starts(nest: _Nest, terms: tuple[SSAValue, ...], emit: Emitter) -> list[SSAValue]:
    """Where the rows of a block begin, computed outside of the loop over blocks."""
    used = with_what_they_use(terms, nest.around)
    needed = [op for op in everything_in(nest.around) if op in used]
    starts: list[SSAValue] = []
    for number in range(nest.count):
        start = emit.index(number)
        values: _Values = {nest.loop.induction: start}
        for op in needed:
            emit.insert(clone_operation(op, values))
        total = emit.index(0)
        for term in terms:
            total = emit.add(total, values.get(term, term))
        starts.append(total)
    return starts


class _Jam:
    """Writes out a loop over rows in the loops inside of it."""

    def __init__(self, loop: ForOp, count: int, views: dict[SSAValue, list[SSAValue]]):
        self.loop, self.count, self.views = loop, count, views
        self.varying: set[SSAValue] = {loop.induction}
        self.rows: list[_Values] = [{} for _ in range(count)]
        self.row = loop
        self.made: list[Operation] = []

    def emit(self) -> None:
        """Put the loops inside in the place of the loop, with all rows in their iterations."""
        emit = Emitter(Block())
        for number, values in enumerate(self.rows):
            values[self.loop.induction] = emit.index(number)
        self._emit_block(self.loop.body.block, emit)
        move_before(emit.block, self.loop)
        erase_operation(self.loop)
        self.row.attributes.update(AS_IT_IS)
        # A view begins where its row does, so that nothing asks for that any more.
        erase_unused([op for op in self.made if is_speculatable(op)])

    def _emit_block(self, block: Block, emit: Emitter) -> None:
        for op in operations_of(block):
            if isinstance(op, ForOp):
                self._emit_loop(op, emit)
            elif isinstance(op, StoreOp) or not self.varying.isdisjoint(op.operands) or self._is_old(op):
                self.varying.update(op.results)
                for number, values in enumerate(self.rows):
                    self._emit_one(op, emit, number, values)
            else:
                self._share(op, emit)

    def _is_old(self, op: Operation) -> bool:
        return isinstance(op, LoadOp) and op.buffer in self.views

    def _emit_one(self, op: Operation, emit: Emitter, number: int, values: _Values) -> None:
        """An operation for one row. The view of that row begins where the row does."""
        if isinstance(op, LoadOp | StoreOp) and op.buffer in self.views:
            view, index = self.views[op.buffer][number], self.row.induction
            if isinstance(op, LoadOp):
                values[op.value] = emit.insert(LoadOp.of(view, index)).value
            else:
                emit.insert(StoreOp.of(values.get(op.value, op.value), view, index))
        else:
            self.made.append(emit.insert(clone_operation(op, values)))

    def _share(self, op: Operation, emit: Emitter) -> None:
        """An operation that is the same one for all rows."""
        first, *more = self.rows
        emit.insert(clone_operation(op, first))
        for values in more:
            values.update({result: first[result] for result in op.results})

    def _emit_loop(self, loop: ForOp, emit: Emitter) -> None:
        copied = emit.insert(ForOp.of(loop.lower, loop.upper, loop.attributes))
        copied.induction.name_hint = loop.induction.name_hint
        copied.location = loop.location
        for values in self.rows:
            values[loop.induction] = copied.induction
        self.row = copied
        self._emit_block(loop.body.block, Emitter(copied.body.block))
