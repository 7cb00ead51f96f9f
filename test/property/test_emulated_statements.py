"""Statements whose kernels for a GPU run on the CPU: drawn at random, and of every format and operator, to the oracle.

Threads run in one of several orders in each. Some of what is drawn is compiled for extents so large that workspaces are
maps.
"""

import random
from functools import cache

import hypothesis
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import case_space
from reference.case_space import BINARY, OPERANDS
from reference.long_statements import SITUATIONS, long_case
from reference.random_statements import ALL_CHECKS, cases, compare, refusal_of
from sampling import few_or_many

import irtensor as it
from irtensor.runtime import emulator

ORDERS = ["forward", "backward", "shuffled"]
HUGE = [(), tuple("ijkl")]
PARTS, EACH = few_or_many((2, 5), (20, 100))


@pytest.fixture(autouse=True)
def restored_order(monkeypatch):
    monkeypatch.setattr(emulator, "order", emulator.order)


def run_in(order):
    emulator.order = np.random.default_rng(0) if order == "shuffled" else order


def compare_emulated(case, convert, order, huge):
    run_in(order)
    compare(case, convert, target="cuda-emulated", huge=huge)


def draw_statements(seed, count, declared):
    """Compare so many statements, which the seed decides on."""
    drawn = given(cases(declared), st.booleans(), st.sampled_from(ORDERS), st.sampled_from(HUGE))(compare_emulated)
    options = settings(max_examples=count, suppress_health_check=ALL_CHECKS, database=None, derandomize=False)
    hypothesis.seed(seed)(options(drawn))()


@pytest.mark.parametrize("part", range(PARTS))
def test_random_statements(part):
    draw_statements(part, EACH, declared=part % 4 == 1)


def draw_long_statements(seeds):
    for seed in seeds:
        run_in(ORDERS[seed % 3])
        huge = HUGE[seed % 4 == 1]
        refusal_of(long_case(seed), convert=True, target="cuda-emulated", huge=huge, situations=SITUATIONS)


@pytest.mark.parametrize("part", range(few_or_many(3, 200)))
def test_long_statements(part):
    """Programs of several loops, of which threads read what threads of another one have computed."""
    draw_long_statements(range(10 * part, 10 * (part + 1)))


@pytest.mark.soak
def test_more_long_statements(soak_seeds):
    draw_long_statements(soak_seeds)


@pytest.mark.soak
@pytest.mark.parametrize("declared", [False, True])
def test_more_statements(soak_seeds, declared):
    for number in soak_seeds:
        draw_statements(number, 25, declared)


@pytest.mark.parametrize("order", ORDERS)
def test_threads_wait_for_a_result_that_is_filled(order):
    """Each team fills its element of the result, and then adds to it what its threads have found in lists."""
    format = it.Format(
        "(i, j, k, l) -> (j : dense, k : compressed(nonunique), l : singleton(nonunique), i : singleton)"
    )
    kernel = it.compile("C[i] = sum(k, Q[k,i,i,i])", {"Q": format}, target="cuda-emulated")
    dense = np.random.default_rng(0).random((5, 40, 40, 40)) < 0.3
    run_in(order)
    found = kernel(Q=it.Tensor.from_numpy(dense, format))
    np.testing.assert_array_equal(np.asarray(found), np.einsum("kiii->i", dense.astype(int)))


@cache
def sample(loops):
    return case_space.sample(loops, candidates=few_or_many(300, 4000))


@pytest.mark.one_in(40)
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("loops", OPERANDS)
def test_formats_by_operators(loops, name):
    known, draw = sample(loops)[name], random.Random(name)
    for case in draw.sample(known, few_or_many(min(len(known), 2), len(known))):
        run_in(draw.choice(ORDERS))
        refusal_of(case, convert=True, target="cuda-emulated")
