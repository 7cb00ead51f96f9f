"""What operations of the `loop` dialect do to memory, with every access checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from reference.index_map import IndexMap
from reference.loop_accesses import READ, WRITE, Accesses
from reference.loop_arithmetic import as_result, dtype_of
from reference.loop_memory import Buffer, Growable, IndexSet, OutOfBounds
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from irtensor.dialects.loop.loop import ORDERED, PrefixSumOp, SharedOp

# Into how many parts work is divided here, be it little: some parts are empty then.
_PARTS = 3
# What bytes of integers are that nobody has stored.
_POISON = 0xA5


class Failure(Exception):
    """The function ends with a status that is not 0."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def _load(accesses: Accesses, op: Operation, buffer: Buffer, index: Any) -> Any:
    type, first = op.results[0].type, int(index)
    count = type.shape.data[0].data if isinstance(type, VectorType) else 1
    accesses.touch(op, buffer, first, first + count, READ, ordered=ORDERED in op.attributes)
    return buffer[first : first + count].copy() if isinstance(type, VectorType) else buffer[first]


def _load_lanes(accesses: Accesses, op: Operation, buffer: Buffer, index: Any, count: Any) -> Any:
    lanes, first = _zeros(op), int(index)
    used = min(max(int(count), 0), len(lanes))
    if used:
        accesses.touch(op, buffer, first, first + used, READ)
        lanes[:used] = buffer[first : first + used]
    return lanes


def _gather(accesses: Accesses, op: Operation, buffer: Buffer, numbers: Any, count: Any) -> Any:
    lanes = _zeros(op)
    for lane, number in enumerate(numbers[: max(int(count), 0)]):
        accesses.touch(op, buffer, int(number), int(number) + 1, READ)
        lanes[lane] = buffer[number]
    return lanes


def _select_lanes(op: Operation, first: Any, other: Any, count: Any) -> Any:
    return np.where(np.arange(len(first)) < count, first, other)


def _zeros(op: Operation) -> np.ndarray[Any, Any]:
    type = op.results[0].type
    assert isinstance(type, VectorType)
    return np.zeros(type.get_shape(), dtype_of(type.element_type))


def _store(accesses: Accesses, op: Operation, value: Any, buffer: Buffer, index: Any) -> None:
    count = len(value) if isinstance(value, np.ndarray) else 1
    accesses.touch(op, buffer, int(index), int(index) + count, WRITE, ordered=ORDERED in op.attributes)
    buffer[int(index) : int(index) + count] = value


def _fill(accesses: Accesses, op: Operation, value: Any, buffer: Buffer, lower: Any, upper: Any) -> None:
    if lower < upper:
        accesses.touch(op, buffer, int(lower), int(upper), WRITE)
        buffer[int(lower) : int(upper)] = value


def _copy(accesses: Accesses, op: Operation, source: Buffer, start: Any, target: Buffer, to: Any, count: Any) -> None:
    if count > 0:
        accesses.touch(op, source, int(start), int(start + count), READ)
        accesses.touch(op, target, int(to), int(to + count), WRITE)
        target[int(to) : int(to + count)] = source[int(start) : int(start + count)].copy()


def _close(accesses: Accesses, op: Operation, positions: Buffer, place: Any, counter: Any, to: Any = None) -> None:
    _fill(accesses, op, counter[0], positions, place, place + 1 if to is None else to)


def _prefix_sum(accesses: Accesses, op: Operation, buffer: Buffer, lower: Any, upper: Any, start: Any = 0) -> None:
    assert isinstance(op, PrefixSumOp)
    first, last = int(lower), int(upper)
    accesses.touch(op, buffer, first, last + 1, WRITE)
    counts = np.concatenate([[start], buffer[first:last]]).astype(dtype_of(op.element))
    buffer[first : last + 1] = np.cumsum(counts, dtype=counts.dtype)


def _private(accesses: Accesses, op: Operation, buffer: Buffer, lower: Any, upper: Any) -> Any:
    accesses.make_private(buffer, int(lower), int(upper))
    return buffer[int(lower) : int(upper)]


def _search(is_before: Callable[[Any, Any], Any]) -> Callable[..., int]:
    """The position up to which elements are before the key."""

    def search(accesses: Accesses, op: Operation, buffer: Buffer, lower: Any, upper: Any, key: Any) -> int:
        first, last = int(lower), int(upper)
        if first < last:
            accesses.check(op, buffer, first, last)
        while first < last:
            middle = (first + last) // 2
            accesses.touch(op, buffer, middle, middle + 1, READ)
            if is_before(buffer[middle], key):
                first = middle + 1
            else:
                last = middle
        return first

    return search


def _reserve(accesses: Accesses, op: Operation, growable: Growable, count: Any) -> None:
    if growable.limit is not None and count > growable.limit:
        raise Failure(1)
    if count > len(growable.storage):
        # Not one element more than was asked for, so that none is stored without room.
        larger = np.zeros(int(count), growable.storage.dtype)
        larger[: len(growable.storage)] = growable.storage
        growable.storage = larger


def _require(accesses: Accesses, op: Operation, condition: Any) -> None:
    if not condition:
        raise Failure(op.properties["status"].value.data)  # pyrefly: ignore[missing-attribute]


def _set_size(accesses: Accesses, op: Operation, growable: Growable, size: Any) -> None:
    if not 0 <= size <= len(growable.storage):
        raise OutOfBounds(f"{size} elements of a growable with room for {len(growable.storage)}: {op}")
    growable.size = int(size)


def _shared(accesses: Accesses, op: Operation) -> np.ndarray[Any, Any]:
    """New memory for each iteration, in which nothing useful is found."""
    assert isinstance(op, SharedOp)
    return poisoned(op.count.value.data, op.buffer.type.element)


def poisoned(count: int, element: Attribute) -> np.ndarray[Any, Any]:
    """Memory that nobody has stored to: what is computed from it is seen to be wrong."""
    array = np.empty(count, dtype_of(element))
    if array.dtype.kind in "fc":
        array[:] = np.nan
    elif array.dtype.kind == "b":
        array[:] = True
    else:
        array.view("u1")[:] = _POISON
    return array


def _members(accesses: Accesses, op: Operation, set: IndexSet, buffer: Buffer) -> int:
    accesses.touch(op, buffer, 0, max(len(set.members), 1), WRITE)
    return set.list_into(buffer, drain="drain" in op.properties)  # pyrefly: ignore[bad-argument-type]


def _map_list(accesses: Accesses, op: Operation, map: IndexMap, parents: Any, *buffers: Any) -> None:
    listed = max(len(map.slots), 1)
    for buffer, count in zip(buffers, (int(parents) + 1, listed, listed), strict=True):
        accesses.touch(op, buffer, 0, count, WRITE)
    map.list_into(int(parents), *buffers, unordered="unordered" in op.properties)


def _alone(function: Callable[..., Any]) -> Callable[..., Any]:
    """What touches no elements of buffers."""
    return lambda accesses, op, *operands: function(op, *operands)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "loop.cell": _alone(lambda op, initial: [initial]),
    "loop.get": _alone(lambda op, cell: cell[0]),
    "loop.set": _alone(lambda op, value, cell: cell.__setitem__(0, value)),
    "loop.load": _load,
    "loop.read": _load,
    "loop.load_lanes": _load_lanes,
    "loop.gather": _gather,
    "loop.select_lanes": _alone(_select_lanes),
    "loop.store": _store,
    "loop.fill": _fill,
    "loop.memset": _fill,
    "loop.copy": _copy,
    "loop.prefix_sum": _prefix_sum,
    "loop.view": _alone(lambda op, buffer, first: buffer[int(first) : len(buffer)]),
    "loop.private": _private,
    "loop.lower_bound": _search(lambda element, key: element < key),
    "loop.upper_bound": _search(lambda element, key: element <= key),
    "loop.shared": _shared,
    "loop.scratch": _alone(lambda op: Growable(dtype_of(op.results[0].type.element))),
    "loop.part_of": _alone(lambda op, whole, number: whole.part(int(number))),
    "loop.reserve": _reserve,
    "loop.data": _alone(lambda op, growable: growable.storage),
    "loop.capacity": _alone(lambda op, growable: len(growable.storage)),
    "loop.set_size": _set_size,
    "loop.counter": _alone(lambda op, start=np.int64(0): [start]),
    "loop.count": _alone(lambda op, counter: counter[0]),
    "loop.append": _alone(lambda op, entries, counter: counter.__setitem__(0, counter[0] + entries)),
    "loop.close": _close,
    "loop.assembled": lambda accesses, op, growable, counter, width, first: _set_size(
        accesses, op, growable, counter[0] * width + first
    ),
    "loop.require": _require,
    "loop.prefetch": _alone(lambda op, buffer, index: None),
    "loop.index_set": _alone(lambda op, extent, memory=None: IndexSet(int(extent))),
    "loop.insert": _alone(lambda op, member, set: set.insert(int(member))),
    "loop.remove": _alone(lambda op, member, set: set.remove(int(member))),
    "loop.contains": _alone(lambda op, member, set: int(member) in set.members),
    "loop.members": _members,
    "loop.clear": _alone(lambda op, set: set.members.clear()),
    "loop.index_map": _alone(lambda op, *placed: IndexMap(*placed)),
    "loop.map_insert": _alone(lambda op, outer, coordinate, map: map.insert(int(outer), int(coordinate))),
    "loop.map_find": _alone(lambda op, outer, coordinate, map: map.find(int(outer), int(coordinate))),
    "loop.map_count": _alone(lambda op, map: len(map.slots)),
    "loop.map_list": _map_list,
    "loop.map_clear": _alone(lambda op, map: map.slots.clear()),
    "loop.barrier": _alone(lambda op: None),
    "loop.parts": _alone(lambda op, *work: _PARTS),
    "func.return": _alone(lambda op: None),
}


def knows(op: Operation) -> bool:
    """Whether an operation is one of those of this module."""
    return op.name in _OPERATIONS


def run_memory_operation(accesses: Accesses, op: Operation, operands: list[Any]) -> Any:
    """What such an operation gives: one value, or a tuple of several. Raises OutOfBounds, Race or Failure."""
    return as_result(op, _OPERATIONS[op.name](accesses, op, *operands))
