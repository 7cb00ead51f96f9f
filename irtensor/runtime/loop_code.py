"""Code of the runtime that is text of the `loop` dialect: compiled once, as kernels are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irtensor.runtime.loop_text import exported_functions, llvm_of_loops, text_of_loops

if TYPE_CHECKING:
    from irtensor.runtime.native_function import NativeFunction


def code_of_loops(name: str, **sizes: int) -> NativeFunction:
    """The loaded code of a text in which types have so many bytes, with all of its functions."""
    from irtensor.runtime.cpu_engine import compiled_once

    text = text_of_loops(name, **sizes)
    entry, *others = exported_functions(text)
    return compiled_once(text, entry, effort="light", exports=others, lower=llvm_of_loops)
