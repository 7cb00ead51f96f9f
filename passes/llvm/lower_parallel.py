"""Parallel loops, to the `llvm` dialect: the body becomes a function, which the pool that the caller passes runs.

The kernel's last argument points to a context {run, most parts, grain}; see irtensor/runtime/thread_pool_code.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, SymbolRefAttr, UnitAttr, VectorType, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.argument_layout import POOL_NEEDED
from irtensor.dialects.loop_memory import DataOp
from irtensor.dialects.loop_parallel import used_from_outside
from irtensor.dialects.loop_types import BufferType, CellType
from irtensor.passes.llvm.function_builder import EQ, NE, POINTER, SGT, SLT, declare, element_size, register_type

if TYPE_CHECKING:
    from irtensor.passes.llvm.lower_loop_to_llvm import FunctionLowering

_UNIT = UnitAttr()
_NO_ALIAS = DictionaryAttr({"llvm.noalias": _UNIT, "llvm.nonnull": _UNIT, "llvm.noundef": _UNIT})
_DEFINED = DictionaryAttr({"llvm.noundef": _UNIT})
_CONSTANTS = ("arith.constant", "complex.constant")
_FIELDS = {"run": 0, "most parts": 1, "grain": 2}


def _parallel(state: FunctionLowering, op: Operation) -> None:
    """Keep what the body uses in an array on the stack, and call the body for each turn, or have the pool do it."""
    builder, values = state.builder, state.values
    lower, upper = values[op.operands[0]], values[op.operands[1]]
    used = used_from_outside(op)
    words = [word for value in used for word in _words(state, value)]
    offsets, size = _offsets(words)
    captured = builder.alloca(llvm.LLVMArrayType(max(size, 1), i64))
    for word, offset in zip(words, offsets, strict=True):
        builder.store(word, builder.address(captured, builder.integer(offset), i64), _alignment(word.type))
    entry = _outline(state, op, used, [word.type for word in words])
    context = state.context()
    alone, one, turn, after, shared, ready = Block(), Block(), Block(arg_types=(i64,)), Block(), Block(), Block()
    several = builder.compare(SGT, builder.value(llvm.SubOp, (upper, lower), i64), builder.integer(1))
    threads = builder.compare(SGT, _field(state, context, "most parts", i64), builder.integer(1))
    builder.branch_if(builder.value(llvm.AndOp, (several, threads), i1), shared, (), alone)
    builder.start(shared)
    run = _field(state, context, "run", POINTER)
    missing = builder.compare(EQ, builder.value(llvm.PtrToIntOp, (run,), i64), builder.integer(0))
    state.fail_if(missing, builder.integer(POOL_NEEDED, i32), ready)
    body = builder.value(llvm.AddressOfOp, (), POINTER, {"global_name": SymbolRefAttr(entry)})
    status = builder.call_pointer(run, (context, body, captured, lower, upper), i32)
    state.fail_if(builder.compare(NE, status, builder.integer(0, i32)), status, one)
    builder.branch(after)
    builder.start(alone)
    builder.branch_if(builder.compare(SLT, lower, upper), turn, (lower,), after)
    builder.start(turn)
    status = builder.call(entry, (captured, turn.args[0]), i32)
    state.fail_if(builder.compare(NE, status, builder.integer(0, i32)), status, Block())
    following = builder.add(turn.args[0], builder.integer(1))
    builder.branch_if(builder.compare(SLT, following, upper), turn, (following,), after)
    builder.start(after)


def _parts(state: FunctionLowering, op: Operation) -> None:
    """As many parts as have enough work each, within what the context allows."""
    builder, context = state.builder, state.context()
    grain, most = _field(state, context, "grain", i64), _field(state, context, "most parts", i64)
    parts = builder.value(llvm.SDivOp, (state.values[op.operands[0]], grain), i64)
    for bound, value in (("smin", most), ("smax", builder.integer(1))):
        parts = builder.intrinsic(f"llvm.{bound}.i64", (parts, value), i64)
        assert parts is not None
    state.values[op.results[0]] = parts


def _field(state: FunctionLowering, context: SSAValue, name: str, type: Attribute) -> SSAValue:
    builder = state.builder
    return builder.load(builder.address(context, builder.integer(_FIELDS[name]), i64), type, 8)


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.name in _CONSTANTS


def _words(state: FunctionLowering, value: SSAValue) -> tuple[SSAValue, ...]:
    """The registers that a value is passed in: a cell, which the body only reads, by what it holds."""
    if _is_constant(value):
        return ()
    held = _parts_of(state.values[value])
    if isinstance(value.type, CellType):
        return tuple(state.builder.load(slot, type) for slot, type in zip(held, _cell_types(value), strict=True))
    return held


def _parts_of(held: Any) -> tuple[SSAValue, ...]:
    if not isinstance(held, tuple):
        return (held,)
    return tuple(word for part in held for word in _parts_of(part))  # pyright: ignore


def _cell_types(cell: SSAValue) -> list[Attribute]:
    type = register_type(cell.type.element)  # pyright: ignore
    element = getattr(type, "element_type", None)
    return [type] if element is None or isinstance(type, VectorType) else [element, element]


def _alignment(type: Attribute) -> int:
    """What is certain of a slot of the array, whose elements are words."""
    return 8 if isinstance(type, VectorType) else min(_size(type), 8)


def _size(type: Attribute) -> int:
    if type == POINTER:
        return 8
    if isinstance(type, VectorType):
        count = type.shape.data[0].data
        return max(count * element_size(type.element_type), 8)
    return element_size(type)


def _offsets(words: list[SSAValue]) -> tuple[list[int], int]:
    """The number of the array's element at which each value starts, and the array's length."""
    offsets: list[int] = []
    total = 0
    for word in words:
        offsets.append(total)
        total += -(-_size(word.type) // 8)
    return offsets, total


def _outline(state: FunctionLowering, op: Operation, used: list[SSAValue], types: list[Attribute]) -> str:
    """Make the body a function of what it uses and the turn, and one that fetches that from the array.

    Of arguments LLVM knows that they do not alias, as it does of the kernel's own.
    """
    number = sum(name.startswith("irtensor.turn.") for name in state.declarations)
    turn, entry = f"irtensor.turn.{number}", f"irtensor.turn.{number}.captured"
    inner = state.nested([*types, i64])
    words = iter(inner.builder.entry.args)
    attributes: list[Attribute] = []
    for value in used:
        _receive(state, inner, value, words)
        if not _is_constant(value):
            attributes += [_attributes(value, used)] * len(_parts_of(state.values[value]))
    source = op.regions[0].block
    inner.values[source.args[0]] = index = next(words)
    index.name_hint = source.args[0].name_hint
    inner.lower_body(source)
    inner.leave()
    arguments = ArrayAttr([*attributes, _DEFINED])
    made = declare(turn, [*types, i64], i32, inner.builder.finish(), arg_attrs=arguments, no_unwind=_UNIT)
    state.declarations[turn] = made
    state.declarations[entry] = _fetching(state, entry, turn, types)
    return entry


def _attributes(value: SSAValue, used: list[SSAValue]) -> DictionaryAttr:
    """Whether a buffer is known to be apart from the others: an argument, or the only one of its growable."""
    if not isinstance(value.type, BufferType):
        return _DEFINED
    owner = value.owner
    if isinstance(owner, Block):
        return _NO_ALIAS
    if not isinstance(owner, DataOp):
        return _DEFINED
    others = [v for v in used if v is not value and isinstance(v.owner, DataOp) and v.owner.growable is owner.growable]
    return _DEFINED if others or owner.growable in used else _NO_ALIAS


def _receive(outer: FunctionLowering, inner: FunctionLowering, value: SSAValue, words: Any) -> None:
    """Bind a value in the body's function: a constant is made again, so that LLVM knows it."""
    if _is_constant(value):
        assert isinstance(value.owner, Operation)
        inner.lower(value.owner)
        return
    held = outer.values[value]
    received = _like(held, words)
    if isinstance(value.type, CellType):
        slots = tuple(inner.builder.alloca(word.type) for word in _parts_of(received))
        for word, slot in zip(_parts_of(received), slots, strict=True):
            inner.builder.store(word, slot)
        received = slots if isinstance(held, tuple) else slots[0]
    elif not isinstance(held, tuple):
        received.name_hint = value.name_hint
    inner.values[value] = received


def _like(held: Any, words: Any) -> Any:
    """Registers from `words` in the form that a value has outside."""
    if not isinstance(held, tuple):
        return next(words)
    parts = [_like(part, words) for part in held]  # pyright: ignore
    return type(held)(*parts) if hasattr(held, "_fields") else tuple(parts)  # pyright: ignore


def _fetching(state: FunctionLowering, name: str, turn: str, types: list[Attribute]) -> Operation:
    inner = state.nested([POINTER, i64])
    builder = inner.builder
    captured, index = builder.entry.args
    words: list[SSAValue] = []
    offset = 0
    for type in types:
        address = builder.address(captured, builder.integer(offset), i64)
        words.append(builder.load(address, type, _alignment(type)))
        offset += -(-_size(type) // 8)
    status = builder.call(turn, (*words, index), i32)
    builder.effect(llvm.ReturnOp, (status,))
    attributes = ArrayAttr((_DEFINED, _DEFINED))
    # The pool calls it by its address, so a copy in the kernel would be a second one.
    return declare(name, (POINTER, i64), i32, builder.finish(), arg_attrs=attributes, no_inline=_UNIT, no_unwind=_UNIT)


PARALLEL_HANDLERS: dict[str, Any] = {"loop.parallel": _parallel, "loop.parts": _parts}
