"""The largest number that a bound of a loop may be, computed where a function begins: so much room there has to be."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.concrete_index.index_ranges import BoundOp, EntryCountOp, EntryNumberOp, EntryOp, ExtentOp
from irtensor.dialects.iteration_lattice import lattice_entries
from irtensor.dialects.storage.storage import DimOp, RootOp, format_of
from irtensor.dialects.support.create_operation import copy_of
from irtensor.passes.analysis.ranges import forall_of, sources
from irtensor.passes.analysis.windows import fixed_size
from irtensor.passes.level_formats.level_extent import level_extent
from irtensor.passes.support.emit import Emitter


def largest_value(value: SSAValue, root: Emitter, tensors: Mapping[SSAValue, SSAValue]) -> SSAValue | None:
    """A number that an index never exceeds, itself where no loop has a say in it; None where that is not known.

    Indices are not negative; `tensors` has the values of tensors where the number is computed.
    """
    return _Largest(root, tensors).of(value)


class _Largest:
    def __init__(self, root: Emitter, tensors: Mapping[SSAValue, SSAValue]) -> None:
        self.root = root
        self.tensors = tensors
        self.found: dict[SSAValue, SSAValue | None] = {}

    def of(self, value: SSAValue) -> SSAValue | None:
        """Computed once for each value, however many others are computed from it."""
        if value not in self.found:
            self.found[value] = self._of(value)
        return self.found[value]

    def _of(self, value: SSAValue) -> SSAValue | None:
        owner = value.owner
        if not isinstance(owner, Operation):
            loop = forall_of(value)
            return self.of(loop.bounds[1]) if loop is not None and loop.bounds else None
        match owner:
            case arith.ConstantOp():
                return self.root.insert(copy_of(owner)).result
            case ExtentOp():
                return self.root.insert(DimOp.of(self._tensor(owner.tensor), owner.dimension.value.data)).result
            case BoundOp():
                return self.root.index(owner.number.value.data) if owner.is_exact else self.of(owner.extent)
            case EntryOp():
                number = next(number for number, one in enumerate(owner.coordinates) if one is value)
                return level_extent(self.root, self._tensor(owner.tensor), len(owner.prefix) + number)
            case EntryCountOp():
                return self._entries(owner)
            case EntryNumberOp():
                return self.of(owner.past)
            case _ if owner.dialect_name() in ("arith", "algebra"):
                return self._computed(owner, value)
            case _:
                return None

    def _entries(self, op: EntryCountOp) -> SSAValue | None:
        """How many entries there are; below indices of loops, as many as there are coordinates."""
        tensor, count, first = self._tensor(op.tensor), op.levels.value.data, len(op.prefix)
        if first == 0:
            # Of those before what a loop says, there may be all.
            before = [] if any(map(sources, op.before)) else [self.of(one) for one in op.before]
            root = self.root.insert(RootOp(tensor)).result
            known = [one for one in before if one is not None]
            before = known if len(known) == len(before) else []
            return self.root.insert(lattice_entries.EntryCountOp.of(root, count, before)).result
        levels = range(first, first + count)
        if not all(format_of(op.tensor.type).levels[level].format.unique for level in levels):
            return None
        return reduce(self.root.mul, [level_extent(self.root, tensor, level) for level in levels])

    def _computed(self, op: Operation, value: SSAValue) -> SSAValue | None:
        found = [self.of(operand) for operand in op.operands]
        known = [one for one in found if one is not None]
        if not sources(value):
            if len(known) < len(found):
                return None
            return self.root.insert(op.clone(dict(zip(op.operands, known, strict=True)))).results[0]
        match op:
            case arith.MinSIOp() if known:
                return known[0] if len(known) == 1 else self.root.min(*known)
            case arith.AddiOp() | arith.MuliOp() | arith.MaxSIOp() if len(known) == 2:
                return {"arith.addi": self.root.add, "arith.muli": self.root.mul}.get(op.name, self.root.max)(*known)
            case arith.SelectOp() if found[1] is not None and found[2] is not None:
                return self.root.max(found[1], found[2])
            case arith.SubiOp():
                size = fixed_size(op.rhs, op.lhs)
                return found[0] if size is None else self.of(size)
            case arith.DivSIOp() if found[0] is not None and not sources(op.rhs) and found[1] is not None:
                return self.root.divide(found[0], found[1])
            case _:
                return None

    def _tensor(self, tensor: SSAValue) -> SSAValue:
        return self.tensors.get(tensor, tensor)
