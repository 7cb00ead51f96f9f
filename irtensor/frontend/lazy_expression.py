"""Lazy expressions over tensors: Python's operators build an expression tree and remember which tensors it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_text
from irtensor.frontend.einsum.einsum_parser import operand_name
from irtensor.frontend.element_types import cast_name
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    If,
    Literal,
    Reduce,
    Scalar,
    Statement,
    Variable,
    format_expression,
    format_index,
    tensor_names,
    with_terms,
)
from irtensor.frontend.expression_tree import Index as IndexTree
from irtensor.frontend.long_sums import divide_long_sums
from irtensor.frontend.notation.check_notation import check_size, check_statement
from irtensor.frontend.notation.coordinates import coordinate_of
from irtensor.frontend.summation import insert_reductions
from irtensor.late_imports import load_for


class _Operators:
    """Python's operators, which build larger expressions."""

    __slots__ = ()
    # Expressions are not sequences.
    __iter__ = None
    # Operators of Tensors leave it to an expression to combine with them.
    takes_operators = True

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        """NumPy's elementwise functions, and its scalars on the left of an operator."""
        load_for("expressions")
        from irtensor.interop.numpy_ufuncs import apply_ufunc

        return apply_ufunc(apply, ufunc, method, inputs, settings)

    def __bool__(self) -> bool:
        message = "an expression has no truth value: nothing is computed yet"
        raise UserError("expression-as-value", message, help="combine conditions with &, | and ~, or use where(...)")

    def __add__(self, other: Operand) -> LazyExpression:
        return apply("add", self, other)

    def __radd__(self, other: Operand) -> LazyExpression:
        return apply("add", other, self)

    def __sub__(self, other: Operand) -> LazyExpression:
        return apply("sub", self, other)

    def __rsub__(self, other: Operand) -> LazyExpression:
        return apply("sub", other, self)

    def __mul__(self, other: Operand) -> LazyExpression:
        return apply("mul", self, other)

    def __rmul__(self, other: Operand) -> LazyExpression:
        return apply("mul", other, self)

    def __truediv__(self, other: Operand) -> LazyExpression:
        return apply("div", self, other)

    def __rtruediv__(self, other: Operand) -> LazyExpression:
        return apply("div", other, self)

    def __floordiv__(self, other: Operand) -> LazyExpression:
        return apply("floordiv", self, other)

    def __rfloordiv__(self, other: Operand) -> LazyExpression:
        return apply("floordiv", other, self)

    def __mod__(self, other: Operand) -> LazyExpression:
        return apply("mod", self, other)

    def __rmod__(self, other: Operand) -> LazyExpression:
        return apply("mod", other, self)

    def __pow__(self, other: Operand) -> LazyExpression:
        return apply("pow", self, other)

    def __rpow__(self, other: Operand) -> LazyExpression:
        return apply("pow", other, self)

    def __and__(self, other: Operand) -> LazyExpression:
        return apply("and", self, other)

    def __rand__(self, other: Operand) -> LazyExpression:
        return apply("and", other, self)

    def __or__(self, other: Operand) -> LazyExpression:
        return apply("or", self, other)

    def __ror__(self, other: Operand) -> LazyExpression:
        return apply("or", other, self)

    def __xor__(self, other: Operand) -> LazyExpression:
        return apply("xor", self, other)

    def __rxor__(self, other: Operand) -> LazyExpression:
        return apply("xor", other, self)

    def __lshift__(self, other: Operand) -> LazyExpression:
        return apply("shl", self, other)

    def __rlshift__(self, other: Operand) -> LazyExpression:
        return apply("shl", other, self)

    def __rshift__(self, other: Operand) -> LazyExpression:
        return apply("shr", self, other)

    def __rrshift__(self, other: Operand) -> LazyExpression:
        return apply("shr", other, self)

    # Builds a comparison, so that expressions cannot be keys.
    def __eq__(self, other: Operand) -> LazyExpression:  # pyright: ignore[reportIncompatibleMethodOverride]
        return apply("eq", self, other)

    def __ne__(self, other: Operand) -> LazyExpression:  # pyright: ignore[reportIncompatibleMethodOverride]
        return apply("ne", self, other)

    def __lt__(self, other: Operand) -> LazyExpression:
        return apply("lt", self, other)

    def __le__(self, other: Operand) -> LazyExpression:
        return apply("le", self, other)

    def __gt__(self, other: Operand) -> LazyExpression:
        return apply("gt", self, other)

    def __ge__(self, other: Operand) -> LazyExpression:
        return apply("ge", self, other)

    def __neg__(self) -> LazyExpression:
        return apply("neg", self)

    def __pos__(self) -> LazyExpression:
        return as_expression(self)

    def __invert__(self) -> LazyExpression:
        return apply("not", self)

    def __abs__(self) -> LazyExpression:
        return apply("abs", self)


class Index(_Operators):
    """An index variable; two of the same name are the same variable. In expressions it is its coordinate, an int64."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        if not as_text("the name of an index variable", name).isidentifier():
            raise UserError("bad-index", f"{name!r} is not a name for an index variable")
        self.name = name

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Index({self.name!r})"

    def __hash__(self) -> int:
        return hash(self.name)


class Outside:
    """An index with what to read where it is outside of its dimension. Not a tuple, which would be several indices."""

    __slots__ = ("index", "outside", "value")

    def __init__(self, index: Any, outside: str, value: Scalar | None = None) -> None:
        self.index = index
        self.outside = outside
        self.value = value


class LazyExpression(_Operators):
    """An expression that computes nothing yet. `tensors` maps the names in `tree` to the objects they stand for."""

    __slots__ = ("tensors", "tree")

    def __init__(self, tree: Expression, tensors: Mapping[str, Any]):
        self.tree = tree
        self.tensors = tensors

    def astype(self, dtype: Any) -> LazyExpression:
        """The value in another dtype, as `numpy.ndarray.astype`."""
        return LazyExpression(Apply(cast_name(dtype), (self.tree,)), self.tensors)

    @property
    def real(self) -> LazyExpression:
        """The real part."""
        return apply("real", self)

    @property
    def imag(self) -> LazyExpression:
        """The imaginary part, 0 of a real number."""
        return apply("imag", self)

    def conj(self) -> LazyExpression:
        """The complex conjugate."""
        return apply("conj", self)

    def clip(self, min: Operand = None, max: Operand = None, out: None = None) -> LazyExpression:
        """The value within bounds, as `numpy.clip`; None means no bound."""
        load_for("expressions")
        from irtensor.interop.numpy_ufuncs import clip

        return clip(apply, self, min, max, out)

    def round(self, decimals: int = 0, out: None = None) -> LazyExpression:
        """The value rounded, halves to the even number, as `numpy.round`."""
        load_for("expressions")
        from irtensor.interop.numpy_ufuncs import round_to

        return round_to(apply, self, decimals, out)

    def __repr__(self) -> str:
        try:
            check_size(self.tree, None, None)
        except UserError as error:
            return f"<expression: {error.message}>"
        tree, _ = name_tensors(self.tree, self.tensors)
        return f"<expression {format_expression(tree)}>"

    def where(self, condition: Operand) -> LazyExpression:
        """The value where a condition holds, and nothing elsewhere: as the right side of a definition, or in a
        reduction."""
        parts = [as_expression(condition), self]
        return LazyExpression(If(parts[0].tree, self.tree), _merge(parts))


Operand: TypeAlias = "LazyExpression | Scalar | Any"


def as_expression(value: Operand) -> LazyExpression:
    """An expression as it is, a Python number as a weak literal, a NumPy or rank-0 tensor scalar as an operand."""
    if isinstance(value, LazyExpression):
        return value
    if type(value) in (bool, int, float, complex):
        return LazyExpression(Literal(value), {})
    if isinstance(value, Index):
        return LazyExpression(Variable(value.name), {})
    if getattr(value, "shape", None) == ():
        return access(value, ())
    message = f"{type(value).__name__} cannot take part in an expression without index variables"
    raise UserError("expression-as-value", message, help="index every tensor, as in A[i, j]; wrap arrays in a Tensor")


def apply(operator: str, *arguments: Operand) -> LazyExpression:
    """An operator applied to expressions and numbers."""
    parts = [as_expression(argument) for argument in arguments]
    if any(isinstance(part.tree, If) for part in parts):
        message = f"{operator} has an argument that is nothing where its condition does not hold"
        help = "let .where(c) be the whole right side, or in a reduction; functions.where(c, a, b) chooses a value"
        raise UserError("unsupported-operator", message, help=help)
    return LazyExpression(Apply(operator, tuple(part.tree for part in parts)), _merge(parts))


def reduce_over(operator: str, indices: Index | tuple[Index, ...], body: Operand) -> LazyExpression:
    """`body` combined over all values of the index variables."""
    names = index_names(indices)
    expression = as_expression(body)
    return LazyExpression(Reduce(operator, names, expression.tree), expression.tensors)


def combined(parts: list[LazyExpression], of: Callable[..., Expression]) -> LazyExpression:
    """What a function makes of the trees of several expressions."""
    return LazyExpression(of(*[part.tree for part in parts]), _merge(parts))


def _merge(parts: list[LazyExpression]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for part in parts:
        for name, tensor in part.tensors.items():
            if merged.setdefault(name, tensor) is not tensor:
                message = f"two different tensor variables are called {name}"
                raise UserError("name-conflict", message, help="give each variable a name of its own")
    return merged


def is_lazy(indices: Any) -> bool:
    """Whether there are index variables among indices, or none at all, so that an access is an expression."""
    given = indices if isinstance(indices, tuple) else (indices,)
    return not given or any(isinstance(index, Index | Outside | LazyExpression) for index in given)


def access(tensor: Any, indices: Any) -> LazyExpression:
    """`tensor[indices]`: one component of a Tensor, a NumPy or SciPy array, or a tensor variable.

    `indices` is an Index or a tuple of them, one per dimension. Raises UserError [unsupported-index], [rank-mismatch].
    """
    given = indices if isinstance(indices, tuple) else (indices,)
    is_on_device = getattr(tensor, "is_on_device", False)
    if given and all(type(index) is int for index in given):
        raise _no_index(given[0], is_on_device)  # an element, which takes no statement
    read = [_coordinate(index, is_on_device) for index in given]
    name = tensor_label(tensor)
    check_rank(tensor, name, tuple([format_index(index) for index, _ in read]))
    parts = [LazyExpression(Access(name), {name: tensor}), *(part for _, part in read if part is not None)]
    return LazyExpression(Access(name, tuple([index for index, _ in read])), _merge(parts))


def _coordinate(given: Any, is_on_device: bool) -> tuple[IndexTree, LazyExpression | None]:
    """An index as it is given, and the expression that it is computed by."""
    outside, value = None, None
    if isinstance(given, Outside):
        given, outside, value = given.index, given.outside, given.value
    if isinstance(given, Index) and outside is None:
        return given.name, None
    if type(given) is int:
        given = as_expression(given)
    if not isinstance(given, LazyExpression | Index):
        raise _no_index(given, is_on_device)
    expression = as_expression(given)
    return coordinate_of(expression.tree, None, outside, value), expression


def tensor_label(tensor: Any) -> str:
    """The name of a tensor variable; a placeholder for an object with data, unique while expressions hold it."""
    name = getattr(tensor, "variable_name", None)
    return name if isinstance(name, str) else f"#{id(tensor)}"


def check_rank(tensor: Any, name: str, indices: tuple[str, ...]) -> None:
    rank = tensor.rank if hasattr(tensor, "variable_name") else len(tensor.shape)
    if rank != len(indices):
        shown = "the tensor" if name.startswith("#") else name
        given = f"{len(indices)} {'index' if len(indices) == 1 else 'indices'}"
        raise UserError("rank-mismatch", f"{shown} has {rank} dimensions, {given} given: [{', '.join(indices)}]")


def index_names(indices: Any, is_on_device: bool = False) -> tuple[str, ...]:
    """Names of an Index or a tuple of Index objects, by which something is indexed, on the host or on a GPU."""
    given = indices if isinstance(indices, tuple) else (indices,)
    for index in given:
        if not isinstance(index, Index):
            raise _no_index(index, is_on_device)
    return tuple(index.name for index in given)


def _no_index(index: Any, is_on_device: bool) -> UserError:
    """The error in a subscript, and what to write instead of those that arrays take."""
    make = 'make some with i, j = irtensor.indices("i j")'
    if isinstance(index, str):
        return UserError("unsupported-index", f"{index!r} is not an index variable", help=make)
    shown = repr(index)
    if isinstance(index, slice):
        step = "" if index.step is None else f":{index.step}"
        start, stop = ("" if end is None else end for end in (index.start, index.stop))
        shown = f"{start}:{stop}{step}"
    message = f"a tensor is indexed by index variables, and {shown} is none"
    if is_on_device:
        select = "to take a part, copy it: .to_numpy(), or of a sparse one .to_host(), and there select from .to_coo()"
        return UserError("unsupported-index", message, help=f"{select}; {make}")
    select = "to take a part, do that first: T[2:5][i, j]"
    return UserError("unsupported-index", message, help=f"{select}; {make}")


def make_statement(target: Access, expression: Operand) -> tuple[Statement, dict[str, Any]]:
    """`target = expression` with explicit reductions and readable names, and the tensors by those names."""
    value = as_expression(expression)
    value = LazyExpression(divide_long_sums(value.tree), value.tensors)
    check_size(value.tree, None, None)
    tensors = {target.tensor: None, **value.tensors} if target.tensor.startswith("#") else value.tensors
    tree, names = name_tensors(value.tree, tensors, {target.tensor})
    named = replace(target, tensor=names.get(target.tensor, target.tensor))
    statement = Statement(named, None, tree)
    if isinstance(tree, If):
        statement = Statement(named, None, tree.body, condition=tree.condition)
    check_statement(statement)
    bindings = {names.get(label, label): tensor for label, tensor in value.tensors.items()}
    return insert_reductions(statement), bindings


def name_tensors(
    tree: Expression, tensors: Mapping[str, Any], taken: set[str] | frozenset[str] = frozenset()
) -> tuple[Expression, dict[str, str]]:
    """The tree with A, B, ... in place of placeholders, in order of appearance, and the new names by placeholder."""
    used = {name for name in (*tensors, *taken) if not name.startswith("#")}
    fresh = (name for name in map(operand_name, range(len(tensors) + len(used) + 26)) if name not in used)
    order = [*tensor_names(tree), *(name for name in tensors if name not in tensor_names(tree))]
    names = {placeholder: next(fresh) for placeholder in order if placeholder.startswith("#")}
    return with_names(tree, names), names


def with_names(tree: Expression, names: Mapping[str, str]) -> Expression:
    """The tree with other names of tensors."""
    match tree:
        case Access():
            return _rename_access(tree, names)
        case Apply():
            return replace(tree, arguments=tuple(with_names(argument, names) for argument in tree.arguments))
        case Reduce():
            return replace(tree, body=with_names(tree.body, names))
        case If():
            return replace(tree, condition=with_names(tree.condition, names), body=with_names(tree.body, names))
        case Literal() | Variable():
            return tree


def _rename_in(index: IndexTree, names: Mapping[str, str]) -> IndexTree:
    """An index with other names of the tensors whose elements it is computed from."""
    if isinstance(index, str):
        return index
    return with_terms(index, lambda term: term if isinstance(term, str) else _rename_access(term, names))


def _rename_access(access: Access, names: Mapping[str, str]) -> Access:
    indices = tuple([_rename_in(index, names) for index in access.indices])
    return replace(access, tensor=names.get(access.tensor, access.tensor), indices=indices)
