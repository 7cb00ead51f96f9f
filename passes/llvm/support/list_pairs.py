"""The functions that list the pairs of a map: by digits of the coordinate, if in order, then by parent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import EQ, NE, SGE, SGT, SLT, FunctionBuilder, declare

# A digit of 11 bits: its counts stay in the first-level cache, and three of them are most coordinates.
DIGIT_BITS = 11
# Up to so many pairs are sorted by insertion, which costs less than to count digits.
_FEW = 48


class _List(NamedTuple):
    """Where coordinates and slots are listed."""

    coordinates: SSAValue
    slots: SSAValue


class _Digits(NamedTuple):
    """By how many bits a list is sorted at a time, and where the numbers are counted that have a digit."""

    bits: int
    counts: SSAValue


def list_function(
    name: str, types: Sequence[Attribute], unordered: bool = False, digit_bits: int = DIGIT_BITS
) -> Operation:
    """(pairs, their number, parents, positions, coordinates, slots, spare) -> 0.

    `spare` has room for two lists and for the counts of a digit. Each step keeps the order of what it finds equal, so
    that with `unordered`, where coordinates are not sorted, those of a parent stay in order of insertion.
    """
    builder = FunctionBuilder(types)
    pairs, count, parents, positions, *listed, spare = builder.entry.args
    own, other = _List(*listed), _List(spare, builder.address(spare, count, i64))
    counts = builder.address(spare, builder.add(count, count), i64)
    bits, sorted_already = _begin(builder, pairs, count, own)
    is_own = builder.alloca(i1)
    builder.store(builder.integer(1, i1), is_own)
    if not unordered:
        _sort(builder, count, bits, sorted_already, own, other, _Digits(digit_bits, counts), is_own)
    only, several, after = create_block(), create_block(), create_block()
    builder.branch_if(builder.compare(EQ, parents, builder.integer(1)), only, (), several)
    builder.start(only)
    _copy_if(builder, builder.compare(EQ, builder.load(is_own, i1), builder.integer(0, i1)), other, own, count)
    _store(builder, builder.integer(0), positions, builder.integer(0))
    _store(builder, count, positions, builder.integer(1))
    builder.branch(after)
    builder.start(several)
    _copy_if(builder, builder.load(is_own, i1), own, other, count)
    _group_by_parent(builder, pairs, count, parents, positions, other, own)
    builder.branch(after)
    builder.start(after)
    builder.effect(llvm.ReturnOp, (builder.integer(0),))
    return declare(name, types, i64, builder.finish())


def _sort(
    builder: FunctionBuilder,
    count: SSAValue,
    bits: SSAValue,
    sorted_already: SSAValue,
    own: _List,
    other: _List,
    digits: _Digits,
    is_own: SSAValue,
) -> None:
    """Sort the list by coordinate, in place or into the other one, as `is_own` then says."""
    sort, by_insertion, by_digits, after = create_block(), create_block(), create_block(), create_block()
    builder.branch_if(sorted_already, after, (), sort)
    builder.start(sort)
    few = builder.compare(SGT, builder.integer(_FEW + 1), count)
    builder.branch_if(few, by_insertion, (), by_digits)
    builder.start(by_insertion)
    _sort_by_insertion(builder, count, own)
    builder.branch(after)
    builder.start(by_digits)
    _sort_by_digits(builder, count, bits, own, other, digits, is_own)
    builder.branch(after)
    builder.start(after)


def _copy_if(builder: FunctionBuilder, condition: SSAValue, source: _List, target: _List, count: SSAValue) -> None:
    copy, after = create_block(), create_block()
    builder.branch_if(condition, copy, (), after)
    builder.start(copy)
    length = builder.value(llvm.ShlOp, (count, builder.integer(3)), i64)
    for start, end in zip(source, target, strict=True):
        builder.copy_bytes(end, start, length)
    builder.branch(after)
    builder.start(after)


def _load(builder: FunctionBuilder, array: SSAValue, number: SSAValue) -> SSAValue:
    return builder.load(builder.address(array, number, i64), i64, 8)


def _store(builder: FunctionBuilder, value: SSAValue, array: SSAValue, number: SSAValue) -> None:
    builder.store(value, builder.address(array, number, i64), 8)


def _parent(builder: FunctionBuilder, pairs: SSAValue, slot: SSAValue) -> SSAValue:
    return _load(builder, pairs, builder.add(slot, slot))


def _subtract(builder: FunctionBuilder, a: SSAValue, b: SSAValue) -> SSAValue:
    return builder.value(llvm.SubOp, (a, b), i64)


def _for(builder: FunctionBuilder, count: SSAValue, body: Callable[[SSAValue], None]) -> None:
    """Run the code for each number below the count."""
    loop, after = create_block((i64,)), create_block()
    zero = builder.integer(0)
    builder.branch_if(builder.compare(SGT, count, zero), loop, (zero,), after)
    builder.start(loop)
    body(loop.args[0])
    following = builder.add(loop.args[0], builder.integer(1))
    builder.branch_if(builder.compare(SLT, following, count), loop, (following,), after)
    builder.start(after)


def _begin(builder: FunctionBuilder, pairs: SSAValue, count: SSAValue, own: _List) -> tuple[SSAValue, SSAValue]:
    """List the pairs as they were inserted; gives the bits that coordinates have, and whether all is in order."""
    bits, in_order, last_parent, last = (builder.alloca(type) for type in (i64, i1, i64, i64))
    for cell, value in ((bits, 0), (last_parent, 0), (last, 0)):
        builder.store(builder.integer(value), cell)
    builder.store(builder.integer(1, i1), in_order)

    def append(number: SSAValue) -> None:
        parent = _parent(builder, pairs, number)
        coordinate = _load(builder, pairs, builder.add(builder.add(number, number), builder.integer(1)))
        _store(builder, coordinate, own.coordinates, number)
        _store(builder, number, own.slots, number)
        builder.store(builder.value(llvm.OrOp, (builder.load(bits, i64), coordinate), i64), bits)
        later = builder.compare(SGT, parent, builder.load(last_parent, i64))
        same = builder.compare(EQ, parent, builder.load(last_parent, i64))
        grows = builder.compare(SGE, coordinate, builder.load(last, i64))
        follows = builder.value(llvm.OrOp, (later, builder.value(llvm.AndOp, (same, grows), i1)), i1)
        builder.store(builder.value(llvm.AndOp, (builder.load(in_order, i1), follows), i1), in_order)
        builder.store(parent, last_parent)
        builder.store(coordinate, last)

    _for(builder, count, append)
    return builder.load(bits, i64), builder.load(in_order, i1)


def _sort_by_insertion(builder: FunctionBuilder, count: SSAValue, own: _List) -> None:
    one, zero = builder.integer(1), builder.integer(0)

    def insert(number: SSAValue) -> None:
        coordinate, slot = _load(builder, own.coordinates, number), _load(builder, own.slots, number)
        seek, compare, move, put = create_block((i64,)), create_block(), create_block(), create_block()
        builder.branch(seek, (number,))
        builder.start(seek)
        place = seek.args[0]
        builder.branch_if(builder.compare(EQ, place, zero), put, (), compare)
        builder.start(compare)
        before = _subtract(builder, place, one)
        found = _load(builder, own.coordinates, before)
        builder.branch_if(builder.compare(SGT, found, coordinate), move, (), put)
        builder.start(move)
        _store(builder, found, own.coordinates, place)
        _store(builder, _load(builder, own.slots, before), own.slots, place)
        builder.branch(seek, (before,))
        builder.start(put)
        _store(builder, coordinate, own.coordinates, place)
        _store(builder, slot, own.slots, place)

    _for(builder, count, insert)


def _sort_by_digits(
    builder: FunctionBuilder,
    count: SSAValue,
    bits: SSAValue,
    own: _List,
    other: _List,
    digits: _Digits,
    is_own: SSAValue,
) -> None:
    """Distribute the list by one digit after the other, the lowest first, from one list to the other and back."""
    counts, values = digits.counts, 1 << digits.bits
    digit, after = create_block((i64,)), create_block()
    builder.branch_if(builder.compare(NE, bits, builder.integer(0)), digit, (builder.integer(0),), after)
    builder.start(digit)
    shift = digit.args[0]
    forwards = builder.load(is_own, i1)
    source = _List(*(builder.select(forwards, a, b) for a, b in zip(own, other, strict=True)))
    target = _List(*(builder.select(forwards, b, a) for a, b in zip(own, other, strict=True)))

    def digit_of(number: SSAValue) -> SSAValue:
        shifted = builder.value(llvm.LShrOp, (_load(builder, source.coordinates, number), shift), i64)
        return builder.value(llvm.AndOp, (shifted, builder.integer(values - 1)), i64)

    length = builder.integer(8 * values)
    builder.set_bytes(counts, builder.integer(0, i8), length)

    def tally(number: SSAValue) -> None:
        value = digit_of(number)
        _store(builder, builder.add(_load(builder, counts, value), builder.integer(1)), counts, value)

    def distribute(number: SSAValue) -> None:
        value = digit_of(number)
        place = _load(builder, counts, value)
        _store(builder, builder.add(place, builder.integer(1)), counts, value)
        for a, b in zip(source, target, strict=True):
            _store(builder, _load(builder, a, number), b, place)

    _for(builder, count, tally)
    _add_up(builder, counts, builder.integer(values))
    _for(builder, count, distribute)
    builder.store(builder.value(llvm.XOrOp, (forwards, builder.integer(1, i1)), i1), is_own)
    following = builder.add(shift, builder.integer(digits.bits))
    wide = builder.compare(SGT, builder.integer(63), following)
    more = builder.value(llvm.LShrOp, (bits, builder.select(wide, following, builder.integer(63))), i64)
    builder.branch_if(builder.compare(NE, more, builder.integer(0)), digit, (following,), after)
    builder.start(after)


def _add_up(builder: FunctionBuilder, counts: SSAValue, number: SSAValue) -> None:
    """Each count becomes the sum of those before it."""
    total = builder.alloca(i64)
    builder.store(builder.integer(0), total)

    def add(place: SSAValue) -> None:
        count, sum = _load(builder, counts, place), builder.load(total, i64)
        _store(builder, sum, counts, place)
        builder.store(builder.add(sum, count), total)

    _for(builder, number, add)


def _group_by_parent(
    builder: FunctionBuilder,
    pairs: SSAValue,
    count: SSAValue,
    parents: SSAValue,
    positions: SSAValue,
    source: _List,
    target: _List,
) -> None:
    """Distribute the list by parent; `positions` then says where each parent's part begins."""
    one = builder.integer(1)
    # While parts are filled, the place for parent p is kept one further, which becomes the end of its part.
    size = builder.value(llvm.ShlOp, (builder.add(parents, one), builder.integer(3)), i64)
    builder.set_bytes(positions, builder.integer(0, i8), size)

    def tally(number: SSAValue) -> None:
        place = builder.add(_parent(builder, pairs, number), one)
        _store(builder, builder.add(_load(builder, positions, place), one), positions, place)

    def distribute(number: SSAValue) -> None:
        place = builder.add(_parent(builder, pairs, _load(builder, source.slots, number)), one)
        end = _load(builder, positions, place)
        _store(builder, builder.add(end, one), positions, place)
        for a, b in zip(source, target, strict=True):
            _store(builder, _load(builder, a, number), b, end)

    _for(builder, count, tally)
    _add_up(builder, builder.address(positions, one, i64), parents)
    _for(builder, count, distribute)
