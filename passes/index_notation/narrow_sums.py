"""`narrow-sums`: a sum over indices that only some factors of its terms have becomes a sum of these factors."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import permutations

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import remark
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.index_notation.index_notation import AccessOp, ReduceOp, YieldOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import append_operation, create_region
from irtensor.passes.analysis.chains import Chain, Factor, chain_of
from irtensor.passes.analysis.distribution import distributes_over_sum
from irtensor.passes.analysis.equal_values import Values
from irtensor.passes.analysis.find_expression import term_of
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.mirrored_statements import exchanged_names
from irtensor.passes.analysis.symmetric_access import MOST_DIMENSIONS
from irtensor.passes.analysis.terms_of_sums import computing, copied_over, indices_of, may_change_terms, sums_to_change
from irtensor.passes.support.emit import move_before
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.insertion import Insertion
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass

# Factors of a chain, and the indices that their product is summed over by itself.
_Group = tuple[list[Factor], list[BlockArgument]]


class NarrowSumsPass(TensorPass):
    """Sum factors over the indices that no other factor has, before they are multiplied by the others.

    Before: `reduce add (%k, %j) { mul(%A[%i, %k], %B[%k, %j]) }`
    After:  `reduce add (%k) { mul(%A[%i, %k], reduce add (%j) { %B[%k, %j] }) }`
    Factors are taken together that indices of the sum connect: a sum of `A[i,j] * x[j] * B[i,k] * z[k]` over `j` and
    `k` is a product of two. So are those that give the same number, as of `A[i,j] * x[j] * A[i,k] * x[k]` over `i` as
    well. In which order other factors of one sum are multiplied is for other rules to choose.
    Sums that are written directly in one another are one before. The same for other operators, where the one that
    combines the factors distributes over the reduction.
    Indices stay in one sum that may be exchanged, as those of `x[i] * A[i,j] * x[j]` with a symmetric `A`.
    Never more work: the new sum goes through its factors once for each iteration of loops that would have gone through
    them. What they lack is an index around these loops, so that later passes may compute it before them.
    Not inside of other sums, where loops may come to few terms of a new one, not where sums keep their order, not for
    sparse results, which have entries where their terms have some, and not beside `stored`.
    """

    name = "narrow-sums"
    accepts = ("index_notation",)
    leaves = ("index_notation",)
    # Sums of their own may be in loops in whose order an operand is not stored.
    needs = "conversions"
    after = {"expand-regions": "operators with regions are written out, and what asks for entries is known"}
    before = {
        "share-equal-sums": "the new sums may be equal to others",
        "concretize": "sums become loops there",
    }

    def on_function(self, function: FuncOp) -> None:
        for reduction in sums_to_change(function):
            # Each factor has one use then, by which it is replaced.
            erase_unused(operations_of(reduction.body.block))
            _narrow(reduction)


def _narrow(reduction: ReduceOp) -> None:
    nested = [*_nested(reduction)]
    chain = _chain_in(nested[-1])
    if chain is None or not _groups(nested, chain):
        return
    for inner in nested[1:]:
        _merge(reduction, inner)
    groups = _groups([reduction], chain)
    values = _grouped(chain, [factors for factors, _ in groups])
    for value, (factors, indices) in zip(values, groups, strict=True):
        inner = _sum_up(reduction, value, indices)
        if len(factors) > 1:
            _narrow(inner)
    if reduction.indices:
        _narrow(reduction)
    else:
        _dissolve(reduction)


def _nested(reduction: ReduceOp) -> Iterator[ReduceOp]:
    """A reduction, and those by the same operator that are all of what it combines."""
    yield reduction
    inner = reduction.value.owner
    if isinstance(inner, ReduceOp) and inner.operator == reduction.operator and inner.result.has_one_use():
        yield from _nested(inner)


def _merge(reduction: ReduceOp, inner: ReduceOp) -> None:
    """Let a reduction be over the indices of one that is all of its value, too."""
    block = reduction.body.block
    for index in inner.body.block.args:
        own = block.insert_arg(index.type, len(block.args))
        own.name_hint = index.name_hint
        index.replace_all_uses_with(own)
    _dissolve(inner)


def _groups(nested: Sequence[ReduceOp], chain: Chain) -> list[_Group]:
    """The groups that sums of their own are taken of. Indices that may be exchanged stay in one sum."""
    summed = [index for one in nested for index in one.body.block.args]
    together = [*_exchangeable(chain, summed)]
    groups = _all_groups(chain, summed)
    return [one for one in groups if all(its.isdisjoint(one[1]) or its <= {*one[1]} for its in together)]


def _exchangeable(chain: Chain, summed: Collection[SSAValue]) -> Iterator[set[SSAValue]]:
    """Of each symmetric operand the indices that may be exchanged in a product: mirrors of an entry are computed once
    then."""
    values = Values(regroups=True)
    for factor in chain.factors:
        access = factor.value.owner
        if not isinstance(access, AccessOp) or not (symmetric := format_of(access.tensor.type).symmetric):
            continue
        variables = [index for dimension in symmetric if (index := access.indices[dimension]) in summed]
        if not len({*variables}) == len(variables) <= MOST_DIMENSIONS:
            continue
        found = set[SSAValue]()
        for order in permutations(range(len(variables))):
            names = exchanged_names(variables, order)
            values.known[access.result, *names] = -1
            equal = values.number_of(chain.root.result, names) == values.number_of(chain.root.result, (*variables,))
            found.update(variables[number] for number, other in enumerate(order) if equal and number != other)
        yield found


def _all_groups(chain: Chain, summed: Sequence[BlockArgument]) -> list[_Group]:
    """Factors with the indices of reductions that they alone have, where the other factors have indices that they lack.

    First factors that are connected by such indices, with all of these. Where there are none, those whose sums are
    equal, and then single factors.
    """
    indices = {factor: indices_of(factor.value) for factor in chain.factors}

    def may_be_summed(group: list[Factor]) -> bool:
        its, others = ([indices[one] for one in chain.factors if (one in group) is inside] for inside in (True, False))
        return not (set[SSAValue]().union(*others) <= set[SSAValue]().union(*its) or all(one.divides for one in group))

    connected: list[_Group] = [([factor], [i for i in summed if i in indices[factor]]) for factor in chain.factors]
    for index in summed:
        having = [group for group in connected if index in group[1]]
        joined = [factor for factor in chain.factors if any(factor in factors for factors, _ in having)]
        own = [one for one in summed if any(one in its for _, its in having)]
        connected = [group for group in connected if group not in having] + [(joined, own)] * bool(having)
    found = [group for group in connected if group[1] and may_be_summed(group[0])]
    found = found or _equal_groups(chain, summed, indices)
    if found:
        return found
    shared = [index for index in summed if sum(index in its for its in indices.values()) > 1]
    alone = [([one], [i for i in summed if i in indices[one] and i not in shared]) for one in chain.factors]
    return [group for group in alone if group[1] and may_be_summed(group[0])]


def _equal_groups(
    chain: Chain, summed: Sequence[BlockArgument], indices: Mapping[Factor, set[SSAValue]]
) -> list[_Group]:
    """Groups without a common factor, each summed over an index, that give the same number."""
    values, equal = Values(), dict[Hashable, list[_Group]]()
    for index in summed:
        having = [factor for factor in chain.factors if index in indices[factor]]
        numbers = [(values.number_of(factor.value, (index,)), factor.divides) for factor in having]
        equal.setdefault(tuple(sorted(numbers)), []).append((having, [index]))
    for groups in equal.values():
        taken = [factor for factors, _ in groups for factor in factors]
        if 1 < len(groups) and len({*taken}) == len(taken) and not all(one.divides for one in groups[0][0]):
            return groups
    return []


def _grouped(chain: Chain, groups: Sequence[Sequence[Factor]]) -> list[SSAValue]:
    """What the factors of each group become as one, which the chain then combines in place of them."""
    if all(len(group) == 1 for group in groups):
        return [group[0].value for group in groups]
    emit, factors, values = Insertion(chain.root), chain.factors, list[SSAValue]()
    for group in groups:
        values.append(chain.combined(group, emit))
        left = [one for one in factors if one is group[0] or one not in group]
        factors = [Factor(values[-1], chain.name, False) if one is group[0] else one for one in left]
    chain.replace(chain.combined(factors, emit))
    return values


def _chain_in(reduction: ReduceOp) -> Chain | None:
    """The factors of what a reduction combines, if it may be taken of each of them instead."""
    root = reduction.value.owner
    if not isinstance(root, ApplyOp) or not root.result.has_one_use():
        return None
    chain, operator = chain_of(root), find_operator(reduction.operator, reduction)
    if chain is None or not distributes_over_sum(chain.product, operator, reduction.result.type):
        return None
    return chain if may_change_terms(reduction, root, chain.operations) else None


def _sum_up(reduction: ReduceOp, value: SSAValue, indices: Sequence[BlockArgument]) -> ReduceOp:
    """Replace a factor by a sum of it over some of the indices, which the reduction then is not over any more."""
    block, renamed = copied_over(indices, computing(value, reduction))
    append_operation(block, YieldOp.create(operands=[renamed[value]]))
    inner = ReduceOp(reduction.operator, create_region(block), reduction.result.type)
    inner.location = reduction.location
    (use,) = value.uses
    Insertion(use.operation).insert(inner)
    use.operation.operands[use.index] = inner.result
    erase_unused(operations_of(reduction.body.block))
    for index in indices:
        reduction.body.block.erase_arg(index)
    text, names = str(term_of(inner.result)), ", ".join(name_of(index) for index in block.args)
    remark(f"{text} is computed by itself: no other factor has {names}", inner, by=NarrowSumsPass.name, about=[text])
    return inner


def _dissolve(reduction: ReduceOp) -> None:
    """Replace a reduction by its operand: it is over nothing, or another one is over its indices."""
    value, last = reduction.value, reduction.body.block.last_op
    assert last is not None
    Rewriter.erase_op(last)
    move_before(reduction.body.block, reduction)
    reduction.result.replace_all_uses_with(value)
    Rewriter.erase_op(reduction)
