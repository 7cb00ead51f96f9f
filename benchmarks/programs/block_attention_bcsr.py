"""The same attention with the mask stored in blocks."""

from __future__ import annotations

from benchmarks.programs import block_attention
from benchmarks.programs.program import Program

SMALL = block_attention.SMALL


def make(length: int = 2048, width: int = 64, block: int = 32) -> Program:
    return block_attention.make(length, width, block, blocked=True)
