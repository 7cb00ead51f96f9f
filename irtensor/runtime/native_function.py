"""Machine code that is loaded, and can be called while somebody keeps it."""

from __future__ import annotations

import ctypes
from typing import Any

# What code takes that LLVM has loaded, which does not say how much that is.
_PAGES = 1 << 16


class NativeFunction:
    """A loaded function. The code stays in memory as long as this object lives.

    `address` is its entry point, `objects` the object files it came from, which `load_objects` accepts. A caller
    that no longer needs them may set `objects` to ().
    """

    __slots__ = ("_library", "address", "entry", "linked_with", "objects")

    def __init__(self, address: int, objects: tuple[bytes, ...], entry: str, library: Any) -> None:
        self.address = address
        self.objects = objects
        self.entry = entry
        # What has the functions that it imports.
        self.linked_with: Any = None
        self._library = library

    @property
    def size(self) -> int:
        """About how many bytes the object files and the loaded code take."""
        return sum(map(len, self.objects)) + getattr(self._library, "size", _PAGES)

    def address_of(self, name: str) -> int:
        """The entry point of another function that was exported."""
        return self._library[name]

    def as_ctypes(self, *argument_types: Any) -> Any:
        """A Python callable that returns the function's i32 status; it keeps this object alive."""
        return self._callable(self.address, ctypes.c_int32, *argument_types)

    def exported(self, name: str, result: Any, *argument_types: Any) -> Any:
        """A Python callable for another function that was exported; it keeps this object alive."""
        return self._callable(self.address_of(name), result, *argument_types)

    def _callable(self, address: int, *types: Any) -> Any:
        function: Any = ctypes.CFUNCTYPE(*types)(address)
        # Caches may drop the code while another thread runs it.
        function.keep_alive = self
        return function

    def __repr__(self) -> str:
        return f"<NativeFunction {self.entry} at {self.address:#x}>"
