"""How long drawn statements take to compile without a schedule: five to eight leaves, functions, mixed formats.

    python benchmarks/compile_sweep.py [FIRST] [COUNT]

Prints the median, the slowest hundredth, and the slowest statements with the seconds of their stages. The same number
draws the same statement.
"""

from __future__ import annotations

import random
import sys
import warnings
from time import perf_counter
from typing import Any

import numpy as np

import irtensor as it

MATRICES = (
    "dense, dense",
    "csr",
    "csc",
    "dcsr",
    "coo",
    "bcsr(2,2)",
    "dense, bitmap",
    "compressed, dense",
    "bitmap, compressed",
    "hashed, hashed",
)
VECTORS = ("dense", "compressed", "bitmap", "hashed")
SHOWN = 10


def draw_statement(seed: int) -> tuple[str, dict[str, str], dict[str, int]]:
    """A statement, the formats of its sparse tensors, and the ranks of its operands."""
    draw = random.Random(seed)
    formats: dict[str, str] = {}
    ranks: dict[str, int] = {}

    def leaf(name: str) -> str:
        rank = ranks[name] = draw.choice([1, 2, 2, 2])
        indices = draw.sample("ij" if draw.random() < 0.85 else "ijk", rank)
        format = draw.choice(MATRICES if rank == 2 else VECTORS)
        if format not in ("dense", "dense, dense"):
            formats[name] = format
        return f"{name}[{','.join(indices)}]"

    parts = [leaf(name) for name in "ABCDEFGH"[: draw.randint(5, 8)]]
    while len(parts) > 1:
        right, left = parts.pop(draw.randrange(len(parts))), parts.pop(draw.randrange(len(parts)))
        operator = draw.choice("++--***/")
        merged = f"({left} {operator} {right})"
        if draw.random() >= 0.85:
            merged = f"{draw.choice(['max', 'min'])}({left}, {right})"
        if draw.random() < 0.25:
            merged = f"{draw.choice(['sqrt', 'exp', 'abs', 'sin'])}({merged})"
        parts.append(merged)
    used = [index for index in "ijk" if f"{index}]" in parts[0] or f"{index}," in parts[0]]
    value = f"sum(k, {parts[0]})" if "k" in used else parts[0]
    left_over = [index for index in used if index != "k"]
    if left_over and draw.random() < 0.3:
        formats["R"] = "compressed" if len(left_over) == 1 else draw.choice(["csr", "dcsr", "coo"])
    target = f"R[{','.join(left_over)}]" if left_over else "R"
    return f"{target} = {value}", formats, ranks


def measure(seed: int) -> tuple[float, int, str, dict[str, float]]:
    """Seconds of a compilation without caches, and of its stages."""
    statement, formats, ranks = draw_statement(seed)
    kernel: Any = it.compile(statement, formats, num_threads=1, disk_cache=False)
    operands = {name: np.ones([3] * ranks[name]) for name in kernel.operand_names}
    it.clear_caches()
    start = perf_counter()
    try:
        kernel.prepare(**operands)
    except it.UserError as error:
        return perf_counter() - start, seed, f"{statement} {formats}: [{error.slug}]", {}
    seconds = perf_counter() - start
    stages = kernel._plain.last.kernel.seconds
    return seconds, seed, f"{statement} {formats}", {stage: round(value, 2) for stage, value in stages.items()}


def main(first: int = 0, count: int = 2000) -> None:
    warnings.simplefilter("ignore")
    measure(first)  # imports
    found = sorted((measure(seed) for seed in range(first, first + count)), reverse=True)
    print(f"median {found[len(found) // 2][0]:.3f} s, slowest hundredth {found[len(found) // 100][0]:.3f} s")
    for seconds, seed, statement, stages in found[:SHOWN]:
        print(f"{seconds:8.3f} s  {seed:6}  {statement}  {stages}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
