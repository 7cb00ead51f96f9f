"""An estimate of a tensor's number of entries, from a sample of its flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from irtensor.storage.stored_tensor import StoredTensor

# The flags that are counted of a larger array: so many pieces that are spread evenly.
_PIECES, _PIECE = 16, 4_096


def entries_about(tensor: StoredTensor) -> int:
    """How many values belong to entries: a bitmap has flags for all positions, unless a level below lists entries.

    Choices by sizes ask with each call: of many flags some are counted.
    """
    # What a device has is not looked at.
    if tensor.is_on_device:
        return tensor.values.size
    arrays = tensor.held()
    count, flags = arrays.values.size, arrays.entry_flags()
    if flags is None or not flags.size:
        return count
    if flags.size <= _PIECES * _PIECE:
        return count * int(np.count_nonzero(flags)) // flags.size
    starts = [flags.size * number // _PIECES for number in range(_PIECES)]
    held = sum([int(np.count_nonzero(flags[start : start + _PIECE])) for start in starts])
    return count * held // (_PIECES * _PIECE)
