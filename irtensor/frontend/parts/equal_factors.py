"""Products of equal sums that are written as one: of `A[i,j] * x[j] * A[i,k] * x[k]` over j and k, both are equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from irtensor.frontend.expression_tree import Apply, Expression, Literal, Reduce, accesses, free_indices
from irtensor.frontend.parts.equal_parts import form_of
from irtensor.frontend.parts.product_tree import Leaf, ProductTree, multiplied, without_ones
from irtensor.frontend.parts.split_chain import applied

# An index, the factors that have it, and their sum over it.
_Sum = tuple[str, list[Leaf], Reduce]


def with_equal_sums(tree: ProductTree) -> ProductTree | None:
    """The product in which factors are summed that others are equal to; None where there are none.

    Sums of sums are found from the inside, so that the largest ones are equal in the end. A sum that stands there
    several times at the same indices is the base of a power.
    """
    tensors = Counter([access.tensor for leaf in tree.leaves for access in accesses(leaf.expression)])
    found: ProductTree | None = None
    if len(tree.summed) > 1 and len(tensors) < sum(tensors.values()):
        while (more := _with_some(found or tree)) is not None:
            found = more
    return found


def expression_of(tree: ProductTree) -> Expression:
    """The expression that is the product: its sum, and the factors behind it that are not summed."""
    ordered = sorted(tree.leaves, key=lambda leaf: leaf.divides)
    summed = [leaf for leaf in tree.leaves if tree.is_summed(leaf)]
    if not summed:
        return multiplied(ordered, tree.multiplication)
    if all([leaf.divides for leaf in summed]):
        summed = ordered
    elif summed[0].divides:
        summed.sort(key=lambda leaf: leaf.divides)
    product = multiplied(summed, tree.multiplication)
    if tree.addition is not None:
        product = Reduce(tree.addition, tree.summed, product)
    others = [leaf for leaf in tree.leaves if leaf not in summed]
    return applied(product, without_ones(others, tree.multiplication), tree.multiplication)


def _with_some(tree: ProductTree) -> ProductTree | None:
    """The product with sums over one index each that are equal, and have no factor in common."""
    assert tree.addition is not None
    sums: dict[Hashable, list[_Sum]] = {}
    for label in tree.summed:
        having = [leaf for leaf in tree.leaves if label in free_indices(leaf.expression)]
        having.sort(key=lambda leaf: (leaf.divides, repr(form_of(leaf.expression).shape)))
        if not having[0].divides:
            part = Reduce(tree.addition, (label,), multiplied(having, tree.multiplication))
            sums.setdefault(form_of(part).shape, []).append((label, having, part))
    for equal in sums.values():
        taken = [leaf for _, having, _ in equal for leaf in having]
        if len(equal) > 1 and len({*map(id, taken)}) == len(taken):
            labels = {label for label, _, _ in equal}
            left = [leaf for leaf in tree.leaves if not any([leaf is one for one in taken])]
            summed = tuple([label for label in tree.summed if label not in labels])
            return tree._replace(leaves=(*_powers(equal, tree.multiplication), *left), summed=summed)
    return None


def _powers(equal: Sequence[_Sum], multiplication: str) -> list[Leaf]:
    """The sums as factors, those at the same indices as one."""
    if multiplication != "mul":
        return [Leaf(part) for _, _, part in equal]
    at: dict[tuple[str, ...], list[Reduce]] = {}
    for _, _, part in equal:
        at.setdefault(form_of(part).free, []).append(part)
    return [Leaf(its[0] if len(its) == 1 else Apply("pow", (its[0], Literal(len(its))))) for its in at.values()]
