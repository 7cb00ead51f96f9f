"""Whether this processor sums by its gather instruction faster than by reading scattered elements one by one.

Many do not: microcode against leaks has made gathers several times slower on most Intel processors before 2023, on
others they take as long as the reads that they stand for, and nothing that a program can ask tells. So it is timed,
once per machine where there is a disk cache: a matrix times a vector, as compiled in both ways.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import prod
from time import perf_counter_ns

import numpy as np

from irtensor.core.text_files import text_of_file
from irtensor.runtime.disk_cache import DiskCache, cache_key
from irtensor.runtime.native_function import NativeFunction

# The first cache holds neither the entries of a matrix nor the vector, the second one holds both. There are more rows
# than a processor learns the lengths of in so many calls, as there are in matrices that take long.
_ENTRIES, _ELEMENTS = 50_000, 1 << 14
# The shortest row of a matrix and how many more entries a row of it has at most.
_ROWS = ((2, 6), (12, 8), (24, 6))
# Alternating calls of both; the fastest of each counts. Other work of the machine disturbs some calls.
_ROUNDS = 10
# How often all is timed, with arrays somewhere else in memory.
_REPEATED = 4
# Gathers have to win by this much: where both take as long, other sums than this one are slower with gathers.
_MARGIN = 0.93

_NUMBER, _POINTER = ctypes.c_int64, ctypes.c_void_p
_ARGUMENTS = (_NUMBER, _NUMBER, _POINTER, _POINTER, _POINTER, _NUMBER, _POINTER, _NUMBER, _POINTER)


def gathers_pay_for(processor: str, compiled: Callable[[str], NativeFunction]) -> bool:
    """What was found when it was timed on a processor, or now if that is not known; `compiled` gives the function of a
    text."""
    # Of no use where the answer for this processor is known, as it is in most processes.
    from irtensor.options import current_options

    # Written by `python test/support/summed_segments.py`: what the compiler makes of it.
    texts = [text_of_file(f"llvm/{name}_sums.ll") for name in ("gathered", "single")]
    settings = current_options()
    if not settings.disk_cache:
        return _timed(texts, compiled)
    cache = DiskCache(settings.cache_dir)
    key = cache_key("".join(texts), processor, cache)
    found = cache.load(key)
    if found is not None and isinstance(found.metadata, bool):
        return found.metadata
    pays = _timed(texts, compiled)
    cache.store(key, (), pays)
    return pays


def _timed(texts: Sequence[str], compiled: Callable[[str], NativeFunction]) -> bool:
    gathered, single = map(compiled, texts)
    return gathers_win(gathered.address, single.address)


def gathers_win(gathered: int, single: int) -> bool:
    """Time two kernels that multiply a matrix by a vector, given by their addresses, on rows of some lengths."""
    made = [_arguments(*rows) for rows in _ROWS]
    # Where arrays lie in memory decides as well, and what else the machine does meanwhile.
    matrices = [[_copied(one) for one in arguments] for _ in range(_REPEATED) for arguments in made]
    ratios = [_ratio(gathered, single, arguments) for arguments in matrices]
    return prod(ratios) ** (1 / len(ratios)) <= _MARGIN


def _copied(argument: int | np.ndarray) -> int | np.ndarray:
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def _ratio(gathered: int, single: int, arguments: Sequence[int | np.ndarray]) -> float:
    """The time with gathers as a part of that without."""
    kernel = ctypes.CFUNCTYPE(ctypes.c_int32, *_ARGUMENTS)
    pointers = [one.ctypes.data if isinstance(one, np.ndarray) else one for one in arguments]
    calls = [_call(kernel(address), pointers) for address in (gathered, single)]
    fastest = [1 << 62, 1 << 62]
    for _ in range(_ROUNDS):
        for number, call in enumerate(calls):
            start = perf_counter_ns()
            call()
            fastest[number] = min(fastest[number], perf_counter_ns() - start)
    return fastest[0] / fastest[1]


def _arguments(shortest: int, more: int) -> tuple[int | np.ndarray, ...]:
    """The arguments of a kernel. No processor foresees the lengths and coordinates of their rows."""
    count = _ENTRIES // (shortest + more)
    lengths = shortest + _scattered(count) % (more + 1)
    positions = np.zeros(count + 1, np.int32)
    np.cumsum(lengths, out=positions[1:])
    coordinates = (_scattered(int(positions[-1])) % _ELEMENTS).astype(np.int32)
    values, elements, result = np.ones(len(coordinates)), np.ones(_ELEMENTS), np.empty(count)
    return count, _ELEMENTS, positions, coordinates, values, _ELEMENTS, elements, count, result


def _scattered(count: int) -> np.ndarray:
    """Numbers in no order."""
    numbers = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    numbers ^= numbers >> np.uint64(29)
    return ((numbers * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(40)).astype(np.int64)


def _call(kernel: Callable[..., int], arguments: list[int]) -> Callable[[], int]:
    return lambda: kernel(*arguments)
