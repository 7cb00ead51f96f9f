"""Sparse results of chains whose pairs are multiplied before: they have the entries of one kernel, in all formats."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from kernels_of_statement import kernels_of, one_kernel
from sampling import few_or_many

import irtensor as it
from irtensor.frontend.einsum.contraction_costs import Product

N = 7
LEVELS = {"csr": it.CSR, "csc": it.CSC, "dcsr": it.DCSR, "coo": it.COO(2)}
# Chains and what is around them. In some one kernel has an entry for each term, in others for each place of a factor.
CHAINS = [
    "R[i,j] = A[i,k] * B[k,l] * C[l,j]",
    "R[i,j] = A[k,i] * B[k,l] * C[l,j]",
    "R[i,j] = A[i,k] * B[k,l] * C[j,l]",
    "R[i,j] = A[i,j] * B[i,k] * C[k,j]",
    "R[i,j] = A[i,j] * B[i,k] * C[j,k]",
    "R[i,j] = A[i,j] * B[k,j] * C[k,j]",
    "R[i,j] = A[i,k] * B[j,k] * C[k,j]",
    "R[i,j] = A[i,j] * B[i,k] * C[k,l] * D[l,j]",
    "R[i,j] = D[i,j] + A[i,k] * B[k,l] * C[l,j]",
    "R[i,j] = abs(sum(k, l, A[i,k] * B[k,l] * C[l,j])) * D[i,j]",
    "R[i,j] = min(k, l, A[i,k] + B[k,l] + C[l,j])",
    "R[i,j] = min(k, A[i,j] + B[i,k] + C[j,k])",
]
SAME = list(product(CHAINS, [(name,) * 5 for name in LEVELS]))
DRAWN = list(product(CHAINS, [tuple(random.Random(n).choices([*LEVELS], k=5)) for n in range(few_or_many(3, 60))]))


@pytest.fixture(params=range(few_or_many(2, 6)))
def any_pairs(request: Any, always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are drawn, so that all ways occur in which pairs may be multiplied."""
    drawn = random.Random(request.param)
    if request.param:
        monkeypatch.setattr(Product, "nest", lambda *_: drawn.random() * 1e6)
        monkeypatch.setattr(Product, "made", lambda *_: 0.0)


def coordinates_of(tensor: Any) -> set[tuple[int, ...]]:
    return {tuple(map(int, place)) for place in zip(*tensor.to_coo()[0], strict=True)}


def operands_of(names: Sequence[str], formats: Mapping[str, Any], fill: float) -> dict[str, Any]:
    found = {}
    for number, name in enumerate(names):
        rng = np.random.default_rng(number)
        array = np.where(rng.random((N, N)) < 0.25, rng.integers(1, 4, (N, N)) * 1.0, fill)
        found[name] = it.Tensor.from_numpy(array, formats[name])
    return found


def compared(found: Any, expected: Any, is_split: bool = True) -> None:
    """A program that is chosen for one kernel may skip entries without terms."""
    np.testing.assert_array_equal(found.to_numpy(), expected.to_numpy())
    ours, its = coordinates_of(found), coordinates_of(expected)
    assert ours == its if is_split else ours <= its


@pytest.mark.one_in(16)
@pytest.mark.parametrize(("text", "levels"), [*SAME, *DRAWN])
def test_chains_have_the_entries_of_one_kernel(text: str, levels: tuple[str, ...], any_pairs: None):
    fill = np.inf if "min" in text else 0.0
    names = [name for name in "ABCD" if f"{name}[" in text]
    formats = {name: LEVELS[its].with_fill(fill) for name, its in zip([*names, "R"], levels, strict=False)}
    operands = operands_of(names, formats, fill)
    kernel = it.compile(text, formats=formats)
    compared(kernel(**operands), one_kernel(text, formats)(**operands), kernels_of(kernel) > 1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("subscripts", ["ij,ik,kl,lj->ij", "ik,kl,lj->ij", "kj,ik,lj,lj->ij", "lj,ik,jl,lk->ij"])
def test_einsum_has_the_entries_of_one_kernel(subscripts: str, any_pairs: None):
    count = subscripts.count(",") + 1
    given = operands_of("ABCD"[:count], dict.fromkeys("ABCD", it.CSR), 0.0).values()
    compared(*[it.einsum(subscripts, *given, format="csr", optimize=one) for one in (None, False)])


@pytest.mark.parametrize("make", [lambda one: one, lambda one: one.with_fill(np.inf)], ids=["add", "min"])
def test_infinity_beside_an_entry_without_terms(make: Callable[[Any], Any], any_pairs: None):
    """Of a dense result no number depends on which entries an intermediate has."""
    fill = make(it.CSR).fill or 0.0
    text = ["R[i,f] = A[i,j] * B[i,k] * C[j,k] * x[j,f]", "R[i,f] = min(j, k, A[i,j] + B[i,k] + C[j,k] + x[j,f])"]
    operands = operands_of("ABC", dict.fromkeys("ABC", make(it.CSR)), fill)
    operands["x"] = np.where(np.arange(14).reshape(7, 2) % 3 == 0, -np.inf, 1.0)
    formats: dict[str, Any] = dict.fromkeys("ABC", make(it.CSR))
    text = text[fill == np.inf]
    np.testing.assert_array_equal(it.compile(text, formats=formats)(**operands), one_kernel(text, formats)(**operands))


@pytest.mark.parametrize(("text", "is_split"), [(CHAINS[0], True), (CHAINS[7], True), (CHAINS[4], False)])
def test_which_chains_are_taken_apart(text: str, is_split: bool, always: None):
    """Not where an entry of one kernel may have no terms."""
    names = [name for name in "ABCD" if f"{name}[" in text]
    formats = dict.fromkeys([*names, "R"], it.CSR)
    kernel = it.compile(text, formats=formats)
    kernel(**operands_of(names, formats, 0.0))
    assert (kernels_of(kernel) > 1) == is_split
