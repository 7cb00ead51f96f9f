"""What kernels read ahead of knowing whether it counts is memory of theirs, whatever malloc has left in it."""

import os
import subprocess
import sys
from pathlib import Path

import effort
import pytest

START = """
import effort
import numpy as np
import irtensor as it

effort.lower_effort()
random = np.random.default_rng(0)
"""

# Where a row of the product has no entries, a merge still looks at the first entry of its list before it drops it.
PRODUCTS = """
dense = {name: random.integers(1, 9, (9, 9)) * (random.random((9, 9)) < 0.1) * 1.0 for name in "ABDE"}
dense["A"][:4] = 0
product = dense["A"] @ dense["B"]
cases = [
    ("A[i,k] * B[k,j] + D[i,j]", product + dense["D"]),
    ("A[i,k] * B[k,j] + D[i,j] + E[i,j]", product + dense["D"] + dense["E"]),
    ("A[i,k] * B[k,j] * D[i,j] + E[i,j]", product * dense["D"] + dense["E"]),
    ("A[i,k] * B[k,j] + D[i,k] * E[k,j]", product + dense["D"] @ dense["E"]),
]
for right, expected in cases[FIRST::2]:
    statement = "C[i,j] = " + right
    formats = {name: it.FORMAT for name in "ABCDE" if name + "[" in statement}
    kernel = it.compile(statement, formats=formats, num_threads=THREADS)
    operands = {name: it.Tensor.from_numpy(dense[name], it.FORMAT) for name in formats if name != "C"}
    np.testing.assert_allclose(kernel(**operands).to_numpy(), expected)
    np.testing.assert_allclose(kernel.compute(kernel.assemble(**operands), **operands).to_numpy(), expected)
print("done")
"""

# Nor has a table below another one a length for its first parent, where the outer one is empty.
TABLES = """
shape = (4, 2, 2, 2)
a, b, c = (random.integers(1, 9, s) * (random.random(s) < 0.5) * 1.0 for s in (shape, shape[:2], shape))
b[1:3] = 0
kernel = it.compile(
    "Q[i,j,k,l] = A[i,j,k,l] * B[i,j] + C[i,j,k,l]",
    formats={"A": it.CSF(4), "B": it.DCSR, "C": it.CSF(4), "Q": it.CSF(4)},
    schedule=it.schedule("precompute(A[i,j,k,l] * B[i,j], over=(j, k, l))"),
    num_threads=THREADS,
)
for _ in range(2):
    np.testing.assert_allclose(kernel(A=a, B=b, C=c).to_numpy(), a * b[:, :, None, None] + c)
print("done")
"""

# The last block of an extent that it does not divide has places that no loop reaches, with segments of their own.
BLOCKS = """
levels = ["compressed", "compressed(nonordered)", "hashed"]
maps = ["i floordiv 2 : dense, i mod 2 : dense, j : LEVEL", "j floordiv 3 : dense, j mod 3 : dense, i : LEVEL",
        "i floordiv 2 : dense, j : dense, i mod 2 : LEVEL", "j : dense, i floordiv 2 : compressed, i mod 2 : LEVEL"]
for number, levels_of in enumerate([text.replace("LEVEL", level) for text in maps for level in levels]):
    for shape in (3, 1), (5, 4), (3, 0):
        a = random.integers(0, 3, shape) * 1.0
        kernel = it.compile("R[i,j] = A[i,j] * 2", formats={"R": f"(i, j) -> ({levels_of})"}, num_threads=THREADS)
        operands = (a, it.Tensor.from_numpy(a, it.CSC), it.Tensor.from_numpy(a, it.CSR))
        np.testing.assert_array_equal(kernel(A=operands[number % 3]).to_numpy(), 2 * a)
print("done")
"""


@pytest.mark.one_in(24)
@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("filled", ["1", "165"])
@pytest.mark.parametrize("format", ["CSR", "DCSR", "CSC"])
@pytest.mark.parametrize("first", ["0", "1"])
def test_products(first, format, filled, threads):
    run(PRODUCTS.replace("FORMAT", format).replace("FIRST", first), filled, threads)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("filled", ["1", "165"])
def test_tables(filled, threads):
    run(TABLES, filled, threads)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("filled", ["1", "165"])
def test_last_blocks(filled, threads):
    run(BLOCKS, filled, threads)


def run(program, filled, threads):
    """The C library fills what it gives with that byte, or with its complement, where it knows this variable."""
    # What the program for one byte has compiled, that for another one loads from the disk.
    environment = {**os.environ, "MALLOC_PERTURB_": filled, "PYTHONPATH": str(Path(effort.__file__).parent)}
    command = [sys.executable, "-c", START + program.replace("THREADS", threads)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
