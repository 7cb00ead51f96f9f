"""How a payload tells that an entry is absent, so that one body serves operands with an entry and without."""

from __future__ import annotations

from xdsl.dialects.arith import SelectOp
from xdsl.dialects.builtin import ComplexType, StringAttr
from xdsl.ir import Block, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.iteration_lattice.iteration_lattice import LookupOp, LoopletType, RunOp, SwitchOp, YieldOp
from irtensor.dialects.loop.loop_memory import LoadOp
from irtensor.dialects.storage.storage import FiberOp, FiberType, OptionalFiberOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import create_operation, erase_operation
from irtensor.passes.iteration_lattice.support.known_values import Known, known_value, selects_stored
from irtensor.passes.support.emit import Emitter
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
    """Makes the nest of what may be absent; `emit` is in front of the code that makes that of what is present."""

    def __init__(self, present: SSAValue, gap: SSAValue, emit: Emitter):
        self.present = present
        self.gap = gap
        self._zero = emit.index(0)

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
            return self._choice(nest, emit)
        end = lookup.body.block.last_op
        assert isinstance(end, YieldOp)
        (found,) = end.values
        erase_operation(end)
        inner = Emitter(lookup.body.block)
        inner.insert(YieldOp.of(self._choice(found, inner)))
        return nest

    def _choice(self, found: SSAValue, emit: Emitter) -> SSAValue:
        """What a present fiber has at a coordinate, an element or a nest, or else the gap."""
        switch = found.owner
        if isinstance(switch, SwitchOp) and known_gap_of(switch) is not None:
            condition = emit.both(self.present, switch.condition)
            return emit.insert(SwitchOp.of(condition, switch.positive, switch.negative)).result
        nest = found if isinstance(found.type, LoopletType) else emit.insert(RunOp.of(found)).result
        return emit.insert(SwitchOp.of(self.present, nest, emit.insert(RunOp.of(self.gap)).result)).result
