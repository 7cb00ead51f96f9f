"""Schedules drawn from the manual's table of steps, sensible or not: what a step cannot do is refused."""

import random

from .expressions import Access, Apply, Expression, Reduce, Writer, accesses, free_variables, walk
from .statements import Statement

# The second argument of steps that say how a loop is run.
_MARKS: dict[str, tuple[str | int, ...]] = {
    "parallelize": ("none", "none", "temporary", "atomics"),
    "vectorize": (2, 4, 8),
    "unroll": (1, 2, 4),
}


def draw_schedule(rng: random.Random, statement: Statement, extents: dict[str, int], sparse: bool) -> tuple[str, ...]:
    """One to three steps, as calls of methods."""
    loops = [*statement.left, *sorted(_variables(statement.right) - set(statement.left))]
    if rng.random() < 0.05:
        return ("auto",)
    steps: list[str] = []
    for number in range(rng.choices((1, 2, 3), (4, 4, 2))[0]):
        steps += _step(rng, statement, extents, loops, sparse, number)
    return tuple(steps)


def _variables(node: Expression) -> set[str]:
    return {index for access in accesses(node) for index in access.indices}


def _step(
    rng: random.Random, statement: Statement, extents: dict[str, int], loops: list[str], sparse: bool, number: int
) -> list[str]:
    if not loops:
        return []
    loop = rng.choice(loops)
    kind = rng.choice(("reorder", "reorder", "split", "divide", "fuse", "precompute", "precompute", "parallelize",
                       "vectorize", "unroll", "bound", *(["assemble"] * 2 if sparse else ())))  # fmt: skip
    match kind:
        case "reorder" if len(loops) > 1:
            order = rng.sample(loops, rng.randint(2, len(loops)))
            return [f"reorder({', '.join(map(repr, order))})"]
        case "split" | "divide":
            return [_cut(rng, statement, loops, loop, kind)]
        case "fuse" if len(loops) > 1:
            at = rng.randrange(len(loops) - 1)
            outer, inner, fused = loops[at], loops[at + 1], f"f{number}"
            cut = _cut(rng, statement, [fused], fused, rng.choice(("split", "divide")))
            return [f"fuse({outer!r}, {inner!r}, {fused!r})", cut]
        case "precompute":
            return _precompute(rng, statement, loops)
        case "bound" if extents.get(loop, 0) > 0:
            more = "" if rng.random() < 0.7 else ", 'multiple'"
            return [f"bound({loop!r}, {extents[loop]}{more})"]
        case "assemble":
            return [f"assemble('R', {rng.choice(('insert', 'insert', 'append'))!r})"]
        case "parallelize" | "vectorize" | "unroll":
            return [_marked(rng, loops[-1] if kind == "vectorize" else loop, kind)]
        case _:
            return []


def _marked(rng: random.Random, loop: str, kind: str) -> str:
    """A step that leaves all loops where they are, and says how one is run."""
    return f"{kind}({loop!r}, {rng.choice(_MARKS[kind])!r})"


def _cut(rng: random.Random, statement: Statement, loops: list[str], loop: str, kind: str) -> str:
    inner = f"{loop}1"
    more = ""
    having = [access.name for access in accesses(statement.right) if loop in access.indices]
    if loop.startswith("f"):
        having = [access.name for access in accesses(statement.right)]
    if having and rng.random() < 0.3:
        more = f", tensor={rng.choice(having)!r}"
    if loop in loops:
        at = loops.index(loop)
        loops[at : at + 1] = [f"{loop}0", inner]
    return f"{kind}({loop!r}, '{loop}0', {inner!r}, {rng.choice((1, 2, 3, 4))}{more})"


def _precompute(rng: random.Random, statement: Statement, loops: list[str]) -> list[str]:
    """A part of the right-hand side, into a workspace over some of its variables."""
    parts = [part for part in walk(statement.right) if isinstance(part, Apply | Access) and accesses(part)]
    part = rng.choice([part for part in parts if not any(isinstance(inner, Reduce) for inner in walk(part))] or parts)
    variables = [loop for loop in loops if loop in free_variables(part)]
    over = variables if rng.random() < 0.4 else rng.sample(variables, rng.randint(0, len(variables)))
    more = ""
    if over and rng.random() < 0.3:
        levels = ", ".join(rng.choice(("dense", "bitmap", "hashed")) for _ in over)
        more = f", format={levels!r}"
    if rng.random() < 0.1:
        more += ", reuse=True"
    return [f"precompute({Writer('notation').text(part)!r}, over={over}{more})"]
