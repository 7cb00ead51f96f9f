"""Fibers of operands and workspaces, and what lies below them: found by going through a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reference.workspace import Workspace

from irtensor.dialects.storage import storage
from irtensor.tensors.tensor import Tensor


@dataclass(frozen=True)
class Fiber:
    """The positions [begin, end) above a level of an operand; without a tensor every element is the fill value."""

    type: storage.FiberType
    tensor: Tensor | None
    begin: int = 0
    end: int = 0
    path: tuple[int, ...] = ()


@dataclass(frozen=True)
class ReadFiber:
    """A fiber of a workspace that is read."""

    type: storage.FiberType
    tensor: Workspace
    path: tuple[int, ...]
    begin: int = 0
    end: int = 1


def child(fiber: Fiber | ReadFiber, coordinate: int) -> Any:
    """What lies below a fiber at a coordinate, found by scanning the level."""
    if isinstance(fiber, ReadFiber):
        path = (*fiber.path, coordinate)
        payload = storage.payload_type(fiber.type.tensor, len(path))
        if isinstance(payload, storage.FiberType):
            return ReadFiber(payload, fiber.tensor, path)
        return fiber.tensor.values.get(path, fiber.tensor.initial)
    number = fiber.type.level.data
    format = storage.format_of(fiber.type.tensor)
    innermost = number + 1 == len(format.levels)
    payload = storage.payload_type(fiber.type.tensor, number + 1)
    if isinstance(fiber.tensor, Workspace):
        position = fiber.tensor.child(number, fiber.begin, coordinate)
        if position is None:
            return fiber.tensor.initial if innermost else Fiber(payload, None)  # pyrefly: ignore[bad-argument-type]
        # pyrefly: ignore[bad-argument-type]
        return fiber.tensor.elements()[position] if innermost else Fiber(payload, fiber.tensor, position, position + 1)
    found = range(0)
    if fiber.tensor is not None:
        found = positions_at(fiber, fiber.tensor, number, coordinate)
    if not found:
        # pyrefly: ignore[bad-argument-type]
        return storage.fill_of(fiber.type.tensor) if innermost else Fiber(payload, None)
    assert fiber.tensor is not None
    if innermost:
        return sum(fiber.tensor.values[p].item() for p in found) if len(found) > 1 else fiber.tensor.values[found[0]]
    return Fiber(payload, fiber.tensor, found[0], found[-1] + 1)  # pyrefly: ignore[bad-argument-type]


def positions_at(fiber: Fiber, tensor: Tensor, number: int, coordinate: int) -> range:
    format, level = tensor.format, tensor.levels[number]
    if format.levels[number].format.access.positional:
        position = fiber.begin * format.level_extent(number, tensor.shape) + coordinate
        return range(position, position + int(level.flags is None or level.flags[position]))
    begin, end = fiber.begin, fiber.end
    if format.levels[number].format.properties.equal_segments:
        assert level.positions is not None
        begin, end = begin * int(level.positions[0]), end * int(level.positions[0])
    elif level.positions is not None:
        begin, end = int(level.positions[begin]), int(level.positions[end])
    assert level.coordinates is not None
    equal = [p for p in range(begin, end) if level.coordinates[p] == coordinate]
    return range(equal[0], equal[-1] + 1) if equal else range(0)
