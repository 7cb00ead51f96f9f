"""Sets of integers as layered bitmaps of 64-bit words.

Each layer has a bit per word of the layer below that is not zero, so listing or clearing visits only what is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.passes.llvm.function_builder import (
    EQ,
    NE,
    POINTER,
    SLT,
    FunctionBuilder,
    declare,
)
from irtensor.passes.llvm.lower_memory import reserve

if TYPE_CHECKING:
    from irtensor.passes.llvm.lower_loop_to_llvm import FunctionLowering

# Words of the top layer are visited one by one; below four layers each stands for 2**24 integers.
_LAYERS = 4
_SHIFT, _BITS = 6, 63


class IndexSet(NamedTuple):
    """A set inside a function: where each layer of words starts, bits first, and how many words the top layer has."""

    layers: tuple[SSAValue, ...]
    top: SSAValue


def _index_set(state: FunctionLowering, op: Operation) -> None:
    """Its words lie in a scratch, which was made where the function begins."""
    builder = state.builder
    below, total = state.values[op.operands[0]], builder.integer(0)
    starts: list[SSAValue] = []
    for _ in range(_LAYERS):
        starts.append(total)
        below = _words(builder, below)
        total = builder.add(total, below)
    scratch = state.values[op.results[0]]
    reserve(state, scratch, total, 8)
    memory = builder.load(scratch.data, POINTER, 8)
    length = builder.value(llvm.ShlOp, (total, builder.integer(3)), i64)
    builder.intrinsic("llvm.memset.p0.i64", (memory, builder.integer(0, i8), length, builder.integer(0, i1)))
    layers = tuple(builder.address(memory, start, i64) for start in starts)
    state.values[op.results[0]] = IndexSet(layers, below)


def _words(builder: FunctionBuilder, bits: SSAValue) -> SSAValue:
    """How many words hold so many bits; at least one."""
    rounded = builder.value(llvm.LShrOp, (builder.add(bits, builder.integer(_BITS)), builder.integer(_SHIFT)), i64)
    words = builder.intrinsic("llvm.smax.i64", (rounded, builder.integer(1)), i64)
    assert words is not None
    return words


def _place(builder: FunctionBuilder, layer: SSAValue, member: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """The word of a layer in which a bit stands: its number, its address, and the bit."""
    number = builder.value(llvm.LShrOp, (member, builder.integer(_SHIFT)), i64)
    shift = builder.value(llvm.AndOp, (member, builder.integer(_BITS)), i64)
    bit = builder.value(llvm.ShlOp, (builder.integer(1), shift), i64)
    return number, builder.address(layer, number, i64), bit


def _has_bit(builder: FunctionBuilder, word: SSAValue, bit: SSAValue) -> SSAValue:
    return builder.compare(NE, builder.value(llvm.AndOp, (word, bit), i64), builder.integer(0))


def _insert(state: FunctionLowering, op: Operation) -> None:
    """Set the bit; where its word was zero, set that of the summary above, and so on until a word was not zero."""
    builder = state.builder
    member, target = state.values[op.operands[0]], state.values[op.operands[1]]
    number, address, bit = _place(builder, target.layers[0], member)
    word = builder.load(address, i64, 8)
    builder.store(builder.value(llvm.OrOp, (word, bit), i64), address, 8)
    after, below = Block(), word
    for layer in target.layers[1:]:
        summarize = Block()
        builder.branch_if(builder.compare(EQ, below, builder.integer(0)), summarize, (), after)
        builder.start(summarize)
        number, address, upper = _place(builder, layer, number)
        below = builder.load(address, i64, 8)
        builder.store(builder.value(llvm.OrOp, (below, upper), i64), address, 8)
    builder.branch(after)
    builder.start(after)
    state.values[op.results[0]] = _has_bit(builder, word, bit)


def _contains(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    member, target = state.values[op.operands[0]], state.values[op.operands[1]]
    _, address, bit = _place(builder, target.layers[0], member)
    state.values[op.results[0]] = _has_bit(builder, builder.load(address, i64, 8), bit)


def _members(state: FunctionLowering, op: Operation) -> None:
    target, buffer = state.values[op.operands[0]], state.values[op.operands[1]]
    drain = "drain" in op.properties
    word = "drain" if drain else "members"
    name = _add_traversal(state.declarations, f"irtensor.set.{word}", lambda name: _members_function(name, drain))
    operands = (*target.layers, target.top, buffer)
    state.values[op.results[0]] = state.builder.call(name, operands, i64)


def _clear(state: FunctionLowering, op: Operation) -> None:
    target = state.values[op.operands[0]]
    name = _add_traversal(state.declarations, "irtensor.set.clear", _clear_function)
    state.builder.call(name, (*target.layers, target.top), i64)


def _add_traversal(functions: dict[str, Operation], name: str, make: Any) -> str:
    if name not in functions:
        functions[name] = make(name)
    return name


def _visit(state: FunctionLowering, op: Operation) -> None:
    """The body stands where the function that lists members writes one."""
    target, body = state.values[op.operands[0]], op.regions[0].block

    def run(member: SSAValue) -> None:
        state.values[body.args[0]] = member
        state.lower_block(body)

    _for_members(state.builder, target.layers, target.top, True, run)


def _members_function(name: str, drain: bool) -> Operation:
    """(layers..., words of the top layer, buffer) -> number of members, which are written to the buffer in order."""
    types: list[Attribute] = [*[POINTER] * _LAYERS, i64, POINTER]
    builder = FunctionBuilder(types)
    *layers, top, buffer = builder.entry.args
    count = builder.alloca(i64)
    builder.store(builder.integer(0), count)

    def list_member(member: SSAValue) -> None:
        position = builder.load(count, i64)
        builder.store(member, builder.address(buffer, position, i64), 8)
        builder.store(builder.add(position, builder.integer(1)), count)

    _for_members(builder, layers, top, drain, list_member)
    builder.effect(llvm.ReturnOp, (builder.load(count, i64),))
    return declare(name, types, i64, builder.finish())


def _for_members(builder: FunctionBuilder, layers: Sequence[SSAValue], top: SSAValue, drain: bool, body: Any) -> None:
    """Run the code for each member in ascending order, and if asked for, take it out."""

    def visit(layer: int, number: SSAValue) -> None:
        address = builder.address(layers[layer], number, i64)
        word = builder.load(address, i64, 8)
        if drain:
            builder.store(builder.integer(0), address, 8)
        _for_bits(builder, number, word, body if layer == 0 else lambda below: visit(layer - 1, below))

    _for_words(builder, top, lambda number: visit(_LAYERS - 1, number))


def _clear_function(name: str) -> Operation:
    """(layers..., words of the top layer) -> 0; every word that is not zero becomes zero."""
    types: list[Attribute] = [*[POINTER] * _LAYERS, i64]
    builder = FunctionBuilder(types)
    *layers, top = builder.entry.args

    def visit(layer: int, number: SSAValue) -> None:
        address = builder.address(layers[layer], number, i64)
        if layer > 0:
            word = builder.load(address, i64, 8)
            _for_bits(builder, number, word, lambda below: visit(layer - 1, below))
        builder.store(builder.integer(0), address, 8)

    _for_words(builder, top, lambda number: visit(_LAYERS - 1, number))
    builder.effect(llvm.ReturnOp, (builder.integer(0),))
    return declare(name, types, i64, builder.finish())


def _for_words(builder: FunctionBuilder, count: SSAValue, body: Any) -> None:
    """Run the code for each number below the count, which is at least one."""
    loop, after = Block(arg_types=(i64,)), Block()
    builder.branch(loop, (builder.integer(0),))
    builder.start(loop)
    body(loop.args[0])
    following = builder.add(loop.args[0], builder.integer(1))
    builder.branch_if(builder.compare(SLT, following, count), loop, (following,), after)
    builder.start(after)


def _for_bits(builder: FunctionBuilder, number: SSAValue, word: SSAValue, body: Any) -> None:
    """Run the code for each bit of word `number` that is set, lowest first, with the integer that it stands for."""
    base = builder.value(llvm.ShlOp, (number, builder.integer(_SHIFT)), i64)
    loop, after = Block(arg_types=(i64,)), Block()
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
    "loop.contains": _contains,
    "loop.members": _members,
    "loop.clear": _clear,
    "loop.visit": _visit,
}
