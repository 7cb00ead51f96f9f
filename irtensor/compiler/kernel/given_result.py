"""`out=` of a call: memory that the caller gives for a dense result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import may_share_memory

from irtensor.core.diagnostics import UserError
from irtensor.runtime.array_address import array_address
from irtensor.storage.masked_arrays import refuse_masked

if TYPE_CHECKING:
    from irtensor.compiler.kernel.kernel import Kernel


def may_be_written(out: Any, kernel: Kernel, data: Sequence[Any]) -> bool:
    """Whether a kernel may write its result into the caller's array, which has no operand in it.

    Raises UserError [bad-argument] for an array that cannot take the result.
    """
    result = kernel.signature.result
    # `carray` says at once that an array is C-contiguous, aligned and writeable.
    fits = type(out) is np.ndarray and out.dtype == kernel.result_dtype and out.flags.carray
    if not (fits and result.format is None and out.shape == result.shape(data)):
        _check(out, kernel, data)
    return not shares_memory(out, data)


def shares_memory(out: np.ndarray, operands: Sequence[Any]) -> bool:
    """Whether a kernel that writes to a C-contiguous array may write to what it reads of operands."""
    begin = array_address(out)
    end = begin + out.nbytes
    for one in operands:
        if isinstance(one, np.ndarray):
            if may_share_memory(out, one):
                return True
        else:
            # A call with `out` is to take no longer than one without, and to ask NumPy for each array would.
            first, behind = one.held().bounds()
            if first < end and begin < behind and any(may_share_memory(out, part) for part in one.buffers()):
                return True
    return False


def refuse_stored(kernel: Kernel) -> None:
    """Raises UserError [bad-argument] for a kernel whose result has a format."""
    if kernel.signature.result.format is not None:
        raise UserError("bad-argument", "out= is for dense row-major results; this one is stored in a format")


def _check(out: Any, kernel: Kernel, data: Sequence[Any]) -> None:
    refuse_stored(kernel)
    shape = kernel.signature.result.shape(data)
    refuse_masked(out, "out")
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != kernel.result_dtype:
        message = f"out must be a NumPy array of shape {shape} and dtype {kernel.result_dtype}"
        given = f"shape {out.shape} and dtype {out.dtype}" if isinstance(out, np.ndarray) else type(out).__name__
        raise UserError("bad-argument", f"{message}, got {given}", help="omit out= to get a new array")
    if not (out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
        raise UserError("bad-argument", "out must be C-contiguous, aligned and writeable")
