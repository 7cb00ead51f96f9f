"""Point level: a coordinate per parent, or none."""

from irtensor.core.level_properties import COORDINATES, LevelProperties, Pattern

PROPERTIES = LevelProperties((COORDINATES,), Pattern(single=True, structured=True), written_as="compressed")
