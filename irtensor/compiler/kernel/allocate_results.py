"""Memory of one sparse result: exact arrays where lengths are known, warm growable blocks elsewhere, or an index given.

Which arrays the kernel is passed follows from its purpose (irtensor/core/argument_layout.py).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from irtensor.compiler.kernel.index_of_result import check_index
from irtensor.compiler.kernel.part_lists import PartLists
from irtensor.compiler.kernel.position_counts import PositionCounts
from irtensor.compiler.kernel.replayed_result import ReplayedResult
from irtensor.core.argument_layout import Argument, KernelPurpose, tensor_arguments
from irtensor.core.index_widths import greatest_of
from irtensor.core.level_properties import LevelArray
from irtensor.core.tensor_format import TensorFormat
from irtensor.runtime.array_address import array_address
from irtensor.runtime.result_memory import (
    COPIED_BELOW,
    RESULT_MEMORY,
    SLOT_BYTES,
    SLOT_WORDS,
    SMALLEST_BLOCK,
    most_kept,
    new_slots,
)
from irtensor.storage.check_children import check_children, levels_with_one_child
from irtensor.storage.check_storage import check_arrays
from irtensor.storage.element_types import fill_element
from irtensor.storage.index_overflow import check_coordinate_widths, check_position_width
from irtensor.storage.level_storage import DENSE_LEVEL, LevelStorage, array_dtype
from irtensor.storage.stored_tensor import StoredTensor, make_tensor

# Growables of more bytes are not kept from one small result to the next.
_LARGEST_KEPT = 2 * COPIED_BELOW
_NO_SLOTS = new_slots(0)


class _Part(NamedTuple):
    """One array of the result: of level `number`, or the values.

    There is an element per position of the first `end` levels. `slot` is the number of its growable, None where the
    length follows from the extents. `split` is the level above which each stored operand entry makes a parent at most,
    and below which every parent has a whole dense block.
    """

    array: LevelArray | None
    number: int
    end: int
    element: np.dtype[Any]
    slot: int | None
    split: int

    def length(self, positions: int) -> int:
        """How many elements it has where the first `end` levels have so many positions, and it has no growable."""
        return positions if self.array is None else self.array.static_length(positions)


class _Made(NamedTuple):
    """An array of known length: which argument it is, what makes it, its shape, and whether only its address counts."""

    argument: int
    make: Callable[[tuple[int], np.dtype[Any]], np.ndarray[Any, Any]]
    shape: tuple[int]
    element: np.dtype[Any]
    is_empty: bool


class _Lent(NamedTuple):
    """The memory of a growable, as an array of all its elements; with so many in use it is not copied any more."""

    elements: np.ndarray[Any, Any]
    handed_out_from: int


class _Past(NamedTuple):
    """What an earlier result has used: how many entries its operands had together, its shape, and for each growable
    the number of its elements and the room that a kernel made itself, 0 if it had enough.

    This room counts because a kernel may make room for a whole row of what it stores little of, and would touch memory
    for the first time in every call. Memory lent in vain does not: each result would be lent more than the last.
    """

    entries: int
    shape: tuple[int, ...]
    sizes: Sequence[int]
    rooms: Sequence[int]


# How many earlier results say how much memory the next one is lent.
_RECENT = 8


class ResultLayout:
    """What all results of one kernel share: their arrays, in the order of the kernel's arguments."""

    def __init__(
        self, dtype: np.dtype[Any], format: TensorFormat, purpose: KernelPurpose = "fused", joins_runs: bool = True
    ) -> None:
        """`joins_runs`: whether neighbouring runs with equal values are to be joined, if loops store these apart."""
        self.dtype = dtype
        self.purpose = purpose
        self.format = format
        self.positions = PositionCounts(format)
        self.parts: list[_Part] = []
        self.slot_count = 0
        for argument in tensor_arguments(format, True, purpose):
            if argument.role != "extent":
                slot = self.slot_count if argument.growable else None
                end = argument.number if argument.array is None else argument.array.known_levels(argument.number)
                split = self._split(argument, end)
                self.parts.append(_Part(argument.array, argument.number, end, self._element(argument), slot, split))
                self.slot_count += argument.growable
        # Where each level's arrays, and the values, are among the parts.
        self._level_positions: list[list[tuple[str, int]]] = [[] for _ in format.levels]
        self._values_position: int | None = None
        for position, part in enumerate(self.parts):
            if part.array is None:
                self._values_position = position
            else:
                self._level_positions[part.number].append((part.array.name, position))
        # The last results, the newest first. Calls with large and with small operands often take turns.
        self.recent: tuple[_Past, ...] = ()
        # Elements per operand entry in the lists of parts, by the number of their slot; only for lists that have grown.
        self.list_growth: dict[int, float] = {}
        # Slots, with lists that keep their memory, of results that have been handed out.
        self.idle: list[PartLists] = []
        # Levels whose coordinates must have one child each. Results are checked: it depends on values.
        self.one_child = levels_with_one_child(format)
        # Whether loops store neighbours with equal values apart, which a result that is computed at once does not.
        has_runs = bool(format.levels) and format.levels[-1].format.pieces == "runs"
        self.joins_runs = joins_runs and purpose == "fused" and has_runs
        # Growables of coordinates that narrow positions count, with the numbers of their levels, and how far they do.
        self.counted_narrowly = [
            (part.slot, part.number, greatest_of(format.position_width_of(part.number)))
            for part in self.parts
            if part.slot is not None and part.array is not None and part.array.holds == "coordinate"
            if format.levels[part.number].format.properties.has_positions and format.position_width_of(part.number) < 64
        ]
        self._widths = [part.element.itemsize for part in self.parts if part.slot is not None]
        # Small results whose contents were copied: most calls are like the one before, and use their growables again.
        self.spare: list[GrowableResult] = []

    def _element(self, argument: Argument) -> np.dtype[Any]:
        if argument.array is None:
            return self.dtype
        return array_dtype(self.format, argument.number, argument.array)

    def _split(self, argument: Argument, end: int) -> int:
        split = end
        if argument.array is None or argument.array.is_per_entry:
            while split and self.format.levels[split - 1].format.properties.has_known_positions:
                split -= 1
        return split

    def allocate(self, shape: tuple[int, ...], operands: Sequence[Any], parts: int) -> GrowableResult:
        """Arrays for a result, with room for as many entries as the sparse operands store together, or for as many
        times more as the last result had: what a kernel grew by itself would be touched for the first time.

        `parts` is how many parts a loop that appends to lists of their own is divided into at most; each has slots.
        """
        entries = 0
        for operand in operands:
            if type(operand) is not np.ndarray:
                entries += operand.values.size
        while self.spare:
            try:
                spare = self.spare.pop()
            except IndexError:
                break  # Another thread was faster.
            RESULT_MEMORY.use(spare)
            if spare.size and spare.shape == shape and spare.entries >= entries and spare.parts == parts:
                try:
                    spare.renew()
                except MemoryError:
                    spare.discard()
                    break  # A new one says what does not fit.
                return spare
        return GrowableResult(self, shape, entries, parts)

    def stored(self, arrays: Sequence[Any]) -> tuple[tuple[LevelStorage, ...], Any]:
        """The levels, and the values or None, that the parts are."""
        levels: list[LevelStorage] = []
        # A comprehension would take as long as a call.
        for named in self._level_positions:
            own: dict[str, Any] = {}
            for name, position in named:
                own[name] = arrays[position]
            levels.append(LevelStorage.of(own) if own else DENSE_LEVEL)
        return tuple(levels), None if self._values_position is None else arrays[self._values_position]

    def check_positions(self, words: Sequence[int]) -> None:
        """Raise UserError [index-overflow] where there are more entries than the positions of a level count."""
        for slot, number, most in self.counted_narrowly:
            if words[SLOT_WORDS * slot + 2] > most:
                check_position_width(self.format, number, words[SLOT_WORDS * slot + 2])

    def accepted(self, result: StoredTensor, operands: Sequence[Any]) -> StoredTensor:
        """What a call returns. Raises UserError [format-mismatch] where the format does not hold what it has stored."""
        if self.one_child:
            check_children(self.format, result.levels, self.one_child)
        result.made_of(*operands)
        return result.with_joined_runs() if self.joins_runs else result

    def lists_for(self, parts: int) -> PartLists:
        """Slots for a result and so many parts at most, those of an earlier result if there are any."""
        while self.idle:
            try:
                lists = self.idle.pop()
            except IndexError:
                break  # Another thread was faster.
            RESULT_MEMORY.use(lists)
            if lists.parts == parts:
                return lists
        return PartLists(self._widths, parts)

    def replay(self, shape: tuple[int, ...], index: Any) -> ReplayedResult:
        """The index of a result, for a kernel that computes its values. Raises UserError [index-mismatch]."""
        check_index(index, shape, self.format)
        check_arrays(index.shape, index.format, index.levels, index.values, "index", content=False)
        return ReplayedResult(index, self.dtype, self.entry_width(index.shape))

    def entry_width(self, shape: tuple[int, ...]) -> int:
        """How many values lie below one entry of the innermost level that has coordinates."""
        width = 1
        for level in reversed(self.format.levels):
            if level.format.properties.has_coordinates:
                break
            width *= level.expression.extent(shape)
        return width

    def value_count(self, levels: Sequence[Any], shape: tuple[int, ...]) -> int:
        """How many positions an index has: its levels are those of a tensor, in memory of the host or of a GPU."""
        return self.positions.of_index(levels, shape)


class GrowableResult:
    """Arrays of a result while a kernel runs. `arguments` are what the kernel is passed for them, in layout order."""

    # Until it is made to the end: how many bytes growables have been lent, whether the pool counts them as unused, and
    # whether it knows of them.
    slots, size, is_kept, is_listed = _NO_SLOTS, 0, False, False

    def __init__(self, layout: ResultLayout, shape: tuple[int, ...], entries: int, parts: int) -> None:
        self.layout = layout
        self.shape = shape
        self.parts = parts
        self.entries = entries
        self.lists = layout.lists_for(parts)
        self.slots = self.lists.slots
        self.arguments: list[int] = []
        # The arrays of known length, as long as they are, in the order of the parts; what makes them.
        self.fixed: list[np.ndarray[Any, Any]] = []
        self._made: list[_Made] = []
        # Per growable the memory that it has, once it was read, and None if that is better handed out than copied.
        self._lent: list[_Lent | None] = [None] * layout.slot_count
        # Where growables were when they were read, with their rooms, and the rooms that the next result is told.
        self._locations: tuple[list[int], list[int]] | None = None
        self._used_rooms: list[int] = []
        # What the next result is told, and per growable the elements in use, for results that come to the same again.
        self._past: _Past | None = None
        self._used: list[np.ndarray[Any, Any] | None] = []
        # The slots of the result itself, which are read at once.
        self._words = memoryview(self.slots).cast("B")[: SLOT_BYTES * layout.slot_count].cast("q")
        # How many elements growables have been lent room for, and what kernels were known to make themselves.
        self._rooms: list[int] = []
        self._made_rooms: list[int] = []
        # The thread whose call has the memory.
        self._user = get_ident()
        try:
            self._allocate()
        except MemoryError as error:
            self.discard()
            message = f"{error}: shape {shape}, dtype {layout.dtype}, stored {layout.format}"
            raise MemoryError(f"{message}; store large dimensions in compressed levels") from None

    def _allocate(self) -> None:
        slots, arguments, entries = self.slots, self.arguments, self.entries
        first_slot = ctypes.addressof(slots)
        shape, layout = self.shape, self.layout
        extents = [level.expression.extent(shape) for level in self.layout.format.levels]
        check_coordinate_widths(self.layout.format, shape)
        recent = self.layout.recent
        alike = [past for past in recent if past.shape == shape]
        # A program that is run again comes to the same calls, whose results may have little in common with each other.
        again = [past for past in alike if past.entries == entries]
        recent, alike = again or recent, again or alike
        for part in self.layout.parts:
            element, slot, end, split = part.element, part.slot, part.end, part.split
            if slot is not None:
                most = entries
                if split < end:
                    above = min(entries, layout.positions.below(1, extents, 0, split))
                    most = layout.positions.below(above, extents, split, end)
                expected = max([past.sizes[slot] * entries // (past.entries or 1) for past in recent], default=0)
                # More than the pool keeps would not be warm.
                expected = min(expected, RESULT_MEMORY.bound // element.itemsize)
                # Of a larger block the rest would be cut off where it is handed out, and be fresh again next time.
                kept = most_kept(expected * element.itemsize) // (2 * element.itemsize)
                room = max([past.rooms[slot] for past in alike], default=0)
                if expected:
                    # Upper levels may use little.
                    most = min(most, kept)
                if expected * element.itemsize >= COPIED_BELOW:
                    room = min(room, kept)
                RESULT_MEMORY.lend(slots, slot, element.itemsize, max(most + 1, expected + 1, room))
                self._rooms.append(slots[SLOT_WORDS * slot + 1])
                self.size += element.itemsize * self._rooms[-1]
                self._made_rooms.append(room if again else 0)
                arguments.append(first_slot + SLOT_BYTES * slot)
            else:
                length = part.length(layout.positions.below(1, extents, 0, end))
                is_small = length * element.itemsize < SMALLEST_BLOCK
                make = np.empty if is_small else RESULT_MEMORY.empty
                self._made.append(_Made(len(arguments), make, (length or 1,), element, not length))
                arguments.append(0)
        self.lists.lend(self.layout.list_growth, entries)
        self.renew()

    def renew(self) -> None:
        """Make the arrays of known length, which results keep."""
        self._user = get_ident()
        for position, make, shape, element, is_empty in self._made:
            array = make(shape, element)
            self.arguments[position] = array_address(array)
            self.fixed.append(array[:0] if is_empty else array)

    def finish(self) -> StoredTensor:
        """The tensor that the kernel has filled in."""
        layout = self.layout
        words = self._words.tolist()
        if layout.counted_narrowly:
            layout.check_positions(words)
        if self.parts > 1:
            self.lists.settle(layout.list_growth, self.entries)
        locations, sizes = (words[::SLOT_WORDS], words[1::SLOT_WORDS]), words[2::SLOT_WORDS]
        if locations != self._locations:
            self._look_at(locations)
        past = self._past
        if past is None or past.sizes != sizes:
            past = self._note(sizes)
        layout.recent = (past, *layout.recent[: _RECENT - 1])
        fixed = iter(self.fixed)
        self.fixed = []
        arrays: list[Any] = []
        is_small = True
        for part in layout.parts:
            if (slot := part.slot) is None:
                arrays.append(next(fixed))
            elif (used := self._used[slot]) is not None:
                arrays.append(used.copy())
            else:
                is_small = False
                arrays.append(RESULT_MEMORY.adopt(self.slots, slot, part.element))
        levels, values = layout.stored(arrays)
        if values is None:
            values = self._no_values(levels)
        result = make_tensor(self.shape, layout.format, levels, values)
        if is_small and RESULT_MEMORY.keep(self):
            self.lists.leave()
            layout.spare.append(self)
        else:
            self._leave_slots()
        return result

    def take_back(self) -> None:
        """Give kept memory back to the pool, which needs it; the next result is lent its own."""
        RESULT_MEMORY.use(self)
        self.size = 0
        self._discard_own()

    def _leave_slots(self) -> None:
        """Let the next result have the slots, with the memory of the lists."""
        lists = self.lists
        self._discard_own()
        self.slots = _NO_SLOTS
        if lists.size and RESULT_MEMORY.keep(lists):
            self.layout.idle.append(lists)

    def _look_at(self, locations: tuple[list[int], list[int]]) -> None:
        """Note where growables are, and what they have room for: kernels move those that they make larger."""
        addresses, rooms = self._locations = locations
        self._past = None
        self._used_rooms = [
            room if room > lent else known
            for room, lent, known in zip(rooms, self._rooms, self._made_rooms, strict=True)
        ]
        self.size = 0
        for part in self.layout.parts:
            if (slot := part.slot) is not None:
                size = rooms[slot] * part.element.itemsize
                self.size += size
                self._lent[slot] = self._elements_of(part) if addresses[slot] and size <= _LARGEST_KEPT else None

    def _note(self, sizes: list[int]) -> _Past:
        """Note the elements of growables that are in use; None where they are better handed out than copied."""
        self._used = [
            None if lent is None or count >= lent.handed_out_from else lent.elements[:count]
            for lent, count in zip(self._lent, sizes, strict=True)
        ]
        self._past = _Past(self.entries, self.shape, sizes, self._used_rooms)
        return self._past

    def _elements_of(self, part: _Part) -> _Lent:
        assert part.slot is not None
        return _Lent(RESULT_MEMORY.view(self.slots, part.slot, part.element), -(-COPIED_BELOW // part.element.itemsize))

    def _no_values(self, levels: Sequence[LevelStorage]) -> np.ndarray[Any, Any]:
        """Fill values for every position of an index."""
        layout = self.layout
        count = layout.value_count(levels, self.shape)
        return np.full(count, fill_element(layout.format, layout.dtype), layout.dtype)

    def discard(self) -> None:
        """Give the memory back, as after a kernel that failed."""
        if self in self.layout.spare or self._user != get_ident():
            # A signal's handler has raised when all was done: the next result, or that of another thread, has the
            # memory.
            return
        self._give_back()

    def _give_back(self) -> None:
        self.lists.take_back()
        self._discard_own()

    def _discard_own(self) -> None:
        if self.slots is _NO_SLOTS:
            return
        for part in self.layout.parts:
            if part.slot is not None:
                RESULT_MEMORY.discard(self.slots, part.slot, part.element.itemsize)

    def __del__(self) -> None:
        # Kept for a next result that never came.
        if self.slots is _NO_SLOTS:
            return
        RESULT_MEMORY.use(self)
        if any(self.slots[: SLOT_WORDS * self.layout.slot_count : SLOT_WORDS]):
            self._give_back()
