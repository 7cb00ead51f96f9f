"""Divides LLVM IR text into the functions that LLVM optimises and those that it shall leave as they are."""

from __future__ import annotations

import re

_FUNCTION = re.compile(r"^define .*?^\}\n", re.MULTILINE | re.DOTALL)
_COLD = " optnone "
_NAME = re.compile(r" %[\w.$]+(?=[,)])")


def split_cold_code(text: str) -> tuple[str, str]:
    """The module as two: that of the functions to optimise, and that of functions with the attribute `optnone`.

    Each declares what the other has, and refers to it by name. One without functions is empty.
    """
    if _COLD not in text:
        return text, ""
    parts: tuple[list[str], list[str]] = ([], [])
    others: list[str] = []
    end = 0
    for found in _FUNCTION.finditer(text):
        function = found.group()
        others.append(text[end : found.start()])
        end = found.end()
        parts[_COLD in _first_line(function)].append(function)
    others.append(text[end:])
    if not all(parts):
        return ("", text) if parts[1] else (text, "")
    common = "".join(others)
    hot, cold = ("".join(part).replace("define internal ", "define hidden ") for part in parts)
    declared_hot, declared_cold = ("".join(map(_declaration, part)) for part in parts)
    return f"{hot}{declared_cold}{common}", f"{cold}{declared_hot}{common}"


def _first_line(function: str) -> str:
    return function[: function.index("\n")]


def _declaration(function: str) -> str:
    """What another module has to say about a function that it calls."""
    signature = _first_line(function)
    signature = signature[: signature.rindex(")") + 1].replace("define internal ", "define hidden ")
    return _NAME.sub("", signature.replace("define ", "declare ", 1)) + "\n"
