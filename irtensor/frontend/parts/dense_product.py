"""A sum that is a product of two dense matrices, and the times that BLAS and loops take for it where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from irtensor.frontend.einsum.contraction_choice import is_clearly_less
from irtensor.frontend.einsum.contraction_costs import BLAS, CALL, COMPILED, Factor
from irtensor.frontend.expression_tree import Access, Apply, Expression, Reduce, children, free_indices, in_numbers
from irtensor.frontend.parts.part_context import PartContext
from irtensor.frontend.parts.part_times import PartTimes
from irtensor.frontend.parts.product_tree import Leaf, ProductTree, stored_order

# A step of a product in tiles where it stands, which BLAS may compute instead, and in loops that sum up row by row.
_TILED, _BY_ROWS = 0.105, 0.16
# A step by BLAS, or row by row, takes twice as long with so few rows, columns, or terms of a sum.
_NARROW = 16
# What a step of a product in tiles takes longer where an element of its row, or of its column, is computed in it.
_OF_ROW, _OF_COLUMN = 0.05, 0.025


class DenseProduct(NamedTuple):
    """A product of matrices, with its indices in the order in which a tensor of it is read.

    `computed` are the matrices that are tensors of their own before. `is_before` says that the product is one as well:
    not if it is all of a statement, or loops compute it in tiles, which take as long as BLAS. Times are nanoseconds.
    """

    product: Reduce
    labels: tuple[str, ...]
    computed: Sequence[Expression]
    is_before: bool
    context: PartContext
    by_blas: float
    in_loops: float

    @property
    def is_less(self) -> bool:
        """Whether BLAS takes less time."""
        return is_clearly_less(self.by_blas, self.in_loops)

    @staticmethod
    def of(
        tree: ProductTree, matrices: tuple[Leaf, Leaf], context: PartContext, times: PartTimes, is_all: bool
    ) -> DenseProduct | None:
        """The product of two leaves of a tree in a context, all of a statement or not; None where loops take less time
        whatever the sizes are, or BLAS computes no such matrices."""
        tensors, factors = times.tensors, [leaf.expression for leaf in matrices]
        product = Reduce("add", tree.summed, Apply("mul", (factors[0], factors[1])))
        others = tuple([leaf for leaf in tree.leaves if leaf not in matrices])
        at = times.beside(ProductTree(None, "mul", (Leaf(product), *others), ()), Leaf(product), context)
        computed = [factor for factor in factors if not isinstance(factor, Access)]
        is_alone = is_all and not others
        in_tiles = tree.is_in_tiles(at.products, at.output, at.is_inner)
        read: dict[Expression, Leaf] = {one: Leaf(tensors.stand_in(stored_order(one))) for one in computed}
        reading = tree._replace(leaves=tuple([read.get(leaf.expression, leaf) for leaf in tree.leaves]))
        may_stay = is_alone or (bool(computed) and reading.is_in_tiles(at.products, at.output, at.is_inner))
        is_for_blas = tensors.sizes.dtype.kind in "fc" and all([*map(tensors.may_be_array, factors)])
        if not is_for_blas or (is_alone and not computed):
            return None
        if not all([times.may_be_tensor(one, at) for one in [*computed, *([] if may_stay else [product])]]):
            return None
        labels = times.ordered(free_indices(product), at)
        found = DenseProduct(product, labels, computed, not may_stay, at, 0.0, 0.0)
        return found._timed(times, in_tiles, is_alone)

    def _timed(self, times: PartTimes, in_tiles: bool, is_alone: bool) -> DenseProduct:
        """The same with the times of all of it, by BLAS or in tiles, and of loops for what they come to.

        Tiles compute again what a matrix is computed from.
        """
        tensors, labels, factors = times.tensors, self.labels, children(self.product.body)
        one, two = (Factor(its, False, tensors.size(its)) for its in map(free_indices, factors))
        whole = tensors.product((one, two), labels, by_blas=True)
        steps = tensors.size(tuple({*one.labels, *two.labels}))
        narrow = 1 + _NARROW / max(1, min(map(tensors.size, _dimensions(one.labels, two.labels))))
        tiles, by_blas = _TILED * steps, whole.pair((one, two), labels, False) + BLAS * steps * (narrow - 1)
        is_before = self.is_before
        if not is_before and not is_alone:
            is_before = by_blas + _made([self.product], times) < tiles and times.may_be_tensor(
                self.product, self.context
            )
            by_blas = by_blas if is_before else tiles
        if in_tiles:
            made_again = [made for made in factors if made in self.computed]
            in_loops = tiles + steps * sum(
                [_OF_COLUMN if stored_order(made)[-1] in labels else _OF_ROW for made in made_again]
            )
        else:
            in_loops = _BY_ROWS * steps * narrow + sum(
                [
                    times.at_each(factor) * steps
                    for factor, other in (factors, factors[::-1])
                    if stored_order(other)[-1] not in labels
                ]
            )
        in_loops *= times.visits(self.product, labels, self.context) / max(1.0, tensors.size(labels))
        by_blas += _made([*self.computed, *([self.product] if is_before else [])], times)
        return self._replace(by_blas=by_blas, in_loops=in_loops, is_before=is_before)


def _made(tensors: Sequence[Expression], times: PartTimes) -> float:
    """The time of making and reading tensors; equal ones are one."""
    different = {in_numbers(one): one for one in tensors}.values()
    return sum([CALL + COMPILED + times.made(free_indices(one)) for one in different])


def _dimensions(left: tuple[str, ...], right: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The labels of the rows and of the columns of a product of matrices, and those that are summed."""
    yield tuple([label for label in left if label not in right])
    yield tuple([label for label in right if label not in left])
    yield tuple([label for label in left if label in right])
