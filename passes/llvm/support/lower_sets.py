"""Sets of integers as bitmaps of 64-bit words, in layers; or where nothing goes through all members, as bytes.

Each layer has a member for every 64 of the layer below if one of these is stored, so listing or clearing visits only
stored members. Lower layers keep a bit for each, upper ones a byte, which is stored without reading its value
before: to put a number in takes no branch, and does not wait for the one before. Without layers above, the lowest need
not be small: a byte for each number does not wait for what was done to its neighbours either.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.loop.loop_sets import IndexSetOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import (
    EQ,
    NE,
    POINTER,
    SLT,
    FunctionBuilder,
    declare,
)
from irtensor.passes.llvm.support.lower_memory import reserve_once
from irtensor.passes.llvm.support.module_functions import add_function
from irtensor.passes.llvm.support.set_flags import GROUP, ReadFlags

if TYPE_CHECKING:
    from irtensor.passes.llvm.support.function_lowering import FunctionLowering

# Groups of the top layer are visited one by one; each of the four layers has 64 of the one below in a group.
LAYERS = 4
_SHIFT, _BITS = 6, 63
# Layers from here on keep a byte for each: the two below are small enough to stay in the innermost cache.
FLAGS = 2


class IndexSet(NamedTuple):
    """A set inside a function: where each layer starts, lowest first, and how many groups of 64 it has."""

    layers: tuple[SSAValue, ...]
    groups: tuple[SSAValue, ...]


class ByteSet(NamedTuple):
    """A set whose members are never listed: a byte for each integer, 1 if it is a member."""

    bytes: SSAValue


def _index_set(state: FunctionLowering, op: Operation) -> None:
    """Its memory lies in a scratch, which was made where the function begins."""
    assert isinstance(op, IndexSetOp)
    if op.is_never_listed():
        extent = state.builder.intrinsic("llvm.smax.i64", (state.values[op.operands[0]], state.builder.integer(1)), i64)
        state.values[op.results[0]] = ByteSet(_zeroed(state, op, extent, 1))
    else:
        _layered_set(state, op)


def _zeroed(state: FunctionLowering, op: Operation, count: SSAValue | None, width: int) -> SSAValue:
    """Memory for so many elements of some bytes, all 0, or the memory that the set was given."""
    assert count is not None
    if len(op.operands) > 1:
        return state.values[op.operands[1]]
    builder, scratch = state.builder, state.values[op.results[0]]
    reserve_once(state, scratch, count, width)
    memory = builder.load(scratch.data, POINTER, 8)
    length = builder.value(llvm.MulOp, (count, builder.integer(width)), i64)
    builder.set_bytes(memory, builder.integer(0, i8), length)
    return memory


def _layered_set(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    below, total = state.values[op.operands[0]], builder.integer(0)
    starts: list[SSAValue] = []
    groups: list[SSAValue] = []
    for layer in range(LAYERS):
        starts.append(total)
        below = _words(builder, below)
        groups.append(below)
        words = builder.value(llvm.ShlOp, (below, builder.integer(3)), i64) if layer >= FLAGS else below
        total = builder.add(total, words)
    memory = _zeroed(state, op, total, 8)
    layers = tuple(builder.address(memory, start, i64) for start in starts)
    state.values[op.results[0]] = IndexSet(layers, tuple(groups))


def _words(builder: FunctionBuilder, bits: SSAValue) -> SSAValue:
    """How many words hold so many bits; at least one."""
    rounded = builder.value(llvm.LShrOp, (builder.add(bits, builder.integer(_BITS)), builder.integer(_SHIFT)), i64)
    words = builder.intrinsic("llvm.smax.i64", (rounded, builder.integer(1)), i64)
    assert words is not None
    return words


def _word_with(builder: FunctionBuilder, layer: SSAValue, member: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """The word of a layer in which a bit stands: its number, its address, and the bit."""
    number = builder.value(llvm.LShrOp, (member, builder.integer(_SHIFT)), i64)
    shift = builder.value(llvm.AndOp, (member, builder.integer(_BITS)), i64)
    bit = builder.value(llvm.ShlOp, (builder.integer(1), shift), i64)
    return number, builder.address(layer, number, i64), bit


def _has_bit(builder: FunctionBuilder, word: SSAValue, bit: SSAValue) -> SSAValue:
    return builder.compare(NE, builder.value(llvm.AndOp, (word, bit), i64), builder.integer(0))


def _insert(state: FunctionLowering, op: Operation) -> None:
    """Set the bit and all that summarise it: to find out which of them are set already would take longer."""
    builder = state.builder
    member, target = state.values[op.operands[0]], state.values[op.operands[1]]
    if isinstance(target, ByteSet):
        _exchange(state, op, 1)
        return
    number, word, bit = _write_bit(builder, target.layers[0], member, True)
    state.values[op.results[0]] = _has_bit(builder, word, bit)
    for layer in target.layers[1:FLAGS]:
        number, _, _ = _write_bit(builder, layer, number, True)
    for layer in target.layers[FLAGS:]:
        builder.store(builder.integer(1, i8), builder.address(layer, number, i8), 1)
        number = builder.value(llvm.LShrOp, (number, builder.integer(_SHIFT)), i64)


def _write_bit(
    builder: FunctionBuilder, layer: SSAValue, member: SSAValue, value: bool
) -> tuple[SSAValue, SSAValue, SSAValue]:
    """Set or clear a bit of a layer: the number of its word, what stood there before, and the bit."""
    number, address, bit = _word_with(builder, layer, member)
    word = builder.load(address, i64, 8)
    if value:
        changed = builder.value(llvm.OrOp, (word, bit), i64)
    else:
        changed = builder.value(llvm.AndOp, (word, builder.value(llvm.XOrOp, (bit, builder.integer(-1)), i64)), i64)
    builder.store(changed, address, 8)
    return number, word, bit


def _remove(state: FunctionLowering, op: Operation) -> None:
    """Clear the bit; what summarises it may stay, and lead to a word without bits."""
    member, target = state.values[op.operands[0]], state.values[op.operands[1]]
    if isinstance(target, ByteSet):
        _exchange(state, op, 0)
        return
    _, word, bit = _write_bit(state.builder, target.layers[0], member, False)
    state.values[op.results[0]] = _has_bit(state.builder, word, bit)


def _exchange(state: FunctionLowering, op: Operation, byte: int) -> None:
    """Write the byte of an integer; gives whether it was 1."""
    builder = state.builder
    before, address = _byte(state, op)
    builder.store(builder.integer(byte, i8), address, 1)
    state.values[op.results[0]] = builder.compare(NE, before, builder.integer(0, i8))


def _byte(state: FunctionLowering, op: Operation) -> tuple[SSAValue, SSAValue]:
    """The byte of an integer in a set, and its address."""
    member, target = state.values[op.operands[0]], state.values[op.operands[1]]
    address = state.builder.address(target.bytes, member, i8)
    return state.builder.load(address, i8, 1), address


def _contains(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    member, target = state.values[op.operands[0]], state.values[op.operands[1]]
    if isinstance(target, ByteSet):
        state.values[op.results[0]] = builder.compare(NE, _byte(state, op)[0], builder.integer(0, i8))
        return
    _, address, bit = _word_with(builder, target.layers[0], member)
    state.values[op.results[0]] = _has_bit(builder, builder.load(address, i64, 8), bit)


def _members(state: FunctionLowering, op: Operation) -> None:
    target, buffer = state.values[op.operands[0]], state.values[op.operands[1]]
    drain = "drain" in op.properties
    word = "drain" if drain else "members"
    operands = (*target.layers, *target.groups, buffer)
    make = partial(_members_function, drain=drain, read_flags=state.read_flags)
    name = add_function(state.declarations, f"irtensor.set.{word}", operands, make)
    state.values[op.results[0]] = state.builder.call(name, operands, i64)


def _clear(state: FunctionLowering, op: Operation) -> None:
    target = state.values[op.operands[0]]
    operands = (*target.layers, *target.groups)
    make = partial(_clear_function, read_flags=state.read_flags)
    state.builder.call(add_function(state.declarations, "irtensor.set.clear", operands, make), operands, i64)


def _visit(state: FunctionLowering, op: Operation) -> None:
    """The body stands where the function that lists members writes one."""
    target, body = state.values[op.operands[0]], op.regions[0].block

    def run(member: SSAValue) -> None:
        state.values[body.args[0]] = member
        state.lower_block(body)

    _for_members(state.builder, target, state.read_flags, True, run)


def _argument_set(builder: FunctionBuilder) -> IndexSet:
    """A set that a function of its own has as arguments."""
    arguments = builder.entry.args
    return IndexSet(tuple(arguments[:LAYERS]), tuple(arguments[LAYERS : 2 * LAYERS]))


def _members_function(name: str, types: Sequence[Attribute], drain: bool, read_flags: ReadFlags) -> Operation:
    """(layers..., groups..., buffer) -> number of members, which are written to the buffer in order."""
    builder = FunctionBuilder(types)
    buffer = builder.entry.args[-1]
    count = builder.alloca(i64)
    builder.store(builder.integer(0), count)
    builder.store(builder.integer(0), buffer, 8)

    def list_member(member: SSAValue) -> None:
        position = builder.load(count, i64)
        builder.store(member, builder.address(buffer, position, i64), 8)
        builder.store(builder.add(position, builder.integer(1)), count)

    _for_members(builder, _argument_set(builder), read_flags, drain, list_member)
    builder.effect(llvm.ReturnOp, (builder.load(count, i64),))
    return declare(name, types, i64, builder.finish())


def _for_members(builder: FunctionBuilder, set: IndexSet, read_flags: ReadFlags, drain: bool, body: Any) -> None:
    """Run the code for each member in ascending order, and if asked for, take it out."""

    def visit(layer: int, number: SSAValue) -> None:
        word = _group(builder, set, layer, number, read_flags, drain)
        _for_bits(builder, number, word, body if layer == 0 else lambda below: visit(layer - 1, below))

    _for_words(builder, set.groups[-1], lambda number: visit(LAYERS - 1, number))


def _clear_function(name: str, types: Sequence[Attribute], read_flags: ReadFlags) -> Operation:
    """(layers..., groups...) -> 0; every word that is not zero becomes zero."""
    builder = FunctionBuilder(types)
    set = _argument_set(builder)

    def visit(layer: int, number: SSAValue) -> None:
        if layer == 0:
            builder.store(builder.integer(0), builder.address(set.layers[0], number, i64), 8)
            return
        word = _group(builder, set, layer, number, read_flags, True)
        _for_bits(builder, number, word, lambda below: visit(layer - 1, below))

    _for_words(builder, set.groups[-1], lambda number: visit(LAYERS - 1, number))
    builder.effect(llvm.ReturnOp, (builder.integer(0),))
    return declare(name, types, i64, builder.finish())


def _group(
    builder: FunctionBuilder, set: IndexSet, layer: int, number: SSAValue, read_flags: ReadFlags, drain: bool
) -> SSAValue:
    """A group of 64 of a layer, as a word of as many bits; it becomes zero if asked for.

    Where the layer below has one group only, nothing has to be looked up: flags would be read just after they were
    stored, one by one, which takes time.
    """
    if layer == 0:
        return _taken_word(builder, set.layers[0], number, drain)
    look, after = create_block(), create_block((i64,))
    one = builder.integer(1)
    builder.branch_if(builder.compare(EQ, set.groups[layer - 1], one), after, (one,), look)
    builder.start(look)
    start = set.layers[layer]
    if layer < FLAGS:
        bits = _taken_word(builder, start, number, drain)
    else:
        bits = read_flags(builder, builder.address(start, number, GROUP), drain)
    builder.branch(after, (bits,))
    builder.start(after)
    return after.args[0]


def _taken_word(builder: FunctionBuilder, start: SSAValue, number: SSAValue, drain: bool) -> SSAValue:
    address = builder.address(start, number, i64)
    word = builder.load(address, i64, 8)
    if drain:
        builder.store(builder.integer(0), address, 8)
    return word


def _for_words(builder: FunctionBuilder, count: SSAValue, body: Any) -> None:
    """Run the code for each number below the count, which is at least one."""
    loop, after = create_block((i64,)), create_block()
    builder.branch(loop, (builder.integer(0),))
    builder.start(loop)
    body(loop.args[0])
    following = builder.add(loop.args[0], builder.integer(1))
    builder.branch_if(builder.compare(SLT, following, count), loop, (following,), after)
    builder.start(after)


def _for_bits(builder: FunctionBuilder, number: SSAValue, word: SSAValue, body: Any) -> None:
    """Run the code for each bit of word `number` that is set, lowest first, with the integer that it stands for."""
    base = builder.value(llvm.ShlOp, (number, builder.integer(_SHIFT)), i64)
    loop, after = create_block((i64,)), create_block()
    zero = builder.integer(0)
    builder.branch_if(builder.compare(NE, word, zero), loop, (word,), after)
    builder.start(loop)
    left = loop.args[0]
    lowest = builder.intrinsic("llvm.cttz.i64", (left, builder.integer(1, i1)), i64)
    assert lowest is not None
    body(builder.value(llvm.OrOp, (base, lowest), i64))
    less = builder.value(llvm.SubOp, (left, builder.integer(1)), i64)
    rest = builder.value(llvm.AndOp, (left, less), i64)
    builder.branch_if(builder.compare(NE, rest, zero), loop, (rest,), after)
    builder.start(after)


SET_HANDLERS: dict[str, Any] = {
    "loop.index_set": _index_set,
    "loop.insert": _insert,
    "loop.remove": _remove,
    "loop.contains": _contains,
    "loop.members": _members,
    "loop.clear": _clear,
    "loop.visit": _visit,
}
