"""Statements of every kind, tensors of every storage, and schedules for them: steps at random, legal or not.

Their schedules are too many to try all; `draw_scheduled` gives one at random. Steps mention what the steps before them
leave: the parts of a split loop, fused loops, workspaces.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, product

import numpy as np
from reference.compare_with_oracle import Case
from reference.draw_widths import with_drawn_widths

from irtensor.api.schedule import Schedule
from irtensor.core.expression_text import Application, Reduction, Term, parse_expression
from irtensor.core.level_format import LevelFormat
from irtensor.core.schedule_words import ASSEMBLY_STRATEGIES, MERGE_STRATEGIES, RACE_STRATEGIES
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import Statement, accesses, format_expression, tensor_names
from irtensor.named_formats import BCSC, BCSR, COO, CSB, CSC, CSF, CSR, DCSC, DCSR, DIA, Format

# Extents of the first call; the others take other ones from here.
SIZES = {"i": 6, "j": 5, "k": 7, "l": 4}
# What may be said of these extents; the call refuses what is not true.
BOUNDS = ((1, "multiple"), (2, "multiple"), (3, "multiple"), (5, "exact"), (6, "exact"), (4, "exact"), (7, "exact"))
STATEMENTS = (
    "y[i] = A[i,j] * x[j]",
    "y[i] = A[i,j] * x[j] * z[i]",
    "y[i] = A[i,j] * x[j] - b[i]",
    "y[i] = b[i] + sum(j, A[i,j] * x[j])",
    "y[i] = 2 * A[i,j] * x[j]",
    "y[i] max= A[i,j] + x[j]",
    "y[i] = max(j, A[i,j]) + min(j, B[i,j])",
    "A[i,j] = B[i,j]",
    "A[i,j] = B[j,i]",
    "A[i,j] = 2 * B[i,j] + 1",
    "A[i,j] = where(B[i,j] > 2, B[i,j], C[i,j])",
    "A[i,j] = B[i,j] + C[i,j]",
    "A[i,j] = B[i,j] * C[i,j] + D[i,j]",
    "A[i,j] = B[i,j] + C[i,j] - D[i,j]",
    "A[i,j] = B[i,k] * C[k,j]",
    "A[i,j] = 2 * B[i,k] * C[k,j]",
    "A[i,j] = B[i,k] * C[k,j] + D[i,j]",
    "A[i,j] = (B[i,k] + D[i,k]) * C[k,j]",
    "A[i,j] = min(k, B[i,k] + C[k,j])",
    "A[i,j] = B[i,j] * (C[i,k] * D[k,j])",
    "A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])",
    "A[i,j] = B[i,k,l] * C[l,j] * D[k,j]",
    "A[j,i] = B[i,j] + C[i,j]",
    "T[i,j,k] = B[i,j,l] * C[k,l]",
    "T[i,j,k] = B[i,l] * C[l,j,k]",
    "y[i] = A[i,j] * B[j,k] * C[k,l] * x[l]",
    "Q[i,j,k,l] = A[i,j,k,l] * B[i,j] + C[i,j,k,l]",
    "A[i,l] = B[i,j,k] * C[k,j,l]",
)
# Results, and the components of which their expression is made with operators at random.
SHAPES = (
    ("s", "a[i]"),
    ("s", "a[i] b[i]"),
    ("s", "A[i,j] B[i,j]"),
    ("s", "A[i,j] x[i] y[j]"),
    ("s", "A[i,j,k,l] B[i,j,k,l]"),
    ("y[i]", "a[i] r"),
    ("y[i]", "b[i] c[i]"),
    ("y[i]", "b[i] c[i] d[i]"),
    ("y[i]", "A[i,j]"),
    ("y[i]", "A[i,i] b[i]"),
    ("y[i]", "A[i,j] x[j]"),
    ("y[i]", "A[i,j] B[i,j]"),
    ("y[i]", "A[i,j] x[j] b[i]"),
    ("y[i]", "A[i,j,k] x[j] z[k]"),
    ("y[j]", "A[i,j]"),
    ("y[j]", "A[i,j] x[i]"),
    ("y[j]", "A[i,j,k,l] x[l]"),
    ("A[i,j]", "B[i,j]"),
    ("A[i,j]", "B[j,i]"),
    ("A[i,j]", "b[i] c[j]"),
    ("A[i,j]", "B[i,j] r C[i,j]"),
    ("A[i,j]", "B[i,j] c[j]"),
    ("A[i,j]", "B[i,j] C[j,i]"),
    ("A[i,j]", "B[i,j] C[i,j]"),
    ("A[i,j]", "B[i,j] C[i,j] D[i,j]"),
    ("A[i,j]", "B[i,k] C[k,j]"),
    ("A[i,j]", "B[i,k] C[j,k]"),
    ("A[i,j]", "B[i,j] C[i,k] D[k,j]"),
    ("A[j,i]", "B[i,j] C[i,j]"),
    ("A[i,j]", "B[i,j,k]"),
    ("A[i,j]", "B[i,j,k] c[k]"),
    ("A[k,i]", "B[i,j,k] c[j]"),
    ("A[i,j]", "B[i,j,k,l] C[k,l]"),
    ("T[i,j,k]", "B[i,j,k] C[i,j,k]"),
    ("T[i,j,k]", "B[k,j,i]"),
    ("T[i,j,k]", "B[i,j,k] C[i,j]"),
    ("T[i,k,j]", "B[i,j] C[k]"),
    ("Q[i,j,k,l]", "B[i,j,k,l] C[i,j,k,l]"),
    ("Q[i,j,k,l]", "B[i,j] C[k,l]"),
)
# How expressions over a family of element types are made, small values that suit it, and reductions.
_NUMBERS = ("{} + {}", "{} * {}", "{} * {}", "{} - {}", "max({}, {})", "min({}, {})")
_CHANGED = ("2 * {}", "{} + 1", "1 - {}", "max({}, 1)", "min({}, 2)", "abs({})", "-({})", "where({} > 2, 3, 0)")
_BITS = ("{} & {}", "{} | {}", "{} ^ {}")
FAMILIES = {
    "floats": (
        ("float64", "float64", "float32", "int32", "bool"),
        (*_NUMBERS, "{} * ({} > 1)", "{} / (abs({}) + 1)", "first({}, {})"),
        (*_CHANGED, "{} * 0.5", "square({})", "sqrt(abs({}))", "exp(min({}, 1))", "{} > 1"),
        ("sum", "sum", "max", "min", "prod"),
    ),
    "integers": (
        ("int64", "int32", "int8"),
        (*_NUMBERS, *_BITS, "{} // {}", "{} % {}"),
        (*_CHANGED, "~({})", "{} == 2"),
        ("sum", "max", "min", "prod", "or", "xor", "and"),
    ),
    "bools": (("bool",), (*_BITS, "{} * {}", "{} == {}"), ("~({})",), ("or", "and", "xor", "sum", "max")),
    "complex": (("complex128", "float64"), ("{} + {}", "{} * {}", "{} - {}"), ("2 * {}", "conj({})"), ("sum", "prod")),
}
_VALUES = {
    "b": [True, True, False],
    "i": [-3, -1, 1, 2, 3, 5],
    "f": [-2.0, -0.5, 0.5, 1.0, 2.0, 3.0],
    "c": [1 + 2j, -1j, 2.0, -1.0],
}
_FILLS = {"b": [False, True], "i": [0, 1, -1], "f": [0.0, 1.0, -2.0], "c": [0j, 1 + 0j]}

_HEAD, _MIDDLE = LevelFormat("compressed", unique=False), LevelFormat("singleton", unique=False)
_UNORDERED, _SINGLETON = LevelFormat("compressed", ordered=False), LevelFormat("singleton")
_LOOSE = LevelFormat("compressed", unique=False, ordered=False)
_DENSE, _LIST = LevelFormat("dense"), LevelFormat("compressed")
_LEVELS = (_DENSE, _DENSE, _LIST, _LIST, LevelFormat("bitmap"), LevelFormat("hashed"), LevelFormat("padded"))
_LISTS = {
    1: ((_UNORDERED,), (_HEAD,), (_LOOSE,)),
    2: ((_DENSE, _UNORDERED), (_LOOSE, LevelFormat("singleton", ordered=False)), (_LIST, _HEAD), (_UNORDERED, _LIST)),
    3: ((_HEAD, _SINGLETON, _DENSE), (_DENSE, _HEAD, _SINGLETON), (_LIST, _HEAD, _SINGLETON)),
    4: ((_DENSE, _HEAD, _MIDDLE, _SINGLETON), (_HEAD, _SINGLETON, _DENSE, _DENSE)),
}
_KNOWN: dict[int, tuple[TensorFormat, ...]] = {
    1: (Format("compressed"),),
    2: (CSR, CSR, CSR, CSC, DCSR, DCSC, COO(2), Format("compressed, dense")),
    3: (CSF(3), CSF(3, (2, 0, 1)), COO(3), Format("dense, dense, compressed"), Format("compressed, dense, compressed")),
    4: (CSF(4), COO(4), Format("dense, compressed, dense, compressed")),
}
_BLOCKS = {
    1: (Format("(i) -> (i floordiv 2 : compressed, i mod 2 : dense)"),),
    2: (
        *(BCSR(2, 3), BCSR(2, 2), BCSC(3, 2), CSB(2)),
        Format("(i, j) -> (i floordiv 2 : compressed, j : compressed, i mod 2 : dense)"),
        Format("(i, j) -> (i floordiv 2 : dense, j floordiv 3 : dense, i mod 2 : compressed, j mod 3 : compressed)"),
        Format("(i, j) -> (i : dense, j floordiv 3 : bitmap, j mod 3 : dense)"),
    ),
}
_DIAGONALS = (DIA, Format("(i, j) -> (j - i : dense, j : range, i : offset)"))
_WORKSPACES = {
    1: ("dense", "bitmap", "hashed"),
    2: (*map(", ".join, product(("dense", "bitmap", "hashed"), repeat=2)), "(i, j) -> (j : dense, i : dense)"),
    3: tuple(map(", ".join, product(("dense", "bitmap", "hashed"), repeat=3))),
}
# The steps that are drawn, and how often.
_KINDS = {
    **{"reorder": 2, "split": 2, "divide": 1, "fuse": 2, "pos": 1, "coord": 0.5, "bound": 1, "parallelize": 2},
    **{"unroll": 1, "vectorize": 1, "merge": 1, "assemble": 1, "precompute": 4},
}


# Operators of which any arguments of a chain are precomputed together.
_CHAINS = ("mul", "add", "min", "max", "and", "or")


@dataclass(frozen=True)
class ScheduledCase:
    """A case and a schedule for it."""

    case: Case
    schedule: Schedule

    def __str__(self) -> str:
        return f"{self.case}\nschedule {self.schedule}"

    def meets_bounds(self, sizes: Mapping[str, int]) -> bool:
        """Whether what the schedule says of the extents of index variables is true of these."""
        said = [dict(step.options) for step in self.schedule.steps if step.name == "bound"]
        return all(
            sizes[bound["variable"]] == bound["extent"]
            if bound["kind"] == "exact"
            else sizes[bound["variable"]] % bound["extent"] == 0
            for bound in said
            if bound["variable"] in sizes
        )


def draw_scheduled(random: random.Random, blocks: bool = True) -> ScheduledCase:
    """A case and a schedule at random; `blocks`: also of tensors that are stored in blocks."""
    family = random.choice(("floats", "floats", "floats", *FAMILIES))
    if random.random() < 0.5:
        family, text = "floats", random.choice(STATEMENTS)
    else:
        text = _statement(random, family)
    statement = Case(text, {}).statement()
    ranks = {access.tensor: len(access.indices) for access in accesses(statement.expression)}
    names = tensor_names(statement.expression)
    dtypes = {name: np.dtype(random.choice(FAMILIES[family][0])) for name in names}
    if random.random() < 0.5:
        dtypes = dict.fromkeys(names, np.dtype(FAMILIES[family][0][0]))
    pools = {name: np.array(_VALUES[dtype.kind], dtype) for name, dtype in dtypes.items()}
    formats = {name: draw_format(random, ranks[name], blocks, dtypes[name].kind) for name in names}
    case = Case(text, formats, draw_format(random, len(statement.target.indices), blocks), pools)
    steps = _Steps(random, statement)
    for kind in random.choices([*_KINDS], [*_KINDS.values()], k=random.randint(1, 6)):
        getattr(steps, kind)()
    return ScheduledCase(case, steps.schedule)


def draw_format(random: random.Random, rank: int, blocks: bool = True, kind: str | None = None) -> TensorFormat | None:
    """A format, or None for a plain array; `kind` of its elements gives it fill values, a result has none."""
    chance = random.random()
    if rank == 0 or chance < 0.2:
        return None
    if chance < 0.5:
        format = random.choice(_KNOWN[rank])
    elif chance < 0.62 and rank in _BLOCKS and blocks:
        return random.choice(_BLOCKS[rank])
    elif chance < 0.67 and rank == 2:
        return random.choice(_DIAGONALS)
    else:
        levels = random.choice(_LISTS[rank]) if chance < 0.75 else random.choices(_LEVELS, k=rank)
        format = TensorFormat.of(levels, random.sample(range(rank), rank))
        format = with_drawn_widths(format, random.choice)
    if kind is None or format.is_dense or random.random() < 0.7:
        return format
    return format.with_fill(random.choice(_FILLS[kind]))


def _statement(random: random.Random, family: str) -> str:
    """A statement over components that belong together, its operators at random."""
    _, binary, unary, reductions = FAMILIES[family]
    target, components = random.choice(SHAPES)
    terms = components.split()
    missing = sorted(set("".join(re.findall(r"\[(.*?)\]", components))) - {",", *target})

    def changed(term: str, share: float) -> str:
        return f"({random.choice(unary).format(term)})" if random.random() < share else term

    terms = [changed(term, 0.2) for term in terms]
    while len(terms) > 1:
        place = random.randrange(len(terms) - 1)
        terms[place : place + 2] = [changed(f"({random.choice(binary).format(*terms[place : place + 2])})", 0.1)]
    (whole,) = terms
    if missing:
        whole = changed(f"{random.choice(reductions)}({', '.join(missing)}, {whole})", 0.2)
    return f"{target} = {changed(whole, 0.2)}"


def _parts(statement: Statement) -> Iterator[str]:
    """The parts of the right-hand side as a schedule writes them."""
    waiting: list[Term] = [parse_expression(format_expression(statement.expression))]
    while waiting:
        term = waiting.pop()
        yield str(term)
        yield from _several(term)
        waiting += term.arguments if isinstance(term, Application) else ()
        waiting += (term.body,) if isinstance(term, Reduction) else ()


def _several(term: Term) -> Iterator[str]:
    """Some factors of a product, or terms of a sum or of another chain of one operator, wherever they stand in it."""
    if isinstance(term, Application) and term.operator in _CHAINS:
        parts = _chain(term, term.operator)
        for count in range(2, len(parts)):
            for some in combinations(parts, count):
                yield str(reduce(lambda a, b: Application(term.operator, (a, b)), some))


def _chain(term: Term, operator: str) -> list[Term]:
    if not isinstance(term, Application) or term.operator != operator:
        return [term]
    return [part for argument in term.arguments for part in _chain(argument, operator)]


class _Steps:
    """Draws steps that mention what is there after the ones before; legal or not."""

    def __init__(self, random: random.Random, statement: Statement) -> None:
        self.random = random
        self.result = statement.target.tensor
        self.schedule = Schedule()
        self.parts = list(dict.fromkeys(_parts(statement)))
        text = str(statement)
        self.names = sorted(set(re.findall(r"\b[ijkl]\b", text)))
        self.operands = sorted(set(re.findall(r"\b(\w)\[", text.partition("= ")[2])))
        # Names under which loops are fused, and the loops that counted blocks of them.
        self.fused: list[str] = []
        self.blocks: list[str] = []

    def order(self, names: Sequence[str]) -> list[str]:
        return self.random.sample(names, len(names))

    def reorder(self) -> None:
        if len(self.names) > 1:
            count = self.random.randint(2, len(self.names))
            self.schedule = self.schedule.reorder(*self.order([*self.names, *self.blocks, *self.fused])[:count])

    def split(self) -> None:
        self.cut("split", (1, 2, 3, 4, 100))

    def divide(self) -> None:
        self.cut("divide", (1, 2, 5))

    def cut(self, step: str, sizes: Sequence[int]) -> None:
        """Cut a loop into two; every third time by the entries of an operand."""
        name = self.random.choice([*self.names, *self.fused, *self.fused])
        outer, inner = f"{name}a", f"{name}b"
        counted = self.random.choice([None, None, self.random.choice(self.operands or [None])])
        self.schedule = getattr(self.schedule, step)(name, outer, inner, self.random.choice(sizes), counted)
        if name in self.fused:
            self.fused = [inner if other == name else other for other in self.fused]
            self.blocks.append(outer)
            return
        self.parts = [re.sub(rf"\b{name}\b", inner, part) for part in self.parts]
        self.names = [*(other for other in self.names if other != name), outer, inner]

    def fuse(self) -> None:
        if len(self.names) > 1:
            outer, inner = self.order([*self.names, *self.fused])[:2]
            fused = f"f{len(self.schedule.steps)}"
            self.schedule = self.schedule.fuse(outer, inner, fused)
            self.fused = [*(name for name in self.fused if name not in (outer, inner)), fused]
            if self.random.random() < 0.5:
                self.random.choice([self.split, self.divide])()

    def pos(self) -> None:
        name = self.random.choice([*self.names, *self.fused])
        self.rename(name, f"{name}p", self.random.choice(self.operands or ["x"]))

    def coord(self) -> None:
        counting = [name for name in [*self.names, *self.fused] if name.endswith("p")]
        name = self.random.choice(counting or self.names)
        self.rename(name, f"{name}c")

    def rename(self, old: str, new: str, tensor: str | None = None) -> None:
        """Let a loop count the entries of a tensor, or coordinates, under another name."""
        self.schedule = self.schedule.coord(old, new) if tensor is None else self.schedule.pos(old, new, tensor)
        self.parts = [re.sub(rf"\b{old}\b", new, part) for part in self.parts]
        self.names = [new if name == old else name for name in self.names]
        self.fused = [new if name == old else name for name in self.fused]

    def bound(self) -> None:
        name = self.random.choice([*self.names, *self.fused])
        # How many blocks there are is not known here.
        extent, kind = self.random.choice(BOUNDS if name in SIZES else BOUNDS[:1])
        self.schedule = self.schedule.bound(name, extent, kind)

    def parallelize(self) -> None:
        name = self.random.choice([*self.names, *self.blocks, *self.fused])
        self.schedule = self.schedule.parallelize(name, self.random.choice(RACE_STRATEGIES))

    def assemble(self) -> None:
        self.schedule = self.schedule.assemble(self.result, self.random.choice(ASSEMBLY_STRATEGIES))

    def unroll(self) -> None:
        factor = self.random.choice((1, 2, 4, 7, None))
        self.schedule = self.schedule.unroll(self.random.choice([*self.names, *self.fused]), factor)

    def merge(self) -> None:
        strategy = self.random.choice(MERGE_STRATEGIES)
        self.schedule = self.schedule.merge(self.random.choice([*self.names, *self.fused]), strategy)

    def vectorize(self) -> None:
        name = self.random.choice([*self.names, *self.blocks, *self.fused])
        self.schedule = self.schedule.vectorize(name, self.random.choice((1, 2, 4, 8)))

    def precompute(self) -> None:
        part = self.random.choice(self.parts)
        used = [name for name in self.names if re.search(rf"\b{name}\b", part)]
        # A loop over blocks is used where the loop within one is; the name of fused loops stands for all of them.
        counting = [f"{name[:-1]}a" for name in used if name[-1] == "b"]
        over = self.order(used)[: self.random.randint(0, len(used))]
        if self.random.random() < 0.3:
            over = self.order([*dict.fromkeys([*over, *counting, *self.fused])])[: len(over) + 1]
        count = len(self.schedule.steps)
        producer = [f"p{count}{name}" for name in over] if self.random.random() < 0.4 else []
        workspace, reuse = f"w{count}", self.random.randrange(6) == 0
        format = self.random.choice((None, *_WORKSPACES.get(len(over), ())))
        self.schedule = self.schedule.precompute(
            part, over, producer=producer, workspace=workspace, format=format, reuse=reuse
        )
        self.names += [new for new, name in zip(producer, over, strict=False) if name in self.names]
        self.fused += [new for new, name in zip(producer, over, strict=False) if name in self.fused]
        if not reuse:
            read = f"{workspace}[{', '.join(over)}]" if over else workspace
            whole = rf"(?<!\w){re.escape(part)}(?!\w)"
            self.parts = [re.sub(whole, read, other) for other in self.parts]
