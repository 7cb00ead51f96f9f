"""Which level formats workspaces have: no other file names them.

Source: Kjolstad et al. 2019 (workspaces), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence

from irtensor.core.level_format import ARRAY, LevelFormat

# A slot for each coordinate.
WHOLE = ARRAY
# A slot for each coordinate, and a flag that says whether it is stored.
FLAGGED = LevelFormat("bitmap")
# A slot for each coordinate, and a list of those that are stored.
LISTED = LevelFormat("accumulator")
# Memory for entries alone, found by hashing.
MAPPED = LevelFormat("map")


def workspace_levels(sparse: Sequence[bool]) -> list[LevelFormat]:
    """Levels that record the stored coordinates of partly stored dimensions; whole ones for the others.

    A list serves where all that is below a stored coordinate is stored, a map where only a part of that is.
    """
    recording = MAPPED if any(sparse[1:]) else LISTED
    return [recording if is_sparse else WHOLE for is_sparse in sparse]


def recording_level(level: LevelFormat, grows: bool) -> LevelFormat:
    """The level that stores what a level does and records it, so that it is emptied and listed in time proportional
    to that.

    A list is as long as the extents say. Where a level above adds slots as they are needed (`grows`), there are
    flags.
    """
    if level.access.positional and grows:
        return LevelFormat(level.name)
    return LevelFormat(level.properties.in_workspace or level.name)
