"""Where pickles of tensors that were written before name what they are made by."""

from __future__ import annotations

from irtensor.storage.stored_tensor import of_arrays as of_arrays
