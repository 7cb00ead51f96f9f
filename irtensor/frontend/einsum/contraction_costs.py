"""How long a product of tensors is expected to take, in one loop nest or in several: by sizes and numbers of entries.

Entries are taken to be spread evenly. Times are nanoseconds of one thread, fitted to measured
einsums of two and three operands; only what they are to each other decides anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import expm1, inf, prod, sqrt
from typing import NamedTuple

Labels = tuple[str, ...]

# A step of a loop in vectors, of one along entries, and of one that puts its number among those of a sparse row.
VECTOR, SCALAR, _INSERT = 0.25, 0.8, 2.5
# The additional cost of a number of a gathered row, and of one of a column of an array that fits into the first cache,
# or does not.
_GATHERED, NEAR_LINE, _FAR_LINE = 0.3, 1.0, 1.4
# The additional cost of a row that begins at an address of its own, of an array that fits into no cache near the
# processor.
_ROW, _FAR_ROW = 3.0, 25.0
# Bytes of the first cache, of the second one, and of the part of the last one that a kernel may have.
_FIRST_CACHE, _SECOND_CACHE, _LAST_CACHE = 1 << 15, 1 << 18, 1 << 23
# A step of a product of matrices by BLAS, or in tiled loops; a call of BLAS, and an element that is copied before.
BLAS, _TILED, BLAS_CALL, COPIED = 0.07, 0.12, 4e3, 1.2
# An entry that is put into another order.
_SORTED = 20.0
# The start of an inner loop; an element of a dense intermediate, which is made, filled and read; a sparse one's entry.
_LOOP, _ELEMENT, _ENTRY = 6.0, 1.0, 3.0
# A call of a kernel, and its part of the compilation, for each product in it: 50 ms on a thousand calls.
CALL, COMPILED = 1e4, 5e4


def is_near(size: float, is_often: bool = False) -> bool:
    """Whether so many bytes stay in a cache until they are read, or until they are read often."""
    return size <= (_SECOND_CACHE if is_often else _LAST_CACHE)


class Factor(NamedTuple):
    """A tensor: its labels in the order in which it is stored, outermost first, and how many entries it has.

    `is_sparse` says that products are absent where it has no entry.
    """

    labels: Labels
    is_sparse: bool
    entries: float


class Product(NamedTuple):
    """A product of factors, summed over what `output` lacks: labels of the result in the order in which it is stored.

    `by_blas` says that BLAS computes products of dense factors. `beside` are sparse factors that the sum is multiplied
    by afterwards: it is computed at their entries only.
    """

    factors: tuple[Factor, ...]
    output: Labels
    is_sparse: bool
    extents: Mapping[str, int]
    by_blas: bool = False
    beside: tuple[Factor, ...] = ()

    @property
    def is_sampled(self) -> bool:
        """Whether sparse factors that have no label of the sum say where there are results."""
        labels = [{*factor.labels} for factor in (*self.factors, *self.beside) if factor.is_sparse]
        return {*self.output} == set[str]().union(*labels) and bool(self.output)

    def size(self, labels: Collection[str]) -> float:
        """How many coordinates there are."""
        found, extents = 1, self.extents
        for label in labels:
            found *= extents[label]
        return found

    def share(self, factor: Factor, labels: Collection[str]) -> float:
        """How many of the coordinates of some of a factor's labels have an entry."""
        if not factor.is_sparse:
            return 1.0
        density, hidden = self._density(factor), self.size({*factor.labels} - {*labels})
        return density if hidden == 1 else -expm1(-density * hidden)

    def _density(self, factor: Factor) -> float:
        """How many of the coordinates of a sparse factor have an entry."""
        size = self.size({*factor.labels})
        return min(1.0, factor.entries / size) if size else 0.0

    def steps(self, labels: Collection[str], factors: Sequence[Factor]) -> float:
        """How many coordinates there are at which all factors have entries."""
        found = self.size(labels)
        for factor in factors:
            found *= self.share(factor, labels)
        return found

    def visits(self, labels: Collection[str], factors: Sequence[Factor]) -> float:
        """How many coordinates loops come to that walk factors together.

        Factors without a label of their own skip the coordinates where they lack entries. The number of these
        coordinates is not known: it is between none and the number for entries independent of the others'.
        """
        known, own = set[str](), list[Factor]()
        for factor in factors:
            if not known >= {*factor.labels}:
                known.update(factor.labels)
                own.append(factor)
        return sqrt(self.steps(labels, factors) * self.steps(labels, own))

    def projected(self, factor: Factor) -> Factor:
        """Where a sparse factor has entries, by labels of the result alone."""
        labels = tuple([label for label in factor.labels if label in self.output])
        return Factor(labels, True, self.share(factor, labels) * self.size(labels))

    def result_of(self, factors: Sequence[Factor], needed: Collection[str]) -> Factor:
        """A product of some factors with the labels that others need, as a factor of another product."""
        in_order = sorted(factors, key=lambda factor: not factor.is_sparse)
        union = tuple(dict.fromkeys([label for factor in in_order for label in factor.labels]))
        labels = tuple([label for label in union if label in needed])
        size = self.size(labels)
        if not all([factor.is_sparse for factor in factors]) or not labels:
            return Factor(labels, False, size)
        expected = self.steps(union, factors)
        return Factor(labels, True, -expm1(-expected / size) * size if size else 0.0)

    def pair(self, factors: tuple[Factor, Factor], output: Labels, is_sparse: bool) -> float:
        """The time of one product of two factors in a kernel of its own, or by BLAS."""
        one, two = factors
        if not (one.is_sparse or two.is_sparse or is_sparse):
            both = {*one.labels} & {*two.labels}
            summed = both - {*output}
            # Factors with the same labels are summed row by row.
            is_matrix_product = {*one.labels} != {*two.labels} and summed
            if is_matrix_product and {*output} >= ({*one.labels} | {*two.labels}) - summed:
                copied = COPIED * sum([self._copied(factor, both, output) for factor in factors])
                steps = self.size({*one.labels, *two.labels})
                if self.by_blas:
                    return BLAS_CALL + BLAS * steps + copied
                return CALL + COMPILED + _TILED * steps + copied
        return CALL + COMPILED + self.nest(factors, output, is_sparse)

    def _copied(self, factor: Factor, both: Collection[str], output: Labels) -> float:
        """How many elements are copied before BLAS reads them as a matrix: its own labels are neighbours, as ordered in
        the result."""
        own = [label for label in factor.labels if label not in both]
        first = factor.labels.index(own[0]) if own else 0
        is_matrix = tuple(own) == factor.labels[first : first + len(own)]
        positions = [output.index(label) for label in own]
        is_matrix = is_matrix and positions == [*range(positions[0], positions[0] + len(own))] if own else True
        return 0.0 if is_matrix else factor.entries

    def made(self, factor: Factor) -> float:
        """The time that it takes to make an intermediate and to read it, beside the loops."""
        return factor.entries * (_ENTRY if factor.is_sparse else _ELEMENT)

    def nest(
        self,
        factors: Sequence[Factor],
        output: Labels,
        is_sparse: bool,
        around: Collection[str] = (),
        outside: Sequence[Factor] = (),
    ) -> float:
        """The time of a loop nest; loops over `around` are outside of it, and walk what factors `outside` of it have.

        The innermost loop is the best one that the order of sparse factors allows.
        """
        labels = {*around, *output}.union(*[factor.labels for factor in factors])
        sparse = [factor for factor in factors if factor.is_sparse]
        densities, found = [*map(self._density, sparse)], self.size(labels)
        for density in densities:
            found *= density
        for factor in outside:
            seen = [label for label in factor.labels if label in around]
            if seen and factor.is_sparse:
                found *= self.share(factor, seen)
        inner = labels - {*around}
        if not inner:
            return found * (SCALAR + _LOOP)
        dense = [factor.labels for factor in factors if not factor.is_sparse]
        if not is_sparse:
            dense.append(output)
        walks = [(label, self._walked(label, found, sparse, densities)) for label in inner]
        best = self._in_best_loop(walks, sparse, dense, output, is_sparse)
        if best < inf:
            return best
        # Their orders contradict each other. One is sorted if that is enough, else all but one.
        for number, factor in enumerate(sparse):
            for walk in walks:
                rest = [other for other in factor.labels if other != walk[0]]
                in_order = (*rest, walk[0]) if walk[0] in factor.labels else factor.labels
                others = [*sparse[:number], Factor(in_order, True, factor.entries), *sparse[number + 1 :]]
                time = self._in_best_loop([walk], others, dense, output, is_sparse) + _SORTED * factor.entries
                best = min(best, time)
        entries = [factor.entries for factor in sparse]
        return best if best < inf else found * (SCALAR + _INSERT) + _SORTED * (sum(entries) - max(entries))

    def _walked(self, label: str, found: float, sparse: Sequence[Factor], densities: Sequence[float]) -> float:
        """How many entries an innermost loop over a label walks: of all factors, wherever the others have a row."""
        entries = [density for factor, density in zip(sparse, densities, strict=True) if label in factor.labels]
        if len(entries) < 2:
            return found
        # A row of a factor has an entry at one of its coordinates.
        length = self.extents[label]
        rows = entries if length == 1 else [-expm1(-its * length) for its in entries]
        others = found / prod(entries) if all(entries) else 0.0
        return others * sum([prod(rows) * its / row if row else 0.0 for row, its in zip(rows, entries, strict=True)])

    def _in_best_loop(
        self,
        walks: Sequence[tuple[str, float]],
        sparse: Sequence[Factor],
        dense: Sequence[Labels],
        output: Labels,
        is_sparse: bool,
    ) -> float:
        """The time of the best innermost loop, each over a label and with so many steps; infinite if none may be
        innermost."""
        sparse = [factor for factor in sparse if factor.labels]
        # Loops inside of the outermost one come back to what they have touched.
        first = sparse[-1].labels[:1] if sparse else output[:1]
        touched = [(its, 8 * self.size({*its} - {*first})) for its in dense]
        best = inf
        for label, steps in walks:
            walked = [factor for factor in sparse if label in factor.labels]
            if any([factor.labels[-1] != label for factor in walked]):
                continue
            length = min([float(self.extents[label]), *map(self._length_of_rows, walked)])
            time, start = SCALAR * len(walked) or VECTOR, _LOOP
            if is_sparse and walked and label in output:
                time += _INSERT
            for its, size in touched:
                if label in its:
                    if its[-1] != label:
                        time += NEAR_LINE if size <= _FIRST_CACHE else _FAR_LINE
                    elif walked:
                        time += _GATHERED
                    if size > _SECOND_CACHE:
                        start += _ROW if size <= _LAST_CACHE else _FAR_ROW
            best = min(best, steps * (time + start / max(1.0, length)))
        return best

    def _length_of_rows(self, factor: Factor) -> float:
        return max(1.0, factor.entries / max(1.0, self.size(factor.labels[:-1])))
