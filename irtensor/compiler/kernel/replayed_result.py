"""The index of a result that is given to a kernel, which computes the values for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.runtime.array_address import array_address
from irtensor.runtime.result_memory import RESULT_MEMORY
from irtensor.storage.stored_tensor import StoredTensor, make_tensor


class ReplayedResult:
    """The index of a result and memory for new values, with room for those of one entry more.

    An entry of the innermost level that has coordinates has `entry_width` values.
    """

    def __init__(self, index: StoredTensor, dtype: np.dtype[Any], entry_width: int) -> None:
        self.index, self.held = index, index.held()
        count = self.held.values.size
        if index.format.is_pattern:
            self.values, self.arguments = self.held.values, [*self.held.arguments()[index.ndim :]]
            return
        room = RESULT_MEMORY.empty((count + entry_width,), dtype)
        self.values = room[:count]
        self.arguments = [*self.held.arguments()[index.ndim : -1], array_address(room)]

    def finish(self) -> StoredTensor:
        """The tensor that the kernel has filled in; it shares the index arrays."""
        return make_tensor(self.index.shape, self.index.format, self.held.levels, self.values)

    def discard(self) -> None:
        """Nothing is to be given back by hand."""
