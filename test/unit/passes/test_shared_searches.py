"""What searches for one statement have in common is computed once, and changes nothing of what they find."""

from dataclasses import replace

import pytest
from schedule_kernels import kernel

from irtensor.core.operators import OPERATORS
from irtensor.core.tensor_format import TensorFormat
from irtensor.passes.autoschedule.absent_entries import _call
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.search_options import SearchOptions
from irtensor.passes.autoschedule.statements import Access, Call, Literal, text_of

ROWS = TensorFormat.parse("dense, compressed")
LISTS = TensorFormat.parse("compressed, compressed")


def least_texts(search):
    return [text_of(program) for programs in search.bounded().found.values() for program in programs]


@pytest.mark.parametrize("formats", [{"B": ROWS, "C": ROWS}, {"B": LISTS, "C": ROWS}])
def test_a_search_with_other_formats_finds_what_one_of_its_own_does(formats):
    search = Search(kernel("A[i,j] += B[i,k] * C[k,j]"), SearchOptions())
    before = least_texts(search)
    shared = search.with_formats(formats)
    own = Search(replace(search.kernel, formats=formats), search.options)
    assert least_texts(shared) == least_texts(own)
    assert least_texts(search) == before
    assert shared.trees is search.trees


def test_numbers_that_compare_equal_are_folded_apart():
    value, multiply = Access("x", ("i",)), OPERATORS["mul"]
    for zero in (0.0, -0.0, 0):
        found = _call(multiply, [Literal(zero), value])
        assert not isinstance(found, Call) or repr(found.arguments[0]) == repr(Literal(zero))
    assert repr(_call(OPERATORS["add"], [Literal(1), Literal(1)])) == repr(Literal(2))
    assert repr(_call(OPERATORS["add"], [Literal(1.0), Literal(1.0)])) == repr(Literal(2.0))
