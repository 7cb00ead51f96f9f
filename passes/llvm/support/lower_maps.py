"""Maps from pairs of integers to slots as hash tables, which functions work on.

They are in map_functions.py, and in passes/llvm/loops/maps.mlir.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8, i64
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.loop.loop_maps import MORE_ZEROS, ZEROS_PER_PAIR, IndexMapOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import COLD_BRANCH, NE, POINTER, SGT, SLT, FunctionBuilder
from irtensor.passes.llvm.support.lower_memory import reserve, reserve_once
from irtensor.passes.llvm.support.map_functions import find_function, insert_function
from irtensor.passes.llvm.support.module_functions import add_function

if TYPE_CHECKING:
    from irtensor.passes.llvm.support.function_lowering import FunctionLowering, Growable

_PAIR = 16
# A digit of 11 bits: its counts stay in the first-level cache, and three of them are most coordinates. Where memory for
# the counts is for one iteration of many, digits are small.
_DIGIT_BITS, _SMALL_DIGIT_BITS = 11, 4


class Contents(NamedTuple):
    """The cells of a map, their number, a power of 2, the pairs, and their number."""

    table: SSAValue
    cells: SSAValue
    pairs: SSAValue
    held: SSAValue


class IndexMap(NamedTuple):
    """A map inside a function: its memory, and stack variables for its number of pairs and of cells."""

    table: Growable
    pairs: Growable
    spare: Growable
    held: SSAValue
    cells: SSAValue

    def contents(self, builder: FunctionBuilder) -> Contents:
        table, cells = builder.load(self.table.data, POINTER, 8), builder.load(self.cells, i64, 8)
        return Contents(table, cells, builder.load(self.pairs.data, POINTER, 8), builder.load(self.held, i64, 8))


class PlacedMap(NamedTuple):
    """A map that lies in memory: where its number of pairs is, for how many it has room, and what says it is full."""

    table: SSAValue
    cells: SSAValue
    pairs: SSAValue
    spare: SSAValue
    held: SSAValue
    capacity: SSAValue
    full: SSAValue

    def contents(self, builder: FunctionBuilder) -> Contents:
        return Contents(self.table, self.cells, self.pairs, builder.load(self.held, i64, 8))


def make_map(state: FunctionLowering) -> IndexMap:
    """An empty map, made where the function begins."""
    builder = state.builder
    table, pairs, spare = (state.make_scratch() for _ in range(3))
    made = IndexMap(table, pairs, spare, builder.alloca(i64), builder.alloca(i64))
    builder.store(builder.integer(0), made.held, 8)
    builder.store(builder.integer(0), made.cells, 8)
    return made


def _index_map(state: FunctionLowering, op: Operation) -> None:
    """Where the parts of a map lie in its memory; one that has none was made where the function begins."""
    assert isinstance(op, IndexMapOp)
    if op.memory is None or op.capacity is None or op.full is None:
        return
    builder = state.builder
    memory, capacity = state.values[op.memory], state.values[op.capacity]
    # The power of 2 from twice the capacity on, for which there is room: it is less than 4 times the capacity.
    twice = builder.add(capacity, capacity)
    last = builder.value(llvm.SubOp, (twice, builder.integer(1)), i64)
    zeros = builder.intrinsic("llvm.ctlz.i64", (last, builder.integer(0, i1)), i64)
    assert zeros is not None
    bits = builder.value(llvm.SubOp, (builder.integer(64), zeros), i64)
    cells = builder.value(llvm.ShlOp, (builder.integer(1), bits), i64)
    table = builder.address(memory, builder.integer(MORE_ZEROS), i64)
    pairs = builder.address(table, builder.value(llvm.MulOp, (capacity, builder.integer(ZEROS_PER_PAIR)), i64), i64)
    spare = builder.address(pairs, twice, i64)
    full = state.values[op.full]
    state.values[op.map] = PlacedMap(table, cells, pairs, spare, memory, capacity, full)


def _insert(state: FunctionLowering, op: Operation) -> None:
    map = state.values[op.operands[2]]
    is_placed = isinstance(map, PlacedMap)
    slot, present = _insert_placed(state, op, map) if is_placed else _insert_growing(state, op, map)
    state.values[op.results[0]], state.values[op.results[1]] = slot, present


def _insert_growing(state: FunctionLowering, op: Operation, map: IndexMap) -> tuple[SSAValue, SSAValue]:
    """Before the pair comes, twice as many cells as pairs are made."""
    builder = state.builder
    count = builder.load(map.held, i64, 8)
    after = builder.add(count, builder.integer(1))
    reserve(state, map.pairs, after, _PAIR)
    widen, enough = create_block(), create_block()
    needed = builder.add(after, after)
    short = builder.compare(SGT, needed, builder.load(map.cells, i64, 8))
    builder.branch_if(short, widen, (), enough, (), {"branch_weights": COLD_BRANCH})
    builder.start(widen)
    pairs = builder.load(map.pairs.data, POINTER, 8)
    state.call_library("irtensor.map.widen", (map.table.data, map.cells, pairs, count))
    builder.branch(enough)
    builder.start(enough)
    return _insert_into(state, op, map.contents(builder), map.held)


def _insert_into(state: FunctionLowering, op: Operation, map: Contents, held: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Put a pair into a map that has room for it; `held` is where its number of pairs is."""
    builder = state.builder
    parent, coordinate = (state.values[operand] for operand in op.operands[:2])
    operands = (*map, parent, coordinate)
    slot = builder.call(
        add_function(state.declarations, "irtensor.map.insert", operands, insert_function), operands, i64
    )
    present = builder.compare(NE, slot, map.held)
    builder.store(builder.select(present, map.held, builder.add(map.held, builder.integer(1))), held, 8)
    return slot, present


def _insert_placed(state: FunctionLowering, op: Operation, map: PlacedMap) -> tuple[SSAValue, SSAValue]:
    """Nothing is written without room: a pair that is not there already is then said to be, at slot 0."""
    builder = state.builder
    contents = map.contents(builder)
    room, search, missing, after = create_block(), create_block(), create_block(), create_block((i64, i1))
    builder.branch_if(builder.compare(SLT, contents.held, map.capacity), room, (), search)
    builder.start(room)
    builder.branch(after, _insert_into(state, op, contents, map.held))
    builder.start(search)
    slot, present = _look_up(state, op, contents)
    builder.branch_if(present, after, (slot, present), missing)
    builder.start(missing)
    builder.store(builder.integer(1), map.full, 8)
    builder.branch(after, (builder.integer(0), builder.integer(1, i1)))
    builder.start(after)
    return after.args[0], after.args[1]


def _find(state: FunctionLowering, op: Operation) -> None:
    contents = state.values[op.operands[2]].contents(state.builder)
    state.values[op.results[0]], state.values[op.results[1]] = _look_up(state, op, contents)


def _look_up(state: FunctionLowering, op: Operation, map: Contents) -> tuple[SSAValue, SSAValue]:
    """The slot of a pair, 0 if it is not there, and whether it is."""
    builder = state.builder
    parent, coordinate = (state.values[operand] for operand in op.operands[:2])
    operands = (*map[:3], parent, coordinate)
    name = add_function(state.declarations, "irtensor.map.find", operands, find_function)
    found, zero = builder.call(name, operands, i64), builder.integer(0)
    present = builder.compare(NE, found, zero)
    number = builder.value(llvm.SubOp, (found, builder.integer(1)), i64)
    return builder.select(present, number, zero), present


def _count(state: FunctionLowering, op: Operation) -> None:
    state.values[op.results[0]] = state.builder.load(state.values[op.operands[0]].held, i64, 8)


def _clear(state: FunctionLowering, op: Operation) -> None:
    builder, map = state.builder, state.values[op.operands[0]]
    state.call_library("irtensor.map.change", (*map.contents(builder), builder.integer(1, i8)))
    builder.store(builder.integer(0), map.held, 8)


def _list(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    map, parents, positions, coordinates, slots = (state.values[operand] for operand in op.operands)
    pairs, count = map.contents(builder)[2:]
    if isinstance(map, PlacedMap):
        digit_bits, spare = _SMALL_DIGIT_BITS, map.spare
    else:
        # Room for a copy of the list, and for the counts of a digit.
        digit_bits = _DIGIT_BITS
        reserve_once(state, map.spare, builder.add(builder.add(count, count), builder.integer(1 << digit_bits)), 8)
        spare = builder.load(map.spare.data, POINTER, 8)
    for buffer in (coordinates, slots):
        builder.store(builder.integer(0), buffer, 8)
    other_slots = builder.address(spare, count, i64)
    ordered = builder.integer("unordered" not in op.properties, i8)
    memory = (spare, other_slots, builder.address(other_slots, count, i64))
    operands = (pairs, count, parents, positions, coordinates, slots, *memory, builder.integer(digit_bits), ordered)
    state.call_library("irtensor.map.list", operands)


MAP_HANDLERS: dict[str, Any] = {
    "loop.index_map": _index_map,
    "loop.map_insert": _insert,
    "loop.map_find": _find,
    "loop.map_count": _count,
    "loop.map_list": _list,
    "loop.map_clear": _clear,
}
