"""How a payload tells that an entry is absent, so that one body serves operands with an entry and without."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.arith import SelectOp
from xdsl.dialects.builtin import ComplexType, StringAttr
from xdsl.ir import Block, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    JumperOp,
    LookupOp,
    LoopletType,
    RunOp,
    SequenceOp,
    StepperOp,
    SwitchOp,
    YieldOp,
    yielded,
)
from irtensor.dialects.loop.loop_memory import LoadOp
from irtensor.dialects.storage.storage import FiberOp, FiberType, OptionalFiberOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import create_operation, erase_operation
from irtensor.passes.iteration_lattice.support.known_values import Known, is_same, known_value, selects_stored
from irtensor.passes.iteration_lattice.support.seeking import has_lists
from irtensor.passes.support.emit import Emitter, is_successor
from irtensor.passes.support.operations_in import operations_in


def or_absent(present: SSAValue, payload: SSAValue, gap: SSAValue, emit: Emitter) -> SSAValue:
    """The payload if there is an entry, else the fill value or a fiber without entries."""
    if not isinstance(payload.type, FiberType):
        if isinstance(payload.type, ComplexType):
            where = ApplyOp.of(StringAttr("where"), (present, payload, gap), payload.type)
            return selects_stored(emit.insert(where).result)
        return selects_stored(emit.select(present, payload, gap))
    fiber = payload.owner
    properties = payload.type.level_format.properties
    # A list shows that it is absent by having no positions.
    if not isinstance(fiber, FiberOp) or not properties.is_empty_without_parents:
        return emit.insert(OptionalFiberOp.of(present, payload)).result
    zero = emit.index(0)
    begin, end = emit.select(present, fiber.begin, zero), emit.select(present, fiber.end, zero)
    return emit.insert(FiberOp.of(fiber.tensor, begin, end, payload.type.level.data)).result


def known_gap_of(switch: SwitchOp) -> Known | None:
    """What a switch chooses at all coordinates where its condition does not hold, if that is known."""
    negative = switch.negative.owner
    return known_value(negative.payload) if isinstance(negative, RunOp) else None


class OptionalNest:
    """Makes the nest of a fiber or piece that may be absent; `zero` is in front of the code of a present one."""

    def __init__(self, present: SSAValue, gap: SSAValue, zero: SSAValue, lo: SSAValue | None = None):
        self.present = present
        self.gap = gap
        self.lo = lo
        """Where the range begins, of a nest for more than one coordinate."""
        self._zero = zero

    def of(self, nest: SSAValue, code: Block, emit: Emitter) -> SSAValue:
        """The nest that `code` has made, or nothing but gaps where the fiber is absent; `emit` ends the code.

        There need not be an array to read then: of an operand without any entry, generated code may read element 0 of
        an array and no other.
        """
        for load in operations_in(code, LoadOp):
            if constant_index(load.index) != 0 and load.parent is not None:
                select = create_operation(SelectOp, (self.present, load.index, self._zero), (load.index.type,))
                load.parent.insert_op_before(select, load)
                load.operands[1] = select.result
        lookup = nest.owner
        if not isinstance(lookup, LookupOp):
            return self._without_branch(nest, emit) or self._choice(nest, emit)
        end = lookup.body.block.last_op
        assert isinstance(end, YieldOp)
        (found,) = end.values
        erase_operation(end)
        inner = Emitter(lookup.body.block)
        inner.insert(YieldOp.of(self._choice(found, inner)))
        return nest

    def _without_branch(self, nest: SSAValue, emit: Emitter) -> SSAValue | None:
        """The same without a switch around it, if it has a form with nothing but a gap in it: other loops then need
        not be copied for both."""
        if self.lo is None:
            return None
        owner = nest.owner
        if isinstance(owner, SequenceOp) and self._is_gap(owner.nests[-1]):
            ends = self._early(owner.ends, emit)
            stepper = owner.nests[0].owner
            if isinstance(stepper, StepperOp | JumperOp) and list(owner.ends) == [stepper.stop]:
                stepper.operands[1] = emit.select(self.present, stepper.end, self._zero)
                stepper.operands[2] = ends[0]
            elif any(map(has_lists, owner.nests)):
                return None
            return emit.insert(SequenceOp.of(ends, owner.nests, within=owner.within is not None)).result
        if isinstance(owner, StepperOp) and isinstance(yielded(owner.chunk)[0].owner, RunOp):
            self._cover(owner, emit)
            return nest
        return None

    def _is_gap(self, nest: SSAValue) -> bool:
        known = known_value(nest.owner.payload) if isinstance(nest.owner, RunOp) else None
        gap = known_value(self.gap)
        return known is not None and gap is not None and is_same(known, gap)

    def _early(self, ends: Sequence[SSAValue], emit: Emitter) -> list[SSAValue]:
        """Ends of phases, the last of them where the range begins if the fiber is absent, and the others before."""
        assert self.lo is not None
        if len(ends) == 2 and is_successor(ends[1], ends[0]):
            begin = emit.select(self.present, ends[0], emit.sub(self.lo, emit.index(1)))
            return [begin, emit.add(begin, emit.index(1))]
        return [emit.select(self.present, end, self.lo) for end in ends]

    def _cover(self, stepper: StepperOp, emit: Emitter) -> None:
        """Let a list of runs be a single one, of the gap, where the fiber is absent."""
        begin = emit.select(self.present, emit.get(stepper.cursor), self._zero)
        end = emit.select(self.present, stepper.end, emit.index(1))
        stepper.operands[0], stepper.operands[1] = emit.cell(begin), end
        for region in (stepper.load, stepper.chunk):
            last = region.block.last_op
            assert isinstance(last, YieldOp)
            (found,) = last.values
            erase_operation(last)
            inner = Emitter(region.block)
            is_end = region is stepper.load
            made = inner.select(self.present, found, stepper.stop) if is_end else self._choice(found, inner)
            inner.insert(YieldOp.of(made))

    def _choice(self, found: SSAValue, emit: Emitter) -> SSAValue:
        """What a present fiber has at a coordinate, an element or a nest, or else the gap."""
        switch = found.owner
        if isinstance(switch, SwitchOp) and known_gap_of(switch) is not None:
            condition = emit.both(self.present, switch.condition)
            return emit.insert(SwitchOp.of(condition, switch.positive, switch.negative)).result
        nest = found if isinstance(found.type, LoopletType) else emit.insert(RunOp.of(found)).result
        return emit.insert(SwitchOp.of(self.present, nest, emit.insert(RunOp.of(self.gap)).result)).result
