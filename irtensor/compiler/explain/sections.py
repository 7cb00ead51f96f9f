"""Sections of `explain()`: a title, and lines below it that are indented."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from irtensor.compiler.explain.threads import loops_on_threads
from irtensor.late_imports import load_for

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.compiler.explain.final_plan import FinalPlan
    from irtensor.core.diagnostics import Remark
    from irtensor.options import Options

# Passes that leave operands, results and workspaces as they are: they change which loops there are, or their bodies.
_RULES = frozenset(
    {
        "autoschedule",
        "narrow-sums",
        "separate-terms",
        "share-equal-sums",
        "hoist-producers",
        "merge-dense-dimensions",
        "exit-early",
        "fuse-definitions",
        "fuse-equal-loops",
        "skip-unread-sums",
        "hoist-invariants",
        "regroup-factors",
        "tabulate-functions",
        "keep-functions",
        "split-off-functions",
        "tile-for-registers",
        "prefetch-rows",
        "batch-sums",
        "batch-functions",
    }
)


def section(title: str, lines: Sequence[str] | Iterator[str]) -> list[str]:
    """A section behind an empty line; nothing where it would have no lines."""
    below = indented(lines)
    return ["", title, *below] if below else []


def indented(lines: Sequence[str] | Iterator[str]) -> list[str]:
    """Lines below a title."""
    return [f"  {line}" for line in lines]


def scheduled(request: Request) -> list[str]:
    """The steps of a schedule, with their numbers."""
    steps = () if request.schedule is None else request.schedule.steps
    return section("schedule", [f"{number}. {step}" for number, step in enumerate(steps, 1)])


def conversions(notes: Sequence[str], remarks: Sequence[Remark]) -> list[str]:
    """The conversions and workspaces, and the rules that changed loops; each line once."""
    choices = [remark for remark in remarks if remark.severity != "warning"]
    prepared = [*notes, *(choice.message for choice in choices if choice.by not in _RULES)]
    rules = [choice.message for choice in choices if choice.by in _RULES]
    lines = section("conversions and workspaces", [*dict.fromkeys(prepared)])
    return lines + section("rules that apply", [*dict.fromkeys(rules)])


def threads(plan: FinalPlan, request: Request, options: Options) -> list[str]:
    """Which loops run on which threads, or units of a GPU."""
    if options.target == "cpu":
        return section("threads", loops_on_threads(plan, options))
    load_for("gpus")
    from irtensor.compiler.explain.units import loops_on_units

    return section("threads", loops_on_units(plan, request, options))
