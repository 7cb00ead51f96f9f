"""Attention where queries see some blocks of keys: their neighbours, the first ones, and a few at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

import irtensor as it
from benchmarks.programs.program import FEW, OURS, SINGLE, Program

SMALL = {"length": 32, "width": 4, "block": 8}


def make(length: int = 2048, width: int = 64, block: int = 32, blocked: bool = False) -> Program:
    generator = np.random.default_rng(0)
    number = np.arange(length // block)
    seen = (np.abs(number[:, None] - number) <= 1) | (number == 0)
    seen |= generator.random(seen.shape) < 0.05
    mask = np.kron(seen, np.ones((block, block), np.float32))
    q, k, v = (generator.standard_normal((length, width), np.float32) for _ in range(3))
    q /= np.float32(np.sqrt(width))
    m = it.Tensor.from_scipy(sp.bsr_array(mask, blocksize=(block, block)) if blocked else sp.csr_array(mask))
    format = m.format

    def ours() -> Any:
        score = it.compile("S[i,j] = M[i,j] * sum(d, Q[i,d] * K[j,d])", formats={"M": format, "S": format})
        largest = it.compile("m[i] = max(j, S[i,j])", formats={"S": format})
        chance = it.compile("P[i,j] = M[i,j] * exp(S[i,j] - m[i])", formats={"M": format, "S": format, "P": format})
        mean = it.compile("O[i,d] = sum(j, P[i,j] * V[j,d]) / sum(j, P[i,j])", formats={"P": format})
        scores = score(M=m, Q=q, K=k)
        return mean(P=chance(M=m, S=scores, m=largest(S=scores)), V=v)

    def few() -> Any:
        """Without the largest score, which these scores do not need."""
        attend = it.compile(
            "O[i,d] = sum(j, M[i,j] * exp(sum(e, Q[i,e] * K[j,e])) * V[j,d])"
            " / sum(j, M[i,j] * exp(sum(e, Q[i,e] * K[j,e])))",
            formats={"M": format},
        )
        return attend(M=m, Q=q, K=k, V=v)

    def with_numpy() -> Any:
        """A loop over the rows of blocks."""
        out = np.empty_like(q)
        columns = np.arange(length).reshape(-1, block)
        for row, blocks in zip(columns, seen, strict=True):
            keys = columns[blocks].ravel()
            scores = q[row] @ k[keys].T
            p = np.exp(scores - scores.max(axis=1, keepdims=True))
            out[row] = p @ v[keys] / p.sum(axis=1, keepdims=True)
        return out

    def with_torch(torch: Any) -> Any:
        """Its kernel for attention with a dense mask."""
        tensors = [torch.from_numpy(each)[None, None] for each in (q, k, v)]
        dense = torch.from_numpy(mask > 0.0)
        attention = torch.nn.functional.scaled_dot_product_attention
        return lambda: attention(*tensors, attn_mask=dense, scale=1.0)[0, 0].numpy()

    def expected() -> Any:
        """Dense, in double precision."""
        p = mask * np.exp(q.astype(float) @ k.T)
        return p @ v / p.sum(axis=1, keepdims=True)

    name = f"{block} × {block} BCSR" if blocked else "CSR"
    title = f"Block attention, mask in {name}, {length:,} tokens, {width} features, {100 * seen.mean():.0f} % seen"
    calls = {OURS: ours, FEW: few, "NumPy": with_numpy}
    return Program(title, calls, expected, {"PyTorch": with_torch}, SINGLE)
