"""Predicates that say where tensors have entries, in one normal form: disjunctions of conjunctions, without negation.

Every conjunction is a core: none of its atoms can be dropped. Its existential variables have canonical names,
so that two equivalent conjunctions are the same value. Source: Ahrens 2022, sections 6 and 6.3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

# The name of a free variable, or the number of an existential one within its conjunction.
Variable = str | int
Substitution = dict[Variable, Variable]


class Atom(NamedTuple):
    """A tensor has an entry at the coordinates that the variables stand for."""

    tensor: str
    arguments: tuple[Variable, ...]


Conjunction = tuple[Atom, ...]
# No conjunction of a predicate implies another one of it.
Predicate = frozenset[Conjunction]

TRUE: Predicate = frozenset({()})
FALSE: Predicate = frozenset()


class Predicates:
    """Builds predicates, and caches them for one search."""

    def __init__(self) -> None:
        # Results are kept once: a table finds the same object faster than an equal one.
        self._conjunctions: dict[Conjunction, Conjunction] = {}
        self._predicates: dict[Predicate, Predicate] = {TRUE: TRUE, FALSE: FALSE}
        self._cores: dict[frozenset[Atom], Conjunction] = {}
        self._implications: dict[tuple[Conjunction, Conjunction], bool] = {}
        self._conjoined: dict[tuple[Predicate, Predicate], Predicate] = {}
        self._disjoined: dict[tuple[Predicate, Predicate], Predicate] = {}
        self._existing: dict[tuple[Predicate, frozenset[str]], Predicate] = {}
        self._renamed: dict[tuple[Predicate, tuple[tuple[str, str], ...]], Predicate] = {}

    def atom(self, tensor: str, arguments: Sequence[str]) -> Predicate:
        """The tensor has an entry at these variables."""
        return self._absorbed([self.core([Atom(tensor, tuple(arguments))])])

    def conjoin(self, p: Predicate, q: Predicate) -> Predicate:
        """Both hold. What exists for the one need not be what exists for the other."""
        if p == q or q == TRUE or p == FALSE:
            return p
        if p == TRUE or q == FALSE:
            return q
        if (known := self._conjoined.get((p, q))) is None:
            known = self._absorbed(self.core((*one, *_apart(other, one))) for one in p for other in q)
            self._conjoined[p, q] = known
        return known

    def disjoin(self, p: Predicate, q: Predicate) -> Predicate:
        """One of both holds, or both."""
        if p == q or q == FALSE or p == TRUE:
            return p
        if p == FALSE or q == TRUE:
            return q
        if (known := self._disjoined.get((p, q))) is None:
            known = self._disjoined[p, q] = self._absorbed(p | q)
        return known

    def exists(self, p: Predicate, variables: Collection[str]) -> Predicate:
        """There are coordinates for the variables such that the predicate holds."""
        bound = frozenset(variables)
        if (known := self._existing.get((p, bound))) is None:
            known = self._existing[p, bound] = self._absorbed(self.core(_bound(one, bound)) for one in p)
        return known

    def rename(self, p: Predicate, names: Mapping[str, str]) -> Predicate:
        """The predicate with other free variables, all of them at once; two may become one."""
        key = (p, tuple(sorted(names.items())))
        if (known := self._renamed.get(key)) is None:
            substitution: Substitution = {**names}
            known = self._absorbed(self.core(_substituted(one, substitution)) for one in p)
            self._renamed[key] = known
        return known

    def core(self, atoms: Iterable[Atom]) -> Conjunction:
        """The least conjunction that is equivalent to one of these atoms, with canonical existential variables.

        Free variables are themselves. The core is unique but for the names of what exists (Chandra and Merlin 1977).
        """
        given = frozenset(atoms)
        if (known := self._cores.get(given)) is None:
            least = _core(given)
            known = _canonical(least, {v: 0 for atom in least for v in atom.arguments if isinstance(v, int)})
            known = self._cores[given] = self._conjunctions.setdefault(known, known)
        return known

    def _absorbed(self, conjunctions: Iterable[Conjunction]) -> Predicate:
        """The disjunction of conjunctions, without those that imply another one: A or (A and B) is A."""
        given = frozenset(conjunctions)
        kept = frozenset(one for one in given if not any(one != other and self._implies(one, other) for other in given))
        return self._predicates.setdefault(kept, kept)

    def _implies(self, stronger: Conjunction, weaker: Conjunction) -> bool:
        if not weaker or not stronger:
            return not weaker
        if (known := self._implications.get((stronger, weaker))) is None:
            known = homomorphism(weaker, stronger, _themselves(weaker)) is not None
            self._implications[stronger, weaker] = known
        return known


def homomorphism(
    source: Iterable[Atom], target: Iterable[Atom], known: Mapping[Variable, Variable]
) -> Substitution | None:
    """Variables for those of `source` (`known`: for some of them), such that each atom becomes one of `target`.

    None if there are none. Source: the backtracking search of Ahrens 2022, section 6.1.
    """
    entries: dict[str, list[tuple[Variable, ...]]] = {}
    for tensor, arguments in target:
        entries.setdefault(tensor, []).append(arguments)
    found: Substitution | None = {**known}
    # Parts that share no unknown variable do not depend on each other: none is searched twice.
    for part in _parts(source, known):
        found = _search(part, entries, found)
        if found is None:
            return None
    return found


def atom_order(atom: Atom) -> tuple[str, tuple[tuple[bool, Variable], ...]]:
    """The key by which atoms are sorted: free variables come before existential ones."""
    return atom.tensor, tuple([(isinstance(variable, int), variable) for variable in atom.arguments])


def _search(
    atoms: list[Atom], entries: Mapping[str, Sequence[tuple[Variable, ...]]], known: Substitution
) -> Substitution | None:
    """Tries every entry for the atom with the fewest that fit, then searches for the other atoms."""
    if not atoms:
        return known
    fewest: list[Substitution] | None = None
    position = 0
    for number, (tensor, arguments) in enumerate(atoms):
        matches = (_matched(arguments, entry, known) for entry in entries.get(tensor, ()))
        fitting = [match for match in matches if match is not None]
        if fewest is None or len(fitting) < len(fewest):
            fewest, position = fitting, number
            if len(fewest) < 2:
                break
    rest = atoms[:position] + atoms[position + 1 :]
    for choice in fewest or ():
        if (found := _search(rest, entries, choice)) is not None:
            return found
    return None


def _matched(arguments: tuple[Variable, ...], entry: tuple[Variable, ...], known: Substitution) -> Substitution | None:
    """The predicate once arguments become those of an entry; None if they cannot."""
    for variable, image in zip(arguments, entry, strict=True):
        before = known.get(variable)
        if before is None:
            known = {**known, variable: image}
        elif before != image:
            return None
    return known


def _parts(atoms: Iterable[Atom], known: Mapping[Variable, Variable]) -> list[list[Atom]]:
    """The atoms in groups that share no unknown variable."""
    groups: list[tuple[set[Variable], list[Atom]]] = []
    for atom in atoms:
        variables = {variable for variable in atom.arguments if variable not in known}
        joined, apart = [atom], list[tuple[set[Variable], list[Atom]]]()
        for group in groups:
            if variables.isdisjoint(group[0]):
                apart.append(group)
            else:
                variables |= group[0]
                joined += group[1]
        groups = [*apart, (variables, joined)]
    return [part for _, part in groups]


def _core(atoms: frozenset[Atom]) -> frozenset[Atom]:
    """Drops atoms as long as the others imply them."""
    fixed = _fixed(atoms)
    loose = [atom for atom in atoms if any(variable not in fixed for variable in atom.arguments)]
    for atom in loose:
        if (folded := homomorphism(loose, atoms - {atom}, fixed)) is not None:
            return _core(frozenset(_substituted(atoms, folded)))
    return atoms


def _fixed(atoms: Collection[Atom]) -> Substitution:
    """Variables that become themselves whenever all atoms become atoms of the same conjunction.

    Most conjunctions of a search are found to be cores by this alone: a tensor has one atom, or is met at free
    variables.
    """
    fixed = _themselves(atoms)
    loose, before = list(atoms), -1
    while len(loose) != before:
        before, waiting = len(loose), loose
        loose = []
        for atom in waiting:
            others = [other for other in atoms if other.tensor == atom.tensor and other != atom]
            if any(_matched(atom.arguments, other.arguments, fixed) is not None for other in others):
                loose.append(atom)
            else:
                fixed.update((variable, variable) for variable in atom.arguments)
    return fixed


def _canonical(atoms: Iterable[Atom], colours: dict[int, int]) -> Conjunction:
    """The atoms sorted and with numbers that only depend on how the existential variables occur.

    Variables that occur alike at first sight are told apart by trying each of them as the first; the least result is
    taken.
    """
    atoms = list(atoms)
    colours = _refined(atoms, colours)
    shared = [colour for colour in colours.values() if list(colours.values()).count(colour) > 1]
    if not shared:
        return tuple(sorted(_substituted(atoms, {**colours}), key=atom_order))
    firsts = [variable for variable, colour in colours.items() if colour == min(shared)]
    results = [_canonical(atoms, {v: 2 * colour + (v != first) for v, colour in colours.items()}) for first in firsts]
    return min(results, key=lambda result: [atom_order(atom) for atom in result])


def _refined(atoms: Sequence[Atom], colours: dict[int, int]) -> dict[int, int]:
    """Tells existential variables apart by the atoms in which they are, until that finds nothing more."""
    while True:
        seen: dict[int, list[tuple[object, int]]] = {variable: [] for variable in colours}
        for tensor, arguments in atoms:
            coloured = atom_order(Atom(tensor, tuple([colours[v] if isinstance(v, int) else v for v in arguments])))
            for position, variable in enumerate(arguments):
                if isinstance(variable, int):
                    seen[variable].append((coloured, position))
        marked = {v: (colours[v], tuple(sorted(marks))) for v, marks in seen.items()}
        ranks = {mark: rank for rank, mark in enumerate(sorted(set(marked.values())))}
        finer = {variable: ranks[mark] for variable, mark in marked.items()}
        if len(ranks) == len(set(colours.values())):
            return finer
        colours = finer


def _themselves(atoms: Iterable[Atom]) -> Substitution:
    """Free variables become themselves."""
    return {variable: variable for atom in atoms for variable in atom.arguments if isinstance(variable, str)}


def _substituted(atoms: Iterable[Atom], names: Substitution) -> list[Atom]:
    """The atoms with other variables."""
    return [Atom(tensor, tuple([names.get(v, v) for v in arguments])) for tensor, arguments in atoms]


def _apart(atoms: Conjunction, others: Conjunction) -> list[Atom]:
    """The atoms with existential variables that others do not have; those of a core are numbered from 0."""
    count = 1 + max((v for atom in others for v in atom.arguments if isinstance(v, int)), default=-1)
    return _substituted(atoms, {v: v + count for atom in atoms for v in atom.arguments if isinstance(v, int)})


def _bound(atoms: Conjunction, variables: Collection[str]) -> list[Atom]:
    """The atoms with existential variables for free ones."""
    free = sorted({v for atom in atoms for v in atom.arguments if isinstance(v, str) and v in variables})
    count = 1 + max((v for atom in atoms for v in atom.arguments if isinstance(v, int)), default=-1)
    return _substituted(atoms, {name: count + number for number, name in enumerate(free)})
