"""Entries of a tensor in blocks by their numbers: counts by dimension become counts by the levels of its format.

A stored block has all its elements, so that their number follows from that of blocks. Entries are in lexicographic
order, while blocks of one row of blocks follow each other: the elements at one row offset are a part of the elements of
such a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from xdsl.dialects.arith import AddiOp, MinSIOp, MuliOp, RemSIOp, SelectOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.numbered_dimensions import (
    NotNumbered,
    NumberedDimension,
    dimensions_in_order,
    numbered_dimensions,
)
from irtensor.dialects.concrete_index.concrete_index import LetOp
from irtensor.dialects.concrete_index.index_ranges import BoundOp, EntryCountOp, EntryOp, ExtentOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import create_block, create_region, erase_operation
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of


def count_by_level(root: Operation) -> None:
    """Replace what counts entries by dimension."""
    for op in operations_in(root, EntryOp, EntryCountOp):
        if op.by_dimension is None:
            continue
        block = Block()
        entries = _Entries.of(op, Emitter(block))
        match op:
            case EntryOp():
                values = entries.at(op.number)
            case EntryCountOp():
                values = [entries.before(op.before) if op.before else entries.in_all()]
        for op_inside in block.ops:
            op_inside.location = op.location
        move_before(block, op)
        for old, value in zip(op.results, values, strict=True):
            old.replace_all_uses_with(value)
        erase_operation(op)


def bind_computed(root: Operation) -> None:
    """Bind the coordinates that entries are counted below where no loop does: a computed block number or offset."""
    for op in operations_in(root, EntryOp, EntryCountOp):
        for number, index in enumerate(op.prefix, 1):
            if isinstance(index.owner, Operation):
                op.operands[number] = _bound_as(index.owner, index)


def _bound_as(owner: Operation, index: SSAValue) -> SSAValue:
    """The variable of a `let` around all that is behind the operation that computes its coordinate."""
    around = owner.parent
    assert around is not None
    following = operations_of(around)
    following = following[following.index(owner) + 1 :]
    known = following[0] if following else None
    if isinstance(known, LetOp) and known.coordinate is index:
        return known.variable
    body = create_block((index.type,), (index.name_hint,))
    Emitter(body).take(following)
    around.add_op(LetOp.of(index, create_region(body)))
    return body.args[0]


def is_multiple_of(value: SSAValue, size: int) -> bool:
    """Whether a coordinate is where a block of a size begins; behind the last coordinate there is nothing to be cut."""
    number, owner = constant_index(value), value.owner
    if size == 1 or number is not None or isinstance(owner, Block):
        return size == 1 or (number is not None and number % size == 0)
    if isinstance(owner, MuliOp):
        return any(is_multiple_of(operand, size) for operand in owner.operands)
    if isinstance(owner, AddiOp | MinSIOp):
        return all(is_multiple_of(operand, size) for operand in owner.operands)
    if isinstance(owner, SelectOp):
        return all(is_multiple_of(operand, size) for operand in owner.operands[1:])
    return isinstance(owner, ExtentOp | BoundOp)


class _Entries(NamedTuple):
    """Entries below some indices of levels, counted along dimensions; units are what the levels count."""

    tensor: SSAValue
    prefix: list[SSAValue]
    dimensions: Sequence[NumberedDimension]
    emit: Emitter

    @staticmethod
    def of(op: EntryOp | EntryCountOp, emit: Emitter) -> _Entries:
        format = format_of(op.tensor.type)
        found = numbered_dimensions(format, len(op.prefix), op.levels.value.data)
        assert not isinstance(found, NotNumbered)
        indices = dict(zip(dimensions_in_order(format), op.prefix, strict=False))
        prefix: list[SSAValue] = []
        for level in format.levels[: found[0].levels.start]:
            index, size = indices[level.expression.dimension], emit.index(level.expression.factor)
            match level.expression.form:
                case "floordiv":
                    index = emit.divide(index, size)
                case "mod":
                    index = emit.insert(RemSIOp(index, size)).result
                case _:
                    pass
            prefix.append(index)
        return _Entries(op.tensor, prefix, found, emit)

    def in_all(self) -> SSAValue:
        levels = self._level_count(len(self.dimensions))
        units = self.emit.insert(EntryCountOp.of(self.tensor, self.prefix, levels)).result
        return self.emit.mul(units, self.emit.index(self._weights[0]))

    def before(self, coordinates: Sequence[SSAValue]) -> SSAValue:
        """How many entries are before some coordinates: those in outer blocks, and in rows with offsets before."""
        emit = self.emit
        sizes = [emit.index(dimension.size) for dimension in self.dimensions]
        units = [emit.divide(one, size) for one, size in zip(coordinates, sizes, strict=True)]
        found = emit.index(0)
        for depth, dimension in enumerate(self.dimensions, 1):
            below, last = self._weights[depth], depth == len(self.dimensions)
            if dimension.size == 1 and not last:
                continue
            above = self._before(units[:depth])
            found = emit.add(found, emit.mul(above, emit.index(self._weights[depth - 1] - (0 if last else below))))
            if dimension.size > 1:
                offset = emit.insert(RemSIOp(coordinates[depth - 1], sizes[depth - 1])).result
                width = emit.mul(emit.sub(self._behind(units[:depth]), above), emit.index(below))
                found = emit.add(found, emit.mul(offset, width))
        return found

    def at(self, number: SSAValue) -> list[SSAValue]:
        """The coordinates of the entry with a number."""
        emit, outside = self.emit, self.emit.index(0)
        units, found = self._unit(outside, number, 0), list[SSAValue]()
        for depth, dimension in enumerate(self.dimensions, 1):
            if dimension.size == 1:
                found.append(self._clipped(units[depth - 1], dimension))
                continue
            size, below = emit.index(dimension.size), self._weights[depth]
            if depth == len(self.dimensions):
                whole = is_multiple_of(number, dimension.size)
                offset = emit.index(0) if whole else emit.insert(RemSIOp(number, size)).result
            else:
                first, behind = self._before(units[:depth]), self._behind(units[:depth])
                inside = emit.sub(number, emit.mul(emit.sub(first, outside), emit.index(self._weights[depth - 1])))
                width = emit.max(emit.mul(emit.sub(behind, first), emit.index(below)), emit.index(1))
                offset = emit.divide(inside, width)
                number, outside = emit.sub(inside, emit.mul(offset, width)), first
            found.append(self._clipped(emit.add(emit.mul(units[depth - 1], size), offset), dimension))
            if depth < len(self.dimensions):
                units = self._unit(outside, number, depth)
        return found

    @property
    def _weights(self) -> list[int]:
        """How many entries a unit has below so many of the dimensions."""
        sizes = [dimension.size for dimension in reversed(self.dimensions)]
        return list(accumulate(sizes, lambda a, b: a * b, initial=1))[::-1]

    def _level_count(self, dimensions: int) -> int:
        return sum(len(dimension.levels) for dimension in self.dimensions[:dimensions])

    def _unit(self, outside: SSAValue, number: SSAValue, depth: int) -> list[SSAValue]:
        """The coordinates of the unit that has an entry, whose number is counted behind those of units `outside`."""
        emit, weight = self.emit, self._weights[depth]
        unit = number if weight == 1 else emit.divide(number, emit.index(weight))
        levels = self._level_count(len(self.dimensions))
        entry = emit.insert(EntryOp.of(self.tensor, self.prefix, emit.add(outside, unit), levels))
        parts = iter(entry.coordinates)
        found: list[SSAValue] = []
        for dimension in self.dimensions:
            coordinate = next(parts)
            if len(dimension.levels) > 1:
                size = emit.index(self._size(dimension))
                coordinate = emit.add(emit.mul(coordinate, size), next(parts))
            found.append(coordinate)
        return found

    def _size(self, dimension: NumberedDimension) -> int:
        return format_of(self.tensor.type).levels[dimension.levels.start].expression.factor

    def _before(self, units: Sequence[SSAValue]) -> SSAValue:
        """How many units are before those at the outer coordinates that are given."""
        emit = self.emit
        coordinates: list[SSAValue] = []
        for number, dimension in enumerate(self.dimensions):
            unit = units[number] if number < len(units) else emit.index(0)
            if len(dimension.levels) == 1:
                coordinates.append(unit)
            else:
                size = emit.index(self._size(dimension))
                coordinates += (emit.divide(unit, size), emit.insert(RemSIOp(unit, size)).result)
        levels = self._level_count(len(self.dimensions))
        return emit.insert(EntryCountOp.of(self.tensor, self.prefix, levels, coordinates)).result

    def _behind(self, units: Sequence[SSAValue]) -> SSAValue:
        """How many units are before those behind the outer coordinates that are given."""
        return self._before([*units[:-1], self.emit.add(units[-1], self.emit.index(1))])

    def _clipped(self, coordinate: SSAValue, dimension: NumberedDimension) -> SSAValue:
        """A coordinate, or the extent for offsets behind the last one."""
        if not dimension.padded:
            return coordinate
        extent = self.emit.insert(ExtentOp.of(self.tensor, dimension.dimension)).result
        return self.emit.min(coordinate, extent)
