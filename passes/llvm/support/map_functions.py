"""The functions that put pairs into a hash table with open addressing, and find them there.

How the table grows, and how pairs are taken out and listed, is in passes/llvm/loops/maps.mlir: one loop with several
ways out is faster than loops of one way out each.

Pairs lie in an array in order of insertion. A cell of the table is 0, or holds the number of a pair plus one, and above
that some bits of its hash: another pair is told by them, mostly, without a look at the array. At most half of the cells
are taken, so that searches are short, and end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import EQ, ULE, FunctionBuilder, declare

# Odd numbers without pattern in their bits (of the golden ratio, and of SplitMix64), as signed integers.
_PARENT_FACTOR, _FACTOR = 0x9E3779B97F4A7C15 - 2**64, 0xBF58476D1CE4E5B9 - 2**64
# Coordinates that differ in so many lower bits have their cells side by side: those that are looked up one after the
# other are in the same lines of the cache.
_GROUP_BITS = 6
# 2 ** 48 pairs exceed any memory.
_NUMBER = (1 << 48) - 1


class _Hash(NamedTuple):
    """The cell where the search for a pair begins, and the bits that its own cell holds above the number."""

    cell: SSAValue
    bits: SSAValue


def _hash(builder: FunctionBuilder, parent: SSAValue, coordinate: SSAValue, mask: SSAValue) -> _Hash:
    spread = builder.value(llvm.MulOp, (parent, builder.integer(_PARENT_FACTOR)), i64)
    group = builder.value(llvm.LShrOp, (coordinate, builder.integer(_GROUP_BITS)), i64)
    mixed = builder.value(llvm.AddOp, (spread, group), i64)
    mixed = builder.value(llvm.MulOp, (mixed, builder.integer(_FACTOR)), i64)
    high = builder.value(llvm.LShrOp, (mixed, builder.integer(32)), i64)
    first = builder.value(llvm.XOrOp, (mixed, high), i64)
    inside = builder.value(llvm.AndOp, (coordinate, builder.integer((1 << _GROUP_BITS) - 1)), i64)
    cell = builder.value(llvm.AndOp, (builder.value(llvm.AddOp, (first, inside), i64), mask), i64)
    # Those of a group differ in the uppermost bits alone.
    within = builder.value(llvm.ShlOp, (coordinate, builder.integer(64 - _GROUP_BITS)), i64)
    told = builder.value(llvm.XOrOp, (mixed, within), i64)
    return _Hash(cell, builder.value(llvm.AndOp, (told, builder.integer(~_NUMBER)), i64))


def _pair(builder: FunctionBuilder, pairs: SSAValue, number: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The addresses of the parent and of the coordinate of a pair."""
    first = builder.add(number, number)
    return builder.address(pairs, first, i64), builder.address(pairs, builder.add(first, builder.integer(1)), i64)


def _cell_of(builder: FunctionBuilder, number: SSAValue, bits: SSAValue) -> SSAValue:
    """What a cell holds that is taken by the pair of a number."""
    return builder.value(llvm.OrOp, (builder.add(number, builder.integer(1)), bits), i64)


def _further(builder: FunctionBuilder, cell: SSAValue, step: SSAValue, mask: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The next cell of a search, and the step after it: 1, 2, 3, ... cells on, which leads to all of a power of 2.

    The first few are in the same line, and where whole groups of cells are taken, the search is soon past them.
    """
    return builder.value(llvm.AndOp, (builder.add(cell, step), mask), i64), builder.add(step, builder.integer(1))


def _mask(builder: FunctionBuilder, cells: SSAValue) -> SSAValue:
    return builder.value(llvm.SubOp, (cells, builder.integer(1)), i64)


class _End(NamedTuple):
    """Where a search ends: the last cell, what a cell of this pair holds above the number, and the number if found."""

    address: SSAValue
    bits: SSAValue
    number: SSAValue


def _search(
    builder: FunctionBuilder,
    table: SSAValue,
    cells: SSAValue,
    pairs: SSAValue,
    wanted: tuple[SSAValue, SSAValue],
    found: Block,
    missing: Block,
) -> _End:
    """Look for a pair, cell by cell, and go on in one of two blocks; there has to be a free cell."""
    mask, zero = _mask(builder, cells), builder.integer(0)
    probe, look, compare, following = create_block((i64, i64)), create_block(), create_block(), create_block()
    hash = _hash(builder, *wanted, mask)
    builder.branch(probe, (hash.cell, builder.integer(1)))
    builder.start(probe)
    cell, step = probe.args
    address = builder.address(table, cell, i64)
    held = builder.load(address, i64, 8)
    builder.branch_if(builder.compare(EQ, held, zero), missing, (), look)
    builder.start(look)
    # Without the bits of this hash, a number is left, or more than that if they are of another one.
    left = builder.value(llvm.XOrOp, (held, hash.bits), i64)
    builder.branch_if(builder.compare(ULE, left, builder.integer(_NUMBER)), compare, (), following)
    builder.start(compare)
    number = builder.value(llvm.SubOp, (left, builder.integer(1)), i64)
    differences = [
        builder.value(llvm.XOrOp, (builder.load(word, i64, 8), value), i64)
        for word, value in zip(_pair(builder, pairs, number), wanted, strict=True)
    ]
    difference = builder.value(llvm.OrOp, differences, i64)
    builder.branch_if(builder.compare(EQ, difference, zero), found, (), following)
    builder.start(following)
    builder.branch(probe, _further(builder, cell, step, mask))
    return _End(address, hash.bits, number)


def find_function(name: str, types: Sequence[Attribute]) -> Operation:
    """(cells, their number, pairs, parent, coordinate) -> slot plus one, 0 if the pair is not there."""
    builder = FunctionBuilder(types)
    table, cells, pairs, parent, coordinate = builder.entry.args
    begin, found, missing = create_block(), create_block(), create_block()
    zero = builder.integer(0)
    # A map that nothing was put into yet has no cells.
    builder.branch_if(builder.compare(EQ, cells, zero), missing, (), begin)
    builder.start(begin)
    end = _search(builder, table, cells, pairs, (parent, coordinate), found, missing)
    builder.start(found)
    builder.effect(llvm.ReturnOp, (builder.add(end.number, builder.integer(1)),))
    builder.start(missing)
    builder.effect(llvm.ReturnOp, (zero,))
    return declare(name, types, i64, builder.finish())


def insert_function(name: str, types: Sequence[Attribute]) -> Operation:
    """(cells, their number, pairs, their number, parent, coordinate) -> slot; a new one is the number of pairs."""
    builder = FunctionBuilder(types)
    table, cells, pairs, count, parent, coordinate = builder.entry.args
    found, new = create_block(), create_block()
    end = _search(builder, table, cells, pairs, (parent, coordinate), found, new)
    builder.start(found)
    builder.effect(llvm.ReturnOp, (end.number,))
    builder.start(new)
    builder.store(_cell_of(builder, count, end.bits), end.address, 8)
    for word, value in zip(_pair(builder, pairs, count), (parent, coordinate), strict=True):
        builder.store(value, word, 8)
    builder.effect(llvm.ReturnOp, (count,))
    return declare(name, types, i64, builder.finish())
