"""What a kernel's request and its settings change in the pipeline: passes that are left out, options of passes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irtensor.passes.pipelines import OPTIONAL_PASSES, passes_between

if TYPE_CHECKING:
    from irtensor.options import Options

# Passes that ask for operands in other formats, left out where operands are to be read as they are stored.
CONVERTING_PASSES = ("match-blocks", "insert-conversions")
# Passes that change the order of floating-point sums, left out where the order of the storage is to be kept.
REASSOCIATING_PASSES = ("split-long-sums", "mask-remainders")


@dataclass(frozen=True)
class PipelineChoices:
    """Names of passes that do not run, of optional ones that do, and values for options, by pass and option."""

    without: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    @staticmethod
    def of(convert: bool, settings: Options) -> PipelineChoices:
        """The choices for a request that allows conversions or not."""
        without = [] if convert else [*CONVERTING_PASSES]
        if settings.strict_fp:
            without += REASSOCIATING_PASSES
        options = {"lower-looplets": {"gallop": True}} if settings.gallop else {}
        if not settings.workspaces:
            return PipelineChoices(frozenset(without), options=options)
        options["insert-conversions"] = {"workspaces": True}
        return PipelineChoices(frozenset(without), frozenset(OPTIONAL_PASSES), options)

    def passes(self, start: str, end: str) -> tuple[str, ...]:
        """Names of the passes that lead from one stage to another, as chosen."""
        return tuple(name for name in passes_between(start, end, self.asked) if name not in self.without)
