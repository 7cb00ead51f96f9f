"""Operators that users declare: a function traced to an expression over its parameters, and its algebra."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.operator_symbols import BINARY_SYMBOLS
from irtensor.core.operators import STORED, converts_exactly, is_value_of, same_value
from irtensor.core.regions import Region
from irtensor.frontend.arguments import as_flag, as_text
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import Access, Apply, Expression, Scalar, walk
from irtensor.frontend.lazy_expression import LazyExpression, apply, as_expression
from irtensor.frontend.traced_region import python_number, read_cases, read_constants, trace_region
from irtensor.operators.known_operators import ALIASES, REDUCTIONS


@dataclass(frozen=True, eq=False)
class UserOperator:
    """An operator `@name` with the traits that rewrites may rely on; made by `operator`, compared by structure.

    `body` is an expression over the parameters as scalar tensors. A trait of None is not declared. `distributes_over`
    names built-in reductions and users' operators, as `@name`. `identity` and `annihilator` are those of any argument,
    or one for each. `region` says where it has a value, `fill` which one it gives elsewhere; `cases` are other bodies
    by the numbers of the arguments that are stored. Called with lazy expressions, it gives the expression of its
    application.
    """

    name: str
    parameters: tuple[str, ...]
    body: Expression
    identity: Scalar | tuple[Scalar | None, ...] | None = None
    annihilator: Scalar | tuple[Scalar | None, ...] | None = None
    commutative: bool = False
    associative: bool = False
    idempotent: bool = False
    distributes_over: tuple[str, ...] = ()
    region: Region | None = None
    fill: Scalar | None = None
    cases: tuple[tuple[tuple[int, ...], Expression], ...] = ()

    @property
    def bodies(self) -> tuple[Expression, ...]:
        """Its body, and then those of its cases."""
        return (self.body, *(body for _, body in self.cases))

    @property
    def has_regions(self) -> bool:
        """Whether which arguments are stored decides what it computes, beside their values."""
        asks = any(isinstance(part, Apply) and part.operator == STORED for part in walk(self.body))
        return self.region is not None or bool(self.cases) or asks

    @property
    def identities(self) -> dict[int, Scalar]:
        """The identities of its arguments, by their numbers."""
        return self._by_argument(self.identity)

    @property
    def annihilators(self) -> dict[int, Scalar]:
        """The annihilators of its arguments, by their numbers."""
        return self._by_argument(self.annihilator)

    def _by_argument(self, given: Scalar | tuple[Scalar | None, ...] | None) -> dict[int, Scalar]:
        constants = given if isinstance(given, tuple) else (given,) * len(self.parameters)
        return {number: value for number, value in enumerate(constants) if value is not None}

    @property
    def reduces(self) -> bool:
        """Whether it combines any number of values to one."""
        identities = self.identities
        has_one = len(self.parameters) == len(identities) == 2 and same_value(identities[0], identities[1])
        return self.associative and has_one and not self.has_regions

    def _structure(self) -> tuple[Any, ...]:
        # 0.0 and -0.0 are different identities: repr tells them apart.
        traits = (self.commutative, self.associative, self.idempotent, self.distributes_over)
        regions = (self.region, repr(self.fill), self.cases)
        return (self.name, self.parameters, self.body, repr(self.identity), repr(self.annihilator), *traits, *regions)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UserOperator) and (self is other or self._structure() == other._structure())

    def __hash__(self) -> int:
        return hash(self._structure())

    def __call__(self, *arguments: Any) -> LazyExpression:
        self.check_arity(len(arguments))
        result = apply(f"@{self.name}", *arguments)
        return LazyExpression(result.tree, {**result.tensors, f"@{self.name}": self})

    def check_arity(self, count: int) -> None:
        if count != len(self.parameters):
            message = f"@{self.name} takes {len(self.parameters)} arguments, got {count}"
            raise UserError("wrong-arity", message, help=f"write @{self.name}({', '.join(self.parameters)})")

    def annihilated(self, arguments: Sequence[Scalar]) -> Scalar | None:
        """The annihilator, which is believed, that decides the value on these numbers."""
        found = (zero for number, zero in self.annihilators.items() if same_value(arguments[number], zero))
        return next(found, None)

    def result_dtype(self, arguments: np.dtype, body: np.dtype) -> np.dtype:
        """The dtype of an application to arguments of one dtype, for which the body gives `body`: that of the body.

        Only an associative or idempotent operator, whose values are arguments of it again, gives the dtype of its
        arguments. Raises UserError [bad-operator] where that changes the kind of number, as whole numbers from a
        division do, and where a trait is not a value of these dtypes.
        """
        constants = [("identity", one) for one in self.identities.values()]
        constants += [("annihilator", one) for one in self.annihilators.values()]
        for trait, constant in constants:
            if not is_value_of(constant, element_name(arguments)):
                message = f"the {trait} {constant} of @{self.name} is not a value of {arguments}"
                raise UserError("bad-operator", message, help="declare another operator for this dtype")
        if self.associative or self.idempotent:
            if not np.can_cast(body, arguments, "same_kind"):
                self._refuse_body(arguments, body)
            return arguments
        self._check_traits(arguments, body)
        if self.fill is not None and not is_value_of(self.fill, element_name(body)):
            message = f"the fill {self.fill} of @{self.name} is not a value of {body}, which it gives for {arguments}"
            raise UserError("bad-operator", message, help="give another fill, or convert the operands")
        return body

    def _refuse_body(self, arguments: np.dtype, body: np.dtype) -> NoReturn:
        trait = "associative" if self.associative else "idempotent"
        message = f"@{self.name} is {trait}, so it gives the dtype that it takes, but its body gives {body} "
        message += f"for {arguments}"
        division = ", as // does instead of /" if arguments.kind == "i" and body.kind == "f" else ""
        help = f"convert the operands to {body}, or keep the body in {arguments}{division}"
        raise UserError("bad-operator", message, help=help)

    def _check_traits(self, arguments: np.dtype, result: np.dtype) -> None:
        """An application to the identity gives the other argument, one to the annihilator gives the annihilator."""
        converted = f", or convert the operands to {result}" if np.can_cast(arguments, result, "same_kind") else ""
        if self.identities and result != arguments:
            identity = next(iter(self.identities.values()))
            message = f"@{self.name} has the identity {identity}, beside which it gives the other argument, but "
            message += f"it gives {result} for {arguments}"
            raise UserError("bad-operator", message, help=f"omit identity={converted}")
        wrong = [zero for zero in self.annihilators.values() if not converts_exactly(zero, element_name(result))]
        if wrong:
            message = f"the annihilator {wrong[0]} of @{self.name} is not a value of {result}, which it gives "
            message += f"for {arguments}"
            raise UserError("bad-operator", message, help=f"omit annihilator={converted}")


def operator(
    name: str,
    function: Callable[..., Any],
    *,
    identity: Scalar | Mapping[int, Scalar] | None = None,
    annihilator: Scalar | Mapping[int, Scalar] | None = None,
    commutative: bool = False,
    associative: bool = False,
    idempotent: bool = False,
    distributes_over: Iterable[str | UserOperator] | UserOperator = (),
    region: Callable[..., Any] | str | bool | None = None,
    cases: Mapping[Any, Callable[..., Any]] | None = None,
    fill: Scalar | None = None,
) -> UserOperator:
    """An operator of your own: `operator("plus", lambda a, b: a + b + a * b, identity=0, associative=True)`.

    `function` is called once, with expressions for its arguments. It may use Python's operators and
    irtensor.functions, such as where(a < b, a, b). Give the operator to `compile(..., operators=[plus])` and write
    `@plus(A[i], B[i])`, or `@plus(j, A[i,j])` to reduce by it.

    A trait that is not declared is not assumed. The traits are believed, not proved: a wrong one makes results wrong.

    - `identity`, `associative`: only operators that are associative and have an identity reduce. Where all other
      arguments are identities, the result is the one that is left.
    - `annihilator`: an argument that decides the result, so that the compiler skips missing entries. Of both traits, a
      number is that of any argument, and a dict has those of single ones by their numbers: `annihilator={1: 0}`.
    - `commutative`: the arguments may be exchanged. `idempotent`: f(a, a) is a.
    - `distributes_over`: names of reductions as in a statement ("+" or "add", "min", "or", ...), and declared
      operators: themselves, or "@name". f distributes over g if f(g(a, b), c) is g(f(a, c), f(b, c)), and likewise in
      the other arguments, and if f of the identity of g is that identity; with one argument, if f(g(a, b)) is g(f(a),
      f(b)). Parts of an argument are then reduced by themselves.

    By which operands store an entry, zeros among them:

    - `region`: where it has a value, as a function of its operands whose unions, intersections, differences and
      complements are `|`, `&`, `^` and `~`: `region=lambda a, b: a & ~b`. Elsewhere a sparse result has no entry. A
      text such as `"a and not b"`, True and False are regions as well. Without one, it is found from what `function`
      gives for fill values: `a * b` has a value where both are stored.
    - `fill`: what it gives elsewhere, by default the fill value of its operands; 0 where its dtype is another.
    - `cases`: other functions by which operands are stored. A key has the numbers of those that are: with
      `cases={(0,): lambda a, b: -a}`, the value is `-a` where only the first is stored.

    Nothing is compared for that when a kernel runs: where an operand has no entry is known from the loops.

    Arguments are converted to their common dtype. The result has the dtype that the expression of `function` has for
    them, or theirs if the operator is associative or idempotent; it distributes where that is theirs. Raises
    UserError [bad-operator].

    >>> either = it.operator("either", lambda a, b: a + b - a * b, identity=0.0, associative=True, commutative=True)
    >>> kernel = it.compile("p[i] = @either(j, A[i,j])", operators=[either])
    >>> kernel(A=np.array([[0.5, 0.5], [0.0, 0.0]]))
    array([0.75, 0.  ])
    """
    if not as_text("the name of an operator", name).isidentifier():
        help = "a name has letters, digits and underscores, and starts with no digit"
        raise UserError("bad-operator", f"{name!r} is not a name for an operator", help=help)
    commutative = as_flag("commutative=", commutative)
    associative = as_flag("associative=", associative)
    idempotent = as_flag("idempotent=", idempotent)
    parameters = _parameters(name, function)
    if len(parameters) != 2 and (associative or commutative or idempotent):
        message = f"@{name} takes {len(parameters)} arguments; only operators of two can have an algebra"
        help = "omit associative=, commutative= and idempotent="
        raise UserError("bad-operator", message, help=help)
    return UserOperator(
        name,
        parameters,
        _trace(name, function, parameters),
        read_constants(name, "identity", len(parameters), identity),
        read_constants(name, "annihilator", len(parameters), annihilator),
        commutative,
        associative,
        idempotent,
        _reductions(name, distributes_over),
        None if region is None else trace_region(name, parameters, region),
        _fill(name, fill, region is not None),
        _cases(name, parameters, cases),
    )


def _trace(name: str, function: Callable[..., Any], parameters: Sequence[str]) -> Expression:
    """The result of a function for expressions instead of its parameters."""
    body = as_expression(function(*(LazyExpression(Access(parameter), {}) for parameter in parameters)))
    if body.tensors:
        message = f"@{name} reads {', '.join(body.tensors)}, not only its arguments"
        raise UserError("bad-operator", message, help="an operator computes from its arguments alone")
    return body.tree


def _fill(name: str, fill: Scalar | None, has_region: bool) -> Scalar | None:
    number = python_number(fill)
    if fill is not None and number is None:
        help = "give a bool, int, float or complex number"
        raise UserError("bad-operator", f"the fill of @{name} must be a number, got {fill!r}", help=help)
    if fill is not None and not has_region:
        message = f"@{name} has a fill, but no region: the fill is the value outside of a region"
        raise UserError("bad-operator", message, help="say where the operator has a value: region=...")
    return number


def _cases(
    name: str, parameters: tuple[str, ...], given: Mapping[Any, Callable[..., Any]] | None
) -> tuple[tuple[tuple[int, ...], Expression], ...]:
    cases = {} if given is None else read_cases(name, len(parameters), given)
    found: list[tuple[tuple[int, ...], Expression]] = []
    for case, function in cases.items():
        if (count := len(_parameters(name, function))) != len(parameters):
            message = f"a case of @{name} takes {count} arguments, the operator takes {len(parameters)}"
            raise UserError("bad-operator", message, help="a case takes all arguments of the operator")
        found.append((case, _trace(name, function, parameters)))
    return tuple(found)


def _reductions(name: str, given: Iterable[str | UserOperator] | UserOperator) -> tuple[str, ...]:
    """What an operator distributes over, by name; of users' operators, `@name`."""
    if isinstance(given, str | UserOperator):
        given = (given,)
    if not isinstance(given, Iterable):
        message = f"distributes_over of @{name} names operators, got {given!r}"
        raise UserError("bad-operator", message, help='give a tuple of names, as distributes_over=("add",)')
    return tuple(dict.fromkeys(_reduction(name, one) for one in given))


def _reduction(name: str, given: object) -> str:
    if isinstance(given, UserOperator):
        if len(given.parameters) != 2:
            count = f"{len(given.parameters)} argument{'s' * (len(given.parameters) > 1)}"
            message = f"@{name} cannot distribute over @{given.name}, which takes {count}"
            raise UserError("bad-operator", message, help="an operator that reduces takes two arguments")
        return f"@{given.name}"
    if isinstance(given, str):
        if given.startswith("@") and given[1:].isidentifier():
            return given
        known = BINARY_SYMBOLS[given][0] if given in BINARY_SYMBOLS else ALIASES.get(given, given)
        if known in REDUCTIONS:
            return known
    help = f"name {', '.join(REDUCTIONS)}, or an operator that is declared: itself, or as '@name'"
    raise UserError("bad-operator", f"@{name} cannot distribute over {given!r}, which is not a reduction", help=help)


def _parameters(name: str, function: Callable[..., Any]) -> tuple[str, ...]:
    try:
        parameters = tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        message = f"cannot tell the arguments of the function of @{name}"
        raise UserError("bad-operator", message, help="give a function, as lambda a, b: a - b") from None
    if not parameters:
        help = "give it an argument for each operand, as lambda a, b: a - b"
        raise UserError("bad-operator", f"the function of @{name} takes no arguments", help=help)
    return parameters


def by_name(operators: Sequence[UserOperator]) -> dict[str, UserOperator]:
    """Operators by `@name`; raises UserError [name-conflict] if two share one."""
    table: dict[str, UserOperator] = {}
    for declared in operators:
        if table.setdefault(f"@{declared.name}", declared) != declared:
            message = f"two different operators are called @{declared.name}"
            raise UserError("name-conflict", message, help="give each operator a name of its own")
    return table
