"""Compares a compiled statement with the dense oracle over operands of all kinds: empty, full, with holes, extent 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from reference.evaluate_dense import evaluate_dense
from reference.random_operands import random_operand
from reference.rounding import Rounding, distance, is_wrong

from irtensor.compiler.compilation.compile_kernel import compile_statement
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.bind_extents import WideIndices
from irtensor.frontend.expression_tree import Reduce, Statement, accesses, tensor_names, walk
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.frontend.user_operator import UserOperator
from irtensor.tensors.device_array import DeviceArray
from irtensor.tensors.tensor import Tensor

DEFAULT_POOL = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
# Extents of i, j, k, l, and how the operands are stored.
Situations: TypeAlias = tuple[tuple[tuple[int, int, int, int], tuple[str, ...]], ...]
SITUATIONS: Situations = (
    ((4, 5, 3, 2), ("sparse", "sparse", "sparse")),
    ((3, 4, 5, 3), ("sparse", "full", "holes")),
    ((5, 3, 4, 2), ("holes", "sparse", "full")),
    ((2, 3, 4, 3), ("full", "full", "full")),
    ((4, 4, 4, 4), ("empty", "sparse", "sparse")),
    ((4, 4, 4, 4), ("sparse", "empty", "holes")),
    ((3, 2, 2, 1), ("empty", "empty", "empty")),
    ((1, 1, 1, 1), ("full", "sparse", "full")),
    ((0, 3, 2, 1), ("sparse", "full", "full")),
    ((3, 0, 2, 1), ("full", "sparse", "full")),
    ((2, 3, 0, 1), ("full", "sparse", "full")),
)


@dataclass(frozen=True)
class Case:
    """A statement, the formats of its operands (None: a NumPy array) and of its result, and where values come from."""

    notation: str
    formats: Mapping[str, TensorFormat | None]
    result: TensorFormat | None = None
    pools: Mapping[str, np.ndarray] = field(default_factory=dict)
    operators: tuple[UserOperator, ...] = ()

    def __str__(self) -> str:
        operands = ", ".join(f"{name}: {self.pool(name).dtype} {format}" for name, format in self.formats.items())
        return f"{self.notation} with {operands} -> {self.result}"

    def pool(self, name: str) -> np.ndarray:
        return self.pools.get(name, DEFAULT_POOL)

    def statement(self) -> Statement:
        names = [operator.name for operator in self.operators]
        return insert_reductions(parse_statement(self.notation, names))


def _as_it_is(operand: Any) -> Any:
    return operand


def compare_with_oracle(
    case: Case,
    *,
    convert: bool = False,
    seed: int = 0,
    huge: tuple[str, ...] = (),
    place: Callable[[Any], Any] = _as_it_is,
    situations: Situations = SITUATIONS,
    **options: Any,
) -> None:
    """Compile the case and run it in every situation; raises AssertionError with what a reader needs to repeat it.

    `convert` allows operands to be converted before the call where their storage orders contradict each other; `huge`
    names index variables that the kernel is compiled for as if they had such extents that no memory is taken for them;
    `place` gives an operand as the kernel takes it, from one in the memory of the host;
    `situations` are extents of i, j, k and l, and how operands are stored;
    `options` are those of irtensor.options, in place of the environment's.
    """
    statement = case.statement()
    names = tensor_names(statement.expression)
    ranks = {access.tensor: len(access.indices) for access in accesses(statement.expression)}
    operands = {name: OperandDescription(case.pool(name).dtype, ranks[name], case.formats[name]) for name in names}
    kernel = compile_statement(
        statement,
        operands,
        case.result,
        operators=case.operators,
        convert=convert,
        options={"disk_cache": False, **options},
        wide=WideIndices(huge, ()) if huge else None,
    )
    random = np.random.default_rng(seed)
    for extents, patterns in situations:
        sizes: dict[str, int] = dict(zip("ijkl", extents, strict=True))
        pairs = {
            (access.tensor, tuple(sizes[i] for i in access.plain_indices)) for access in accesses(statement.expression)
        }
        shapes = dict(pairs)
        if len(shapes) < len(pairs):
            continue  # a tensor that is read with its indices exchanged has equal extents
        made = {
            name: random_operand(shapes[name], case.formats[name], case.pool(name), patterns[k % 3], random)
            for k, name in enumerate(names)
        }
        dense = {name: array for name, (_, array) in made.items()}
        evaluate = partial(evaluate_dense, statement, dense, None, case.operators)
        expected = evaluate()
        try:
            result = kernel([place(made[name][0]) for name in kernel.argument_names])
        except UserError as error:
            if error.slug != "empty-reduction":
                raise
            assert _is_inexpressible(statement, sizes, case.result, expected), f"{case} is refused for {sizes}"
            continue
        _check(case, made, result, expected, evaluate)


def _is_inexpressible(
    statement: Statement, sizes: Mapping[str, int], result: TensorFormat | None, expected: np.ndarray
) -> bool:
    """Whether a reduction is over no elements and a sparse result has elements for it."""
    reductions = [node for node in walk(statement.expression) if isinstance(node, Reduce)]
    is_sparse = result is not None and not result.is_dense and expected.size > 0
    return is_sparse and any(sizes[index] == 0 for node in reductions for index in node.indices)


def _check(
    case: Case,
    made: Mapping[str, tuple[object, np.ndarray]],
    result: object,
    expected: np.ndarray,
    evaluate: Callable[[Rounding], np.ndarray],
) -> None:
    if isinstance(result, Tensor):
        result.check("result")
        actual = result.to_numpy()
    else:
        actual = result.to_numpy() if isinstance(result, DeviceArray) else np.asarray(result)
    assert actual.shape == expected.shape and actual.dtype == expected.dtype, (
        f"{case}: {actual.shape} {actual.dtype}, expected {expected.shape} {expected.dtype}"
    )
    apart = distance(actual, expected)
    if is_wrong(apart, evaluate, expected):
        inputs = "\n".join(f"{name} =\n{dense!r}" for name, (_, dense) in made.items())
        raise AssertionError(f"{case}\n{inputs}\nactual =\n{actual!r}\nexpected =\n{expected!r}")
