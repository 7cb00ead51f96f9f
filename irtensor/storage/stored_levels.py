"""A check that the library makes, checks and reads the arrays of all levels of a tensor."""

from __future__ import annotations

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import LEVEL_STORES


def check_stored(format: TensorFormat, name: str) -> None:
    """Raise UserError [level-has-no-storage] about the tensor of a name if passes alone know one of its levels."""
    for number, level in enumerate(format.levels):
        if level.format.name not in LEVEL_STORES:
            raise UserError(
                "level-has-no-storage",
                f"level {number} of '{name}' is '{level.format.name}', a level format that was added from outside: "
                "nothing here makes, checks or reads its arrays",
                help="pass the arrays to the compiled code yourself, or store the tensor in other levels",
            )
