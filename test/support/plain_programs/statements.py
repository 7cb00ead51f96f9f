"""Statements drawn over a few variables and operands."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from . import choices
from .expressions import (
    COMPARISONS,
    Access,
    Apply,
    Expression,
    Number,
    Reduce,
    accesses,
    children,
    free_variables,
    walk,
    with_children,
)
from .meaning import Elements, Meaning
from .scalars import EXACT, is_weak


@dataclass(frozen=True)
class Statement:
    left: tuple[str, ...]
    operator: str  # that before the equals sign, or "" for none
    right: Expression


@dataclass
class Names:
    """What a statement may be made of."""

    extents: dict[str, int]
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)
    divisors: set[str] = field(default_factory=set)
    hard: bool = False  # more is read, and less of it dense

    def kind(self, node: Expression) -> str:
        """The kind of number that an expression is; w for Python's integers, W for Python's floats."""
        ones = {name: Elements(np.ones((1,) * len(shape), self.dtypes[name])) for name, shape in self.shapes.items()}
        with np.errstate(all="ignore"):
            value = Meaning(ones, dict.fromkeys(self.extents, 1)).sample(node)
        if is_weak(value):
            return "W" if isinstance(value, float) else "w"
        return "h" if value.dtype.itemsize == 1 and value.dtype.kind == "i" else value.dtype.kind


def draw_names(rng: random.Random, zero: bool = True) -> Names:
    count = rng.choices((1, 2, 3, 4), (2, 5, 4, 1))[0]
    sizes = (1, 2, 2, 3, 3) if count == 4 else (1, 2, 3, 4, 5, 7)
    extents: dict[str, int] = dict.fromkeys("ijkl"[:count], rng.choice(sizes))
    if rng.random() < 0.6:
        extents = {name: rng.choice(sizes) for name in extents}
    if zero and rng.random() < 0.06:
        extents[rng.choice(list(extents))] = 0
    return Names(extents, hard=rng.random() < 0.25)


def draw_accesses(rng: random.Random, names: Names, dtypes: Callable[[], str]) -> list[Access]:
    """One access for each operand, whose shape it decides."""
    variables = list(names.extents)
    found = []
    for name in "ABCD"[: rng.choices((1, 2, 3, 4), (4, 5, 3, 1))[0]]:
        rank = min(rng.choices((0, 1, 2, 3, 4), (1, 6, 10, 4, 0.3))[0], len(variables) + 1)
        if rank <= len(variables) and rng.random() < 0.85:
            indices = tuple(rng.sample(variables, rank))
        else:
            indices = tuple(rng.choices(variables, k=rank))
        names.shapes[name] = tuple(names.extents[index] for index in indices)
        names.dtypes[name] = dtypes()
        found.append(Access(name, indices))
    return found


def draw_leaves(rng: random.Random, names: Names, first: list[Access], vary: bool) -> list[Expression]:
    leaves: list[Expression] = list(first)
    weights = (0, 2, 5, 5, 4, 3, 2, 1) if names.hard else (6, 14, 14, 8, 4, 2, 1, 1)
    count = max(len(leaves), rng.choices(range(1, 9), weights)[0])
    integers = all(np.dtype(dtype).kind in "bi" for dtype in names.dtypes.values())
    while len(leaves) < count:
        if rng.random() < 0.3:
            floats = 0.2 if integers else 0.5
            leaves.append(Number(rng.choice(choices.FLOATS if rng.random() < floats else choices.INTEGERS)))
            continue
        access = rng.choice(first)
        if vary and rng.random() < 0.4:
            access = Access(access.name, tuple(_other(rng, names, extent) for extent in names.shapes[access.name]))
        leaves.append(access)
    rng.shuffle(leaves)
    return leaves


def _other(rng: random.Random, names: Names, extent: int) -> str:
    return rng.choice([name for name, size in names.extents.items() if size == extent])


def draw_tree(rng: random.Random, names: Names, leaves: list[Expression]) -> Expression:
    parts = list(leaves)
    while len(parts) > 1:
        if len(parts) >= 3 and rng.random() < 0.12:
            made = _choice(rng, names, [parts.pop(rng.randrange(len(parts))) for _ in range(3)])
        else:
            one = parts.pop(rng.randrange(len(parts)))
            made = _binary(rng, names, one, parts.pop(rng.randrange(len(parts))))
        parts.insert(rng.randrange(len(parts) + 1), _perhaps_unary(rng, names, made))
    return _perhaps_unary(rng, names, parts[0])


def _choice(rng: random.Random, names: Names, parts: list[Expression]) -> Expression:
    parts.sort(key=lambda part: not accesses(part))
    condition, yes, no = parts
    if not accesses(condition) or not is_exact(condition):
        return Apply("+", (_binary(rng, names, condition, yes), no))
    if names.kind(condition) != "b":
        signs = COMPARISONS[:2] if names.kind(condition) == "c" else COMPARISONS
        condition = Apply(rng.choice(signs), (condition, Number(rng.choice((0, 0, 1)))))
    return Apply("where", (condition, yes, no) if rng.random() < 0.5 else (condition, no, yes))


def _binary(rng: random.Random, names: Names, left: Expression, right: Expression) -> Expression:
    kinds = {names.kind(left), names.kind(right)}
    operator = rng.choice(choices.binary(kinds, is_exact(left) and is_exact(right)))
    if operator == "**":
        return Apply("**", (left if accesses(left) else right, Number(rng.choice((2, 3)))))
    if operator in ("/", "//", "%"):
        right = _divisor(rng, names, right)
    return Apply(operator, (left, right))


def _divisor(rng: random.Random, names: Names, node: Expression) -> Expression:
    match node:
        case Number(value):
            return Number(value or 2)
        case Access(name, _) if np.dtype(names.dtypes[name]).kind != "b" and rng.random() < 0.7:
            names.divisors.add(name)
            return node
        case _:
            return Apply("+", (Apply("*", (node, node)), Number(2)))


def _perhaps_unary(rng: random.Random, names: Names, node: Expression) -> Expression:
    if rng.random() > 0.2 or not accesses(node):
        return node
    functions = choices.unary(names.kind(node), is_exact(node))
    return Apply(rng.choice(functions), (node,)) if functions else node


def is_exact(node: Expression) -> bool:
    for part in walk(node):
        if isinstance(part, Apply) and part.operator not in EXACT:
            return False
        if isinstance(part, Reduce) and part.operator == "prod":
            return False
    return True


def draw_statement(rng: random.Random, names: Names, dtypes: Callable[[], str]) -> Statement:
    first = draw_accesses(rng, names, dtypes)
    right = draw_tree(rng, names, draw_leaves(rng, names, first, vary=True))
    variables = sorted(free_variables(right))
    left = tuple(rng.sample(variables, rng.randint(0, min(3, len(variables)))))
    for variable in variables:
        if variable not in left and (rng.random() < 0.5 or is_ambiguous(right, variable)):
            right = _reduced(rng, names, right, variable)
    operator = ""
    if rng.random() < 0.25:
        operator = rng.choice(choices.compound(names.kind(right)))
    return Statement(left, operator, right)


def is_ambiguous(node: Expression, variable: str) -> bool:
    """Whether a sum over a variable that is not written might be meant around a part of a term."""
    match node:
        case Apply("+" | "-" | "neg", arguments):
            return any(is_ambiguous(argument, variable) for argument in arguments)
        case _:
            return _partly(node, variable)


def _partly(node: Expression, variable: str) -> bool:
    having = [variable in free_variables(child) for child in children(node)]
    if isinstance(node, Apply) and node.operator != "*" and any(having) and not all(having):
        return True
    return any(_partly(child, variable) for child in children(node))


def _reduced(rng: random.Random, names: Names, node: Expression, variable: str) -> Expression:
    """The expression with a reduction over the variable: around all of it, or the smallest part that has it."""
    having = [child for child in children(node) if variable in free_variables(child)]
    if len(having) == 1 and rng.random() < 0.8:
        parts = [_reduced(rng, names, c, variable) if c is having[0] else c for c in children(node)]
        return with_children(node, tuple(parts))
    complex_numbers = names.kind(node) == "c"
    return Reduce(rng.choice(("sum", "sum", "prod") if complex_numbers else choices.REDUCTIONS), variable, node)


def pointwise(rng: random.Random, names: Names, dtypes: Callable[[], str]) -> Statement:
    """A statement that operators on whole arrays say: operands have the last indices of the result, in their order."""
    left = tuple(names.extents)[:3]
    first = []
    for name in "ABC"[: rng.choices((1, 2, 3), (3, 5, 2))[0]]:
        indices = left if not first or rng.random() < 0.75 else left[rng.randrange(len(left)) :]
        names.shapes[name] = tuple(names.extents[index] for index in indices)
        names.dtypes[name] = dtypes()
        first.append(Access(name, indices))
    return Statement(left, "", draw_tree(rng, names, draw_leaves(rng, names, first, vary=False)))


def renamed(statement: Statement, names: Mapping[str, str]) -> Statement:
    """The statement with other names of operands."""

    def rename(node: Expression) -> Expression:
        if isinstance(node, Access):
            return Access(names.get(node.name, node.name), node.indices)
        return with_children(node, tuple(map(rename, children(node))))

    return Statement(statement.left, statement.operator, rename(statement.right))
