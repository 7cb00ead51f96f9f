"""Transposition of a list of coordinates in segments, as of CSR to CSC, by compiled code: an entry is moved once.

Other conversions go through the coordinates of all dimensions; this one, the most frequent, makes none of them.
"""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from irtensor.runtime.array_address import array_address
from irtensor.runtime.result_memory import RESULT_MEMORY
from irtensor.runtime.template_types import with_element, with_integer

Array = np.ndarray[Any, np.dtype[Any]]

_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64
# Entries that are counted or moved in one call: some 50 ms where each is a cache miss.
_STRIP = 1 << 20


def transpose_segments(
    positions: Array, coordinates: Array, values: Array, extent: int
) -> tuple[Array, Array, Array] | None:
    """Positions, coordinates and values with a segment for each of `extent` coordinates, which holds, in order, the
    numbers of the segments that had it.

    Segment s of what is given are the elements from `positions[s]` to `positions[s + 1]` of `coordinates` and `values`.
    Integers are signed, and results have the types of the arguments. None where those are not segments
    of all elements, or a coordinate is not in [0, extent).
    """
    # The place of segment s, while it is filled, is kept where its end will be, one further on.
    places = np.zeros(extent + 2, positions.dtype)
    numbers = RESULT_MEMORY.empty(coordinates.shape, coordinates.dtype)
    moved = RESULT_MEMORY.empty(values.shape, values.dtype)
    given = [np.ascontiguousarray(array) for array in (positions, coordinates, values)]
    positions = given[0]
    check, count, sum_up, move = _functions(positions.itemsize, coordinates.itemsize, values.itemsize)
    segments = positions.size - 1
    at, crd, vals, to, new, out = [array_address(array) for array in (*given, places, numbers, moved)]
    if not check(at, segments, values.size):
        return None
    # Between two strips, Python sees to signals, Ctrl-C among them.
    for first in range(0, values.size, _STRIP):
        if not count(crd, to, extent, first, min(first + _STRIP, values.size)):
            return None
    sum_up(to, extent)
    ends = np.searchsorted(positions, np.arange(_STRIP, values.size, _STRIP).astype(positions.dtype))
    bounds = [0, *map(int, ends), segments]
    for first, last in pairwise(bounds):
        move(at, crd, vals, to, new, out, first, last)
    return places[: extent + 1], numbers, moved


@cache
def _functions(*sizes: int) -> tuple[Any, ...]:
    code = _code(*sizes)
    kinds: dict[str, tuple[Any, ...]] = {
        "check": (ctypes.c_bool, _POINTER, *(_NUMBER,) * 2),
        "count": (ctypes.c_bool, *(_POINTER,) * 2, *(_NUMBER,) * 3),
        "sum": (None, _POINTER, _NUMBER),
        "move": (None, *(_POINTER,) * 6, *(_NUMBER,) * 2),
    }
    return tuple(code.exported(name, *types) for name, types in kinds.items())


@cache
def _code(*sizes: int) -> Any:
    from irtensor.runtime.cpu_engine import compiled_once

    return compiled_once(transposing_text(*sizes), "check", effort="light", exports=("count", "sum", "move"))


def transposing_text(position: int, coordinate: int, element: int) -> str:
    """LLVM IR for positions, coordinates and elements of so many bytes, of functions that are called in this order.

    `check` and `count` say whether the positions and coordinates are as they should be; all of `places` is zero before.
    """
    text = with_integer(with_integer(_TEXT, "pos", position), "crd", coordinate)
    return with_element(text, element)


_TEXT = """
define zeroext i1 @check(ptr noalias %pos, i64 %segments, i64 %count) nounwind {
entry:
  %first = load $pos$, ptr %pos
  %zero.first = icmp eq $pos$ %first, 0
  br i1 %zero.first, label %check, label %refused
check: ; segments follow each other
  %k = phi i64 [ 0, %entry ], [ %k.next, %checked ]
  %k.begin = phi $pos$ [ %first, %entry ], [ %k.end, %checked ]
  %k.on = icmp slt i64 %k, %segments
  br i1 %k.on, label %checked, label %all
checked:
  %k.next = add i64 %k, 1
  %k.at = getelementptr $pos$, ptr %pos, i64 %k.next
  %k.end = load $pos$, ptr %k.at
  %k.grows = icmp sle $pos$ %k.begin, %k.end
  br i1 %k.grows, label %check, label %refused
all:
  %last = $wide.pos$(%k.begin)
  %complete = icmp eq i64 %last, %count
  ret i1 %complete
refused:
  ret i1 false
}

; Counts the entries from %from to %to, at least one, by coordinate: coordinate c has the counter c + 2.
define zeroext i1 @count(ptr noalias %crd, ptr noalias %places, i64 %extent, i64 %from, i64 %to) nounwind {
entry:
  br label %count.one
count.one:
  %c = phi i64 [ %from, %entry ], [ %c.next, %counted ]
  %c.at = getelementptr $crd$, ptr %crd, i64 %c
  %c.own = load $crd$, ptr %c.at
  %c.crd = $wide.crd$(%c.own)
  %c.inside = icmp ult i64 %c.crd, %extent
  br i1 %c.inside, label %counted, label %refused
counted:
  %c.place = add i64 %c.crd, 2
  %c.counter = getelementptr $pos$, ptr %places, i64 %c.place
  %c.old = load $pos$, ptr %c.counter
  %c.new = add $pos$ %c.old, 1
  store $pos$ %c.new, ptr %c.counter
  %c.next = add i64 %c, 1
  %c.on = icmp slt i64 %c.next, %to
  br i1 %c.on, label %count.one, label %done
done:
  ret i1 true
refused:
  ret i1 false
}

; Where the entries of each coordinate begin, one further on.
define void @sum(ptr noalias %places, i64 %extent) nounwind {
entry:
  %none = icmp eq i64 %extent, 0
  br i1 %none, label %done, label %sum
sum:
  %s = phi i64 [ 2, %entry ], [ %s.next, %sum ]
  %s.total = phi $pos$ [ 0, %entry ], [ %s.after, %sum ]
  %s.at = getelementptr $pos$, ptr %places, i64 %s
  %s.count = load $pos$, ptr %s.at
  %s.after = add $pos$ %s.total, %s.count
  store $pos$ %s.after, ptr %s.at
  %s.next = add i64 %s, 1
  %s.on = icmp sle i64 %s, %extent
  br i1 %s.on, label %sum, label %done
done:
  ret void
}

; The entries of the segments from %first to %last.
define void @move(ptr noalias %pos, ptr noalias %crd, ptr noalias %vals, ptr noalias %places,
    ptr noalias %numbers, ptr noalias %moved, i64 %first, i64 %last) nounwind {
entry:
  %some = icmp slt i64 %first, %last
  br i1 %some, label %begin, label %done
begin:
  %first.at = getelementptr $pos$, ptr %pos, i64 %first
  %first.own = load $pos$, ptr %first.at
  %first.from = $wide.pos$(%first.own)
  br label %segment
segment:
  %g = phi i64 [ %first, %begin ], [ %g.next, %segment.end ]
  %g.from = phi i64 [ %first.from, %begin ], [ %g.to, %segment.end ]
  %g.next = add i64 %g, 1
  %g.at = getelementptr $pos$, ptr %pos, i64 %g.next
  %g.end = load $pos$, ptr %g.at
  %g.to = $wide.pos$(%g.end)
  %g.number = $narrow.crd$(%g)
  %g.some = icmp slt i64 %g.from, %g.to
  br i1 %g.some, label %move, label %segment.end
move: ; where the entries of each coordinate end, when all before them have a place
  %m = phi i64 [ %g.from, %segment ], [ %m.next, %move ]
  %m.at = getelementptr $crd$, ptr %crd, i64 %m
  %m.own = load $crd$, ptr %m.at
  %m.crd = $wide.crd$(%m.own)
  %m.next.crd = add i64 %m.crd, 1
  %m.counter = getelementptr $pos$, ptr %places, i64 %m.next.crd
  %m.place = load $pos$, ptr %m.counter
  %m.after = add $pos$ %m.place, 1
  store $pos$ %m.after, ptr %m.counter
  %m.to = $wide.pos$(%m.place)
  %m.number = getelementptr $crd$, ptr %numbers, i64 %m.to
  store $crd$ %g.number, ptr %m.number
  %m.value = getelementptr $element$, ptr %vals, i64 %m
  %m.element = load $element$, ptr %m.value, align $align$
  %m.moved = getelementptr $element$, ptr %moved, i64 %m.to
  store $element$ %m.element, ptr %m.moved, align $align$
  %m.next = add i64 %m, 1
  %m.on = icmp slt i64 %m.next, %g.to
  br i1 %m.on, label %move, label %segment.end
segment.end:
  %g.on = icmp slt i64 %g.next, %last
  br i1 %g.on, label %segment, label %done
done:
  ret void
}
"""
