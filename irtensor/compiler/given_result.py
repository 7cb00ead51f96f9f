"""`out=` of a call: memory that the caller gives for a dense result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import may_share_memory

from irtensor.dialects.diagnostics import UserError
from irtensor.storage.masked_arrays import refuse_masked

if TYPE_CHECKING:
    from irtensor.compiler.kernel import Kernel


def run_into(out: Any, kernel: Kernel, data: Sequence[Any], run: Callable[[np.ndarray | None], Any]) -> Any:
    """What `run` computes, in the caller's array; through memory of its own where that has an operand in it.

    Raises UserError [bad-argument] for an array that cannot take the result.
    """
    _check(out, kernel, data)
    if not shares_memory(out, data):
        return run(out)
    out[...] = run(None)
    return out if out.ndim else out[()]


def shares_memory(out: np.ndarray, operands: Sequence[Any]) -> bool:
    """Whether a kernel that writes to an array may write to what it reads of operands."""
    # A loop of its own: a call with `out` is to take no longer than one without.
    for one in operands:
        for part in (one,) if isinstance(one, np.ndarray) else one.buffers():
            if may_share_memory(out, part):
                return True
    return False


def refuse_stored(kernel: Kernel) -> None:
    """Raises UserError [bad-argument] for a kernel whose result has a format."""
    if kernel.signature.result.format is not None:
        raise UserError("bad-argument", "out= is for dense row-major results; this one is stored in a format")


def _check(out: Any, kernel: Kernel, data: Sequence[Any]) -> None:
    refuse_stored(kernel)
    shape = kernel.signature.result.shape(data)
    # `carray` says at once that an array is C-contiguous, aligned and writeable.
    if type(out) is np.ndarray and out.shape == shape and out.dtype == kernel.result_dtype and out.flags.carray:
        return
    refuse_masked(out, "out")
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != kernel.result_dtype:
        message = f"out must be a NumPy array of shape {shape} and dtype {kernel.result_dtype}"
        given = f"shape {out.shape} and dtype {out.dtype}" if isinstance(out, np.ndarray) else type(out).__name__
        raise UserError("bad-argument", f"{message}, got {given}", help="leave out= out to get a new array")
    if not (out.flags.c_contiguous and out.flags.writeable and out.flags.aligned):
        raise UserError("bad-argument", "out must be C-contiguous, aligned and writeable")
