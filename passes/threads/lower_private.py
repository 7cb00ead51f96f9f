"""`lower-private`: elements that a parallel loop combines with become a copy per part, and these are combined."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import (
    DataOp,
    FillOp,
    ForOp,
    IfOp,
    ParallelOp,
    PartsOp,
    PrivateOp,
    ReserveOp,
    ScratchOp,
    StoreOp,
    ViewOp,
)
from irtensor.dialects.loop.loop_parallel import parallel_loop_around
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.dialects.support.is_inside import replace_inside
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class LowerPrivatePass(TensorPass):
    """Give every part of a divided loop its own elements in place of `loop.private`, and combine them afterwards.

    Before: `%own = loop.private add %y[%0 to %n]; %parts = loop.parts %work;
             loop.parallel %p = %0 to %parts { ... %own[..] ... }`
    After:  `%parts = loop.parts %work each %n; loop.parallel %p = %0 to %parts {
             %own = %p = 0 ? %y : loop.view %w[(%p - 1) * %n]; if %p > 0 { loop.fill %0, %own }; ... %own[..] ... }`,
            and a `loop.parallel` in which every part adds up a share of the elements

    The first part has the elements themselves, so that one part costs nothing. Parts are combined in their order. A
    loop that was not divided has the elements themselves.
    """

    name = "lower-private"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"divide-parallel-loops": "only a divided loop has parts"}
    before = {"lower-algebra-to-arith": "parts are combined by operators of algebra"}

    def on_function(self, function: FuncOp) -> None:
        entry = function.body.block
        for private in operations_in(function, PrivateOp):
            for parallel in _parallel_users(private):
                _Copies(private, parallel, entry).make()
            _share(private)


def _parallel_users(private: PrivateOp) -> list[ParallelOp]:
    """The divided loops that use private elements: several are forms of one loop."""
    found: dict[ParallelOp, None] = {}
    for use in private.own.uses:
        around = parallel_loop_around(use.operation)
        if around is not None and not around.is_ancestor(private):
            found[around] = None
    return list(found)


def _share(private: PrivateOp) -> None:
    """The remaining uses have the elements themselves."""
    if private.own.first_use is not None:
        block = Block()
        view = Emitter(block).insert(ViewOp.of(private.buffer, private.lower)).view
        move_before(block, private)
        private.own.replace_all_uses_with(view)
    erase_operation(private)


def _put_behind_bounds(counted: PartsOp, private: PrivateOp) -> bool:
    """Count the parts where the range of private elements is known; says whether that is possible."""
    block = counted.parent
    owners = [bound.owner for bound in (private.lower, private.upper) if isinstance(bound.owner, Operation)]
    if not any(owner.parent is block and counted.is_before_in_block(owner) for owner in owners):
        return True
    if block is None:
        return False
    users = [block.find_ancestor_op_in_block(use.operation) for use in counted.parts.uses]
    if any(user is None or user.is_before_in_block(private) for user in users):
        return False
    counted.detach()
    block.insert_op_before(counted, private)
    return True


class _Copies:
    """The copies that the parts of one loop have, in a row."""

    def __init__(self, private: PrivateOp, parallel: ParallelOp, entry: Block) -> None:
        self.private, self.parallel = private, parallel
        operator = private.operator
        assert isinstance(operator, StringAttr | SymbolRefAttr)
        identity = find_operator(operator, private).identity(element_name(private.element))
        assert identity is not None
        self.identity = identity
        self.scratch = ScratchOp.of(private.element)
        first = entry.first_op
        assert first is not None
        entry.insert_op_before(self.scratch, first)

    def make(self) -> None:
        private, parallel, counted = self.private, self.parallel, self.parallel.upper.owner
        if isinstance(counted, PartsOp) and _put_behind_bounds(counted, private):
            emit = Emitter(Block())
            each = emit.sub(private.upper, private.lower)
            counted.operands = (counted.work, each if counted.each is None else emit.add(counted.each, each))
            move_before(emit.block, counted)
        emit = Emitter(Block())
        self.elements = emit.insert(ViewOp.of(private.buffer, private.lower)).view
        self.count = emit.sub(private.upper, private.lower)
        further = emit.sub(emit.sub(parallel.upper, parallel.lower), emit.index(1))
        emit.insert(ReserveOp.of(self.scratch.growable, emit.mul(further, self.count)))
        self.copies = emit.insert(DataOp.of(self.scratch.growable)).buffer
        move_before(emit.block, parallel)
        self._begin()
        self._combine(further)

    def _begin(self) -> None:
        """A part begins with its elements, the first with those that there are."""
        parallel = self.parallel
        emit = Emitter(Block())
        number = emit.sub(parallel.induction, parallel.lower)
        is_first = emit.compare("eq", number, emit.index(0))
        index = emit.mul(emit.max(emit.sub(number, emit.index(1)), emit.index(0)), self.count)
        copy = emit.insert(ViewOp.of(self.copies, index)).view
        own = emit.select(is_first, self.elements, copy)
        own.name_hint = "own"
        branch = emit.insert(IfOp.of(emit.compare("ne", number, emit.index(0))))
        inner = Emitter(branch.then.block)
        identity = inner.constant(self.identity, self.private.element)
        inner.insert(FillOp.of(identity, own, inner.index(0), self.count))
        first = parallel.body.block.first_op
        assert first is not None
        move_before(emit.block, first)
        replace_inside(parallel, self.private.own, own)

    def _combine(self, further: SSAValue) -> None:
        """As many iterations as there are parts add the copies of a share of the elements to them, one by one."""
        divided = self.parallel
        parallel = ParallelOp.of(divided.lower, divided.upper)
        parallel.location = divided.location
        emit = Emitter(parallel.body.block)
        parts = emit.add(further, emit.index(1))
        number = emit.sub(parallel.induction, divided.lower)
        begin, end = (
            emit.divide(emit.mul(self.count, share), parts) for share in (number, emit.add(number, emit.index(1)))
        )
        copies = emit.insert(ForOp.of(emit.index(0), further))
        inner = Emitter(copies.body.block)
        copy = inner.insert(ViewOp.of(self.copies, inner.mul(copies.induction, self.count))).view
        loop = inner.insert(ForOp.of(begin, end))
        inner = Emitter(loop.body.block)
        operands = (inner.load(self.elements, loop.induction), inner.load(copy, loop.induction))
        combined = inner.insert(ApplyOp.of(self.private.operator, operands, self.private.element)).result
        inner.insert(StoreOp.of(combined, self.elements, loop.induction))
        block = divided.parent
        assert block is not None
        block.insert_op_after(parallel, divided)
