"""On a card: statements that other tests run emulated, against NumPy and the dense oracle."""

import random
from dataclasses import replace
from functools import cache

import card_cases
import hypothesis
import pytest
from hypothesis import given, settings
from reference import case_space
from reference.random_statements import ALL_CHECKS, cases, refusal_of
from sampling import few_or_many

TARGET = "cuda"
PARTS, EACH = few_or_many((2, 5), (10, 50))


@pytest.mark.one_in(10)
@pytest.mark.parametrize("density", [0, 0.3])
@pytest.mark.parametrize("format", card_cases.FORMATS)
@pytest.mark.parametrize("statement", card_cases.DENSE)
def test_dense_results(statement, format, density):
    card_cases.compare_dense(statement, format, density, TARGET)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("schedule", card_cases.SCHEDULES)
@pytest.mark.parametrize("format, result", card_cases.OF_ONE_ORDER)
@pytest.mark.parametrize("statement", card_cases.SPARSE)
def test_sparse_results(statement, format, result, schedule):
    card_cases.compare_sparse(statement, format, result, schedule, TARGET)


def test_counts_of_many_rows():
    card_cases.compare_many_rows(TARGET)


@pytest.mark.parametrize("dtype", card_cases.ELEMENTS)
def test_elements_of_any_type(dtype):
    card_cases.compare_elements(dtype, TARGET)


def compare_on_card(case):
    """A case is compared with the oracle, unless it is refused for cause.

    Nothing on a card is converted: a result is stored as kernels write it.
    """
    written = None if case.result is None else case.result.writable
    refusal_of(replace(case, result=written), convert=False, target=TARGET, place=card_cases.on_card)


def is_real(case):
    """There is no complex number: a GPU has few functions of these."""
    return "1j" not in case.notation and all(pool.dtype.kind != "c" for pool in case.pools.values())


@pytest.mark.parametrize("part", range(PARTS))
def test_random_statements(part):
    drawn = given(cases(declared=part % 4 == 1).filter(is_real))(compare_on_card)
    options = settings(max_examples=EACH, suppress_health_check=ALL_CHECKS, database=None, derandomize=False)
    hypothesis.seed(part)(options(drawn))()


@cache
def sample(loops):
    return case_space.sample(loops, candidates=300)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", case_space.BINARY)
@pytest.mark.parametrize("loops", case_space.OPERANDS)
def test_formats_by_operators(loops, name):
    known, draw = sample(loops)[name], random.Random(name)
    for case in draw.sample(known, min(len(known), 2)):
        compare_on_card(case)
