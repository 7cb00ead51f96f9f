"""The format of coordinates of whole entries, of any rank."""

from __future__ import annotations

from irtensor.core.level_format import LevelFormat
from irtensor.core.tensor_format import TensorFormat


def coordinate_format(rank: int) -> TensorFormat:
    """COO of any rank: sorted coordinates of whole entries; a scalar is dense."""
    singles = [LevelFormat("singleton", unique=False)] * (rank - 2) + [LevelFormat("singleton")] * (rank > 1)
    return TensorFormat.of([LevelFormat("compressed", unique=rank == 1), *singles] if rank else [])
