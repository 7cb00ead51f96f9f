"""Operators from outside."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from typing import Any, NoReturn

from xdsl.ir import SSAValue

from irtensor.core.arithmetic import COMPLEX, FLOAT, INTEGER, KINDS, UNSIGNED, Upstream
from irtensor.core.constant_arithmetic import ConstantArithmetic
from irtensor.core.diagnostics import UserError
from irtensor.core.scalar_operator import OPERATORS, Operator, result_element
from irtensor.dialects.algebra.scalar_types import ELEMENT_TYPES
from irtensor.dialects.support.create_operation import create_block
from irtensor.frontend.notation.function_calls import function_names
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.frontend.operator_signatures import forget_types, numpy_function
from irtensor.interop.numpy_ufuncs import operators_by_function
from irtensor.operators.known_operators import add_operator
from irtensor.passes.loop.support.code_arithmetic import CodeArithmetic, upstream_operation
from irtensor.passes.loop.support.scalar_emitter import NO_FLAGS, Emit

_ELEMENTS = {INTEGER: "i64", UNSIGNED: "ui64", FLOAT: "f64", COMPLEX: "complex<f64>"}
_RESULTS = ("same", "bool", "real", "complex")


def register_operator(operator: Operator) -> None:
    """Add an operator, which statements, expressions and the IR may name from then on in this process.

    `irtensor.core.scalar_operator.Operator` has its parts: its algebra; in `definitions`, what it computes of each
    kind of number, in an arithmetic that computes constants and makes code alike; and in `numpy`, the function of
    NumPy's that it is, or a function of arrays that gives the same, which decides about types. Of other kinds of
    numbers it is refused by an error. Kernels with it are kept in memory, not on the disk. `irtensor/operators/` has
    all others in the same parts. An operator that is made of others, and used in few statements, is declared by
    `irtensor.operator` for these.

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
    _check_parts(operator)
    _check_traits(operator)
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


def _check_parts(operator: Operator) -> None:
    """Parts of other types than they have to be."""
    if not isinstance(operator.also, tuple):
        _fail(operator, f"has also={operator.also!r}, which is not a tuple", "write also=('name',)")
    if not isinstance(operator.definitions, Mapping):
        found = type(operator.definitions).__name__
        _fail(operator, f"has definitions of type {found}", f"write definitions={{{FLOAT!r}: ...}}")
    if operator.default is not None and not isinstance(operator.default, int | float | complex):
        _fail(operator, f"has default={operator.default!r}, which is not a number", "give a number")
    others = (*((operator.undoes,) if operator.undoes is not None else ()), *operator.distributes_over)
    for other in others:
        if other not in OPERATORS:
            _fail(operator, f"names {other!r}, which is not an operator", f"operators are {', '.join(OPERATORS)}")


def _check_traits(operator: Operator) -> None:
    """Constants with a role, which are functions of the element type."""
    traits = ("left_identity", "right_identity", "left_annihilator", "right_annihilator")
    for name in traits:
        trait: Any = getattr(operator, name)
        if not callable(trait):
            _fail(operator, f"has {name}={trait!r}", f"write {name}=always(...), from irtensor.core.scalar_operator")
        for kind in KINDS:
            constants: Any = trait(_ELEMENTS.get(kind, "i1"))
            for value in constants:
                if not isinstance(value, int | float | complex):
                    _fail(operator, f"has {value!r} as {name}, which is not a number", "give a number")


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
    ones = [{"i1": True, "i64": 1, "ui64": 1, "f64": 1.0}.get(element, 1 + 0j)] * operator.arity
    if isinstance(definition, Upstream) and upstream_operation(definition.op) is None:
        help = "name an operation of arith, math, complex or llvm"
        _fail(operator, f"is defined by '{definition.op}', which is not an operation of upstream dialects", help)
    try:
        value = definition(ConstantArithmetic(element, OPERATORS), *ones)
    except UserError:
        raise
    except AttributeError as error:
        help = f"definitions use the operators {', '.join(OPERATORS)}, and methods of irtensor.core.arithmetic"
        _fail(operator, f"for {kind} numbers uses '{error.name or error}', which is not an operator", help)
    except KeyError as error:
        help = "convert or split the numbers first, or omit this kind"
        _fail(operator, f"for {kind} numbers uses an operator that has no definition for {error.args[0]} ones", help)
    except TypeError as error:
        help = f"a definition takes the arithmetic and {operator.arity} argument{'s' * (operator.arity > 1)}"
        _fail(operator, f"for {kind} numbers cannot be called: {error}", help)
    except Exception as error:
        help = "a definition combines its arguments by methods of the arithmetic alone"
        _fail(operator, f"for {kind} numbers raises {type(error).__name__}: {error}", help)
    _check_code(operator, kind, element)
    wanted = result_element(operator, [element] * operator.arity)
    expected = {"i1": bool, "i64": int, "ui64": int, "f64": float}.get(wanted, complex)
    if type(value) is not expected:
        message = f"for {kind} numbers gives a {type(value).__name__}, and result={operator.result!r} is a "
        _fail(operator, f"{message}{expected.__name__}", "say another result=, or define it by operators that give it")


def _check_code(operator: Operator, kind: str, element: str) -> None:
    """A definition makes code: it combines values that nobody knows, by methods of the arithmetic."""
    type = ELEMENT_TYPES[element]
    block = create_block((type,) * operator.arity)
    arithmetic = CodeArithmetic(Emit(block, None), NO_FLAGS)
    help = "a definition combines its arguments by methods of the arithmetic, as by.add(a, b) and by.constant(2, a)"
    try:
        made = operator.definitions[kind](arithmetic, *block.args)
    except UserError:
        raise
    except Exception as error:
        _fail(operator, f"for {kind} numbers makes no code: {error}", help)
    if not isinstance(made, SSAValue):
        _fail(operator, f"for {kind} numbers makes a {made.__class__.__name__}, which is not a value in code", help)
