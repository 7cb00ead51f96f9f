"""Texts of the `loop` dialect, in folders `loops`, and LLVM IR of them."""

from __future__ import annotations

import re

from irtensor.core.text_files import text_of_file

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


def text_of_maps() -> str:
    """The functions for maps that kernels call."""
    return text_of_file("loops/maps.mlir", "irtensor.passes.llvm")


def exported_functions(text: str) -> list[str]:
    """The names of the functions of a text that are not private."""
    return _EXPORTED.findall(text)


def llvm_of_loops(text: str) -> str:
    """LLVM IR of a text, whose functions return a status; the compiler is loaded for it."""
    from irtensor.late_imports import load_for

    load_for("loops")
    from irtensor.runtime.lower_loop_text import lower_loop_text

    return lower_loop_text(text)
