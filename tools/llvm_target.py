"""The target `llvm` of irtensor-opt."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from irtensor.errors import UserError


@dataclass(frozen=True)
class LlvmTarget(Target):
    """LLVM IR of functions of the `llvm` dialect, without the kernels of a GPU beside them.

    xDSL's writer takes over where irtensor's own refuses, such as the values of globals. It alone is not enough: it
    stores no pointers, and loses hints.
    """

    name = "llvm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        # LLVM takes time to load, which no other target needs.
        from irtensor.runtime.emit_llvm import emit_llvm

        try:
            text = emit_llvm(module)
        except UserError as refusal:
            if refusal.slug != "wrong-stage":
                raise
            text = _by_xdsl(ctx, module)
            if text is None:
                raise refusal from None
        output.write(text)


def _by_xdsl(ctx: Context, module: ModuleOp) -> str | None:
    """What xDSL's own target writes; None where it fails, with whatever exception."""
    from xdsl.backend.llvm.convert import LLVMTarget

    written = StringIO()
    try:
        LLVMTarget().emit(ctx, module, written)
    except Exception:
        return None
    return written.getvalue()
