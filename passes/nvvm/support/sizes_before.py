"""How large memory is that is made while a loop runs, or is at most: computed before the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects import arith
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.loop.loop import IndexMapOp, MapCountOp, MapFindOp, MapInsertOp
from irtensor.dialects.loop.loop_maps import LEVEL
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.support.emit import Emitter, factors_of_saturated

# Of larger numbers they make no smaller one.
_GROWING = (arith.AddiOp, arith.MuliOp, arith.MaxSIOp, arith.MinSIOp, arith.IndexCastOp)


_FOUND = "its size depends on data found while it runs"


class Unknown(Exception):
    """A size does not follow from values known before; the text says why."""


class SizesBefore:
    """Emits sizes where only some values are there yet, as `is_there` says."""

    def __init__(self, is_there: Callable[[SSAValue], bool], emit: Emitter) -> None:
        self.is_there = is_there
        self.emit = emit
        self.bounds: set[SSAValue] = set()
        """Values that are not equal to what they stand for, but no smaller."""

    def at_most(self, value: SSAValue) -> SSAValue:
        """A size; where it depends on what maps hold, an upper bound. Raises Unknown."""
        if self.is_there(value):
            return value
        owner = value.owner
        if isinstance(owner, MapInsertOp | MapFindOp | MapCountOp) and value is owner.results[0]:
            return self._capacity(owner.map.owner)
        if not isinstance(owner, Operation) or not is_pure(owner):
            raise Unknown(_FOUND)
        factors = factors_of_saturated(value)
        if factors is not None:
            sizes = [self.at_most(factor) for factor in factors]
            return self._noted(self.emit.saturated_product(*sizes), sizes)
        copies = {operand: self.at_most(operand) for operand in owner.operands}
        sizes = list(copies.values())
        if not self.bounds.isdisjoint(sizes) and not isinstance(owner, _GROWING):
            raise Unknown(_FOUND)
        return self._noted(self.emit.insert(clone_operation(owner, copies)).results[0], sizes)

    def _capacity(self, map: object) -> SSAValue:
        if not isinstance(map, IndexMapOp) or map.capacity is None:
            raise Unknown("it has an element for each pair of a map, and bound-maps, which counts them, did not run")
        capacity = self.at_most(map.capacity)
        self.bounds.add(capacity)
        return capacity

    def _noted(self, size: SSAValue, operands: Iterable[SSAValue]) -> SSAValue:
        """A size is a bound if what it is computed from is one."""
        if not self.bounds.isdisjoint(operands):
            self.bounds.add(size)
        return size


def unbounded(op: Operation, why: str) -> UserError:
    """The error for a map, or memory that an operation makes or asks for, whose size is not known before."""
    value = op.results[0] if op.results else op.operands[0]
    what = f"'{value.name_hint}'" if value.name_hint else "it"
    if isinstance(op, IndexMapOp):
        level = op.attributes.get(LEVEL)
        what = level.data if isinstance(level, StringAttr) else what
    size = f"how many pairs {what} holds" if isinstance(op, IndexMapOp) else f"how much {what} needs"
    message = f"a kernel cannot make memory while it runs, and {size} is not known before: {why}"
    help = 'compile it for target="cpu", or give the loops another order or a workspace of another format'
    return UserError("cuda-memory", message, op=op, help=help)
