"""The stored entries below a fiber of an operand, found by going through its levels."""

from __future__ import annotations

from reference.fibers import Fiber


def first_position(fiber: Fiber, levels: int) -> int:
    """The position of the first entry that many levels below a fiber, which has one."""
    assert fiber.tensor is not None
    position, first = fiber.begin, fiber.type.level.data
    for number in range(first, first + levels):
        level, format = fiber.tensor.levels[number], fiber.tensor.format.levels[number].format
        if format.name == "dense":
            position *= fiber.tensor.format.level_extent(number, fiber.tensor.shape)
        elif level.positions is not None:
            position = int(level.positions[position])
    return position


def entries_below(fiber: Fiber, levels: int) -> list[tuple[int, ...]]:
    """Coordinates of the entries of so many levels below a fiber, in storage order."""
    if fiber.tensor is None:
        return []
    found: list[tuple[tuple[int, ...], int]] = [((), position) for position in range(fiber.begin, fiber.end)]
    first = fiber.type.level.data
    for number in range(first, first + levels):
        level, format = fiber.tensor.levels[number], fiber.tensor.format.levels[number].format
        below: list[tuple[tuple[int, ...], int]] = []
        for path, parent in found:
            if format.name == "dense":
                extent = fiber.tensor.format.level_extent(number, fiber.tensor.shape)
                below += [((*path, k), parent * extent + k) for k in range(extent)]
                continue
            begin, end = parent, parent + 1
            if level.positions is not None:
                begin, end = int(level.positions[parent]), int(level.positions[parent + 1])
            assert level.coordinates is not None
            below += [((*path, int(level.coordinates[p])), p) for p in range(begin, end)]
        found = below
    return [path for path, _ in found]
