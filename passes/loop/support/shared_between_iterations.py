"""Why a loop's iterations cannot be on several threads, for its author: what one takes over from the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.argument_layout import described_array
from irtensor.dialects.loop.loop import CloseOp, CountOp, DataOp, GetOp, GrowableType, LoadOp, SetOp, StoreOp
from irtensor.passes.loop.support.value_sources import sources_of

_PARTS = "divide this one first and parallelize the loop over the parts"
# Entries appended in order are so in each part of a loop as well.
_ELSEWHERE = "store the result in levels that are written in any order, such as dense ones"


class Shared(Exception):
    """Iterations depend on each other; the text says through what, `help` what to do about it."""

    def __init__(self, reason: str, help: str = _PARTS) -> None:
        super().__init__(reason)
        self.help = f"parallelize another loop, or {help}"


def appends(array: SSAValue) -> Shared:
    """Iterations append to an array of the caller's, or count where they are in one that does not grow."""
    what = _described(array) or "a result"
    grows = isinstance(array.owner, DataOp) or isinstance(array.type, GrowableType)
    return Shared(f"it appends to {what}" if grows else f"it counts entries of {what} from the first on", _ELSEWHERE)


def counts_on(counter: SSAValue) -> Shared:
    """An iteration appends behind what the iteration before has appended."""
    uses = [use.operation for use in counter.uses]
    stored = users_of([op.count for op in uses if isinstance(op, CountOp)])
    arrays = [op.buffer for op in stored if isinstance(op, StoreOp)]
    arrays += [op.positions for op in uses if isinstance(op, CloseOp)]
    return appends(next((array for array in arrays if _described(array) is not None), counter))


def left_behind(gets: Sequence[GetOp], sets: Sequence[SetOp]) -> Shared:
    """An iteration finds in a cell what the iteration before has set: most often where in an array to go on."""
    users = list(users_of([get.value for get in gets]))
    for store in users:
        if isinstance(store, StoreOp) and _described(store.buffer) is not None:
            return appends(store.buffer)
    for load in (*users, *(value.owner for value in sources_of([op.value for op in sets]))):
        if isinstance(load, LoadOp) and (name := _described(load.buffer)) is not None:
            return Shared(f"an iteration goes on where the iteration before has stopped in {name}")
    return Shared("an iteration reads what the iteration before has left in a variable")


def users_of(values: Sequence[SSAValue]) -> Iterator[Operation]:
    """The uses of values, and of values computed from them by arithmetic."""
    waiting, seen = list(values), set[Operation]()
    while waiting:
        for use in waiting.pop().uses:
            if use.operation not in seen:
                seen.add(use.operation)
                yield use.operation
                waiting += () if isinstance(use.operation, LoadOp) else use.operation.results


def _described(array: SSAValue) -> str | None:
    """Describes an array of the caller as a part of its tensor; None for other arrays."""
    array = array.owner.growable if isinstance(array.owner, DataOp) else array
    return described_array(array.name_hint) if isinstance(array.owner, Block) and array.name_hint else None
