"""Room for what loops append: made before a loop with a known bound of what it appends."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import MergeOp, PlaceOp, WalkOp
from irtensor.dialects.loop.loop import ForOp, PartsOp, WhileOp
from irtensor.passes.iteration_lattice.support.segments_below import segments_below
from irtensor.passes.iteration_lattice.support.shared_room import Appended, shared_room, steps
from irtensor.passes.iteration_lattice.support.updates import places_in
from irtensor.passes.level_formats.result_writer import ResultWriter
from irtensor.passes.level_formats.tensor_writer import TensorWriter
from irtensor.passes.support.emit import Emitter

_Level = tuple[ResultWriter, int]


class AppendedRoom(NamedTuple):
    """`writer_of` gives the tensor and the level that a `place` operation writes to."""

    writer_of: Callable[[PlaceOp], tuple[TensorWriter, int]]

    @contextmanager
    def for_points(self, points: Sequence[Operation], emit: Emitter) -> Generator[None]:
        """Make room for what points of a sequence append between them, before the first."""
        with ExitStack() as stack:
            for key, cursors in shared_room(points, self._appended).items() if len(points) > 1 else ():
                if not key[0].holds(key[1]):
                    _hold(key, steps(cursors, emit), emit, stack)
            yield

    @contextmanager
    def for_loop(self, op: Operation, bound: Callable[[], SSAValue], emit: Emitter) -> Generator[None]:
        """Make room before a loop for what it appends, `bound` at most, and for what loops inside append."""
        with ExitStack() as stack:
            # What the points of a sequence append between them has its room.
            direct, nested = self._appended(op)
            appended = [key for key in direct if not key[0].holds(key[1])]
            most = bound() if appended else None
            for key in appended:
                assert most is not None
                _hold(key, most, emit, stack)
            # The outermost loop would ask for as much as all operands have, which may be much more than is appended.
            for key in sorted(nested, key=lambda key: key[1]) if _is_in_loop(emit.block) else ():
                if not key[0].holds(key[1]):
                    self._hold_below(op, key, emit, stack)
            yield

    def _hold_below(self, op: Operation, key: _Level, emit: Emitter, stack: ExitStack) -> None:
        def appends(loop: Operation) -> bool | None:
            direct, nested = self._appended(loop)
            return None if key in nested else key in direct

        segments = segments_below(op, appends)
        if segments is not None:
            assert isinstance(op, MergeOp | WalkOp)
            most = emit.index(0)
            for one in sorted(segments, key=lambda one: one.cursor):
                most = emit.add(most, one.length(op, emit))
            _hold(key, most, emit, stack)

    def _appended(self, op: Operation) -> Appended[_Level]:
        """Appended levels that get at most one entry per iteration of a loop, and those that loops inside append to."""
        direct: dict[_Level, None] = {}
        nested: dict[_Level, None] = {}
        for place, inside_loop in places_in(op):
            writer, level = self.writer_of(place)
            # An iteration may append several runs, or a gap before its entry. Each asks for its own room.
            properties = writer.levels[level].properties
            is_one = not (properties.takes_ranges or properties.pattern.fills_gaps)
            if isinstance(writer, ResultWriter) and writer.appends(level) and is_one:
                (nested if inside_loop else direct)[(writer, level)] = None
        return Appended([key for key in direct if key not in nested], nested)


def _hold(key: _Level, most: SSAValue, emit: Emitter, stack: ExitStack) -> None:
    writer, level = key
    below = level + 1
    if below == len(writer.levels) or not writer.levels[below].pattern.branchless:
        stack.enter_context(writer.room_for(level, most, emit))


def _is_in_loop(block: Block) -> bool:
    """Whether a block is in a loop over coordinates, not only in one over parts."""
    op = block.parent_op()
    while op is not None:
        if isinstance(op, WhileOp) or (isinstance(op, ForOp) and not isinstance(op.upper.owner, PartsOp)):
            return True
        op = op.parent_op()
    return False
