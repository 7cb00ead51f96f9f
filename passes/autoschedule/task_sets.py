"""Costs as sets of tasks: which steps a schedule takes, whatever entries the tensors have, and which sets hold others.

A set of tasks with several heads holds the tasks of each part of its heads as well. Source: Ahrens 2022, section 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from irtensor.passes.autoschedule.predicates import (
    TRUE,
    Atom,
    Conjunction,
    Predicate,
    Predicates,
    Variable,
    atom_order,
    homomorphism,
)


class Query(NamedTuple):
    """One task for every coordinate of the heads at which the condition holds; the heads are sorted."""

    heads: tuple[str, ...]
    condition: Conjunction


# No query of a cost is contained in another one of it.
Cost = frozenset[Query]


class _Facts(NamedTuple):
    """What the comparison of a query asks for time and again."""

    query: Query
    order: tuple[object, ...]
    tensors: frozenset[str]
    # The modes of tensors that each head is an index of.
    places: Mapping[str, frozenset[tuple[str, int]]]


class TaskSets:
    """Builds and compares costs, and remembers for the time of one search what was built and compared."""

    def __init__(self, predicates: Predicates, dimensions: Mapping[str, str]) -> None:
        self.predicates = predicates
        self.dimensions = dimensions
        # Queries are numbered as they are met, for pairs of numbers are found faster in a table than pairs of queries.
        self._numbers: dict[Query, int] = {}
        self._facts: list[_Facts] = []
        self._members: dict[Cost, tuple[int, ...]] = {}
        self._contained: dict[tuple[int, int], bool] = {}
        self._tasks: dict[tuple[tuple[str, ...], Predicate], Cost] = {}
        self._simplest: dict[frozenset[Query], Cost] = {}
        self._sunk: dict[tuple[object, object], tuple[Cost, Predicate]] = {}
        self._assumed: dict[tuple[Query, Predicate], Query] = {}

    def tasks(self, heads: Iterable[str], predicate: Predicate) -> Cost:
        """A task for every coordinate of the heads for which others exist such that the predicate holds."""
        key = (tuple(sorted(set(heads))), predicate)
        if (known := self._tasks.get(key)) is None:
            used = {v for atoms in predicate for atom in atoms for v in atom.arguments if isinstance(v, str)}
            projected = self.predicates.exists(predicate, used.difference(key[0]))
            known = self._tasks[key] = self._simplified(Query(key[0], condition) for condition in projected)
        return known

    def union(self, *costs: Cost) -> Cost:
        """The tasks of all costs. Of equal queries the first in the order of sorting stays."""
        return self._simplified(frozenset[Query]().union(*costs))

    def contains_query(self, larger: Query, smaller: Query) -> bool:
        """Whether the tasks of one query are, for all tensors, among those of another or parts of them."""
        return self._contains(self._number(larger), self._number(smaller))

    def contains(self, larger: Cost, smaller: Cost) -> bool:
        """Whether each query of the smaller cost is contained in some query of the larger one."""
        if larger == smaller:
            return True
        others = self._members_of(larger)
        for one in self._members_of(smaller):
            for other in others:
                if self._contains(other, one):
                    break
            else:
                return False
        return True

    def missing(self, larger: Cost, smaller: Cost) -> Query | None:
        """The first query of the smaller cost that is in none of the larger one: why it is not contained."""
        others = self._members_of(larger)
        for query in sorted(smaller, key=_order):
            if not any(self._contains(other, self._number(query)) for other in others):
                return query
        return None

    def with_assumptions(self, cost: Cost, inputs: Mapping[str, Sequence[str]], dimensions: Iterable[str]) -> Cost:
        """The cost as it is compared: with what every schedule spends, where every sparse input has an entry.

        Every schedule reads the `inputs`, given with the variables of their modes, and passes over the `dimensions`.
        Source: Ahrens 2022, section 6.2.
        """
        sunk, nonempty = self._assumptions(tuple((name, tuple(modes)) for name, modes in inputs.items()), dimensions)
        return self._simplified(self._assuming(query, nonempty) for query in cost | sunk)

    def _assumptions(
        self, inputs: tuple[tuple[str, tuple[str, ...]], ...], dimensions: Iterable[str]
    ) -> tuple[Cost, Predicate]:
        """What every schedule spends, and that no input is empty."""
        key = (inputs, tuple(dimensions))
        if (known := self._sunk.get(key)) is None:
            reads, nonempty = list[Cost](), TRUE
            for tensor, modes in inputs:
                entry = self.predicates.atom(tensor, modes)
                reads.append(self.tasks(modes, entry))
                nonempty = self.predicates.conjoin(nonempty, self.predicates.exists(entry, modes))
            passes = [self.tasks([self._variable_of(dimension)], TRUE) for dimension in key[1]]
            known = self._sunk[key] = (self.union(*reads, *passes), nonempty)
        return known

    def _assuming(self, query: Query, assumption: Predicate) -> Query:
        """The query where an assumption holds."""
        if (known := self._assumed.get((query, assumption))) is None:
            (condition,) = self.predicates.conjoin(frozenset({query.condition}), assumption)
            known = self._assumed[query, assumption] = Query(query.heads, condition)
        return known

    def _variable_of(self, dimension: str) -> str:
        return min((name for name, its in self.dimensions.items() if its == dimension), default=dimension)

    def _dimension_of(self, variable: str) -> str:
        return self.dimensions.get(variable, variable)

    def _simplified(self, queries: Iterable[Query]) -> Cost:
        """The queries without those that another one contains."""
        given = frozenset(queries)
        if (known := self._simplest.get(given)) is None:
            kept: list[int] = []
            for one in sorted(map(self._number, given), key=lambda number: self._facts[number].order):
                if not any(self._contains(other, one) for other in kept):
                    kept = [other for other in kept if not self._contains(one, other)] + [one]
            # Most sets are simple as they are, and then kept once.
            known = given if len(kept) == len(given) else frozenset(self._facts[number].query for number in kept)
            known = self._simplest[given] = self._simplest.setdefault(known, known)
        return known

    def _number(self, query: Query) -> int:
        """The number of a query, which is given to it when it is first met."""
        if (known := self._numbers.get(query)) is None:
            known = self._numbers[query] = len(self._facts)
            tensors = frozenset(atom.tensor for atom in query.condition)
            places = {head: _places(head, query.condition) for head in query.heads}
            self._facts.append(_Facts(query, _order(query), tensors, places))
        return known

    def _members_of(self, cost: Cost) -> tuple[int, ...]:
        if (known := self._members.get(cost)) is None:
            known = self._members[cost] = tuple(map(self._number, cost))
        return known

    def _contains(self, larger: int, smaller: int) -> bool:
        if (known := self._contained.get((larger, smaller))) is None:
            known = larger == smaller or self._compared(self._facts[larger], self._facts[smaller])
            self._contained[larger, smaller] = known
        return known

    def _compared(self, larger: _Facts, smaller: _Facts) -> bool:
        """Searches for heads of the larger query, of the same dimensions, that stand for those of the smaller one.

        Several heads may have one dimension, so that several choices are tried. The other variables of the larger
        query are free, its other heads too. Source: Ahrens 2022, section 6.1.
        """
        if len(smaller.query.heads) > len(larger.query.heads) or not larger.tensors <= smaller.tensors:
            return False
        candidates = [
            [
                head
                for head, places in larger.places.items()
                if places <= its_places and self._dimension_of(head) == self._dimension_of(its)
            ]
            for its, its_places in smaller.places.items()
        ]
        for heads in _choices(candidates):
            known: dict[Variable, Variable] = dict(zip(heads, smaller.query.heads, strict=True))
            if homomorphism(larger.query.condition, smaller.query.condition, known) is not None:
                return True
        return False


def frontier(task_sets: TaskSets, costs: Iterable[Cost]) -> list[Cost]:
    """The distinct costs that none of the others beats, in the order given; a cost beats one that strictly contains it.

    Source: the intent of Ahrens 2022, section 6.3; its figure 4 as printed starts empty and stays so.
    """
    kept: list[Cost] = []
    for cost in dict.fromkeys(costs):
        beaten: list[Cost] = []
        for other in kept:
            more, less = task_sets.contains(cost, other), task_sets.contains(other, cost)
            if more and not less:
                break
            if less and not more:
                beaten.append(other)
        else:
            kept = [other for other in kept if other not in beaten] if beaten else kept
            kept.append(cost)
    return kept


def text_of(cost: Cost) -> str:
    """A cost as one reads it, such as `{ij | B_ik, C_kj} U {i | exists k B_ik} U {ijk}`."""
    names = {query: _names(query) for query in cost}
    plain = all(len(name) == 1 for own in names.values() for name in own.values())
    separator = "" if plain else ","
    texts = {query: _query_text(query, own, separator) for query, own in names.items()}
    return " U ".join(texts[query] for query in sorted(cost, key=lambda q: (-len(q.heads), texts[q]))) or "{}"


def example_of(query: Query) -> dict[str, list[tuple[int, ...]]]:
    """The least tensors for which a query has a task: the coordinates of their entries.

    Each variable has a coordinate of its own, the heads 0, 1 and so on in their order, then what exists. A query that
    does not contain this one has no such task there: an example of why it does not.
    """
    numbers: dict[Variable, int] = {variable: number for number, variable in enumerate(_variables(query))}
    entries: dict[str, list[tuple[int, ...]]] = {}
    for tensor, arguments in query.condition:
        entries.setdefault(tensor, []).append(tuple([numbers[variable] for variable in arguments]))
    return entries


def _choices(candidates: Sequence[Sequence[str]], chosen: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """One candidate of each kind, all of them different."""
    if len(chosen) == len(candidates):
        yield chosen
        return
    for candidate in candidates[len(chosen)]:
        if candidate not in chosen:
            yield from _choices(candidates, (*chosen, candidate))


def _places(variable: Variable, atoms: Conjunction) -> frozenset[tuple[str, int]]:
    return frozenset((atom.tensor, mode) for atom in atoms for mode, v in enumerate(atom.arguments) if v == variable)


def _order(query: Query) -> tuple[object, ...]:
    return -len(query.heads), query.heads, tuple(map(atom_order, query.condition))


def _variables(query: Query) -> list[Variable]:
    """The heads, then what exists."""
    numbers = {v for atom in query.condition for v in atom.arguments if isinstance(v, int)}
    return [*query.heads, *sorted(numbers)]


def _names(query: Query) -> dict[Variable, str]:
    """Names for the variables of a query: its heads have theirs."""
    fresh = (f"{letter}{number or ''}" for number in count() for letter in "klmnopqrstuvwxyz")
    free = (name for name in fresh if name not in query.heads)
    return {variable: variable if isinstance(variable, str) else next(free) for variable in _variables(query)}


def _query_text(query: Query, names: Mapping[Variable, str], separator: str) -> str:
    def listed(variables: Iterable[Variable]) -> str:
        return separator.join(names[variable] for variable in variables)

    def written(atom: Atom) -> str:
        return f"{atom.tensor}_{listed(atom.arguments)}" if atom.arguments else atom.tensor

    heads = listed(query.heads) or "()"
    if not query.condition:
        return f"{{{heads}}}"
    bound = [variable for variable in names if isinstance(variable, int)]
    exists = f"exists {listed(bound)} " if bound else ""
    return f"{{{heads} | {exists}{', '.join(map(written, query.condition))}}}"
