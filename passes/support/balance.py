"""Code that finds where parts of a range begin, so that all are about the same work."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import AS_IT_IS, SEARCH, ConditionOp, ForOp, WhileOp
from irtensor.passes.support.emit import Emitter

# Emits the work before a number in a range, from the beginning of the range; grows with the number.
Work = Callable[[SSAValue, Emitter], SSAValue]


def even_bounds(
    lower: SSAValue, length: SSAValue, part: SSAValue, parts: SSAValue, emit: Emitter
) -> tuple[SSAValue, SSAValue]:
    """Emit where a part of a range begins and ends if all are equally long."""
    following = emit.add(part, emit.index(1))
    first, last = (emit.divide(emit.mul(length, number), parts) for number in (part, following))
    return emit.add(lower, first), emit.add(lower, last)


def balanced_bounds(
    range: tuple[SSAValue, SSAValue], part: SSAValue, parts: SSAValue, total: SSAValue, work: Work, emit: Emitter
) -> tuple[SSAValue, SSAValue]:
    """Emit the first numbers in a range before which there is as much work as before a part, and before the next."""
    lower, upper = range
    first, last = emit.cell(lower), emit.cell(lower)
    bounds = emit.insert(ForOp.of(emit.index(0), emit.index(2), AS_IT_IS))
    inner = Emitter(bounds.body.block)
    number = inner.add(part, bounds.induction)
    # Nothing is searched for where the range begins and where it ends.
    low = inner.select(inner.compare("eq", number, parts), upper, lower)
    high = inner.select(inner.compare("eq", number, inner.index(0)), lower, upper)
    share = inner.divide(inner.mul(total, number), parts)
    found = _bisect(low, high, share, work, inner)
    inner.set(inner.get(last), first)
    inner.set(found, last)
    return emit.get(first), emit.get(last)


def _bisect(lower: SSAValue, upper: SSAValue, target: SSAValue, work: Work, emit: Emitter) -> SSAValue:
    low, high = emit.cell(lower), emit.cell(upper)
    search = WhileOp.of()
    search.attributes.update({SEARCH: UnitAttr(), **AS_IT_IS})
    emit.insert(search)
    test = Emitter(search.condition.block)
    test.insert(ConditionOp.of(test.compare("slt", test.get(low), test.get(high))))
    halve = Emitter(search.body.block)
    begin, end = halve.get(low), halve.get(high)
    # Numbers may be negative, as those of diagonals are; their distances are not.
    middle = halve.add(begin, halve.divide(halve.sub(end, begin), halve.index(2)))
    less = halve.compare("slt", work(middle, halve), target)
    halve.set(halve.select(less, halve.add(middle, halve.index(1)), begin), low)
    halve.set(halve.select(less, end, middle), high)
    return emit.get(low)
