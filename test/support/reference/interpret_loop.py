"""Runs functions of the `loop` dialect over NumPy buffers with every access checked: the oracle of native code."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from reference.index_map import IndexMap
from reference.loop_memory import Growable, IndexSet, OutOfBounds
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.llvm_extra import INTEGER_CONVERSIONS
from irtensor.dialects.loop import LaunchOp, element_of

_DTYPES = {"i1": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "index": "i8", "f32": "f4", "f64": "f8"}


# Into how many parts work is divided here, be it little: some parts are empty then.
_PARTS = 3


class _Failure(Exception):
    """The function ends with a status that is not 0."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def dtype_of(element: Attribute) -> np.dtype[Any]:
    """The NumPy type of an element type."""
    if isinstance(element, ComplexType):
        return np.dtype("c8" if str(element.element_type) == "f32" else "c16")
    return np.dtype(_DTYPES[str(element)])


def _typed(value: Any, type: Attribute) -> Any:
    """A value as a NumPy scalar or vector of its type, so that arithmetic rounds and wraps as the machine's."""
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype_of(element_of(type)))[()]


class Interpreter:
    """Values of one function call."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        self.values: dict[SSAValue, Any] = {}

    def get(self, op: Operation, number: int) -> Any:
        return self.values[op.operands[number]]

    def run_block(self, block: Block) -> None:
        for op in block.ops:
            self.run(op)

    def run(self, op: Operation) -> None:
        control = _CONTROL.get(op.name)
        if control is not None:
            control(self, op)
            return
        operands = [self.values[operand] for operand in op.operands]
        if len(op.results) > 1:
            self.values.update(zip(op.results, _compute_of(op)(op, *operands), strict=True))
            return
        result = compute_scalar(op, operands)
        if op.results:
            self.values[op.results[0]] = result


def compute_scalar(op: Operation, operands: Sequence[Any]) -> Any:
    """What a scalar operation gives, in the arithmetic of its type."""
    compute = _compute_of(op)
    with np.errstate(all="ignore"):
        result = compute(op, *operands)
    if not op.results:
        return result
    element = element_of(op.results[0].type)
    is_scalar = isinstance(element, IntegerType | IndexType | ComplexType) or hasattr(element, "bitwidth")
    return _typed(result, op.results[0].type) if is_scalar else result


def _check(buffer: np.ndarray[Any, Any], lower: int, upper: int, op: Operation) -> None:
    if lower < 0 or upper > len(buffer):
        raise OutOfBounds(f"{op.name} touches [{lower}, {upper}) of a buffer of {len(buffer)} elements: {op}")


def _for(state: Interpreter, op: Operation) -> None:
    block = op.regions[0].block
    for index in range(int(state.get(op, 0)), int(state.get(op, 1))):
        state.values[block.args[0]] = np.int64(index)
        state.run_block(block)


def _visit(state: Interpreter, op: Operation) -> None:
    block, members = op.regions[0].block, state.get(op, 0).members
    listed = sorted(members)
    members.clear()
    for member in listed:
        state.values[block.args[0]] = np.int64(member)
        state.run_block(block)


def _parallel(state: Interpreter, op: Operation) -> None:
    """The turns in an order that no sequential loop has: from both ends in turn, as threads take them."""
    block = op.regions[0].block
    turns = list(range(int(state.get(op, 0)), int(state.get(op, 1))))
    for number in range(len(turns)):
        index = turns.pop(-1 if number % 2 == 0 else 0)
        state.values[block.args[0]] = np.int64(index)
        state.run_block(block)


def _while(state: Interpreter, op: Operation) -> None:
    *operations, condition = op.regions[0].block.ops
    while True:
        for inner in operations:
            state.run(inner)
        if not state.get(condition, 0):
            return
        state.run_block(op.regions[1].block)


def _if(state: Interpreter, op: Operation) -> None:
    if state.get(op, 0):
        state.run_block(op.regions[0].block)
    elif op.regions[1].first_block is not None:
        state.run_block(op.regions[1].block)


def _atomic(state: Interpreter, op: Operation) -> None:
    *operations, last = op.regions[0].block.ops
    buffer, index = state.get(op, 0), int(state.get(op, 1))
    _check(buffer, index, index + 1, op)
    state.values[op.regions[0].block.args[0]] = buffer[index]
    for inner in operations:
        state.run(inner)
    buffer[index] = state.get(last, 0)


def _call(state: Interpreter, op: Operation) -> None:
    name = op.properties["callee"].root_reference.data  # pyright: ignore
    status = interpret_loop(state.module, name, [state.values[operand] for operand in op.operands])
    if status:
        raise _Failure(status)


def _launch(state: Interpreter, op: Operation) -> None:
    assert isinstance(op, LaunchOp)
    module = op.kernels()[0].parent_op()
    assert isinstance(module, ModuleOp)
    name = op.kernel.nested_references.data[-1].data
    interpret_loop(module, name, [state.values[argument] for argument in op.arguments])


_CONTROL: dict[str, Callable[[Interpreter, Operation], None]] = {
    "loop.for": _for,
    "loop.parallel": _parallel,
    "loop.while": _while,
    "loop.visit": _visit,
    "loop.if": _if,
    "loop.atomic": _atomic,
    "loop.launch": _launch,
    "func.call": _call,
}


def _load(op: Operation, buffer: np.ndarray[Any, Any], index: Any) -> Any:
    type = op.results[0].type
    if isinstance(type, VectorType):
        count = type.shape.data[0].data
        _check(buffer, int(index), int(index) + count, op)
        return buffer[int(index) : int(index) + count].copy()
    _check(buffer, int(index), int(index) + 1, op)
    return buffer[int(index)]


def _store(op: Operation, value: Any, buffer: np.ndarray[Any, Any], index: Any) -> None:
    count = len(value) if isinstance(value, np.ndarray) else 1
    _check(buffer, int(index), int(index) + count, op)
    buffer[int(index) : int(index) + count] = value


def _fill(op: Operation, value: Any, buffer: np.ndarray[Any, Any], lower: Any, upper: Any) -> None:
    if lower < upper:
        _check(buffer, int(lower), int(upper), op)
        buffer[int(lower) : int(upper)] = value


def _copy(op: Operation, source: Any, start: Any, target: Any, to: Any, count: Any) -> None:
    if count > 0:
        _check(source, int(start), int(start + count), op)
        _check(target, int(to), int(to + count), op)
        target[int(to) : int(to + count)] = source[int(start) : int(start + count)].copy()


def _close(op: Operation, positions: Any, place: Any, counter: Any, to: Any = None) -> None:
    _fill(op, counter[0], positions, place, place + 1 if to is None else to)


def _search(side: str) -> Callable[..., Any]:
    find = bisect.bisect_left if side == "left" else bisect.bisect_right

    def search(op: Operation, buffer: Any, lower: Any, upper: Any, key: Any) -> Any:
        if lower >= upper:
            return lower
        _check(buffer, int(lower), int(upper), op)
        return find(buffer, key, int(lower), int(upper))

    return search


def _reserve(op: Operation, growable: Growable, count: Any) -> None:
    if growable.limit is not None and count > growable.limit:
        raise _Failure(1)
    if count > len(growable.storage):
        # Not one element more than was asked for, so that none is stored without room.
        larger = np.zeros(int(count), growable.storage.dtype)
        larger[: len(growable.storage)] = growable.storage
        growable.storage = larger


def _require(op: Operation, condition: Any) -> None:
    if not condition:
        raise _Failure(op.properties["status"].value.data)  # pyright: ignore


def _set_size(op: Operation, growable: Growable, size: Any) -> None:
    _check(growable.storage, 0, int(size), op)
    growable.size = int(size)


def _constant(op: Operation) -> Any:
    value = op.properties["value"]
    if isinstance(value, ArrayAttr):
        return complex(*(part.value.data for part in value.data))  # pyright: ignore
    if isinstance(value, DenseIntOrFPElementsAttr):
        return np.resize(np.array(value.get_values()), op.results[0].type.shape.data[0].data)  # pyright: ignore
    assert isinstance(value, IntegerAttr | FloatAttr)
    return value.value.data


def _compare_integers(op: Operation, a: Any, b: Any) -> Any:
    predicate = op.properties["predicate"].value.data  # pyright: ignore
    if predicate >= 6 and a.dtype != np.bool_:
        a, b = (value.view(f"u{value.dtype.itemsize}") for value in (a, b))
    elif a.dtype == np.bool_ and predicate in (2, 3, 4, 5):
        # A true i1 is -1 when it is compared as a signed number.
        a, b = -a.astype("i1"), -b.astype("i1")
    return _ORDERINGS[predicate](a, b)


_ORDERINGS: tuple[Callable[[Any, Any], Any], ...] = (
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.less, np.less_equal, np.greater, np.greater_equal),
)
_FLOAT_ORDERINGS = {1: np.equal, 2: np.greater, 3: np.greater_equal, 4: np.less, 5: np.less_equal, 6: np.not_equal}


def _compare_floats(op: Operation, a: Any, b: Any) -> Any:
    predicate = op.properties["predicate"].value.data  # pyright: ignore
    unordered = bool(np.isnan(a) or np.isnan(b))
    if predicate in (0, 15):
        return predicate == 15
    if predicate in (7, 14):
        return unordered == (predicate == 14)
    if predicate >= 8:
        return unordered or bool(_FLOAT_ORDERINGS[predicate - 7](a, b))
    return not unordered and bool(_FLOAT_ORDERINGS[predicate](a, b))


def _truncated_quotient(op: Operation, a: Any, b: Any) -> Any:
    quotient = abs(int(a)) // abs(int(b))
    return -quotient if (a < 0) != (b < 0) else quotient


def _truncated_remainder(op: Operation, a: Any, b: Any) -> Any:
    return int(math.copysign(1, int(a))) * (abs(int(a)) % abs(int(b)))


def _to_integer(op: Operation, a: Any) -> Any:
    return np.where(np.isfinite(a), a, float(np.iinfo(dtype_of(element_of(op.results[0].type))).min))


def _sign_extend(op: Operation, a: Any) -> Any:
    return -np.asarray(a).astype("i8") if a.dtype == np.bool_ else a


def _trailing_zeros(op: Operation, a: Any) -> np.int64:
    number = int(a)
    width = 8 * np.asarray(a).dtype.itemsize
    return np.int64((number & -number).bit_length() - 1 if number else width)


def _lane(op: Operation, dynamic: tuple[Any, ...]) -> int:
    return int(dynamic[0]) if dynamic else op.properties["static_position"].get_values()[0]  # pyright: ignore


def _insert(op: Operation, value: Any, vector: Any, *dynamic: Any) -> Any:
    result = vector.copy()
    result[_lane(op, dynamic)] = value
    return result


_REDUCTIONS: dict[str, Any] = {
    **{"add": np.add, "mul": np.multiply, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor},
    **{"minsi": np.minimum, "maxsi": np.maximum, "minimumf": np.minimum, "maximumf": np.maximum},
    **{"minnumf": np.fmin, "maxnumf": np.fmax},
}


def _reduction(op: Operation, vector: Any, *accumulator: Any) -> Any:
    combine = _REDUCTIONS[str(op.properties["kind"].data)]  # pyright: ignore
    return combine.reduce(np.concatenate([np.asarray(accumulator, vector.dtype), vector]))


def _same(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda op, *operands: function(*operands)


_COMPUTE: dict[str, Callable[..., Any]] = {
    "loop.cell": lambda op, initial: [initial],
    "loop.get": lambda op, cell: cell[0],
    "loop.set": lambda op, value, cell: cell.__setitem__(0, value),
    "loop.load": _load,
    "loop.read": _load,
    "loop.store": _store,
    "loop.fill": _fill,
    "loop.copy": _copy,
    "loop.view": lambda op, buffer, first: buffer[int(first) :],
    "loop.private": lambda op, buffer, lower, upper: buffer[int(lower) : int(upper)],
    "loop.lower_bound": _search("left"),
    "loop.upper_bound": _search("right"),
    "loop.scratch": lambda op: Growable(dtype_of(op.results[0].type.element)),
    "loop.part_of": lambda op, whole, number: whole.part(int(number)),
    "loop.reserve": _reserve,
    "loop.data": lambda op, growable: growable.storage,
    "loop.capacity": lambda op, growable: len(growable.storage),
    "loop.set_size": _set_size,
    "loop.counter": lambda op, start=np.int64(0): [start],
    "loop.count": lambda op, counter: counter[0],
    "loop.append": lambda op, entries, counter: counter.__setitem__(0, counter[0] + entries),
    "loop.close": _close,
    "loop.assembled": lambda op, growable, counter, width, first: _set_size(op, growable, counter[0] * width + first),
    "loop.require": _require,
    "loop.prefetch": lambda op, buffer, index: None,
    "loop.index_set": lambda op, extent: IndexSet(int(extent)),
    "loop.insert": lambda op, member, set: set.insert(int(member)),
    "loop.remove": lambda op, member, set: set.remove(int(member)),
    "loop.contains": lambda op, member, set: int(member) in set.members,
    "loop.members": lambda op, set, buffer: set.list_into(buffer, drain="drain" in op.properties),
    "loop.clear": lambda op, set: set.members.clear(),
    "loop.index_map": lambda op: IndexMap(),
    "loop.map_insert": lambda op, outer, coordinate, map: map.insert(int(outer), int(coordinate)),
    "loop.map_find": lambda op, outer, coordinate, map: map.find(int(outer), int(coordinate)),
    "loop.map_count": lambda op, map: np.int64(len(map.slots)),
    "loop.map_list": lambda op, map, parents, *buffers: map.list_into(
        int(parents), *buffers, unordered="unordered" in op.properties
    ),
    "loop.map_clear": lambda op, map: map.slots.clear(),
    "loop.parts": lambda op, *work: _PARTS,
    "func.return": lambda op: None,
    "arith.constant": _constant,
    "complex.constant": _constant,
    "arith.cmpi": _compare_integers,
    "arith.cmpf": _compare_floats,
    "arith.select": lambda op, condition, a, b: a if condition else b,
    "arith.divsi": _truncated_quotient,
    "arith.remsi": _truncated_remainder,
    "arith.floordivsi": lambda op, a, b: int(a) // int(b),
    "arith.fptosi": _to_integer,
    "arith.extsi": _sign_extend,
    "arith.index_cast": _sign_extend,
    "llvm.frem": _same(np.fmod),
    "complex.create": lambda op, real, imaginary: complex(real, imaginary),
    "vector.broadcast": lambda op, value: np.full(op.results[0].type.shape.data[0].data, value),
    "vector.extract": lambda op, vector, *dynamic: vector[_lane(op, dynamic)],
    "vector.insert": _insert,
    "vector.reduction": _reduction,
    "vector.fma": _same(lambda a, b, c: a * b + c),
    "math.fma": _same(lambda a, b, c: a * b + c),
    "math.rsqrt": _same(lambda a: 1 / np.sqrt(a)),
    "math.cttz": _trailing_zeros,
}
_NUMPY_NAMES = {
    "arith": "addi=add subi=subtract muli=multiply remui=remainder andi=bitwise_and ori=bitwise_or xori=bitwise_xor "
    "shli=left_shift shrsi=right_shift minsi=minimum maxsi=maximum addf=add subf=subtract mulf=multiply "
    "divf=divide negf=negative minimumf=minimum maximumf=maximum minnumf=fmin maxnumf=fmax extui=positive "
    "trunci=positive sitofp=positive uitofp=positive extf=positive truncf=positive",
    "math": "absf=abs absi=abs acos=arccos asin=arcsin atan=arctan atan2=arctan2 ceil copysign cos cosh exp exp2 floor "
    "log log10 log2 powf=power roundeven=rint sin sinh sqrt tan tanh trunc expm1 log1p cbrt acosh=arccosh "
    "asinh=arcsinh atanh=arctanh",
    "complex": "add sub=subtract mul=multiply div=divide neg=negative conj abs re=real im=imag eq=equal neq=not_equal "
    "exp log sqrt sin cos tan tanh pow=power",
}
_CONVERSIONS = ("extui", "trunci", "sitofp", "uitofp", "extf", "truncf")
for _dialect, _names in _NUMPY_NAMES.items():
    for _name in _names.split():
        _operation, _, _function = _name.partition("=")
        if _operation in _CONVERSIONS:
            _COMPUTE[f"arith.{_operation}"] = lambda op, value: value
        else:
            _COMPUTE[f"{_dialect}.{_operation}"] = _same(getattr(np, _function or _operation))
_COMPUTE.update({of.name: _COMPUTE[one.name] for one, of in INTEGER_CONVERSIONS.items() if one.name in _COMPUTE})


def _compute_of(op: Operation) -> Callable[..., Any]:
    compute = _COMPUTE.get(op.name)
    assert compute is not None, f"the interpreter does not know '{op.name}'"
    return compute


def interpret_loop(module: ModuleOp, name: str, arguments: Sequence[Any]) -> int:
    """Call a function of loops: buffers are 1-D arrays, which are written in place; growables are `Growable`.

    Returns the status that native code returns: 0, 1 if a growable met its limit, or that of a loop.require. Raises
    OutOfBounds for an access outside a buffer.
    """
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.sym_name.data == name:
            break
    else:
        raise KeyError(name)
    state = Interpreter(module)
    for parameter, argument in zip(function.body.block.args, arguments, strict=True):
        is_memory = isinstance(argument, np.ndarray | Growable)
        state.values[parameter] = argument if is_memory else _typed(argument, parameter.type)
    try:
        state.run_block(function.body.block)
    except _Failure as failure:
        return failure.status
    return 0
