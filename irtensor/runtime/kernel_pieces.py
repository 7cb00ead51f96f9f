"""Kernels of a module of LLVM IR one by one, so that each is compiled once, whatever modules have it."""

from __future__ import annotations

import re
from typing import NamedTuple

# The name of each kernel on its own.
NAME = "irtensor_kernel"
# An item of a module; each begins a line.
_ITEM = re.compile(r"^(?=define\b|declare\b|@|!)", re.MULTILINE)
_KERNEL = re.compile(r"define\b[^@\n]*\bptx_kernel\b[^@\n]*@([\w$]+)\(")
_DEFINED = re.compile(r"(?:(?:define|declare)\b[^@\n]*)?([@!][\w.$]+)")
_USED = re.compile(r"[@!][\w.$]+")
_HEAD = re.compile(r"\A.*?^\.address_size \d+\n", re.MULTILINE | re.DOTALL)


class Piece(NamedTuple):
    """A module of one kernel, by the name NAME, and what it is called in the module that it is from."""

    name: str
    text: str


def pieces_of(text: str) -> tuple[list[Piece], str]:
    """The kernels that call no functions of the module, and the module without them."""
    start, *items = _ITEM.split(text)
    defined = {found[1]: item for item in items if (found := _DEFINED.match(item))}
    pieces: list[Piece] = []
    others: list[str] = []
    for item in items:
        found = _KERNEL.match(item)
        piece = None if found is None else _piece(found[1], item, defined)
        if piece is None:
            others.append(item)
        else:
            pieces.append(piece)
    has_functions = any(item.startswith("define") for item in others)
    return pieces, "".join([start, *others]) if has_functions else ""


def _piece(name: str, kernel: str, defined: dict[str, str]) -> Piece | None:
    used = [word for word in dict.fromkeys(_USED.findall(kernel)) if word in defined and word != f"@{name}"]
    parts = [defined[word] for word in used]
    for word, part in zip(used, parts, strict=True):
        is_own = word.startswith(("!", f"@{name}_")) or part.startswith("declare")
        if not is_own or any(inner in defined and inner != word for inner in _USED.findall(part)):
            return None
    named = re.sub(rf"@{re.escape(name)}(?=[(_])", f"@{NAME}", "".join([kernel, *parts]))
    return Piece(name, named)


def joined(texts: list[str]) -> str:
    """The PTX of several modules for one processor as that of one."""
    return "".join([texts[0], *(_HEAD.sub("", text, count=1) for text in texts[1:])])
