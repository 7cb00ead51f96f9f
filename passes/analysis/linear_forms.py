"""Integers that are computed from index variables with integer factors, as sums."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.ir import Block, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.concrete_index.concrete_index import AccessOp, ForallOp, LetOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.support.emit import Emitter

# Sums of numbers up to here and of coordinates do not overflow.
_LARGEST = 1 << 40
_SUMS = {"add": 1, "sub": -1}


class LinearForm(NamedTuple):
    """`factors[v] * v + ... + offset`; no factor is 0."""

    factors: Mapping[SSAValue, int]
    offset: int

    def plus(self, other: LinearForm, times: int = 1) -> LinearForm | None:
        """The sum with a multiple of another form; None of large numbers."""
        factors = dict(self.factors)
        for variable, factor in other.factors.items():
            factors[variable] = factors.get(variable, 0) + times * factor
        kept = {variable: factor for variable, factor in factors.items() if factor}
        return _small(LinearForm(kept, self.offset + times * other.offset))

    def without(self, variable: SSAValue) -> LinearForm:
        """The other terms."""
        return LinearForm({one: factor for one, factor in self.factors.items() if one is not variable}, self.offset)


def linear_form(value: SSAValue) -> LinearForm | None:
    """An integer as a sum of index variables of loops, times integers; None if it is something else.

    An element of a tensor without dimensions stands for itself, as a variable does.
    """
    owner = value.owner
    if isinstance(owner, Block):
        binder = owner.parent_op()
        if isinstance(binder, LetOp):
            return linear_form(binder.coordinate)
        return LinearForm({value: 1}, 0) if isinstance(binder, ForallOp) else None
    if (number := constant_index(value)) is not None:
        return _small(LinearForm({}, number))
    match owner:
        case ConstantOp():
            return _small(LinearForm({}, owner.scalar)) if type(owner.scalar) is int else None
        case CastOp():
            return linear_form(owner.operand) if isinstance(owner.operand.type, IndexType) else None
        case ApplyOp():
            return _applied(owner)
        case arith.IndexCastOp() if is_scalar_read(value):
            return LinearForm({value: 1}, 0)
        case arith.AddiOp() | arith.SubiOp():
            return _sum(owner.lhs, owner.rhs, 1 if isinstance(owner, arith.AddiOp) else -1)
        case arith.MuliOp():
            return _product(owner.lhs, owner.rhs)
        case _:
            return None


def is_scalar_read(value: SSAValue) -> bool:
    """Whether a coordinate is an element of a tensor without dimensions."""
    owner = value.owner
    return isinstance(owner, arith.IndexCastOp) and isinstance(read := owner.input.owner, AccessOp) and not read.indices


def _applied(op: ApplyOp) -> LinearForm | None:
    name = op.operator.data if isinstance(op.operator, StringAttr) else ""
    if name in _SUMS:
        return _sum(op.arguments[0], op.arguments[1], _SUMS[name])
    if name == "mul":
        return _product(op.arguments[0], op.arguments[1])
    if name == "neg" and (inner := linear_form(op.arguments[0])) is not None:
        return LinearForm({}, 0).plus(inner, -1)
    return None


def _sum(a: SSAValue, b: SSAValue, times: int) -> LinearForm | None:
    left, right = linear_form(a), linear_form(b)
    return None if left is None or right is None else left.plus(right, times)


def _product(a: SSAValue, b: SSAValue) -> LinearForm | None:
    left, right = linear_form(a), linear_form(b)
    if left is None or right is None:
        return None
    if left.factors:
        left, right = right, left
    return None if left.factors else LinearForm({}, 0).plus(right, left.offset)


def _small(form: LinearForm) -> LinearForm | None:
    numbers = (form.offset, *form.factors.values())
    return form if all(abs(number) < _LARGEST for number in numbers) else None


def emit_linear_form(form: LinearForm, emit: Emitter) -> SSAValue:
    """A form as index arithmetic."""
    total: SSAValue | None = None
    for variable, factor in sorted(form.factors.items(), key=lambda one: one[1] < 0):
        part = variable if abs(factor) == 1 else emit.mul(variable, emit.index(abs(factor)))
        if total is None:
            total = part if factor > 0 else emit.sub(emit.index(0), part)
        else:
            total = emit.add(total, part) if factor > 0 else emit.sub(total, part)
    if total is None:
        return emit.index(form.offset)
    if form.offset < 0:
        return emit.sub(total, emit.index(-form.offset))
    return emit.add(total, emit.index(form.offset)) if form.offset else total
