"""What einsum calls its operands: those of statements have names, and its own have numbers."""

from __future__ import annotations

import re

from irtensor.core.diagnostics import UserError

# How the IR calls an operand, with or without quotes; with indices it is a part of an expression.
_OPERAND = re.compile(r"'operand(\d+)'|\boperand(\d+)\b(?!\[)")
_INTERMEDIATE = re.compile(r"'intermediate(\d+)'|\bintermediate(\d+)\b(?!\[)")


def rename_operands(error: UserError) -> None:
    """Call operands by position in an error."""
    error.message = renamed(error.message)
    error.args = (error.message,)
    error.help = None if error.help is None else renamed(error.help)
    for note in error.notes:
        note.message = renamed(note.message)


def renamed(text: str) -> str:
    """Call operands what the caller knows them as: by position."""
    text = _INTERMEDIATE.sub(lambda found: f"the result of step {found[1] or found[2]}", text)
    return _OPERAND.sub(lambda found: f"operand {found[1] or found[2]}", text)
