"""Kernels of tests are compiled without optimisation, which nine tenths of the time of LLVM go to.

What only optimisation brings to light, such as a wrong promise about aliases, does not depend on formats: one kernel in
32, by its text, is optimised as for users. With --thorough all are.
"""

from typing import Any
from zlib import crc32

from irtensor.runtime import cpu_engine

as_asked = cpu_engine.compile_llvm_text


def compile_llvm_text(text: str, *arguments: Any, effort: Any = None, **options: Any) -> Any:
    """As that of cpu_engine, in a twentieth of the time."""
    if effort is None and crc32(text.encode()) % 32:
        effort = "none"
    return as_asked(text, *arguments, effort=effort, **options)


def lower_effort() -> None:
    """For programs of their own that tests start."""
    cpu_engine.compile_llvm_text = compile_llvm_text
