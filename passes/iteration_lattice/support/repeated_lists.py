"""Lists that each iteration of a loop around goes through anew, from their first entry: what there is besides leads."""

from __future__ import annotations

from collections.abc import Callable, Collection

from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, MergeOp, UnfurlOp, WalkOp
from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.storage.storage import RootOp
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.iteration_lattice.support.coiteration import nests_of

_LOOPS = (CoiterateOp, WalkOp, MergeOp, ForOp)

ActsWithout = Callable[[CoiterateOp, Collection[int]], bool]


def comes_again(op: CoiterateOp) -> bool:
    """Whether each iteration of a loop around meets the whole of one tensor, together with something that changes."""
    fibers = [nest.fiber for _, nest in nests_of(op, UnfurlOp)]
    whole = [fiber for fiber in fibers if isinstance(fiber.owner, RootOp)]
    around = innermost_around(op, *_LOOPS)
    if around is None or not whole:
        return False
    return any(around.is_ancestor(fiber.owner) for fiber in fibers if fiber not in whole)


def searched_lists(op: CoiterateOp, acts_without: ActsWithout) -> frozenset[int]:
    """The nests that are whole lists of tensors, met again in each iteration of a loop around, in which the loop looks
    up what others lead it to: those store all coordinates at which anything happens.

    None where lists alone decide, each by itself: these search each other, so that the shortest one leads.
    """
    if op.unit is not None or not comes_again(op):
        return frozenset()
    levels = {number: nest.level_format for number, nest in nests_of(op, UnfurlOp)}
    partial = {number: level for number, level in levels.items() if not level.pattern.full}
    lists = {number for number, level in partial.items() if not level.access.inserts}
    whole = {number for number in lists if partial[number].ordered and isinstance(_fiber(op, number), RootOp)}
    others = partial.keys() - whole
    if not whole or not others or acts_without(op, others):
        return frozenset()
    if others <= lists and all(partial[number].ordered and not acts_without(op, [number]) for number in lists):
        return frozenset()
    return frozenset(whole)


def _fiber(op: CoiterateOp, number: int) -> object:
    nest = op.nests[number].owner
    return nest.fiber.owner if isinstance(nest, UnfurlOp) else None
