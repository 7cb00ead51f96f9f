"""Every pass down to `loop` keeps what a random statement means, and native code computes it."""

import numpy as np
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from reference.interpret_concrete_index import interpret_concrete_index
from reference.interpret_index_notation import interpret_index_notation, scalars_of
from reference.interpret_iteration_lattice import interpret_iteration_lattice
from reference.random_operands import PATTERNS, random_operand
from sampling import few_or_many
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp

from irtensor.compiler.compilation.compile_kernel import compile_statement
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.core.level_format import LevelFormat
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp
from irtensor.dialects.storage.storage import format_of as storage_format
from irtensor.errors import UserError
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Literal,
    Reduce,
    Statement,
    free_indices,
    tensor_names,
)
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.options import current_options
from irtensor.passes import get_all_passes
from irtensor.passes.iteration_lattice.lower_jumper import lower_jumper
from irtensor.passes.iteration_lattice.lower_lookup import lower_lookup
from irtensor.passes.iteration_lattice.lower_run import lower_run
from irtensor.passes.iteration_lattice.lower_sequence import lower_sequence
from irtensor.passes.iteration_lattice.lower_spike import lower_spike
from irtensor.passes.iteration_lattice.lower_stepper import lower_stepper
from irtensor.passes.iteration_lattice.lower_switch import lower_switch
from irtensor.passes.iteration_lattice.lower_thunk import lower_thunk
from irtensor.passes.iteration_lattice.unfurl import unfurl
from irtensor.passes.pipelines import passes_between
from irtensor.tensors.tensor import Tensor

RANKS = {"x": 1, "y": 1, "A": 2, "B": 2, "T": 3}
OPERATORS = ("add", "mul", "sub", "min", "max", "first", "second")
# The rewrites of lower-looplets, by priority.
REWRITES = (
    *(unfurl, lower_thunk, lower_run, lower_switch, lower_sequence),
    *(lower_jumper, lower_stepper, lower_spike, lower_lookup),
)
POOL = np.array([-2.0, -1.0, 1.0, 2.0, 3.0])


@st.composite
def expressions(draw, variables, depth=2):
    kind = draw(
        st.sampled_from(["access"] * 2 + ["apply"] * 4 * min(depth, 1) + ["reduce"] * min(depth, 1) + ["literal"])
    )
    if kind == "apply":
        operator = draw(st.sampled_from(OPERATORS))
        return Apply(operator, tuple(draw(expressions(variables, depth - 1)) for _ in range(2)))
    if kind == "reduce":
        bound = f"r{depth}"
        body = draw(expressions((*variables, bound), depth - 1))
        if bound in free_indices(body):
            return Reduce(draw(st.sampled_from(["add", "max", "mul"])), (bound,), body)
        return body
    if kind == "literal":
        return Literal(draw(st.sampled_from([0.0, 1.0, 2.0])))
    name = draw(st.sampled_from(sorted(RANKS)))
    return Access(name, tuple(draw(st.lists(st.sampled_from(variables), min_size=RANKS[name], max_size=RANKS[name]))))


@st.composite
def formats(draw, rank):
    order = draw(st.permutations(range(rank)))
    heads = [LevelFormat("singleton", unique=False)] * (rank - 2) + [LevelFormat("singleton")]
    names = st.sampled_from(["dense", "dense", "compressed", "compressed", "bitmap", "hashed", "padded"])
    choices = [[LevelFormat(draw(names)) for _ in range(rank)]] * 3
    if rank > 1:
        choices.append([LevelFormat("compressed", unique=False), *heads])
    levels = draw(st.sampled_from(choices))
    fill = 0 if all(level.name == "dense" for level in levels) else draw(st.sampled_from([0, 0, 0, 1, 2]))
    return TensorFormat.of(levels, order, fill)


@st.composite
def problems(draw):
    """A statement, the formats of its operands and its result, and data; all extents are equal."""
    target = draw(st.sampled_from([(), ("i",), ("i", "j"), ("j", "i"), ("i", "j", "k")]))
    reduced = draw(st.sampled_from([(), ("k",), ("j",), ("j", "k")]))
    variables = tuple(dict.fromkeys((*target, *reduced)))
    assume(variables)
    expression = draw(expressions(variables))
    used = free_indices(expression)
    assume(all(index in used for index in target))
    inner = tuple(index for index in used if index not in target)
    if inner:
        expression = Reduce(draw(st.sampled_from(["add", "add", "max", "mul"])), inner, expression)
    names = tensor_names(expression)
    assume(names)
    chosen = {name: draw(formats(RANKS[name])) for name in names}
    result = draw(st.one_of(st.none(), formats(len(target)).map(lambda format: format.writable))) if target else None
    seed, extent = draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 3))
    pattern = draw(st.sampled_from(sorted(PATTERNS)))
    random = np.random.default_rng(seed)
    data = {name: random_operand((extent,) * RANKS[name], chosen[name], POOL, pattern, random) for name in names}
    return Statement(Access("out", target), None, expression), chosen, result, data, extent


def describe(chosen):
    return {name: OperandDescription(POOL.dtype, RANKS[name], format) for name, format in chosen.items()}


def arguments_of(module, operands):
    """The operands of a function's arguments; conversions of them that a pass asked for are further arguments."""
    function = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    result = list(operands)
    attributes = function.arg_attrs.data if function.arg_attrs is not None else ()
    for number, argument in enumerate(function.body.block.args):
        converted = attributes[number].data.get("storage.converts") if attributes else None
        if isinstance(converted, IntegerAttr):
            source = operands[converted.value.data]
            if isinstance(source, Tensor):
                source = source.to_format(storage_format(argument.type))
            result[number:] = [source, *result[number + 1 :]]
    return result


CHOICES = PipelineChoices.of(convert=True, settings=current_options())


def run(name, module, choices=CHOICES):
    get_all_passes()[name]()(**choices.options.get(name, {})).apply(Context(), module)
    module.verify()
    get_all_passes()["verify-dominance"]()().apply(Context(), module)


def same(actual, expected, after=""):
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9, err_msg=f"after {after}")


def compile_or_skip(action):
    try:
        return action()
    except UserError as error:
        assume(error.slug not in ("loop-order-cycle", "output-needs-workspace", "unordered-merge", "unordered-search"))
        raise


SETTINGS = settings(
    max_examples=few_or_many(5, 200),
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.generate],
)


@SETTINGS
@given(problems())
def test_concrete_index_passes_keep_meaning(problem):
    statement, chosen, result, data, _ = problem
    module = build_index_notation(statement, describe(chosen), result).module
    names = tensor_names(statement.expression)
    dense = [scalars_of(data[name][1]) for name in names]
    (expected,) = interpret_index_notation(module, dense)
    for name in CHOICES.passes("index_notation", "concrete_index"):
        compile_or_skip(lambda name=name: run(name, module))
        is_left = any(op.name.startswith("index_notation.") for op in module.walk())
        interpret = interpret_index_notation if is_left else interpret_concrete_index
        (actual,) = interpret(module, dense if is_left else arguments_of(module, dense))
        same(actual, expected, name)


@SETTINGS
@given(problems())
def test_looplet_rewrites_keep_meaning(problem):
    statement, chosen, result, data, extent = problem
    module = build_index_notation(statement, describe(chosen), result).module
    names = tensor_names(statement.expression)
    (expected,) = interpret_index_notation(module, [scalars_of(data[name][1]) for name in names])
    for name in passes_between("index_notation", "iteration_lattice"):
        compile_or_skip(lambda name=name: run(name, module))
    operands = arguments_of(module, [data[name][0] for name in names])
    shape = (extent,) * len(statement.target.indices)
    same(interpret_iteration_lattice(module, operands, shape), expected)
    while (loop := outermost(module)) is not None:
        name = compile_or_skip(lambda loop=loop: next(rewrite for rewrite in REWRITES if rewrite(loop))).__name__
        module.verify()
        same(interpret_iteration_lattice(module, operands, shape), expected, name)


def outermost(op):
    """The first coiterate that is in no other."""
    for region in op.regions:
        for inner in region.block.ops:
            found = inner if isinstance(inner, CoiterateOp) else outermost(inner)
            if found is not None:
                return found
    return None


@SETTINGS
@given(problems())
def test_native_code_computes_index_notation(problem):
    statement, chosen, result, data, _ = problem
    request = build_index_notation(statement, describe(chosen), result)
    dense = [scalars_of(data[name][1]) for name in tensor_names(statement.expression)]
    (expected,) = interpret_index_notation(request.module, dense)
    options = {"disk_cache": False}
    kernel = compile_or_skip(lambda: compile_statement(statement, describe(chosen), result, options=options))
    actual = kernel([data[name][0] for name in kernel.argument_names])
    if isinstance(actual, Tensor):
        actual.check("result")
        actual = actual.to_numpy()
    same(actual, expected)
