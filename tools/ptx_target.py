"""The target `ptx` of irtensor-opt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from irtensor.runtime.nvptx_targets import OLDEST


@dataclass(frozen=True)
class PtxTarget(Target):
    """PTX of functions of the `llvm` and `nvvm` dialects, for a processor of NVIDIA."""

    name = "ptx"
    arch: str = OLDEST.name

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        # LLVM takes time to load, which no other target needs.
        from irtensor.runtime.emit_ptx import emit_ptx

        output.write(emit_ptx(module, self.arch))
