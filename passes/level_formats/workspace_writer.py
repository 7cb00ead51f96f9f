"""Writes one workspace: emptied, written in any order, then listed (Kjolstad et al. 2019, section 5)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import (
    ClearOp,
    DataOp,
    InsertOp,
    MapClearOp,
    MapCountOp,
    MapListOp,
    MembersOp,
    RemoveOp,
    ReserveOp,
)
from irtensor.dialects.storage.storage import (
    ArrayOp,
    GrowableOp,
    IndexMapOp,
    IndexSetOp,
    StoredOp,
    ValuesOp,
    WorkspaceOp,
    is_array,
)
from irtensor.passes.level_formats.tensor_writer import Slot, TensorWriter
from irtensor.passes.support.emit import Emitter


class WorkspaceWriter(TensorWriter):
    """State of one workspace; its memory is made once, and used again each time the workspace is emptied."""

    def __init__(self, workspace: WorkspaceOp, emit: Emitter, walked: Sequence[int] = ()):
        """`walked`: levels whose entries a result lists already; these are taken out one by one."""
        super().__init__(workspace.result)
        self.sets = [number for number, level in enumerate(self.levels) if level.workspace == "set"]
        self.maps = [number for number, level in enumerate(self.levels) if level.workspace == "map"]
        self.counts = {level: emit.cell(emit.index(0)) for level in self.sets}
        self.walked = walked

    def adds_slots(self, level: int) -> bool:
        return level in self.maps

    def _set(self, level: int, emit: Emitter) -> SSAValue:
        return emit.insert(IndexSetOp.of(self.tensor, level)).result

    def _map(self, level: int, emit: Emitter) -> SSAValue:
        return emit.insert(IndexMapOp.of(self.tensor, level)).result

    def _growable(self, array: str, level: int, emit: Emitter) -> SSAValue:
        return emit.insert(GrowableOp.of(self.tensor, array, level)).result

    def data(self, array: str, level: int, emit: Emitter) -> SSAValue:
        if self.maps and level > self.maps[0]:
            return emit.insert(DataOp.of(self._growable(array, level, emit))).buffer
        return emit.insert(
            ValuesOp.of(self.tensor) if array == "values" else ArrayOp.of(self.tensor, array, level)
        ).result

    def reserve_below(self, slot: Slot, emit: Emitter) -> None:
        level = slot.level - 1
        if level not in self.maps:
            return
        arrays = [("flags", flagged, flagged + 1) for flagged in self.flagged_below(level)]
        if level == self.maps[-1]:
            arrays.append(("values", len(self.levels), len(self.levels)))
        end = emit.add(slot.position, emit.index(1)) if arrays else slot.position
        for array, number, inner in arrays:
            # One more than there was room for before: only the children of one position may be too many.
            count = emit.mul(end, self._slots(emit.index(1), level, inner, emit))
            emit.insert(ReserveOp.of(self._growable(array, number, emit), count))

    def _slots(self, count: SSAValue, outer: int, inner: int, emit: Emitter) -> SSAValue:
        """Room for the positions of the levels between `outer` and `inner` (both excluded) below so many of `outer`."""
        for level in range(outer + 1, inner):
            count = emit.saturated_product(count, self.extent(level, emit))
        return count

    def initialize(self, emit: Emitter) -> None:
        """Empty the workspace: its flags, sets and maps, or where it has none, its values."""
        self.clear_flags(-1, emit.index(0), emit)
        for level in self.sets:
            if level in self.walked:
                emit.set(emit.index(0), self.counts[level])
            else:
                emit.insert(ClearOp.of(self._set(level, emit)))
        for level in self.maps:
            emit.insert(MapClearOp.of(self._map(level, emit)))
        if not self.sets and not self.maps:
            self.fill_values(emit.index(0), self.width(-1, len(self.levels), emit), emit)

    def finalize(self, emit: Emitter) -> None:
        """List the entries, if anything reads the list."""
        listed = {use.operation.level.value.data for use in self.tensor.uses if isinstance(use.operation, StoredOp)}
        for level in self.sets:
            if level not in listed or level in self.walked:
                continue
            coordinates = emit.insert(ArrayOp.of(self.tensor, "coordinates", level)).result
            count = emit.insert(MembersOp.of(self._set(level, emit), coordinates)).count
            emit.set(count, self.counts[level])
        users = [use.operation for use in self.tensor.uses]
        walked = {user.level.value.data for user in users if is_array(user, "positions")}
        for level in self.maps:
            if level in walked:
                self._list(level, emit)
            # The first slot can be read, be there one or not.
            self.reserve_below(Slot(self, level + 1, emit.index(0)), emit)

    def _list(self, level: int, emit: Emitter) -> None:
        """List a map for each position of the levels above: those of a map, and dense ones below it."""
        outer = next((number for number in reversed(self.maps) if number < level), None)
        parents = emit.index(1) if outer is None else emit.insert(MapCountOp.of(self._map(outer, emit))).count
        parents = self._slots(parents, -1 if outer is None else outer, level, emit)
        count = emit.insert(MapCountOp.of(self._map(level, emit))).count
        buffers: list[SSAValue] = []
        for array in ("positions", "coordinates", "slots"):
            growable = self._growable(array, level, emit)
            # As every array, they have an element 0 that can be read.
            size = emit.add(parents if array == "positions" else count, emit.index(1))
            emit.insert(ReserveOp.of(growable, size))
            buffers.append(emit.insert(DataOp.of(growable)).buffer)
        unordered = not self.levels[level].ordered
        emit.insert(MapListOp.of(self._map(level, emit), parents, *buffers, unordered=unordered))

    def insert(self, level: int, position: SSAValue, emit: Emitter) -> SSAValue:
        """Put a position into the set of a level; gives whether it was there."""
        present = emit.insert(InsertOp.of(position, self._set(level, emit))).present
        if level in self.walked:
            new = emit.select(present, emit.index(0), emit.index(1))
            emit.set(emit.add(emit.get(self.counts[level]), new), self.counts[level])
        return present

    def remove(self, level: int, position: SSAValue, emit: Emitter) -> SSAValue:
        """Take a position out of the set of a level; gives whether it was there."""
        return emit.insert(RemoveOp.of(position, self._set(level, emit))).present

    def stored(self, level: int, emit: Emitter) -> SSAValue:
        """How many entries a level stores since the last `finalize`."""
        return emit.get(self.counts[level])
