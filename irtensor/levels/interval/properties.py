"""Interval level: one run of equal children per parent, or none."""

from irtensor.core.level_properties import BEGINS, ENDS, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (BEGINS, ENDS), Pattern(structured=True), "runs", written_as="compressed", joined_from="sparse_run_list"
)
