"""LLVM IR of what lanes of a warp do together in the emulator: shuffles, votes, reductions and matches.

Each is a function with the name and the arguments of its intrinsic, behind the number of the call. They
call `@meet` of emulated_waits.ll, which gives the values of all lanes once all of them are there.
"""

from __future__ import annotations

from collections.abc import Iterator

_FROM = {
    "bfly": "%from = xor i32 %lane, %distance",
    "up": "%from = sub i32 %lane, %distance",
    "down": "%from = add i32 %lane, %distance",
    "idx": "%within = and i32 %distance, %others\n  %from = or i32 %first, %within",
}
# What an integer is combined with at first, and how.
_REDUCTIONS = {
    "add": (0, "add i32"),
    "and": (-1, "and i32"),
    "or": (0, "or i32"),
    "xor": (0, "xor i32"),
    "max": (-(2**31), "smax"),
    "min": (2**31 - 1, "smin"),
    "umax": (0, "umax"),
    "umin": (-1, "umin"),
}
# What a vote says, by the lanes for which its condition holds.
_VOTES = {
    "ballot": ("i32", "ret i32 %all"),
    "any": ("i1", "%found = icmp ne i32 %all, 0\n  ret i1 %found"),
    "all": ("i1", "%found = icmp eq i32 %all, %mask\n  ret i1 %found"),
    "uni": (
        "i1",
        "%yes = icmp eq i32 %all, %mask\n  %no = icmp eq i32 %all, 0\n  %found = or i1 %yes, %no\n  ret i1 %found",
    ),
}
_BIT = "%flag = zext i1 %holds to i32\n  %bit = shl i32 %flag, %lane\n  %new = or i32 %sum, %bit"
_ALL_MATCH = """%agree = icmp eq i32 %all, %mask
  %lanes = select i1 %agree, i32 %mask, i32 0
  %half = insertvalue { i32, i1 } poison, i32 %lanes, 0
  %both = insertvalue { i32, i1 } %half, i1 %agree, 1
  ret { i32, i1 } %both"""


def lanes_code() -> str:
    """All of the functions."""
    return "\n".join([*_shuffles(), *_votes(), *_reductions(), *_matches()])


def _shuffles() -> Iterator[str]:
    for kind, source in _FROM.items():
        inside = "sge" if kind == "up" else "sle"
        yield _SOURCE.replace("$kind$", kind).replace("$from$", source).replace("$inside$", inside)
        for name, type in (("i32", "i32"), ("f32", "float")):
            yield _SHUFFLE.replace("$kind$", kind).replace("$name$", name).replace("$type$", type)


def _votes() -> Iterator[str]:
    for kind, (type, result) in _VOTES.items():
        combine = f"%holds = trunc i64 %other to i1\n  {_BIT}"
        yield _combined(f"vote.{kind}.sync", type, "i32 %mask, i1 %value", combine, result, "zext i1 %value to i64")


def _reductions() -> Iterator[str]:
    for kind, (start, operation) in _REDUCTIONS.items():
        if " " not in operation:
            yield f"declare i32 @llvm.{operation}.i32(i32, i32)"
        operator = operation if " " in operation else f"call i32 @llvm.{operation}.i32"
        operands = "%sum, %own" if operator is operation else "(i32 %sum, i32 %own)"
        combine = f"%own = trunc i64 %other to i32\n  %new = {operator} {operands}"
        arguments = "i32 %value, i32 %mask"
        wide = "zext i32 %value to i64"
        yield _combined(f"redux.sync.{kind}", "i32", arguments, combine, "ret i32 %all", wide, start)


def _matches() -> Iterator[str]:
    for type in ("i32", "i64"):
        combine = f"%holds = icmp eq i64 %other, %wide\n  {_BIT}"
        wide = "zext i32 %value to i64" if type == "i32" else "add i64 %value, 0"
        arguments = f"i32 %mask, {type} %value"
        yield _combined(f"match.any.sync.{type}", "i32", arguments, combine, "ret i32 %all", wide)
        yield _combined(f"match.all.sync.{type}p", "{ i32, i1 }", arguments, combine, _ALL_MATCH, wide)


def _combined(name: str, type: str, arguments: str, combine: str, result: str, wide: str, start: int = 0) -> str:
    """A function that goes over the values of all lanes of its mask."""
    text = _COMBINED.replace("$name$", name).replace("$type$", type).replace("$arguments$", arguments)
    text = text.replace("$combine$", combine).replace("$result$", result)
    return text.replace("$wide$", wide).replace("$start$", str(start))


# The lane that a value is taken from: that of the thread itself where the other one is too far, as PTX has it.
_SOURCE = """
define internal i32 @source.$kind$(i32 %offset, i32 %clamp) nounwind {
  %lane = call i32 @emulated.read.ptx.sreg.laneid()
  %high = lshr i32 %clamp, 8
  %segment = and i32 %high, 31
  %others = xor i32 %segment, -1
  %bound = and i32 %clamp, 31
  %distance = and i32 %offset, 31
  %first = and i32 %lane, %segment
  %free = and i32 %bound, %others
  %last = or i32 %first, %free
  $from$
  %inside = icmp $inside$ i32 %from, %last
  %source = select i1 %inside, i32 %from, i32 %lane
  ret i32 %source
}"""

_SHUFFLE = """
define $type$ @emulated.shfl.sync.$kind$.$name$(i32 %site, i32 %mask, $type$ %value, i32 %offset, i32 %clamp) nounwind {
  %bits = bitcast $type$ %value to i32
  %wide = zext i32 %bits to i64
  %values = call ptr @meet(i32 %site, i32 %mask, i64 %wide)
  %source = call i32 @source.$kind$(i32 %offset, i32 %clamp)
  %at = getelementptr i64, ptr %values, i32 %source
  %other = load i64, ptr %at
  %word = trunc i64 %other to i32
  %found = bitcast i32 %word to $type$
  ret $type$ %found
}"""

_COMBINED = """
define $type$ @emulated.$name$(i32 %site, $arguments$) nounwind {
entry:
  %wide = $wide$
  %values = call ptr @meet(i32 %site, i32 %mask, i64 %wide)
  br label %each
each:
  %lane = phi i32 [ 0, %entry ], [ %following, %next ]
  %sum = phi i32 [ $start$, %entry ], [ %all, %next ]
  %low = lshr i32 %mask, %lane
  %asked = trunc i32 %low to i1
  br i1 %asked, label %take, label %next
take:
  %at = getelementptr i64, ptr %values, i32 %lane
  %other = load i64, ptr %at
  $combine$
  br label %next
next:
  %all = phi i32 [ %sum, %each ], [ %new, %take ]
  %following = add i32 %lane, 1
  %more = icmp ult i32 %following, 32
  br i1 %more, label %each, label %done
done:
  $result$
}"""
