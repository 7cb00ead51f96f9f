"""Workspaces of schedules, in every level format that is written in any order at every level, against NumPy."""

from itertools import product

import numpy as np
import pytest

import irtensor as it

WRITTEN = ("dense", "bitmap", "hashed")
RESULTS = (None, it.CSR, it.CSC, it.DCSR, it.COO(2))


def sparse(shape, seed, density=0.4):
    random = np.random.default_rng(seed)
    return random.random(shape) * (random.random(shape) < density)


def check(kernel, operands, expected, message):
    tensors = [it.Tensor.from_numpy(operand, format) for operand, format in operands]
    found = [kernel(*tensors), kernel(*tensors)]
    if not isinstance(found[0], np.ndarray):
        found.append(kernel.compute(kernel.assemble(*tensors), *tensors))
        found[0].check()
    for result in found:
        array = result if isinstance(result, np.ndarray) else result.to_numpy()
        np.testing.assert_allclose(array, expected, rtol=1e-12, atol=1e-13, err_msg=message)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("levels", [*product(WRITTEN, repeat=2)], ids=", ".join)
def test_matrices(levels):
    """All of a product is held, stored in either order, and read alone or beside another factor."""
    a, b, d = sparse((5, 6), 1), sparse((6, 7), 2), sparse((5, 7), 3)
    orders = "(i, j) -> (i : {}, j : {})", "(i, j) -> (j : {}, i : {})"
    rights = ("", a @ b), (" * D[i,j]", (a @ b) * d)
    for number, (order, (right, expected)) in enumerate(product(orders, rights)):
        result = RESULTS[(number + sum(map(len, levels))) % len(RESULTS)]
        schedule = it.schedule().reorder("i", "k", "j")
        schedule = schedule.precompute("A[i,k] * B[k,j]", over=("i", "j"), format=order.format(*levels))
        formats = dict.fromkeys("ABD" if right else "AB", it.CSR) | ({"C": result} if result else {})
        kernel = it.compile(f"C[i,j] = A[i,k] * B[k,j]{right}", formats=formats, schedule=schedule)
        operands = [(a, it.CSR), (b, it.CSR), (d, it.CSR)][: 3 if right else 2]
        check(kernel, operands, expected, f"{levels} {order} {result} {right}")


@pytest.mark.one_in(8)
@pytest.mark.parametrize("levels", [*product(WRITTEN, repeat=3)], ids=", ".join)
def test_tensors(levels):
    a, t = sparse((4, 5), 4), sparse((5, 3, 4), 5, 0.3)
    schedule = it.schedule().reorder("i", "l", "j", "k")
    schedule = schedule.precompute("A[i,l] * T[l,j,k]", over=("i", "j", "k"), format=", ".join(levels))
    formats = {"A": it.CSR, "T": it.CSF(3), "C": it.CSF(3)}
    kernel = it.compile("C[i,j,k] = A[i,l] * T[l,j,k]", formats=formats, schedule=schedule)
    check(kernel, [(a, it.CSR), (t, it.CSF(3))], np.einsum("il,ljk->ijk", a, t), str(levels))


def has_flags(levels):
    """Whether a bitmap is below a table, which makes places for it as they are needed."""
    return "hashed" in levels and "bitmap" in levels[levels.index("hashed") :]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("rows", [3, 90])
@pytest.mark.parametrize(
    "levels", [levels for levels in product(WRITTEN, repeat=3) if has_flags(levels)], ids=", ".join
)
def test_bitmaps_below_tables(levels, rows, threads):
    """A row gets its flags when it is new, however many there are, and the result the entries of the product."""
    a, t = sparse((rows, 5), rows, 0.2), sparse((5, 9, 4), 5, 0.2)
    schedule = it.schedule().reorder("i", "l", "j", "k")
    schedule = schedule.precompute("A[i,l] * T[l,j,k]", over=("i", "j", "k"), format=", ".join(levels))
    statement, formats = "C[i,j,k] = A[i,l] * T[l,j,k]", {"A": it.DCSR, "T": it.CSF(3), "C": it.CSF(3)}
    kernel = it.compile(statement, formats, schedule=schedule, num_threads=threads)
    operands = it.Tensor.from_numpy(a, it.DCSR), it.Tensor.from_numpy(t, it.CSF(3))
    for _ in range(2):
        found = kernel(*operands)
        found.check()
        np.testing.assert_allclose(found.to_numpy(), np.einsum("il,ljk->ijk", a, t), rtol=1e-12, atol=1e-13)
        if levels[-1] != "dense":
            assert found.nnz == np.count_nonzero(np.einsum("il,ljk->ijk", a != 0, t != 0))


@pytest.mark.parametrize("levels", ["hashed, bitmap", "dense, hashed, bitmap", "hashed, bitmap, bitmap"])
def test_a_workspace_with_flags_is_emptied_for_each_row(levels):
    """Flags and values of the row before are not read again, and old values take part nowhere."""
    rank = levels.count(",") + 1
    names, shape = "jkl"[:rank], (4, 5, 3)[:rank]
    b, d = sparse((6, 2, *shape), 7, 0.3), sparse((6, *shape), 8, 0.7)
    inner = ",".join(names)
    steps = f'precompute(B[i,m,{inner}], over=({inner}), format="{levels}")'
    result = ", ".join(["compressed"] * (rank + 1))
    formats = {"B": ", ".join(["compressed"] * (rank + 2)), "C": result, "D": result}
    statement = f"C[i,{inner}] = sum(m, B[i,m,{inner}]) * D[i,{inner}]"
    kernel = it.compile(statement, formats, schedule=it.schedule(steps))
    found = kernel(B=it.Tensor.from_numpy(b, formats["B"]), D=it.Tensor.from_numpy(d, result))
    np.testing.assert_allclose(found.to_numpy(), b.sum(1) * d, rtol=1e-12)
    assert found.nnz == np.count_nonzero((b != 0).any(1) & (d != 0))


@pytest.mark.parametrize("format", ["bitmap, bitmap", "dense, bitmap", "hashed, hashed", "dense, dense"])
def test_nothing_goes_through_all_places_to_empty_a_workspace(format):
    """Sets and maps are cleared by their members; where there are none, the values are filled."""
    schedule = it.schedule().reorder("i", "k", "j").precompute("A[i,k] * B[k,j]", over=("i", "j"), format=format)
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats=dict.fromkeys("ABC", it.CSR), schedule=schedule)
    text = kernel.ir("loop")
    fills = [line for line in text.splitlines() if "loop.fill" in line and line.endswith("f64")]
    assert ("clear %w" in text, len(fills)) == ((False, 1) if format == "dense, dense" else (True, 0))


def test_what_cannot_be_a_workspace_is_refused_with_a_way_out():
    for format, reason, help in (
        ("compressed, bitmap", "only appended to", "as a bitmap or a hashed level"),
        ("(i, j) -> (j - i : dense, i : range, j : offset)", "found along diagonals only", "store it dense"),
    ):
        schedule = it.schedule().reorder("i", "k", "j").precompute("A[i,k] * B[k,j]", over=("i", "j"), format=format)
        with pytest.raises(it.UserError, match="illegal-precompute") as caught:
            it.compile("C[i,j] = A[i,k] * B[k,j]", formats=dict.fromkeys("ABC", it.CSR), schedule=schedule).explain()
        assert reason in str(caught.value) and help in str(caught.value)
