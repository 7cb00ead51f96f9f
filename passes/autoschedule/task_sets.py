"""Costs as sets of tasks: which steps a schedule takes, whatever entries the tensors have, and which sets hold others.

A set of tasks with several heads holds the tasks of each part of its heads as well. Source: Ahrens 2022, section 6.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(eq=False, slots=True)
class Query:
    """One task for every coordinate of the heads at which the condition holds; the heads are sorted.

    `TaskSets` makes every query once, so that sets of queries are compared by what objects are in them.
    """

    heads: tuple[str, ...]
    condition: Conjunction
    # What the comparison of queries asks for time and again: which of equal ones is first, tensors, the modes that each
    # head indexes, and a number of its own; as bits, the numbers of those it was compared with, of those that contain
    # it, and of those that stay instead of it in one cost.
    order: tuple[object, ...] = ()
    tensors: frozenset[str] = frozenset()
    modes: Mapping[str, frozenset[tuple[str, int]]] = field(default_factory=dict[str, frozenset[tuple[str, int]]])
    number: int = 0
    compared: int = 0
    containing: int = 0
    superseding: int = 0


# How many costs, or parts of programs, are remembered before all are forgotten.
MOST_KNOWN = 200_000

# No query of a cost is contained in another one of it.
Cost = frozenset[Query]


class Assumptions(NamedTuple):
    """What every schedule spends, what holds of all inputs, and whether they have an entry in every slice."""

    sunk: Cost
    condition: Predicate
    filled: bool = False


class TaskSets:
    """Builds and compares costs, and caches the results for one search."""

    def __init__(
        self,
        predicates: Predicates,
        dimensions: Mapping[str, str],
        determined: Mapping[str, Mapping[int, frozenset[int]]] = {},
    ) -> None:
        """`determined`: the modes of tensors that have one coordinate, or none, for those of other modes."""
        self.predicates = predicates
        self._determined = determined
        self.dimensions = dimensions
        self._known: dict[tuple[tuple[str, ...], Conjunction], Query] = {}
        # The queries in the order of their numbers.
        self._queries: list[Query] = []
        self._tasks: dict[tuple[tuple[str, ...], Predicate], Cost] = {}
        self._costs: dict[Cost, Cost] = {}
        self._assumed: dict[Assumptions, dict[Query, Query]] = {}

    def tasks(self, heads: Iterable[str], predicate: Predicate) -> Cost:
        """A task for every coordinate of the heads for which others exist such that the predicate holds."""
        key = (tuple(sorted(set(heads))), predicate)
        if (known := self._tasks.get(key)) is None:
            used = {v for atoms in predicate for atom in atoms for v in atom.arguments if isinstance(v, str)}
            projected = self.predicates.exists(predicate, used.difference(key[0]))
            known = self._tasks[key] = self._simplified(
                self._query(*one) for condition in projected for one in self._with_free_heads(key[0], condition)
            )
        return known

    def _with_free_heads(
        self, heads: tuple[str, ...], condition: Conjunction
    ) -> Iterator[tuple[tuple[str, ...], Conjunction]]:
        """The tasks without heads that have one coordinate for those of the others: there are as many."""
        for atom in condition:
            for mode, others in self._determined.get(atom.tensor, {}).items():
                head = atom.arguments[mode]
                # A head that nothing determines stays, so that a cost says which loops there are.
                if head in heads and others and {atom.arguments[other] for other in others} <= {*heads} - {head}:
                    left = tuple([one for one in heads if one != head])
                    for projected in self.predicates.exists(frozenset({condition}), [head]):
                        yield from self._with_free_heads(left, projected)
                    return
        yield heads, condition

    def union(self, *costs: Cost) -> Cost:
        """The tasks of all costs."""
        return self._simplified(frozenset[Query]().union(*costs))

    def limit_memory(self) -> None:
        """Forget which costs were simplified when there are many."""
        if len(self._costs) > MOST_KNOWN:
            self._costs.clear()

    def contains_query(self, larger: Query, smaller: Query) -> bool:
        """Whether the tasks of one query are, for all tensors, among those of another or parts of them."""
        return bool(self._containing(smaller, 1 << larger.number))

    def contains(self, larger: Cost, smaller: Cost) -> bool:
        """Whether each query of the smaller cost is contained in some query of the larger one."""
        if larger is smaller:
            return True
        others = _bits(larger)
        return all(self._containing(one, others) for one in smaller)

    def are_equal(self, one: Cost, other: Cost) -> bool:
        """Whether two costs contain each other, which may be written with different indices of one dimension."""
        return self.contains(one, other) and self.contains(other, one)

    def is_less(self, one: Cost, other: Cost) -> bool:
        """Whether a cost is contained in another one, which is not contained in it."""
        return self.contains(other, one) and not self.contains(one, other)

    def missing(self, larger: Cost, smaller: Cost) -> Query | None:
        """The first query of the smaller cost that is in none of the larger one: why it is not contained."""
        others = _bits(larger)
        missing = (query for query in smaller if not self._containing(query, others))
        return min(missing, key=lambda query: query.order, default=None)

    def assumptions(
        self,
        inputs: Mapping[str, Sequence[str]],
        dimensions: Iterable[str],
        stored: Iterable[Sequence[str]] = (),
        *,
        filled: bool = False,
    ) -> Assumptions:
        """Every schedule reads the `inputs`, given with the variables of their modes, and passes over the `dimensions`;
        no input is empty. Source: Ahrens 2022, section 6.2. It fills the results that are `stored` without a pattern,
        given with the variables of their modes. `filled`: for some indices of an input there are always others with
        which it has an entry.
        """
        reads, nonempty = list[Cost](), TRUE
        for tensor, modes in inputs.items():
            entry = self.predicates.atom(tensor, modes)
            reads.append(self.tasks(modes, entry))
            nonempty = self.predicates.conjoin(nonempty, self.predicates.exists(entry, modes))
        passes = [self.tasks([self._variable_of(dimension)], TRUE) for dimension in dimensions]
        fills = [self.tasks(modes, TRUE) for modes in stored]
        return Assumptions(self.union(*reads, *passes, *fills), nonempty, filled)

    def with_assumptions(self, cost: Cost, assumptions: Assumptions) -> Cost:
        """The cost as it is compared: with what every schedule spends, where the inputs are as they are assumed."""
        assumed = self._assumed.setdefault(assumptions, {})
        found: list[Query] = []
        for query in cost | assumptions.sunk:
            if (known := assumed.get(query)) is None:
                if assumptions.filled:
                    condition = self.predicates.core(_joined(query.condition))
                else:
                    (condition,) = self.predicates.conjoin(frozenset({query.condition}), assumptions.condition)
                known = assumed[query] = self._query(query.heads, condition)
            found.append(known)
        return self._simplified(found)

    def _variable_of(self, dimension: str) -> str:
        return min((name for name, its in self.dimensions.items() if its == dimension), default=dimension)

    def _dimension_of(self, variable: str) -> str:
        return self.dimensions.get(variable, variable)

    def _simplified(self, queries: Iterable[Query]) -> Cost:
        """The queries without those that another one contains; of equal ones the first stays."""
        given = frozenset(queries)
        if (known := self._costs.get(given)) is None:
            numbers = _bits(given)
            for one in given:
                self._compare(one, numbers)
            kept = frozenset([one for one in given if not one.superseding & numbers])
            # Most sets are simple as they are, and then kept once.
            known = given if len(kept) == len(given) else kept
            known = self._costs[given] = self._costs.setdefault(known, known)
        return known

    def _query(self, heads: tuple[str, ...], condition: Conjunction) -> Query:
        if (known := self._known.get((heads, condition))) is None:
            tensors = frozenset(atom.tensor for atom in condition)
            modes = {head: _modes(head, condition) for head in heads}
            known = Query(heads, condition, _order(heads, condition), tensors, modes, len(self._queries))
            self._known[heads, condition] = known
            self._queries.append(known)
            # Every query contains itself.
            known.compared = known.containing = 1 << known.number
        return known

    def _containing(self, one: Query, others: int) -> int:
        """Those of some queries that contain this one; all of them as bits."""
        self._compare(one, others)
        return one.containing & others

    def _compare(self, one: Query, others: int) -> None:
        """Finds out which of some queries contain this one, and which of them stay instead of it."""
        left = others & ~one.compared
        one.compared |= left
        while left:
            bit = left & -left
            left ^= bit
            other = self._queries[bit.bit_length() - 1]
            if self._contains(other, one):
                one.containing |= bit
                if other.order < one.order or not self._contains(one, other):
                    one.superseding |= bit

    def _contains(self, larger: Query, smaller: Query) -> bool:
        """Searches for heads of the larger query, of the same dimensions, that stand for those of the smaller one.

        Several heads may have one dimension, so that several choices are tried. The other variables of the larger
        query are free, its other heads too. Source: Ahrens 2022, section 6.1.
        """
        if len(smaller.heads) > len(larger.heads) or not larger.tensors <= smaller.tensors:
            return False
        candidates = [
            [
                head
                for head, modes in larger.modes.items()
                if modes <= its_modes and self._dimension_of(head) == self._dimension_of(its)
            ]
            for its, its_modes in smaller.modes.items()
        ]
        for heads in _choices(candidates):
            known: dict[Variable, Variable] = dict(zip(heads, smaller.heads, strict=True))
            if homomorphism(larger.condition, smaller.condition, known) is not None:
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


def _joined(condition: Conjunction) -> Conjunction:
    """A condition without those atoms that hold in any slice: what exists for them is in no other atom."""
    exists = (variable for atom in condition for variable in {*atom.arguments} if isinstance(variable, int))
    counts = Counter[Variable](exists)
    kept = tuple([atom for atom in condition if not any(counts[variable] == 1 for variable in atom.arguments)])
    return kept if len(kept) == len(condition) else _joined(kept)


def _choices(candidates: Sequence[Sequence[str]], chosen: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """One candidate of each kind, all of them different."""
    if len(chosen) == len(candidates):
        yield chosen
        return
    for candidate in candidates[len(chosen)]:
        if candidate not in chosen:
            yield from _choices(candidates, (*chosen, candidate))


def _modes(variable: Variable, atoms: Conjunction) -> frozenset[tuple[str, int]]:
    return frozenset((atom.tensor, mode) for atom in atoms for mode, v in enumerate(atom.arguments) if v == variable)


def _bits(queries: Iterable[Query]) -> int:
    """The numbers of queries as bits."""
    found = 0
    for query in queries:
        found |= 1 << query.number
    return found


def _order(heads: tuple[str, ...], condition: Conjunction) -> tuple[object, ...]:
    return -len(heads), heads, tuple(map(atom_order, condition))


def _variables(query: Query) -> list[Variable]:
    """The heads, then what exists."""
    numbers = {v for atom in query.condition for v in atom.arguments if isinstance(v, int)}
    return [*query.heads, *sorted(numbers)]


def _names(query: Query) -> dict[Variable, str]:
    """Names for the variables of a query: its heads have theirs, as `j` for the second of several loops over j."""
    plain = [re.sub(r"_\d+$", "", head) for head in query.heads]
    heads = dict(zip(query.heads, plain if len(set(plain)) == len(plain) else query.heads, strict=True))
    fresh = (f"{letter}{number or ''}" for number in count() for letter in "klmnopqrstuvwxyz")
    free = (name for name in fresh if name not in heads.values())
    return {variable: heads[variable] if isinstance(variable, str) else next(free) for variable in _variables(query)}


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
