"""The arithmetic in which operators are defined, as upstream operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from xdsl.dialects import arith, llvm
from xdsl.dialects import complex as complex_dialect
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import ComplexType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from irtensor.core.arithmetic import Upstream
from irtensor.core.element_values import Scalar, bits_of, convert
from irtensor.core.operators import OPERATORS
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import CellOp, ConditionOp, GetOp, IfOp, SetOp, WhileOp
from irtensor.dialects.support.expect import expect
from irtensor.passes.loop.support.scalar_emitter import (
    NO_FLAGS,
    NO_OVERFLOW,
    Emit,
    Flags,
    constant_complex,
    constant_integer,
    kind_of,
)

_DIALECTS = (arith.Arith, math_dialect.Math, complex_dialect.Complex, llvm.LLVM)
_FASTMATH, _OVERFLOW, _LLVM_FASTMATH = "fastmath", "overflowFlags", "fastmathFlags"


@cache
def upstream_operation(name: str) -> type[Operation] | None:
    """The class of an upstream operation of scalars, if there is one of this name."""
    return next((op for dialect in _DIALECTS for op in dialect.operations if op.name == name), None)


@cache
def _has_property(op: type[Operation], name: str) -> bool:
    assert issubclass(op, IRDLOperation)
    return name in op.get_irdl_definition().properties


@dataclass(frozen=True)
class CodeArithmetic:
    """Arithmetic of values in a kernel, whose operations are added at one insertion point with these flags."""

    emit: Emit
    flags: Flags

    @property
    def exactly(self) -> CodeArithmetic:
        return CodeArithmetic(self.emit, NO_FLAGS)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in OPERATORS:
            raise AttributeError(name)
        return partial(self.apply, name)

    def apply(self, name: str, *arguments: SSAValue) -> SSAValue:
        return OPERATORS[name].definitions[kind_of(arguments[-1].type)](self, *arguments)

    def upstream(self, op: Upstream, *arguments: SSAValue) -> SSAValue:
        op_type, type = upstream_operation(op.op), arguments[0].type
        assert op_type is not None, op.op
        result: Attribute = {"same": type, "bool": i1}.get(op.result) or expect(type, ComplexType).element_type
        properties: dict[str, Attribute] = {}
        if _has_property(op_type, _FASTMATH):
            properties[_FASTMATH] = NO_FLAGS if op.result == "bool" else self.flags
        elif _has_property(op_type, _OVERFLOW):
            properties[_OVERFLOW] = NO_OVERFLOW
        elif _has_property(op_type, _LLVM_FASTMATH):
            properties[_LLVM_FASTMATH] = llvm.FastMathAttr(None)
        return self.emit.value(op_type, arguments, result, **properties)

    def constant(self, number: Scalar, like: SSAValue) -> SSAValue:
        return self.emit.constant(convert(number, element_name(like.type)), like.type)

    def truth(self, value: bool) -> SSAValue:
        return self.emit.constant(value, i1)

    def compare(self, name: str, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.emit.compare(name, a, b)

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.emit.select(condition, a, b)

    def width(self, like: SSAValue) -> int:
        return bits_of(element_name(like.type))

    def parts(self, number: SSAValue) -> tuple[SSAValue, SSAValue]:
        return self.emit.parts(number)

    def join(self, real: SSAValue, imaginary: SSAValue) -> SSAValue:
        return self.emit.join(real, imaginary)

    def known(self, value: SSAValue) -> Scalar | None:
        number = constant_complex(value)
        return constant_integer(value) if number is None else number

    def repeated_product(self, first: SSAValue, base: SSAValue, count: SSAValue) -> SSAValue:
        """By repeated squaring."""
        emit = self.emit
        zero, one = (self.constant(number, count) for number in (0, 1))
        result, factor, rest = (_cell(emit, value) for value in (first, base, count))
        loop = WhileOp.of()
        emit.add(loop)
        head = Emit(loop.condition.block, None)
        head.add(ConditionOp.of(head.compare("gt", _get(head, rest), zero)))
        body = Emit(loop.body.block, None)
        remaining, power = _get(body, rest), _get(body, factor)
        branch = IfOp.of(body.compare("eq", body.integer(arith.AndIOp, remaining, one), one))
        body.add(branch)
        inner = Emit(branch.then.block, None)
        inner.add(SetOp.of(inner.integer(arith.MuliOp, _get(inner, result), power), result))
        body.add(SetOp.of(body.integer(arith.MuliOp, power, power), factor))
        # It is positive here, also as an integer without a sign.
        body.add(SetOp.of(body.integer(arith.ShRUIOp, remaining, one), rest))
        return _get(emit, result)


def _cell(emit: Emit, value: SSAValue) -> SSAValue:
    cell = CellOp.of(value)
    emit.add(cell)
    return cell.cell


def _get(emit: Emit, cell: SSAValue) -> SSAValue:
    get = GetOp.of(cell)
    emit.add(get)
    return get.value
