"""LLVM IR of what other libraries call when they are done with memory that DLPack has passed to them."""

from __future__ import annotations

import ctypes

from irtensor.core.text_files import text_of_file

# Functions of the interpreter that the code calls.
_INTERPRETER_FUNCTIONS = (
    "Py_IsInitialized",
    "PyGILState_Ensure",
    "PyGILState_Release",
    "PyErr_Fetch",
    "PyErr_Restore",
    "PyCapsule_IsValid",
    "PyCapsule_GetPointer",
)
# The deleter of a description, and the destructor of a capsule; both call `irtensor.forget` with a description.
DLPACK_FUNCTIONS = ("irtensor.delete", "irtensor.drop")


def dlpack_imports() -> dict[str, int]:
    """Addresses of functions of the interpreter, for the code to be linked with."""
    functions = {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p) for name in _INTERPRETER_FUNCTIONS}
    return {name: function.value or 0 for name, function in functions.items()}


def dlpack_code() -> str:
    return text_of_file("llvm/dlpack.ll")
