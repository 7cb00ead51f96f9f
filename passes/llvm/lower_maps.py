"""Maps from pairs of integers to slots as hash tables, which functions of the module work on (map_functions.py)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.create_operation import create_block
from irtensor.passes.llvm.function_builder import COLD_BRANCH, NE, POINTER, SGT, FunctionBuilder
from irtensor.passes.llvm.list_pairs import list_function
from irtensor.passes.llvm.lower_memory import reserve, reserve_once
from irtensor.passes.llvm.map_functions import clear_function, find_function, insert_function, widen_function
from irtensor.passes.llvm.support_functions import add_grow

if TYPE_CHECKING:
    from irtensor.passes.llvm.lower_loop_to_llvm import FunctionLowering, Growable

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
    """Before the pair comes, twice as many cells as pairs are made."""
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
    name = _add(state.declarations, "irtensor.map.widen", widen_function)
    operands = (map.table.data, builder.load(map.pairs.data, POINTER, 8), count, map.cells)
    status = builder.call(name, operands, i32)
    state.fail_if(builder.compare(NE, status, builder.integer(0, i32)), status, enough)
    name = _add(state.declarations, "irtensor.map.insert", insert_function)
    slot = builder.call(name, (*_contents(builder, map), parent, coordinate), i64)
    present = builder.compare(NE, slot, count)
    builder.store(builder.select(present, count, after), map.held, 8)
    state.values[op.results[0]], state.values[op.results[1]] = slot, present


def _find(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    parent, coordinate, map = (state.values[operand] for operand in op.operands)
    table, cells, pairs, _ = _contents(builder, map)
    name = _add(state.declarations, "irtensor.map.find", find_function)
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
    name = _add(state.declarations, "irtensor.map.clear", clear_function)
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
        if make is widen_function:
            add_grow(functions)
        functions[name] = make(name)
    return name


MAP_HANDLERS: dict[str, Any] = {
    "loop.index_map": lambda state, op: None,
    "loop.map_insert": _insert,
    "loop.map_find": _find,
    "loop.map_count": _count,
    "loop.map_list": _list,
    "loop.map_clear": _clear,
}
