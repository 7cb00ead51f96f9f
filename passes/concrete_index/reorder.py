"""`reorder`: interchange directly nested foralls (Kjolstad 2020, section 6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from irtensor.dialects.algebra import find_operator
from irtensor.dialects.concrete_index import AssignOp, ForallOp
from irtensor.dialects.diagnostics import UserError
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class ReorderPass(TensorPass):
    """Put the directly nested foralls over the named index variables into the given order, the first outermost.

    Before: `forall %i { forall %j { forall %k { ... } } }`
    After `reorder{order="i","k","j"}`: `forall %i { forall %k { forall %j { ... } } }`
    """

    name = "reorder"
    order: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = False
        chains = forall_chains(op)
        for chain in chains:
            by_name = {name_of(forall.variable): forall.variable for forall in chain}
            if all(name in by_name for name in self.order):
                found = True
                moved = iter(by_name[name] for name in self.order)
                chosen = [by_name[name] for name in self.order]
                variables = [next(moved) if f.variable in chosen else f.variable for f in chain]
                check_interchange(chain, variables)
                permute_foralls(chain, variables)
        if not found:
            nests = [", ".join(name_of(forall.variable) for forall in chain) for chain in chains]
            raise UserError(
                "no-such-loops",
                f"reorder: no directly nested foralls bind {', '.join(self.order) or '(nothing given)'}",
                op=chains[0][0] if chains else op,
                help=f"directly nested are {' / '.join(nests) or 'no foralls'}: name some of one such nest",
            )


def forall_chains(root: ModuleOp | ForallOp) -> list[list[ForallOp]]:
    """Maximal runs of foralls with nothing between them, outermost first."""
    chains: list[list[ForallOp]] = []
    for op in root.walk():
        if isinstance(op, ForallOp) and not (chains and op in chains[-1]):
            chain = [op]
            while (
                isinstance(inner := chain[-1].body.block.first_op, ForallOp) and inner is chain[-1].body.block.last_op
            ):
                chain.append(inner)
            chains.append(chain)
    return chains


def loops_around(op: Operation) -> list[ForallOp]:
    """The loops around a statement with nothing but loops between them, outermost first."""
    nest: list[ForallOp] = []
    parent = op.parent_op()
    while isinstance(parent, ForallOp):
        nest.append(parent)
        parent = parent.parent_op()
    return nest[::-1]


def permute_foralls(chain: Sequence[ForallOp], variables: Sequence[SSAValue]) -> None:
    """Rebind a chain of foralls in the order of `variables`, which are the ones it binds."""
    if [forall.variable for forall in chain] == list(variables):
        return
    blocks = [Block(arg_types=(variable.type,)) for variable in variables]
    locations = {forall.variable: forall.location for forall in chain}
    innermost = chain[-1].body.block
    for op in list(innermost.ops):
        op.detach()
        blocks[-1].add_op(op)
    for variable, block in zip(variables, blocks, strict=True):
        block.args[0].name_hint = variable.name_hint
        variable.replace_all_uses_with(block.args[0])
    foralls = [ForallOp.of(Region(block)) for block in blocks]
    for variable, forall in zip(variables, foralls, strict=True):
        forall.location = locations[variable]
    for outer, forall in zip(blocks, foralls[1:], strict=False):
        outer.add_op(forall)
    parent = chain[0].parent
    assert parent is not None
    parent.insert_op_before(foralls[0], chain[0])
    chain[0].detach()
    chain[0].erase()


def check_interchange(chain: Sequence[ForallOp], variables: Sequence[SSAValue]) -> None:
    """Two loops that both reduce may swap only if the operator is associative and commutative."""
    old = [forall.variable for forall in chain]
    for assign in chain[-1].body.block.walk():
        if not isinstance(assign, AssignOp) or assign.operator is None:
            continue
        reducing = [variable for variable in old if variable not in assign.indices]
        if reducing == [variable for variable in variables if variable in reducing]:
            continue
        operator = find_operator(assign.operator, assign)
        if not (operator.associative and operator.commutative):
            raise UserError(
                "illegal-reorder",
                f"reorder: loops {', '.join(map(name_of, reducing))} both reduce with '{operator.name}', "
                "which is not associative and commutative",
                op=assign,
                help="keep the order of these loops, or declare the traits of the operator",
            )
