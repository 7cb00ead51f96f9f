"""The format that stores a tensor like another one, but not in blocks."""

from __future__ import annotations

from dataclasses import replace

from irtensor.dialects.tensor_format import Level, LevelExpression, LevelFormat, TensorFormat


def without_blocks(format: TensorFormat) -> TensorFormat:
    """Levels over whole dimensions instead of over blocks of them; none becomes dense that was sparse inside."""
    inside = {level.expression.dimension: level for level in format.levels if level.expression.kind == "mod"}
    levels: list[Level] = []
    for level in format.levels:
        dimension = level.expression.dimension
        if level.expression.kind != "mod":
            is_sparse = dimension in inside and not inside[dimension].format.properties.inserts
            kept = not (is_sparse and level.format.properties.inserts)
            levels.append(Level(LevelExpression(dimension), level.format if kept else LevelFormat("compressed")))
    return replace(format, levels=tuple(levels))
