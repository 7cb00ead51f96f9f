"""What a kernel's request and its settings change in the pipeline: passes that are left out, options of passes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irtensor.passes.pipelines import passes_between

if TYPE_CHECKING:
    from irtensor.dialects.argument_layout import KernelKind
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
    def of(convert: bool, settings: Options, kind: KernelKind = "fused") -> PipelineChoices:
        """The choices for a request that allows conversions or not, and the kind of its kernel."""
        without = [] if convert else [*CONVERTING_PASSES]
        if settings.strict_fp:
            without += REASSOCIATING_PASSES
        options: dict[str, Mapping[str, Any]] = {"lower-looplets": {"gallop": True}} if settings.gallop else {}
        asked: list[str] = []
        if kind != "fused":
            options["lower-concrete-index-to-iteration-lattice"] = {"kind": kind}
        if kind == "assemble":
            asked.append("remove-unread-memory")
        return PipelineChoices(frozenset(without), frozenset(asked), options)

    def passes(self, start: str, end: str) -> tuple[str, ...]:
        """Names of the passes that lead from one stage to another, as chosen."""
        return tuple(name for name in passes_between(start, end, self.asked) if name not in self.without)
