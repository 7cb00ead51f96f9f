"""Random statements beyond the enumeration, natively, against the dense oracle."""

import hypothesis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.random_statements import ALL_CHECKS, cases, compare
from sampling import few_or_many

SETTINGS = settings(max_examples=few_or_many(14, 300), suppress_health_check=ALL_CHECKS)


@SETTINGS
@given(cases(), st.booleans())
def test_random_statements(case, convert):
    compare(case, convert)


@pytest.mark.soak
@pytest.mark.parametrize("declared", [False, True])
def test_more_statements(soak_seeds, declared):
    for number in soak_seeds:
        draw = settings(SETTINGS, max_examples=25, database=None, derandomize=False)
        hypothesis.seed(number)(draw(given(cases(declared), st.booleans())(_compare)))()


def _compare(case, convert):
    """`given` takes no function of any options."""
    compare(case, convert)


@SETTINGS
@given(cases(declared=True), st.booleans())
def test_declared_operators(case, convert):
    compare(case, convert)
