"""`narrow-sums`: a sum over an index that only one factor of its terms has becomes a sum of that factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.dialects.algebra import ApplyOp, find_operator
from irtensor.dialects.create_operation import append_operation, create_region
from irtensor.dialects.diagnostics import remark
from irtensor.dialects.index_notation import ReduceOp, YieldOp
from irtensor.passes.analysis.chains import Chain, Factor, chain_of
from irtensor.passes.analysis.distribution import distributes_over_sum
from irtensor.passes.analysis.entry_conditions import erase_unused
from irtensor.passes.analysis.find_expression import term_of
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.terms_of_sums import computing, copied_over, indices_of, may_change_terms, sums_to_change
from irtensor.passes.emit import move_before
from irtensor.passes.insertion import Insertion
from irtensor.passes.pass_base import TensorPass, structured_functions


class NarrowSumsPass(TensorPass):
    """Take a sum over an index that one factor alone has of this factor, where others have indices that it lacks.

    Before: `reduce add (%k, %j) { mul(%A[%i, %k], %B[%k, %j]) }`
    After:  `reduce add (%k) { mul(%A[%i, %k], reduce add (%j) { %B[%k, %j] }) }`
    Sums that are written directly in one another are one before. The same for other operators, where the one that
    combines the factors distributes over the reduction.
    Never more work: the new sum goes through its factor once for each iteration of loops that would have gone through
    it. What it lacks is an index around these loops, so that later passes may compute it before them.
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

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            for reduction in sums_to_change(function):
                _narrow(reduction)


def _narrow(reduction: ReduceOp) -> None:
    nested = [*_nested(reduction)]
    chain = _chain_in(nested[-1])
    if chain is None or not any(_own_indices(nested, chain)):
        return
    for inner in nested[1:]:
        _merge(reduction, inner)
    for factor, own in zip(chain.factors, _own_indices([reduction], chain), strict=True):
        if own:
            _sum_up(reduction, chain, factor, own)
    if not reduction.indices:
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


def _own_indices(nested: Sequence[ReduceOp], chain: Chain) -> list[list[BlockArgument]]:
    """For each factor, the indices of reductions that it alone has, if others have indices that it lacks."""
    indices = [indices_of(factor.value) for factor in chain.factors]
    found: list[list[BlockArgument]] = []
    for number, factor in enumerate(chain.factors):
        others = set[SSAValue]().union(*indices[:number], *indices[number + 1 :])
        lone = indices[number] - others
        may_be_summed = not factor.divides and not others <= indices[number]
        summed = [index for one in nested for index in one.body.block.args if index in lone]
        found.append(summed if may_be_summed else [])
    return found


def _chain_in(reduction: ReduceOp) -> Chain | None:
    """The factors of what a reduction combines, if it may be taken of each of them instead."""
    root = reduction.value.owner
    if not isinstance(root, ApplyOp) or not root.result.has_one_use():
        return None
    chain, operator = chain_of(root), find_operator(reduction.operator, reduction)
    if chain is None or not distributes_over_sum(chain.product, operator, reduction.result.type):
        return None
    return chain if may_change_terms(reduction, root, chain.operations) else None


def _sum_up(reduction: ReduceOp, chain: Chain, factor: Factor, indices: Sequence[BlockArgument]) -> None:
    """Put a sum of a factor in its place, over some of the indices, which the reduction then is not over any more."""
    block, renamed = copied_over(indices, computing(factor.value, reduction))
    append_operation(block, YieldOp.create(operands=[renamed[factor.value]]))
    inner = ReduceOp(reduction.operator, create_region(block), reduction.result.type)
    inner.location = reduction.location
    user = next(op for op in chain.operations if factor.value in op.operands)
    Insertion(user).insert(inner)
    for number, operand in enumerate(user.operands):
        if operand is factor.value:
            user.operands[number] = inner.result
    erase_unused(reduction.body)
    for index in indices:
        reduction.body.block.erase_arg(index)
    text, names = str(term_of(inner.result)), ", ".join(name_of(index) for index in block.args)
    remark(f"{text} is computed by itself: no other factor has {names}", inner, by=NarrowSumsPass.name, about=[text])


def _dissolve(reduction: ReduceOp) -> None:
    """Let what a reduction combines stand in its place: it is over nothing, or another one is over its indices."""
    value, last = reduction.value, reduction.body.block.last_op
    assert last is not None
    Rewriter.erase_op(last)
    move_before(reduction.body.block, reduction)
    reduction.result.replace_all_uses_with(value)
    Rewriter.erase_op(reduction)
