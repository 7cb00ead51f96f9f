"""The sets of operands that store nothing somewhere: the cost of a loop has a case for each set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations, count
from math import isfinite

from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.protocols import STEP
from irtensor.passes.autoschedule.absent_entries import Fills, initial_value, without
from irtensor.passes.autoschedule.protocols import FREE
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Forall,
    Literal,
    Statement,
    assigns_within_loops,
    bound,
    parts,
    reads,
    stored_by,
    wheres,
    with_parts,
)

_Set = frozenset[Access]
# Of so few operands, all sets are looked at sooner than the largest ones are found.
_FEW = 4
# The time that it takes to find the largest sets grows with the square of their number.
_MOST = 100


def absent_sets(
    loop: Forall, steppers: Sequence[Access], free: Sequence[Access], fills: Fills, propagate: bool
) -> Iterable[_Set]:
    """Sets of what steps through a loop, and of what may, that are absent in different cases of its cost.

    A task is there, if at all, in the case with the most absent operands of those in which it is: fewer entries are
    asked for in that one. So for each access and assignment the largest sets are looked at with which it is still
    there, counting what steps in loops inside too; and the largest ones without anything that only may step, as the
    values there are certain then. Where constants may become NaN, the parts of a set are not cases like it: all of them
    are looked at, as are those of few operands. `fills` are those of operands, and of workspaces around the loop;
    `propagate` as for `without`.
    """
    here = (*steppers, *free)
    names = [str(stored_by(where.producer).target.tensor) for where in wheres(loop)]
    finite = all(isinstance(fill, complex) or isfinite(fill) for fill in fills.values())
    if len(here) <= _FEW or not finite or len(names) > len({*names}):
        return map(frozenset, chain.from_iterable(combinations(here, size) for size in range(len(here) + 1)))
    for where in wheres(loop):
        fills = {**fills, str(stored_by(where.producer).target.tensor): initial_value(where.producer, fills)}
    body, known = _numbered(loop.body, count()), dict[_Set, frozenset[Access]]()

    def left(absent: _Set) -> frozenset[Access]:
        """The accesses that remain where some operands are absent."""
        if absent not in known:
            constants = {read: Literal(fills[str(read.tensor)]) for read in absent}
            known[absent] = _accessed(without(body, constants, fills, propagate))
        return known[absent]

    found: dict[_Set, None] = {}
    for protocols, own in (((STEP, FREE), here), ((STEP,), steppers)):
        elements = _read_by(protocols, loop)
        for access in left(frozenset()):
            for one in _largest(elements, lambda absent, access=access: access in left(absent)):
                found[one.intersection(own)] = None
    return found


def _read_by(protocols: Sequence[str], loop: Forall) -> list[Access]:
    """The accesses that some of the protocols read in a loop or in one inside of it."""
    wanted = {(index, protocol) for index in bound(loop) for protocol in protocols}
    return [read for read in dict.fromkeys(reads(loop)) if wanted & {*zip(read.indices, read.protocols, strict=False)}]


def _numbered(statement: Statement, numbers: Iterable[int]) -> Statement:
    """A statement whose assignments are told apart by a mode of their targets, which nothing else asks for."""
    numbers = iter(numbers)
    if isinstance(statement, Assign):
        return statement._replace(target=statement.target._replace(modes=(str(next(numbers)),)))
    return with_parts(statement, [_numbered(part, numbers) for part in parts(statement)])


def _accessed(statement: Statement | None) -> frozenset[Access]:
    if statement is None:
        return frozenset()
    return frozenset(
        one for assign, _ in assigns_within_loops(statement) for one in (assign.target, *reads(assign.value))
    )


def _largest(elements: Sequence[Access], holds: Callable[[_Set], bool]) -> list[_Set]:
    """The largest sets with a property that all parts of such a set have as well. Source: Gunopulos et al. 2003.

    Raises UserError [no-asymptotic-cost] where they are too many to be found.
    """
    found: list[_Set] = []
    while True:
        # A set inside none of the found ones has an element outside of each.
        outside = [frozenset(elements) - one for one in found]
        larger = next(filter(holds, _transversals(outside)), None)
        if larger is None:
            return found
        for element in elements:
            if holds(larger | {element}):
                larger |= {element}
        found.append(larger)
        if len(found) > _MOST:
            message = f"there are more than {_MOST} largest sets of operands that may store nothing in a loop"
            help = "add up or multiply fewer operands at once, the others by definitions of their own"
            raise UserError("no-asymptotic-cost", message, help=help)


def _transversals(sets: Iterable[_Set]) -> list[_Set]:
    """The least sets that have an element of each of some sets."""
    found = [frozenset[Access]()]
    for one in sets:
        met = [it for it in found if it & one]
        more = {it | {element} for it in found if not it & one for element in one}
        found = met + [it for it in more if not any(other <= it for other in met)]
    return found
