"""Triangle level: the coordinates up to that of the level above, in no more memory than they take."""

from irtensor.core.level_properties import Access, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (),
    Pattern(fills_gaps=True, structured=True, bounded_by_above=True),
    access=Access(computed=True),
    written_as="compressed",
    written_at_once=True,
)
