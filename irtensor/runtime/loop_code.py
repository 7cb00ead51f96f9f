"""Code that is text of the `loop` dialect, in folders `loops`: compiled once, as kernels are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from irtensor.runtime.text_files import text_of_file

if TYPE_CHECKING:
    from irtensor.runtime.cpu_engine import NativeFunction

# Elements that are moved as they are, and integers, by their bytes.
_TYPES = {1: "i8", 2: "i16", 4: "i32", 8: "i64", 16: "complex<f64>"}
_EXPORTED = re.compile(r"^func\.func @([\w.]+)", re.MULTILINE)


def text_of_loops(name: str, **sizes: int) -> str:
    """A text of the runtime in which types have so many bytes; `!key = i64` at its beginning says what one is else."""
    text = text_of_file(f"loops/{name}.mlir")
    for alias, size in sizes.items():
        text, count = re.subn(rf"^!{alias} = .*$", f"!{alias} = {_TYPES[size]}", text, flags=re.MULTILINE)
        assert count == 1, f"{name}.mlir has no type !{alias}"
    return text


def code_of_loops(name: str, **sizes: int) -> NativeFunction:
    """The loaded code of such a text, with all of its functions, which return a status."""
    return compiled_loops(text_of_loops(name, **sizes))


def map_code() -> NativeFunction:
    """The functions for maps that kernels call."""
    return compiled_loops(text_of_file("loops/maps.mlir", "irtensor.passes.llvm"))


def compiled_loops(text: str) -> NativeFunction:
    """The loaded code of a text, with its functions that are not private."""
    from irtensor.runtime.cpu_engine import compiled_once

    entry, *others = _EXPORTED.findall(text)
    return compiled_once(text, entry, effort="light", exports=others, lower=_llvm_text)


def _llvm_text(text: str) -> str:
    from irtensor.late_imports import load_for

    load_for("loops")
    from irtensor.runtime.lower_loop_text import lower_loop_text

    return lower_loop_text(text)
