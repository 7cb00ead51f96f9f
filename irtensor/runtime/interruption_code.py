"""LLVM IR by which code that runs for long finds out whether it shall go on: Ctrl-C, and failures of other threads.

Other threads than the main one may still run kernels when the interpreter, and the GIL, are gone.
"""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Any

from irtensor.core.text_files import text_of_file

# Functions of the interpreter that the code calls, with the GIL held.
_INTERPRETER_FUNCTIONS = ("PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch")

# A clock that goes by milliseconds, where there is one: it takes a fifth of the time to read.
_COARSE_CLOCKS = {"linux": 6, "darwin": 5}
_CLOCK = _COARSE_CLOCKS.get(sys.platform, getattr(time, "CLOCK_MONOTONIC", 1))


def interpreter_functions() -> dict[str, int]:
    """Their addresses, for code to be linked with."""
    return {name: _address_of(getattr(ctypes.pythonapi, name)) for name in _INTERPRETER_FUNCTIONS}


def _address_of(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def interruption_code() -> str:
    """The functions `now`, `is_due` and `interrupted` of a module, and the types `context` and `pool`."""
    return f"@clock = internal constant i32 {_CLOCK}\n" + text_of_file("llvm/interruption.ll")
