"""The format that stores a tensor like another one, but not in blocks."""

from __future__ import annotations

from dataclasses import replace

from irtensor.core.level_format import LIST
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat


def without_blocks(format: TensorFormat) -> TensorFormat:
    """Levels over whole dimensions instead of over blocks of them; none becomes dense that was sparse inside."""
    inside = {level.expression.dimension: level for level in format.levels if level.expression.form == "mod"}
    levels: list[Level] = []
    for above, level in zip((None, *format.levels), format.levels, strict=False):
        dimension = level.expression.dimension
        if level.expression.form != "mod":
            is_sparse = dimension in inside and not inside[dimension].format.access.inserts
            is_structure = dimension in inside and level.format.pattern.structured
            kept = not (is_structure or (is_sparse and level.format.access.inserts))
            stored = level.format if kept else LIST
            if above is not None and stored.properties.without_parent:
                # There may be several below one coordinate of a whole dimension, or of whole dimensions in a block.
                several = level.expression.form == "floordiv" and above.format.unique
                if several or above.expression.form == "mod":
                    stored = stored.without_parent
            levels.append(Level(LevelExpression(dimension), stored))
    return replace(format, levels=tuple(levels))
