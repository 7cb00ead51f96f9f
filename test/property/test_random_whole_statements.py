"""Random statements of several sums: native code gives what the oracle gives, and each pass alone keeps the meaning."""

from __future__ import annotations

import numpy as np
import pytest
from count_operations import run_kernel
from random_whole_statements import random_case
from reference.evaluate_dense import evaluate_dense
from reference.interpret_concrete_index import interpret_concrete_index
from reference.interpret_index_notation import interpret_index_notation, scalars_of
from reference.interpret_loop import interpret_loop
from sampling import few_or_many
from whole_statements import Case, prepared
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import irtensor as it
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.errors import UserError
from irtensor.options import current_options
from irtensor.passes import get_all_passes
from irtensor.passes.repairs.insert_conversions import converted_operands

CHOICES = PipelineChoices.of(True, current_options(num_threads=1))
# Rows that no vector divides, and some without entries.
MOST = 11


def expected_of(case: Case, arrays: dict[str, np.ndarray]) -> np.ndarray:
    sizes = {index: min(MOST, extent) for index, extent in case.extents().items()}
    return evaluate_dense(case.statement, arrays, sizes)


def same(actual: np.ndarray, expected: np.ndarray, what: str) -> None:
    np.testing.assert_allclose(np.asarray(actual, float), expected, rtol=1e-9, atol=1e-9, err_msg=what)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("number", range(few_or_many(8, 300)))
def test_native_code(number: int, threads: int, small_parts: None):
    case = random_case(number)
    arrays = case.arrays(most=MOST)
    kernel = it.compile(case.name.partition("|")[0], formats=dict(case.formats), num_threads=threads)
    operands = {n: it.Tensor.from_numpy(a, case.formats[n]) if n in case.formats else a for n, a in arrays.items()}
    same(kernel(**operands), expected_of(case, arrays), case.name)


def apply(name: str, module: ModuleOp) -> None:
    get_all_passes()[name]()(**CHOICES.options.get(name, {})).apply(Context(), module)
    module.verify()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", range(few_or_many(6, 150)))
def test_each_pass_down_to_levels(number: int):
    case = random_case(number)
    arrays = case.arrays(most=4)
    sizes = {index: min(4, extent) for index, extent in case.extents().items()}
    expected = evaluate_dense(case.statement, arrays, sizes)
    request = prepared(case.statement, case.formats, arrays, last="index_notation")
    module = request.module
    dense = [scalars_of(arrays[name]) for name in request.argument_names]
    names = [*CHOICES.passes("index_notation", "concrete_index"), "merge-dense-dimensions"]
    for name in names:
        apply(name, module)
        if any(op.name.startswith("index_notation.") for op in module.walk()):
            (actual,) = interpret_index_notation(module, dense)
        else:
            function = next(op for op in module.ops if isinstance(op, FuncOp))
            operands = iter(dense)
            sources = converted_operands(function)
            given = [next(operands) if source is None else dense[source] for source in sources]
            (actual,) = interpret_concrete_index(module, given, expected.shape)
        same(actual, expected, f"{case.name} after {name}")


@pytest.mark.parametrize("number", range(few_or_many(1, 60)))
def test_each_pass_on_loops(number: int):
    case = random_case(number)
    arrays = case.arrays(most=MOST)
    expected = expected_of(case, arrays)
    names = [name for name in CHOICES.passes("loop", "cpu") if name != "poll-interrupts"]
    for count in range(len(names) + 1):
        request = prepared(case.statement, case.formats, arrays)

        def run(arguments: list[object], module: ModuleOp = request.module) -> None:
            apply("lower-algebra-to-arith", module)
            assert interpret_loop(module, "kernel", arguments) == 0

        actual, _ = run_kernel(
            request.module, request.argument_names, arrays, expected.shape, run, passes=names[:count]
        )
        same(actual, expected, f"{case.name} after {names[count - 1] if count else 'all passes down to loops'}")


def test_refusals_are_few():
    """What is drawn has loops in some order: these tests skip nothing."""
    for number in range(60):
        case = random_case(number)
        try:
            prepared(case.statement, case.formats, case.arrays(most=MOST))
        except UserError as error:
            pytest.fail(f"{case.name}: {error}")
