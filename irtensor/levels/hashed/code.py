"""Hashed level: a table of slots per parent, in which a coordinate is found by linear probing (Kjolstad 2020, 2.14).

Positions hold one number, the slots per parent. An empty slot has the coordinate -1.
"""

from __future__ import annotations

from xdsl.dialects.arith import RemUIOp
from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.ir import Attribute, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    RunOp,
    SequenceOp,
    SpikeOp,
    StepperOp,
    YieldOp,
)
from irtensor.dialects.loop.loop import ConditionOp, WhileOp
from irtensor.dialects.support.create_operation import create_block, create_operation, create_region
from irtensor.passes.level_formats.interface import Fiber, LevelCode, lookup
from irtensor.passes.level_formats.stored_list import load_end
from irtensor.passes.support.emit import Emitter

_index = IndexType()


class HashedLevel(LevelCode):
    """Walked slot by slot, in no order, where only its own entries matter; looked up everywhere else."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        # Slots are in no order, so that those of a window are not found without looking up its coordinates.
        return self._walk(emit, fiber) if fiber.leads and fiber.window is None else self._lookup(emit, fiber)

    def _walk(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        begin, end = fiber.slots(emit)
        stop = fiber.extent(emit)
        chunk = create_block((_index, _index))
        inner = Emitter(chunk)
        entry = fiber.child(inner, chunk.args[0])
        inner.insert(YieldOp.of(inner.insert(SpikeOp.of(fiber.gap(inner), entry)).result))
        load = create_region(load_end(fiber.coordinates(emit)))
        properties: dict[str, Attribute] = {"nonordered": UnitAttr(), "holes": UnitAttr()}
        stepper = StepperOp.of(emit.cell(begin), end, stop, load, create_region(chunk), fiber.payload, properties)
        emit.insert(stepper)
        rest = emit.insert(RunOp.of(fiber.gap(emit))).result
        return emit.insert(SequenceOp.of((stop,), (stepper.result, rest))).result

    def _lookup(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        coordinates, slots = fiber.coordinates(emit), fiber.slots(emit)
        return lookup(emit, fiber, lambda inner, _, index: self._entry(inner, fiber, coordinates, slots, index))

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return self._entry(emit, fiber, fiber.coordinates(emit), fiber.slots(emit), coordinate)

    def _entry(
        self, emit: Emitter, fiber: Fiber, coordinates: SSAValue, slots: tuple[SSAValue, SSAValue], coordinate: SSAValue
    ) -> SSAValue:
        slot = _probe(emit, coordinates, slots, coordinate)
        found = emit.compare("eq", emit.load_index(coordinates, slot), coordinate)
        return fiber.entry_if(emit, found, slot)


def _probe(emit: Emitter, coordinates: SSAValue, slots: tuple[SSAValue, SSAValue], coordinate: SSAValue) -> SSAValue:
    """The slot of a coordinate; if it is not stored, an empty one, or any where the table is full."""
    begin, end = slots
    width = emit.sub(end, begin)
    divisor = emit.max(width, emit.index(1))  # An absent fiber has no slots.
    home = emit.insert(create_operation(RemUIOp, (coordinate, divisor), (_index,))).results[0]
    slot, left = emit.cell(emit.add(begin, home)), emit.cell(width)
    loop = emit.insert(WhileOp.of())
    test = Emitter(loop.condition.block)
    stored, zero = test.load_index(coordinates, test.get(slot)), test.index(0)
    another = test.both(test.compare("ne", stored, coordinate), test.compare("sge", stored, zero))
    test.insert(ConditionOp.of(test.both(another, test.compare("sgt", test.get(left), zero))))
    body = Emitter(loop.body.block)
    after = body.add(body.get(slot), body.index(1))
    body.set(body.select(body.compare("eq", after, end), begin, after), slot)
    body.set(body.sub(body.get(left), body.index(1)), left)
    return emit.get(slot)
