"""Writes one workspace: emptied, written in any order, then listed (Kjolstad et al. 2019, section 5)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.loop import ClearOp, MembersOp
from irtensor.dialects.storage import CoordinatesOp, IndexSetOp, ValuesOp, WorkspaceOp
from irtensor.passes.emit import Emitter
from irtensor.passes.level_formats.tensor_writer import TensorWriter


class WorkspaceWriter(TensorWriter):
    """State of one workspace; its memory is allocated once, for the extents it has."""

    def __init__(self, workspace: WorkspaceOp, emit: Emitter):
        super().__init__(workspace.result)
        self.counts = {level: emit.cell(emit.index(0)) for level in self._recorded()}

    def _recorded(self) -> list[int]:
        """The levels that keep a set of what is stored."""
        return [number for number, level in enumerate(self.levels) if level.properties.workspace_only]

    def _set(self, level: int, emit: Emitter) -> SSAValue:
        return emit.insert(IndexSetOp.of(self.tensor, level)).result

    def data(self, array: str, level: int, emit: Emitter) -> SSAValue:
        assert array == "values"
        return emit.insert(ValuesOp.of(self.tensor)).result

    def initialize(self, emit: Emitter) -> None:
        """Empty the workspace: its sets, or where it has none, its values."""
        for level in self._recorded():
            emit.insert(ClearOp.of(self._set(level, emit)))
        if not self._recorded():
            self.fill_values(emit.index(0), self.width(-1, len(self.levels), emit), emit)

    def finalize(self, emit: Emitter) -> None:
        """List what is stored, in order."""
        for level in self._recorded():
            coordinates = emit.insert(CoordinatesOp.of(self.tensor, level)).result
            count = emit.insert(MembersOp.of(self._set(level, emit), coordinates)).count
            emit.set(count, self.counts[level])

    def stored(self, level: int, emit: Emitter) -> SSAValue:
        """How many entries a level stores since the last `finalize`."""
        return emit.get(self.counts[level])
