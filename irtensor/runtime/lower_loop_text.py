"""LLVM IR of a text of the `loop` dialect, by the passes that lower kernels."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func

from irtensor.dialects.loop.loop import Loop
from irtensor.dialects.support.located_parser import parse_module
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import passes_between
from irtensor.runtime.emit_llvm import emit_llvm

# Loops run as they are written: with prefetches, sorts of what fits into the cache take a tenth longer.
_NAMES = (*passes_between("parallel", "arith"), *passes_between("cpu", "llvm"))
_PASSES = tuple(get_all_passes()[name]()() for name in _NAMES)


def lower_loop_text(text: str) -> str:
    """LLVM IR of a text, whose functions return a status."""
    context = Context()
    for dialect in (Builtin, Arith, Func, Loop):
        context.load_dialect(dialect)
    module = parse_module(context, text, "loops")
    module.verify()
    for step in _PASSES:
        step.apply(context, module)
    return emit_llvm(module)
