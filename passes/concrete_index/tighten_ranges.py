"""`tighten-ranges`: loops over blocks and offsets end at the last coordinate, so that nothing is checked inside."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.arith import AddiOp, DivSIOp, MinSIOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index.blocks import least_of
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.analysis.absence import is_temporary
from irtensor.passes.analysis.enclosing_loops import enclosing_loops
from irtensor.passes.analysis.polynomials import Polynomial
from irtensor.passes.analysis.ranges import computes_range, forall_of, only_forall, sources
from irtensor.passes.analysis.windows import known_number
from irtensor.passes.concrete_index.support.loop_ranges import compute_before, erase_unused, set_range
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.recompute import recomputed


class TightenRangesPass(TensorPass):
    """Let the loops around a window that may have nothing end where it has something, and the window have no limit.

    A window that begins at `%i0 * 8 + %i1`, but not behind `%n`, has something in the iterations of the inner loop
    with a variable below a bound, which is computed once before that loop. A limit that the ranges keep is removed.
    Limits stay where other statements are in these loops as well.

    Before: `forall %i1 from %c0 to %c8 { forall %i0 from %c0 to (%n + 7) / 8 {
             %at = %i0 * 8 + %i1; forall %i from min(%n, %at) to min(%n, %at + 1) { ... } } }`
    After:  `forall %i1 from %c0 to %c8 { forall %i0 from %c0 to (%n - %i1 + 7) / 8 {
             %at = %i0 * 8 + %i1; forall %i from %at to %at + 1 { ... } } }`
    """

    name = "tighten-ranges"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"choose-loop-order": "the order says which loop is innermost"}
    before = {"concordize": "names of coordinates between loops hide that there is nothing else in a loop"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in operations_in(op, ForallOp):
            if loop.bounds and isinstance(loop.bounds[0].owner, MinSIOp):
                _tighten(loop)


def _tighten(loop: ForallOp) -> None:
    """Take from a window the limits that ranges of the loops around it can have instead."""
    lo, hi = loop.bounds
    assert isinstance(lo.owner, MinSIOp)
    limit, start = lo.owner.operands
    limits = least_of(limit)
    left = [one for one in limits if not _keep_below(loop, start, one)]
    if len(left) == len(limits):
        return
    emit = Emitter(Block())
    rest = emit.min(*left) if left else None
    new_lo = start if rest is None else emit.min(rest, start)
    # Of a single coordinate it is known that it is below all limits; a block may end at one.
    new_hi = hi
    if isinstance(hi.owner, MinSIOp) and _is_next(hi.owner.rhs, start):
        new_hi = hi.owner.rhs if rest is None else emit.min(rest, hi.owner.rhs)
    set_range(loop, new_lo, new_hi, emit.block)
    for old in (lo.owner, hi.owner):
        if isinstance(old, Operation):
            erase_unused(old)


def _is_next(value: SSAValue, other: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, AddiOp) and owner.lhs is other and constant_index(owner.rhs) == 1


class _Digit(NamedTuple):
    """A loop around a window, and what its variable is multiplied with where the window begins."""

    loop: ForallOp
    weight: SSAValue | int

    @property
    def most(self) -> float:
        """The largest known number of the variable."""
        return known_number(self.loop.variable).most


def _keep_below(loop: ForallOp, start: SSAValue, limit: SSAValue) -> bool:
    """Let the loops around a window only reach starts below a limit; says whether that can be, or is so already."""
    above = _in_counted_loops(Polynomial.of(start) - Polynomial.of(limit))
    digits = _digits(above)
    if digits is None:
        return False
    if not digits or _is_negative(above, digits):
        return bool(digits)
    digits.sort(key=lambda digit: len(list(enclosing_loops(digit.loop))))
    innermost = digits[-1]
    if not _has_only(innermost.loop, loop) or _indexes_temporary(innermost.loop):
        return False
    _, fixed = above.split(innermost.loop.variable)
    _end_below(innermost, Polynomial.number(0) - fixed, digits[:-1])
    return True


def _in_counted_loops(polynomial: Polynomial) -> Polynomial:
    """A polynomial with what the variables of loops over one coordinate are computed from in place of them."""
    for value in list(polynomial.values()):
        loop = forall_of(value)
        if loop is not None and loop.bounds and _is_next(loop.bounds[1], loop.bounds[0]):
            factor, rest = polynomial.split(value)
            return _in_counted_loops(rest + factor * Polynomial.of(loop.bounds[0]))
    return polynomial


def _digits(above: Polynomial) -> list[_Digit] | None:
    """The loops whose variables a polynomial grows with, by constant steps; None if it depends on others as well."""
    found: dict[SSAValue, _Digit] = {}
    for value in above.values():
        if not sources(value) or value in found:
            continue
        factor, rest = above.split(value)
        loop = forall_of(value)
        weight = _weight(factor)
        if loop is None or weight is None or not loop.bounds or value in rest.values():
            return None
        found[value] = _Digit(loop, weight)
    return list(found.values())


def _weight(factor: Polynomial) -> SSAValue | int | None:
    """The number or value that a polynomial is, if it is one that is not negative."""
    match list(factor.counts.items()):
        case [((), count)] if count > 0:
            return count
        case [((value,), 1)] if not sources(value):
            return value
        case _:
            return None


def _is_negative(above: Polynomial, digits: Sequence[_Digit]) -> bool:
    """Whether a polynomial is negative wherever the loops are."""
    most: float = above.counts.get((), 0)
    for digit in digits:
        if not isinstance(digit.weight, int):
            return False
        most += digit.weight * digit.most
    return most < 0 and len(above.counts) <= len(digits) + 1


def _has_only(outer: ForallOp, inner: ForallOp) -> bool:
    """Whether all that a loop does is in another one."""
    loop: ForallOp | None = outer
    while loop is not None and loop is not inner:
        loop = only_forall(loop.body.block)
    return loop is inner


def _indexes_temporary(loop: ForallOp) -> bool:
    """Whether a loop counts components of a temporary, which has as many as its other side visits."""
    uses = [use.operation for use in loop.variable.uses]
    accesses = (op for op in uses if isinstance(op, AccessOp | AssignOp) and loop.variable in op.indices)
    return any(is_temporary(access.tensor) for access in accesses)


def _end_below(digit: _Digit, room: Polynomial, around: Sequence[_Digit]) -> None:
    """Let a loop end where its variable, times the weight, has no more room; loops around are outside of it."""
    loop, weight = digit.loop, digit.weight
    anchor: Operation = loop
    needed = [one.loop for one in around]
    while (parent := anchor.parent_op()) is not None and isinstance(parent, ForallOp) and parent not in needed:
        anchor = parent
    assert isinstance(anchor, ForallOp)
    emit, known = Emitter(Block()), dict[SSAValue, SSAValue]()
    again = partial(recomputed, known=known, insert=emit.insert, again=computes_range)
    left = room.compute(emit, again)
    if not _has_room(room, around, weight):
        left = emit.max(left, emit.index(0))
    if isinstance(weight, int):
        number = left if weight == 1 else emit.divide_up(left, weight)
    else:
        step = emit.max(again(weight), emit.index(1))
        number = emit.divide(emit.add(left, emit.sub(step, emit.index(1))), step)
    (number,) = compute_before(anchor, emit.block, (number,))
    lo, hi = loop.bounds
    emit = Emitter(Block())
    end = number if _is_count(hi, room, around, weight) else emit.min(hi, number)
    if constant_index(lo) != 0:
        end = emit.max(lo, end)
    set_range(loop, lo, end, emit.block)
    if isinstance(hi.owner, Operation):
        erase_unused(hi.owner)


def _has_room(room: Polynomial, around: Sequence[_Digit], weight: SSAValue | int) -> bool:
    """Whether the number of remaining offsets is known not to be negative, once it is rounded up."""
    if not isinstance(weight, int):
        return False
    least: float = weight - 1
    for digit in around:
        if digit.most < inf and isinstance(digit.weight, int):
            least -= digit.weight * digit.most
        elif _is_count(digit.loop.bounds[1], room, around, digit.weight):
            least += 1
        else:
            return False
    return least >= 0


def _is_count(hi: SSAValue, room: Polynomial, around: Sequence[_Digit], weight: SSAValue | int) -> bool:
    """Whether a loop ends where no room is left, whatever the loops around it have taken."""
    owner = hi.owner
    if not isinstance(weight, int) or not isinstance(owner, DivSIOp) or constant_index(owner.rhs) != weight:
        return False
    whole = room
    for digit in around:
        whole = whole.split(digit.loop.variable)[1]
    return Polynomial.of(owner.lhs) == whole + Polynomial.number(weight - 1)
