"""irtensor: a compiler for sparse and structured tensor algebra.

`einsum` multiplies and sums, `compile` makes a kernel of any statement, operands are arrays of NumPy and SciPy and
Tensors. The manual begins with docs/tutorial.md, and docs/reference.md has all names.

>>> A = it.Tensor.from_numpy(np.diag([1.0, 2.0, 3.0]), "csr")
>>> it.einsum("ij,j->i", A, np.ones(3))
array([1., 2., 3.])
>>> it.compile("y[i] = b[i] - A[i,j] * x[j]")(A=A, x=np.ones(3), b=np.ones(3))
array([ 0., -1., -2.])
"""

from __future__ import annotations

import _imp
import os
import sys
from _thread import RLock, get_ident, interrupt_main, start_new_thread
from importlib import import_module
from time import sleep
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The same names for type checkers and editors, which do not run __getattr__.
    from irtensor import cuda as cuda
    from irtensor.api.compile import compile as compile
    from irtensor.api.compile_module import compile_module as compile_module
    from irtensor.api.einsum import einsum as einsum
    from irtensor.api.einsum_path import einsum_path as einsum_path
    from irtensor.api.evaluate_all import evaluate_all as evaluate_all
    from irtensor.api.expression import clamped as clamped
    from irtensor.api.expression import functions as functions
    from irtensor.api.expression import indices as indices
    from irtensor.api.expression import padded as padded
    from irtensor.api.expression import tensor_variable as tensor_variable
    from irtensor.api.expression import wrapped as wrapped
    from irtensor.api.schedule import schedule as schedule
    from irtensor.caches import cache_info as cache_info
    from irtensor.caches import clear_caches as clear_caches
    from irtensor.errors import CacheWarning as CacheWarning
    from irtensor.errors import DenseResultWarning as DenseResultWarning
    from irtensor.errors import InternalError as InternalError
    from irtensor.errors import UserError as UserError
    from irtensor.frontend.user_operator import operator as operator
    from irtensor.interop.as_tensor import as_tensor as as_tensor
    from irtensor.io import read as read
    from irtensor.io import write as write
    from irtensor.levels.register_level import register_level as register_level
    from irtensor.named_formats import BAND as BAND
    from irtensor.named_formats import BCSC as BCSC
    from irtensor.named_formats import BCSR as BCSR
    from irtensor.named_formats import COO as COO
    from irtensor.named_formats import CSB as CSB
    from irtensor.named_formats import CSC as CSC
    from irtensor.named_formats import CSF as CSF
    from irtensor.named_formats import CSR as CSR
    from irtensor.named_formats import DCSC as DCSC
    from irtensor.named_formats import DCSR as DCSR
    from irtensor.named_formats import DIA as DIA
    from irtensor.named_formats import ELL as ELL
    from irtensor.named_formats import PACKED as PACKED
    from irtensor.named_formats import PERMUTATION as PERMUTATION
    from irtensor.named_formats import RLE as RLE
    from irtensor.named_formats import VBL as VBL
    from irtensor.named_formats import Dense as Dense
    from irtensor.named_formats import Format as Format
    from irtensor.named_formats import ModeGeneric as ModeGeneric
    from irtensor.operators.register_operator import register_operator as register_operator
    from irtensor.semirings import MAX_MIN as MAX_MIN
    from irtensor.semirings import MAX_PLUS as MAX_PLUS
    from irtensor.semirings import MAX_TIMES as MAX_TIMES
    from irtensor.semirings import MIN_MAX as MIN_MAX
    from irtensor.semirings import MIN_PLUS as MIN_PLUS
    from irtensor.semirings import MIN_TIMES as MIN_TIMES
    from irtensor.semirings import OR_AND as OR_AND
    from irtensor.semirings import PLUS_TIMES as PLUS_TIMES
    from irtensor.semirings import Semiring as Semiring
    from irtensor.tensors.device_array import DeviceArray as DeviceArray
    from irtensor.tensors.joining import concatenate as concatenate
    from irtensor.tensors.joining import flip as flip
    from irtensor.tensors.joining import pad as pad
    from irtensor.tensors.joining import roll as roll
    from irtensor.tensors.joining import stack as stack
    from irtensor.tensors.joining import where as where
    from irtensor.tensors.tensor import Tensor as Tensor

# Public name -> module that defines it under the same name. Nothing is imported before a name is used: the dialects
# and passes below this package are loaded by other tools, which must not pay for NumPy or for the compiler.
PUBLIC_NAMES: dict[str, str] = {
    "BAND": "irtensor.named_formats",
    "BCSC": "irtensor.named_formats",
    "BCSR": "irtensor.named_formats",
    "COO": "irtensor.named_formats",
    "CSB": "irtensor.named_formats",
    "CSC": "irtensor.named_formats",
    "CSF": "irtensor.named_formats",
    "CSR": "irtensor.named_formats",
    "DCSC": "irtensor.named_formats",
    "DCSR": "irtensor.named_formats",
    "CacheWarning": "irtensor.errors",
    "Dense": "irtensor.named_formats",
    "DenseResultWarning": "irtensor.errors",
    "DeviceArray": "irtensor.tensors.device_array",
    "DIA": "irtensor.named_formats",
    "ELL": "irtensor.named_formats",
    "Format": "irtensor.named_formats",
    "InternalError": "irtensor.errors",
    "MAX_MIN": "irtensor.semirings",
    "MAX_PLUS": "irtensor.semirings",
    "MAX_TIMES": "irtensor.semirings",
    "MIN_MAX": "irtensor.semirings",
    "MIN_PLUS": "irtensor.semirings",
    "MIN_TIMES": "irtensor.semirings",
    "ModeGeneric": "irtensor.named_formats",
    "OR_AND": "irtensor.semirings",
    "PACKED": "irtensor.named_formats",
    "PERMUTATION": "irtensor.named_formats",
    "PLUS_TIMES": "irtensor.semirings",
    "RLE": "irtensor.named_formats",
    "VBL": "irtensor.named_formats",
    "Semiring": "irtensor.semirings",
    "Tensor": "irtensor.tensors.tensor",
    "UserError": "irtensor.errors",
    "as_tensor": "irtensor.interop.as_tensor",
    "cache_info": "irtensor.caches",
    "clamped": "irtensor.api.expression",
    "clear_caches": "irtensor.caches",
    "compile": "irtensor.api.compile",
    "compile_module": "irtensor.api.compile_module",
    "concatenate": "irtensor.tensors.joining",
    "cuda": "irtensor.cuda",
    "einsum": "irtensor.api.einsum",
    "einsum_path": "irtensor.api.einsum_path",
    "evaluate_all": "irtensor.api.evaluate_all",
    "flip": "irtensor.tensors.joining",
    "functions": "irtensor.api.expression",
    "indices": "irtensor.api.expression",
    "operator": "irtensor.frontend.user_operator",
    "pad": "irtensor.tensors.joining",
    "padded": "irtensor.api.expression",
    "read": "irtensor.io",
    "register_level": "irtensor.levels.register_level",
    "register_operator": "irtensor.operators.register_operator",
    "roll": "irtensor.tensors.joining",
    "schedule": "irtensor.api.schedule",
    "stack": "irtensor.tensors.joining",
    "tensor_variable": "irtensor.api.expression",
    "where": "irtensor.tensors.joining",
    "wrapped": "irtensor.api.expression",
    "write": "irtensor.io",
}

# Modules imported with a public name, all at once: groups of irtensor.late_imports.
_NEEDED: dict[str, tuple[str, ...]] = {
    "Tensor": ("tensors",),
    "as_tensor": ("tensors",),
    "DeviceArray": ("calls",),
    "compile": ("calls",),
    "compile_module": ("calls",),
    "cuda": ("calls",),
    "einsum": ("einsum",),
    "einsum_path": ("einsum",),
    "clamped": ("expressions",),
    "functions": ("expressions",),
    "indices": ("expressions",),
    "padded": ("expressions",),
    "tensor_variable": ("expressions",),
    "wrapped": ("expressions",),
    "concatenate": ("expressions", "tensors"),
    "flip": ("expressions", "tensors"),
    "pad": ("expressions", "tensors"),
    "roll": ("expressions", "tensors"),
    "stack": ("expressions", "tensors"),
    "where": ("expressions", "tensors"),
}
# Held while something is imported late, or LLVM compiles: a fork waits for it, so that no child has half of that.
_lock: Any = RLock()
_interrupted: list[bool] = []
# The lock of llvmlite, while a fork holds it.
_llvm_locks: list[Any] = []
# How many milliseconds a fork waits for what other threads import.
_PATIENCE = 10_000


def _others_import() -> bool:
    """Whether another thread imports a module: its lock would be held for ever in a child."""
    locks = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    owners = [lock.owner for lock in [reference() for reference in list(locks.values())] if lock is not None]
    # A thread that imports itself might be waited for by the others.
    return bool(owners) and get_ident() not in owners


def _before_fork() -> None:
    _hold_imports()
    # What another thread does by LLVM, as to give code back, is done under llvmlite's lock alone.
    lock = getattr(getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None), "_lock", None)
    while lock is not None and not _llvm_locks:
        try:
            lock.__enter__()
            _llvm_locks.append(lock)
        except KeyboardInterrupt:
            _interrupted.append(True)


def _hold_imports() -> None:
    for _ in range(_PATIENCE):
        try:
            _lock.acquire()
            # Nobody gets the lock of another module as long as this one is held.
            _imp.acquire_lock()
            if not _others_import():
                return
            _imp.release_lock()
            _lock.release()
            sleep(0.001)
        except KeyboardInterrupt:
            # Nothing can be raised here, and without the lock the child would have half of something.
            _interrupted.append(True)
    _lock.acquire()
    _imp.acquire_lock()


def _leave_llvm() -> None:
    while _llvm_locks:
        _llvm_locks.pop().__exit__(None, None, None)


def _after_fork_in_parent() -> None:
    _leave_llvm()
    if _interrupted:
        _interrupted.clear()
        # By another thread: exceptions raised in here are ignored.
        start_new_thread(interrupt_main, ())


def _after_fork_in_child() -> None:
    _leave_llvm()
    _interrupted.clear()
    # They were not taken if another thread has imported this module while the fork began.
    if _imp.lock_held():
        _imp.release_lock()
    if _lock._is_owned():
        _lock.release()
    else:
        _lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    # The locks' own functions give them back: unlike functions of Python, no signal's handler interrupts them.
    os.register_at_fork(before=_before_fork, after_in_parent=_imp.release_lock)
    os.register_at_fork(after_in_parent=_lock.release, after_in_child=_after_fork_in_child)
    os.register_at_fork(after_in_parent=_after_fork_in_parent)

__version__ = "0.1.0"
__all__ = list(PUBLIC_NAMES)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if (module := PUBLIC_NAMES.get(name)) is None:
        raise AttributeError(f"module 'irtensor' has no attribute '{name}'")
    with _lock:
        if module not in sys.modules:
            # Where a library cannot be mapped, Python raises an ImportError.
            room = import_module("irtensor.runtime.room")
            room.need_room(room.ROOM, "loading irtensor")
        value = getattr(import_module(module), name)
        late = import_module("irtensor.late_imports")
        for group in _NEEDED.get(name, ()):
            late.load_for(group)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *PUBLIC_NAMES})
