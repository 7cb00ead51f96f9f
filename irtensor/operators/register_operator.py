"""Operators from outside."""

from __future__ import annotations

import keyword
from typing import Any, NoReturn

from irtensor.core.arithmetic import COMPLEX, FLOAT, INTEGER, KINDS, Upstream
from irtensor.core.constant_arithmetic import ConstantArithmetic
from irtensor.core.diagnostics import UserError
from irtensor.core.scalar_operator import OPERATORS, Operator, result_element
from irtensor.frontend.notation.function_calls import function_names
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.frontend.operator_signatures import forget_types, numpy_function
from irtensor.interop.numpy_ufuncs import operators_by_function
from irtensor.operators.known_operators import add_operator
from irtensor.passes.loop.support.code_arithmetic import upstream_operation

_ELEMENTS = {INTEGER: "i64", FLOAT: "f64", COMPLEX: "complex<f64>"}
_RESULTS = ("same", "bool", "real", "complex")


def register_operator(operator: Operator) -> None:
    """Add an operator, which statements, expressions and the IR may name from then on in this process.

    `irtensor.core.scalar_operator.Operator` has its parts: its algebra; in `definitions`, what it computes of each
    kind of number, in an arithmetic that computes constants and makes code alike; and in `numpy`, the function of
    NumPy's that it is, or a function of arrays that gives the same, which decides about types. Of other kinds of
    numbers it is refused by an error. Kernels with it are kept in memory, not on the disk. `irtensor/operators/` has
    all others in the same parts. What is made of other operators, and used in few statements, `irtensor.operator`
    declares for these.

    What the algebra says is believed. Raises UserError [bad-operator] for a name that is taken, and for parts that are
    missing or fail.

    >>> from irtensor.core.arithmetic import FLOAT, INTEGER
    >>> from irtensor.core.scalar_operator import Operator
    >>> it.register_operator(
    ...     Operator(
    ...         "absdiff",
    ...         2,
    ...         commutative=True,
    ...         definitions=dict.fromkeys((FLOAT, INTEGER), lambda by, a, b: by.abs(by.sub(a, b))),
    ...         numpy=lambda a, b: np.abs(a - b),
    ...     )
    ... )
    >>> it.compile("d[i] = absdiff(x[i], y[i])")(x=np.array([1.0, 5.0]), y=np.array([3.0, 4.0]))
    array([2., 1.])
    """
    if not isinstance(operator, Operator):
        message = f"an operator is an irtensor.core.scalar_operator.Operator, not {type(operator).__name__}"
        raise UserTypeError("bad-operator", message, help="write Operator(name, arity, definitions=..., numpy=...)")
    names = (operator.name, *operator.also)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            help = "a name has letters, digits and underscores, and starts with no digit"
            raise UserError("bad-operator", f"{name!r} is not a name for an operator", help=help)
        if name in function_names():
            help = "give the operator another name"
            raise UserError("bad-operator", f"there is a function '{name}' already", help=help)
    _check_meaning(operator)
    if not operator.definitions:
        _fail(operator, "has no definitions", f"say what it computes, as definitions={{{FLOAT!r}: ...}}")
    for kind in operator.definitions:
        _check_definition(operator, kind)
    add_operator(operator)
    forget_types()
    operators_by_function.cache_clear()


def _fail(operator: Operator, what: str, help: str) -> NoReturn:
    raise UserError("bad-operator", f"operator '{operator.name}' {what}", help=help)


def _check_meaning(operator: Operator) -> None:
    """What it is in NumPy, and types that follow from it."""
    if operator.evaluate is not None or operator.elements:
        _fail(operator, "has types of its own", "leave them to definitions=, or declare it by irtensor.operator")
    if not isinstance(operator.arity, int) or operator.arity < 1:
        _fail(operator, f"has arity {operator.arity!r}", "give the number of its arguments, at least 1")
    if operator.result not in _RESULTS:
        _fail(operator, f"has result={operator.result!r}", f"write one of {', '.join(map(repr, _RESULTS))}")
    try:
        function = numpy_function(operator)
    except AttributeError:
        name = operator.numpy or operator.types_of
        _fail(operator, f"has no meaning: NumPy has no function {name}", "pass a function of arrays as numpy=")
    if not callable(function):
        what = "has no meaning in NumPy" if function is None else f"has numpy={function!r}, which is not a function"
        _fail(operator, what, "pass the function of NumPy's that it is, or a function of arrays, as numpy=")


def _check_definition(operator: Operator, kind: str) -> None:
    """A definition has a value for ones, of the type that the result has."""
    if kind not in KINDS:
        help = f"kinds are {', '.join(map(repr, KINDS))}"
        _fail(operator, f"has a definition for {kind!r}, which is not a kind of number", help)
    definition: Any = operator.definitions[kind]
    element = _ELEMENTS.get(kind, "i1")
    ones = [{"i1": True, "i64": 1, "f64": 1.0}.get(element, 1 + 0j)] * operator.arity
    if isinstance(definition, Upstream) and upstream_operation(definition.op) is None:
        help = "name an operation of arith, math, complex or llvm"
        _fail(operator, f"is defined by '{definition.op}', which is not an operation of upstream dialects", help)
    try:
        value = definition(ConstantArithmetic(element, OPERATORS), *ones)
    except AttributeError as error:
        help = f"definitions use the operators {', '.join(OPERATORS)}, and methods of irtensor.core.arithmetic"
        _fail(operator, f"for {kind} numbers uses '{error.name or error}', which is not an operator", help)
    except KeyError as error:
        help = "convert or split the numbers first, or omit this kind"
        _fail(operator, f"for {kind} numbers uses an operator that has no definition for {error.args[0]} ones", help)
    except TypeError as error:
        help = f"a definition takes the arithmetic and {operator.arity} argument{'s' * (operator.arity > 1)}"
        _fail(operator, f"for {kind} numbers cannot be called: {error}", help)
    wanted = result_element(operator, [element] * operator.arity)
    expected = {"i1": bool, "i64": int, "f64": float}.get(wanted, complex)
    if type(value) is not expected:
        message = f"for {kind} numbers gives a {type(value).__name__}, and result={operator.result!r} is a "
        _fail(operator, f"{message}{expected.__name__}", "say another result=, or define it by operators that give it")
