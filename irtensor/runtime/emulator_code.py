"""LLVM IR around kernels for a GPU by which the emulator runs them on the CPU, a thread at a time."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

_INTRINSIC = re.compile(r"@llvm\.nvvm\.([\w.]+)\(")
_DECLARED = re.compile(r"^declare [^\n]*@llvm\.nvvm\.[^\n]*\n", re.MULTILINE)
_CALLED = re.compile(r"@(emulated\.[\w.]+)\(")
_DEFINED = re.compile(r"^(define [^\n]*) \{$", re.MULTILINE)
# Functions that say where the thread is; all others wait for other threads.
_REGISTER = "read.ptx.sreg."


def emulator_code(
    kernels: str, types: Mapping[str, Sequence[str]], memories: Mapping[str, str], declared: Mapping[str, str]
) -> str:
    """A module of kernels with `irtensor.emulate`, which runs a thread of one, and `irtensor.poison_block`.

    `kernels` is their text for a GPU; `types` has the types of the arguments of each, in the order of their numbers;
    `memories` has the types of what a block shares, by its names; `declared` declares the functions of the emulator.
    Calls that wait are passed their number: the first one in the text is 0.
    """
    sites = itertools.count()

    def emulated(found: re.Match[str]) -> str:
        name = found[1]
        return f"@emulated.{name}(" if name.startswith(_REGISTER) else f"@emulated.{name}(i32 {next(sites)}, "

    text = _DECLARED.sub("", kernels).replace("ptx_kernel ", "")
    text = _INTRINSIC.sub(emulated, text)
    for name in types:
        text = text.replace(f"define void @{name}(", f"define internal void @{name}(")
    # Large frames touch each page of a stack in order, so that none reaches past the page before it.
    text = _DEFINED.sub(r'\1 "probe-stack"="inline-asm" {', text)
    used = [declared[name] for name in sorted(set(_CALLED.findall(text))) if name in declared]
    parts = [text, *used, declared["irtensor.poison"], _poison(memories)]
    parts += [_entry(number, name, list(types[name])) for number, name in enumerate(types)]
    return "\n".join([*parts, _emulate(len(types))])


def _poison(memories: Mapping[str, str]) -> str:
    lines = ["define void @irtensor.poison_block() nounwind {"]
    for name, type in memories.items():
        size = f"ptrtoint (ptr getelementptr ({type}, ptr null, i32 1) to i64)"
        memory = f"addrspacecast (ptr addrspace(3) @{name} to ptr)"
        lines.append(f"  call void @irtensor.poison(ptr {memory}, i64 {size})")
    return "\n".join([*lines, "  ret void", "}"])


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
        f"kernel.{number}:\n  call void @entry.{number}(ptr %words)\n  ret void" for number in range(kernels)
    )
    return _EMULATE.replace("$cases$", cases).replace("$calls$", calls)


_EMULATE = """
define void @irtensor.emulate(i64 %number, ptr %words) nounwind {
entry:
  switch i64 %number, label %none [
$cases$
  ]
$calls$
none:
  ret void
}
"""
