"""A non-deterministic automaton reads a word from each of several states: which states it can end in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import irtensor as it
from benchmarks.inputs import random_csr
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"states": 30, "count": 60, "starts": 3, "length": 4}


def make(states: int = 4000, count: int = 8000, starts: int = 64, length: int = 20, letters: int = 4) -> Program:
    moves = [random_csr(states, states, count, seed).astype(bool) for seed in range(letters)]
    word = np.random.default_rng(1).integers(0, letters, length).tolist()
    begin = np.eye(states, starts, dtype=bool)
    # The moves of all letters as one tensor.
    coordinates = [np.stack([np.full(move.nnz, n), *move.nonzero()]) for n, move in enumerate(moves)]
    every = np.concatenate(coordinates, axis=1)
    tensor = it.Tensor.from_coo(
        every, np.ones(every.shape[1], bool), shape=(letters, states, states), format="dense, dense, compressed"
    )

    def read(moved: Callable[[Any, int], Any], state: Any) -> Any:
        for letter in word:
            state = moved(state, letter)
        return state

    def ours() -> Any:
        return read(lambda state, letter: it.einsum("ij,is->js", moves[letter], state, semiring=it.OR_AND), begin)

    def few() -> Any:
        """The letter that is read is an operand."""
        one = np.eye(letters, dtype=bool)
        return read(
            lambda state, letter: it.einsum("l,lij,is->js", one[letter], tensor, state, semiring=it.OR_AND), begin
        )

    def with_scipy() -> Any:
        transposed = [move.T.tocsr().astype(np.float32) for move in moves]
        return read(lambda state, letter: transposed[letter] @ state.astype(np.float32) > 0.0, begin)

    def with_graphblas(graphblas: Any) -> Any:
        matrices = [graphblas.io.from_scipy_sparse(move) for move in moves]
        reaches = graphblas.semiring.any_pair[bool]

        def call() -> Any:
            first = graphblas.Matrix.from_coo(range(starts), range(starts), True, nrows=states, ncols=starts)
            return read(lambda state, letter: reaches(matrices[letter].T @ state).new(), first).to_dense(
                fill_value=False
            )

        return call

    def expected() -> Any:
        """Sets of states."""
        ends = np.zeros((states, starts), bool)
        for start in range(starts):
            state = {start}
            for letter in word:
                move = moves[letter]
                state = {int(j) for i in state for j in move.indices[move.indptr[i] : move.indptr[i + 1]]}
            ends[list(state), start] = True
        return ends

    title = f"Automaton of {states:,} states and {letters} letters, {starts} starts, a word of {length}"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
