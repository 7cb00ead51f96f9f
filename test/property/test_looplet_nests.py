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
# What is done alike at each coordinate of a run is done once, and counts as often as the run is long.
ONCE = (*LOOPS[:-1], "simplify-loops", "fold-repetitions", "note-repetitions", LOOPS[-1])
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
    assert result(interpret_loop, *ONCE) == expected
    if native:
        assert result(natively, *ONCE) == expected
    first, second = random.permutation(REWRITES)[:2]
    for one in few_or_many([first], REWRITES):
        assert result(interpret_function, one) == expected, one
    assert result(interpret_function, first, second) == expected, (first, second)


@pytest.mark.one_in(64)
@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_pairs(context, kinds, windows):
    random = np.random.default_rng([*map(ord, "".join(kinds)), windows])
    bodies = ["product", "sum", "max", "opaque"]
    for body in few_or_many([bodies[(k + windows) % 4] for k in random.permutation(4)[:2]], bodies):
        for _ in range(few_or_many(1, 4)):
            check(context, kinds, body, random, windows=windows, native=few_or_many(False, True))


@pytest.mark.one_in(1200)
@pytest.mark.parametrize("kinds", TRIPLES, ids="-".join)
def test_triples(context, kinds):
    random = np.random.default_rng([*map(ord, "".join(kinds))])
    for body in few_or_many([str(random.choice([*BODIES]))], [*BODIES]):
        native = few_or_many(False, not random.integers(8))
        check(context, kinds, body, random, windows=bool(random.integers(2)), native=native)


@pytest.mark.parametrize("number", range(few_or_many(6, 200)))
def test_five(context, number):
    """Where more than two nests only contribute, they meet in one loop: as lists of segments, or looked up."""
    random = np.random.default_rng([5, number])
    # Kinds that each combination has a loop for are among the others once.
    single = ("mask", "last_entry", "late_list", "switch", "late_switch")
    several = [kind for kind in KINDS if kind not in single]
    kinds = [*random.choice(several, 4), random.choice([*KINDS])]
    for body in few_or_many([str(random.choice(["sum", "max", "sum_and_product"]))], ["sum", "max", "sum_and_product"]):
        windows = bool(random.integers(2))
        check(context, tuple(map(str, kinds)), body, random, windows=windows, native=few_or_many(number == 0, True))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_one(context, kind, windows):
    random = np.random.default_rng(len(kind))
    for _ in range(few_or_many(3, 30)):
        check(context, (kind,), "sum", random, windows=windows, native=True)
