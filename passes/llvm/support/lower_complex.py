"""Upstream `complex` operations, on pairs of LLVM floats; arithmetic rounds as NumPy's does."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, ComplexType, DenseArrayBase, FloatAttr, f64, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.support.expect import expect
from irtensor.passes.llvm.support.function_builder import PREDICATES, FunctionBuilder
from irtensor.passes.llvm.support.lower_scalars import Handler, Pair, ValueMap, fastmath_of

OEQ, OGE, UNE = 1, 3, 13


class Floats:
    """Float arithmetic with one set of fast-math flags."""

    def __init__(self, builder: FunctionBuilder, flags: Attribute) -> None:
        self.builder = builder
        self.properties = {"fastmathFlags": flags}

    def _binary(self, target: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        return self.builder.value(target, (a, b), a.type, self.properties)

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(llvm.FAddOp, a, b)

    def subtract(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(llvm.FSubOp, a, b)

    def multiply(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(llvm.FMulOp, a, b)

    def divide(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._binary(llvm.FDivOp, a, b)

    def negate(self, a: SSAValue) -> SSAValue:
        return self.builder.value(llvm.FNegOp, (a,), a.type, self.properties)

    def compare(self, predicate: int, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.builder.value(llvm.FCmpOp, (a, b), i1, {"predicate": PREDICATES[predicate], **self.properties})

    def magnitude(self, a: SSAValue) -> SSAValue:
        result = self.builder.intrinsic(f"llvm.fabs.{a.type}", (a,), a.type)
        assert result is not None
        return result


Operand = Pair | SSAValue


def _pairwise(compute: Callable[..., Operand]) -> Handler:
    def lower(state: ValueMap, op: Operation) -> None:
        floats = Floats(state.builder, fastmath_of(op))
        state.values[op.results[0]] = compute(floats, *(state.values[operand] for operand in op.operands))

    return lower


def _add(floats: Floats, x: Pair, y: Pair) -> Pair:
    return floats.add(x[0], y[0]), floats.add(x[1], y[1])


def _subtract(floats: Floats, x: Pair, y: Pair) -> Pair:
    return floats.subtract(x[0], y[0]), floats.subtract(x[1], y[1])


def _multiply(floats: Floats, x: Pair, y: Pair) -> Pair:
    real = floats.subtract(floats.multiply(x[0], y[0]), floats.multiply(x[1], y[1]))
    return real, floats.add(floats.multiply(x[0], y[1]), floats.multiply(x[1], y[0]))


def _divide(floats: Floats, x: Pair, y: Pair) -> Pair:
    """Smith's algorithm, as NumPy: scale by the larger part of the divisor. A zero divisor gives inf or NaN."""
    (a, b), (c, d) = x, y
    builder = floats.builder
    larger_real = floats.compare(OGE, floats.magnitude(c), floats.magnitude(d))
    large, small = builder.select(larger_real, c, d), builder.select(larger_real, d, c)
    zero = builder.zero(large.type)
    # A zero divisor; with a NaN beside the zero the comparison of magnitudes fails.
    vanishes = builder.value(llvm.AndOp, (larger_real, floats.compare(OEQ, large, zero)), i1)
    ratio = builder.select(vanishes, zero, floats.divide(small, large))
    divisor = builder.select(vanishes, zero, floats.add(large, floats.multiply(small, ratio)))
    a_ratio, b_ratio = floats.multiply(a, ratio), floats.multiply(b, ratio)
    real = builder.select(larger_real, floats.add(a, b_ratio), floats.add(a_ratio, b))
    imaginary = builder.select(larger_real, floats.subtract(b, a_ratio), floats.subtract(b_ratio, a))
    return floats.divide(real, divisor), floats.divide(imaginary, divisor)


def _equal(floats: Floats, x: Pair, y: Pair) -> SSAValue:
    parts = (floats.compare(OEQ, x[0], y[0]), floats.compare(OEQ, x[1], y[1]))
    return floats.builder.value(llvm.AndOp, parts, i1)


def _not_equal(floats: Floats, x: Pair, y: Pair) -> SSAValue:
    parts = (floats.compare(UNE, x[0], y[0]), floats.compare(UNE, x[1], y[1]))
    return floats.builder.value(llvm.OrOp, parts, i1)


def _absolute(state: ValueMap, op: Operation) -> None:
    real, imaginary = state.values[op.operands[0]]
    symbol = state.library + ("hypot" if real.type == f64 else "hypotf")
    state.declare(symbol, (real.type, real.type), real.type)
    state.values[op.results[0]] = state.builder.call(symbol, (real, imaginary), real.type)


def _constant(state: ValueMap, op: Operation) -> None:
    real, imaginary = (expect(part, FloatAttr) for part in expect(op.properties["value"], ArrayAttr))
    state.values[op.results[0]] = (
        state.builder.constant(real, real.type),
        state.builder.constant(imaginary, imaginary.type),
    )


def _create(state: ValueMap, op: Operation) -> None:
    state.values[op.results[0]] = (state.values[op.operands[0]], state.values[op.operands[1]])


def _library(name: str) -> Handler:
    """A complex function of the C library, in double precision.

    x86-64 and AArch64 both pass and return a double complex as two doubles in registers.
    """

    def lower(state: ValueMap, op: Operation) -> None:
        builder = state.builder
        parts = [part for operand in op.operands for part in state.values[operand]]
        element = op.results[0].type
        assert isinstance(element, ComplexType)
        narrow = element.element_type != f64
        if narrow:
            parts = [builder.value(llvm.FPExtOp, (part,), f64) for part in parts]
        results = _call_complex(state, name, parts)
        if narrow:
            results = [builder.value(llvm.FPTruncOp, (part,), element.element_type) for part in results]
        state.values[op.results[0]] = tuple(results)

    return lower


def _call_complex(state: ValueMap, name: str, parts: list[SSAValue]) -> list[SSAValue]:
    pair = llvm.LLVMStructType.from_type_list((f64, f64))
    state.declare(name, (f64,) * len(parts), pair)
    result = state.builder.call(name, parts, pair)
    positions = [DenseArrayBase.from_list(i64, [position]) for position in (0, 1)]
    return [state.builder.value(llvm.ExtractValueOp, (result,), f64, {"position": at}) for at in positions]


COMPLEX_HANDLERS: dict[str, Handler] = {
    "complex.constant": _constant,
    "complex.create": _create,
    "complex.re": _pairwise(lambda floats, x: x[0]),
    "complex.im": _pairwise(lambda floats, x: x[1]),
    "complex.add": _pairwise(_add),
    "complex.sub": _pairwise(_subtract),
    "complex.mul": _pairwise(_multiply),
    "complex.div": _pairwise(_divide),
    "complex.neg": _pairwise(lambda floats, x: (floats.negate(x[0]), floats.negate(x[1]))),
    "complex.conj": _pairwise(lambda floats, x: (x[0], floats.negate(x[1]))),
    "complex.eq": _pairwise(_equal),
    "complex.neq": _pairwise(_not_equal),
    "complex.abs": _absolute,
    **{f"complex.{name}": _library(f"c{name}") for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "pow")},
}
