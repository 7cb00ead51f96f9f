"""Level formats from outside."""

from __future__ import annotations

import re

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.level_properties import LevelProperties
from irtensor.frontend.notation_errors import UserTypeError
from irtensor.levels.known_levels import LEVEL_PROPERTIES
from irtensor.levels.level_codes import LEVEL_CODES
from irtensor.levels.level_stores import LEVEL_STORES
from irtensor.passes.level_formats.interface import LevelCode
from irtensor.storage.level_store import LevelStore


def register_level(
    name: str, properties: LevelProperties, code: LevelCode | None = None, store: LevelStore | None = None
) -> None:
    """Add a level format, which formats may name from then on in this process.

    `properties` says what is true of the level and which arrays it stores, `code` how loops read and write it, `store`
    how NumPy checks, makes and reads the arrays. Without `code` nothing can be compiled for it, without `store` there
    are no tensors of it; both is said by an error where it is needed. Kernels for such a level are kept in memory, not
    on the disk. `irtensor/levels/` has all others in the same three parts.

    Raises UserError [bad-level] for a name that is taken or cannot be in a format, and for parts of another type.

    >>> from irtensor.dialects.level_properties import COORDINATES, POSITIONS, LevelProperties
    >>> from irtensor.levels.compressed.code import CompressedLevel
    >>> from irtensor.levels.compressed.store import CompressedStore
    >>> it.register_level(
    ...     "my_list", LevelProperties((POSITIONS, COORDINATES), compact=True), CompressedLevel(), CompressedStore()
    ... )
    >>> A = it.Tensor.from_numpy(np.eye(3), "dense, my_list")
    >>> it.einsum("ij,j->i", A, np.arange(3.0))
    array([0., 1., 2.])
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UserError("bad-level", f"{name!r} is no name of a level format", help="use small letters, digits and _")
    if name in LEVEL_PROPERTIES:
        raise UserError("bad-level", f"there is a level format '{name}' already", help="give it another name")
    for what, given, wanted in (("code", code, LevelCode), ("store", store, LevelStore)):
        if given is not None and not isinstance(given, wanted):
            message = f"the {what} of level format '{name}' is of type {type(given).__name__}, not {wanted.__name__}"
            raise UserTypeError("bad-level", message, help=f"derive its class from {wanted.__name__}")
    if not isinstance(properties, LevelProperties):
        message = (
            f"the properties of level format '{name}' are of type {type(properties).__name__}, not LevelProperties"
        )
        raise UserTypeError("bad-level", message, help="pass irtensor.dialects.level_properties.LevelProperties(...)")
    if code is not None:
        LEVEL_CODES[name] = code
    if store is not None:
        LEVEL_STORES[name] = store
    LEVEL_PROPERTIES[name] = properties
