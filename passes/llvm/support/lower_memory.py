"""Ops of the `loop` dialect on cells, buffers and growables, to the `llvm` dialect."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    FloatAttr,
    IntegerAttr,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.loop.loop import ForOp, IfOp, WhileOp
from irtensor.dialects.loop.loop_growables import ZEROED
from irtensor.dialects.loop.loop_memory import APART, ORDERED
from irtensor.dialects.loop.loop_types import GrowableType, held_type
from irtensor.dialects.support.create_operation import create_block, first_result
from irtensor.dialects.support.expect import expect
from irtensor.passes.llvm.support.function_builder import (
    ACQUIRE,
    COLD_BRANCH,
    NE,
    NOT_ATOMIC,
    POINTER,
    RELEASE,
    SGT,
    SLT,
    element_size,
    memory_type,
    register_type,
)
from irtensor.passes.llvm.support.support_functions import add_grow, add_make_zeroed, add_reserve, add_search

if TYPE_CHECKING:
    from irtensor.passes.llvm.support.function_lowering import FunctionLowering, Growable

# A slot is {data, capacity, size}.
SLOT_WORDS = 3


def _element(buffer: SSAValue) -> Attribute:
    return held_type(buffer)


def _scalar_size(unit: Attribute) -> int:
    """Bytes of one machine scalar of a memory type: what element alignment guarantees."""
    return element_size(unit.element_type if type(unit) is VectorType else unit)


def _cell(state: FunctionLowering, op: Operation) -> None:
    """A stack variable, made once at the top of the function and set where the op stands."""
    builder = state.builder
    value = state.values[op.operands[0]]
    if isinstance(value, tuple):
        slots = tuple(builder.alloca(part.type) for part in value)
        for part, slot in zip(value, slots, strict=True):
            builder.store(part, slot)
        state.values[op.results[0]] = slots
    else:
        slot = builder.alloca(value.type)
        builder.store(value, slot)
        state.values[op.results[0]] = slot


def read_cell(state: FunctionLowering, cell: SSAValue) -> Any:
    """The value of a cell: a pair for a complex number."""
    builder, slots = state.builder, state.values[cell]
    type = register_type(held_type(cell))
    if isinstance(slots, tuple):
        part = expect(type, ComplexType).element_type
        return tuple(builder.load(slot, part) for slot in slots)
    return builder.load(slots, type)


def write_cell(state: FunctionLowering, value: Any, cell: SSAValue) -> None:
    """Let a cell have a value: a pair for a complex number."""
    slots = state.values[cell]
    if isinstance(slots, tuple):
        for part, slot in zip(value, slots, strict=True):
            state.builder.store(part, slot)
    else:
        state.builder.store(value, slots)


def _get(state: FunctionLowering, op: Operation) -> None:
    state.values[first_result(op)] = read_cell(state, op.operands[0])


def _set(state: FunctionLowering, op: Operation) -> None:
    write_cell(state, state.values[op.operands[0]], op.operands[1])


def element_address(state: FunctionLowering, buffer: SSAValue, index: SSAValue) -> SSAValue:
    """Address of an element; that of a complex number is the address of its real part."""
    builder = state.builder
    element, position = _element(buffer), state.values[index]
    unit = memory_type(element)
    if type(element) is ComplexType:
        position = builder.add(position, position)
    return builder.address(state.values[buffer], position, unit)


def _next(state: FunctionLowering, address: SSAValue, unit: Attribute) -> SSAValue:
    return state.builder.address(address, state.builder.integer(1), unit)


def _load(state: FunctionLowering, op: Operation) -> None:
    state.builder.access_groups = state.groups if APART in op.attributes else None
    address = element_address(state, op.operands[0], op.operands[1])
    ordering = ACQUIRE if ORDERED in op.attributes else NOT_ATOMIC
    state.values[op.results[0]] = load_value(state, op.results[0].type, address, ordering)
    state.builder.access_groups = None


def load_value(state: FunctionLowering, loaded: Attribute, address: SSAValue, ordering: Attribute = NOT_ATOMIC) -> Any:
    """The registers of a value of a type that lies at an address."""
    builder, unit = state.builder, memory_type(loaded)
    if type(loaded) is ComplexType:
        size = element_size(unit)
        real = builder.load(address, unit, size)
        return real, builder.load(_next(state, address, unit), unit, size)
    value = builder.load(address, unit, _scalar_size(unit), ordering)
    register = register_type(loaded)
    if register is not unit and register != unit:
        # A bool byte counts as true when it is not zero, as in NumPy.
        zero = builder.zero(unit)
        properties: dict[str, Attribute] = {"predicate": IntegerAttr(NE, i64)}
        value = builder.value(llvm.ICmpOp, (value, zero), register, properties)
    return value


def _store(state: FunctionLowering, op: Operation) -> None:
    state.builder.access_groups = state.groups if APART in op.attributes else None
    address = element_address(state, op.operands[1], op.operands[2])
    ordering = RELEASE if ORDERED in op.attributes else NOT_ATOMIC
    _store_value(state, state.values[op.operands[0]], address, memory_type(op.operands[0].type), ordering)
    state.builder.access_groups = None


def _store_value(
    state: FunctionLowering, value: Any, address: SSAValue, unit: Attribute, ordering: Attribute = NOT_ATOMIC
) -> None:
    builder, size = state.builder, _scalar_size(unit)
    if isinstance(value, tuple):
        builder.store(value[0], address, size)
        builder.store(value[1], _next(state, address, unit), size)
        return
    if value.type is not unit and value.type != unit:
        value = builder.value(llvm.ZExtOp, (value,), unit)
    builder.store(value, address, size, ordering)


def _is_zero(value: SSAValue) -> bool:
    """Whether a value is a constant of zero bytes."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.name not in ("arith.constant", "complex.constant"):
        return False
    constant = owner.properties["value"]
    parts = constant.data if isinstance(constant, ArrayAttr) else (constant,)
    for part in parts:
        if isinstance(part, FloatAttr):
            number = part.value.data
            if number != 0 or math.copysign(1.0, number) < 0:
                return False
        elif not isinstance(part, IntegerAttr) or part.value.data != 0:
            return False
    return True


def _fill(state: FunctionLowering, op: Operation) -> None:
    """memset where all bytes are equal, else a loop."""
    builder, values = state.builder, state.values
    value, buffer, lower, upper = op.operands
    element = _element(buffer)
    one_byte = element_size(element) == 1
    if not one_byte and not _is_zero(value):
        fill_by_loop(state, op)
        return
    byte: SSAValue = builder.integer(0, i8)
    if one_byte:
        byte = values[value]
        if byte.type == i1:
            byte = builder.value(llvm.ZExtOp, (byte,), i8)
    count = builder.value(llvm.SubOp, (values[upper], values[lower]), i64)
    length = _byte_count(state, count, element)
    target = element_address(state, buffer, lower)
    builder.set_bytes(target, byte, length)


def _byte_count(state: FunctionLowering, count: SSAValue, element: Attribute) -> SSAValue:
    """Bytes of `count` elements, of none if it is negative."""
    builder = state.builder
    positive = builder.intrinsic("llvm.smax.i64", (count, builder.integer(0)), i64)
    assert positive is not None
    size = element_size(element)
    return positive if size == 1 else builder.value(llvm.MulOp, (positive, builder.integer(size)), i64)


def fill_by_loop(state: FunctionLowering, op: Operation) -> None:
    """Store the value to one element after the other."""
    builder, values = state.builder, state.values
    value, buffer, lower, upper = op.operands
    element = _element(buffer)
    unit = memory_type(element)
    end = values[upper]
    body, after = create_block((i64,)), create_block()
    builder.branch_if(builder.compare(SLT, values[lower], end), body, (values[lower],), after)
    builder.start(body)
    index = body.args[0]
    position = builder.add(index, index) if isinstance(element, ComplexType) else index
    _store_value(state, values[value], builder.address(values[buffer], position, unit), unit)
    following = builder.add(index, builder.integer(1))
    builder.branch_if(builder.compare(SLT, following, end), body, (following,), after)
    builder.start(after)


def _copy(state: FunctionLowering, op: Operation) -> None:
    """memcpy between different arguments; memmove where the two buffers may be one."""
    builder = state.builder
    source, source_index, target, target_index, count = op.operands
    overlap = source is target or not (_is_argument(source) and _is_argument(target))
    length = _byte_count(state, state.values[count], _element(source))
    end, begin = element_address(state, target, target_index), element_address(state, source, source_index)
    builder.copy_bytes(end, begin, length, overlap=overlap)


def _is_argument(value: SSAValue) -> bool:
    return isinstance(value.owner, Block)


def _view(state: FunctionLowering, op: Operation) -> None:
    state.values[op.results[0]] = element_address(state, op.operands[0], op.operands[1])


def _search(function: str):
    def lower(state: FunctionLowering, op: Operation) -> None:
        operands = [state.values[operand] for operand in op.operands]
        element, read_only = memory_type(_element(op.operands[0])), state.is_read_only(operands[0])
        name = add_search(state.declarations, function, element, operands, read_only=read_only)
        state.values[op.results[0]] = state.builder.call(name, operands, i64)

    return lower


def _reserve(state: FunctionLowering, op: Operation) -> None:
    growable, needed = op.operands
    scratch = growable.owner
    zeroed = isinstance(scratch, Operation) and ZEROED in scratch.attributes
    slot, count, size = state.values[growable], state.values[needed], element_size(_element(growable))
    if zeroed or _is_repeated(op):
        reserve(state, slot, count, size, add_make_zeroed if zeroed else add_grow)
    else:
        reserve_once(state, slot, count, size)


def _is_repeated(op: Operation) -> bool:
    """Whether an operation is in a loop of its function."""
    around = op.parent_op()
    while isinstance(around, IfOp):
        around = around.parent_op()
    return isinstance(around, ForOp | WhileOp)


def reserve(
    state: FunctionLowering, growable: Growable, needed: SSAValue, size: int, add: Callable[..., str] = add_grow
) -> None:
    """Make room for elements of `size` bytes: compare, and rarely call the slow path, the function that `add` adds."""
    builder = state.builder
    grow, after = create_block(), create_block()
    short = builder.compare(SGT, needed, builder.load(state.field_of(growable, "capacity"), i64, 8))
    builder.branch_if(short, grow, (), after, (), {"branch_weights": COLD_BRANCH})
    builder.start(grow)
    operands = (growable.data, needed, builder.integer(size))
    status = builder.call(add(state.declarations), operands, i32)
    state.fail_if(builder.compare(NE, status, builder.integer(0, i32)), status, after)


def reserve_once(state: FunctionLowering, growable: Growable, needed: SSAValue, size: int) -> None:
    """Make room where that is not done often: the comparison is not in the kernel, which is the smaller for it."""
    operands = (growable.data, needed, state.builder.integer(size))
    state.fail_if_failed(state.builder.call(add_reserve(state.declarations), operands, i32))


def _part_of(state: FunctionLowering, op: Operation) -> None:
    """The slots of part n are n times as many slots further on as the function has growables."""
    builder = state.builder
    whole, number = (state.values[operand] for operand in op.operands)
    arguments = expect(op.operands[0].owner, Block).args
    words = SLOT_WORDS * sum(isinstance(argument.type, GrowableType) for argument in arguments)
    distance = builder.value(llvm.MulOp, (number, builder.integer(words)), i64)
    state.values[op.results[0]] = whole._replace(data=builder.address(whole.data, distance, i64))


def _data(state: FunctionLowering, op: Operation) -> None:
    state.values[op.results[0]] = state.builder.load(state.values[op.operands[0]].data, POINTER, 8)


def _capacity(state: FunctionLowering, op: Operation) -> None:
    state.values[op.results[0]] = state.builder.load(state.field_of(state.values[op.operands[0]], "capacity"), i64, 8)


def _set_size(state: FunctionLowering, op: Operation) -> None:
    size = state.field_of(state.values[op.operands[0]], "size")
    state.builder.store(state.values[op.operands[1]], size, 8)


def _prefetch(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    buffer, index = state.values[op.operands[0]], state.values[op.operands[1]]
    element = _element(op.operands[0])
    if isinstance(element, ComplexType):
        index = builder.value(llvm.AddOp, (index, index), i64)
    # The index may lie outside the buffer, so the address is not inbounds.
    address = builder.address(buffer, index, memory_type(element), inbounds=False)
    read, keep, data = (builder.integer(number, i32) for number in (0, 3, 1))
    builder.intrinsic("llvm.prefetch.p0", (address, read, keep, data))


MEMORY_HANDLERS: dict[str, Any] = {
    "loop.cell": _cell,
    "loop.get": _get,
    "loop.set": _set,
    "loop.load": _load,
    "loop.store": _store,
    "loop.fill": _fill,
    "loop.copy": _copy,
    "loop.view": _view,
    "loop.lower_bound": _search("lower_bound"),
    "loop.upper_bound": _search("upper_bound"),
    "loop.part_of": _part_of,
    "loop.reserve": _reserve,
    "loop.data": _data,
    "loop.capacity": _capacity,
    "loop.set_size": _set_size,
    "loop.prefetch": _prefetch,
}
