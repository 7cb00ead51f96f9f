"""`separate-terms`: a sum of terms that several sparse operands have together becomes a sum for each operand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import remark
from irtensor.dialects.algebra.algebra import ApplyOp, ConstantOp, find_operator, operator_of
from irtensor.dialects.index_notation.index_notation import AccessOp, ReduceOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import create_operation, create_region
from irtensor.passes.analysis.chains import Chain, Factor, chain_of
from irtensor.passes.analysis.distribution import distributes_over_sum
from irtensor.passes.analysis.equal_lists import first_with_entries
from irtensor.passes.analysis.find_expression import term_of
from irtensor.passes.analysis.terms_of_sums import (
    computing,
    copied_over,
    may_change_terms,
    ranges_of,
    sums_to_change,
)
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.insertion import Insertion
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

# A list that a term reads: the operand whose entries it has, and the indices.
_List = tuple[SSAValue, tuple[SSAValue, ...]]


class SeparateTermsPass(TensorPass):
    """Take a sum of terms with entries of different operands as a sum for each of these, and add up the sums.

    Before: `reduce add (%j) { mul(add(%A[%i, %j], %B[%i, %j]), %x[%j]) }` of sparse `%A` and `%B`
    After:  `add(reduce add (%j) { mul(%A[%i, %j], %x[%j]) }, reduce add (%j) { mul(%B[%i, %j], %x[%j]) })`
    The same for other operators that combine the terms as the reduction does, with and without factors beside them.
    Never more work: each entry of `%A` and of `%B` is visited once, as by a merge, and nothing is compared. Only dense
    elements are read beside the terms, again where both have an entry, in less time than a merge takes.
    Not for terms that read the same list, which are computed from one walk along it, and not with factors that are
    sparse, sums or functions, which would be computed again. Not for differences: the digits that cancel in
    `%A[%i, %j] - %B[%i, %j]` would be lost in sums of either. Not for terms without an index of the
    reduction, whose extent nothing would say. Not where sums keep their order, not for sparse results, and not beside
    `stored`.
    """

    name = "separate-terms"
    accepts = ("index_notation",)
    leaves = ("index_notation",)
    # Each sum may be in loops in whose order an operand is not stored.
    needs = "conversions"
    after = {"narrow-sums": "a factor with an index of its own is a sum then, which is computed once"}
    before = {
        "share-equal-sums": "the new sums may be equal to others",
        "concretize": "sums become loops there",
    }

    def on_function(self, function: FuncOp) -> None:
        lists = _Lists(function)
        for reduction in sums_to_change(function):
            _separate(reduction, lists)


class _Lists:
    """Which lists the terms of a function read: operands that store the same coordinates have the same list."""

    def __init__(self, function: FuncOp) -> None:
        self._first = first_with_entries(function)

    def of(self, operations: Sequence[Operation], reduction: ReduceOp) -> set[_List]:
        """The lists that operations read along an index of a reduction; others are not walked in its loops."""
        own = {*reduction.indices}
        accesses = [access for op in operations for access in operations_in(op, AccessOp) if _is_sparse(access)]
        reads = [access for access in accesses if not own.isdisjoint(access.indices)]
        return {(self._first.get(access.tensor, access.tensor), (*access.indices,)) for access in reads}


def _is_sparse(access: AccessOp) -> bool:
    return not format_of(access.tensor.type).is_dense


def _separate(reduction: ReduceOp, lists: _Lists) -> None:
    for terms, beside in _sums_in(reduction):
        groups = _groups(terms, reduction, lists)
        if len(groups) > 1 and _have_extents(groups, beside, reduction):
            _put_apart(reduction, terms, groups)
            return


def _sums_in(reduction: ReduceOp) -> Iterator[tuple[Chain, list[SSAValue]]]:
    """What a reduction combines, or a factor of it, if it is combined from terms in the same way; and the factors
    beside it."""
    chain = _chain_of(reduction.value, reduction)
    if chain is None:
        return
    sum = find_operator(reduction.operator, reduction)
    if chain.product is sum:
        yield chain, []
    elif distributes_over_sum(chain.product, sum, reduction.result.type):
        for factor in chain.factors:
            terms = None if factor.divides else _chain_of(factor.value, reduction)
            others = [one.value for one in chain.factors if one is not factor]
            if terms is not None and terms.product is sum and all(_is_cheap(other, reduction) for other in others):
                yield terms, others


def _chain_of(value: SSAValue, reduction: ReduceOp) -> Chain | None:
    op = value.owner
    if not isinstance(op, ApplyOp) or op.parent is not reduction.body.block or not op.result.has_one_use():
        return None
    chain = chain_of(op)
    return chain if chain is not None and may_change_terms(reduction, op, chain.operations) else None


def _is_cheap(factor: SSAValue, reduction: ReduceOp) -> bool:
    """Whether a factor is computed in no time from dense elements."""
    return all(
        isinstance(op, ConstantOp)
        or (isinstance(op, AccessOp) and not _is_sparse(op))
        or (isinstance(op, ApplyOp) and not operator_of(op).takes_long)
        for op in computing(factor, reduction)
    )


def _groups(terms: Chain, reduction: ReduceOp, lists: _Lists) -> list[list[Factor]]:
    """The terms, those together that read the same lists; none if some are subtracted."""
    if any(term.divides for term in terms.factors):
        return []
    groups: list[tuple[set[_List], list[Factor]]] = []
    for term in terms.factors:
        read, group = lists.of(computing(term.value, reduction), reduction), [term]
        for other in [one for one in groups if read & one[0] or read == one[0]]:
            groups.remove(other)
            read, group = read | other[0], [*other[1], *group]
        groups.append((read, group))
    return [group for _, group in groups]


def _have_extents(groups: Sequence[Sequence[Factor]], beside: Sequence[SSAValue], reduction: ReduceOp) -> bool:
    """Whether the sum of each group reads an operand along every index: nothing else says how long that is."""
    values = [[*beside, *(term.value for term in group)] for group in groups]
    return all({*reduction.indices} <= set[SSAValue]().union(*map(ranges_of, one)) for one in values)


def _put_apart(reduction: ReduceOp, terms: Chain, groups: Sequence[Sequence[Factor]]) -> None:
    """Combine a reduction for each group of its terms."""
    before, emit = str(term_of(reduction.result)), Insertion(reduction)
    sums = [emit.insert(_sum_of(reduction, terms, group)) for group in groups]
    combined = sums[0]
    for other in sums[1:]:
        op = create_operation(ApplyOp, (combined, other), (combined.type,), {"operator": reduction.operator})
        op.location = reduction.location
        combined = emit.insert(op)
    texts = " and ".join(str(term_of(one)) for one in sums)
    remark(f"{before} is computed as {texts}", reduction, by=SeparateTermsPass.name, about=[before])
    reduction.result.replace_all_uses_with(combined)
    Rewriter.erase_op(reduction)


def _sum_of(reduction: ReduceOp, terms: Chain, group: Sequence[Factor]) -> ReduceOp:
    """A reduction that has only some of the terms."""
    block, renamed = copied_over(reduction.indices, operations_of(reduction.body.block))
    root = renamed[terms.root.result]
    assert isinstance(root.owner, ApplyOp)
    own = [replace(term, value=renamed[term.value]) for term in group]
    root.replace_all_uses_with(terms.combined(own, Insertion(root.owner)))
    found = ReduceOp(reduction.operator, create_region(block), reduction.result.type)
    found.location = reduction.location
    erase_unused(operations_of(found.body.block))
    return found
