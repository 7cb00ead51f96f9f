"""Scheduled kernels of Kjolstad 2020 (tables of sections 3, 6 and 7): their loops, and values against NumPy.

A nest is written as its loops in order, each with what is inside of it in brackets: `p` is a loop over entries, `while`
one that merges, any other runs over coordinates; `|` is between loops that follow each other, `∥` before parallel ones.
"""

import re

import numpy as np
import pytest

import irtensor as it

CSR, DCSR, CSF, CSF4, VECTOR = it.CSR, it.DCSR, it.CSF(3), it.CSF(4), it.Format("compressed")
SIZES = {"i": 19, "j": 11, "k": 13, "l": 7, "m": 5}


def nest(kernel):
    """The loops of a kernel, read from printed IR by its indentation."""
    inside: list = []
    around = [(-1, inside)]
    for line in kernel.ir("loop").splitlines():
        found = re.match(r"( *)loop\.(while|for %(\w+?)(?:_\d+)? )", line)
        if found:
            while around[-1][0] >= len(found[1]):
                around.pop()
            parallel = "∥" if "parallel = " in line and "automatic" not in line else ""
            loops: list = []
            around[-1][1].append((parallel + (found[3] or "while"), loops))
            around.append((len(found[1]), loops))
    return written(inside)


def written(loops):
    return " | ".join(name + (f"[{written(inner)}]" if inner else "") for name, inner in loops)


def sparse(random, shape, density=0.4):
    return np.where(random.random(shape) < density, random.integers(1, 9, shape), 0).astype(float)


MTTKRP = "A[i,j] = B[i,k,l] * D[l,j] * C[k,j]"
HOISTED = "reorder(i, k, l, j); precompute(B[i,k,l] * D[l,j], over=j)"
KERNELS = {
    "K20b SDDMM in tiles": (
        "A[i,j] = B[i,j] * C[i,k] * D[k,j]",
        {"B": CSR},
        "split(i, i0, i1, 16); split(j, j0, j1, 8, tensor=B); parallelize(i0)",
        "∥i0[i1[j0[p[k]]]]",
    ),
    "K31b TTV by entries": (
        "A[i,j] = B[i,j,k] * c[k]",
        {"B": CSF},
        "fuse(i, j, f); split(f, chunk, f1, 16, tensor=B); parallelize(chunk)",
        "∥chunk[p[p[p]]]",
    ),
    "K33 MTTKRP": (MTTKRP, {"B": CSF}, "reorder(i, k, l, j); parallelize(i)", "∥p[p[p[j]]]"),
    "K33b MTTKRP, the factor hoisted": (MTTKRP, {"B": CSF}, HOISTED, "p[p[p[j] | j]]"),
    "K33b MTTKRP, the factor hoisted, rows in blocks": (
        MTTKRP,
        {"B": CSF},
        HOISTED + "; split(i, i0, i1, 8); parallelize(i0)",
        "∥i0[p[p[p[j] | j]]]",
    ),
    "K33c MTTKRP of order four": (
        "A[i,j] = B[i,k,l,m] * E[m,j] * D[l,j] * C[k,j]",
        {"B": CSF4},
        "reorder(i, k, l, m, j); precompute(B[i,k,l,m] * E[m,j] * D[l,j], over=j); "
        "precompute(B[i,k,l,m] * E[m,j], over=j, workspace=v)",
        "p[p[p[p[j] | j] | j]]",
    ),
    "K34 three lists per level, the middle ones in blocks": (
        "A[i,j,k] = B[i,j,k] * C[i,j,k]",
        {"A": CSF, "B": CSF, "C": CSF},
        "divide(j, j0, j1, 4)",
        "while[j0[while[while]]]",
    ),
    "K35 the middle levels as one": (
        "A[i,j,k,l] = B[i,j,k,l] * C[i,j,k,l]",
        {"B": CSF4, "C": CSF4},
        "fuse(j, k, f)",
        "while[while[while[while]]]",
    ),
    "K35 the middle levels as one, in blocks": (
        "A[i,j,k,l] = B[i,j,k,l] * C[i,j,k,l]",
        {"A": CSF4, "B": CSF4, "C": CSF4},
        "fuse(j, k, f); divide(f, f0, f1, 3)",
        "while[f0[while[while[while]]] | p[p[p]]]",
    ),
    "K40 rows in blocks": ("y[i] = A[i,j] * x[j]", {"A": CSR}, "split(i, i0, i1, 8); parallelize(i0)", "∥i0[i1[p]]"),
    "K43 equal numbers of entries": (
        "y[i] = A[i,j] * x[j]",
        {"A": DCSR},
        "fuse(i, j, f); divide(f, f0, f1, 2, tensor=A)",
        "f0[p[p]]",
    ),
    "K44 an intersection in blocks": (
        "y[i] = a[i] * b[i]",
        {"y": VECTOR, "a": VECTOR, "b": VECTOR},
        "split(i, i0, i1, 4)",
        "i0[while]",
    ),
    "K45 a union in blocks": (
        "y[i] = a[i] + b[i]",
        {"y": VECTOR, "a": VECTOR, "b": VECTOR},
        "split(i, i0, i1, 4)",
        "i0[while | p | p]",
    ),
    "K46 sparse times dense in tiles": (
        "C[i,j] = A[i,k] * B[k,j]",
        {"A": CSR},
        "reorder(i, k, j); split(i, i0, i1, 16); split(k, k0, k1, 8, tensor=A); "
        "reorder(i0, i1, k0, j, k1); parallelize(i0)",
        "∥i0[i1[k0[j[p]]]]",
    ),
    "K51 dense tiles": (
        "C[i,j] = A[i,k] * B[k,j]",
        {},
        "split(i, i0, i1, 4); split(j, j0, j1, 4); split(k, k0, k1, 4); reorder(i0, j0, k0, i1, k1, j1)",
        "i0[j0[k0[i1[k1[j1]]]]]",
    ),
}


@pytest.mark.parametrize("title", KERNELS)
def test_nest(title):
    notation, formats, steps, expected = KERNELS[title]
    random = np.random.default_rng(len(title))
    target, _, right = notation.replace(" ", "").partition("=")
    subscripts = dict(re.findall(r"(\w)\[([\w,]+)\]", right))
    arrays = {name: sparse(random, [SIZES[v] for v in indices.split(",")]) for name, indices in subscripts.items()}
    kernel = it.compile(notation, formats=formats, schedule=it.schedule(steps), num_threads=3)
    result = kernel(**{n: it.Tensor.from_numpy(a, formats[n]) if n in formats else a for n, a in arrays.items()})
    if isinstance(result, it.Tensor):
        result.check()
        result = result.to_numpy()
    if "+" in right:
        values = sum(arrays.values())
    else:
        inputs = ",".join(indices.replace(",", "") for indices in subscripts.values())
        values = np.einsum(f"{inputs}->{target[2:-1].replace(',', '')}", *arrays.values())
    np.testing.assert_array_equal(result, values)
    assert nest(kernel) == expected
