"""LLVM IR of functions that kernels call and that are the same for all of them: compiled once, not with every kernel.

The lowerings declare them (passes/llvm/support/support_functions.py); cpu_engine links them.
"""

from __future__ import annotations

from irtensor.core.text_files import text_of_file

# The functions of `support_code`.
SUPPORT_FUNCTIONS = (
    "irtensor.grow",
    "irtensor.reserve",
    "irtensor.make_zeroed",
    "irtensor.run_iterations",
    "irtensor.poll",
)
# Those of passes/llvm/loops/maps.mlir.
MAP_FUNCTIONS = ("irtensor.map.change", "irtensor.map.widen", "irtensor.map.list")
# What kernels may refer to.
SHARED_FUNCTIONS = (*SUPPORT_FUNCTIONS, *MAP_FUNCTIONS)


def support_code() -> str:
    """The functions for this platform."""
    # Not needed to link what the disk cache has.
    from irtensor.runtime.interruption_code import interruption_code

    return interruption_code() + text_of_file("llvm/support.ll") + reserve_code()


def reserve_code() -> str:
    """The function `irtensor.reserve`, wherever the data of growables is."""
    return text_of_file("llvm/reserve.ll")
