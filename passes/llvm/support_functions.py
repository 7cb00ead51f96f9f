"""Functions that lowered kernels call: binary search, and the slow path of growing."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, UnitAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.passes.llvm.function_builder import EQ, POINTER, SGT, SLE, SLT, FunctionBuilder, declare, element_size

_UNIT = UnitAttr()
_NO_ALIAS = DictionaryAttr({"llvm.noalias": _UNIT, "llvm.noundef": _UNIT})
_DEFINED = DictionaryAttr({"llvm.noundef": _UNIT})
_FEWEST_ELEMENTS = 64


def add_search(functions: dict[str, Operation], kind: str, element: Attribute) -> str:
    """Name of the search function `kind` for integers of type `element`; it is made on first use."""
    name = f"irtensor.{kind}.{element}"
    if name not in functions:
        functions[name] = _search_function(name, SLT if kind == "lower_bound" else SLE, element)
    return name


def _search_function(name: str, goes_right: int, element: Attribute) -> Operation:
    """Binary search with one conditional move per halving: no branch depends on the data."""
    types = (POINTER, i64, i64, i64)
    builder = FunctionBuilder(types)
    buffer, lower, upper, key = builder.entry.args
    loop, done = Block(arg_types=(i64, i64)), Block(arg_types=(i64,))
    zero, one = builder.integer(0), builder.integer(1)
    length = builder.value(llvm.SubOp, (upper, lower), i64)
    builder.branch_if(builder.compare(SGT, length, zero), loop, (lower, length), done, (lower,))
    builder.start(loop)
    base, count = loop.args
    half = builder.value(llvm.LShrOp, (count, one), i64)
    middle = builder.add(base, half)
    value = builder.load(builder.address(buffer, middle, element), element, element_size(element))
    if element != i64:
        value = builder.value(llvm.SExtOp, (value,), i64)
    right = builder.compare(goes_right, value, key)
    next_base = builder.select(right, builder.add(middle, one), base)
    rest = builder.value(llvm.SubOp, (builder.value(llvm.SubOp, (count, half), i64), one), i64)
    next_count = builder.select(right, rest, half)
    builder.branch_if(builder.compare(SGT, next_count, zero), loop, (next_base, next_count), done, (next_base,))
    builder.start(done)
    builder.effect(llvm.ReturnOp, (done.args[0],))
    attributes = ArrayAttr((_NO_ALIAS, _DEFINED, _DEFINED, _DEFINED))
    return declare(name, types, i64, builder.finish(), arg_attrs=attributes, no_unwind=_UNIT)


def add_grow(functions: dict[str, Operation]) -> str:
    """Name of the function (slot, needed, element size) -> status that gives a growable room for `needed` elements."""
    name = "irtensor.grow"
    if name not in functions:
        functions["realloc"] = declare("realloc", (POINTER, i64), POINTER)
        functions[name] = _grow_function(name)
    return name


def add_make_zeroed(functions: dict[str, Operation]) -> str:
    """Name of the function (slot, needed, element size) -> status that gives a growable room for zeros only."""
    name = "irtensor.make_zeroed"
    if name not in functions:
        functions["calloc"] = declare("calloc", (i64, i64), POINTER)
        functions[name] = _make_zeroed_function(name, add_free(functions))
    return name


def add_free(functions: dict[str, Operation]) -> str:
    """Name of the function that gives back what growing obtained; nothing is given back at a null pointer."""
    if "free" not in functions:
        functions["free"] = declare("free", (POINTER,), llvm.LLVMVoidType())
    return "free"


def _grow_function(name: str) -> Operation:
    """Double the capacity, or more if more is needed; on failure, status 1, the slot stays as it is."""
    types = (POINTER, i64, i64)
    builder = FunctionBuilder(types)
    slot, needed, size = builder.entry.args
    resize, moved, done = Block(), Block(), Block(arg_types=(i32,))
    capacity_field = builder.address(slot, builder.integer(1), i64)
    success, failure = builder.integer(0, i32), builder.integer(1, i32)
    doubled = builder.value(llvm.ShlOp, (builder.load(capacity_field, i64, 8), builder.integer(1)), i64)
    wanted = _largest(builder, needed, doubled)
    wanted = _largest(builder, wanted, builder.integer(_FEWEST_ELEMENTS))
    limit = builder.value(llvm.SDivOp, (builder.integer(1 << 62), size), i64)
    builder.branch_if(builder.compare(SGT, wanted, limit), done, (failure,), resize)
    builder.start(resize)
    length = builder.value(llvm.MulOp, (wanted, size), i64)
    data = builder.call("realloc", (builder.load(slot, POINTER, 8), length), POINTER)
    address = builder.value(llvm.PtrToIntOp, (data,), i64)
    builder.branch_if(builder.compare(EQ, address, builder.integer(0)), done, (failure,), moved)
    builder.start(moved)
    builder.store(data, slot, 8)
    builder.store(wanted, capacity_field, 8)
    builder.branch(done, (success,))
    builder.start(done)
    builder.effect(llvm.ReturnOp, (done.args[0],))
    attributes = ArrayAttr((_NO_ALIAS, _DEFINED, _DEFINED))
    return declare(name, types, i32, builder.finish(), arg_attrs=attributes, no_inline=_UNIT, no_unwind=_UNIT)


def _make_zeroed_function(name: str, free: str) -> Operation:
    """Memory that the system hands out is zero before anyone touches it, so nothing is written here."""
    types = (POINTER, i64, i64)
    builder = FunctionBuilder(types)
    slot, needed, size = builder.entry.args
    made, done = Block(), Block(arg_types=(i32,))
    data = builder.call("calloc", (needed, size), POINTER)
    address = builder.value(llvm.PtrToIntOp, (data,), i64)
    builder.branch_if(builder.compare(EQ, address, builder.integer(0)), done, (builder.integer(1, i32),), made)
    builder.start(made)
    builder.call_for_effect(free, (builder.load(slot, POINTER, 8),))
    builder.store(data, slot, 8)
    builder.store(needed, builder.address(slot, builder.integer(1), i64), 8)
    builder.branch(done, (builder.integer(0, i32),))
    builder.start(done)
    builder.effect(llvm.ReturnOp, (done.args[0],))
    attributes = ArrayAttr((_NO_ALIAS, _DEFINED, _DEFINED))
    return declare(name, types, i32, builder.finish(), arg_attrs=attributes, no_inline=_UNIT, no_unwind=_UNIT)


def _largest(builder: FunctionBuilder, a: SSAValue, b: SSAValue) -> SSAValue:
    result = builder.intrinsic("llvm.smax.i64", (a, b), i64)
    assert result is not None
    return result
