"""The `xdsl.universe` entry point: irtensor's dialects and passes inside `xdsl-opt` and other xDSL tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from xdsl.dialects import get_all_dialects as get_xdsl_dialects
from xdsl.transforms import get_all_passes as get_xdsl_passes
from xdsl.universe import Universe

from irtensor.dialects import get_all_dialects
from irtensor.passes import get_all_passes

Factory = TypeVar("Factory")


def _absent_from(known: Mapping[str, Factory], ours: Mapping[str, Factory]) -> dict[str, Factory]:
    return {name: factory for name, factory in ours.items() if name not in known}


# Two universes that offer one name are fatal for every tool, so a name that xDSL has by now stays xDSL's.
IRTENSOR_UNIVERSE = Universe(
    all_dialects=_absent_from(get_xdsl_dialects(), get_all_dialects()),
    all_passes=_absent_from(get_xdsl_passes(), get_all_passes()),
)
