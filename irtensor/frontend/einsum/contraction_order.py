"""The steps of an einsum of many operands: in the order of a path, which is given or which opt_einsum finds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any, NamedTuple

from irtensor.core.diagnostics import UserError
from irtensor.frontend.einsum.einsum_parser import BoundEinsum
from irtensor.frontend.expression_tree import ordered_union
from irtensor.frontend.notation.notation_errors import UserPathError, UserTypeError
from irtensor.late_imports import load_for

Labels = tuple[str, ...]
Path = tuple[tuple[int, ...], ...]

_HELP = (
    "give True, False, 'auto', 'greedy', 'optimal' or another strategy of opt_einsum, (strategy, limit) with a number "
    "of elements, or a path as einsum_path gives it"
)


class Contraction(NamedTuple):
    """One step: which operands of the current list it takes (they leave it, the result goes to the end), and labels."""

    positions: tuple[int, ...]
    inputs: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]


def normalize_optimize(optimize: Any) -> Any:
    """`optimize=` as a hashable value: None for what takes the least time, False for one kernel, a strategy name,
    (name, memory limit) or ("einsum_path", steps...).
    """
    if optimize is None or optimize is False:
        return optimize
    if optimize is True:
        return "auto"
    if isinstance(optimize, str):
        return optimize
    if isinstance(optimize, list | tuple) and optimize:
        items = list(optimize)
        if items[0] == "einsum_path":
            return _explicit(items[1:])
        if len(items) == 2 and isinstance(items[0], str) and isinstance(items[1], int | float):
            return _with_limit(items[0], items[1])
        if all(isinstance(step, list | tuple) for step in items):
            return _explicit(items)
    message = f"optimize={optimize!r} is not a bool, a strategy, a path, or (strategy, limit)"
    raise UserTypeError("bad-path", message, help=_HELP)


def _explicit(steps: Sequence[Any]) -> Any:
    """A path that is given; its positions are whole numbers."""
    try:
        return ("einsum_path", *(tuple(index(position) for position in step) for step in steps))
    except TypeError:
        message = f"the contraction path {list(steps)!r} has a step that is not a tuple of whole numbers"
        raise UserTypeError("bad-path", message, help=_HELP) from None


def _with_limit(strategy: str, limit: float) -> Any:
    """A strategy and the elements of the largest intermediate; infinity leaves the strategy alone."""
    if math.isnan(limit) or limit == -math.inf:
        message = f"the limit of optimize={(strategy, limit)!r} is not a number of elements"
        raise UserTypeError("bad-path", message, help="give a whole number of elements, or infinity for no limit")
    return strategy if math.isinf(limit) else (strategy, int(limit))


def order_contractions(bound: BoundEinsum, optimize: Any) -> tuple[Contraction, ...]:
    """The steps of `bound` in the order that `optimize` (from `normalize_optimize`) asks for; False gives one step."""
    count = len(bound.inputs)
    if optimize is False or (count <= 2 and not _is_explicit(optimize)):
        path: Path = (tuple(range(count)),)
    elif _is_explicit(optimize):
        path = optimize[1:]
    else:
        path = _search(bound, optimize)
    return contractions_of(bound.inputs, bound.output, path)


def _is_explicit(optimize: Any) -> bool:
    return isinstance(optimize, tuple) and optimize[0] == "einsum_path"


def _search(bound: BoundEinsum, optimize: Any) -> Path:
    load_for("contracting")
    from opt_einsum import contract_path, get_symbol

    symbols = {label: get_symbol(number) for number, label in enumerate(bound.extents)}
    terms = ["".join(symbols[label] for label in labels) for labels in (*bound.inputs, bound.output)]
    shapes = [tuple(bound.extents[label] for label in labels) for labels in bound.inputs]
    strategy, limit = optimize if isinstance(optimize, tuple) else (optimize, None)
    equation = ",".join(terms[:-1]) + "->" + terms[-1]
    try:
        path, _ = contract_path(equation, *shapes, shapes=True, optimize=strategy, memory_limit=limit)
    except KeyError:
        message = f"optimize={strategy!r} is not a strategy of opt_einsum"
        raise UserError("bad-path", message, help=_HELP) from None
    return tuple(tuple(step) for step in path)


def contractions_of(inputs: Sequence[Labels], output: Labels, path: Path) -> tuple[Contraction, ...]:
    """The steps of a path. Raises UserError [bad-path]."""
    current = list(inputs)
    steps: list[Contraction] = []
    for number, positions in enumerate(path):
        chosen = _take(current, positions, number)
        is_last = number == len(path) - 1
        # The last step must use everything up: only then is its result the whole statement's.
        if is_last and current:
            message = f"the contraction path ends with {len(current) + 1} operands left"
            raise UserPathError("bad-path", message, help="a path contracts until one operand is left")
        made = output if is_last else _intermediate(chosen, current, output)
        steps.append(Contraction(positions, tuple(chosen), made))
        current.append(made)
    if not steps:
        raise UserPathError("bad-path", "the contraction path has no steps", help=_HELP)
    return tuple(steps)


def _take(current: list[tuple[str, ...]], positions: Sequence[int], number: int) -> list[tuple[str, ...]]:
    if not positions or len(set(positions)) < len(positions) or not all(0 <= p < len(current) for p in positions):
        message = f"step {number} of the contraction path takes {positions} of {len(current)} operands"
        help = f"give positions from 0 to {len(current) - 1}, each once: a result goes to the end of the operands"
        raise UserPathError("bad-path", message, help=help)
    chosen = [current[position] for position in positions]
    for position in sorted(positions, reverse=True):
        del current[position]
    return chosen


def _intermediate(
    chosen: Sequence[tuple[str, ...]], remaining: Sequence[tuple[str, ...]], output: tuple[str, ...]
) -> tuple[str, ...]:
    """An intermediate result keeps the labels that something later still needs."""
    needed = {label for labels in (*remaining, output) for label in labels}
    return tuple(name for name in ordered_union(label for labels in chosen for label in labels) if name in needed)
