"""Products of nests of all kinds, over whole and part ranges, have the sum that NumPy gives, at every stage."""

import itertools
from typing import Any

import numpy as np
import pytest
from loop_machine import call_native, compile_module
from looplet_nests import BODIES, KINDS, program
from reference.interpret_iteration_lattice import interpret_function
from reference.interpret_loop import interpret_loop
from sampling import few_or_many
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from irtensor.passes import get_all_passes
from irtensor.universe import IRTENSOR_UNIVERSE

# Each looplet rewrite alone, before all of them: a nest that it leaves has the same meaning.
REWRITES = (
    "lower-run",
    "lower-switch",
    "lower-sequence",
    "lower-jumper",
    "lower-stepper",
    "lower-spike",
    "lower-lookup",
)
# What a body does not need is read as well before loops are simplified: at positions that may be read.
LOOPS = ("lower-looplets", "lower-iteration-lattice-to-loop", "lower-algebra-to-arith")
PAIRS = [*itertools.product(KINDS, repeat=2)]
TRIPLES = [*itertools.product(KINDS, repeat=3)]


@pytest.fixture(scope="module")
def context():
    found = Context()
    from xdsl.dialects import get_all_dialects

    for name, make in (get_all_dialects() | IRTENSOR_UNIVERSE.all_dialects).items():
        found.register_dialect(name, make)
    return found


def applied(context: Context, module: ModuleOp, *names: str) -> ModuleOp:
    for name in names:
        get_all_passes()[name]()().apply(context, module)
        module.verify()
    return module


def natively(module: ModuleOp, name: str, arguments: list[Any]) -> int:
    typed = [
        np.bool_(one) if isinstance(one, bool) else np.int64(one) if isinstance(one, int) else one for one in arguments
    ]
    return call_native(compile_module(module, name), typed)


def check(context, kinds, body, random, *, windows, native=False):
    n = int(random.integers(0, 13))
    lo = int(random.integers(0, n + 1))
    window = (lo, int(random.integers(lo, n + 1))) if windows else None
    text, arguments, expected = program(kinds, body, n, random, window)

    def result(interpret, *passes):
        module = applied(context, Parser(context, text).parse_module(), *passes)
        given = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
        assert interpret(module, "f", given) in (0, None)
        return given[-1][0]

    assert result(interpret_function) == expected, "the interpreter of the lattice says something else"
    assert result(interpret_loop, *LOOPS) == expected
    assert result(interpret_loop, *LOOPS, "simplify-loops") == expected
    if native:
        assert result(natively, *LOOPS, "simplify-loops") == expected
    first = REWRITES[int(random.integers(len(REWRITES)))]
    second = REWRITES[int(random.integers(len(REWRITES)))]
    assert result(interpret_function, first) == expected, first
    assert result(interpret_function, first, second) == expected, (first, second)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_pairs(context, kinds, windows):
    random = np.random.default_rng([*map(ord, "".join(kinds)), windows])
    for body in few_or_many(["product", "sum", "max"][windows : 2 + windows], ["product", "sum", "max"]):
        for _ in range(few_or_many(1, 8)):
            check(context, kinds, body, random, windows=windows, native=few_or_many(False, True))


@pytest.mark.one_in(600)
@pytest.mark.parametrize("kinds", TRIPLES, ids="-".join)
def test_triples(context, kinds):
    random = np.random.default_rng([*map(ord, "".join(kinds))])
    for body in few_or_many(["product_and_sum", "sum_and_product"][random.integers(2) :][:1], [*BODIES]):
        check(context, kinds, body, random, windows=bool(random.integers(2)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_one(context, kind, windows):
    random = np.random.default_rng(len(kind))
    for _ in range(few_or_many(3, 30)):
        check(context, (kind,), "sum", random, windows=windows, native=True)
