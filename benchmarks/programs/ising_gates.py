"""A step in time of an Ising chain of qubits: a rotation of each qubit, and a phase of each pair of neighbours."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

import numpy as np

import irtensor as it
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"qubits": 4}


def make(qubits: int = 16) -> Program:
    generator = np.random.default_rng(1)
    state = generator.standard_normal(2**qubits)
    angle = 0.3
    # Real, so that all libraries have the same kernels to offer.
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    weight = np.exp(0.1 * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    letters = string.ascii_lowercase[:qubits]
    shape = (2,) * qubits

    def parts(site: int, count: int) -> tuple[int, ...]:
        """The state as a tensor in which `count` sites from one on have a dimension each."""
        return (2**site, *(2,) * count, 2 ** (qubits - site - count))

    def by_parts(einsum: Callable[..., Any], turn: Any, weight: Any, state: Any) -> Any:
        for site in range(qubits):
            state = einsum("pq,aqb->apb", turn, state.reshape(parts(site, 1)))
        for site in range(qubits - 1):
            state = einsum("pq,apqb->apqb", weight, state.reshape(parts(site, 2)))
        return state.reshape(-1)

    def ours() -> Any:
        return by_parts(it.einsum, turn, weight, state)

    def few() -> Any:
        """A letter for each qubit, and all phases at once."""
        whole = state.reshape(shape)
        for site, letter in enumerate(letters):
            turned = letters[:site] + "A" + letters[site + 1 :]
            whole = it.einsum(f"A{letter},{letters}->{turned}", turn, whole)
        pairs = ",".join(letters[site : site + 2] for site in range(qubits - 1))
        return it.einsum(f"{letters},{pairs}->{letters}", whole, *[weight] * (qubits - 1)).reshape(-1)

    def with_numpy() -> Any:
        """Products of matrices, and broadcasting."""
        whole = state
        for site in range(qubits):
            whole = turn @ whole.reshape(parts(site, 1))
        for site in range(qubits - 1):
            whole = whole.reshape(parts(site, 2)) * weight[:, :, None]
        return whole.reshape(-1)

    def with_torch(torch: Any) -> Any:
        tensors = [torch.from_numpy(array) for array in (turn, weight, state)]
        return lambda: by_parts(torch.einsum, *tensors).numpy()

    def expected() -> Any:
        """Of each basis state apart: the rotations as a Kronecker product, in two halves."""
        half = qubits // 2
        halves: list[Any] = [np.ones((1, 1))] * 2
        for number, count in enumerate((half, qubits - half)):
            for _ in range(count):
                halves[number] = np.kron(halves[number], turn)
        turned = halves[0] @ state.reshape(2**half, -1) @ halves[1].T
        bits = (np.arange(2**qubits)[:, None] >> np.arange(qubits)[::-1]) & 1
        return turned.reshape(-1) * weight[bits[:, :-1], bits[:, 1:]].prod(axis=1)

    title = f"Gates of an Ising chain of {qubits} qubits: {2 * qubits - 1} gates"
    return Program(title, {OURS: ours, FEW: few, "NumPy": with_numpy}, expected, {"PyTorch": with_torch})
