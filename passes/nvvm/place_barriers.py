"""`place-barriers`: threads of a block or a team wait for each other where one touches what another has touched."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from irtensor.dialects.loop.loop import BarrierOp, ForOp, IfOp, ParallelOp, SharedOp, WhileOp
from irtensor.dialects.loop.loop_units import units_of
from irtensor.passes.nvvm.support.thread_accesses import Access, accesses_of, conflict
from irtensor.passes.support.operations_in import OpTypes, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

_NO_ALIAS = "llvm.noalias"
_Pending = frozenset[Access]
_CONTROL = OpTypes(ForOp, WhileOp, IfOp)


class PlaceBarriersPass(TensorPass):
    """Put a barrier between two operations of a block or a team, where a thread may touch what another has written.

    Before: `loop.parallel %b on blocks(64) { loop.parallel %t on threads { store %v, %s[%t] };
             loop.parallel %t on threads { load %s[63 - %t] } }`
    After:  the same with `loop.barrier` between the two loops on threads

    Loops count as well: accesses at the end of an iteration meet those at the begin of the next one. No
    barrier is placed where both accesses are by the same thread: of the same element by its number, or of one thread
    that does something for all.
    """

    name = "place-barriers"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"outline-launches": "what kernels are passed is known then to be apart or not"}
    before = {"lower-loop-to-nvvm": "barriers are lowered like all else"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ParallelOp):
            units = units_of(loop)
            if units is not None and units.word in ("blocks", "teams"):
                _place(loop, units.word, function)


def _place(loop: ParallelOp, units: str, function: FuncOp) -> None:
    search = _Search()
    pending = search.through(loop.body.block, frozenset())
    if units == "blocks":
        # The next iteration of the block has the same shared memory, and nothing else that this one has touched.
        shared = {access for access in pending if isinstance(access.root.owner, SharedOp)}
        search.through(loop.body.block, frozenset(access.carried(loop) for access in shared))
    for op in search.behind_barriers:
        barrier = BarrierOp.of()
        barrier.location = op.location
        Rewriter.insert_op(barrier, InsertPoint.before(op))
    _forget_apartness(function, search.shared)


@dataclass
class _Search:
    """Finds the operations that need a barrier in front of them."""

    behind_barriers: dict[Operation, None] = field(default_factory=dict[Operation, None])
    # Memory by which threads pass on something.
    shared: set[SSAValue] = field(default_factory=set[SSAValue])
    # What operations do, which are met several times.
    _accesses: dict[Operation, _Pending] = field(default_factory=dict[Operation, _Pending])
    # Loops, branches, and what touches memory: most operations are none of these.
    _relevant: dict[Block, list[Operation]] = field(default_factory=dict[Block, list[Operation]])

    def through(self, block: Block, pending: _Pending) -> _Pending:
        """What threads have touched since the last barrier at the end of a block, from what they had at its begin."""
        relevant = self._relevant.get(block)
        if relevant is None:
            relevant = self._relevant[block] = [op for op in operations_of(block) if self._is_relevant(op)]
        for op in relevant:
            if isinstance(op, ForOp | WhileOp):
                pending = self._repeated(op, pending)
            elif isinstance(op, IfOp):
                pending = self._either(op, pending)
            else:
                pending = self._past(op, pending)
        return pending

    def _is_relevant(self, op: Operation) -> bool:
        if _CONTROL[type(op)]:
            return True
        accesses = frozenset(accesses_of(op))
        if accesses:
            self._accesses[op] = accesses
        return bool(accesses)

    def _past(self, op: Operation, pending: _Pending) -> _Pending:
        accesses = self._accesses[op]
        met = {new.root for new in accesses for old in pending if conflict(old, new)}
        if met:
            self.behind_barriers[op] = None
            self.shared |= met
        return accesses if op in self.behind_barriers else pending | accesses

    def _repeated(self, loop: ForOp | WhileOp, pending: _Pending) -> _Pending:
        blocks = [region.block for region in loop.regions]
        while True:
            after = pending
            for block in blocks:
                after = self.through(block, after)
            grown = pending | {access.carried(loop) for access in after}
            if grown == pending:
                return pending | after
            pending = grown

    def _either(self, op: IfOp, pending: _Pending) -> _Pending:
        found: _Pending = frozenset()
        for region in op.regions:
            found |= self.through(region.block, pending) if region.blocks else pending
        return found


def _forget_apartness(function: FuncOp, shared: Iterable[SSAValue]) -> None:
    """LLVM may not take a buffer that other threads write meanwhile for one that only this thread changes."""
    if function.arg_attrs is None:
        return
    attributes = [dict(given.data) for given in function.arg_attrs.data if isinstance(given, DictionaryAttr)]
    for number, argument in enumerate(function.body.block.args):
        if any(argument is root for root in shared):
            attributes[number].pop(_NO_ALIAS, None)
    function.arg_attrs = ArrayAttr([DictionaryAttr(one) for one in attributes])
