"""Formats under their names: what they cannot be made of is a mistake of the user's, and no other exception."""

import pytest

import irtensor as it


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: it.BCSR(2.5, 1), "block factor 2.5 is not a number from 1"),
        (lambda: it.BCSC("a", 1), "block factor 'a' is not a number"),
        (lambda: it.CSB(0), "block factor 0 is not"),
        (lambda: it.COO(10**10), "rank 10000000000 is not a number from 0 to 64"),
        (lambda: it.CSF("a"), "rank 'a' is not a number"),
        (lambda: it.Dense(-1), "rank -1 is not a number"),
        (lambda: it.ModeGeneric(3, "a"), "rank 'a' is not a number"),
        (lambda: it.ModeGeneric(2, 3), "3 sparse dimensions of 2: expected 1..2"),
        (lambda: it.CSF(3, order=[0, 1]), "does not name each dimension from 0 to 2 once"),
        (lambda: it.CSF(3, order=[0, 1, 1]), "does not name each dimension"),
        (lambda: it.CSF(3, order=["a", 1, 2]), "does not name each dimension"),
        (lambda: it.Dense(3, order=5), "the order 5 does not name"),
        (lambda: it.Format(3), "the text of a format is a str, not int"),
    ],
)
def test_what_is_no_format_is_refused(make, message):
    with pytest.raises(it.UserError, match="bad-format") as caught:
        make()
    assert message in str(caught.value)


def test_orders_may_be_any_sequence():
    assert it.CSF(3, order=range(2, -1, -1)) == it.CSF(3, order=(2, 1, 0))
