"""Transposition of a list of coordinates in segments, as of CSR to CSC, by compiled code: an entry is moved once.

Other conversions go through the coordinates of all dimensions; this one, the most frequent, makes none of them.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from irtensor.runtime.array_address import array_address
from irtensor.runtime.result_memory import RESULT_MEMORY
from irtensor.runtime.template_types import with_element, with_integer

Array = np.ndarray[Any, np.dtype[Any]]

_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64


def transpose_segments(
    positions: Array, coordinates: Array, values: Array, extent: int
) -> tuple[Array, Array, Array] | None:
    """Positions, coordinates and values with a segment for each of `extent` coordinates, which holds, in order, the
    numbers of the segments that had it.

    Segment s of what is given are the elements from `positions[s]` to `positions[s + 1]` of `coordinates` and `values`.
    Integers are of 4 or 8 bytes, and what is returned has the types of what is given. None where they are no segments
    of all elements, or a coordinate is not in [0, extent).
    """
    # The place of segment s, while it is filled, is kept where its end will be, one further on.
    places = np.zeros(extent + 2, positions.dtype)
    numbers = RESULT_MEMORY.empty(coordinates.shape, coordinates.dtype)
    moved = RESULT_MEMORY.empty(values.shape, values.dtype)
    given = [np.ascontiguousarray(array) for array in (positions, coordinates, values)]
    transpose = _transpose(positions.itemsize, coordinates.itemsize, values.itemsize)
    pointers = [array_address(array) for array in (*given, places, numbers, moved)]
    if not transpose(*pointers, positions.size - 1, extent, values.size):
        return None
    return places[: extent + 1], numbers, moved


@cache
def _transpose(*sizes: int) -> Any:
    kind = ctypes.CFUNCTYPE(ctypes.c_bool, *(_POINTER,) * 6, *(_NUMBER,) * 3)
    return kind(_code(*sizes).address_of("transpose"))


@cache
def _code(*sizes: int) -> Any:
    from irtensor.runtime.compiled_once import compiled_once

    return compiled_once(transposing_text(*sizes), "transpose", effort="light")


def transposing_text(position: int, coordinate: int, element: int) -> str:
    """LLVM IR for positions, coordinates and elements of so many bytes; all of `places` is zero.

    False, with nothing moved, where the positions or a coordinate are not as they should be.
    """
    text = with_integer(with_integer(_TEXT, "pos", position), "crd", coordinate)
    return with_element(text, element)


_TEXT = """
define zeroext i1 @transpose(ptr noalias %pos, ptr noalias %crd, ptr noalias %vals, ptr noalias %places,
    ptr noalias %numbers, ptr noalias %moved, i64 %segments, i64 %extent, i64 %count) nounwind {
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
  br i1 %complete, label %count.all, label %refused
refused:
  ret i1 false
count.all:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %count.one
count.one: ; two further on than a coordinate
  %c = phi i64 [ 0, %count.all ], [ %c.next, %counted ]
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
  %c.on = icmp slt i64 %c.next, %count
  br i1 %c.on, label %count.one, label %sum
sum: ; where the entries of each coordinate begin, one further on
  %s = phi i64 [ 2, %counted ], [ %s.next, %sum ]
  %s.total = phi $pos$ [ 0, %counted ], [ %s.after, %sum ]
  %s.at = getelementptr $pos$, ptr %places, i64 %s
  %s.count = load $pos$, ptr %s.at
  %s.after = add $pos$ %s.total, %s.count
  store $pos$ %s.after, ptr %s.at
  %s.next = add i64 %s, 1
  %s.on = icmp sle i64 %s, %extent
  br i1 %s.on, label %sum, label %segment
segment:
  %g = phi i64 [ 0, %sum ], [ %g.next, %segment.end ]
  %g.from = phi i64 [ 0, %sum ], [ %g.to, %segment.end ]
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
  %g.on = icmp slt i64 %g.next, %segments
  br i1 %g.on, label %segment, label %done
done:
  ret i1 true
}
"""
