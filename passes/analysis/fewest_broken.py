"""An order of loops that breaks few of the wishes that accesses have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.ir import SSAValue

from irtensor.passes.analysis.iteration_graph import Edge

_Counts = Mapping[tuple[SSAValue, SSAValue, bool], int]


def fewest_broken(variables: Sequence[SSAValue], edges: Iterable[Edge]) -> list[SSAValue]:
    """The variables in an order, up to those that the hard edges contradict each other about.

    Where soft edges contradict each other, an access asks for its last variables inside of its first ones as well:
    otherwise one between them that comes too early would cut it in two.
    """
    edges = list(edges)
    # Many accesses of a long statement ask for the same.
    counts = Counter((edge.before, edge.after, edge.hard) for edge in edges)
    order, is_broken = _ordered(variables, counts)
    if is_broken and len(order) == len(variables):
        counts.update((before, after, False) for before, after in _at_a_distance(edges))
        order, _ = _ordered(variables, counts)
    return order


def _ordered(variables: Sequence[SSAValue], counts: _Counts) -> tuple[list[SSAValue], bool]:
    """One variable after the other that waits for the fewest, and whether any waited."""
    remaining, order, is_broken = dict.fromkeys(variables), list[SSAValue](), False
    while remaining:
        waiting, bound = dict.fromkeys(remaining, 0), set[SSAValue]()
        for (before, after, hard), count in counts.items():
            if before in remaining and after in remaining:
                waiting[after] += count
                if hard:
                    bound.add(after)
        ready = [variable for variable in remaining if variable not in bound]
        if not ready:
            break
        chosen = min(ready, key=waiting.__getitem__)
        is_broken |= waiting[chosen] > 0
        order.append(chosen)
        del remaining[chosen]
    return order, is_broken


def _at_a_distance(edges: Iterable[Edge]) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of variables of an access with others between them."""
    following: dict[object, dict[SSAValue, list[SSAValue]]] = {}
    for edge in edges:
        following.setdefault(edge.access, {}).setdefault(edge.before, []).append(edge.after)
    for own in following.values():
        for before, near in own.items():
            reached, waiting = {before, *near}, list(near)
            while waiting:
                for after in own.get(waiting.pop(), ()):
                    if after not in reached:
                        reached.add(after)
                        waiting.append(after)
                        yield before, after
