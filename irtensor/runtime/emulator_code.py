"""LLVM IR around kernels for a GPU by which the CPU runs them: one thread of the grid after the other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_INTRINSIC = re.compile(r"@llvm\.nvvm\.([\w.]+)\(")
_DECLARED = re.compile(r"^declare [^\n]*@llvm\.nvvm\.[^\n]*\n", re.MULTILINE)
_REGISTERS = ("tid.x", "ntid.x", "ctaid.x", "nctaid.x")


def emulator_code(kernels: str, types: Mapping[str, Sequence[str]]) -> str:
    """A module of kernels with `irtensor.emulate`, which runs one of them, and `irtensor.read`.

    `kernels` is their text for a GPU; `types` has the types of the arguments of each, in the order of their numbers.
    """
    text = _DECLARED.sub("", kernels).replace("ptx_kernel ", "")
    text = _INTRINSIC.sub(r"@emulated.\1(", text)
    for name in types:
        text = text.replace(f"define void @{name}(", f"define internal void @{name}(")
    parts = [text, *map(_register, _REGISTERS), _READ]
    parts += [_entry(number, name, list(types[name])) for number, name in enumerate(types)]
    return "\n".join([*parts, _emulate(len(types))])


def _register(name: str) -> str:
    return f"""@register.{name} = internal global i32 0
define internal i32 @emulated.read.ptx.sreg.{name}() nounwind {{
  %value = load i32, ptr @register.{name}
  ret i32 %value
}}"""


def _entry(number: int, name: str, types: list[str]) -> str:
    """A function that takes the arguments of a kernel from words of eight bytes."""
    lines = [f"define internal void @entry.{number}(ptr %words) nounwind {{"]
    for argument, type in enumerate(types):
        lines.append(f"  %at.{argument} = getelementptr i64, ptr %words, i64 {argument}")
        lines.append(f"  %value.{argument} = load {type}, ptr %at.{argument}, align 8")
    given = ", ".join(f"{type} %value.{argument}" for argument, type in enumerate(types))
    return "\n".join([*lines, f"  call void @{name}({given})", "  ret void", "}"])


def _emulate(kernels: int) -> str:
    cases = "\n".join(f"    i64 {number}, label %kernel.{number}" for number in range(kernels))
    calls = "\n".join(
        f"kernel.{number}:\n  call void @entry.{number}(ptr %words)\n  br label %following" for number in range(kernels)
    )
    return _EMULATE.replace("$cases$", cases).replace("$calls$", calls)


_READ = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; An element of the device's memory, which is the host's here.
define i32 @irtensor.read(ptr %context, ptr %address, i64 %bytes, ptr %target) nounwind {
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %address, i64 %bytes, i1 false)
  ret i32 0
}
"""

_EMULATE = """
; Runs a kernel: its threads in the order of `threads`, each by its number in the grid.
define void @irtensor.emulate(i64 %number, ptr %words, i32 %blocks, i32 %size, i64 %count, ptr %threads) nounwind {
entry:
  store i32 %blocks, ptr @register.nctaid.x
  store i32 %size, ptr @register.ntid.x
  br label %each
each:
  %index = phi i64 [ 0, %entry ], [ %next, %following ]
  %thread.at = getelementptr i32, ptr %threads, i64 %index
  %thread = load i32, ptr %thread.at
  %block = udiv i32 %thread, %size
  %own = urem i32 %thread, %size
  store i32 %block, ptr @register.ctaid.x
  store i32 %own, ptr @register.tid.x
  switch i64 %number, label %following [
$cases$
  ]
$calls$
following:
  %next = add i64 %index, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %each, label %done
done:
  ret void
}
"""
