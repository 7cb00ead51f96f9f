"""Which loops go around which statements of a program, and in which order (Ahrens 2022, sections 7.3 and 7.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations, permutations, product
from math import factorial

from irtensor.passes.autoschedule.statements import (
    Statement,
    Where,
    accessed,
    loops_of,
    loops_over,
    stored_by,
)


def push_loops(program: Statement, indices: Iterable[str], *, empty_push: bool = True) -> list[Statement]:
    """A program inside of loops over some indices, and with any of them pushed into the sides of its `where`.

    The loops of the program stay inside of those that they are in.
    Loops that directly follow each other stand in one order. With `empty_push`, all loops may stay around a `where`,
    whose workspace is then a number; the published search of 2022 leaves that out.
    """
    return list(dict.fromkeys(_pushed(program, frozenset(indices), 0 if empty_push else 1)))


def _pushed(program: Statement, indices: frozenset[str], least: int) -> Iterator[Statement]:
    own, program = loops_of(program)
    indices = indices.union(own)
    if not isinstance(program, Where):
        yield loops_over(tuple(sorted(indices)), program)
        return
    consumer, producer = program
    in_consumer, in_producer = accessed(consumer), accessed(producer)
    reduces = stored_by(producer).operator is not None
    for moved in _subsets(indices & (in_consumer | in_producer), least):
        # What is not reduced with the producer is with the consumer, even if that does not use the variable.
        inside = moved & in_consumer if reduces else moved
        around = tuple(sorted(indices - moved))
        producers = list(_pushed(producer, moved & in_producer, least))
        for one in _pushed(consumer, inside, least):
            yield from (loops_over(around, Where(one, other)) for other in producers)


def _subsets(indices: frozenset[str], least: int) -> Iterator[frozenset[str]]:
    ordered = sorted(indices)
    sizes = range(least, len(ordered) + 1)
    return (frozenset(chosen) for chosen in chain.from_iterable(combinations(ordered, size) for size in sizes))


def loop_orders(program: Statement) -> Iterator[Statement]:
    """A program with each of its groups of directly nested loops in every order."""
    indices, inner = loops_of(program)
    insides: Iterable[Statement] = (inner,)
    if isinstance(inner, Where):
        sides = product(list(loop_orders(inner.consumer)), list(loop_orders(inner.producer)))
        insides = [Where(consumer, producer) for consumer, producer in sides]
    for order in permutations(indices):
        yield from (loops_over(order, inside) for inside in insides)


def count_orders(program: Statement) -> int:
    """How many programs `loop_orders` gives."""
    indices, inner = loops_of(program)
    count = factorial(len(indices))
    return count * count_orders(inner.consumer) * count_orders(inner.producer) if isinstance(inner, Where) else count
