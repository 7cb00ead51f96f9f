"""What errors of the driver of NVIDIA's cards mean, for whoever has launched kernels."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock

from irtensor.errors import InternalError, UserError

INVALID_VALUE = 1
OUT_OF_MEMORY = 2
OLD_DRIVER = 222
# Errors of kernels after which a card does nothing more for the process, as CUresult numbers them: uncorrectable errors
# of memory and links, a destroyed context, an illegal address, a timeout, a failed assertion, and illegal instructions.
_STICKY = frozenset({214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719})
# How many kernels an error may be of: the driver does not say which of them it was.
_MOST_NAMED = 4


class DriverFailure(Exception):
    """A function of the driver has returned an error."""

    def __init__(self, function: str, code: int, name: str, text: str) -> None:
        super().__init__(f"{function}: {name}: {text}")
        self.function = function
        self.code = code
        self.name = name
        self.text = text


class RunningKernels:
    """What was launched on the streams of this process and has not been waited for."""

    def __init__(self) -> None:
        self._launched: deque[tuple[int, str]] = deque(maxlen=64)
        # A garbage collection inside a locked region may wait for a stream, hence reentrant.
        self._lock = RLock()

    def launched(self, stream: int, what: str) -> None:
        with self._lock:
            if (stream, what) not in self._launched:
                self._launched.append((stream, what))

    def finished(self, stream: int | None = None) -> None:
        """All of a stream, or all of every stream, has been waited for."""
        with self._lock:
            left = () if stream is None else [one for one in self._launched if one[0] != stream]
            self._launched = deque(left, maxlen=self._launched.maxlen)

    def description(self) -> str:
        with self._lock:
            names = [f"'{what}'" for _, what in self._launched]
        if not names:
            return ""
        if len(names) == 1:
            return f", while {names[0]} was running"
        left = len(names) - _MOST_NAMED
        more = f" or {left} more" if left > 0 else ""
        return f", while one of these was running: {', '.join(names[-_MOST_NAMED:])}{more}"


RUNNING = RunningKernels()


def error_for(failure: DriverFailure) -> Exception:
    """What users are told about an error that a function of the driver has returned."""
    said = f"{failure.name}: {failure.text}"
    if failure.code in _STICKY:
        help = "the card does nothing more for this process: start it anew"
        return UserError("cuda-launch", f"{said}{RUNNING.description()}", help=help)
    if failure.code == OLD_DRIVER:
        return UserError("no-cuda", f"the driver is older than the code for it: {said}", help="update the driver")
    if failure.code == OUT_OF_MEMORY:
        return MemoryError(f"the GPU, or the driver, has no memory left: {said}, by {failure.function}")
    return InternalError(f"{failure.function} of the CUDA driver returned {said}")


@contextmanager
def explained() -> Generator[None]:
    """Errors of the driver become those of users."""
    try:
        yield
    except DriverFailure as failure:
        raise error_for(failure) from failure
