"""A statement that is a product of more than two tensors, and the kernels of its pairs where these take less time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from irtensor.compiler.compile_request import CompileRequest
from irtensor.compiler.dense_product import compile_product
from irtensor.compiler.kernel_signature import KernelSignature, PassedTensor, ResultTensor
from irtensor.compiler.specialiser import Specialisation
from irtensor.compiler.twin import twin
from irtensor.dialects.diagnostics import UserError
from irtensor.frontend.contraction_choice import Choice
from irtensor.frontend.contraction_order import Contraction, contractions_of
from irtensor.frontend.contraction_steps import (
    Operand,
    ProductOfTensors,
    Ring,
    Step,
    choose_steps,
    compile_steps,
    run_steps,
)
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import Access, Apply, Expression, Reduce, Statement
from irtensor.late_imports import load_for
from irtensor.memory_cache import MemoryCache
from irtensor.options import environment_of_code
from irtensor.planning.call_sizes import magnitudes

if TYPE_CHECKING:
    from irtensor.frontend.kernel_request import CompiledStatement
    from irtensor.options import Options


class _Terms(NamedTuple):
    """The factors of a product, by the operators of sum and product."""

    addition: str
    multiplication: str
    factors: tuple[Access, ...]


class _Why(NamedTuple):
    """A choice, and the steps that follow from it."""

    product: ProductOfTensors
    choice: Choice
    steps: Sequence[Contraction]


class StatementInPairs:
    """The choice between one kernel and several, for operands of some kinds and orders of magnitude."""

    def __init__(self, statement: Statement, settings: Callable[[], Options]) -> None:
        self._statement = statement
        self._settings = settings
        self._terms = _terms_of(statement)
        self._known: MemoryCache[Any, tuple[Specialisation | None, _Why | None]] = MemoryCache()
        self._environment: tuple[str | None, ...] | None = None
        # What was said of the last choice, and for what operands it was made: most calls have such ones again.
        self._why: _Why | None = None
        self._last: tuple[Any, list[Any], list[int], Specialisation | None] = None, [], [], None

    @property
    def may_split(self) -> bool:
        """Whether there is a choice for any operands."""
        return self._terms is not None

    def text(self) -> list[str]:
        """What the last choice was, and why, for people; nothing where there was none."""
        if self._why is None:
            return []
        load_for("explaining")
        from irtensor.frontend.choice_text import choice_text

        product, choice, steps = self._why
        return choice_text(product, choice, steps, product.operands[0].description.dtype.itemsize)

    def again(self, settings: Callable[[], Options], environment: tuple[str | None, ...]) -> StatementInPairs:
        """One that knows what this one knows, see Specialiser."""
        other = twin(self)
        other._settings, other._environment, other._why = settings, environment, None
        other._last = None, [], [], None
        return other

    def kernel_for(
        self, key: Any, data: Sequence[Any], request_for: Callable[[Any], CompileRequest]
    ) -> Specialisation | None:
        """The kernels of pairs, called as one; None for one kernel."""
        shapes = [one.shape for one in data]
        entries = [one.values.size for one in data if type(one) is not np.ndarray]
        last = self._last
        if last[0] == key and last[1] == shapes and last[2] == entries:
            return last[3]
        place = key, magnitudes(data)
        known = self._known[place]
        if known is None:
            if self._environment is not None and self._environment != environment_of_code():
                self._known, self._environment = self._known.copied(), None
            known = self._known[place] = self._chosen(request_for(key), data)
        self._why = known[1]
        self._last = key, shapes, entries, known[0]
        return known[0]

    def _chosen(self, request: CompileRequest, data: Sequence[Any]) -> tuple[Specialisation | None, _Why | None]:
        settings = self._settings()
        product = self._product(request, data)
        if product is None or not settings.may_regroup:
            return None, None
        by_name = dict(zip(request.names(), data, strict=True))
        given = [by_name[operand.name] for operand in product.operands]
        entries = [None if type(one) is np.ndarray else one.values.size for one in given]
        dtype = product.operands[0].description.dtype
        choice = choose_steps(product, entries, sum([one.nbytes for one in data]), dtype)
        if choice is None:
            return None, None
        steps = contractions_of([operand.labels for operand in product.operands], product.output, choice.path)
        kernel = self._compiled(request, product, choice, steps, settings) if choice.splits else None
        if choice.splits and kernel is None:
            return None, None
        why = _Why(product, choice, steps)
        return None if kernel is None else Specialisation(request, cast(Any, kernel)), why

    def _product(self, request: CompileRequest, data: Sequence[Any]) -> ProductOfTensors | None:
        """The product, if all is of one type, in which sums of sums are what one sum is."""
        terms, described = self._terms, dict(request.operands)
        assert terms is not None
        dtypes = {one.dtype for one in described.values()}
        if len(dtypes) > 1 or request.result_dtype not in (None, *dtypes) or request.kind != "fused":
            return None
        (dtype,) = dtypes
        zero = None
        if (terms.addition, terms.multiplication) != ("add", "mul"):
            from irtensor.dialects.operators import OPERATORS

            if terms.addition not in OPERATORS:
                return None  # declared by the user, with an identity of its own
            zero = OPERATORS[terms.addition].identity(element_name(dtype))
        elif dtype.kind == "b":
            return None
        extents: dict[str, int] = {}
        shapes = dict(zip(request.names(), [one.shape for one in data], strict=True))
        for access in terms.factors:
            extents.update(zip(access.indices, shapes[access.tensor], strict=True))
        operands = tuple([Operand(one.tensor, one.indices, described[one.tensor]) for one in terms.factors])
        output, format = request.statement.target.indices, request.result_format
        ring = Ring(terms.addition, terms.multiplication, (), zero)
        return ProductOfTensors(operands, output, format, extents, ring)

    def _compiled(
        self,
        request: CompileRequest,
        product: ProductOfTensors,
        choice: Choice,
        contractions: Sequence[Contraction],
        settings: Options,
    ) -> KernelInPairs | None:
        """The kernels; None where they cannot be had, or would compute in another type."""
        options = settings.as_keywords()
        parts: list[CompileRequest] = []

        def compile_part(
            statement: Statement, operands: Mapping[str, Any], result_format: Any = None, **asked: Any
        ) -> Any:
            parts.append(CompileRequest(statement, tuple(operands.items()), result_format, wide=asked.get("wide")))
            return compile_product(statement, operands, result_format, options=options, **asked)

        def loops() -> CompiledStatement:
            load_for("calls")
            from irtensor.compiler.statement_by_size import kernel_by_size

            return kernel_by_size(request, options)

        try:
            steps = compile_steps(product, contractions, compile_part, choice)
        except UserError:
            return None
        dtype = product.operands[0].description.dtype
        if any([step.kernel.result_dtype != dtype for step in steps]):
            return None
        at_once = loops if choice.is_mixed and dtype.kind in "fc" else None
        return KernelInPairs(request, product, steps, tuple(parts), at_once)


class KernelInPairs:
    """Kernels of pairs, called as the Kernel of the statement is.

    `at_once` gives that one, which is called where a result has a NaN: an infinity makes one beside an entry that an
    intermediate has and an operand has not.
    """

    def __init__(
        self,
        request: CompileRequest,
        product: ProductOfTensors,
        steps: tuple[Step, ...],
        parts: tuple[CompileRequest, ...],
        at_once: Callable[[], CompiledStatement] | None,
    ) -> None:
        self.argument_names = request.names()
        self.result_dtype = steps[-1].kernel.result_dtype
        self.warnings = tuple(dict.fromkeys([warning for step in steps for warning in step.kernel.warnings]))
        self.parts = parts
        self._places = [self.argument_names.index(operand.name) for operand in product.operands]
        self._steps = steps
        self._at_once = at_once
        passed = [PassedTensor(n, one.rank, one.format) for n, (_, one) in enumerate(request.operands)]
        result = ResultTensor(self.result_dtype, request.result_format, request.extent_sources()[0])
        self.signature = KernelSignature(self.argument_names, tuple(passed), (result,), warnings=self.warnings)

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None, index: Any = None) -> Any:
        """The result; see CompiledStatement."""
        shape = self.signature.result.shape(operands)
        result = run_steps(self._steps, [operands[place] for place in self._places], shape, out)
        if self._at_once is not None and np.isnan(result).any():
            return self.loops(operands, out)
        return result

    @cached_property
    def loops(self) -> CompiledStatement:
        """One kernel for all."""
        assert self._at_once is not None
        return self._at_once()

    def prepare(self, operands: Sequence[Any]) -> None:
        """The kernels are compiled."""

    def on_stream(self, stream: Any) -> KernelInPairs:
        """Raises UserError [bad-argument]: see Kernel."""
        from irtensor.compiler.kernel import refuse_stream

        raise refuse_stream(self.signature.target)


def _terms_of(statement: Statement) -> _Terms | None:
    """A sum of a product of more than two tensors, with one operator for all sums and another one for all products."""
    sums: list[tuple[Reduce, tuple[Access, ...]]] = []
    products: set[str] = set()
    factors = _factors(statement.expression, sums, products)
    if factors is None or len(factors) < 3 or statement.exact or not sums:
        return None
    additions, bound = {one.operator for one, _ in sums}, [index for one, _ in sums for index in one.indices]
    if len(additions) > 1 or len(products) > 1 or len({*bound, *statement.target.indices}) < len(bound):
        return None
    # Sums of inner products go over all factors where nothing outside of them has their indices.
    for one, inside in sums:
        used = [access for access in factors if {*access.indices} & {*one.indices}]
        if any([access not in inside for access in used]) or _count(used, inside, factors) > 0:
            return None
    if {*bound} & {*statement.target.indices} or {*statement.target.indices} - {i for f in factors for i in f.indices}:
        return None
    (addition,), (multiplication,) = additions, products
    return _Terms(addition, multiplication, factors)


def _count(used: Sequence[Access], inside: Sequence[Access], factors: Sequence[Access]) -> int:
    """How many equal accesses outside of a sum there are beside those in it."""
    return sum([factors.count(access) - inside.count(access) for access in {*used}])


def _factors(
    expression: Expression, sums: list[tuple[Reduce, tuple[Access, ...]]], products: set[str]
) -> tuple[Access, ...] | None:
    match expression:
        case Access():
            return (expression,)
        case Reduce():
            inside = _factors(expression.body, sums, products)
            if inside is not None:
                sums.append((expression, inside))
            return inside
        case Apply() if len(expression.arguments) == 2:
            products.add(expression.operator)
            found = [_factors(argument, sums, products) for argument in expression.arguments]
            return None if None in found else tuple([one for its in found for one in its or ()])
        case _:
            return None
