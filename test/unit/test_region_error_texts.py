"""The whole texts of errors about where operators have values."""

# ruff: noqa: E501 (messages are whole lines)

import numpy as np
import pytest
from check_error import check_error

import irtensor as it

JOIN = "help: join the operands by &, |, ^ and ~, as in region=lambda a, b: a & ~b"
NAMES = "help: join the operands' names by &, |, ^ and ~, as in a & ~b; everywhere and nowhere are regions, too"
MASK = it.operator("mask", lambda a, m: a, region=lambda a, m: a & ~m)
FAR = it.Tensor.from_numpy(np.array([1.0, np.inf]), it.Format("compressed, fill = inf"))
NEAR = it.Tensor.from_numpy(np.array([1.0, 0.0]), it.Format("compressed"))


def declare(**regions):
    return lambda: it.operator("f", lambda a, b: a + b, **regions)


def masked(**formats):
    return lambda: it.compile("y[i] = @mask(a[i], b[i])", formats=formats, operators=[MASK])(a=FAR, b=NEAR)


ROWS = [
    (
        "bad-operator",
        declare(region=lambda a, b, c: a & c),
        """error: [bad-operator] the region of @f names 3 operands (a, b, c), the operator has 2 operands (a, b)
help: give the region the operands of the operator: lambda a, b: ...""",
    ),
    (
        "bad-operator",
        declare(region=lambda a, b: 3),
        f"error: [bad-operator] the region of @f is 3, which is not a region\n{JOIN}",
    ),
    ("bad-operator", declare(region=3), f"error: [bad-operator] the region of @f is 3, which is not a region\n{JOIN}"),
    (
        "bad-operator",
        declare(region=lambda a, b: a + b),
        f"error: [bad-operator] the region of @f joins operands by something that is not an operation of regions\n{JOIN}",
    ),
    (
        "bad-operator",
        declare(region=lambda a, b: a and b),
        f"error: [bad-operator] the region of an operand is used as a truth value\n{JOIN}",
    ),
    (
        "bad-operator",
        declare(region=lambda a, b: a == b),
        f"error: [bad-operator] the region of an operand is compared\n{JOIN}",
    ),
    (
        "bad-region",
        declare(region="a & ~c"),
        f"""<region>:1:6: error: [bad-region] the region names c, which is not an operand; operands are a, b
  a & ~c
       ^
{NAMES}""",
    ),
    (
        "bad-region",
        declare(region="a &"),
        f"""<region>:1:4: error: [bad-region] expected an operand in a region, found its end
  a &
     ^
{NAMES}""",
    ),
    (
        "bad-region",
        declare(region="a b"),
        f"""<region>:1:3: error: [bad-region] 'b' follows a region
  a b
    ^
{NAMES}""",
    ),
    (
        "bad-operator",
        declare(cases={(2,): lambda a, b: b}),
        """error: [bad-operator] a case of @f is for operand 2, but its operands are 0 to 1
help: a key is the set of the numbers that are stored, as (0, 2)""",
    ),
    (
        "bad-operator",
        declare(cases=[1]),
        """error: [bad-operator] the cases of @f are [1], not a dict
help: give a dict, as in cases={(0,): lambda a, b: -a}: where only operand 0 is stored, -a""",
    ),
    (
        "bad-operator",
        declare(cases={0: 5}),
        """error: [bad-operator] the case of @f for operands (0,) is 5, not a function
help: give a function of all arguments, as lambda a, b: -a""",
    ),
    (
        "bad-operator",
        declare(cases={0: lambda a: a}),
        """error: [bad-operator] a case of @f takes 1 arguments, the operator takes 2
help: a case takes all arguments of the operator""",
    ),
    (
        "bad-operator",
        declare(cases={(0, 1): lambda a, b: a, (1, 0): lambda a, b: b}),
        """error: [bad-operator] two cases of @f are for operands (0, 1)
help: remove one: a key is a set, in any order""",
    ),
    (
        "bad-operator",
        declare(fill=0),
        """error: [bad-operator] @f has a fill, but no region: the fill is the value outside of a region
help: say where the operator has a value: region=...""",
    ),
    (
        "bad-operator",
        declare(region="a", fill="0"),
        """error: [bad-operator] the fill of @f must be a number, got '0'
help: give a bool, int, float or complex number""",
    ),
    (
        "bad-operator",
        declare(annihilator={2: 0}),
        """error: [bad-operator] the annihilator of @f is given for argument 2, but its arguments are 0 to 1
help: arguments count from 0, as in annihilator={0: 1}""",
    ),
    (
        "bad-operator",
        declare(identity={1: "0"}),
        """error: [bad-operator] the identity of argument 1 of @f is '0', not a number
help: give a bool, int, float or complex number""",
    ),
    *[
        (
            "no-fill",
            call,
            """<notation>:1:8: error: [no-fill] nothing says what @mask is outside of its region, where its operands read as inf and 0.0
  y[i] = @mask(a[i], b[i])
         ^^^^^
help: give the operator a fill value, as in fill=inf""",
        )
        for call in (masked(), masked(y=it.Format("compressed")))
    ],
    (
        "bad-operator",
        lambda: it.compile("y[i] = @f(a[i])", operators=[it.operator("f", lambda a: a, region="a", fill=0.5)])(a=[1]),
        """<notation>:1:8: error: [bad-operator] the fill 0.5 of @f is not a value of int64, which it gives for int64
  y[i] = @f(a[i])
         ^^^^^^^^
help: give another fill, or convert the operands""",
    ),
    (
        "not-a-reduction",
        lambda: it.compile("y = @mask(i, a[i])", operators=[MASK])(a=NEAR),
        """<notation>:1:5: error: [not-a-reduction] @mask cannot reduce: which operands are stored decides what it computes
  y = @mask(i, a[i])
      ^^^^^^^^^^^^^^
help: reduce with an operator that has no region and no cases""",
    ),
    (
        "wrong-arity",
        lambda: it.compile("y[i] = stored(a[i], b[i])")(a=NEAR, b=NEAR),
        """<notation>:1:8: error: [wrong-arity] stored takes 1 argument, got 2
  y[i] = stored(a[i], b[i])
         ^^^^^^^^^^^^^^^^^^
help: write stored(A[i])""",
    ),
]


@pytest.mark.parametrize("slug, call, text", ROWS, ids=[row[0] for row in ROWS])
def test_text(slug, call, text):
    check_error(call, slug, text)


@pytest.mark.parametrize("text", ["(" * 500 + "a" + ")" * 500, "not " * 3000 + "a"])
def test_regions_that_nest_too_deep_are_refused(text: str):
    with pytest.raises(it.UserError, match="nests no deeper than 100 complements and parentheses") as caught:
        declare(region=text)()
    assert caught.value.slug == "bad-region"
    declare(region="(" * 99 + "a" + ")" * 99)()


def _joined_many_times(a, b):
    for _ in range(600):
        a = a ^ b
    return a


@pytest.mark.parametrize("region", [" ^ ".join("ab" * 600), _joined_many_times], ids=["text", "function"])
def test_regions_of_too_many_operators_are_refused(region):
    with pytest.raises(it.UserError, match="no more than 100 operators inside of each other"):
        it.operator("m", lambda a, b: a * b, region=region)
