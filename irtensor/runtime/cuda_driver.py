"""The driver of NVIDIA's cards, through NVIDIA's Python bindings: the only module that imports them.

They are loaded, and the driver is asked for its cards, when something is first wanted of it.
"""

from __future__ import annotations

import ctypes
import os
from importlib import import_module
from typing import Any

from irtensor.errors import UserError
from irtensor.late_imports import lock
from irtensor.runtime.cuda_errors import DriverFailure

# The default stream, by the handle that names it whatever the bindings' own default is.
LEGACY_STREAM = 1
_NOT_FOR_CPU = 'a kernel compiled for target="cpu" needs none of it'


class _State:
    """What this process has: the bindings, once the driver has been started, and whether a parent has started it."""

    api: Any = None
    library: Any = None
    is_forked = False

    def after_fork(self) -> None:
        self.is_forked = self.is_forked or self.api is not None


_state = _State()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_state.after_fork)


def call(name: str, *arguments: Any) -> Any:
    """What a function of the driver gives: nothing, a value, or a tuple of several.

    Raises DriverFailure where it returns an error, and UserError [no-cuda] or [cuda-after-fork] where there is none.
    """
    api = driver_api()
    try:
        code, *values = getattr(api, name)(*arguments)
    except ValueError as error:
        # What the bindings make of an error that is newer than they are.
        raise DriverFailure(name, -1, "an error that the installed bindings do not know", str(error)) from error
    if code != 0:
        raise DriverFailure(name, *error_of(int(code)))
    return values[0] if len(values) == 1 else tuple(values) or None


def is_usable() -> bool:
    """Whether the driver has been started by this very process: memory can be given back then."""
    return _state.api is not None and not _state.is_forked


def driver_api() -> Any:
    """The bindings' module for the driver, which has been started. Raises UserError [no-cuda], [cuda-after-fork]."""
    if _state.is_forked:
        raise UserError(
            "cuda-after-fork",
            "the GPU was used before this process was forked, and the driver does not work in a child after that",
            help='start processes with multiprocessing.get_context("spawn"), or use the GPU in the children only',
        )
    if _state.api is None:
        with lock:
            _start()
    return _state.api


def function_address(name: str) -> int:
    """Where a function of the driver lies, for native code; by its name with the version."""
    driver_api()
    if _state.library is None:
        # The library that the bindings have loaded.
        _state.library = ctypes.CDLL("libcuda.so.1")
    address = ctypes.cast(getattr(_state.library, name), ctypes.c_void_p).value
    assert address is not None
    return address


def error_of(code: int) -> tuple[int, str, str]:
    """An error's number, its name, and what the driver says about it."""
    api = _state.api or _bindings()
    try:
        known = api.CUresult(code)
    except ValueError:
        return code, f"error {code}", "the installed bindings do not know it"
    name, text = api.cuGetErrorName(known)[1], api.cuGetErrorString(known)[1]
    return code, name.decode() if name else known.name, text.decode() if text else "no description"


def _start() -> None:
    api = _bindings()
    try:
        code = api.cuInit(0)[0]
    except RuntimeError as error:
        # The bindings' own class for it is another one in each of their versions.
        message = f"this machine has no driver for NVIDIA's cards ({str(error).rstrip('.')})"
        help = f"install the driver that your system, or NVIDIA, has for the card; {_NOT_FOR_CPU}"
        raise UserError("no-cuda", message, help=help) from error
    if code == api.CUresult.CUDA_ERROR_NO_DEVICE:
        raise no_device()
    if code != 0:
        raise cannot_be_used("the driver", error_of(int(code)))
    _state.api = api


def _bindings() -> Any:
    try:
        return import_module("cuda.bindings.driver")
    except ModuleNotFoundError as error:
        # Of a library that is there but broken, its own error says more.
        if error.name not in ("cuda", "cuda.bindings"):
            raise
        message = "NVIDIA's Python bindings, by which kernels for a GPU are run, are not installed"
        help = f"install them: pip install 'cuda-bindings>=12.9,<14'; {_NOT_FOR_CPU}"
        raise UserError("no-cuda", message, help=help) from error


def no_device(number: int = 0, count: int = 0) -> UserError:
    """The error where the driver finds no card, or too few."""
    if count:
        there_are = "the only one is 0" if count == 1 else f"there are 0 to {count - 1}"
        return UserError("no-cuda", f"GPU {number} does not exist: {there_are}")
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    if hidden is None:
        help = f"see whether nvidia-smi lists one; {_NOT_FOR_CPU}"
    else:
        help = f"CUDA_VISIBLE_DEVICES is '{hidden}', and hides all cards that it does not list; {_NOT_FOR_CPU}"
    return UserError("no-cuda", "NVIDIA's driver finds no card on this machine", help=help)


def cannot_be_used(what: str, error: tuple[int, str, str]) -> UserError:
    """The error where the driver, or a card, is there and does not start."""
    _, name, text = error
    help = f"see what nvidia-smi says; after an update of the driver, restart the machine; {_NOT_FOR_CPU}"
    return UserError("no-cuda", f"{what} cannot be used: {name}: {text}", help=help)
