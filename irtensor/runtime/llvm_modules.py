"""LLVM itself, as llvmlite offers it: loaded when there is room for it, and modules that give back what they took."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from irtensor.runtime.room import ROOM, need_room

# LLVM takes 170 MB of addresses when it is loaded, then 2 MB and 80 bytes per character of a text. It ends the process
# where it does not get them.
_ROOM_FOR_LLVM, _ROOM_PER_CHARACTER = 200 << 20, 256


def load_llvm() -> Any:
    """The binding of LLVM. Raises MemoryError if it does not fit in memory."""
    if "llvmlite.binding" not in sys.modules:
        need_room(_ROOM_FOR_LLVM, "LLVM")
    import llvmlite.binding as llvm

    return llvm


def parse_text(text: str, triple: str, layout: str, bitcode: bytes | None = None) -> Any:
    """The verified module of a text for a processor, and of bitcode that is linked to it.

    It has a context of its own, which has what LLVM keeps of constants and types, and goes with it. They are disposed
    of in this order: of two objects, the garbage collector might take the context first.
    """
    need_room(ROOM + _ROOM_PER_CHARACTER * len(text), "LLVM")
    llvm = load_llvm()
    context = llvm.create_context()
    module = llvm.parse_assembly(text, context)
    module.__class__ = _module_class()
    module.context_pointer = context._as_parameter_
    module.triple, module.data_layout = triple, layout
    try:
        if bitcode is not None:
            module.link_in(llvm.parse_bitcode(bitcode, context))
    finally:
        context.detach()
    module.verify()
    return module


@cache
def _module_class() -> Any:
    """A class of llvmlite's modules that dispose of their contexts after themselves."""
    from llvmlite.binding import ffi

    class ModuleWithContext(load_llvm().ModuleRef):
        context_pointer: Any

        def _dispose(self) -> None:
            super()._dispose()
            ffi.lib.LLVMPY_ContextDispose(self.context_pointer)

    return ModuleWithContext


def optimize_module(passes: Any, module: Any, builder: Any) -> None:
    """Run a pass manager over a module, and give back its memory."""
    passes.run(module, builder)
    dispose_of(passes)


def dispose_of(passes: Any) -> None:
    """Give back the memory of a pass manager, which llvmlite 0.50 never does.

    Its first base class hides what the second one has for that.
    """
    from llvmlite.binding.newpassmanagers import NewPassManager

    if type(passes)._dispose is not NewPassManager._dispose:
        NewPassManager._dispose(passes)
        passes.detach()
