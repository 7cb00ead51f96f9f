"""Block list level: blocks of consecutive coordinates, with an entry at each, and gaps between them."""

from irtensor.core.level_properties import BLOCK_ENDS, BLOCK_OFFSETS, POSITIONS, LevelProperties

PROPERTIES = LevelProperties(
    (POSITIONS, BLOCK_ENDS, BLOCK_OFFSETS), pieces="entries", written_as="compressed", written_at_once=True
)
