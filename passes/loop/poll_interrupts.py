"""`poll-interrupts`: loops ask now and then whether they shall go on, so that Ctrl-C ends them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from irtensor.dialects.loop.loop import (
    COUNTS_TO_POLL,
    POLL,
    SEARCH,
    SHORT,
    STRIP,
    STRIPS,
    ForOp,
    PartsOp,
    VisitOp,
    WhileOp,
)
from irtensor.passes.analysis.windows import known_distance
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

_Loop = ForOp | WhileOp | VisitOp
# A loop of no more iterations does not poll.
_FEW = 8
# Iterations before the first question where some may have many elements.
_FIRST = 16
# The same for an innermost loop: rows are shorter as a rule, and then never ask.
_FIRST_INSIDE = 1 << 14


@dataclass(frozen=True)
class PollInterruptsPass(TensorPass):
    """Mark long loops of functions, and of parts that threads run, to be left when the caller wants to stop.

    Before: `loop.for %i = .. { loop.for %j = .. { ... } }`
    After:  `loop.for %i = .. attributes {poll = 65536} { loop.for %j = .. attributes {counts_to_poll} { ... } }`
    The number says after how many iterations the loops ask at the latest, those of the loops inside included. They ask
    more often if iterations take long, which is found out while they run, so that no estimate of the work is needed.
    Loops that have loops inside ask, and innermost loops are counted: their lengths are added when they begin, so that
    one that is long all of a sudden is noticed after it.

    Loops of short iterations, without loops inside or with those along stored segments, ask between strips
    of iterations, which cost nothing then: `{poll = 65536, strip = 65536}`. `strip` is how long the first one is.

    Innermost loops ask too with `innermost`, which whoever knows the operands' shapes gives if an extent is huge: a
    single row may take long then. LLVM takes up to a fifth longer for strips, so that kernels for other shapes do
    without.
    """

    name = "poll-interrupts"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "divide-parallel-loops": "the loop of each part asks, and not the one around the parts",
        "accumulate-in-registers": "no pass that looks for a form of loops then has to know of polls",
        "hint-loops": "no pass that looks for a form of loops then has to know of polls",
    }

    rows: int = option("The most iterations of a strip if they have loops inside, which nothing counts.", 1 << 12)
    strip: int = option("The most iterations between two questions, those of loops inside included.", 1 << 16)
    innermost: bool = option("Whether innermost loops ask as well, as single rows may be long.", False)

    def on_function(self, function: FuncOp) -> None:
        for loop in _outermost(function.body.block):
            inside = _loops_in(loop)
            counts = any(map(_takes_long, inside))
            for inner in inside:
                self._mark_inner(inner, counts)
            if counts:
                loop.attributes[POLL] = IntegerAttr(self.strip, i64)
            else:
                # What merges counts its iterations, in any case.
                is_shortest = not inside and isinstance(loop, ForOp)
                first = self.strip if is_shortest else min(self.strip, _FIRST)
                # Rows may be empty at first, and long later.
                most = min(self.strip, self.rows) if inside else self.strip
                loop.attributes |= {POLL: IntegerAttr(most, i64), STRIP: IntegerAttr(first, i64)}

    def _mark_inner(self, loop: _Loop, counts: bool) -> None:
        if isinstance(loop, VisitOp):
            return
        if _loops_in(loop):
            loop.attributes[POLL] = IntegerAttr(self.strip, i64)
        elif self.innermost:
            loop.attributes |= {POLL: IntegerAttr(self.strip, i64), STRIP: IntegerAttr(_FIRST_INSIDE, i64)}
        elif counts:
            loop.attributes[COUNTS_TO_POLL] = UnitAttr()


def _outermost(block: Block) -> Iterator[ForOp | WhileOp]:
    """The loops of many iterations that are in no other loop of many."""
    for op in block.ops:
        if (type(op) is ForOp or type(op) is WhileOp) and not _is_brief(op):
            yield op
        elif op.regions:
            for region in op.regions:
                for inner in region.blocks:
                    yield from _outermost(inner)


def _is_brief(loop: _Loop) -> bool:
    if not isinstance(loop, ForOp):
        return SEARCH in loop.attributes
    if SHORT in loop.attributes or isinstance(loop.upper.owner, PartsOp):
        return True
    return known_distance(loop.lower, loop.upper).most <= _FEW


def _loops_in(loop: _Loop) -> list[_Loop]:
    """The loops inside of a loop. A loop over strips counts as the one loop that the strips make up."""
    found = [inner for inner in operations_in(loop, ForOp, WhileOp, VisitOp) if inner is not loop]
    return [inner for inner in found if STRIPS not in inner.attributes and not _is_brief(inner)]


def _takes_long(loop: _Loop) -> bool:
    """Whether a loop has loops inside, or runs along an extent."""
    return bool(_loops_in(loop)) or (isinstance(loop, ForOp) and isinstance(loop.upper.owner, Block))
