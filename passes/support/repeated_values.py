"""What as many equal values as a number says are combined to, in less time than one after the other takes."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, StringAttr, f64, i64
from xdsl.ir import Attribute, SSAValue

from irtensor.core.operators import OPERATORS, Operator, is_complex, is_float
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import AccumulateOp, ConditionOp, IfOp, WhileOp
from irtensor.passes.support.emit import Emitter


def repeated(
    emit: Emitter, apply: ApplyOp | AccumulateOp, operator: Operator, value: SSAValue, count: SSAValue
) -> SSAValue:
    """What `count` equal values are combined to by an operator, in an application as a given one; at least one, an i64.

    A sum is a multiple, and a product a power. Values that cancel each other leave one or none. For any other
    associative operator it is put together of 1, 2, 4, ... values.
    """
    type = value.type
    element = element_name(type)
    if operator.idempotent:
        return value
    if operator.cancels:
        return _one_or_none(emit, operator, value, count)
    # Infinite parts of complex numbers would meet the absent parts of others.
    if operator.of_equals is None or element == "i1" or is_complex(element):
        return _by_squaring(emit, apply, value, count)
    wide = type
    if not OPERATORS[operator.of_equals].commutative:
        # The number is an exponent, which says which sign the power of a negative number has, so it has to be exact.
        wide = f64 if is_float(element) else i64
    arguments = _cast(emit, value, wide), _cast(emit, count, wide)
    result = emit.insert(ApplyOp.of(StringAttr(operator.of_equals), arguments, wide)).result
    return _cast(emit, result, type)


def _cast(emit: Emitter, value: SSAValue, type: Attribute) -> SSAValue:
    if value.type == type:
        return value
    # An index is combined as an i64 is, but is none of the types that are cast.
    if isinstance(type, IndexType):
        return emit.to_index(value)
    return emit.narrow(value, type) if isinstance(value.type, IndexType) else emit.insert(CastOp.of(value, type)).result


def _one_or_none(emit: Emitter, operator: Operator, value: SSAValue, count: SSAValue) -> SSAValue:
    identity = operator.identity(element_name(value.type))
    assert identity is not None, "the identity is what values cancel each other to"
    is_odd = emit.compare("ne", emit.both(emit.to_index(count), emit.index(1)), emit.index(0))
    arguments = is_odd, value, emit.constant(identity, value.type)
    return emit.insert(ApplyOp.of(StringAttr("where"), arguments, value.type)).result


def _by_squaring(emit: Emitter, apply: ApplyOp | AccumulateOp, value: SSAValue, count: SSAValue) -> SSAValue:
    """The values of the bits that are set, from the lowest on: one value is there from the start."""
    total, power = emit.cell(value), emit.cell(value)
    left = emit.cell(emit.sub(emit.to_index(count), emit.index(1)))
    loop = emit.insert(WhileOp.of())
    head, body = Emitter(loop.condition.block), Emitter(loop.body.block)
    head.insert(ConditionOp.of(head.compare("sgt", head.get(left), head.index(0))))
    rest, factor = body.get(left), body.get(power)
    is_set = body.compare("ne", body.both(rest, body.index(1)), body.index(0))
    then = Emitter(body.insert(IfOp.of(is_set)).then.block)
    then.set(_combined(then, apply, then.get(total), factor), total)
    body.set(_combined(body, apply, factor, factor), power)
    body.set(body.divide(rest, body.index(2)), left)
    return emit.get(total)


def _combined(emit: Emitter, apply: ApplyOp | AccumulateOp, left: SSAValue, right: SSAValue) -> SSAValue:
    new = ApplyOp.of(apply.operator, (left, right), left.type)
    new.properties.update(apply.properties)
    return emit.insert(new).result
