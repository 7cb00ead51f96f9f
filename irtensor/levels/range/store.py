"""Range level: stored as a dense level is; positions off the diagonal are padding."""

from __future__ import annotations

from irtensor.levels.dense.store import DenseStore


class RangeStore(DenseStore):
    """A position for each coordinate of each diagonal."""
