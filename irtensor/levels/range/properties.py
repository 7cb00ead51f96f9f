"""Range level: a position per coordinate along a diagonal."""

from irtensor.core.level_properties import Access, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (), Pattern(along_diagonals=True), access=Access(positional=True, inserts=True), written_as="dense"
)
