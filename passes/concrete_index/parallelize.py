"""`parallelize`: the iterations of a loop run at the same time, on several threads (Kjolstad 2020, section 6.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.is_inside import innermost_around
from irtensor.dialects.schedule_words import NOT_SHARED_BY, RACE_STRATEGIES, SHARED_BY, TEAMS
from irtensor.dialects.storage import format_of
from irtensor.passes.analysis.iteration_graph import accesses_in, can_locate, level_variables, name_of, needs_splitting
from irtensor.passes.analysis.races import LEAVE_OUT, PARALLEL, TEAM, check_races, is_marked, races_of
from irtensor.passes.concrete_index.divide import DividePass
from irtensor.passes.concrete_index.loop_ranges import nests_named, step_name
from irtensor.passes.concrete_index.recorded_steps import record_step
from irtensor.passes.operations_in import operations_in
from irtensor.passes.pass_base import TensorPass, option


@dataclass(frozen=True)
class ParallelizePass(TensorPass):
    """Mark the loops over a variable as parallel; `races` says what happens where iterations store into one component.

    `none`: there are no such stores, or the loop is refused. `temporary`: every part of the loop has components of its
    own, which are combined afterwards; there are as many parts as have more work each than that is, so that the memory
    is a part of what the loop reads. `atomics`: a component is changed as a whole, which takes several times as long.
    Both are for dense results and workspaces. `ignore`: the caller knows that it cannot happen.
    With `deterministic`, `atomics` are for what has the same bits in any order: no sums of floating-point numbers.
    On a GPU, `team` threads share loops of an iteration: lanes of one warp, or a whole block.
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

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            self._apply(op)
        except UserError as error:
            if error.slug == "parallel-race":
                others = [] if error.help in (None, LEAVE_OUT) else [error.help]
                error.help = ", or ".join(dict.fromkeys([*self._other_steps(op), *others])) or LEAVE_OUT
            raise

    def _apply(self, op: ModuleOp) -> None:
        loops = [nest[0] for nest in nests_named(op, self.variable, self.name)]
        record_step(self.name, loops)
        for loop in loops:
            _check_nest(loop)
            check_races(loop, self.races, self.deterministic)
        for loop in loops:
            loop.attributes[PARALLEL] = StringAttr(self.races)
            if self.team:
                loop.attributes[TEAM] = IntegerAttr(self.team, i64)

    def _other_steps(self, module: ModuleOp) -> Iterator[str]:
        """What else can be said of these loops, or of others: each has been tried."""
        loops = operations_in(module, ForallOp)
        names = dict.fromkeys(step_name(loop) for loop in loops)
        others = (name for name in names if _is_allowed(replace(self, variable=name, races="none"), module))
        yield from (f"parallelize {name}" for name in islice(others, 1))
        strategies = [one for one in ("temporary", "atomics") if _is_allowed(replace(self, races=one), module)]
        if strategies:
            yield f"say {' or '.join(f'races={one}' for one in strategies)}"
        parts = DividePass(self.variable, f"{self.variable}_parts", self.variable, 4)
        if not strategies and _is_allowed(replace(self, variable=parts.outer), module, parts):
            yield f"divide {self.variable} before and parallelize the loop over the parts"


def _is_allowed(step: ParallelizePass, module: ModuleOp, *before: DividePass) -> bool:
    copy = module.clone()
    try:
        for one in before:
            one.apply(Context(), copy)
        step._apply(copy)
    except UserError:
        return False
    return not any(map(_appends_inside, filter(is_marked, operations_in(copy, ForallOp))))


def _appends_inside(loop: ForallOp) -> bool:
    """Whether a loop appends entries anew for each iteration of another one, which is refused later.

    Loops that read an operand across its levels may be put inside of others by then.
    """
    if not any(race.kind == "append" for race in races_of(loop)):
        return False
    accesses = [access for access in accesses_in(loop.body.block) if loop.variable in access.indices]
    is_outermost = innermost_around(loop, ForallOp) is None
    return not is_outermost or any(needs_splitting(one) or _is_across(one, loop.variable) for one in accesses)


def _is_across(access: AccessOp | AssignOp, variable: SSAValue) -> bool:
    """Whether a list of coordinates that a variable indexes is below another level."""
    levels = list(level_variables(access))[1:]
    format = format_of(access.tensor.type)
    return any(index is variable and not can_locate(format, number) for number, index in enumerate(levels, 1))


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
