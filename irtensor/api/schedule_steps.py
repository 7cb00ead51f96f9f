"""Steps of a schedule: which pass, with which options, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$.-]*")
_CONSTANT = re.compile(r"[+-]?\d+|true|false", re.IGNORECASE)


class Step(NamedTuple):
    """One step: a pass and its options. Equal steps do the same."""

    name: str
    options: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        if self.name in _SHOWN:
            return f"{self.name}({', '.join(_SHOWN[self.name](dict(self.options)))})"
        shown = [f"{name}={value}" if name in _NAMED else f"{value}" for name, value in self.options]
        return f"{self.name}({', '.join(shown)})"


def _show_precompute(options: dict[str, Any]) -> list[str]:
    expression = options["expression"]
    # As it stands a constant would be read as a number, or a word.
    shown = [f'"{expression}"' if _CONSTANT.fullmatch(expression) else expression]
    if options["variables"]:
        shown.append(f"over={_several(options['variables'])}")
    if "producer" in options:
        shown.append(f"producer={_several(options['producer'])}")
    shown += [f"{name}={_quoted(options[name])}" for name in ("workspace", "format", "reuse") if name in options]
    return shown


def _show_pos(options: dict[str, Any]) -> list[str]:
    indices = f"[{', '.join(options['indices'])}]" if "indices" in options else ""
    return [options["variable"], options["positions"], f"{options['tensor']}{indices}"]


def _several(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _quoted(value: Any) -> str:
    text = str(value)
    return text if NAME.fullmatch(text) else f'"{text}"'


# How steps are written that are not just their options in order: the arguments within the parentheses.
_SHOWN = {
    "reorder": lambda options: list(options["order"]),
    "precompute": _show_precompute,
    "pos": _show_pos,
    "assemble": lambda options: list(options.values()),
    "autoschedule": lambda options: [
        f"{name}={value if name == 'budget' else _quoted(value)}" for name, value in options.items()
    ],
}
# Options that are written with their name.
_NAMED = {"tensor", "team"}
