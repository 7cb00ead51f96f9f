"""LLVM IR that puts segments of coordinates into blocks and takes them out again."""

from __future__ import annotations

from irtensor.core.text_files import text_of_file
from irtensor.runtime.template_types import with_element, with_integer

_INTEGER = """  %differs = icmp ne $element$ %element, %fill.element
"""
_FLOAT = """  %float = bitcast $element$ %element to $float$
  %fill.float = bitcast $element$ %fill.element to $float$
  %differs = fcmp une $float$ %float, %fill.float
"""
_COMPLEX = """  %pair = bitcast $element$ %element to <2 x $float$>
  %fill.pair = bitcast $element$ %fill.element to <2 x $float$>
  %unequal = fcmp une <2 x $float$> %pair, %fill.pair
  %real = extractelement <2 x i1> %unequal, i32 0
  %imaginary = extractelement <2 x i1> %unequal, i32 1
  %differs = or i1 %real, %imaginary
"""
# Floats of 16 bits differ where their bits do, except those of both zeros; NaN differs from itself.
_STORED = """  %other = icmp ne i16 %element, %fill.element
  %bits = or i16 %element, %fill.element
  %magnitude = and i16 %bits, 32767
  %is.number = icmp ne i16 %magnitude, 0
  %unequal = and i1 %other, %is.number
  %own.magnitude = and i16 %element, 32767
  %is.nan = icmp ugt i16 %own.magnitude, $infinity$
  %differs = or i1 %unequal, %is.nan
"""
_COMPARED = {
    **{"i": _INTEGER, "f": _FLOAT, "c": _COMPLEX},
    **{"f16": _STORED.replace("$infinity$", "31744"), "bf16": _STORED.replace("$infinity$", "32640")},
}
_FLOATS = {4: "float", 8: "double"}


# For each segment of a row of blocks, the entries that one block has; what else is done with them fills the gaps.
_WALK = """segment:
  %k = phi i64 [ 0, %$before$ ], [ %k.next, %segment.end ]
  %cursor = getelementptr [3 x i64], ptr %cursors, i64 %k
  %p.first = load i64, ptr %cursor
  %end.at = getelementptr i64, ptr %cursor, i64 1
  %end = load i64, ptr %end.at
  %c.at = getelementptr i64, ptr %cursor, i64 2
  %c.first = load i64, ptr %c.at
$segment$  br label %entry.one
entry.one: ; without a branch: the block may have the first or not, and often has no second
  %first.offset = sub i64 %c.first, %start
  %first.inside = icmp ult i64 %first.offset, %width
$first$  %step = zext i1 %first.inside to i64
  %p.second = add i64 %p.first, %step
  br label %entries
entries:
  %p = phi i64 [ %p.second, %entry.one ], [ %p.next, %entry.on ]
  %p.some = icmp slt i64 %p, %end
  br i1 %p.some, label %entry.look, label %segment.end
entry.look:
  %c.to = getelementptr $crd$, ptr %crd, i64 %p
  %c.own = load $crd$, ptr %c.to
  %c = $wide.crd$(%c.own)
  %c.offset = sub i64 %c, %start
  %c.inside = icmp ult i64 %c.offset, %width
  br i1 %c.inside, label %entry.on, label %segment.end
entry.on:
$each$  %p.next = add i64 %p, 1
  br label %entries
segment.end:
  %c.last = phi i64 [ -1, %entries ], [ %c, %entry.look ]
  store i64 %p, ptr %cursor
  store i64 %c.last, ptr %c.at
  %k.next = add i64 %k, 1
  %k.on = icmp slt i64 %k.next, %number
  br i1 %k.on, label %segment, label %$after$
"""
_OF_SEGMENT = """  %k.step = mul i64 %k, %height.step
  %k.base = add i64 %base, %k.step
"""
_FIRST = """  %f.position = select i1 %first.inside, i64 %p.first, i64 0
  %f.v.at = getelementptr $element$, ptr %vals, i64 %f.position
  %f.v = load $element$, ptr %f.v.at, align $align$
  %f.step = mul i64 %first.offset, %width.step
  %f.offset = add i64 %k.base, %f.step
  %f.inside = getelementptr $element$, ptr %elements, i64 %f.offset
  %f.v.to = select i1 %first.inside, ptr %f.inside, ptr %nowhere
  store $element$ %f.v, ptr %f.v.to, align $align$
"""
_EACH = """  %v.at = getelementptr $element$, ptr %vals, i64 %p
  %v = load $element$, ptr %v.at, align $align$
  %c.step = mul i64 %c.offset, %width.step
  %to.position = add i64 %k.base, %c.step
  %v.to = getelementptr $element$, ptr %elements, i64 %to.position
  store $element$ %v, ptr %v.to, align $align$
"""


def _walk(before: str, after: str, segment: str = "", first: str = "", each: str = "") -> str:
    """The walk between two blocks of code, with code for each segment, for its first entry and for each further one."""
    parts = {"before": before, "after": after, "segment": segment, "first": first, "each": each}
    text = _WALK
    for name, part in parts.items():
        text = text.replace(f"${name}$", part)
    return text


def regrouping_text(position: int, coordinate: int, kind: str, element: int) -> str:
    """LLVM IR for positions, coordinates and elements of so many bytes.

    `kind` is 'i', 'f', 'c' for complex, or the float of 16 bits.

    `count` counts the blocks of rows of blocks, `gather` fills them, both False where coordinates are not as they
    should be. `scatter` lists their elements.
    """
    float = "" if kind not in ("f", "c") else _FLOATS[element // (1 + (kind == "c"))]
    text = text_of_file("llvm/regroup_segments.ll").replace("$count$", _walk("skip", "skipped"))
    text = text.replace("$gather$", _walk("fits", "gathered", _OF_SEGMENT, _FIRST, _EACH))
    text = text.replace("$differs$", _COMPARED[kind]).replace("$float$", float).replace("$size$", str(element))
    text = with_integer(with_integer(text, "pos", position), "crd", coordinate)
    return with_element(text, element)
