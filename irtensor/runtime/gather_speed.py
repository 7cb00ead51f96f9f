"""Whether this processor reads a vector of scattered elements faster by its gather instruction than one by one.

Many do not: microcode against leaks has made gathers several times slower on most Intel processors before 2023, and
nothing that a program can ask tells. So it is timed, once per machine where there is a disk cache.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter_ns
from typing import Any

_LENGTH, _ELEMENTS, _LANES = 4096, 1024, 4
# Alternating calls of both, of which the fastest count; what else the machine does disturbs some of them.
_ROUNDS = 15
# A gather has to lose by this much before it is given up.
_MARGIN = 1.2

_GATHER = f"@llvm.masked.gather.v{_LANES}f64.v{_LANES}p0"
_DOUBLES, _POINTERS, _FLAGS = (f"<{_LANES} x {kind}>" for kind in ("double", "ptr", "i1"))


def measuring_text() -> str:
    """LLVM IR of the two functions that are compared: (elements, their numbers in the order to read them) -> a sum."""
    singles = [line for lane in range(_LANES) for line in _single(lane)]
    starts = [f"  %sum{lane} = phi double [ 0.0, %0 ], [ %more{lane}, %loop ]" for lane in range(_LANES)]
    vectors = [f"  %sum = phi {_DOUBLES} [ zeroinitializer, %0 ], [ %more, %loop ]"]
    first = f"  %first = extractelement {_DOUBLES} %more, i32 0\n"
    return "\n".join(
        (
            f"declare {_DOUBLES} {_GATHER}({_POINTERS}, i32, {_FLAGS}, {_DOUBLES})",
            *_function("single", [*starts, *singles], "  ret double %more0"),
            *_function("gathered", [*vectors, *_gathered()], first + "  ret double %first"),
        )
    )


def _function(name: str, body: Iterable[str], end: str) -> Iterator[str]:
    yield f"define double @{name}(ptr %x, ptr %crd) {{"
    yield "  br label %loop"
    yield "loop:"
    yield "  %p = phi i64 [ 0, %0 ], [ %next, %loop ]"
    yield from body
    yield f"  %next = add i64 %p, {_LANES}"
    yield f"  %goes_on = icmp slt i64 %next, {_LENGTH}"
    yield "  br i1 %goes_on, label %loop, label %done"
    yield "done:"
    yield end
    yield "}"


def _gathered() -> Iterator[str]:
    yield "  %place = getelementptr i32, ptr %crd, i64 %p"
    yield f"  %numbers = load <{_LANES} x i32>, ptr %place, align 4"
    yield f"  %wide = sext <{_LANES} x i32> %numbers to <{_LANES} x i64>"
    yield f"  %addresses = getelementptr double, ptr %x, <{_LANES} x i64> %wide"
    operands = f"{_POINTERS} %addresses, i32 8, {_FLAGS} splat (i1 true), {_DOUBLES} poison"
    yield f"  %read = call {_DOUBLES} {_GATHER}({operands})"
    yield f"  %more = fadd {_DOUBLES} %sum, %read"


def _single(lane: int) -> Iterator[str]:
    yield f"  %at{lane} = add i64 %p, {lane}"
    yield f"  %place{lane} = getelementptr i32, ptr %crd, i64 %at{lane}"
    yield f"  %number{lane} = load i32, ptr %place{lane}, align 4"
    yield f"  %wide{lane} = sext i32 %number{lane} to i64"
    yield f"  %address{lane} = getelementptr double, ptr %x, i64 %wide{lane}"
    yield f"  %read{lane} = load double, ptr %address{lane}, align 8"
    yield f"  %more{lane} = fadd double %sum{lane}, %read{lane}"


def gathers_pay(gathered: int, single: int) -> bool:
    """Time the two functions, given by their addresses, on elements that lie in the first cache."""
    elements = array("d", [1.0]) * _ELEMENTS
    # A step that visits all of them, in no order that a processor would see.
    numbers = array("i", (place * 389 % _ELEMENTS for place in range(_LENGTH)))
    functions = [_caller(address, elements, numbers) for address in (gathered, single)]
    fastest = [1 << 62, 1 << 62]
    for _ in range(_ROUNDS):
        for number, function in enumerate(functions):
            start = perf_counter_ns()
            function()
            fastest[number] = min(fastest[number], perf_counter_ns() - start)
    return fastest[0] <= _MARGIN * fastest[1]


def _caller(address: int, elements: Any, numbers: Any) -> Callable[[], float]:
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)(address)
    return lambda: function(elements.buffer_info()[0], numbers.buffer_info()[0])
