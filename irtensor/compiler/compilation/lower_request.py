"""From a request to its module in the llvm dialect: the whole compilation up to native code."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from irtensor.compiler.compilation.draft import Draft
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.compiler.compilation.read_signature import kernel_function, read_signature
from irtensor.core.diagnostics import Remark, UserError, collect_remarks
from irtensor.late_imports import load_for
from irtensor.passes.pipelines import TARGETS, stages_to

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from irtensor.compiler.compilation.kernel_signature import KernelSignature
    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options


class Lowered(NamedTuple):
    """A request in the llvm dialect, with what its kernel is called with; `seconds` has the time of each stage."""

    module: ModuleOp
    signature: KernelSignature
    remarks: list[Remark]
    seconds: dict[str, float]


def lower_request(request: Request, settings: Options, draft: Draft | None = None) -> Lowered:
    """Lower a request, or its draft further, which is used up. Raises UserError."""
    draft = draft or Draft(request, settings)
    module, seconds = draft.module, dict(draft.seconds)
    # Operands and loops are final in this stage.
    function = kernel_function(module, request.function_name)
    signature = read_signature(function, request.names(), request.extent_sources())
    signature = signature._replace(nonempty=draft.nonempty, purpose=request.purpose)
    choices = PipelineChoices.for_request(request, settings)
    stages = stages_to(TARGETS[settings.target])
    stages = stages[stages.index("concrete_index") :]
    with request.located(), collect_remarks() as remarks:
        for before, stage in pairwise(stages):
            start = perf_counter()
            lower_module(module, before, stage, choices=choices, verify=settings.verify)
            if stage == "spread":
                load_for("gpus")
                from irtensor.compiler.device.read_lane_iterations import read_lane_iterations

                function = kernel_function(module, request.function_name)
                signature = signature._replace(lane_iterations=read_lane_iterations(function, signature))
            seconds[stage] = perf_counter() - start
    return Lowered(module, signature, [*draft.remarks, *remarks], seconds)


def lowered_if_accepted(request: Request, settings: Options) -> Lowered | None:
    """A request in the llvm dialect; None if a pass refuses it, as its schedule may be, or the target does.

    A GPU has no code that converts operands.
    """
    try:
        lowered = lower_request(request, settings)
    except UserError:
        return None
    return None if settings.target == "cuda" and lowered.signature.converts_operands else lowered
