"""Draws statements of several sums, as programs have them: products, functions, and sums inside of sums."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations

from whole_statements import SHORT_INDICES, Case

from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    Literal,
    Reduce,
    format_expression,
    free_indices,
)

# Names of tensors by the lengths of their dimensions.
_NAMES = {"": "s", "L": "xyz", "S": "b", "LL": "ABD", "LS": "VW", "SL": "H"}
_FORMATS = {"LL": ("csr", "csr", "csr", "csc", "dcsr", "dense", "dense"), "L": ("dense", "dense", "dense", "list")}
_TARGETS = ("", "i", "ij", "ij", "if", "if", "fi", "j")
# Index variables of sums, each in its own.
_BOUND = ("k", "l", "g")
_BINARY = ("mul", "mul", "mul", "add", "sub", "div")
_UNARY = ("tanh", "abs", "neg", "relu")


def random_case(seed: int) -> Case:
    """The statement of a seed, and formats."""
    rng = random.Random(seed)
    while True:
        target = tuple(rng.choice(_TARGETS))
        bound: list[str] = list(_BOUND)
        expression = _drawn(rng, target, bound, 3)
        sums = [part for part in _BOUND if part not in bound]
        if set(free_indices(expression)) == set(target) and sums:
            break
    text = f"R[{','.join(target)}] = " if target else "r = "
    formats = {name: rng.choice(_FORMATS.get(kind, ("dense",))) for kind, names in _NAMES.items() for name in names}
    written = format_expression(expression)
    used = [f"{name} {format}" for name, format in formats.items() if f"{name}[" in written and format != "dense"]
    return Case.of(text + written, ", ".join(used) or "dense")


def _drawn(rng: random.Random, scope: Sequence[str], bound: list[str], depth: int) -> Expression:
    kind = rng.choice(
        ["access"] * 2 + ["binary"] * 4 * (depth > 0) + ["sum"] * 3 * (depth > 0) + ["unary"] * (depth > 0)
    )
    if kind == "sum" and bound:
        index = bound.pop(0)
        return Reduce("add", (index,), _with(rng, index, scope, bound, depth - 1))
    if kind == "binary":
        operator = rng.choice(_BINARY)
        left, right = (_drawn(rng, scope, bound, depth - 1) for _ in range(2))
        if operator == "div":
            right = Apply("add", (Literal(1.5), Apply("abs", (right,))))
        return Apply(operator, (left, right))
    if kind == "unary":
        operator = rng.choice(_UNARY)
        inner = _drawn(rng, scope, bound, depth - 1)
        return Apply("max", (inner, Literal(0.0))) if operator == "relu" else Apply(operator, (inner,))
    return _access(rng, scope)


def _with(rng: random.Random, index: str, scope: Sequence[str], bound: list[str], depth: int) -> Expression:
    """The body of a sum: a product that has its index."""
    first = _access(rng, scope, index)
    return Apply("mul", (first, _drawn(rng, (*scope, index), bound, depth)))


def _access(rng: random.Random, scope: Sequence[str], index: str | None = None) -> Access:
    """A tensor at variables of the scope, one of which is `index`; rather a matrix than a number."""
    known = scope if index is None else (*scope, index)
    places: dict[str, list[tuple[str, ...]]] = {}
    for rank in range(3):
        for indices in permutations(known, rank):
            kind = "".join("S" if one in SHORT_INDICES else "L" for one in indices)
            if kind in _NAMES and (index is None or index in indices):
                places.setdefault(kind, []).append(indices)
    kind = rng.choices(list(places), [1 + 2 * len(kind) for kind in places])[0]
    return Access(rng.choice(_NAMES[kind]), rng.choice(places[kind]))
