"""`regroup-factors`: factors of a sum's terms are multiplied where few loops are around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.operators import Operator
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, find_operator
from irtensor.dialects.algebra.order_of_sums import keeps_order, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, WhereOp
from irtensor.passes.analysis.chains import Chain, Factor, chain_of
from irtensor.passes.analysis.enclosing_loops import enclosing_loops
from irtensor.passes.analysis.find_expression import term_of
from irtensor.passes.analysis.ranges import forall_of, sources
from irtensor.passes.concrete_index.support.where_laws import loops_needed
from irtensor.passes.support.insertion import Insertion
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class RegroupFactorsPass(TensorPass):
    """Multiply factors of a sum's terms in the order in which the loops determine them, the outermost loop first.

    Before: `forall %i { forall %j { assign add div(mul(%A[%i, %j], %x[%i]), %d[%i]) into %y[%j] } }`
    After:  `forall %i { forall %j { assign add mul(div(%x[%i], %d[%i]), %A[%i, %j]) into %y[%j] } }`
    What an outer loop determines is then computed there. Factors that an inner sum and its coordinate determine come
    together as well, so that one table has their product, and so do divisors of an inner loop and factors of the same
    loop.
    Never more work: there are as many operations, and none has more loops around it. Terms without such a gain stay as
    they are written, and so do quotients whose dividend an inner loop determines. Only factors that distribute over the
    sum, and only where nothing is rounded or the sum may be rounded otherwise.
    """

    name = "regroup-factors"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "the order says which loops determine a factor",
        "hoist-producers": "temporaries are where they will be computed",
        "scalarize-reductions": "a value that is stored once is not a term of a sum any more",
        "concordize": "accesses have the loops around them that they need",
    }
    before = {
        "tabulate-sums": "what a sum determines with other factors is then one value",
        "annihilate-by-value": "products are recognised before they are selected",
    }

    def on_function(self, function: FuncOp) -> None:
        for assign in operations_in(function, AssignOp):
            if assign.operator is not None:
                _regroup(assign, find_operator(assign.operator, assign))


class _Known(NamedTuple):
    """Where a value is known: the loops that determine it, how many are around it, whether a sum is part of it."""

    loops: frozenset[ForallOp] = frozenset()
    depth: int = 0
    from_sum: bool = False

    def __or__(self, other: _Known) -> _Known:
        return _Known(self.loops | other.loops, max(self.depth, other.depth), self.from_sum or other.from_sum)


def _regroup(assign: AssignOp, reduction: Operator) -> None:
    root = assign.value.owner
    chain = chain_of(root) if isinstance(root, ApplyOp) and root.exact is None else None
    if chain is None or reduction.name not in chain.product.distributes_over:
        return
    element = element_name(chain.root.result.type)
    if rounds(chain.product, element) and (keeps_order(assign) or not rounds(reduction, element)):
        return
    known = {factor: _known(factor.value, chain.root) for factor in chain.factors}
    ordered = sorted(chain.factors, key=lambda factor: known[factor].depth)
    products = [{*product} for product in chain.products]
    depths = sorted([max(known[factor].depth for factor in product) for product in products], reverse=True)
    tables = [table for table in _tables(ordered, known, [*enclosing_loops(assign)][::-1]) if {*table} not in products]
    if tables or _depths(ordered, known) < depths:
        _rewrite(chain, ordered, tables)


def _known(value: SSAValue, root: ApplyOp) -> _Known:
    """Where a value is known that is used in the innermost loop."""
    op = value.owner
    if isinstance(op, AccessOp):
        loops = {loop for index in op.indices for source in sources(index) if (loop := forall_of(source)) is not None}
        depth = max((len([*enclosing_loops(loop)]) + 1 for loop in loops), default=0)
        where = op.tensor.owner.parent_op() if isinstance(op.tensor.owner, Block) else None
        if not isinstance(where, WhereOp):
            return _Known(frozenset(loops), depth)
        needed = map(forall_of, loops_needed(where.producer.block))
        loops.update(loop for loop in needed if loop is not None and not where.is_ancestor(loop))
        return _Known(frozenset(loops), max(depth, len([*enclosing_loops(where)])), from_sum=not op.indices)
    if isinstance(op, ApplyOp | CastOp | ConstantOp):
        return reduce(or_, (_known(operand, root) for operand in op.operands), _Known())
    around = [*enclosing_loops(root)]
    return _Known(frozenset(around), len(around))


def _depths(ordered: Sequence[Factor], known: Mapping[Factor, _Known]) -> list[int]:
    """How many loops are around the operations that combine factors in their order, the greatest number first."""
    first = next(factor for factor in ordered if not factor.divides)
    others = [max(known[factor].depth, known[first].depth) for factor in ordered if factor is not first]
    return sorted(others, reverse=True)


def _tables(
    factors: Sequence[Factor], known: Mapping[Factor, _Known], around: Sequence[ForallOp]
) -> Iterator[list[Factor]]:
    """Factors with a sum or a divisor among them that the same loops determine, with a loop outside of these that does
    not."""
    together: dict[frozenset[ForallOp], list[Factor]] = {}
    for factor in factors:
        together.setdefault(known[factor].loops, []).append(factor)
    for loops, found in together.items():
        repeated = loops and any(loop not in loops for loop in around[: max(map(around.index, loops))])
        if repeated and len(found) > 1 and any(known[factor].from_sum or factor.divides for factor in found):
            if not all(factor.divides for factor in found):
                yield found


def _rewrite(chain: Chain, ordered: Sequence[Factor], tables: Sequence[Sequence[Factor]]) -> None:
    """Combine factors in their order, those of a table before they are combined with others."""
    root = chain.root
    emit = Insertion(root)
    parts: list[Factor] = []
    for factor in ordered:
        table = next((table for table in tables if factor in table), None)
        if table is None:
            parts.append(factor)
        elif factor is table[0]:
            multiplies = next(factor for factor in table if not factor.divides)
            parts.append(replace(multiplies, value=chain.combined(table, emit)))
    value = chain.combined(parts, emit)
    remark(f"{term_of(root.result)} is computed as {term_of(value)}", root, by="regroup-factors")
    chain.replace(value)
