"""LLVM IR of a text of the `loop` dialect, by the passes that lower kernels."""

from __future__ import annotations

from xdsl.context import Context

from irtensor.passes import get_all_passes
from irtensor.passes.llvm.support.loop_library import parse_loops
from irtensor.passes.pipelines import passes_between
from irtensor.runtime.emit_llvm import emit_llvm

# Loops run as they are written: with prefetches, sorts of what fits into the cache take a tenth longer.
_NAMES = (*passes_between("parallel", "arith"), *passes_between("cpu", "llvm"))
_PASSES = tuple(get_all_passes()[name]()() for name in _NAMES)


def lower_loop_text(text: str) -> str:
    """LLVM IR of a text, whose functions return a status."""
    module = parse_loops(text)
    for step in _PASSES:
        step.apply(Context(), module)
    return emit_llvm(module)
