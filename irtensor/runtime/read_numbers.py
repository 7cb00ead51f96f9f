"""Tables of numbers in plain text, read by compiled code; what is not plain is left to a slower reader to judge.

Real numbers are rounded to the nearest as Python rounds them: by one exact operation where both parts are exact, else
by a product with a power of five in 128 bits (D. Lemire, Number Parsing at a Gigabyte per Second, 2021).
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

_LEAST_POWER, _GREATEST_POWER = -342, 308


def read_table(text: bytes, integers: int, columns: int) -> Array | None:
    """The numbers in lines of `columns` each, as an int64 array with a row per column; None if any line is not plain.

    The first `integers` columns hold integers; the others hold the bits of float64. Plain lines have decimal numbers
    of at most 18 (integers) or 19 significant digits between blanks, and nothing else.
    """
    if not text.endswith(b"\n"):
        text += b"\n"
    # A number and what ends it take two characters at least; memory that no line needs is not touched.
    room = len(text) // (2 * columns)
    table = np.empty((columns, room), np.int64)
    rows = _reader()(text, len(text), integers, columns, table.ctypes.data, room, _powers().ctypes.data)
    return None if rows < 0 else table[:, :rows].copy()


@cache
def _reader() -> Any:
    from irtensor.runtime.compiled_once import compiled_once

    native = compiled_once(reading_text(), "read_lines", effort="full")
    kinds = (ctypes.c_char_p, *[ctypes.c_int64] * 3, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(native.address)
    function.keep_alive = native  # pyright: ignore[reportAttributeAccessIssue]
    return function


@cache
def _powers() -> Array:
    """The first 128 bits of 5 ** q for each exponent q: the high and the low half, the negative ones rounded up."""
    table = np.empty((_GREATEST_POWER - _LEAST_POWER + 1, 2), np.uint64)
    for number, exponent in enumerate(range(_LEAST_POWER, _GREATEST_POWER + 1)):
        power = 5 ** abs(exponent)
        if exponent < 0:
            bits = (power - 1).bit_length()
            bits = bits + 127 if exponent >= -27 else 2 * bits + 128
            power = (1 << bits) // power + 1
        power = power << 128 >> power.bit_length()
        table[number] = power >> 64, power & (1 << 64) - 1
    return table


def reading_text() -> str:
    """LLVM IR of the function that reads lines; a double holds powers of ten up to 22 exactly."""
    tens = ", ".join(f"double 1.0e{power}" for power in range(23))
    text = _TEXT.replace("$least$", str(_LEAST_POWER)).replace("$span$", str(_GREATEST_POWER - _LEAST_POWER))
    return f"@tens = internal constant [23 x double] [{tens}]\n{text}"


_TEXT = """
declare i64 @llvm.ctlz.i64(i64, i1)

; Lines up to the end of a text that ends with a line feed: the number in column c of row r goes to place c * room + r.
; Returns the number of lines that are not blank, -1 if one is not plain.
define i64 @read_lines(ptr %text, i64 %length, i64 %integers, i64 %columns, ptr %table, i64 %room, ptr %powers) {
entry:
  %end = getelementptr i8, ptr %text, i64 %length
  br label %begin
begin: ; of a line, or of what is left of a blank one
  %at = phi ptr [ %text, %entry ], [ %at.skipped, %skip ], [ %at.next, %ended ]
  %row = phi i64 [ 0, %entry ], [ %row, %skip ], [ %row.next, %ended ]
  %finished = icmp eq ptr %at, %end
  br i1 %finished, label %finish, label %look
finish:
  ret i64 %row
look:
  %first = load i8, ptr %at
  %at.skipped = getelementptr i8, ptr %at, i64 1
  switch i8 %first, label %column [ i8 32, label %skip  i8 9, label %skip  i8 10, label %skip  i8 13, label %return ]
return:
  %after.return = load i8, ptr %at.skipped
  %is.line.end = icmp eq i8 %after.return, 10
  br i1 %is.line.end, label %skip, label %odd
skip:
  br label %begin
column:
  %from = phi ptr [ %at, %look ], [ %blank.at, %more ]
  %number = phi i64 [ 0, %look ], [ %number.next, %more ]
  %is.integer = icmp slt i64 %number, %integers
  br i1 %is.integer, label %integer, label %real
integer:
  %read.integer = call { ptr, i64 } @read_integer(ptr %from)
  br label %store
real:
  %read.real = call { ptr, i64 } @read_real(ptr %from, ptr %powers)
  br label %store
store:
  %read = phi { ptr, i64 } [ %read.integer, %integer ], [ %read.real, %real ]
  %behind = extractvalue { ptr, i64 } %read, 0
  %bits = extractvalue { ptr, i64 } %read, 1
  %failed = icmp eq ptr %behind, null
  br i1 %failed, label %odd, label %keep
keep:
  %column.begin = mul i64 %number, %room
  %place = add i64 %column.begin, %row
  %place.at = getelementptr i64, ptr %table, i64 %place
  store i64 %bits, ptr %place.at
  %number.next = add i64 %number, 1
  br label %blank
blank:
  %blank.at = phi ptr [ %behind, %keep ], [ %blank.next, %further ]
  %blank.sign = load i8, ptr %blank.at
  %blank.next = getelementptr i8, ptr %blank.at, i64 1
  %is.last = icmp eq i64 %number.next, %columns
  switch i8 %blank.sign, label %next [
    i8 32, label %further  i8 9, label %further  i8 10, label %line.feed  i8 13, label %line.return ]
further:
  br label %blank
next: ; column, if there were blanks
  %no.blank = icmp eq ptr %blank.at, %behind
  %misplaced = or i1 %no.blank, %is.last
  br i1 %misplaced, label %odd, label %more
more:
  br label %column
line.return:
  %returned = load i8, ptr %blank.next
  %feed.follows = icmp eq i8 %returned, 10
  %at.returned = getelementptr i8, ptr %blank.next, i64 1
  br i1 %feed.follows, label %line.feed, label %odd
line.feed:
  %at.next = phi ptr [ %blank.next, %blank ], [ %at.returned, %line.return ]
  %row.next = add i64 %row, 1
  br i1 %is.last, label %ended, label %odd
ended:
  br label %begin
odd:
  ret i64 -1
}

; Where an integer of 1 to 18 digits ends, null if there is none, and the integer.
define internal { ptr, i64 } @read_integer(ptr %text) {
entry:
  %sign = load i8, ptr %text
  %negative = icmp eq i8 %sign, 45
  %signs = zext i1 %negative to i64
  %digits = getelementptr i8, ptr %text, i64 %signs
  br label %digit
digit:
  %at = phi ptr [ %digits, %entry ], [ %at.next, %take ]
  %value = phi i64 [ 0, %entry ], [ %value.next, %take ]
  %character = load i8, ptr %at
  %figure = sub i8 %character, 48
  %is.digit = icmp ult i8 %figure, 10
  br i1 %is.digit, label %take, label %done
take:
  %tens = mul i64 %value, 10
  %ones = zext i8 %figure to i64
  %value.next = add i64 %tens, %ones
  %at.next = getelementptr i8, ptr %at, i64 1
  br label %digit
done:
  %at.number = ptrtoint ptr %at to i64
  %digits.number = ptrtoint ptr %digits to i64
  %count = sub i64 %at.number, %digits.number
  %count.less = sub i64 %count, 1
  %plain = icmp ult i64 %count.less, 18
  %opposite = sub i64 0, %value
  %signed = select i1 %negative, i64 %opposite, i64 %value
  %behind = select i1 %plain, ptr %at, ptr null
  %result.at = insertvalue { ptr, i64 } poison, ptr %behind, 0
  %result = insertvalue { ptr, i64 } %result.at, i64 %signed, 1
  ret { ptr, i64 } %result
}

; Where digits end, with `value` continued by them; `significant` counts those from the first that is not zero.
define internal { ptr, i64, i64 } @read_digits(ptr %text, i64 %value.before, i64 %significant.before) alwaysinline {
entry:
  br label %digit
digit:
  %at = phi ptr [ %text, %entry ], [ %at.next, %take ]
  %value = phi i64 [ %value.before, %entry ], [ %value.next, %take ]
  %significant = phi i64 [ %significant.before, %entry ], [ %significant.next, %take ]
  %character = load i8, ptr %at
  %figure = sub i8 %character, 48
  %is.digit = icmp ult i8 %figure, 10
  br i1 %is.digit, label %take, label %done
take:
  %tens = mul i64 %value, 10
  %ones = zext i8 %figure to i64
  %value.next = add i64 %tens, %ones
  %begun = or i64 %significant, %ones
  %counts = icmp ne i64 %begun, 0
  %one = zext i1 %counts to i64
  %significant.next = add i64 %significant, %one
  %at.next = getelementptr i8, ptr %at, i64 1
  br label %digit
done:
  %result.0 = insertvalue { ptr, i64, i64 } poison, ptr %at, 0
  %result.1 = insertvalue { ptr, i64, i64 } %result.0, i64 %value, 1
  %result.2 = insertvalue { ptr, i64, i64 } %result.1, i64 %significant, 2
  ret { ptr, i64, i64 } %result.2
}

; Where a real number ends, null if there is none or it is not plain, and the bits of the nearest double.
define internal { ptr, i64 } @read_real(ptr %text, ptr %powers) {
entry:
  %sign = load i8, ptr %text
  %negative = icmp eq i8 %sign, 45
  %positive = icmp eq i8 %sign, 43
  %has.sign = or i1 %negative, %positive
  %signs = zext i1 %has.sign to i64
  %whole = getelementptr i8, ptr %text, i64 %signs
  %whole.read = call { ptr, i64, i64 } @read_digits(ptr %whole, i64 0, i64 0)
  %whole.end = extractvalue { ptr, i64, i64 } %whole.read, 0
  %whole.value = extractvalue { ptr, i64, i64 } %whole.read, 1
  %whole.significant = extractvalue { ptr, i64, i64 } %whole.read, 2
  %point = load i8, ptr %whole.end
  %has.point = icmp eq i8 %point, 46
  br i1 %has.point, label %fraction, label %digits
fraction:
  %fraction.begin = getelementptr i8, ptr %whole.end, i64 1
  %fraction.read = call { ptr, i64, i64 } @read_digits(ptr %fraction.begin, i64 %whole.value, i64 %whole.significant)
  %fraction.end = extractvalue { ptr, i64, i64 } %fraction.read, 0
  %fraction.value = extractvalue { ptr, i64, i64 } %fraction.read, 1
  %fraction.significant = extractvalue { ptr, i64, i64 } %fraction.read, 2
  %fraction.from = ptrtoint ptr %fraction.begin to i64
  %fraction.to = ptrtoint ptr %fraction.end to i64
  %fraction.count = sub i64 %fraction.to, %fraction.from
  br label %digits
digits:
  %digits.end = phi ptr [ %whole.end, %entry ], [ %fraction.end, %fraction ]
  %value = phi i64 [ %whole.value, %entry ], [ %fraction.value, %fraction ]
  %significant = phi i64 [ %whole.significant, %entry ], [ %fraction.significant, %fraction ]
  %decimals = phi i64 [ 0, %entry ], [ %fraction.count, %fraction ]
  %whole.from = ptrtoint ptr %whole to i64
  %whole.to = ptrtoint ptr %whole.end to i64
  %whole.count = sub i64 %whole.to, %whole.from
  %count = add i64 %whole.count, %decimals
  %no.digits = icmp eq i64 %count, 0
  %too.many = icmp ugt i64 %significant, 19
  %not.plain = or i1 %no.digits, %too.many
  br i1 %not.plain, label %odd, label %behind.digits
behind.digits:
  %letter = load i8, ptr %digits.end
  %small = or i8 %letter, 32
  %has.exponent = icmp eq i8 %small, 101
  br i1 %has.exponent, label %exponent, label %scaled
exponent:
  %exponent.sign.at = getelementptr i8, ptr %digits.end, i64 1
  %exponent.sign = load i8, ptr %exponent.sign.at
  %exponent.negative = icmp eq i8 %exponent.sign, 45
  %exponent.positive = icmp eq i8 %exponent.sign, 43
  %exponent.has.sign = or i1 %exponent.negative, %exponent.positive
  %exponent.signs = zext i1 %exponent.has.sign to i64
  %exponent.begin = getelementptr i8, ptr %exponent.sign.at, i64 %exponent.signs
  %exponent.read = call { ptr, i64, i64 } @read_digits(ptr %exponent.begin, i64 0, i64 0)
  %exponent.end = extractvalue { ptr, i64, i64 } %exponent.read, 0
  %exponent.value = extractvalue { ptr, i64, i64 } %exponent.read, 1
  %exponent.significant = extractvalue { ptr, i64, i64 } %exponent.read, 2
  %exponent.opposite = sub i64 0, %exponent.value
  %exponent.signed = select i1 %exponent.negative, i64 %exponent.opposite, i64 %exponent.value
  %exponent.missing = icmp eq ptr %exponent.end, %exponent.begin
  %exponent.long = icmp ugt i64 %exponent.significant, 5
  %exponent.odd = or i1 %exponent.missing, %exponent.long
  br i1 %exponent.odd, label %odd, label %scaled
scaled:
  %behind = phi ptr [ %digits.end, %behind.digits ], [ %exponent.end, %exponent ]
  %exponent.given = phi i64 [ 0, %behind.digits ], [ %exponent.signed, %exponent ]
  %power = sub i64 %exponent.given, %decimals
  %is.zero = icmp eq i64 %value, 0
  br i1 %is.zero, label %signed, label %nonzero
nonzero: ; value * 10 ** power
  %few.bits = icmp ule i64 %value, 9007199254740992
  %power.shifted = add i64 %power, 22
  %small.power = icmp ule i64 %power.shifted, 44
  %both.exact = and i1 %few.bits, %small.power
  br i1 %both.exact, label %exact, label %rounded
exact:
  %value.real = uitofp i64 %value to double
  %divides = icmp slt i64 %power, 0
  %power.opposite = sub i64 0, %power
  %power.size = select i1 %divides, i64 %power.opposite, i64 %power
  %tens.at = getelementptr [23 x double], ptr @tens, i64 0, i64 %power.size
  %tens = load double, ptr %tens.at
  %divided = fdiv double %value.real, %tens
  %multiplied = fmul double %value.real, %tens
  %exact.real = select i1 %divides, double %divided, double %multiplied
  %exact.bits = bitcast double %exact.real to i64
  br label %signed
rounded:
  %power.place = sub i64 %power, $least$
  %power.in.table = icmp ule i64 %power.place, $span$
  br i1 %power.in.table, label %product, label %odd
product:
  %zeros = call i64 @llvm.ctlz.i64(i64 %value, i1 true)
  %normal = shl i64 %value, %zeros
  %high.place = shl i64 %power.place, 1
  %low.place = add i64 %high.place, 1
  %five.high.at = getelementptr i64, ptr %powers, i64 %high.place
  %five.low.at = getelementptr i64, ptr %powers, i64 %low.place
  %five.high = load i64, ptr %five.high.at
  %five.low = load i64, ptr %five.low.at
  %normal.wide = zext i64 %normal to i128
  %five.high.wide = zext i64 %five.high to i128
  %five.low.wide = zext i64 %five.low to i128
  %product.high = mul i128 %normal.wide, %five.high.wide
  %product.low = mul i128 %normal.wide, %five.low.wide
  %carried = lshr i128 %product.low, 64
  %product.all = add i128 %product.high, %carried
  %upper.wide = lshr i128 %product.all, 64
  %upper = trunc i128 %upper.wide to i64
  %lower = trunc i128 %product.all to i64
  ; All ones below: what is left out of the power could carry into the upper half.
  %may.carry = icmp eq i64 %lower, -1
  %top = lshr i64 %upper, 63
  %shift = add i64 %top, 9
  %mantissa = lshr i64 %upper, %shift
  ; Half between two doubles, exactly, which takes a small power: to the even one.
  %back = shl i64 %mantissa, %shift
  %nothing.below = icmp eq i64 %back, %upper
  %lower.small = icmp ule i64 %lower, 1
  %power.half = add i64 %power, 4
  %power.is.half = icmp ule i64 %power.half, 27
  %last.two = and i64 %mantissa, 3
  %half.above.even = icmp eq i64 %last.two, 1
  %half.0 = and i1 %nothing.below, %lower.small
  %half.1 = and i1 %half.0, %power.is.half
  %half = and i1 %half.1, %half.above.even
  %mantissa.even = sub i64 %mantissa, 1
  %mantissa.halved = select i1 %half, i64 %mantissa.even, i64 %mantissa
  %round = and i64 %mantissa.halved, 1
  %mantissa.up = add i64 %mantissa.halved, %round
  %fraction.bits = lshr i64 %mantissa.up, 1
  ; floor(log2(10 ** power)) for these powers.
  %log = mul i64 %power, 217706
  %log.floor = ashr i64 %log, 16
  %exponent.0 = add i64 %log.floor, 1086
  %exponent.1 = add i64 %exponent.0, %top
  %exponent.2 = sub i64 %exponent.1, %zeros
  ; Rounding up to the next power of two carries into the exponent, as the bits lie side by side.
  %exponent.less = sub i64 %exponent.2, 1
  %exponent.place = shl i64 %exponent.less, 52
  %rounded.bits = add i64 %exponent.place, %fraction.bits
  %in.range = icmp ult i64 %exponent.less, 2045
  %not.sure = xor i1 %in.range, true
  %give.up = or i1 %not.sure, %may.carry
  br i1 %give.up, label %odd, label %signed
signed:
  %bits = phi i64 [ 0, %scaled ], [ %exact.bits, %exact ], [ %rounded.bits, %product ]
  %sign.wide = zext i1 %negative to i64
  %sign.bit = shl i64 %sign.wide, 63
  %bits.signed = or i64 %bits, %sign.bit
  %result.at = insertvalue { ptr, i64 } poison, ptr %behind, 0
  %result = insertvalue { ptr, i64 } %result.at, i64 %bits.signed, 1
  ret { ptr, i64 } %result
odd:
  ret { ptr, i64 } { ptr null, i64 0 }
}
"""
