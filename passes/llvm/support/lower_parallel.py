"""Parallel loops, to the `llvm` dialect: the body becomes a function, which the pool that the caller passes runs.

The kernel's last argument points to a context {run, most parts, grain}; see irtensor/runtime/thread_pool_code.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    SymbolRefAttr,
    UnitAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.loop.loop_parallel import used_by, used_from_outside
from irtensor.dialects.loop.loop_types import CellType, held_type
from irtensor.passes.llvm.support.function_builder import (
    POINTER,
    UNOPTIMIZED,
    FunctionBuilder,
    declare,
    element_size,
    register_type,
)
from irtensor.passes.llvm.support.iteration_preparation import split_iteration
from irtensor.passes.llvm.support.support_functions import add_run_iterations
from irtensor.passes.loop.support.captured_values import is_apart, is_constant

if TYPE_CHECKING:
    from irtensor.passes.llvm.support.function_lowering import FunctionLowering

_UNIT = UnitAttr()
_NO_ALIAS = DictionaryAttr({"llvm.noalias": _UNIT, "llvm.nonnull": _UNIT, "llvm.noundef": _UNIT})
_DEFINED = DictionaryAttr({"llvm.noundef": _UNIT})
_FIELDS = {"most parts": 1, "grain": 2, "threads": 3}
# How many iterations of inner loops a part has at least for each element that it makes ready and combines.
_ITERATIONS_PER_ELEMENT = 4


def _parallel(state: FunctionLowering, op: Operation) -> None:
    """Keep what the body uses in a structure on the stack; the runtime calls the body, or lets the pool call it."""
    builder, values = state.builder, state.values
    lower, upper = values[op.operands[0]], values[op.operands[1]]
    used = used_from_outside(op)
    words = [word for value in used for word in _words(state, value)]
    captured = pack(state, words)
    entry = _outline(state, op, used, [word.type for word in words])
    body = builder.value(llvm.AddressOfOp, (), POINTER, {"global_name": SymbolRefAttr(entry)})
    run = add_run_iterations(state.declarations)
    state.fail_if_failed(builder.call(run, (state.context(), body, captured, lower, upper), i32))


def _parts(state: FunctionLowering, op: Operation) -> None:
    """As many parts as have enough work each, within what the context allows."""
    builder, context = state.builder, state.context()
    grain = _field(state, context, "grain", i64)
    most = _field(state, context, "most parts" if len(op.operands) == 1 else "threads", i64)
    for each in op.operands[1:]:
        least = builder.value(llvm.MulOp, (state.values[each], builder.integer(_ITERATIONS_PER_ELEMENT)), i64)
        larger = builder.intrinsic("llvm.smax.i64", (grain, least), i64)
        assert larger is not None
        grain = larger
    parts = builder.value(llvm.SDivOp, (state.values[op.operands[0]], grain), i64)
    for bound, value in (("smin", most), ("smax", builder.integer(1))):
        parts = builder.intrinsic(f"llvm.{bound}.i64", (parts, value), i64)
        assert parts is not None
    state.values[op.results[0]] = parts


def _field(state: FunctionLowering, context: SSAValue, name: str, type: Attribute) -> SSAValue:
    builder = state.builder
    return builder.load(builder.address(context, builder.integer(_FIELDS[name]), i64), type, 8)


def _words(state: FunctionLowering, value: SSAValue) -> tuple[SSAValue, ...]:
    """The registers that a value is passed in: a cell, which the body only reads, by what it holds."""
    if is_constant(value):
        return ()
    held = parts_of(state.values[value])
    if isinstance(value.type, CellType):
        return tuple(state.builder.load(slot, type) for slot, type in zip(held, _cell_types(value), strict=True))
    return held


def parts_of(held: Any) -> tuple[SSAValue, ...]:
    """The registers of a value of any kind."""
    if not isinstance(held, tuple):
        return (held,)
    return tuple(word for part in held for word in parts_of(part))


def _cell_types(cell: SSAValue) -> list[Attribute]:
    type = register_type(held_type(cell))
    element = getattr(type, "element_type", None)
    return [type] if element is None or isinstance(type, VectorType) else [element, element]


def pack(state: FunctionLowering, words: list[SSAValue]) -> SSAValue:
    """The address of a structure that holds the words.

    They are stored one by one: of structures as values LLVM's fast selection of instructions knows nothing.
    """
    builder = state.builder
    types = [word.type for word in words]
    packed = builder.alloca(llvm.LLVMArrayType(sum(map(_width, types)), i64))
    for word, address in zip(words, _fields_of(builder, packed, types), strict=True):
        builder.store(word, address, 8)
    return packed


def _fields_of(builder: FunctionBuilder, packed: SSAValue, types: list[Attribute]) -> Iterator[SSAValue]:
    """The addresses of the words of a structure, multiples of eight bytes apart."""
    offset = 0
    for type in types:
        yield builder.address(packed, builder.integer(offset), i64) if offset else packed
        offset += _width(type)


def _width(type: Attribute) -> int:
    """How many times eight bytes a word takes."""
    if type == POINTER:
        return 1
    if isinstance(type, VectorType):
        return -(-element_size(type.element_type) * type.element_count() // 8)
    return -(-element_size(type) // 8)


def _outline(state: FunctionLowering, op: Operation, used: list[SSAValue], types: list[Attribute]) -> str:
    """Make two functions of the body: one fetches what it uses from the structure, and prepares; one does the rest.

    In the first, LLVM looks for nothing to improve. Of arguments of the other it knows that they do not alias, as it
    does of the kernel's own.
    """
    number = sum(name.startswith("irtensor.iteration.") for name in state.declarations)
    iteration, entry = f"irtensor.iteration.{number}", f"irtensor.iteration.{number}.captured"
    body = op.regions[0].block
    first = state.nested([POINTER, i64, POINTER])
    captured, index, context = first.builder.entry.args
    first.receive_context(context)
    index.name_hint = body.args[0].name_hint
    first.values[body.args[0]] = index
    fields = _fields_of(first.builder, captured, types)
    fetched = (first.builder.load(field, type, 8) for field, type in zip(fields, types, strict=True))
    for value in used:
        _receive(state, first, value, fetched)
    preparation, rest = split_iteration(body)
    first.lower_body(preparation)
    if rest:
        taken = used_by(rest)
        arguments = [word for value in taken for word in _words(first, value)]
        state.declarations[iteration], asks = _iteration(first, iteration, rest, taken, arguments)
        if asks:
            arguments.append(context)
        first.leave(first.builder.call(iteration, arguments, i32))
    else:
        first.leave()
    properties: dict[str, Any] = {"arg_attrs": ArrayAttr([_DEFINED] * 3), "no_unwind": _UNIT, **UNOPTIMIZED}
    state.declarations[entry] = declare(entry, (POINTER, i64, POINTER), i32, first.builder.finish(), **properties)
    return entry


def _iteration(
    state: FunctionLowering, name: str, operations: list[Operation], used: list[SSAValue], arguments: list[SSAValue]
) -> tuple[Operation, bool]:
    """A function of what operations use, and whether it takes the context as well."""
    types = [argument.type for argument in arguments]
    inner = state.nested(types)
    words = iter(inner.builder.entry.args)
    attributes: list[Attribute] = []
    for value in used:
        _receive(state, inner, value, words)
        if not is_constant(value):
            attributes += [_NO_ALIAS if is_apart(value, used) else _DEFINED] * len(parts_of(state.values[value]))
    inner.lower_body(operations)
    inner.leave()
    if inner.uses_threads:
        types.append(POINTER)
        attributes.append(_DEFINED)
    properties: dict[str, Any] = {"arg_attrs": ArrayAttr(attributes), "no_unwind": _UNIT, "no_inline": _UNIT}
    return declare(name, types, i32, inner.builder.finish(), **properties), inner.uses_threads


def _receive(outer: FunctionLowering, inner: FunctionLowering, value: SSAValue, words: Any) -> None:
    """Bind a value in the body's function: a constant is made again, so that LLVM knows it."""
    if is_constant(value):
        assert isinstance(value.owner, Operation)
        inner.lower(value.owner)
        return
    held = outer.values[value]
    received = _like(held, words)
    if isinstance(value.type, CellType):
        slots = tuple(inner.builder.alloca(word.type) for word in parts_of(received))
        for word, slot in zip(parts_of(received), slots, strict=True):
            inner.builder.store(word, slot)
        received = slots if isinstance(held, tuple) else slots[0]
    elif not isinstance(held, tuple):
        received.name_hint = value.name_hint
    inner.values[value] = received


def _like(held: Any, words: Any) -> Any:
    """Registers from `words` in the form that a value has outside."""
    if not isinstance(held, tuple):
        return next(words)
    parts = [_like(part, words) for part in held]
    return type(held)(*parts) if hasattr(held, "_fields") else tuple(parts)


PARALLEL_HANDLERS: dict[str, Any] = {"loop.parallel": _parallel, "loop.parts": _parts}
