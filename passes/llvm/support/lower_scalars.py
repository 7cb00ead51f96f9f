"""Upstream `arith`, `math` and `vector` operations on registers, to the `llvm` dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.algebra.scalar_types import constant_attribute
from irtensor.dialects.llvm.llvm_extra import INTEGER_CONVERSIONS, ExtractElementOp, FreezeOp
from irtensor.dialects.loop.loop import LoadOp
from irtensor.dialects.support.expect import expect
from irtensor.passes.llvm.support.function_builder import (
    NE,
    NO_FASTMATH,
    NO_WRAP,
    PREDICATES,
    SLT,
    FunctionBuilder,
    declare,
    element_size,
    register_type,
)
from irtensor.passes.support.constant_range import check_fits

Pair = tuple[SSAValue, SSAValue]
_fastmath: dict[Attribute, Attribute] = {}


class ValueMap:
    """What the registers of a function become: one LLVM value each, or two for a complex number."""

    # What the names of functions of the library for mathematics begin with.
    library = ""

    def __init__(self, builder: FunctionBuilder, declarations: dict[str, Operation]) -> None:
        self.builder = builder
        self.values: dict[SSAValue, Any] = {}
        self.declarations = declarations

    def declare(self, name: str, inputs: tuple[Attribute, ...], output: Attribute) -> None:
        """Make an external function known to the module."""
        if name not in self.declarations:
            self.declarations[name] = declare(name, inputs, output)


Handler = Callable[[ValueMap, Operation], None]


def fastmath_of(op: Operation) -> Attribute:
    """The fast-math flags of an upstream operation as an `llvm` attribute."""
    flags = op.properties.get("fastmath")
    if not isinstance(flags, arith.FastMathFlagsAttr) or not flags.data:
        return NO_FASTMATH
    found = _fastmath.get(flags)
    if found is None:
        found = _fastmath[flags] = llvm.FastMathAttr(tuple(flags.data))
    return found


def type_suffix(type: Attribute) -> str:
    """How a type is spelled in the name of an overloaded intrinsic."""
    if isinstance(type, VectorType):
        return f"v{type.shape.data[0].data}{type_suffix(type.element_type)}"
    return str(type)


def _is_index(of: Attribute) -> bool:
    return type(of.element_type if type(of) is VectorType else of) is IndexType


def _integer(target: type[Operation], wraps: bool = False) -> Handler:
    """`wraps`: the operation may overflow, which index arithmetic never does."""

    def lower(state: ValueMap, op: Operation) -> None:
        a, b = op.operands
        result = register_type(a.type)
        properties: Mapping[str, Attribute] = {"overflowFlags": NO_WRAP} if wraps and _is_index(a.type) else {}
        values = state.values
        values[op.results[0]] = state.builder.value(target, (values[a], values[b]), result, properties)

    return lower


def _float(target: type[Operation]) -> Handler:
    def lower(state: ValueMap, op: Operation) -> None:
        values = state.values
        operands = [values[operand] for operand in op.operands]
        properties = {"fastmathFlags": fastmath_of(op)}
        values[op.results[0]] = state.builder.value(target, operands, op.results[0].type, properties)

    return lower


def _intrinsic(name: str, *immediates: int) -> Handler:
    def lower(state: ValueMap, op: Operation) -> None:
        values, builder = state.values, state.builder
        result = register_type(op.results[0].type)
        operands = [values[operand] for operand in op.operands]
        operands += [builder.integer(value, i1) for value in immediates]
        full_name = f"llvm.{name}.{type_suffix(result)}"
        values[op.results[0]] = builder.intrinsic(full_name, operands, result, fastmath_of(op))

    return lower


def library_function(name: str) -> Handler:
    """A function of a mathematics library, for scalars; that for f32 has an `f` behind its name."""

    def lower(state: ValueMap, op: Operation) -> None:
        result = op.results[0].type
        symbol = f"{name}f" if str(result) == "f32" else name
        state.declare(symbol, tuple(operand.type for operand in op.operands), result)
        operands = [state.values[operand] for operand in op.operands]
        state.values[op.results[0]] = state.builder.call(symbol, operands, result, fastmath=fastmath_of(op))

    return lower


def _cast(target: type[Operation]) -> Handler:
    def lower(state: ValueMap, op: Operation) -> None:
        result = register_type(op.results[0].type)
        state.values[op.results[0]] = state.builder.value(target, (state.values[op.operands[0]],), result)

    return lower


def _constant(state: ValueMap, op: Operation) -> None:
    value = op.properties["value"]
    type = register_type(op.results[0].type)
    if _is_index(op.results[0].type):
        check_fits(op, value, 64)
    if isinstance(value, DenseIntOrFPElementsAttr):
        if _is_index(op.results[0].type):
            value = DenseIntOrFPElementsAttr.from_list(cast("VectorType[IntegerType]", type), value.get_values())
        state.values[op.results[0]] = state.builder.value(llvm.ConstantOp, (), type, {"value": value})
        return
    state.values[op.results[0]] = state.builder.constant(value, type)


def _index_cast(state: ValueMap, op: Operation) -> None:
    source, target = register_type(op.operands[0].type), register_type(op.results[0].type)
    value = state.values[op.operands[0]]
    if source != target:
        widens = _bits(source) < _bits(target)
        value = state.builder.value(llvm.SExtOp if widens else llvm.TruncOp, (value,), target)
    state.values[op.results[0]] = value


def _bits(type: Attribute) -> int:
    element = type.element_type if isinstance(type, VectorType) else type
    assert isinstance(element, IntegerType)
    return element.width.data


def _floor_division(state: ValueMap, op: Operation) -> None:
    """Quotient rounded toward minus infinity, from the truncated quotient and its remainder."""
    builder, values = state.builder, state.values
    a, b = values[op.operands[0]], values[op.operands[1]]
    type = register_type(op.results[0].type)
    quotient = builder.value(llvm.SDivOp, (a, b), type)
    remainder = builder.value(llvm.SRemOp, (a, b), type)
    zero = builder.zero(type)
    inexact = builder.compare(NE, remainder, zero)
    signs = builder.value(llvm.XOrOp, (remainder, b), type)
    differ = builder.compare(SLT, signs, zero)
    lower = builder.value(llvm.AndOp, (inexact, differ), inexact.type)
    correction = builder.value(llvm.SExtOp, (lower,), type)
    values[op.results[0]] = builder.value(llvm.AddOp, (quotient, correction), type)


def _compare(target: type[Operation]) -> Handler:
    def lower(state: ValueMap, op: Operation) -> None:
        values = state.values
        a, b = op.operands
        predicate = expect(op.properties["predicate"], IntegerAttr).value.data
        properties: dict[str, Attribute] = {"predicate": PREDICATES[predicate]}
        if target is llvm.FCmpOp:
            properties["fastmathFlags"] = fastmath_of(op)
        result = VectorType(i1, a.type.get_shape()) if isinstance(a.type, VectorType) else i1
        values[op.results[0]] = state.builder.value(target, (values[a], values[b]), result, properties)

    return lower


def _select(state: ValueMap, op: Operation) -> None:
    values, builder = state.values, state.builder
    condition, a, b = (values[operand] for operand in op.operands)
    if isinstance(a, tuple):
        real, imaginary = (builder.select(condition, x, y) for x, y in zip(a, b, strict=True))
        values[op.results[0]] = (real, imaginary)
    elif isinstance(a.type, AnyFloat) and all(map(_comes_from_memory, op.operands[1:])):
        values[op.results[0]] = builder.select_bits(condition, a, b)
    elif isinstance(a.type, VectorType) and not isinstance(condition.type, VectorType):
        values[op.results[0]] = _select_lanes(state, condition, a, b)
    else:
        values[op.results[0]] = builder.select(condition, a, b)


def _select_lanes(state: ValueMap, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    """One of two vectors by a condition of all lanes, as bits: LLVM branches for each vector otherwise."""
    builder, type = state.builder, a.type
    assert isinstance(type, VectorType)
    if type.element_type == i1:
        # In a register a condition has one bit.
        element, mask = i1, condition
    else:
        element = IntegerType(8 * element_size(type.element_type))
        mask = builder.value(llvm.SExtOp, (condition,), element)
    bits = VectorType(element, type.get_shape())
    mask = in_all_lanes(builder, builder.value(FreezeOp, (mask,), element), bits)
    one, other = (builder.value(llvm.BitcastOp, (choice,), bits) for choice in (a, b))
    change = builder.value(llvm.AndOp, (builder.value(llvm.XOrOp, (one, other), bits), mask), bits)
    return builder.value(llvm.BitcastOp, (builder.value(llvm.XOrOp, (other, change), bits),), type)


def _comes_from_memory(value: SSAValue) -> bool:
    """Whether a value can be had in any kind of register for the same price."""
    return isinstance(value.owner, arith.ConstantOp | LoadOp)


def _broadcast(state: ValueMap, op: Operation) -> None:
    builder = state.builder
    source = state.values[op.operands[0]]
    type = register_type(op.results[0].type)
    if isinstance(op.operands[0].type, VectorType):
        state.values[op.results[0]] = source
        return
    assert isinstance(type, VectorType)
    state.values[op.results[0]] = in_all_lanes(builder, source, type)


@cache
def _first_of_each(lanes: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, [0] * lanes)


def in_all_lanes(builder: FunctionBuilder, value: SSAValue, type: VectorType) -> SSAValue:
    """A vector that has a value in each lane."""
    undefined = builder.value(llvm.UndefOp, (), type)
    single = builder.value(llvm.InsertElementOp, (undefined, value, builder.integer(0)), type)
    mask = _first_of_each(type.get_shape()[0])
    return builder.value(llvm.ShuffleVectorOp, (single, undefined), type, {"mask": mask})


def _lane(state: ValueMap, op: Operation) -> SSAValue:
    static = op.properties["static_position"]
    assert isinstance(static, DenseArrayBase)
    dynamic = op.operands[2 if op.name == "vector.insert" else 1 :]
    return state.values[dynamic[0]] if dynamic else state.builder.integer(int(static.get_values()[0]))


def _extract(state: ValueMap, op: Operation) -> None:
    operands = (state.values[op.operands[0]], _lane(state, op))
    result = register_type(op.results[0].type)
    state.values[op.results[0]] = state.builder.value(ExtractElementOp, operands, result)


def _insert(state: ValueMap, op: Operation) -> None:
    operands = (state.values[op.operands[1]], state.values[op.operands[0]], _lane(state, op))
    result = register_type(op.results[0].type)
    state.values[op.results[0]] = state.builder.value(llvm.InsertElementOp, operands, result)


_REDUCTIONS: dict[str, tuple[str, type[Operation] | None]] = {
    "add": ("add", llvm.AddOp),
    "mul": ("mul", llvm.MulOp),
    "minsi": ("smin", None),
    "maxsi": ("smax", None),
    "minui": ("umin", None),
    "maxui": ("umax", None),
    "and": ("and", llvm.AndOp),
    "or": ("or", llvm.OrOp),
    "xor": ("xor", llvm.XOrOp),
    "minimumf": ("fminimum", None),
    "maximumf": ("fmaximum", None),
    "minnumf": ("fmin", None),
    "maxnumf": ("fmax", None),
}
_FLOAT_COMBINERS = {"fminimum": "minimum", "fmaximum": "maximum", "fmin": "minnum", "fmax": "maxnum"}


def _reduction(state: ValueMap, op: Operation) -> None:
    """Reduce the lanes of a vector, then join the accumulator if there is one."""
    builder, values = state.builder, state.values
    operands = [values[operand] for operand in op.operands]
    combination = str(expect(op.properties["kind"], vector.CombiningKindAttr).data)
    result = register_type(op.results[0].type)
    suffix = type_suffix(operands[0].type)
    flags = fastmath_of(op)
    if combination in ("add", "mul") and not isinstance(result, IntegerType):
        neutral = constant_attribute(-0.0 if combination == "add" else 1.0, result)
        start = operands[1] if len(operands) > 1 else builder.constant(neutral, result)
        name = f"llvm.vector.reduce.f{combination}.{suffix}"
        values[op.results[0]] = builder.intrinsic(name, (start, operands[0]), result, flags)
        return
    name, join = _REDUCTIONS[combination]
    total = builder.intrinsic(f"llvm.vector.reduce.{name}.{suffix}", operands[:1], result, flags)
    assert total is not None
    if len(operands) > 1 and join is not None:
        total = builder.value(join, (total, operands[1]), result)
    elif len(operands) > 1:
        combiner = _FLOAT_COMBINERS.get(name, name)
        total = builder.intrinsic(f"llvm.{combiner}.{type_suffix(result)}", (total, operands[1]), result, flags)
    values[op.results[0]] = total


def _reciprocal_root(state: ValueMap, op: Operation) -> None:
    builder = state.builder
    type, flags = op.results[0].type, fastmath_of(op)
    root = builder.intrinsic(f"llvm.sqrt.{type_suffix(type)}", (state.values[op.operands[0]],), type, flags)
    assert root is not None
    one = builder.constant(constant_attribute(1.0, type), type)
    state.values[op.results[0]] = builder.value(llvm.FDivOp, (one, root), type, {"fastmathFlags": flags})


# Handlers go by name, so that a dialect a kernel does not use is not imported.
SCALAR_HANDLERS: dict[str, Handler] = {
    "arith.constant": _constant,
    "arith.addi": _integer(llvm.AddOp, wraps=True),
    "arith.subi": _integer(llvm.SubOp, wraps=True),
    "arith.muli": _integer(llvm.MulOp, wraps=True),
    "arith.shli": _integer(llvm.ShlOp),
    "arith.divui": _integer(llvm.UDivOp),
    "arith.divsi": _integer(llvm.SDivOp),
    "arith.remui": _integer(llvm.URemOp),
    "arith.remsi": _integer(llvm.SRemOp),
    "arith.andi": _integer(llvm.AndOp),
    "arith.ori": _integer(llvm.OrOp),
    "arith.xori": _integer(llvm.XOrOp),
    "arith.shrui": _integer(llvm.LShrOp),
    "arith.shrsi": _integer(llvm.AShrOp),
    "arith.floordivsi": _floor_division,
    "arith.cmpi": _compare(llvm.ICmpOp),
    "arith.cmpf": _compare(llvm.FCmpOp),
    "arith.select": _select,
    "arith.addf": _float(llvm.FAddOp),
    "arith.subf": _float(llvm.FSubOp),
    "arith.mulf": _float(llvm.FMulOp),
    "arith.divf": _float(llvm.FDivOp),
    "arith.negf": _float(llvm.FNegOp),
    "arith.index_cast": _index_cast,
    "llvm.icmp": _compare(llvm.ICmpOp),
    **{op_type.name: _cast(target) for source, target in INTEGER_CONVERSIONS.items() for op_type in (source, target)},
    "arith.extf": _cast(llvm.FPExtOp),
    "arith.truncf": _cast(llvm.FPTruncOp),
    "arith.bitcast": _cast(llvm.BitcastOp),
    # Upstream arith in xDSL has no remainder of floats.
    "llvm.frem": _float(llvm.FRemOp),
    "vector.broadcast": _broadcast,
    "vector.extract": _extract,
    "vector.insert": _insert,
    "vector.reduction": _reduction,
    "math.rsqrt": _reciprocal_root,
    "math.absi": _intrinsic("abs", 0),
    "math.ctlz": _intrinsic("ctlz", 0),
    "math.cttz": _intrinsic("cttz", 0),
}
_INTRINSICS = {
    "arith": "minsi=smin maxsi=smax minui=umin maxui=umax minimumf=minimum maximumf=maximum minnumf=minnum "
    "maxnumf=maxnum",
    "math": "absf=fabs acos asin atan atan2 ceil copysign cos cosh exp exp2 floor fma log log10 log2 powf=pow "
    "roundeven round sin sinh sqrt tan tanh trunc ctpop",
    "vector": "fma",
}
for _dialect, _names in _INTRINSICS.items():
    for _name in _names.split():
        _operation, _, _target = _name.partition("=")
        SCALAR_HANDLERS[f"{_dialect}.{_operation}"] = _intrinsic(_target or _operation)
for _name in ("expm1", "log1p", "cbrt", "erf", "acosh", "asinh", "atanh"):
    SCALAR_HANDLERS[f"math.{_name}"] = library_function(_name)
