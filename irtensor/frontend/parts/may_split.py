"""Which statements several kernels may compute: what the sizes of operands then decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irtensor.core.operators import OPERATORS, STORED
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    Literal,
    Reduce,
    Statement,
    accesses,
    children,
    free_indices,
    remembered,
    walk,
)
from irtensor.frontend.parts.find_parts import has_equal_parts
from irtensor.frontend.parts.product_tree import (
    ProductTree,
    grouped_product,
    has_inner_product,
    has_sum,
    products_of_matrices,
    tree_of,
)
from irtensor.frontend.parts.terms_apart import has_terms

if TYPE_CHECKING:
    from irtensor.frontend.user_operator import UserOperator


def may_split(statement: Statement, is_sparse: bool) -> bool:
    """Whether a statement, with a result that is stored as sparse or not, is computed by several kernels for any
    operands."""
    tree = tree_of(statement.expression)
    if statement.exact or (tree is not None and [type(leaf.expression) for leaf in tree.leaves] == [Access, Access]):
        return False
    least = least_indices(is_sparse)
    products = len(products_of_matrices(statement.expression))
    if has_inner_product(statement.expression) or has_equal_parts(statement) or has_terms(statement.expression):
        return True
    return _may_split(statement.expression, (), statement.target.plain_indices, least, products)


def asks_what_is_stored(expression: Expression, operators: Sequence[UserOperator]) -> bool:
    """Whether an expression depends on which entries are stored, and not on values alone."""
    with_regions = {f"@{one.name}" for one in operators if one.has_regions} | {STORED}
    return any([isinstance(part, Apply) and part.operator in with_regions for part in walk(expression)])


def least_indices(is_sparse: bool) -> int:
    """How many indices a part has at least that is computed before: `tabulate-sums` makes vectors for dense results."""
    return 1 if is_sparse else 2


def _may_split(
    expression: Expression, outer: tuple[str, ...], target: tuple[str, ...], least: int, products: int
) -> bool:
    tree = tree_of(expression)
    if tree is not None and (
        tree.is_chain
        or grouped_product(expression) is not None
        or (tree.matrices() and (tree.has_computed_matrices or not tree.is_in_tiles(products, target, False)))
        or _may_be_across(tree, target)
    ):
        return True
    if isinstance(expression, Reduce) and is_idempotent(expression.operator) and has_sum(expression.body):
        return True
    if tree is None:
        inner = (*outer, *bound_indices(expression))
        parts = [(child, inner) for child in children(expression)]
    else:
        parts = [(leaf.expression, (*outer, *tree.summed_around(leaf))) for leaf in tree.leaves]
        parts += [(quotient, (*outer, *tree.summed)) for quotient in tree.quotients()]
    return any(
        [may_repeat(one, (*its, *target), least) or _may_split(one, its, target, least, products) for one, its in parts]
    )


def _may_be_across(tree: ProductTree, target: tuple[str, ...]) -> bool:
    """Whether a matrix may be read across its rows, in a loop inside of those over another one that has its columns."""
    read = [leaf.expression.plain_indices for leaf in tree.leaves if isinstance(leaf.expression, Access)]
    read = [indices for indices in read if len({*indices}) > 1]
    matrices = [indices for indices in read if len({*indices}) == 2 and indices[0] not in target[:-1]]
    return any([_is_across(indices, other, read, target) for indices in matrices for other in read])


def _is_across(
    matrix: tuple[str, ...], other: tuple[str, ...], read: list[tuple[str, ...]], target: Sequence[str]
) -> bool:
    """Whether a tensor has the columns of a matrix, and not its rows, which something else than the matrix has."""
    row, column = matrix[0], matrix[-1]
    has_rows = row in target or any([row in one for one in read if one is not matrix])
    return column in other and row not in other and has_rows


def may_repeat(part: Expression, around: Sequence[str], least: int) -> bool:
    """Whether loops over more indices than a part has may compute it again, where that takes longer than to read it."""
    labels = free_indices(part)
    is_long = (has_sum(part) and len(labels) >= least) or (functions_in(part) and labels) or reads_several(part)
    return bool(is_long) and len({*around} - {*labels}) > 0


def is_idempotent(reduction: str | None) -> bool:
    """Whether a reduction of equal values is that value: a list of the others is enough for it."""
    operator = OPERATORS.get(reduction or "")
    return operator is not None and operator.idempotent


def reads_several(part: Expression) -> bool:
    """Whether a part is computed from elements of several tensors, with rows of its own, or by a division."""
    return (
        isinstance(part, Apply)
        and not has_sum(part)
        and len({*accesses(part)}) > 1
        and (any([len({*access.indices}) > 1 for access in accesses(part)]) or divisions_in(part) > 0)
    )


@remembered
def functions_in(expression: Expression) -> int:
    """How many functions of elements are in an expression, beside its sums; a power of a number takes less time."""
    if isinstance(expression, Reduce):
        return 0
    return _is_function(expression) + sum(map(functions_in, children(expression)))


@remembered
def divisions_in(expression: Expression) -> int:
    """How many divisions and roots of elements are in an expression, beside its sums."""
    if isinstance(expression, Reduce):
        return 0
    operator = OPERATORS.get(expression.operator) if isinstance(expression, Apply) else None
    own = operator is not None and operator.divides
    return own + sum(map(divisions_in, children(expression)))


def _is_function(expression: Expression) -> bool:
    if not isinstance(expression, Apply) or any([isinstance(one, Literal) for one in expression.arguments]):
        return False
    operator = OPERATORS.get(expression.operator)
    return operator is not None and operator.takes_long


def bound_indices(expression: Expression) -> tuple[str, ...]:
    """The indices of a sum; none of other expressions."""
    return expression.indices if isinstance(expression, Reduce) else ()
