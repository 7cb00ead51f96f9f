"""The IR of a kernel at any point of its compilation, rebuilt on request; kernels do not keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtensor.compiler.compile_kernel import REASSOCIATING_PASSES
from irtensor.compiler.lower_module import lower_module
from irtensor.dialects.diagnostics import UserError
from irtensor.passes.pipelines import STAGE_NAMES, passes_between
from irtensor.runtime.cpu_engine import optimized_text, without_fast_math
from irtensor.runtime.emit_llvm import emit_llvm

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from irtensor.options import Options


def module_at(request: Any, place: str, skipped: tuple[str, ...] = ()) -> ModuleOp:
    """The module of a request after a stage or a pass, some passes left out. Raises UserError [unknown-stage]."""
    module, start = request.build().module, request.start
    skipped = (*skipped, *request.skipped_passes())
    stages = STAGE_NAMES[STAGE_NAMES.index(start) :]
    if place in stages:
        with request.located():
            lower_module(module, start, place, without=skipped)
        return module
    known = [name for name in passes_between(start, "llvm") if name not in skipped]
    if place not in known:
        help = f"stages are {', '.join(stages)}; passes are {', '.join(known)}"
        raise UserError("unknown-stage", f"there is no stage or pass '{place}'", help=help)
    with request.located():
        lower_module(module, start, "llvm", without=skipped, after=lambda name: name == place)
    return module


def stage_ir(request: Any, place: str) -> str:
    """The text of `module_at`."""
    return str(module_at(request, place))


def llvm_ir(request: Any, options: Options, *, optimized: bool = False, assembly: bool = False) -> str:
    """LLVM IR of a request as generated, as optimised, or the assembly it becomes."""
    text = emit_llvm(module_at(request, "llvm", REASSOCIATING_PASSES if options.strict_fp else ()))
    if not (optimized or assembly):
        return text
    return optimized_text(without_fast_math(text) if options.strict_fp else text, assembly=assembly)
