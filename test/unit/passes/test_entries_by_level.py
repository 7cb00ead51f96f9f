"""Entries that are numbered by dimension have the same numbers when they are counted by the levels of a format."""

from itertools import product

import numpy as np
import pytest
from reference.loop_arithmetic import compute_scalar
from xdsl.dialects.builtin import IndexType, TensorType, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from irtensor.core.numbered_dimensions import NotNumbered, dimensions_in_order, numbered_dimensions
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.index_ranges import EntryCountOp, EntryOp, ExtentOp
from irtensor.dialects.storage.storage import FormatAttr
from irtensor.passes.concrete_index.support.entries_by_level import count_by_level
from irtensor.passes.support.emit import Emitter

FORMATS = [
    "(i) -> (i floordiv 3 : compressed, i mod 3 : dense)",
    "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)",
    "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : dense, i mod 2 : dense, j mod 3 : dense)",
    "(i, j) -> (j floordiv 2 : compressed, i floordiv 3 : compressed, i mod 3 : dense, j mod 2 : dense)",
    "(i, j) -> (i floordiv 2 : compressed, j : compressed, i mod 2 : dense)",
    "(i, j) -> (i floordiv 2 : dense, i mod 2 : dense, j floordiv 3 : compressed, j mod 3 : dense)",
    "(i, j) -> (i : dense, j floordiv 3 : compressed, j mod 3 : compressed)",
    "(i, j, k) -> (i floordiv 2 : dense, j floordiv 2 : compressed, k floordiv 3 : compressed, "
    "i mod 2 : dense, j mod 2 : dense, k mod 3 : dense)",
    "(i, j, k) -> (i floordiv 2 : compressed, j : compressed, k floordiv 2 : compressed, "
    "i mod 2 : dense, k mod 2 : dense)",
    "(i, j, k) -> (k : dense, i floordiv 3 : compressed, i mod 3 : compressed, "
    "j floordiv 2 : compressed, j mod 2 : dense)",
]
# Blocks divide these extents, or do not.
SHAPES = [(4, 6, 3), (5, 4, 4), (1, 2, 3), (3, 0, 2)]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("text", FORMATS)
def test_numbers_are_those_of_places_in_order(text, shape):
    format = TensorFormat.parse(text)
    stored = np.random.default_rng(1).random(shape[: format.rank]) < 0.3
    order = dimensions_in_order(format)
    for first in range(format.rank):
        for count in range(1, format.rank - first + 1):
            for prefix in product(*(range(stored.shape[dimension]) for dimension in order[:first])):
                _check(format, stored, prefix, count)


def _check(format, stored, prefix, count):
    """Compare with all places of stored blocks in lexicographic order of the dimensions that are counted."""
    entries = numbered_dimensions(format, len(prefix), count)
    assert not isinstance(entries, NotNumbered)
    order = dimensions_in_order(format)[len(prefix) : len(prefix) + count]
    units = _units(format, stored, entries[-1].levels.stop)
    above = [_part(level, dict(zip(dimensions_in_order(format), prefix, strict=False))[level.expression.dimension])
             for level in format.levels[: entries[0].levels.start]]  # fmt: skip
    below = [unit[len(above) :] for unit in units if list(unit[: len(above)]) == above]
    places = sorted({place for unit in below for place in _places(format, entries, unit)})
    extents = [stored.shape[dimension] for dimension in order]
    behind = [tuple(extents)] * 2
    found = [_evaluate(format, stored.shape, below, prefix, count, number=n) for n in range(len(places) + 2)]
    clipped = [tuple(map(min, place, extents)) for place in places]
    assert [one if number < len(places) else behind[0] for number, one in enumerate(found)] == [*clipped, *behind]
    assert all(one[0] >= extents[0] for one in found[len(places) :])
    assert _evaluate(format, stored.shape, below, prefix, count) == [len(places)]
    for at in product(*(range(extent) for extent in extents)):
        before = _evaluate(format, stored.shape, below, prefix, count, before=at)
        assert before == [sum(place < at for place in places)]


def _part(level, coordinate):
    form, factor = level.expression.form, level.expression.factor
    return {"whole": coordinate, "floordiv": coordinate // factor, "mod": coordinate % factor}[form]


def _units(format, stored, levels):
    """The coordinates of so many levels of what is stored, in order; those of full levels are all there."""
    found = {()}
    for number, level in enumerate(format.levels[:levels]):
        extent = level.expression.extent(stored.shape)
        if level.format.pattern.full:
            found = {(*one, part) for one in found for part in range(extent)}
            continue
        known = {tuple(_part(one, at[one.expression.dimension]) for one in format.levels[: number + 1])
                 for at in map(tuple, np.argwhere(stored).tolist())}  # fmt: skip
        # Below a place that only fills up a block, there is what the block has.
        found = {one for one in known if one[:-1] in found}
    return sorted(found)


def _places(format, entries, unit):
    """The places of dimensions that what is counted has."""
    parts, ranges = iter(unit), list[range]()
    for one in entries:
        start = next(parts)
        if len(one.levels) > 1:
            start = start * format.levels[one.levels.start].expression.factor + next(parts)
        ranges.append(range(start * one.size, (start + 1) * one.size))
    return product(*ranges)


def _evaluate(format, shape, below, prefix, count, number=None, before=()):
    """What is computed by levels, whose entries below the prefix are given."""
    type = TensorType(f64, [-1] * format.rank, FormatAttr(format))
    block = Block(arg_types=[type])
    emit = Emitter(block)
    indices = [emit.index(one) for one in prefix]
    if number is None:
        coordinates = [emit.index(one) for one in before]
        op = emit.insert(EntryCountOp.of(block.args[0], indices, count, coordinates, by_dimension=True))
    else:
        op = emit.insert(EntryOp.of(block.args[0], indices, emit.index(number), count, by_dimension=True))
    emit.insert(ReturnOp(*op.results))
    function = FuncOp("f", ([type], [IndexType()] * len(op.results)), Region(block))
    count_by_level(function)
    function.verify()
    values = {}
    for op in block.ops:
        operands = [values.get(operand) for operand in op.operands]
        match op:
            case ReturnOp():
                return tuple(operands) if number is not None else operands
            case ExtentOp():
                results = (shape[op.dimension.value.data],)
            case EntryCountOp():
                ends = tuple(values[one] for one in op.before)
                results = (sum(not ends or unit[: len(ends)] < ends for unit in below),)
            case EntryOp():
                extents = [level.expression.extent(shape) for level in format.levels[len(op.prefix) :]]
                number_of_unit = values[op.number]
                results = below[number_of_unit] if number_of_unit < len(below) else extents[: len(op.coordinates)]
            case _:
                results = (int(compute_scalar(op, operands)),)
        values.update(zip(op.results, results, strict=True))
    raise AssertionError("a function ends in func.return")
