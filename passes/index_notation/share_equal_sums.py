"""`share-equal-sums`: a reduction that a definition has several times is computed once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import count

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import remark
from irtensor.dialects.index_notation.index_notation import AssignOp, ReduceOp
from irtensor.passes.analysis.equal_values import Values
from irtensor.passes.analysis.find_expression import term_of
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass


class ShareEqualSumsPass(TensorPass):
    """Let a value be used where the same reduction is written again, beside it or inside of another reduction.

    Before: `%s = reduce add (%k) { ... %x[%i, %k] ... }; %t = reduce add (%l) { ... %x[%i, %l] ... }; mul(%s, %t)`
    After:  `%s = reduce add (%k) { ... %x[%i, %k] ... }; mul(%s, %s)`
    Reductions are equal if they combine equal values by the same operator. Names of index variables make no difference,
    nor does the order of what a commutative operator is applied to. The bits of the result stay.
    """

    name = "share-equal-sums"
    accepts = ("index_notation",)
    leaves = ("index_notation",)
    before = {"concretize": "a reduction that several values use gets one temporary"}

    def on_function(self, function: FuncOp) -> None:
        for definition in operations_of(function.body.block):
            if isinstance(definition, AssignOp):
                _share(definition.body.block, Values(), {})


def _share(block: Block, values: Values, around: Mapping[int, SSAValue]) -> None:
    """Replace reductions of a block by equal ones before them, or before the operations around the block."""
    known = dict(around)
    for op in operations_of(block):
        if not isinstance(op, ReduceOp):
            continue
        number = values.number_of(op.result)
        if number in known:
            one, other = str(term_of(op.result)), str(term_of(known[number]))
            why = f", as {one} is equal" if one != other else ""
            remark(f"{other} is computed once{why}", op, by="share-equal-sums", about=[other])
            _name_apart(known[number], op)
            op.result.replace_all_uses_with(known[number])
            Rewriter.erase_op(op)
        else:
            known[number] = op.result
            _share(op.body.block, values, known)


def _name_apart(kept: SSAValue, op: ReduceOp) -> None:
    """Let no reduction around an equal one bind the names of index variables that the kept one binds."""
    assert isinstance(kept.owner, ReduceOp)
    outside = {name_of(index) for index in _indices_around(op)}
    bound = _indices_in(kept.owner)
    taken = {name_of(index) for index in (*_indices_around(kept.owner), *bound)} | outside
    names = [name for index in _indices_in(op) if (name := name_of(index)) not in taken]
    for index in bound:
        if name_of(index) in outside:
            index.name_hint = names.pop(0) if names else _fresh(name_of(index), taken)
            taken.add(name_of(index))


def _indices_around(op: Operation) -> Iterator[SSAValue]:
    around = op.parent_op()
    while isinstance(around, ReduceOp | AssignOp):
        yield from around.body.block.args
        around = around.parent_op()


def _indices_in(reduction: ReduceOp) -> list[SSAValue]:
    return [index for one in reduction.walk() if isinstance(one, ReduceOp) for index in one.indices]


def _fresh(name: str, taken: Collection[str]) -> str:
    return next(new for number in count(2) if (new := f"{name}{number}") not in taken)
