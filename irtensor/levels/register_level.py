"""Level formats from outside."""

from __future__ import annotations

import re
from typing import get_args

from irtensor.core.diagnostics import UserError
from irtensor.core.index_widths import WIDTHS
from irtensor.core.level_properties import Access, LevelArray, LevelProperties, Pattern, Pieces
from irtensor.frontend.format_names import public_name
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.levels.known_levels import LEVEL_PROPERTIES
from irtensor.levels.level_codes import LEVEL_CODES
from irtensor.levels.level_stores import LEVEL_STORES
from irtensor.passes.level_formats.interface import LevelCode, NumberedLevel, WrittenLevel
from irtensor.storage.level_store import LevelStore

# What else a format may begin with, or have in a level.
_WORDS = {
    *("fill", "pos", "crd", "mod", "floordiv", "nonunique", "nonordered", "true", "false", "inf", "nan"),
    *(f"i{width}" for width in WIDTHS),
}


def register_level(
    name: str, properties: LevelProperties, code: LevelCode | None = None, store: LevelStore | None = None
) -> None:
    """Add a level format, which formats may name from then on in this process.

    `properties` states the properties of the level and the arrays it stores, `code` how loops read and write it,
    `store` how NumPy checks, makes and reads the arrays. Without `code` nothing can be compiled for it, without `store`
    no tensor can have it; an error says so where it is needed. Kernels for such a level are kept in memory, not
    on the disk. `irtensor/levels/` has all others in the same three parts.

    What properties say is believed: a level that is not as they say gives wrong values. Raises UserError [bad-level]
    for a name that is taken or cannot be in a format, for parts of another type, and for properties that the code
    lacks methods for.

    >>> from irtensor.core.level_properties import COORDINATES, POSITIONS, LevelProperties
    >>> from irtensor.levels.compressed.code import CompressedLevel
    >>> from irtensor.levels.compressed.store import CompressedStore
    >>> it.register_level(
    ...     "my_list", LevelProperties((POSITIONS, COORDINATES), pieces="entries"), CompressedLevel(), CompressedStore()
    ... )
    >>> A = it.Tensor.from_numpy(np.eye(3), "dense, my_list")
    >>> it.einsum("ij,j->i", A, np.arange(3.0))
    array([0., 1., 2.])
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name in _WORDS:
        help = "use small letters, digits and _, and no word that formats have"
        raise UserError("bad-level", f"{name!r} is not a name of a level format", help=help)
    if name in LEVEL_PROPERTIES or public_name(name):
        raise UserError("bad-level", f"there is a format '{name}' already", help="give the level another name")
    for what, given, wanted in (("code", code, LevelCode), ("store", store, LevelStore)):
        if given is not None and not isinstance(given, wanted):
            message = f"the {what} of level format '{name}' is of type {type(given).__name__}, not {wanted.__name__}"
            raise UserTypeError("bad-level", message, help=f"derive its class from {wanted.__name__}")
    if not isinstance(properties, LevelProperties):
        message = (
            f"the properties of level format '{name}' are of type {type(properties).__name__}, not LevelProperties"
        )
        raise UserTypeError("bad-level", message, help="pass irtensor.core.level_properties.LevelProperties(...)")
    _check_properties(name, properties, code)
    if code is not None:
        LEVEL_CODES[name] = code
    if store is not None:
        LEVEL_STORES[name] = store
    LEVEL_PROPERTIES[name] = properties


def _check_properties(name: str, properties: LevelProperties, code: LevelCode | None) -> None:
    """Raise UserError [bad-level] where code is asked for what it has no methods for."""
    _check_types(name, properties)
    _check_words(name, properties)
    for what in ("written_as", "joined_from", "without_parent", "in_workspace"):
        other = getattr(properties, what)
        if other is not None and other not in LEVEL_PROPERTIES:
            message = f"{what} of level format '{name}' is '{other}', which is not a level format"
            raise UserError("bad-level", message, help=f"level formats are {', '.join(LEVEL_PROPERTIES)}")
    if code is None:
        return
    if properties.is_written and not isinstance(code, WrittenLevel):
        message = f"the code of level format '{name}' writes no results, and properties name no level that loops write"
        raise UserError("bad-level", message, help="derive it from WrittenLevel, or say written_as='compressed'")
    if properties.numbers_entries and not isinstance(code, NumberedLevel):
        message = f"level format '{name}' has positions that each hold an entry, and its code finds none by number"
        raise UserError("bad-level", message, help="derive the code from NumberedLevel, or say pieces='slots'")


def _check_types(name: str, properties: LevelProperties) -> None:
    """Raise UserTypeError [bad-level] for parts of another type."""
    for what, wanted in (("pattern", Pattern), ("access", Access)):
        given = getattr(properties, what)
        if not isinstance(given, wanted):
            message = f"{what} of level format '{name}' is of type {type(given).__name__}, not {wanted.__name__}"
            help = f"pass irtensor.core.level_properties.{wanted.__name__}(...)"
            raise UserTypeError("bad-level", message, help=help)
    if type(properties.arrays) is not tuple or not all(isinstance(one, LevelArray) for one in properties.arrays):
        message = f"arrays of level format '{name}' are {properties.arrays!r}, not a tuple of LevelArray"
        raise UserTypeError("bad-level", message, help="write (POSITIONS, COORDINATES), or LevelArray(...) for others")


def _check_words(name: str, properties: LevelProperties) -> None:
    """Raise UserError [bad-level] for words that say nothing."""
    words = [("pieces", properties.pieces, get_args(Pieces))]
    for array in properties.arrays:
        words.append((f"array '{array.name}': holds", array.holds, ("position", "coordinate", "end", "flag")))
        words.append(
            (
                f"array '{array.name}': length",
                array.length,
                ("entries", "parents", "segments", "pieces", "bounds", "one"),
            )
        )
    for what, given, known in words:
        if given not in known:
            message = f"level format '{name}' has {what}={given!r}"
            raise UserError("bad-level", message, help=f"say one of {', '.join(map(repr, known))}")
