"""A graph convolutional network of two layers: loss of one pass, and gradients of both matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.inputs import CSR, narrow
from benchmarks.programs.graphs import friends
from benchmarks.programs.program import FEW, OURS, SINGLE, Program

SMALL = {"nodes": 30, "count": 60, "widths": (6, 5, 3)}


def make(nodes: int = 1 << 15, count: int = 300_000, widths: tuple[int, int, int] = (64, 32, 8)) -> Program:
    a = narrow(friends(nodes, count) + sp.eye_array(nodes)).astype(np.float32)
    generator = np.random.default_rng(1)
    features, hidden, classes = widths
    x = generator.standard_normal((nodes, features), np.float32)
    w1 = generator.standard_normal((features, hidden), np.float32) / 8
    w2 = generator.standard_normal((hidden, classes), np.float32) / 8
    wanted = np.eye(classes, dtype=np.float32)[generator.integers(0, classes, nodes)]

    def error(scores: Any) -> Any:
        """The gradient of the mean cross entropy by the scores."""
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        return (chances / chances.sum(axis=1, keepdims=True) - wanted) / np.float32(nodes)

    def passes(product: Any) -> Any:
        """Both passes; the normalised matrix is symmetric."""
        sums = product(x @ w1)
        active = np.maximum(sums, 0)
        gradient = product(error(product(active @ w2)))
        back = product((gradient @ w2.T) * (sums > 0))
        return x.T @ back, active.T @ gradient

    def ours() -> Any:
        d = 1 / np.sqrt(it.einsum("ij->i", a))
        normal = it.einsum("i,ij,j->ij", d, a, d, format=CSR)
        return passes(lambda z: it.einsum("ij,jf->if", normal, z))

    def few() -> Any:
        """Each layer and its gradient are one statement, the normalisation in it."""
        formats = {"A": CSR}
        layer = it.compile("Z[i,f] = max(d[i] * sum(j, A[i,j] * d[j] * X[j,f]), 0)", formats=formats)
        last = it.compile("Z[i,f] = d[i] * sum(j, A[i,j] * d[j] * X[j,f])", formats=formats)
        back = it.compile("Z[i,f] = d[i] * sum(j, A[i,j] * d[j] * where(H[j,f] > 0, G[j,f], 0))", formats=formats)
        d = 1 / np.sqrt(it.einsum("ij->i", a))
        active = layer(A=a, d=d, X=x @ w1)
        gradient = last(A=a, d=d, X=error(last(A=a, d=d, X=active @ w2)))
        return x.T @ back(A=a, d=d, H=active, G=gradient @ w2.T), active.T @ gradient

    def with_scipy() -> Any:
        d = sp.diags_array(1 / np.sqrt(a.sum(axis=1)))
        return passes((d @ a @ d).tocsr().__matmul__)

    def with_torch(torch: Any) -> Any:
        target = torch.from_numpy(wanted)

        def call() -> Any:
            normal = a.copy()
            d = 1 / np.sqrt(a.sum(axis=1))
            normal.data = normal.data * np.repeat(d, np.diff(a.indptr)) * d[a.indices]
            indices = (torch.from_numpy(part.astype(np.int64)) for part in (normal.indptr, normal.indices))
            matrix = torch.sparse_csr_tensor(*indices, torch.from_numpy(normal.data), size=a.shape)
            first, second = (torch.tensor(w, requires_grad=True) for w in (w1, w2))
            scores = matrix @ (torch.relu(matrix @ (torch.from_numpy(x) @ first)) @ second)
            loss = -(target * torch.log_softmax(scores, 1)).sum() / nodes
            loss.backward()
            return first.grad.numpy(), second.grad.numpy()

        return call

    def expected() -> Any:
        """In double precision, from the edges."""
        i, j = a.nonzero()
        d = 1 / np.sqrt(np.bincount(i, minlength=nodes))

        def product(z: Any) -> Any:
            moved = [np.bincount(i, d[i] * d[j] * column[j], nodes) for column in z.T.astype(float)]
            return np.stack(moved, 1)

        return passes(product)

    title = f"Graph convolution, forward and backward, {nodes:,} nodes, {a.nnz:,} edges, {'-'.join(map(str, widths))}"
    calls = {OURS: ours, FEW: few, "SciPy": with_scipy}
    return Program(title, calls, expected, {"PyTorch": with_torch}, SINGLE)
