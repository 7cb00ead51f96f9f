"""Whether a product of more than two tensors is computed by one kernel or in pairs, and in which pairs: the least time
decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from math import inf
from typing import NamedTuple

from irtensor.frontend.einsum.contraction_costs import CALL, COMPILED, Factor, Labels, Product

# What a product of products multiplies: factors by number, and other products.
Tree = tuple["int | Tree", ...]
# The best pairs of so many factors are searched for among all. More are paired two by two.
_MOST = 5
# Pairs are taken for one kernel only where they are expected to take at most this part of its time.
_CLEARLY = 0.8
# Why an intermediate may not be made, if so; the second argument says whether it is a dense one of sparse factors.
Refusal = Callable[[Factor, bool], str | None]
# Reasons against products of products, for people to read.
NO_LESS = "one factor has all indices, so that a product of two takes as many steps as that of all"
MORE_ENTRIES = "an intermediate would have entries that operands or a sparse result have not"
MORE_MEMORY = "an intermediate would take more than 256 MB, and more than operands and result do"


class Choice(NamedTuple):
    """The best products of products, with their time and that of one kernel, in nanoseconds.

    `intermediates` are the tensors between them, in the order in which they are made; `is_mixed` says that one of these
    is dense where sparse factors have no entries. `refused` says why others were not taken.
    """

    tree: Tree
    in_pairs: float
    at_once: float
    intermediates: tuple[Factor, ...]
    is_mixed: bool
    refused: frozenset[str] = frozenset()

    @property
    def splits(self) -> bool:
        """Whether several kernels are better than one."""
        return bool(self.intermediates) and is_clearly_less(self.in_pairs, self.at_once)

    @property
    def path(self) -> tuple[tuple[int, ...], ...]:
        """The steps as `numpy.einsum_path` gives them: a single one for one kernel."""
        if not self.splits:
            return (tuple(sorted(leaves(self.tree))),)
        current: list[int | Tree] = sorted(leaves(self.tree))
        path: list[tuple[int, ...]] = []
        for node in _nodes(self.tree):
            taken = sorted([current.index(child) for child in node])
            path.append(tuple(taken))
            current = [one for position, one in enumerate(current) if position not in taken] + [node]
        return tuple(path)

    def without_pairs(self, reason: str) -> Choice:
        """The choice of one kernel, as there is a reason against pairs."""
        tree = tuple(sorted(leaves(self.tree)))
        return Choice(tree, inf, self.at_once, (), False, self.refused | {reason})


def is_clearly_less(in_parts: float, at_once: float) -> bool:
    """Whether several kernels are taken for one, by their times."""
    return in_parts < _CLEARLY * at_once


def choose(whole: Product, refusal: Refusal) -> Choice:
    """The best pairs beside one kernel; only intermediates are made that have no `refusal`."""
    return _Chooser(whole, refusal).choice()


class _Part(NamedTuple):
    """Some of the factors, multiplied: the time that it takes, how, and the result as a factor."""

    time: float
    tree: int | Tree
    factor: Factor
    members: frozenset[int]


class _Chooser:
    def __init__(self, whole: Product, refusal: Refusal) -> None:
        self._whole = whole
        self._refusal = refusal
        self._refused: set[str] = set()
        self._all = frozenset(range(len(whole.factors)))
        self._results: dict[frozenset[int], Factor] = {}
        # The times of loops for trees of sums, by all that decides about them.
        self._nests: dict[tuple[object, ...], float] = {}

    def choice(self) -> Choice:
        parts = [_Part(0.0, number, factor, frozenset((number,))) for number, factor in enumerate(self._whole.factors)]
        if len(parts) > 2 and self._goes_along_a_factor():
            self._refused.add(NO_LESS)
            best = _Part(inf, tuple(range(len(parts))), parts[0].factor, self._all)
        else:
            best = self._of_all(parts) if len(parts) <= _MOST else self._two_by_two(parts)
        tree = best.tree if isinstance(best.tree, tuple) else (best.tree,)
        inner = [frozenset(leaves(node)) for node in _nodes(tree)][:-1]
        made = [self._result(members) for members in inner]
        is_mixed = any([self._mixes(members, factor) for members, factor in zip(inner, made, strict=True)])
        in_pairs = best.time if best.time == inf else self._laid_out(tree, made)
        return Choice(
            tree, in_pairs, self._at_once(self._all, best.tree), tuple(made), is_mixed, frozenset(self._refused)
        )

    def _goes_along_a_factor(self) -> bool:
        """Whether one factor has all labels: the product with that one goes through as much as one kernel does."""
        labels = [{*factor.labels} for factor in self._whole.factors]
        return set[str]().union(*labels) in labels

    def _laid_out(self, tree: Tree, made: list[Factor]) -> float:
        """The time of a tree, after dense intermediates have got the order of labels that takes the least of it.

        The labels of the result are the last ones, as in a row of results, or the first ones, as of a row that is
        summed.
        """
        time = self._time_of(tree, made)
        for number, factor in enumerate(made):
            kept = [label for label in factor.labels if label not in self._whole.output]
            own = [label for label in self._whole.output if label in factor.labels]
            for labels in () if factor.is_sparse else ((*kept, *own), (*own, *kept)):
                other = [*made[:number], factor._replace(labels=labels), *made[number + 1 :]]
                if labels != made[number].labels and (less := self._time_of(tree, other)) < time:
                    made[:], time = other, less
        return time

    def _time_of(self, tree: Tree, made: Sequence[Factor]) -> float:
        """The time of a tree with these intermediates, in the order in which they are made."""
        whole, results, time = self._whole, dict[Tree, Factor](), 0.0
        for node, factor in zip(_nodes(tree), [*made, None], strict=True):
            read = tuple([results[child] if isinstance(child, tuple) else whole.factors[child] for child in node])
            output, is_sparse = (whole.output, whole.is_sparse) if factor is None else (factor.labels, factor.is_sparse)
            time += 0.0 if factor is None else whole.made(factor)
            time += self._kernel(read, output, is_sparse, is_last=factor is None)
            if factor is not None:
                results[node] = factor
        return time

    def _of_all(self, parts: Sequence[_Part]) -> _Part:
        """The best way to multiply all, from the best ways to multiply fewer."""
        best: dict[frozenset[int], _Part] = {part.members: part for part in parts}
        for count in range(2, len(parts) + 1):
            for chosen in combinations(range(len(parts)), count):
                members = frozenset(chosen)
                found = self._best_way(members, best)
                if members == self._all and self._may_end_in_more():
                    found = min([found, *self._with_rest(best, found.time)], key=lambda part: part.time)
                if found.time < inf:
                    best[members] = found
        return best.get(self._all) or _Part(inf, tuple(range(len(parts))), parts[0].factor, self._all)

    def _best_way(self, members: frozenset[int], best: dict[frozenset[int], _Part]) -> _Part:
        """The best way to multiply some factors: as two products, or three of them in one kernel."""
        first, *others = sorted(members)
        pairs: list[tuple[float, int, _Part, _Part]] = []
        for count in range(len(others)):
            for chosen in combinations(others, count):
                left, right = best.get(part := frozenset((first, *chosen))), best.get(members - part)
                if left is not None and right is not None:
                    pairs.append((left.time + right.time, len(pairs), left, right))
        found, number = _Part(inf, (first, *others), self._whole.factors[first], members), len(pairs)
        # What takes little before is looked at first: little is left to look at then. Of equal ones the first is taken.
        for before, its, left, right in sorted(pairs, key=lambda pair: pair[:2]):
            if before >= found.time:
                break
            pair = self._pair(left, right)
            if (pair.time, its) < (found.time, number):
                found, number = pair, its
        if len(members) == 3 < len(self._all) and any([part.is_sparse for part in self._whole.factors]):
            factor = self._result(members)
            is_allowed = self._is_allowed(factor, members) and _called(3) < found.time
            if is_allowed and (time := self._at_once(members, None)) < found.time:
                return _Part(time, (first, *others), factor, members)
        return found

    def _may_end_in_more(self) -> bool:
        """Whether one kernel for more than two factors may be the last one: a sparse result has the entries of sparse
        factors then."""
        whole = self._whole
        return whole.is_sampled if whole.is_sparse else any([part.is_sparse for part in whole.factors])

    def _with_rest(self, best: dict[frozenset[int], _Part], time: float) -> Iterator[_Part]:
        """Ways in less time that end in one kernel for more than two factors: a sparse one and those that it samples
        are not two products."""
        whole, ways = self._whole, list[tuple[float, Sequence[_Part]]]()
        for blocks in _partitions(sorted(self._all)):
            if 2 < len(blocks) < len(self._all) and all([block in best for block in blocks]):
                parts = [best[block] for block in blocks]
                ways.append((sum([part.time for part in parts]), parts))
        # What takes little before is looked at first: little is left to look at then.
        for before, parts in sorted(ways, key=lambda way: way[0]):
            if before + _called(len(parts)) < time:
                read = [part.factor for part in parts]
                before += self._kernel(read, whole.output, whole.is_sparse, is_last=True)
                time = min(time, before)
                yield _Part(before, tuple([part.tree for part in parts]), parts[0].factor, self._all)

    def _kernel(self, factors: Sequence[Factor], output: Sequence[str], is_sparse: bool, *, is_last: bool) -> float:
        """The time of a kernel, or of BLAS, for these factors; some may be intermediates."""
        whole = self._whole
        if len(factors) == 2 and not (is_last and whole.beside):
            return whole.pair((factors[0], factors[1]), tuple(output), is_sparse)
        beside = whole.beside if is_last else ()
        one = _Chooser(Product(tuple(factors), tuple(output), is_sparse, whole.extents, beside=beside), self._refusal)
        return one._at_once(one._all, None)

    def _two_by_two(self, parts: Sequence[_Part]) -> _Part:
        """Of many factors, the pair that takes the least time is multiplied first."""
        left = list(parts)
        known: dict[frozenset[int], _Part] = {}
        while len(left) > 1:
            pairs: list[_Part] = []
            for one, two in combinations(left, 2):
                members = one.members | two.members
                if members not in known:
                    known[members] = self._pair(one, two)
                pairs.append(known[members])
            taken = min(pairs, key=lambda part: (part.time, part.factor.entries))
            left = [*[part for part in left if not part.members <= taken.members], taken]
        return left[0]

    def _result(self, members: frozenset[int]) -> Factor:
        if (known := self._results.get(members)) is not None:
            return known
        factors = [self._whole.factors[number] for number in sorted(members)]
        others = [self._whole.factors[number].labels for number in self._all - members]
        found = self._results[members] = self._whole.result_of(factors, {*self._whole.output}.union(*others))
        return found

    def _pair(self, one: _Part, two: _Part) -> _Part:
        whole, members = self._whole, one.members | two.members
        factors = one.factor, two.factor
        if members == self._all:
            factor, output, is_sparse = Factor((), False, 1.0), whole.output, whole.is_sparse
        else:
            factor = self._result(members)
            if not self._is_allowed(factor, members):
                return _Part(inf, (one.tree, two.tree), factor, members)
            output, is_sparse = factor.labels, factor.is_sparse
        is_last = members == self._all
        time = one.time + two.time + self._kernel(factors, output, is_sparse, is_last=is_last)
        if not is_last:
            time += whole.made(factor)
        return _Part(time, (one.tree, two.tree), factor, members)

    def _is_allowed(self, factor: Factor, members: frozenset[int]) -> bool:
        why = self._refusal(factor, self._mixes(members, factor))
        if why is not None:
            self._refused.add(why)
        return why is None

    def _mixes(self, members: frozenset[int], factor: Factor) -> bool:
        """Whether a product of some factors is dense where a sparse one of them has no entry."""
        return not factor.is_sparse and any([self._whole.factors[number].is_sparse for number in members])

    def _at_once(self, members: frozenset[int], tree: int | Tree | None) -> float:
        """The time of one kernel, which may compute sums of its own first, one row of them at a time."""
        numbers = sorted(members)
        if members == self._all and (self._whole.beside or (self._whole.is_sparse and self._whole.is_sampled)):
            factors = [*self._whole.factors, *self._whole.beside]
            time = self._whole.nest(factors, self._whole.output, self._whole.is_sparse)
            return time + _called(len(numbers))
        trees: list[Tree] = [tuple(numbers)]
        if len(numbers) == 3:
            a, b, c = numbers
            trees += [((a, b), c), ((a, c), b), ((b, c), a)]
        elif isinstance(tree, tuple):
            trees.append(tree)
        factor = self._result(members) if members != self._all else None
        output = self._whole.output if factor is None else factor.labels
        is_sparse = self._whole.is_sparse if factor is None else factor.is_sparse
        outside: list[Factor] = []
        time = min([self._nested(one, output, is_sparse, frozenset(), outside) for one in trees])
        return time + _called(len(numbers))

    def _nested(
        self, tree: Tree, output: Sequence[str], is_sparse: bool, around: frozenset[str], outside: Sequence[Factor]
    ) -> float:
        """The time of the loops for a tree of sums, inside of loops `around` them.

        A sum is computed inside of the loops over all of its labels but one, and stored in a row over that one.
        """
        key = tree, (*output,), is_sparse, around, (*outside,)
        if key not in self._nests:
            self._nests[key] = self._time_of_nest(*key)
        return self._nests[key]

    def _time_of_nest(
        self, tree: Tree, output: Labels, is_sparse: bool, around: frozenset[str], outside: Sequence[Factor]
    ) -> float:
        whole = self._whole
        inner = {number: self._sparse_in(child) for number, child in enumerate(tree) if isinstance(child, tuple)}
        children = [self._result(frozenset(leaves(c))) if isinstance(c, tuple) else whole.factors[c] for c in tree]
        own = [*children, *[factor for factors in inner.values() for factor in factors]]
        own = [factor for number, factor in enumerate(own) if factor.is_sparse and number not in inner]
        others = {n: [f for k, f in enumerate(children) if k != n and f.is_sparse] for n in inner}
        rows = [[None, *[label for label in children[n].labels if label not in around]] for n in inner]
        best = inf
        for chosen in product(*rows):
            loops = around.union(*[{*children[n].labels} - {row} for n, row in zip(inner, chosen, strict=True)])
            if not all([_follows(factor, loops) for factor in own]) or any([row in loops for row in chosen]):
                continue
            read = list(children)
            for (n, factors), row in zip(inner.items(), chosen, strict=True):
                labels = tuple([label for label in children[n].labels if label != row]) + ((row,) if row else ())
                read[n] = Factor(labels, children[n].is_sparse, children[n].entries)
                if row is None:
                    # Loops skip what the sum has no terms for.
                    read += [factor for factor in factors if loops >= {*factor.labels}]
            time = whole.nest(read, output, is_sparse, loops, outside)
            for (n, factors), row in zip(inner.items(), chosen, strict=True):
                if time >= best:
                    break
                below = tree[n]
                assert isinstance(below, tuple)
                # Entries are put into a row that knows which of its coordinates have some.
                row_sparse = row is not None and any([row in factor.labels for factor in factors])
                time += self._nested(below, (row,) if row else (), row_sparse, loops, [*outside, *others[n]])
            best = min(best, time)
        return best

    def _sparse_in(self, tree: Tree) -> list[Factor]:
        """The sparse factors of a sum."""
        factors = [self._whole.factors[number] for number in leaves(tree)]
        return [factor for factor in factors if factor.is_sparse]


def _called(count: int) -> float:
    """The time of a kernel of so many factors beside its loops."""
    return CALL + COMPILED * (count - 1)


def _follows(factor: Factor, loops: frozenset[str]) -> bool:
    """Whether loops may be outside of those over the other labels of a sparse factor."""
    seen = [label in loops for label in factor.labels]
    return seen == sorted(seen, reverse=True)


def _partitions(members: Sequence[int]) -> Iterator[list[frozenset[int]]]:
    """All ways to divide members among nonempty sets."""
    if not members:
        yield []
        return
    last = members[-1]
    for blocks in _partitions(members[:-1]):
        yield [*blocks, frozenset((last,))]
        for number, block in enumerate(blocks):
            yield [*blocks[:number], block | {last}, *blocks[number + 1 :]]


def _nodes(tree: int | Tree) -> Iterator[Tree]:
    """The products in a tree, inner ones first."""
    if isinstance(tree, tuple):
        for child in tree:
            yield from _nodes(child)
        yield tree


def leaves(tree: int | Tree) -> Iterator[int]:
    """The factors of a tree."""
    if isinstance(tree, tuple):
        for child in tree:
            yield from leaves(child)
    else:
        yield tree
