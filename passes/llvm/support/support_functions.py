"""Functions that lowered kernels call: binary search, made with them, and what the runtime has compiled once.

The latter are in irtensor/runtime/support_code.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, UnitAttr, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import (
    AS_IN_C,
    POINTER,
    RARELY_CALLED,
    SGT,
    SLE,
    SLT,
    FunctionBuilder,
    declare,
    element_size,
)
from irtensor.passes.llvm.support.module_functions import add_function

_UNIT = UnitAttr()
_NO_ALIAS = DictionaryAttr({"llvm.noalias": _UNIT, "llvm.noundef": _UNIT})
_READ_ONLY = DictionaryAttr({**_NO_ALIAS.data, "llvm.readonly": _UNIT})
_DEFINED = DictionaryAttr({"llvm.noundef": _UNIT})


def add_search(
    functions: dict[str, Operation],
    search: str,
    element: Attribute,
    operands: Sequence[SSAValue],
    *,
    read_only: bool = False,
) -> str:
    """Name of the search function `search` for integers of type `element`; it is made on first use.

    `read_only` says that nobody changes the buffer while the calling function runs.
    """
    name = f"irtensor.{search}.{element}{'.read_only' if read_only else ''}"
    goes_right = SLT if search == "lower_bound" else SLE
    buffer = _READ_ONLY if read_only else _NO_ALIAS
    make = partial(_search_function, goes_right=goes_right, element=element, buffer_attributes=buffer)
    return add_function(functions, name, operands, make)


def _search_function(
    name: str, types: Sequence[Attribute], goes_right: int, element: Attribute, buffer_attributes: DictionaryAttr
) -> Operation:
    """Binary search with one conditional move per halving; branches depend on the data for both ends only, which are
    looked at first: a window mostly holds a whole list."""
    builder = FunctionBuilder(types)
    buffer, lower, upper, key = builder.entry.args
    first, last = create_block(), create_block()
    loop, done = create_block((i64, i64)), create_block((i64,))
    zero, one = builder.integer(0), builder.integer(1)

    def right_of(position: SSAValue) -> SSAValue:
        value = builder.load(builder.address(buffer, position, element), element, element_size(element))
        if element != i64:
            value = builder.value(llvm.SExtOp, (value,), i64)
        return builder.compare(goes_right, value, key)

    length = builder.value(llvm.SubOp, (upper, lower), i64)
    builder.branch_if(builder.compare(SGT, length, zero), first, (), done, (lower,))
    builder.start(first)
    builder.branch_if(right_of(lower), last, (), done, (lower,))
    builder.start(last)
    builder.branch_if(right_of(builder.value(llvm.SubOp, (upper, one), i64)), done, (upper,), loop, (lower, length))
    builder.start(loop)
    base, count = loop.args
    half = builder.value(llvm.LShrOp, (count, one), i64)
    middle = builder.add(base, half)
    right = right_of(middle)
    next_base = builder.select(right, builder.add(middle, one), base)
    rest = builder.value(llvm.SubOp, (builder.value(llvm.SubOp, (count, half), i64), one), i64)
    next_count = builder.select(right, rest, half)
    builder.branch_if(builder.compare(SGT, next_count, zero), loop, (next_base, next_count), done, (next_base,))
    builder.start(done)
    builder.effect(llvm.ReturnOp, (done.args[0],))
    attributes = ArrayAttr((buffer_attributes, _DEFINED, _DEFINED, _DEFINED))
    return declare(name, types, i64, builder.finish(), arg_attrs=attributes, no_unwind=_UNIT)


def add_grow(functions: dict[str, Operation]) -> str:
    """Name of the function (slot, needed, element size) -> status that gives a growable room for `needed` elements."""
    return _add_shared(functions, "irtensor.grow", (POINTER, i64, i64))


def add_reserve(functions: dict[str, Operation]) -> str:
    """Name of the function (slot, needed, element size) -> status that does so only if there is too little room."""
    return _add_shared(functions, "irtensor.reserve", (POINTER, i64, i64))


def add_make_zeroed(functions: dict[str, Operation]) -> str:
    """Name of the function (slot, needed, element size) -> status that gives a growable room for zeros only."""
    return _add_shared(functions, "irtensor.make_zeroed", (POINTER, i64, i64))


def add_run_iterations(functions: dict[str, Operation]) -> str:
    """Name of the function (context, body, captured values, first iteration, end) -> status that runs a loop."""
    return _add_shared(functions, "irtensor.run_iterations", (POINTER, POINTER, POINTER, i64, i64))


def add_launch(functions: dict[str, Operation]) -> str:
    """Name of the function (context, number of the kernel, iterations, values) -> status that starts a kernel."""
    return _add_shared(functions, "irtensor.launch", (POINTER, i64, i64, POINTER))


def add_memset(functions: dict[str, Operation]) -> str:
    """Name of the function (context, address on the device, pattern, its bytes, how often) -> status."""
    return _add_shared(functions, "irtensor.memset", (POINTER, POINTER, i32, i64, i64))


def add_read(functions: dict[str, Operation]) -> str:
    """Name of the function (context, address on the device, bytes, address on the host) -> status."""
    return _add_shared(functions, "irtensor.read", (POINTER, POINTER, i64, POINTER))


def add_poll(functions: dict[str, Operation]) -> str:
    """Name of the function (pace) -> iterations of a loop until it is to be called again, 0 to stop."""
    return _add_shared(functions, "irtensor.poll", (POINTER,), i64, RARELY_CALLED)


def _add_shared(
    functions: dict[str, Operation],
    name: str,
    types: tuple[Attribute, ...],
    result: Attribute = i32,
    convention: llvm.CallingConventionAttr = AS_IN_C,
) -> str:
    """Declare a function that is compiled once for all kernels, and that returns a status if nothing else is said."""
    if name not in functions:
        functions[name] = declare(name, types, result, convention=convention)
    return name


def add_free(functions: dict[str, Operation]) -> str:
    """Name of the function that gives back what growing obtained; nothing is given back at a null pointer."""
    if "free" not in functions:
        functions["free"] = declare("free", (POINTER,), llvm.LLVMVoidType())
    return "free"
