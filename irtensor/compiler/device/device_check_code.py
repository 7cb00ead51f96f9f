"""The checks that a GPU makes of the storage of tensors: see device_checks.

Each takes, behind numbers, the addresses of the arrays, and last of two counters, which are 0 where nothing is wrong.
Types of integers are written as `i32`.
"""

from __future__ import annotations

from functools import cache

from irtensor.compiler.device.device_function import DeviceFunction
from irtensor.runtime.loop_text import text_of_loops


@cache
def positions_check(type: str) -> DeviceFunction:
    """The check of positions: of how many parents, and how many entries they count."""
    return _function("check_positions", position=type)


@cache
def coordinates_check(positions: str, coordinates: str) -> DeviceFunction:
    """The check of lists of coordinates: of how many parents, how many entries, and the range, without its end."""
    return _function("check_coordinates", position=positions, coordinate=coordinates)


def _function(name: str, **types: str) -> DeviceFunction:
    sizes = {alias: int(type.removeprefix("i")) // 8 for alias, type in types.items()}
    return DeviceFunction(text_of_loops(name, **sizes), name, f"{name} of a tensor")
