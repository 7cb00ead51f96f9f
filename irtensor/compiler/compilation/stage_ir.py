"""The IR of a kernel at any point of its compilation, rebuilt on request; kernels do not keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irtensor.collector_paused import collector_paused
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.core.diagnostics import UserError
from irtensor.late_imports import load_for
from irtensor.passes.pipelines import TARGETS, stages_to
from irtensor.planning.planner import plan_for
from irtensor.runtime.cpu_engine import optimized_text
from irtensor.runtime.emit_llvm import emit_llvm, kernels_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options


def module_at(request: Request, point: str, options: Options) -> ModuleOp:
    """The module of a request after a stage or a pass. Raises UserError [unknown-stage]."""
    module, start = request.build().module, request.start
    choices = PipelineChoices.for_request(request, options)
    last = TARGETS[options.target]
    stages = stages_to(last)
    stages = stages[stages.index(start) :]
    if point in stages:
        with request.located():
            lower_module(module, start, point, choices=choices)
        return module
    known = choices.passes(start, last)
    if point not in known:
        help = f"stages are {', '.join(stages)}; passes are {', '.join(known)}"
        raise UserError("unknown-stage", f"stage or pass '{point}' does not exist", help=help)
    with request.located():
        lower_module(module, start, last, choices=choices, after=lambda name: name == point)
    return module


def stage_ir(request: Request, point: str, options: Options) -> str:
    """The text of `module_at`."""
    return str(module_at(plan_for(request, options).request, point, options))


def llvm_ir(request: Request, options: Options, *, optimized: bool = False, assembly: bool = False) -> str:
    """LLVM IR of a request's code for the host as generated, as optimised, or the assembly it becomes."""
    text = emit_llvm(plan_for(request, options).lower(options).module)
    return optimized_text(text, assembly=assembly) if optimized or assembly else text


def ptx(request: Request, options: Options, arch: str) -> str:
    """The kernels of a request for a GPU, as PTX for a processor such as `sm_90`."""
    load_for("gpus")
    from irtensor.runtime.emit_ptx import emit_ptx

    if options.target != "cuda":
        options = options._replace(target="cuda-emulated")
    with collector_paused():
        return emit_ptx(kernels_of(plan_for(request, options).lower(options).module), arch)
