"""Stable sorting by one small key in a single pass, by compiled code: a transposition is that.

Each entry is told its place, and arrays of any element type are put in that order.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from irtensor.runtime.result_memory import RESULT_MEMORY
from irtensor.runtime.template_types import with_element, with_integer

Array = np.ndarray[Any, np.dtype[Any]]

KEY_SIZES, _ELEMENT_SIZES = (4, 8), (1, 2, 4, 8, 16)
_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64
# Places are 32-bit, which is half the memory.
MOST_ENTRIES = (1 << 31) - 1


def places_by_key(key: Array, extent: int) -> tuple[Array, Array] | None:
    """The place of each entry where they are sorted by `key`, and for each coordinate how many entries have it.

    Entries with equal coordinates keep their order. `key` has at most `MOST_ENTRIES` integers of 4 or 8 bytes; None if
    one of them is not in [0, extent).
    """
    counts = np.zeros(extent, np.int64)
    ends = np.empty(extent, np.int64)
    places = RESULT_MEMORY.empty(key.shape, np.dtype(np.int32))
    key = np.ascontiguousarray(key)
    pointers = [array.ctypes.data for array in (key, counts, ends, places)]
    return (places, counts) if _place(key.itemsize)(*pointers, key.size, extent) else None


def put_in_places(array: Array, places: Array) -> Array:
    """A new array with the elements of `array` where `places`, a permutation, says."""
    moved = RESULT_MEMORY.empty(array.shape, array.dtype)
    array = np.ascontiguousarray(array)
    _move(array.itemsize)(array.ctypes.data, places.ctypes.data, moved.ctypes.data, array.size)
    return moved


@cache
def _place(size: int) -> Any:
    return _code().exported(f"place{size}", ctypes.c_bool, *(_POINTER,) * 4, _NUMBER, _NUMBER)


@cache
def _move(size: int) -> Any:
    return _code().exported(f"put{size}", None, *(_POINTER,) * 3, _NUMBER)


@cache
def _code() -> Any:
    from irtensor.runtime.cpu_engine import compiled_once

    names = [*(f"place{size}" for size in KEY_SIZES), *(f"put{size}" for size in _ELEMENT_SIZES)]
    text = "\n".join([*map(placing_text, KEY_SIZES), *map(moving_text, _ELEMENT_SIZES)])
    return compiled_once(text, names[0], effort="light", exports=names)


def placing_text(size: int) -> str:
    """LLVM IR that finds the places of entries by keys of so many bytes; `counts` are all zero.

    False, with nothing placed, if a key is not less than the extent.
    """
    return with_integer(_PLACING.replace("$size$", str(size)), "key", size)


def moving_text(size: int) -> str:
    """LLVM IR that moves elements of so many bytes to their places."""
    return with_element(_MOVING.replace("$size$", str(size)), size)


_PLACING = """
define zeroext i1 @place$size$(ptr noalias %keys, ptr noalias %counts, ptr noalias %ends, ptr noalias %places,
    i64 %number, i64 %extent) nounwind {
entry:
  %none = icmp eq i64 %number, 0
  br i1 %none, label %done, label %check
check: ; the largest key, as a number without sign, is within the extent
  %k = phi i64 [ 0, %entry ], [ %k.next, %check ]
  %k.largest = phi $key$ [ 0, %entry ], [ %k.larger, %check ]
  %k.at = getelementptr $key$, ptr %keys, i64 %k
  %k.key = load $key$, ptr %k.at
  %k.over = icmp ugt $key$ %k.key, %k.largest
  %k.larger = select i1 %k.over, $key$ %k.key, $key$ %k.largest
  %k.next = add i64 %k, 1
  %k.on = icmp slt i64 %k.next, %number
  br i1 %k.on, label %check, label %checked
checked:
  %largest = $wide.key$(%k.larger)
  %inside = icmp ult i64 %largest, %extent
  br i1 %inside, label %count, label %refused
refused:
  ret i1 false
count:
  %c = phi i64 [ 0, %checked ], [ %c.next, %count ]
  %c.at = getelementptr $key$, ptr %keys, i64 %c
  %c.key = load $key$, ptr %c.at
  %c.index = $wide.key$(%c.key)
  %c.counter = getelementptr i64, ptr %counts, i64 %c.index
  %c.old = load i64, ptr %c.counter
  %c.new = add i64 %c.old, 1
  store i64 %c.new, ptr %c.counter
  %c.next = add i64 %c, 1
  %c.on = icmp slt i64 %c.next, %number
  br i1 %c.on, label %count, label %sum
sum: ; where the entries of each coordinate begin
  %s = phi i64 [ 0, %count ], [ %s.next, %sum ]
  %s.total = phi i64 [ 0, %count ], [ %s.after, %sum ]
  %s.at = getelementptr i64, ptr %counts, i64 %s
  %s.count = load i64, ptr %s.at
  %s.to = getelementptr i64, ptr %ends, i64 %s
  store i64 %s.total, ptr %s.to
  %s.after = add i64 %s.total, %s.count
  %s.next = add i64 %s, 1
  %s.on = icmp slt i64 %s.next, %extent
  br i1 %s.on, label %sum, label %place
place: ; and end, when all before them have a place
  %p = phi i64 [ 0, %sum ], [ %p.next, %place ]
  %p.at = getelementptr $key$, ptr %keys, i64 %p
  %p.key = load $key$, ptr %p.at
  %p.index = $wide.key$(%p.key)
  %p.end = getelementptr i64, ptr %ends, i64 %p.index
  %p.place = load i64, ptr %p.end
  %p.after = add i64 %p.place, 1
  store i64 %p.after, ptr %p.end
  %p.narrow = trunc i64 %p.place to i32
  %p.to = getelementptr i32, ptr %places, i64 %p
  store i32 %p.narrow, ptr %p.to
  %p.next = add i64 %p, 1
  %p.on = icmp slt i64 %p.next, %number
  br i1 %p.on, label %place, label %done
done:
  ret i1 true
}
"""

_MOVING = """
define void @put$size$(ptr noalias %from, ptr noalias %places, ptr noalias %to, i64 %number) nounwind {
entry:
  %none = icmp eq i64 %number, 0
  br i1 %none, label %done, label %move
move:
  %m = phi i64 [ 0, %entry ], [ %m.next, %move ]
  %m.place.at = getelementptr i32, ptr %places, i64 %m
  %m.place = load i32, ptr %m.place.at
  %m.index = zext i32 %m.place to i64
  %m.at = getelementptr $element$, ptr %from, i64 %m
  %m.element = load $element$, ptr %m.at, align $align$
  %m.to = getelementptr $element$, ptr %to, i64 %m.index
  store $element$ %m.element, ptr %m.to, align $align$
  %m.next = add i64 %m, 1
  %m.on = icmp slt i64 %m.next, %number
  br i1 %m.on, label %move, label %done
done:
  ret void
}
"""
