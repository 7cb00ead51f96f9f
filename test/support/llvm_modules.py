"""Modules of the `llvm` and `nvvm` dialects, from text."""

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp

from irtensor.dialects import get_all_dialects, get_extended_llvm
from irtensor.dialects.support.located_parser import parse_module
from irtensor.passes.support.verification import verification_errors


def parse_llvm(text: str) -> ModuleOp:
    """The module, verified; its operations know where they stand in the text."""
    context = Context()
    for factory in (lambda: Builtin, get_extended_llvm, get_all_dialects()["nvvm"]):
        context.load_dialect(factory())
    module = parse_module(context, text, "kernel.mlir")
    assert not verification_errors(module)
    return module
