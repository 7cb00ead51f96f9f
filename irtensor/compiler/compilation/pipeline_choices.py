"""What a kernel's request and its settings change in the pipeline: passes that do not run, options of passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from irtensor.passes.pipelines import SCHEDULED_AFTER, TARGETS, passes_between
from irtensor.passes.support.pass_order import passes_that_need
from irtensor.runtime.cpu_engine import gathers_pay

if TYPE_CHECKING:
    from irtensor.api.schedule import Schedule, Step
    from irtensor.compiler.compilation.request import Request
    from irtensor.core.argument_layout import KernelPurpose
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.options import Options


# The passes that read scattered elements, or parts of vectors, by instructions, which have to be fast.
_GATHERS = frozenset({"sum-in-masked-lanes", "sum-pieces-in-lanes"})


class PassStep(NamedTuple):
    """A pass of a pipeline with its options; `origin` is the step of a schedule that asks for it, numbered from 1."""

    name: str
    options: Mapping[str, Any]
    origin: str | None = None

    @property
    def label(self) -> str:
        """What the IR after it is asked for by: passes that several steps run have no name of their own."""
        return self.name if self.origin is None else self.origin.partition(":")[0]


@dataclass(frozen=True)
class PipelineChoices:
    """Names of passes that do not run, of optional ones that do, and values for options, by pass and option."""

    without: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    scheduled: tuple[PassStep, ...] = ()
    start: str = "index_notation"
    """The stage in which the module of the request is."""
    first: tuple[str, ...] = ()
    """Names of passes that run on that module before all others."""

    @staticmethod
    def of(
        convert: bool,
        settings: Options,
        purpose: KernelPurpose = "fused",
        schedule: Schedule | None = None,
        wide: WideIndices | None = None,
        start: str = "index_notation",
    ) -> PipelineChoices:
        """The choices for a request that allows conversions or not, with the purpose of its kernel, its schedule, the
        index variables whose extents are wide, and the stage of its module.
        """
        without: list[str] = []
        end = TARGETS[settings.target]
        if not convert:
            without += passes_that_need("conversions", end)
        if purpose == "compute":
            # The entries are those of an index that was assembled before.
            without.append("warn-of-full-results")
        options: dict[str, Mapping[str, Any]] = {"lower-looplets": {"gallop": True}} if settings.gallop else {}
        asked = ["poll-interrupts"]
        if settings.target != "cpu":
            options["expand-temporaries"] = options["insert-workspaces"] = {"rows": False}
            options["choose-loop-order"] = {"packs": False}
            without += ["tabulate-sums", "tabulate-functions"]
        if settings.num_threads > 1 or settings.target != "cpu":
            asked.append("parallelize-outermost")
        else:
            without += passes_that_need("threads", end)
        if purpose != "fused":
            options["lower-concrete-index-to-iteration-lattice"] = {"purpose": purpose}
        if wide:
            asked.append("map-wide-workspaces")
            options["map-wide-workspaces"] = wide._asdict()
            # A single iteration of an outer loop may take long.
            options["poll-interrupts"] = {"innermost": True}
        steps = () if schedule is None else schedule.steps
        if steps:
            # A schedule names the loops and the parts of the statement as it is written.
            without += ["narrow-sums", "separate-terms"]
        scheduled = tuple(
            PassStep(step.name, _options_of(step, convert, settings), f"step {number}: {step}")
            for number, step in enumerate(steps, 1)
        )
        options["spread-loops"] = {"team": settings.team, "deterministic": settings.deterministic}
        first = ("keep-order-of-sums",) if settings.strict_fp else ()
        return PipelineChoices(frozenset(without), frozenset(asked), options, scheduled, start, first)

    @staticmethod
    def for_request(request: Request, settings: Options) -> PipelineChoices:
        """The choices for a request."""
        return PipelineChoices.of(
            request.convert, settings, request.purpose, request.schedule, request.wide, request.start
        )

    def steps(self, start: str, end: str) -> Iterator[PassStep]:
        """The passes that lead from one stage to another, as chosen."""
        if start == self.start:
            yield from (PassStep(name, {}) for name in self.first)
        for name in passes_between(start, end, self.asked):
            # Most pipelines end before they ask.
            if name not in self.without and (name not in _GATHERS or gathers_pay()):
                yield PassStep(name, self.options.get(name, {}))
            if name == SCHEDULED_AFTER:
                yield from self.scheduled

    def passes(self, start: str, end: str) -> tuple[str, ...]:
        """What the IR after each of these passes is asked for by."""
        return tuple(step.label for step in self.steps(start, end))


def _options_of(step: Step, convert: bool, settings: Options) -> Mapping[str, Any]:
    """The options of a step's pass: what it was called with, and what it may do by the settings and the request."""
    options = dict(step.options)
    if step.name == "autoschedule":
        options["convert"] = convert and settings.target != "cuda"
    elif step.name == "parallelize":
        options["deterministic"] = settings.deterministic
    return options
