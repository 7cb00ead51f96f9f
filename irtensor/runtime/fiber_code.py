"""LLVM IR of fibers: stacks of their own, between which a thread of the processor changes by itself.

A fiber is known by its context, which lies at the end of its stack. The switch keeps the registers that a function has
to keep. Processors whose registers are not listed here take the functions of the C library, which are slower: these ask
the system for the mask of signals each time.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from irtensor.core.text_files import text_of_file


class FiberCode(NamedTuple):
    """The functions @switch and @prepare, and how many bytes a context has."""

    text: str
    context_bytes: int


class _Frame(NamedTuple):
    """What a fiber that does not run has on its stack: its bytes, where the address to go on at is, and the switch."""

    bytes: int
    address_at: int
    switch: str


# Arguments are in rdi and rsi.
_X86_64 = """
pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15
movq %rsp, (%rdi)
movq (%rsi), %rsp
popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp
ret
"""
# Arguments are in x0 and x1; the lower halves of v8 to v15 are kept as well.
_AARCH64 = """
stp x29, x30, [sp, #-160]!
stp x19, x20, [sp, #16]; stp x21, x22, [sp, #32]; stp x23, x24, [sp, #48]; stp x25, x26, [sp, #64]
stp x27, x28, [sp, #80]; stp d8, d9, [sp, #96]; stp d10, d11, [sp, #112]; stp d12, d13, [sp, #128]
stp d14, d15, [sp, #144]
mov x9, sp; str x9, [x0]
ldr x9, [x1]; mov sp, x9
ldp x19, x20, [sp, #16]; ldp x21, x22, [sp, #32]; ldp x23, x24, [sp, #48]; ldp x25, x26, [sp, #64]
ldp x27, x28, [sp, #80]; ldp d8, d9, [sp, #96]; ldp d10, d11, [sp, #112]; ldp d12, d13, [sp, #128]
ldp d14, d15, [sp, #144]
ldp x29, x30, [sp], #160
ret
"""
# Functions begin with a stack that is a multiple of 16, on x86-64 less the 8 of the address to return to.
_FRAMES = {
    "x86_64": _Frame(64, 48, _X86_64),
    "aarch64": _Frame(160, 8, _AARCH64),
    "arm64": _Frame(160, 8, _AARCH64),
}
# A multiple of 64, so that what lies before it is aligned; the library's contexts have up to 1,500 bytes.
_CONTEXT_BYTES, _CONTEXT_BYTES_OF_LIBRARY = 64, 4096


def fiber_code(machine: str | None = None) -> FiberCode:
    """The code for a machine, as `os.uname` names it; by default for this one.

    `@switch(ptr from, ptr to)` changes from the fiber that runs to another one. `@prepare(ptr context, ptr stack,
    i64 bytes)` makes a fiber that begins with the function `@begin`, which may not return.
    """
    frame = _FRAMES.get(machine or os.uname().machine)
    if frame is None:
        return FiberCode(text_of_file("llvm/fibers_by_library.ll"), _CONTEXT_BYTES_OF_LIBRARY)
    lines = (line.strip() for line in frame.switch.strip().replace(";", "\n").splitlines())
    text = text_of_file("llvm/fibers.ll").replace("$switch$", r"\0A".join(lines))
    text = text.replace("$frame$", str(frame.bytes)).replace("$address$", str(frame.address_at))
    return FiberCode(text, _CONTEXT_BYTES)
