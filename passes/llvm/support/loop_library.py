"""Texts of the `loop` dialect in passes/llvm/loops: functions that kernels call.

A CPU has them in a library (irtensor/runtime/loop_text.py): a kernel is compiled without them. A kernel for a GPU has
those that it calls.
"""

from __future__ import annotations

from functools import cache

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func, FuncOp

from irtensor.core.text_files import text_of_file
from irtensor.dialects.loop.loop import Loop
from irtensor.dialects.support.located_parser import parse_module
from irtensor.passes.loop.lower_prefix_sums import LowerPrefixSumsPass


def parse_loops(text: str) -> ModuleOp:
    """The module of a text of loops and upstream arithmetic."""
    context = Context()
    for dialect in (Builtin, Arith, Func, Loop):
        context.load_dialect(dialect)
    module = parse_module(context, text, "loops")
    module.verify()
    return module


@cache
def library_functions() -> dict[str, FuncOp]:
    """All functions, ready to be lowered, by their names."""
    module = parse_loops(text_of_file("loops/maps.mlir", "irtensor.passes.llvm"))
    LowerPrefixSumsPass().apply(Context(), module)
    return {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}
