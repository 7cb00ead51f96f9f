"""Maps from pairs of integers to slots as hash tables with linear probing.

Pairs lie in an array in order of insertion; a cell of the table is 0, or the number of a pair plus one.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.create_operation import create_block
from irtensor.passes.llvm.function_builder import COLD_BRANCH, EQ, NE, POINTER, SGT, FunctionBuilder, declare
from irtensor.passes.llvm.list_pairs import list_function
from irtensor.passes.llvm.lower_memory import reserve, reserve_once
from irtensor.passes.llvm.support_functions import add_grow

if TYPE_CHECKING:
    from irtensor.passes.llvm.lower_loop_to_llvm import FunctionLowering, Growable

# Odd numbers without pattern in their bits (of the golden ratio, and of SplitMix64), as signed integers.
_PARENT_FACTOR, _FACTOR = 0x9E3779B97F4A7C15 - 2**64, 0xBF58476D1CE4E5B9 - 2**64
_FEWEST_CELLS = 64
_PAIR = 16


class IndexMap(NamedTuple):
    """A map inside a function: its memory, and stack variables for its number of pairs and of cells, a power of 2."""

    table: Growable
    pairs: Growable
    spare: Growable
    held: SSAValue
    cells: SSAValue


def make_map(state: FunctionLowering) -> IndexMap:
    """An empty map, made where the function begins."""
    builder = state.builder
    table, pairs, spare = (state.make_scratch() for _ in range(3))
    made = IndexMap(table, pairs, spare, builder.alloca(i64), builder.alloca(i64))
    builder.store(builder.integer(0), made.held, 8)
    builder.store(builder.integer(0), made.cells, 8)
    return made


def _insert(state: FunctionLowering, op: Operation) -> None:
    """At most half of the cells are taken, so that probes are short."""
    builder = state.builder
    parent, coordinate, map = (state.values[operand] for operand in op.operands)
    count = builder.load(map.held, i64, 8)
    after = builder.add(count, builder.integer(1))
    reserve(state, map.pairs, after, _PAIR)
    widen, enough = create_block(), create_block()
    needed = builder.add(after, after)
    short = builder.compare(SGT, needed, builder.load(map.cells, i64, 8))
    builder.branch_if(short, widen, (), enough, (), {"branch_weights": COLD_BRANCH})
    builder.start(widen)
    name = _add(state.declarations, "irtensor.map.widen", _widen_function)
    operands = (map.table.data, builder.load(map.pairs.data, POINTER, 8), count, map.cells)
    status = builder.call(name, operands, i32)
    state.fail_if(builder.compare(NE, status, builder.integer(0, i32)), status, enough)
    name = _add(state.declarations, "irtensor.map.insert", _insert_function)
    slot = builder.call(name, (*_contents(builder, map), parent, coordinate), i64)
    present = builder.compare(NE, slot, count)
    builder.store(builder.select(present, count, after), map.held, 8)
    state.values[op.results[0]], state.values[op.results[1]] = slot, present


def _find(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    parent, coordinate, map = (state.values[operand] for operand in op.operands)
    table, cells, pairs, _ = _contents(builder, map)
    name = _add(state.declarations, "irtensor.map.find", _find_function)
    held, zero = builder.call(name, (table, cells, pairs, parent, coordinate), i64), builder.integer(0)
    present = builder.compare(NE, held, zero)
    number = builder.value(llvm.SubOp, (held, builder.integer(1)), i64)
    state.values[op.results[0]] = builder.select(present, number, zero)
    state.values[op.results[1]] = present


def _contents(builder: FunctionBuilder, map: IndexMap) -> tuple[SSAValue, ...]:
    """The cells, their number, the pairs, their number."""
    table, cells = builder.load(map.table.data, POINTER, 8), builder.load(map.cells, i64, 8)
    return table, cells, builder.load(map.pairs.data, POINTER, 8), builder.load(map.held, i64, 8)


def _count(state: FunctionLowering, op: Operation) -> None:
    state.values[op.results[0]] = state.builder.load(state.values[op.operands[0]].held, i64, 8)


def _clear(state: FunctionLowering, op: Operation) -> None:
    builder, map = state.builder, state.values[op.operands[0]]
    name = _add(state.declarations, "irtensor.map.clear", _clear_function)
    builder.call(name, _contents(builder, map), i64)
    builder.store(builder.integer(0), map.held, 8)


def _list(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    map, parents, positions, coordinates, slots = (state.values[operand] for operand in op.operands)
    _, _, pairs, count = _contents(builder, map)
    if "unordered" in op.properties:
        name = _add(state.declarations, "irtensor.map.list_unordered", partial(list_function, unordered=True))
    else:
        name = _add(state.declarations, "irtensor.map.list", list_function)
    # Room for a copy of the list, and for the counts of a digit.
    reserve_once(state, map.spare, builder.add(builder.add(count, count), builder.integer(1 << 11)), 8)
    spare = builder.load(map.spare.data, POINTER, 8)
    for buffer in (coordinates, slots):
        builder.store(builder.integer(0), buffer, 8)
    builder.call(name, (pairs, count, parents, positions, coordinates, slots, spare), i64)


def _add(functions: dict[str, Operation], name: str, make: Any) -> str:
    if name not in functions:
        if make is _widen_function:
            add_grow(functions)
        functions[name] = make(name)
    return name


def _first_cell(builder: FunctionBuilder, parent: SSAValue, coordinate: SSAValue, mask: SSAValue) -> SSAValue:
    """Where the search for a pair begins."""
    spread = builder.value(llvm.MulOp, (parent, builder.integer(_PARENT_FACTOR)), i64)
    mixed = builder.value(llvm.AddOp, (spread, coordinate), i64)
    mixed = builder.value(llvm.MulOp, (mixed, builder.integer(_FACTOR)), i64)
    high = builder.value(llvm.LShrOp, (mixed, builder.integer(32)), i64)
    return builder.value(llvm.AndOp, (builder.value(llvm.XOrOp, (mixed, high), i64), mask), i64)


def _pair(builder: FunctionBuilder, pairs: SSAValue, number: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The addresses of the parent and of the coordinate of a pair."""
    first = builder.add(number, number)
    return builder.address(pairs, first, i64), builder.address(pairs, builder.add(first, builder.integer(1)), i64)


def _next_cell(builder: FunctionBuilder, cell: SSAValue, mask: SSAValue) -> SSAValue:
    return builder.value(llvm.AndOp, (builder.add(cell, builder.integer(1)), mask), i64)


def _mask(builder: FunctionBuilder, cells: SSAValue) -> SSAValue:
    return builder.value(llvm.SubOp, (cells, builder.integer(1)), i64)


def _search(
    builder: FunctionBuilder,
    table: SSAValue,
    cells: SSAValue,
    pairs: SSAValue,
    wanted: tuple[SSAValue, SSAValue],
    found: Block,
    missing: Block,
) -> tuple[SSAValue, SSAValue]:
    """Look for a pair, cell by cell, and go on in one of two blocks; there has to be a free cell.

    Gives the address of the last cell, the free one in `missing`, and for `found` what the cell holds.
    """
    mask, zero = _mask(builder, cells), builder.integer(0)
    probe, compare, following = create_block((i64,)), create_block(), create_block()
    builder.branch(probe, (_first_cell(builder, *wanted, mask),))
    builder.start(probe)
    cell = probe.args[0]
    address = builder.address(table, cell, i64)
    held = builder.load(address, i64, 8)
    builder.branch_if(builder.compare(EQ, held, zero), missing, (), compare)
    builder.start(compare)
    number = builder.value(llvm.SubOp, (held, builder.integer(1)), i64)
    differences = [
        builder.value(llvm.XOrOp, (builder.load(place, i64, 8), value), i64)
        for place, value in zip(_pair(builder, pairs, number), wanted, strict=True)
    ]
    difference = builder.value(llvm.OrOp, differences, i64)
    builder.branch_if(builder.compare(EQ, difference, zero), found, (), following)
    builder.start(following)
    builder.branch(probe, (_next_cell(builder, cell, mask),))
    return address, held


def _find_function(name: str) -> Operation:
    """(cells, their number, pairs, parent, coordinate) -> slot plus one, 0 if the pair is not there."""
    types: list[Attribute] = [POINTER, i64, POINTER, i64, i64]
    builder = FunctionBuilder(types)
    table, cells, pairs, parent, coordinate = builder.entry.args
    begin, found, missing = create_block(), create_block(), create_block()
    zero = builder.integer(0)
    # A map that nothing was put into yet has no cells.
    builder.branch_if(builder.compare(EQ, cells, zero), missing, (), begin)
    builder.start(begin)
    _, held = _search(builder, table, cells, pairs, (parent, coordinate), found, missing)
    builder.start(found)
    builder.effect(llvm.ReturnOp, (held,))
    builder.start(missing)
    builder.effect(llvm.ReturnOp, (zero,))
    return declare(name, types, i64, builder.finish())


def _insert_function(name: str) -> Operation:
    """(cells, their number, pairs, their number, parent, coordinate) -> slot; a new one is the number of pairs."""
    types: list[Attribute] = [POINTER, i64, POINTER, i64, i64, i64]
    builder = FunctionBuilder(types)
    table, cells, pairs, count, parent, coordinate = builder.entry.args
    found, new = create_block(), create_block()
    address, held = _search(builder, table, cells, pairs, (parent, coordinate), found, new)
    builder.start(found)
    builder.effect(llvm.ReturnOp, (builder.value(llvm.SubOp, (held, builder.integer(1)), i64),))
    builder.start(new)
    builder.store(builder.add(count, builder.integer(1)), address, 8)
    for place, value in zip(_pair(builder, pairs, count), (parent, coordinate), strict=True):
        builder.store(value, place, 8)
    builder.effect(llvm.ReturnOp, (count,))
    return declare(name, types, i64, builder.finish())


def _widen_function(name: str) -> Operation:
    """(slot of the cells, pairs, their number, where the number of cells is) -> status; doubles the cells."""
    types: list[Attribute] = [POINTER, POINTER, i64, POINTER]
    builder = FunctionBuilder(types)
    slot, pairs, count, size = builder.entry.args
    failed, widened, place, probe, put, after = (
        *(create_block(), create_block(), create_block((i64,)), create_block((i64,))),
        *(create_block(), create_block()),
    )
    success = builder.integer(0, i32)
    before = builder.load(size, i64, 8)
    doubled = builder.intrinsic("llvm.smax.i64", (builder.add(before, before), builder.integer(_FEWEST_CELLS)), i64)
    assert doubled is not None
    status = builder.call("irtensor.grow", (slot, doubled, builder.integer(8)), i32)
    builder.branch_if(builder.compare(NE, status, success), failed, (), widened)
    builder.start(failed)
    builder.effect(llvm.ReturnOp, (status,))
    builder.start(widened)
    builder.store(doubled, size, 8)
    table, mask = builder.load(slot, POINTER, 8), _mask(builder, doubled)
    length = builder.value(llvm.ShlOp, (doubled, builder.integer(3)), i64)
    builder.intrinsic("llvm.memset.p0.i64", (table, builder.integer(0, i8), length, builder.integer(0, i1)))
    zero, one = builder.integer(0), builder.integer(1)
    builder.branch_if(builder.compare(SGT, count, zero), place, (zero,), after)
    builder.start(place)
    parent, coordinate = (builder.load(address, i64, 8) for address in _pair(builder, pairs, place.args[0]))
    builder.branch(probe, (_first_cell(builder, parent, coordinate, mask),))
    builder.start(probe)
    address = builder.address(table, probe.args[0], i64)
    taken = builder.compare(NE, builder.load(address, i64, 8), zero)
    builder.branch_if(taken, probe, (_next_cell(builder, probe.args[0], mask),), put)
    builder.start(put)
    number = builder.add(place.args[0], one)
    builder.store(number, address, 8)
    builder.branch_if(builder.compare(SGT, count, number), place, (number,), after)
    builder.start(after)
    builder.effect(llvm.ReturnOp, (success,))
    return declare(name, types, i32, builder.finish())


def _clear_function(name: str) -> Operation:
    """(cells, their number, pairs, their number) -> 0; every cell that is taken becomes 0.

    From where the search for a pair begins, all cells up to the next free one: what is free behind another one that
    was freed has no pair behind it that is still to be freed, because that one's run was freed to its end.
    """
    types: list[Attribute] = [POINTER, i64, POINTER, i64]
    builder = FunctionBuilder(types)
    table, cells, pairs, count = builder.entry.args
    mask, zero, one = _mask(builder, cells), builder.integer(0), builder.integer(1)
    place, probe, free, following, after = (
        *(create_block((i64,)), create_block((i64,)), create_block()),
        *(create_block(), create_block()),
    )
    builder.branch_if(builder.compare(SGT, count, zero), place, (zero,), after)
    builder.start(place)
    parent, coordinate = (builder.load(address, i64, 8) for address in _pair(builder, pairs, place.args[0]))
    builder.branch(probe, (_first_cell(builder, parent, coordinate, mask),))
    builder.start(probe)
    address = builder.address(table, probe.args[0], i64)
    taken = builder.compare(NE, builder.load(address, i64, 8), zero)
    builder.branch_if(taken, free, (), following)
    builder.start(free)
    builder.store(zero, address, 8)
    builder.branch(probe, (_next_cell(builder, probe.args[0], mask),))
    builder.start(following)
    number = builder.add(place.args[0], one)
    builder.branch_if(builder.compare(SGT, count, number), place, (number,), after)
    builder.start(after)
    builder.effect(llvm.ReturnOp, (zero,))
    return declare(name, types, i64, builder.finish())


MAP_HANDLERS: dict[str, Any] = {
    "loop.index_map": lambda state, op: None,
    "loop.map_insert": _insert,
    "loop.map_find": _find,
    "loop.map_count": _count,
    "loop.map_list": _list,
    "loop.map_clear": _clear,
}
