"""`schedule`: the steps by which a kernel's loops are rearranged before the compiler's own passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from irtensor.api.schedule_arguments import Arguments
from irtensor.api.schedule_steps import Step
from irtensor.core.diagnostics import UserError
from irtensor.core.schedule_words import (
    ASSEMBLY_STRATEGIES,
    BOUND_KINDS,
    MERGE_STRATEGIES,
    NOT_SHARED_BY,
    RACE_STRATEGIES,
    SEARCH_BUDGET,
    SHARED_BY,
    instead_of,
)
from irtensor.frontend.arguments import is_word
from irtensor.late_imports import load_for


@dataclass(frozen=True)
class Schedule:
    """Steps in the order in which they are applied; every method gives a new schedule with one more step.

    Made by `irtensor.schedule()`. Equal schedules make equal kernels. `str(schedule)` is the text that
    `irtensor.schedule(text)` and `irtensor-run --schedule` read.
    """

    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return "; ".join(map(str, self.steps))

    def __repr__(self) -> str:
        calls = "".join(f".{step}" for step in self.steps)
        return f"<schedule{calls}>"

    def _next(self, name: str) -> Arguments:
        return Arguments(name, len(self.steps) + 1)

    def _and(self, step: Step) -> Schedule:
        return Schedule((*self.steps, step))

    def autoschedule(self, budget: int = SEARCH_BUDGET, program: str | None = None) -> Schedule:
        """Replace loops, their order and temporaries by those that do the fewest tasks, whatever operands hold.

        It has to be the first step. `budget` is the largest number of costs that are computed. A `program`, such as
        "forall ij: a[i] += B[l(i),s(j)] * c[l(j)]", is taken without a search: see irtensor-autoschedule.
        `schedule="auto"` is this step, with the program that is expected to be the least work on the operands of a
        call.
        """
        step = self._next("autoschedule")
        if program is None:
            return self._and(step.done(budget=step.count(budget, "budget=")))
        return self._and(step.done(program=step.text(program, "program=")))

    def reorder(self, *variables: str) -> Schedule:
        """Put the nested loops over these index variables into the given order, the first outermost.

        Loops around a temporary go inside of its statement where the order asks for it. The loop inside of a block may
        go outside of the loop over blocks: `split(i, i0, i1, 8); reorder(i1, i0)` takes every eighth coordinate.
        """
        step = self._next("reorder")
        return self._and(step.done(order=step.names(variables, "it", least=2)))

    def split(self, variable: str, outer: str, inner: str, size: int, tensor: str | None = None) -> Schedule:
        """Split a loop into one over blocks of `size` coordinates, and one over the coordinates of a block.

        With `tensor`, blocks have `size` stored entries of that operand.
        """
        step = self._next("split")
        variable, outer, inner = step.names((variable, outer, inner), "it")
        counted = step.entries(tensor)
        return self._and(
            step.done(variable=variable, outer=outer, inner=inner, size=step.count(size, "size="), **counted)
        )

    def divide(self, variable: str, outer: str, inner: str, parts: int, tensor: str | None = None) -> Schedule:
        """Split a loop into one over `parts` blocks of equally many coordinates, and one over those of a block.

        With `tensor`, blocks have equally many stored entries of that operand.
        """
        step = self._next("divide")
        variable, outer, inner = step.names((variable, outer, inner), "it")
        counted = step.entries(tensor)
        return self._and(
            step.done(variable=variable, outer=outer, inner=inner, parts=step.count(parts, "parts="), **counted)
        )

    def fuse(self, outer: str, inner: str, fused: str) -> Schedule:
        """Let `split` and `divide` cut two directly nested loops as one, under the name `fused`."""
        step = self._next("fuse")
        outer, inner, fused = step.names((outer, inner, fused), "it")
        return self._and(step.done(outer=outer, inner=inner, fused=fused))

    def pos(self, variable: str, positions: str, tensor: str) -> Schedule:
        """Let a loop count the stored entries of an operand, such as "A" or "A[i,j]", under the name `positions`.

        `split` and `divide` of that loop, and of its parts, make blocks of equally many entries.
        """
        step = self._next("pos")
        variable, positions = step.names((variable, positions), "it")
        return self._and(step.done(variable=variable, positions=positions, **step.access(tensor)))

    def coord(self, positions: str, variable: str) -> Schedule:
        """Let a loop that counts the entries of an operand count coordinates again, under the name `variable`."""
        step = self._next("coord")
        positions, variable = step.names((positions, variable), "it")
        return self._and(step.done(positions=positions, variable=variable))

    def bound(self, variable: str, extent: int, kind: str = "exact") -> Schedule:
        """Say that a variable has exactly so many coordinates, or, with kind="multiple", a multiple of them."""
        step = self._next("bound")
        name = step.one_name(variable, "it")
        return self._and(
            step.done(variable=name, extent=step.count(extent, "extent="), kind=step.word(kind, "kind=", BOUND_KINDS))
        )

    def unroll(self, variable: str, factor: int | None = None) -> Schedule:
        """Do `factor` iterations of the loops over a variable at a time, by default all; 1 forbids it."""
        step = self._next("unroll")
        name = step.one_name(variable, "it")
        return self._and(
            step.done(variable=name, **({} if factor is None else {"factor": step.count(factor, "factor=")}))
        )

    def vectorize(self, variable: str, width: int) -> Schedule:
        """Do `width` iterations of the loops over a variable in vector instructions."""
        step = self._next("vectorize")
        return self._and(step.done(variable=step.one_name(variable, "it"), width=step.count(width, "width=")))

    def merge(self, variable: str, strategy: str) -> Schedule:
        """Merge the lists of several operands by "gallop", searching each for the next coordinate, or "linear"."""
        step = self._next("merge")
        name = step.one_name(variable, "it")
        return self._and(step.done(variable=name, strategy=step.word(strategy, "strategy=", MERGE_STRATEGIES)))

    def parallelize(
        self, variable: str, races: str = "none", team: int | str | None = None, by: str = "rows"
    ) -> Schedule:
        """Do iterations of the loops over a variable at the same time, on several threads.

        Iterations are shared out `by` rows: each is one, however many entries it has.
        On a GPU, `team` threads share loops of an iteration: a power of 2 up to 32, or "thread", "warp" or "block" for
        one, the 32 of a warp, or all of a block. Another target has no such units, and takes no notice.
        """
        step = self._next("parallelize")
        name = step.one_name(variable, "it")
        help = instead_of(races) if isinstance(races, str) else ""
        options: dict[str, Any] = {"races": step.word(races, "races=", RACE_STRATEGIES, help)}
        if team is not None:
            options["team"] = step.team(team)
        step.word(by, "by=", SHARED_BY, NOT_SHARED_BY)
        return self._and(step.done(variable=name, **options))

    def assemble(self, tensor: str, strategy: str) -> Schedule:
        """Say how the positions of a sparse result's entries are determined: "append" to lists, or "insert" after a
        count."""
        step = self._next("assemble")
        name = step.one_name(tensor, "it")
        return self._and(step.done(tensor=name, strategy=step.word(strategy, "strategy=", ASSEMBLY_STRATEGIES)))

    def precompute(
        self,
        expression: str,
        over: str | Sequence[str] = (),
        *,
        producer: str | Sequence[str] = (),
        workspace: str | None = None,
        format: Any = None,
        reuse: bool = False,
    ) -> Schedule:
        """Compute a part of the right-hand side first, into a workspace over some of its index variables.

        `producer` are names for the loops that compute it, one for each of `over`; the others keep theirs.
        `workspace` names it, for steps that mention it; `format` is its storage, chosen for the expression without it;
        with `reuse`, the result itself is the workspace.
        """
        step = self._next("precompute")
        options: dict[str, Any] = {
            "expression": step.expression(expression),
            "variables": step.names(over, "over="),
        }
        if named := step.names(producer, "producer="):
            options["producer"] = named
        if workspace is not None:
            options["workspace"] = step.one_name(workspace, "workspace=")
        if format is not None:
            options["format"] = str(format)
        if step.flag(reuse, "reuse="):
            options["reuse"] = True
        return self._and(step.done(**options))


def as_schedule(given: Any) -> Schedule | None:
    """What `schedule=` was given: a schedule, None, or "auto". Raises UserError [bad-schedule]."""
    if is_word(given, AUTO):
        return Schedule().autoschedule()
    if given is not None and not isinstance(given, Schedule):
        message = f"schedule= is made by irtensor.schedule(), not {type(given).__name__}"
        raise UserError("bad-schedule", message, help='write schedule=irtensor.schedule(text), or schedule="auto"')
    return given


def schedule_of(programs: Iterable[str | None]) -> Schedule | None:
    """The schedule that is these programs and nothing else, one for each definition that has one; None for none."""
    schedule = Schedule()
    for program in programs:
        schedule = schedule if program is None else schedule.autoschedule(program=program)
    return schedule if schedule.steps else None


# The schedule is searched for; which of those of least cost it is depends on the sizes of operands.
AUTO = "auto"
# Nobody has asked for a schedule, but operands may be so large that one is searched for.
UNASKED = "unasked"

# What `tune=` measures schedules on.
TUNED_ON = {
    "operands": "the operands of a call",
    "samples": "uniform samples like the operands of a call",
}

# What `tune=` measures beside schedules: the formats of operands, without a schedule.
FORMAT = "format"


def as_tuning(given: Any, schedule: Any) -> str | None:
    """By what operands have a say in the schedule: what `tune=` was given, AUTO for `schedule="auto"` alone.

    Raises UserError [bad-schedule].
    """
    if given is None:
        return AUTO if is_word(schedule, AUTO) else None
    if is_word(given, FORMAT):
        message = "tune='format' is for compile and einsum, with operands that are not on a GPU"
        help = "here operands have one format: convert them with .to_format, or give tune='operands' or 'samples'"
        raise UserError("bad-schedule", message, help=help)
    if not is_word(given, *TUNED_ON):
        message = f"tune= is 'operands', 'samples' or 'format', not {given!r}"
        help = (
            "'operands' measures schedules on those of the first call, 'samples' on small ones like them, 'format' "
            "the formats of operands"
        )
        raise UserError("bad-schedule", message, help=help)
    if schedule is not None and not is_word(schedule, AUTO):
        message = "tune= chooses a schedule by measurement, but schedule= gives one"
        raise UserError("bad-schedule", message, help="omit one of them")
    return given


def check_format_tuning(schedule: Any, convert: bool, target: str) -> None:
    """Raise UserError [bad-schedule] for what `tune="format"` does not go with."""
    message = help = None
    if schedule is not None:
        message = "tune='format' measures kernels without a schedule, but schedule= gives one"
        help = "omit one of them"
    elif not convert:
        message = "tune='format' keeps operands converted, and convert=False allows no conversion"
        help = "omit one of them"
    elif target != "cpu":
        message = f"tune='format' measures on the CPU, and target={target!r} runs elsewhere"
        help = "omit tune=, and store operands in other formats: .to_format(...)"
    if message is not None:
        raise UserError("bad-schedule", message, help=help)


def schedule(text: str = "") -> Schedule:
    """A schedule: empty, to add steps to, or read from a text such as `reorder(i, k, j); precompute(A[i], over=i)`.

    The steps that `explain()` lists are such a text, with their numbers.

    Each method of a schedule gives a new one with one more step. Steps are applied to the loops of the statement in
    the order given, before the compiler's own decisions, which keep what they find. Pass it as `schedule=` to
    compile, einsum or compile_module. Source: Kjolstad 2020, chapter 6. Raises UserError [bad-schedule].

    >>> schedule = it.schedule().reorder("i", "k", "j").precompute("B[i,k] * C[k,j]", over="j")
    >>> str(schedule)
    'reorder(i, k, j); precompute(B[i, k] * C[k, j], over=j)'
    >>> it.schedule(str(schedule)) == schedule
    True
    """
    load_for("schedules")
    from irtensor.frontend.notation.schedule_text import read_schedule

    if not isinstance(text, str):
        message = f"a schedule is read from a text, not {type(text).__name__}"
        raise UserError("bad-schedule", message, help='write schedule("reorder(i, k, j)"), or schedule().reorder(...)')
    return read_schedule(text, Schedule())
