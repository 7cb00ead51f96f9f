"""Functions whose fills are removed compute what they did, whatever is in memory at first; the others would not."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from loop_machine import parse
from reference.interpret_loop import interpret_loop
from reference.loop_memory import OutOfBounds
from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, f64, i1
from xdsl.ir import Attribute

from irtensor.dialects.loop.loop import BufferType, FillOp
from irtensor.passes import get_all_passes
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import our_functions

FOLDER = Path(__file__).parents[2] / "passes" / "loop"
TEXTS = [(FOLDER / f"remove-overwritten-fills{end}.mlir").read_text() for end in ("", "-rejected")]
# Of arguments that are numbers, in their order.
NUMBERS = [(3, 3), (3, 2), (0, 3), (-1, 4), (2, 4)]
SIZE = 16


def argument(type: Attribute, numbers: list[int], holds: bool) -> Any:
    if isinstance(type, BufferType):
        return np.full(SIZE, np.nan) if type.element == f64 else np.arange(SIZE)[::-1] % 3
    if isinstance(type, IndexType):
        return numbers.pop(0)
    return holds if type == i1 else 2.5


def run(module: Any, name: str, numbers: tuple[int, ...], holds: bool) -> Any:
    """What memory holds after a call, or that an access was outside of it."""
    (function,) = (one for one in our_functions(module) if one.sym_name.data == name)
    left = [*numbers]
    given = [argument(type, left, holds) for type in function.function_type.inputs]
    try:
        interpret_loop(module, name, given)
    except OutOfBounds:
        return None
    return [one for one in given if isinstance(one, np.ndarray)]


def changed(before: Any, after: Any) -> set[str]:
    """The functions of a module that compute something else in another one."""
    found: set[str] = set()
    for name in [function.sym_name.data for function in our_functions(before)]:
        for numbers in NUMBERS:
            for holds in (False, True):
                expected = run(before, name, numbers, holds)
                got = run(after, name, numbers, holds) if expected is not None else None
                if (
                    got is not None
                    and expected is not None
                    and not all(map(partial(np.array_equal, equal_nan=True), got, expected))
                ):
                    found.add(name)
    return found


def test_results_stay():
    before, after = (parse(TEXTS[0]) for _ in range(2))
    get_all_passes()["remove-overwritten-fills"]()().apply(Context(), after)
    assert not operations_in(after, FillOp)
    assert changed(before, after) == set()


def test_the_others_need_their_fills():
    before, after = (parse(TEXTS[1]) for _ in range(2))
    get_all_passes()["remove-overwritten-fills"]()().apply(Context(), after)
    fills = operations_in(after, FillOp)
    assert len(fills) == len(our_functions(before))
    for fill in fills:
        fill.detach()
    names = {function.sym_name.data for function in our_functions(before)}
    # Of these it is only not known.
    assert changed(before, after) == names - {"chosen", "wide"}
