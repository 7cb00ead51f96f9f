"""Errors of several statements in one text, as a whole."""

import numpy as np
import pytest

import irtensor as it
from irtensor import UserError

REFUSED = {
    "y[i] = z[i]; z[i] = x[i]": "<notation>:1:8: error: [read-before-definition] z is read before the "
    """statement that defines it
  y[i] = z[i]; z[i] = x[i]
         ^^^^
<notation>:1:14: note: z is defined here
  y[i] = z[i]; z[i] = x[i]
               ^^^^
help: put the definition of z first; where an operand is meant, give the two different names""",
    "y[i] = x[i]; y[i] = b[i]": "<notation>:1:14: error: [assigned-twice] y is assigned with '=' and "
    """again with '='
  y[i] = x[i]; y[i] = b[i]
               ^^^^
<notation>:1:1: note: it was assigned here
  y[i] = x[i]; y[i] = b[i]
  ^^^^
help: give the two different names, or combine all values with one operator, such as y += ...""",
    "y[i] += x[i]; y[i] min= b[i]": "<notation>:1:15: error: [assigned-twice] y is assigned with '+=' and "
    """again with 'min='
  y[i] += x[i]; y[i] min= b[i]
                ^^^^
<notation>:1:1: note: it was assigned here
  y[i] += x[i]; y[i] min= b[i]
  ^^^^
help: give the two different names, or combine all values with one operator, such as y += ...""",
    "y[i] = x[i]; z = x[i,j]": "<notation>:1:18: error: [rank-mismatch] x has 2 indices here and 1 "
    """index elsewhere
  y[i] = x[i]; z = x[i,j]
                   ^^^^^^
<notation>:1:8: note: x[i] is the first use
  y[i] = x[i]; z = x[i,j]
         ^^^^""",
    "let c = x[i]; y[i] = b[i]": """<notation>:1:5: error: [unused-definition] no statement uses c
  let c = x[i]; y[i] = b[i]
      ^
help: use it further on, or remove it""",
    "let c = x[i]; c[i] = b[i]": """<notation>:1:15: error: [assigned-twice] c names an expression already
  let c = x[i]; c[i] = b[i]
                ^
<notation>:1:5: note: it is named here
  let c = x[i]; c[i] = b[i]
      ^
help: give one of the two another name""",
    "y[i] = b[i]; let b = x[i]; z[i] = b": "<notation>:1:18: error: [assigned-twice] b is a tensor of a statement "
    """before, and cannot name an expression
  y[i] = b[i]; let b = x[i]; z[i] = b
                   ^
help: give the expression another name""",
    "let c = y[i]; y[i] = b[i]; z[i] = c": "<notation>:1:35: error: [read-before-definition] c reads y, which has "
    """another value here than where c was named
  let c = y[i]; y[i] = b[i]; z[i] = c
                                    ^
<notation>:1:15: note: y is assigned here
  let c = y[i]; y[i] = b[i]; z[i] = c
                ^^^^
help: name the expression after y is assigned, or store it: a statement of its own""",
    "let c[i] = 3; y = c": """<notation>:1:6: error: [syntax-error] expected '=' after the name, found '['
  let c[i] = 3; y = c
       ^
help: a name without indices stands for an expression with them: let c = A[i, j] * x[j]""",
    "let c = x[i]; z = c[i]": "<notation>:1:20: error: [syntax-error] c names an expression, and "
    """takes no indices
  let c = x[i]; z = c[i]
                     ^
help: write c: the expression has the index variables that it was written with""",
    "y[i] = x[i] z[i] = y[i]": "<notation>:1:13: error: [syntax-error] expected an operator or the "
    """end of the statement, found 'z'
  y[i] = x[i] z[i] = y[i]
              ^
help: separate statements by ';' or a line break""",
    " ; ;": """<notation>:1:1: error: [syntax-error] expected a statement, found none
   ; ;
  ^^^^
help: a statement names its result first: y[i] = A[i,j] * x[j]""",
}

TWO = "y[i] = A[i,j]; z = y[i]"
ARGUMENTS = [
    (
        {"results": ["q"]},
        "error: [bad-argument] results= has 'q', which no statement defines\nhelp: they define y, z",
    ),
    ({"results": 3}, "error: [bad-argument] results= lists names, as in results=('T', 'y'); got int"),
    (
        {"formats": {"q": "csr"}},
        "error: [unknown-operand] formats names 'q', which is not in the statements\nhelp: their tensors are A, y, z",
    ),
    (
        {"schedule": it.schedule().reorder("i", "j")},
        "error: [bad-schedule] the steps of a schedule arrange the loops of one statement, and there are several\n"
        "help: say whose: schedule={'z': ...}",
    ),
    (
        {"schedule": {"q": None}},
        "error: [bad-schedule] schedule= has 'q', which no statement defines\nhelp: they define y, z",
    ),
    (
        {"extents": {"q": 3}},
        "error: [bad-argument] extents= has a number for 'q', which is not an index variable\n"
        "help: variables are i; for the result give a shape, such as (16,)",
    ),
]


@pytest.mark.parametrize("text", REFUSED)
def test_texts(text):
    with pytest.raises(UserError) as error:
        it.compile(text)
    assert str(error.value) == REFUSED[text]


@pytest.mark.parametrize(("arguments", "expected"), ARGUMENTS)
def test_arguments(arguments, expected):
    with pytest.raises(UserError) as error:
        it.compile(TWO, **arguments)
    assert str(error.value) == expected


def test_a_result_that_is_a_variable_elsewhere():
    with pytest.raises(UserError) as error:
        it.compile("h[i] = x[i]; y[h] = b[h]", extents={"h": (3,)})
    assert str(error.value) == (
        "error: [bad-argument] extents= has a value for 'h', which names a result and an index variable\n"
        "help: give one of the two another name"
    )


def test_names_that_grow():
    names = ["let a0 = x[i] * x[i]"] + [f"let a{n} = a{n - 1} * a{n - 1} * a{n - 1}" for n in range(1, 40)]
    with pytest.raises(UserError, match=r"\[notation-too-deep\] the expression has more than 20000 operators where"):
        it.compile("; ".join([*names, "y[i] = a39"]))


def test_calls():
    kernel, A = it.compile(TWO, results=["y"]), np.ones((2, 3))
    refused = [
        (
            kernel,
            {},
            """<notation>:1:8: error: [missing-operand] no operand is given for A
  y[i] = A[i,j]; z = y[i]
         ^^^^^^
help: give each by name: A=...""",
        ),
        (
            kernel,
            {"A": A, "y": A[0]},
            "error: [unknown-operand] the statements read no operand y\nhelp: their operands are A",
        ),
        (
            kernel,
            {"A": A, "out": A[0]},
            "error: [bad-argument] out= is for one result, and the statements have 2\nhelp: they are y, z; omit out=",
        ),
        (
            kernel.assemble,
            {"A": A},
            "error: [several-statements] assemble() is for kernels of one statement, and this one has several\n"
            "help: ask its kernel: kernel.kernels[-1].assemble(...)",
        ),
        (
            lambda **_: kernel.chosen_schedule,
            {},
            "error: [several-statements] each statement has a schedule of its own\n"
            "help: ask its kernel: kernel.kernels[0].chosen_schedule",
        ),
        (
            lambda **_: kernel.explain("forall i: y[i] = 1"),
            {},
            "error: [several-statements] another program is compared with that of one statement\n"
            "help: ask its kernel: kernel.kernels[0].explain(...)",
        ),
    ]
    for call, operands, expected in refused:
        with pytest.raises(UserError) as error:
            call(**operands)
        assert str(error.value) == expected
    with pytest.raises(UserError) as error:
        kernel(A, A)
    assert str(error.value) == ("error: [operand-count] 2 operands are given; the statements have 1\nhelp: they are A")
    with pytest.raises(UserError) as error:
        kernel(A, A=A)
    assert str(error.value) == "error: [operand-count] operand A is given twice, by position and by name"
