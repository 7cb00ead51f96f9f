"""Interval level: one run of equal children per parent, or none."""

from irtensor.core.level_properties import BEGINS, ENDS, Access, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (BEGINS, ENDS),
    Pattern(structured=True),
    "runs",
    Access(computed=True),
    written_as="compressed",
    written_at_once=True,
    joined_from="sparse_run_list",
)
