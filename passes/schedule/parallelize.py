"""`parallelize`: the iterations of a loop run at the same time, on several threads (Kjolstad 2020, section 6.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Operation

from irtensor.core.diagnostics import UserError
from irtensor.core.schedule_words import NOT_SHARED_BY, RACE_STRATEGIES, SHARED_BY, TEAMS
from irtensor.dialects.concrete_index.concrete_index import AssignOp, ForallOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import copy_of
from irtensor.passes.analysis.absence import is_temporary
from irtensor.passes.analysis.iteration_graph import last_append_level, level_variables, name_of
from irtensor.passes.analysis.races import LEAVE_OUT, PARALLEL, TEAM, check_races, is_marked, repeating_access
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.concrete_index.support.loop_ranges import FUSED, nests_named, step_name
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.schedule.divide import DividePass
from irtensor.passes.support.advised_pass import AdvisedPass, is_allowed, refusal_of_later_passes
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import option


@dataclass(frozen=True)
class ParallelizePass(AdvisedPass):
    """Mark the loops over a variable as parallel; `races` says what happens where iterations store into one component.

    `none`: no such store exists, or the loop is refused. `temporary`: every part of the loop has components of its
    own, which are combined afterwards; there are as many parts as have more work each than that is, so that the memory
    is a part of what the loop reads. `atomics`: a component is changed as a whole, which takes several times as long.
    Both are for dense results and workspaces. `ignore`: the caller knows that it cannot happen.
    With `deterministic`, `atomics` are for operators with the same bits in any order: no sums of floating-point
    numbers. On a GPU, `team` threads share loops of an iteration: lanes of one warp, or a whole block.
    Before: `forall %i { ... }`
    After `parallelize{variable=i races=none}`: `forall %i attributes {parallel = "none"} { ... }`
    """

    name = "parallelize"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable whose loops become parallel; of fused loops, the outermost.", "")
    races: str = option("What happens where iterations store into one component.", "none", choices=RACE_STRATEGIES)
    by: str = option(
        "By what iterations are shared out: each row is one.", "rows", choices=SHARED_BY, instead=NOT_SHARED_BY
    )
    team: int = option("How many threads of a GPU share an iteration; 0 is up to the compiler.", 0, choices=TEAMS)
    deterministic: bool = option("Whether floating-point numbers are not combined as threads come.", False)

    def take(self, ctx: Context, op: ModuleOp) -> None:
        loops = [nest[0] for nest in nests_named(op, self.variable, self.name)]
        record_step(self.name, loops)
        for loop in loops:
            _check_nest(loop)
            check_races(loop, self.races, self.deterministic)
        if any(map(_appended_stores, loops)):
            self._check_later(ctx, op)
        self._mark(loops)

    def _mark(self, loops: Sequence[ForallOp]) -> None:
        for loop in loops:
            loop.attributes[PARALLEL] = StringAttr(self.races)
            if self.team:
                loop.attributes[TEAM] = IntegerAttr(self.team, i64)

    def _check_later(self, ctx: Context, module: ModuleOp) -> None:
        """Refuse a step that would be refused because of a workspace that a later pass puts around its loops."""
        copy = copy_of(module)
        self._mark([nest[0] for nest in nests_named(copy, self.variable, self.name)])
        error = refusal_of_later_passes(ctx, copy, "iteration_lattice")
        if error is not None and error.slug == "parallel-race":
            raise UserError(error.slug, error.message, location=error.location, help=LEAVE_OUT)

    def ways_out(self, ctx: Context, module: ModuleOp, error: UserError) -> str | None:
        if error.slug != "parallel-race":
            return error.help
        others = [] if error.help in (None, LEAVE_OUT) else [error.help]
        return ", or ".join(dict.fromkeys([*self._other_steps(ctx, module), *others])) or LEAVE_OUT

    def _other_steps(self, ctx: Context, module: ModuleOp) -> Iterator[str]:
        """What else can be said of these loops, or of others."""
        names = dict.fromkeys(map(step_name, operations_in(module, ForallOp)))
        others = (name for name in names if is_allowed(ctx, module, [replace(self, variable=name, races="none")]))
        yield from (f"parallelize {name}" for name in islice(others, 1))
        for nest in nests_named(module, self.variable, self.name):
            yield from (f"parallelize {name} before loops are fused" for name in _rows_inside(nest[0]))
        strategies = [
            races for races in ("temporary", "atomics") if is_allowed(ctx, module, [replace(self, races=races)])
        ]
        if strategies:
            yield f"say {' or '.join(f'races={one}' for one in strategies)}"
        parts = DividePass(self.variable, f"{self.variable}_parts", self.variable, 4)
        if not strategies and is_allowed(ctx, module, [parts, replace(self, variable=parts.outer)]):
            yield f"divide {self.variable} before and parallelize the loop over the parts"


def _appended_stores(loop: ForallOp) -> list[AssignOp]:
    """The stores inside a loop over blocks of fused loops that append, by the variables of loops inside of it."""
    if not any(FUSED in one.attributes for one in operations_in(loop.body, ForallOp)):
        return []
    stores = [store for store in operations_in(loop.body, AssignOp) if not is_temporary(store.tensor)]
    lists = [store for store in stores if last_append_level(format_of(store.tensor.type)) is not None]
    return [store for store in lists if loop.variable not in store.indices]


def _rows_inside(loop: ForallOp) -> Iterator[str]:
    """The loops that say in which segment of a result entries are, if each of their iterations has one of its own."""
    for store in _appended_stores(loop):
        rows = level_variables(store)[0]
        if (its := forall_of(rows)) is not None and repeating_access(its) is None:
            yield name_of(rows)


def _check_nest(loop: ForallOp) -> None:
    parent = loop.parent_op()
    around: list[Operation] = []
    while parent is not None:
        around.append(parent)
        parent = parent.parent_op()
    for other in (*around, *loop.body.walk()):
        if isinstance(other, ForallOp) and is_marked(other):
            outer, inner = (other, loop) if other in around else (loop, other)
            message = f"the loops over {name_of(other.variable)} and {name_of(loop.variable)} cannot both be parallel"
            help = f"threads are divided once: parallelize {name_of(outer.variable)}, which is around "
            help += (
                f"{name_of(inner.variable)}, or {name_of(inner.variable)} alone; on a GPU, team= lets threads share "
            )
            help += "loops inside of it"
            raise UserError("parallel-nest", message, op=loop, help=help)
