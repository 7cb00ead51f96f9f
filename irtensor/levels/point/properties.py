"""Point level: a coordinate per parent, or none."""

from irtensor.core.level_properties import COORDINATES, Access, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (COORDINATES,),
    Pattern(single=True, structured=True),
    access=Access(computed=True),
    written_as="compressed",
    written_at_once=True,
)
