"""Types in templates of LLVM IR: `$name$` stands for one, whose size in bytes is known when code is made."""

from __future__ import annotations

import re


def with_element(text: str, size: int) -> str:
    """`$element$` is a type of so many bytes that is moved as it is, and `$align$` the alignment of arrays of it."""
    return text.replace("$element$", f"i{8 * size}").replace("$align$", str(min(size, 8)))


def with_integer(text: str, name: str, size: int) -> str:
    """`$name$` is an integer of up to 8 bytes; `$wide.name$(%x)` makes an i64 of one, `$narrow.name$(%x)` one of an i64
    that fits."""
    type = f"i{8 * size}"
    ways = {"wide": rf"sext {type} \1 to i64", "narrow": rf"trunc i64 \1 to {type}"}
    for way, operation in ways.items():
        operation = operation if size < 8 else r"add i64 \1, 0"
        text = re.sub(rf"\${way}\.{name}\$\((%[\w.]+)\)", operation, text)
    return text.replace(f"${name}$", type)
