"""Stable sorting of 64-bit words in time of their number by compiled code: passes count a digit and move the words.

NumPy sorts by comparisons, and then each array has to be gathered in the order found; here a value moves with its word.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from irtensor.runtime.result_memory import RESULT_MEMORY
from irtensor.runtime.template_types import with_element

Array = np.ndarray[Any, np.dtype[Any]]

# Buckets enough that few passes do, and few enough that the places written to stay in the first cache.
_DIGIT = 10
_SIZES = (1, 2, 4, 8, 16)
_ARGUMENTS = (ctypes.c_void_p,) * 4 + (ctypes.c_int64,) * 3 + (ctypes.c_void_p,)


def sort_words(words: Array, moved: Array, first: int, end: int) -> tuple[Array, Array]:
    """Nonnegative int64 `words` and the elements `moved` along with them, sorted by bits `first` to `end` - 1 of words.

    The order of words equal in these bits is kept. The arrays given stay as they are.
    """
    passes = -(-(end - first) // _DIGIT)
    if not passes:
        return words, moved
    digit = -(-(end - first) // passes)
    move = _move_by_digit(moved.itemsize)
    counts = np.empty((1 << digit) + 1, np.int64)
    source = np.ascontiguousarray(words), np.ascontiguousarray(moved)
    targets = [_like(source) for _ in range(min(passes, 2))]
    for number in range(passes):
        counts.fill(0)
        target = targets[number % 2]
        pointers = [array.ctypes.data for array in (*source, *target)]
        move(*pointers, words.size, first + number * digit, (1 << digit) - 1, counts.ctypes.data)
        source = target
    return source


def _like(arrays: tuple[Array, Array]) -> tuple[Array, Array]:
    words, moved = (RESULT_MEMORY.empty(array.shape, array.dtype) for array in arrays)
    return words, moved


@cache
def _move_by_digit(size: int) -> Any:
    return _code().exported(f"move{size}", None, *_ARGUMENTS)


@cache
def _code() -> Any:
    from irtensor.runtime.cpu_engine import compiled_once

    names = [f"move{size}" for size in _SIZES]
    return compiled_once("\n".join(map(moving_text, _SIZES)), names[0], effort="light", exports=names)


def moving_text(size: int) -> str:
    """LLVM IR that moves words, and elements of so many bytes, to where a digit of the words belongs.

    `counts` has a place for each value of the digit, and one more; all are zero.
    """
    return with_element(_TEXT.replace("$size$", str(size)), size)


_TEXT = """
define void @move$size$(ptr noalias %words, ptr noalias %moved, ptr noalias %words.to, ptr noalias %moved.to,
    i64 %number, i64 %shift, i64 %mask, ptr noalias %counts) nounwind {
entry:
  %none = icmp eq i64 %number, 0
  br i1 %none, label %done, label %count
count: ; how many words have each digit, one place further on
  %c = phi i64 [ 0, %entry ], [ %c.next, %count ]
  %c.at = getelementptr i64, ptr %words, i64 %c
  %c.word = load i64, ptr %c.at
  %c.high = lshr i64 %c.word, %shift
  %c.digit = and i64 %c.high, %mask
  %c.place = add i64 %c.digit, 1
  %c.counter = getelementptr i64, ptr %counts, i64 %c.place
  %c.old = load i64, ptr %c.counter
  %c.new = add i64 %c.old, 1
  store i64 %c.new, ptr %c.counter
  %c.next = add i64 %c, 1
  %c.on = icmp slt i64 %c.next, %number
  br i1 %c.on, label %count, label %sum
sum: ; where the words of each digit begin
  %s = phi i64 [ 0, %count ], [ %s.next, %sum ]
  %s.total = phi i64 [ 0, %count ], [ %s.sum, %sum ]
  %s.at = getelementptr i64, ptr %counts, i64 %s
  %s.old = load i64, ptr %s.at
  %s.sum = add i64 %s.total, %s.old
  store i64 %s.sum, ptr %s.at
  %s.next = add i64 %s, 1
  %s.on = icmp sle i64 %s.next, %mask
  br i1 %s.on, label %sum, label %move
move:
  %m = phi i64 [ 0, %sum ], [ %m.next, %move ]
  %m.at = getelementptr i64, ptr %words, i64 %m
  %m.word = load i64, ptr %m.at
  %m.high = lshr i64 %m.word, %shift
  %m.digit = and i64 %m.high, %mask
  %m.counter = getelementptr i64, ptr %counts, i64 %m.digit
  %m.to = load i64, ptr %m.counter
  %m.after = add i64 %m.to, 1
  store i64 %m.after, ptr %m.counter
  %m.word.to = getelementptr i64, ptr %words.to, i64 %m.to
  store i64 %m.word, ptr %m.word.to
  %m.from = getelementptr $element$, ptr %moved, i64 %m
  %m.value = load $element$, ptr %m.from, align $align$
  %m.value.to = getelementptr $element$, ptr %moved.to, i64 %m.to
  store $element$ %m.value, ptr %m.value.to, align $align$
  %m.next = add i64 %m, 1
  %m.on = icmp slt i64 %m.next, %number
  br i1 %m.on, label %move, label %done
done:
  ret void
}
"""
