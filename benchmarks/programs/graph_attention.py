"""A layer of graph attention: softmax over the edges of each node, and gradients of features and scores."""

from __future__ import annotations

from typing import Any

import numpy as np

import irtensor as it
from benchmarks.inputs import CSR
from benchmarks.programs.graphs import friends
from benchmarks.programs.program import FEW, OURS, SINGLE, Program

SMALL = {"nodes": 30, "count": 80, "width": 4}


def make(nodes: int = 1 << 14, count: int = 120_000, width: int = 32) -> Program:
    a = friends(nodes, count).astype(np.float32)
    generator = np.random.default_rng(1)
    h, gradient = (generator.standard_normal((nodes, width), np.float32) for _ in range(2))
    left, right = (generator.standard_normal(nodes, np.float32) for _ in range(2))

    def ours() -> Any:
        score = it.compile(
            "E[i,j] = exp(where(l[i] + r[j] > 0, l[i] + r[j], 0.2 * (l[i] + r[j]))) * A[i,j]",
            formats=dict.fromkeys("EA", CSR),
        )
        part = it.compile("P[i,j] = E[i,j] / s[i]", formats=dict.fromkeys("PE", CSR))
        inner = it.compile("G[i,j] = P[i,j] * (D[i,j] - s[i])", formats=dict.fromkeys("GPD", CSR))
        slope = it.compile("G[i,j] = D[i,j] * where(l[i] + r[j] > 0, 1, 0.2)", formats=dict.fromkeys("GD", CSR))
        e = score(A=a, l=left, r=right)
        p = part(E=e, s=np.maximum(it.einsum("ij->i", e), np.float32(1e-30)))
        out = it.einsum("ij,jf->if", p, h)
        back = it.einsum("ij,if->jf", p, gradient)
        d = it.einsum("ij,if,jf->ij", a, gradient, h, format=CSR)
        g = slope(D=inner(P=p, D=d, s=it.einsum("ij,ij->i", p, d)), l=left, r=right)
        return out, back, it.einsum("ij->i", g), it.einsum("ij->j", g)

    def few() -> Any:
        part = it.compile(
            "P[i,j] = A[i,j] * exp(where(l[i] + r[j] > 0, l[i] + r[j], 0.2 * (l[i] + r[j])))"
            " / sum(k, B[i,k] * exp(where(l[i] + r[k] > 0, l[i] + r[k], 0.2 * (l[i] + r[k]))))",
            formats=dict.fromkeys("PAB", CSR),
        )
        slope = it.compile(
            "G[i,j] = P[i,j] * where(l[i] + r[j] > 0, 1, 0.2)"
            " * (sum(f, U[i,f] * H[j,f]) - sum(k, Q[i,k] * sum(f, U[i,f] * H[k,f])))",
            formats=dict.fromkeys("GPQ", CSR),
        )
        p = part(A=a, B=a, l=left, r=right)
        g = slope(P=p, Q=p, U=gradient, H=h, l=left, r=right)
        out, back = it.einsum("ij,jf->if", p, h), it.einsum("ij,if->jf", p, gradient)
        return out, back, it.einsum("ij->i", g), it.einsum("ij->j", g)

    def with_torch(torch: Any) -> Any:
        i, j = (torch.from_numpy(part.astype(np.int64)) for part in a.nonzero())
        given = torch.from_numpy(gradient)

        def call() -> Any:
            features, l, r = (torch.tensor(part, requires_grad=True) for part in (h, left, right))
            e = torch.exp(torch.nn.functional.leaky_relu(l[i] + r[j], 0.2))
            total = torch.zeros(nodes).index_add(0, i, e)
            p = e / total[i]
            out = torch.zeros(nodes, width).index_add(0, i, p[:, None] * features[j])
            (out * given).sum().backward()
            return tuple(part.detach().numpy() for part in (out, features.grad, l.grad, r.grad))

        return call

    def with_numpy() -> Any:
        """From the edges, in double precision."""
        i, j = a.nonzero()
        sums = left[i].astype(float) + right[j]
        e = np.exp(np.where(sums > 0, sums, 0.2 * sums))
        p = e / np.bincount(i, e, nodes)[i]
        d = np.einsum("nf,nf->n", gradient[i].astype(float), h[j])
        g = p * (d - np.bincount(i, p * d, nodes)[i]) * np.where(sums > 0, 1, 0.2)
        out = np.stack([np.bincount(i, p * column[j], nodes) for column in h.T], 1)
        back = np.stack([np.bincount(j, p * column[i], nodes) for column in gradient.T], 1)
        return out, back, np.bincount(i, g, nodes), np.bincount(j, g, nodes)

    title = f"Graph attention, forward and backward, {nodes:,} nodes, {a.nnz:,} edges, {width} features"
    calls = {OURS: ours, FEW: few, "NumPy": with_numpy}
    return Program(title, calls, with_numpy, {"PyTorch": with_torch}, SINGLE)
