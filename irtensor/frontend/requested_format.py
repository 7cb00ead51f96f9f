"""What a user gives as a format: a TensorFormat, its text or name, or a function of the rank such as COO."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from irtensor import named_formats
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.format_names import name_at_start, public_name, suggest_word

# A format takes no number of more digits, and Python refuses to convert thousands.
_NAMED = re.compile(r"([A-Za-z]+)(?:\(\s*(\d{1,30}(?:\s*,\s*\d{1,30})*)\s*\))?")
_WITH_SETTINGS = re.compile(rf"\s*(?P<name>{_NAMED.pattern})\s*,\s*(?P<settings>[A-Za-z].*)")


def read_format(format: Any, rank: int | None = None) -> TensorFormat:
    """A format of any rank; `rank` is what a function such as COO, or "coo", is asked for.

    Raises UserError [bad-format].
    """
    if isinstance(format, str):
        return _read_text(format, rank)
    if not isinstance(format, TensorFormat) and callable(format) and rank is not None:
        format = _of_rank(format, rank)
    if not isinstance(format, TensorFormat):
        name = getattr(format, "__name__", repr(format))
        help = 'give irtensor.CSR, irtensor.COO or "dense, compressed"'
        if callable(format) and rank is not None:
            help = f"give it numbers, if it takes some: irtensor.{name}(...)"
        raise UserError("bad-format", f"{name} is not a storage format", help=help)
    check_storable(format)
    return format


@lru_cache(maxsize=256)
def _read_text(text: str, rank: int | None) -> TensorFormat:
    # Conversions of small tensors take less time than to read a text.
    return read_format(parse_format(text), rank)


def format_by_rank(format: Any) -> Callable[[int], TensorFormat]:
    """The format of tensors by their rank, where that is found later. Raises UserError [bad-format]."""
    parsed = parse_format(format) if isinstance(format, str) else format
    chosen = parsed if callable(parsed) else read_format(parsed)
    return lambda rank: read_format(chosen, rank)


def check_storable(format: TensorFormat) -> None:
    """Raise UserError [bad-format] if a level exists inside kernels only."""
    for number, level in enumerate(format.levels):
        if level.format.workspace is not None:
            message = f"level {number} ({format.level_text(number)}) exists inside kernels only, as a workspace"
            raise UserError("bad-format", message, help='give irtensor.CSR, irtensor.COO or "dense, compressed"')


def _of_rank(function: Any, rank: int) -> Any:
    try:
        return function(rank)
    except TypeError:
        # It takes something else, as BCSR does.
        return function


def parse_format(text: str) -> Any:
    """The format that a text or a name stands for, with its settings; a function of the rank where that decides.

    Raises UserError [bad-format].
    """
    try:
        return TensorFormat.parse(text)
    except UserError as error:
        # A word that is a level as well begins a list of levels.
        found = _WITH_SETTINGS.fullmatch(text) if name_at_start(text) else None
        if (named := named_format(text if found is None else found["name"])) is None:
            if name := name_at_start(text):
                error.help = f"write {name} alone, or with settings behind it, as in '{name}, crd = i32, fill = inf'"
            suggest_word(error)
            raise
        return named if found is None else _with_settings(named, text, found.start("settings"))


def _with_settings(named: Any, text: str, start: int) -> Any:
    """A named format, or a function of the rank, with the options that its text has from `start` on."""
    if not isinstance(named, TensorFormat):
        return lambda rank: _with_settings(named(rank), text, start)
    whole = f"{named}, {text[start:]}"
    try:
        return TensorFormat.parse(whole)
    except UserError as error:
        if error.location is not None:
            # Errors are about what the user has written.
            column = max(error.location.column - len(whole) + len(text), 1)
            error.location = error.location._replace(column=column, text_line=text)
        suggest_word(error)
        raise


def named_format(text: str) -> Any:
    """What a name stands for, in capitals or not: `CSR`, `bcsr(2, 2)`, or a function of the rank for `coo`.

    None for an unknown name. Raises UserError [bad-format] for numbers that the name does not take.
    """
    found = _NAMED.fullmatch(text.strip())
    if found is None:
        return None
    named = getattr(named_formats, public_name(found[1]), None)
    if named is None or found[2] is None:
        return named
    if not callable(named):
        message = f"'{text}': {public_name(found[1])} takes no numbers"
        raise UserError("bad-format", message, help=f"write {public_name(found[1])} alone")
    numbers = [int(number) for number in found[2].split(",")]
    try:
        return named(*numbers)
    except TypeError as error:
        raise UserError("bad-format", f"'{text}': {error}", help="give as many numbers as it takes") from None


def resolve_format(format: Any, rank: int, what: str = "the result") -> TensorFormat:
    """The format of a result, or whatever `what` says, of `rank` dimensions. Raises UserError [bad-format]."""
    format = read_format(format, rank)
    if format.rank != rank:
        message = f"the format {format} has rank {format.rank}, {what} has rank {rank}"
        raise UserError("bad-format", message, help=f"give a format of {rank} dimensions")
    return format
