"""`reorder`: interchange nested foralls (Kjolstad 2020, section 6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import Note, UserError
from irtensor.dialects.algebra.algebra import find_operator
from irtensor.dialects.concrete_index.concrete_index import AssignOp, ForallOp, WhereOp
from irtensor.dialects.support.create_operation import copy_of, create_block, create_region, erase_operation
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import covered_by, foralls_in, needed_by, range_sources
from irtensor.passes.concrete_index.support.loop_paths import (
    LoopPath,
    cannot_go_inside,
    chain_in,
    loop_paths,
    move_inside,
    why_apart,
)
from irtensor.passes.concrete_index.support.loop_ranges import FOLLOWS, FUSED, fused_name
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.schedule.support.offset_loops import free_of
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option

# Of so many loops all orders are tried to find one that is allowed.
_MOST_NAMES = 6


@dataclass(frozen=True)
class ReorderPass(TensorPass):
    """Put the foralls over the named index variables into the given order, the first outermost.

    They are nested, with nothing but other foralls and temporaries between them. Where a loop that a temporary is
    computed in goes outside of one around the temporary, that one goes around producer and consumer each, and the
    temporary gets a dimension for its variable; a loop that only the consumer needs goes there alone. Nothing is
    computed more often, and no law of any operator is needed for that.
    A loop over the coordinates of a block goes outside of the loop over blocks as one over offsets: in each block, the
    coordinate at that offset is bound as far outside as the order allows (`follows`). Of entries, and of loops that are
    fused, it is one entry with the coordinates up to the next. The name of fused loops stands for all of them.

    Before: `forall %i { forall %j { forall %k { ... } } }`
    After `reorder{order="i","k","j"}`: `forall %i { forall %k { forall %j { ... } } }`
    Before: `forall %i { where produce (%t) { forall %k { assign add %p into %t[] } } consume (%u) { ... %u[] ... } }`
    After `reorder{order="k","i"}`: `where produce (%t) { forall %k { forall %i { assign add %p into %t[%i] } } }
            consume (%u) { forall %i { ... %u[%i] ... } }`
    Before: `forall %i0 { forall %i1 from %i0 * 8 to min(%n, %i0 * 8 + 8) { ... %i1 ... } }`
    After `reorder{order="i1","i0"}`: `forall %i1 from %c0 to %c8 { forall %i0 {
            forall %i from min(%n, %i0 * 8 + %i1) to min(%n, %i0 * 8 + %i1 + 1) { ... %i ... } } }`
    Source: Kjolstad 2020, section 6.1; law L3 of Kjolstad et al. 2019 (workspaces, section 3.3), from right to left.
    """

    name = "reorder"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    order: tuple[str, ...] = option("The loops in their new order by their names, the outermost first.", ())

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        twice = next((name for name in self.order if self.order.count(name) > 1), None)
        if twice is not None:
            first = next((loop for path in loop_paths(op) for loop in path.loops), op)
            raise UserError(
                "bad-schedule-step", f"reorder: '{twice}' is given twice", op=first, help="name each loop once"
            )
        try:
            self._reorder(op)
        except UserError as error:
            order = nearest_order(op, self.order) if error.slug == "illegal-reorder" else None
            if order is not None:
                error.notes.append(Note(f"the nearest order that is allowed is {', '.join(order)}"))
            raise

    def _reorder(self, op: ModuleOp) -> None:
        paths = self._paths(op)
        if not paths:
            nests = dict.fromkeys(", ".join(name_of(loop.variable) for loop in path.loops) for path in loop_paths(op))
            raise UserError(
                "no-such-loops",
                f"reorder: no nest has loops over {', '.join(self.order) or '(nothing given)'}",
                op=next((loop for path in loop_paths(op) for loop in path.loops), op),
                notes=[] if (apart := why_apart(op, self.order)) is None else [Note(apart)],
                help=f"nested are {' / '.join(nests) or 'no foralls'}: name some of one such nest",
            )
        for path in paths:
            self._check_apart(path)
        record_step(self.name, [loop for path in paths for loop in path.loops])
        while any(_free_ranges(path, _wanted(path, self.order)) for path in paths):
            paths = self._paths(op)
        # A loop that goes around both sides of a where may be out of order on the other.
        while (path := next((path for path in paths if not self._is_ordered(path)), None)) is not None:
            _put_in_order(path, _wanted(path, self.order))
            paths = self._paths(op)

    def _paths(self, op: ModuleOp) -> list[LoopPath]:
        return [path for path in loop_paths(op) if all(_loops_called(name, path) for name in self.order)]

    def _check_apart(self, path: LoopPath) -> None:
        """The name of fused loops stands for all of them, so that none is named beside it."""
        for name in self.order:
            for loop in _loops_called(name, path):
                fused = fused_name(loop)
                if fused != name and fused in self.order:
                    raise UserError(
                        "bad-schedule-step",
                        f"reorder: '{name}' is one of the loops that are fused as '{fused}'",
                        op=loop,
                        help=f"name {fused} alone",
                    )

    def _is_ordered(self, path: LoopPath) -> bool:
        named = [loop for name in self.order for loop in _loops_called(name, path)]
        return [loop for loop in path.loops if loop in named] == named


def nearest_order(op: ModuleOp, order: Sequence[str]) -> tuple[str, ...] | None:
    """The order of these loops with the fewest pairs the other way round than given, of those that are allowed."""
    ways = sorted(permutations(range(len(order))), key=_inversions)[1:] if len(order) <= _MOST_NAMES else []
    for way in ways:
        names = tuple(order[number] for number in way)
        try:
            ReorderPass(order=names)._reorder(copy_of(op))
        except UserError:
            continue
        return names
    return None


def _inversions(way: Sequence[int]) -> int:
    return sum(first > second for first, second in combinations(way, 2))


def _loops_called(name: str, path: LoopPath) -> list[ForallOp]:
    """The loop of a name on a path, or all that are fused under it."""
    return [loop for loop in path.loops if name_of(loop.variable) == name] or [
        loop for loop in path.loops if fused_name(loop) == name
    ]


def _wanted(path: LoopPath, order: Sequence[str]) -> list[ForallOp]:
    """All loops on a path, with the named ones in another order; the others keep their positions.

    A loop over an offset in a block follows the loops that give the offset, unless it is named.
    """
    named = [loop for name in order for loop in _loops_called(name, path)]
    following = [loop for loop in path.loops if FOLLOWS in loop.attributes and loop not in named]
    moved = iter(named)
    wanted = [next(moved) if loop in named else loop for loop in path.loops if loop not in following]
    for loop in following:
        outside = range_sources(loop.variable)
        position = 1 + max((position for position, other in enumerate(wanted) if other.variable in outside), default=-1)
        while position < len(wanted) and wanted[position] in following:
            position += 1
        wanted.insert(position, loop)
    return wanted


def _free_ranges(path: LoopPath, wanted: Sequence[ForallOp]) -> bool:
    """Let a range that is computed from a variable which is to be bound inside depend no more on it, if there is one.

    Raises UserError [illegal-reorder].
    """
    for number, loop in enumerate(wanted):
        outside = [one for one in wanted[number + 1 :] if one.variable in range_sources(loop.variable)]
        if not outside:
            continue
        fused = fused_name(loop)
        nest = [loop] if fused is None else [one for one in path.loops if fused_name(one) == fused]
        # Loops that are fused stay in their order.
        outer = next((one for one in outside if one in nest), outside[0])
        if outer not in nest and free_of(nest, outer.variable):
            return True
        inner, blocks = name_of(loop.variable), name_of(outer.variable)
        raise UserError(
            "illegal-reorder",
            f"reorder: loop {inner} runs over coordinates that loop {blocks} selects, so it stays inside of it",
            op=loop,
            help=f"name {blocks} before {inner}: other loops may go between them or around both",
        )
    return False


def _put_in_order(path: LoopPath, order: Sequence[ForallOp]) -> None:
    """Put the loops on a path into an order."""
    wanted = [name_of(loop.variable) for loop in order]
    chain = list(path.chains[0])
    deeper = [name_of(loop.variable) for loop in path.loops][len(chain) :]
    for number, side in enumerate(path.sides, 1):
        where = side.parent_op()
        assert isinstance(where, WhereOp)
        _permute(chain, wanted)
        first = min(map(wanted.index, deeper), default=len(wanted))
        around = loops_around(where)[-len(chain) :] if chain else []
        inside = [loop for loop in around if wanted.index(name_of(loop.variable)) > first]
        if inside:
            _check_whole(inside)
            move_inside(where, inside)
        chain = chain_in(side)
        deeper = deeper[len(path.chains[number]) :]
    _permute(chain, wanted)


def _check_whole(loops: Sequence[ForallOp]) -> None:
    """Loops that are fused are cut together, so they stay together."""
    for loop in loops:
        if FUSED in loop.attributes:
            problem = "it would be one on each side of a temporary, and it is fused with others"
            raise cannot_go_inside(loop, problem, "reorder loops before they are fused")


def _permute(chain: Sequence[ForallOp], wanted: Sequence[str]) -> None:
    """Put a chain into the order that its loops have among others."""
    variables = sorted((loop.variable for loop in chain), key=lambda variable: wanted.index(name_of(variable)))
    if chain:
        check_interchange(chain, variables)
        permute_foralls(chain, variables)


def forall_chains(root: Operation) -> list[list[ForallOp]]:
    """Maximal runs of foralls with nothing between them but what computes their ranges, outermost first."""
    chains: list[list[ForallOp]] = []
    for op in operations_in(root, ForallOp):
        if not (chains and op in chains[-1]):
            chains.append([op, *foralls_in(op.body.block)])
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
    blocks = [create_block((variable.type,)) for variable in variables]
    loops = {forall.variable: forall for forall in chain}
    rebind_foralls(chain, [(loops[variable], block) for variable, block in zip(variables, blocks, strict=True)])


def rebind_foralls(chain: Sequence[ForallOp], nest: Sequence[tuple[ForallOp, Block]]) -> None:
    """Put loops with the empty blocks of `nest` in place of a chain, each like the loop that it is given with.

    What computes the ranges goes as far inside as it can; the first blocks of a chain's loops replace their variables.
    """
    parent, innermost = chain[0].parent, chain[-1].body.block
    assert parent is not None
    before: list[Operation] = []
    for forall in chain[:-1]:
        before += operations_of(forall.body.block)[:-1]
    body = operations_of(innermost)
    for op in (*before, *body):
        op.detach()
    for forall, block in nest:
        block.args[0].name_hint = forall.variable.name_hint
        forall.variable.replace_all_uses_with(block.args[0])
    around: Block | None = None
    for forall, block in nest:
        new = ForallOp.of(create_region(block), list(forall.bounds), dict(forall.attributes))
        new.location = forall.location
        range_ops = list(needed_by(forall.bounds, before))
        before = [op for op in before if op not in range_ops]
        if around is None:
            parent.insert_ops_before((*range_ops, new), chain[0])
        else:
            around.add_ops((*range_ops, new))
        around = block
    assert around is not None
    around.add_ops((*before, *body))
    erase_operation(chain[0])


def check_interchange(chain: Sequence[ForallOp], variables: Sequence[SSAValue]) -> None:
    """Two loops that both reduce may swap only if the operator is associative and commutative."""
    old = [forall.variable for forall in chain]
    for assign in chain[-1].body.block.walk():
        if not isinstance(assign, AssignOp) or assign.operator is None:
            continue
        covered = covered_by(assign.indices)
        reducing = [variable for variable in old if variable not in covered]
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
