"""What scalar and vector operations of upstream dialects give, in the arithmetic of their types."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from irtensor.dialects.llvm.llvm_extra import INTEGER_CONVERSIONS
from irtensor.dialects.loop.loop import element_of

_DTYPES = {
    **{"i1": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "index": "i8", "f32": "f4", "f64": "f8"},
    **{"ui8": "u1", "ui16": "u2", "ui32": "u4", "ui64": "u8"},
}


@cache
def dtype_of(element: Attribute) -> np.dtype[Any]:
    """The NumPy type of an element type."""
    if isinstance(element, ComplexType):
        return np.dtype("c8" if str(element.element_type) == "f32" else "c16")
    return np.dtype(_DTYPES[str(element)])


@cache
def _dtype_of_number(type: Attribute) -> np.dtype[Any] | None:
    """The NumPy type of a number, or of the numbers in a vector; None for anything else."""
    element = element_of(type)
    is_number = isinstance(element, IntegerType | IndexType | ComplexType) or hasattr(element, "bitwidth")
    return dtype_of(element) if is_number else None


def typed(value: Any, type: Attribute) -> Any:
    """A value as a NumPy scalar or vector of its type, so that arithmetic rounds and wraps as the machine's.

    What is no number stays what it is.
    """
    dtype = _dtype_of_number(type)
    if dtype is None or (isinstance(value, np.generic) and value.dtype is dtype):
        return value
    return np.asarray(value).astype(dtype)[()]


def _constant(op: Operation) -> Any:
    value = op.properties["value"]
    if isinstance(value, ArrayAttr):
        return complex(*(part.value.data for part in value.data))
    if isinstance(value, DenseIntOrFPElementsAttr):
        # pyrefly: ignore[missing-attribute]
        return np.resize(np.array(value.get_values()), op.results[0].type.shape.data[0].data)
    assert isinstance(value, IntegerAttr | FloatAttr)
    return value.value.data


def _compare_integers(op: Operation, a: Any, b: Any) -> Any:
    predicate = op.properties["predicate"].value.data  # pyrefly: ignore[missing-attribute]
    if predicate >= 6:
        a, b = map(_without_sign, (a, b))
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
    predicate = op.properties["predicate"].value.data  # pyrefly: ignore[missing-attribute]
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
    # pyrefly: ignore[missing-attribute]
    return int(dynamic[0]) if dynamic else op.properties["static_position"].get_values()[0]


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
    combine = _REDUCTIONS[str(op.properties["kind"].data)]  # pyrefly: ignore[missing-attribute]
    return combine.reduce(np.concatenate([np.asarray(accumulator, vector.dtype), vector]))


def _without_sign(value: Any) -> Any:
    return value if value.dtype == np.bool_ else value.view(f"u{value.dtype.itemsize}")


def _unsigned(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of integers that reads them without a sign."""
    return lambda op, *operands: function(*map(_without_sign, operands))


def _same(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda op, *operands: function(*operands)


_COMPUTE: dict[str, Callable[..., Any]] = {
    "arith.constant": _constant,
    "complex.constant": _constant,
    "arith.cmpi": _compare_integers,
    "arith.cmpf": _compare_floats,
    "arith.select": lambda op, condition, a, b: a if condition else b,
    "arith.divsi": _truncated_quotient,
    "arith.remsi": _truncated_remainder,
    "arith.floordivsi": lambda op, a, b: int(a) // int(b),
    "arith.shrui": _unsigned(np.right_shift),
    "arith.divui": _unsigned(np.floor_divide),
    "arith.remui": _unsigned(np.remainder),
    "arith.minui": _unsigned(np.minimum),
    "arith.maxui": _unsigned(np.maximum),
    "arith.extui": _unsigned(lambda value: value),
    "arith.uitofp": _unsigned(lambda value: value),
    "arith.fptosi": _to_integer,
    "arith.extsi": _sign_extend,
    "arith.index_cast": _sign_extend,
    "llvm.frem": _same(np.fmod),
    "llvm.icmp": _compare_integers,
    "arith.bitcast": lambda op, value: value.view(dtype_of(element_of(op.results[0].type))),
    "complex.create": lambda op, real, imaginary: complex(real, imaginary),
    "vector.broadcast": lambda op, value: np.full(op.results[0].type.shape.data[0].data, value),
    "vector.extract": lambda op, vector, *dynamic: vector[_lane(op, dynamic)],
    "vector.insert": _insert,
    "vector.reduction": _reduction,
    "vector.fma": _same(lambda a, b, c: a * b + c),
    "math.fma": _same(lambda a, b, c: a * b + c),
    "math.rsqrt": _same(lambda a: 1 / np.sqrt(a)),
    "math.ctpop": lambda op, a: int(_without_sign(a)).bit_count(),
    "math.cttz": _trailing_zeros,
}
_NUMPY_NAMES = {
    "arith": "addi=add subi=subtract muli=multiply andi=bitwise_and ori=bitwise_or xori=bitwise_xor "
    "shli=left_shift shrsi=right_shift minsi=minimum maxsi=maximum addf=add subf=subtract mulf=multiply "
    "divf=divide negf=negative minimumf=minimum maximumf=maximum minnumf=fmin maxnumf=fmax "
    "trunci=positive sitofp=positive extf=positive truncf=positive",
    "math": "absf=abs absi=abs acos=arccos asin=arcsin atan=arctan atan2=arctan2 ceil copysign cos cosh exp exp2 floor "
    "log log10 log2 powf=power roundeven=rint sin sinh sqrt tan tanh trunc expm1 log1p cbrt acosh=arccosh "
    "asinh=arcsinh atanh=arctanh",
    "complex": "add sub=subtract mul=multiply div=divide neg=negative conj abs re=real im=imag eq=equal neq=not_equal "
    "exp log sqrt sin cos tan tanh pow=power",
}
_CONVERSIONS = ("trunci", "sitofp", "extf", "truncf")
for _dialect, _names in _NUMPY_NAMES.items():
    for _name in _names.split():
        _operation, _, _function = _name.partition("=")
        if _operation in _CONVERSIONS:
            _COMPUTE[f"arith.{_operation}"] = lambda op, value: value
        else:
            _COMPUTE[f"{_dialect}.{_operation}"] = _same(getattr(np, _function or _operation))
_COMPUTE.update({of.name: _COMPUTE[one.name] for one, of in INTEGER_CONVERSIONS.items() if one.name in _COMPUTE})


def compute_scalar(op: Operation, operands: Sequence[Any]) -> Any:
    """What an operation gives: one value, or a tuple of several."""
    compute = _COMPUTE.get(op.name)
    assert compute is not None, f"the interpreter does not know '{op.name}'"
    return as_result(op, compute(op, *operands))


def as_result(op: Operation, result: Any) -> Any:
    """A value in the type of an operation's only result; several are what they are."""
    return typed(result, op.results[0].type) if len(op.results) == 1 else result
