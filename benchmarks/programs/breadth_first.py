"""Breadth-first search: the number of edges from one node to each other one, with a sparse frontier."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

import irtensor as it
from benchmarks.programs.graphs import busiest, friends
from benchmarks.programs.program import FEW, OURS, Program

SMALL = {"nodes": 60, "count": 100}


def make(nodes: int = 1 << 16, count: int = 500_000) -> Program:
    a = friends(nodes, count).astype(bool)
    source = int(busiest(a)[0])

    def start() -> Any:
        level = np.full(nodes, -1)
        level[source] = 0
        return level

    def ours() -> Any:
        level, depth, found = start(), 0, np.array([source])
        while found.size:
            depth += 1
            frontier = it.Tensor.from_coo([found], np.ones(len(found), bool), shape=(nodes,), format="compressed")
            reached = it.einsum("i,ij->j", frontier, a, semiring=it.OR_AND)
            found = np.flatnonzero(reached & (level < 0))
            level[found] = depth
        return level

    def few() -> Any:
        """All rows in each step, and a dense frontier."""
        step = it.compile("m[i] = (l[i] < 0) & or(j, A[i,j] & f[j])", formats={"A": it.CSR})
        level, depth, frontier = start(), 0, start() == 0
        while frontier.any():
            depth += 1
            frontier = step(A=a, f=frontier, l=level)
            level[frontier] = depth
        return level

    def with_scipy() -> Any:
        order, parent = breadth_first_order(a, source)
        number = np.empty(nodes, int)
        number[order] = range(len(order))
        # Parents come in the order of their children, so that a level ends where the parents are of the next one.
        parents, level = number[parent[order[1:]]], start()
        first, last, depth = 0, 1, 0
        while last < len(order):
            first, last, depth = last, 1 + int(np.searchsorted(parents, last)), depth + 1
            level[order[first:last]] = depth
        return level

    def with_graphblas(graphblas: Any) -> Any:
        matrix = graphblas.io.from_scipy_sparse(a)
        reaches = graphblas.semiring.any_pair[bool]

        def call() -> Any:
            level = graphblas.Vector(np.int64, nodes)
            frontier = graphblas.Vector.from_coo([source], True, size=nodes)
            depth = 0
            while frontier.nvals:
                level(frontier.S).update(depth)
                depth += 1
                frontier(~level.S, replace=True).update(reaches(frontier @ matrix))
            return level.to_dense(fill_value=-1)

        return call

    def expected() -> Any:
        """A queue."""
        level, queue = start(), [source]
        for node in queue:
            for other in a.indices[a.indptr[node] : a.indptr[node + 1]]:
                if level[other] < 0:
                    level[other] = level[node] + 1
                    queue.append(int(other))
        return level

    title = f"Breadth-first search, {nodes:,} nodes, {a.nnz:,} edges"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"GraphBLAS": with_graphblas})
