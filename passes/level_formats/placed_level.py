"""Writes below positions that follow from those of parents, and notes what was written in the arrays of the level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import IfOp
from irtensor.dialects.storage.storage import fill_of
from irtensor.passes.level_formats.result_writer import PlacedLevel, ResultWriter, result_writer_of
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class PieceOfParent(PlacedLevel):
    """A level that stores one entry for each parent, or one run, at the position of the parent, or none."""

    def positions(self, emit: Emitter, writer: ResultWriter, level: int, parents: SSAValue) -> SSAValue:
        return parents

    def begin_segment(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        # Whether the parent has no entry so far.
        writer.of_segment[level] = (emit.cell(emit.constant(True, i1)),)

    def place_only(self, emit: Emitter, parent: Slot, certain: bool, body: Body, arrays: dict[str, SSAValue]) -> None:
        """Emit the body that writes below the only entry of a parent; `arrays`: what those of the level hold for it."""
        writer, level = result_writer_of(parent), parent.level
        (is_free,) = writer.of_segment[level]

        def store(inner: Emitter) -> None:
            writer.require(inner.get(is_free), inner)
            for name, value in arrays.items():
                inner.store_index(value, writer.data(name, level, inner), parent.position)
            inner.set(inner.constant(False, i1), is_free)

        place(emit, parent, parent.position, certain, body, store, is_free)


def place(
    emit: Emitter,
    parent: Slot,
    position: SSAValue,
    certain: bool,
    body: Body,
    store: Callable[[Emitter], None] = lambda emit: None,
    is_free: SSAValue | None = None,
    exists: SSAValue | None = None,
) -> None:
    """Emit the body that writes below a position of a placed level, and `store` for what it has written.

    `is_free` is a cell that says whether nothing is written there yet, where something may be. `exists` says whether
    there is such a position, where that is asked for what was written, and not before.
    """
    writer, level = result_writer_of(parent), parent.level
    below = writer.made_below(level)
    before = None if below is None else writer.count(below, emit)
    dirty = None if certain or below is not None else emit.cell(emit.constant(False, i1))
    starts = writer.starts_with_entries(level)
    if starts:
        # What an earlier entry has written stays, if nothing is written now.
        writer.fill_below(level, position, parent.blocks, emit if certain else _where_free(emit, is_free))
    body(emit, replace(parent, level=level + 1, position=position, dirty=dirty, marks=()))
    written = emit
    if below is not None and before is not None:
        branch = emit.insert(IfOp.of(emit.compare("sgt", writer.count(below, emit), before)))
        written = Emitter(branch.then.block)
    elif dirty is not None:
        branch = emit.insert(IfOp.of(emit.get(dirty), with_else=starts))
        written = Emitter(branch.then.block)
        if starts:
            _fill(writer, level, position, _where_free(Emitter(branch.otherwise.block), is_free))
    parent.mark(written)
    if parent.dirty is not None:
        written.set(written.constant(True, i1), parent.dirty)
    store(written)
    closing = emit if exists is None else Emitter(emit.insert(IfOp.of(exists)).then.block)
    writer.close_segment(level, position, closing)


def _where_free(emit: Emitter, is_free: SSAValue | None) -> Emitter:
    return emit if is_free is None else Emitter(emit.insert(IfOp.of(emit.get(is_free))).then.block)


def _fill(writer: ResultWriter, level: int, position: SSAValue, emit: Emitter) -> None:
    """Let all components below a position have the fill value."""
    width = writer.width(level, len(writer.levels), emit)
    begin = emit.mul(position, width)
    writer.fill_values(begin, emit.add(begin, width), emit, fill_of(writer.type))
