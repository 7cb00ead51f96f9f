"""Einsum subscripts: NumPy's rules, checked against NumPy itself on random calls, and contraction orders."""

import math
import random
from typing import Any

import numpy as np
import pytest
from reference.evaluate_dense import evaluate_dense

from irtensor.core.diagnostics import UserError
from irtensor.frontend.einsum.contraction_order import normalize_optimize, order_contractions
from irtensor.frontend.einsum.einsum_parser import (
    bind_shapes,
    build_statement,
    operand_name,
    parse_subscripts,
    split_arguments,
)


def evaluate(*arguments, keep: bool = False) -> np.ndarray:
    subscripts, operands = split_arguments(arguments)
    arrays = [np.asarray(operand) for operand in operands]
    bound = bind_shapes(subscripts, [array.shape for array in arrays], [keep] * len(arrays))
    arrays = [np.squeeze(array, axes) for array, axes in zip(arrays, bound.squeezed, strict=True)]
    names = [operand_name(position) for position in range(len(arrays))]
    statement = build_statement(bound.inputs, bound.output, names)
    result = evaluate_dense(statement, dict(zip(names, arrays, strict=True)))
    assert result.shape == bound.shape
    return result


def random_call(generator: random.Random) -> tuple[Any, ...]:
    """A call of einsum, mostly valid."""
    dims = {label: generator.choice([1, 2, 3]) for label in "ijkL"}
    terms, operands = [], []
    for _ in range(generator.choice([1, 1, 2, 2, 3])):
        labels = generator.choices("ijkL", k=generator.randint(0, 3))
        shape = [dims[label] if generator.random() < 0.85 else 1 for label in labels]
        if generator.random() < 0.4:
            place = generator.randint(0, len(labels))
            shape[place:place] = generator.choices([2, 2, 1], k=generator.randint(0, 2))
            labels.insert(place, "...")
        if generator.random() < 0.05:
            shape.append(2)
        if generator.random() < 0.03:
            labels.append(generator.choice([".", "-", " ", "%", "...", "->", ">", "i"]))
        terms.append(generator.choice(["", " "]).join(labels))
        operands.append(np.array([generator.randint(-9, 9) for _ in range(int(np.prod(shape)))]).reshape(shape))
    text = ",".join(terms)
    if generator.random() < 0.6:
        output = [label for label in generator.sample("ijkL", generator.randint(0, 3)) if label in text]
        if "..." in text and generator.random() < 0.9:
            output.insert(generator.randint(0, len(output)), "...")
        if generator.random() < 0.05:
            output.append(generator.choice("ijz"))
        text += "->" + "".join(output)
    if generator.random() < 0.03 and len(operands) > 1:
        operands.pop()
    return (text, *operands)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("keep", [False, True])
def test_random_calls_agree_with_numpy(seed: int, keep: bool):
    generator = random.Random(seed)
    for _ in range(500):
        call = random_call(generator)
        try:
            expected = np.einsum(*call)
        except ValueError:
            with pytest.raises(UserError):
                evaluate(*call, keep=keep)
        else:
            np.testing.assert_array_equal(evaluate(*call, keep=keep), expected, err_msg=call[0])


def test_interleaved_form():
    a, b = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(evaluate(a, [0, 1], b, [1, 2]), a @ b)
    np.testing.assert_array_equal(evaluate(a, [0, 1], b, [1, 2], [2, 0]), (a @ b).T)
    np.testing.assert_array_equal(evaluate(a, np.array([1, 0])), a.T)
    np.testing.assert_array_equal(evaluate(a, [0, Ellipsis], a, [0, Ellipsis]), np.einsum("i...,i...", a, a))


@pytest.mark.parametrize("arguments", [(0, 0), (None,) * 63, ([1], "i"), ([1], [0.5])])
def test_wrong_types_are_type_errors_too(arguments: tuple[Any, ...]):
    with pytest.raises(TypeError):
        split_arguments(arguments)


@pytest.mark.parametrize("arguments", [(), ("",), ([1], [52]), ([1], [-1]), ([[1]],)])
def test_wrong_values(arguments: tuple[Any, ...]):
    with pytest.raises(UserError):
        evaluate(*arguments)


def test_unicode_labels():
    a = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(evaluate("αβ->βα", a), a.T)
    np.testing.assert_array_equal(evaluate("βα", a), a.T)


@pytest.mark.parametrize(
    ("text", "shapes", "slug", "column", "message"),
    [
        ("ij,%j", [(2, 3), (3, 3)], "bad-subscripts", 4, "'%'"),
        ("ij,..j", [(2, 3), (3, 3)], "bad-subscripts", 4, "ellipsis"),
        ("ij,j->ik", [(2, 3), (3,)], "bad-subscripts", 7, "'k' does not appear"),
        ("ij,j->ii", [(2, 3), (3,)], "bad-subscripts", 7, "more than once"),
        ("ij,jk", [(2, 3), (3,)], "rank-mismatch", 4, "operand 1 has 1 dimensions"),
        ("ij,j", [(2, 3, 4), (3,)], "rank-mismatch", 1, "operand 0 has 3 dimensions"),
        ("i...->i", [(2, 3)], "bad-subscripts", 7, "no '...'"),
        ("ij,j", [(2, 3)], "operand-count", 1, "fewer operands"),
    ],
)
def test_errors_are_located(text, shapes, slug, column, message):
    with pytest.raises(UserError) as caught:
        bind_shapes(parse_subscripts(text), shapes)
    assert caught.value.slug == slug
    assert caught.value.location is not None and caught.value.location.column == column
    assert message in str(caught.value)


def test_extent_errors_name_label_and_operands():
    with pytest.raises(UserError, match="index 'j' has extent 3 in operand 0 and 4 in operand 1"):
        bind_shapes(parse_subscripts("ij,j"), [(2, 3), (4,)])
    with pytest.raises(UserError, match="operand 0 has extents 4 and 6 for the repeated index 'b'"):
        bind_shapes(parse_subscripts("aabcb,abc"), [(3, 3, 4, 5, 6), (3, 4, 5)])


def bound_chain():
    return bind_shapes(parse_subscripts("ij,jk,kl,l->i"), [(9, 8), (8, 7), (7, 6), (6,)])


def test_one_fused_statement_without_optimize():
    (step,) = order_contractions(bound_chain(), False)
    assert step.positions == (0, 1, 2, 3) and step.output == ("i",)


@pytest.mark.parametrize("optimize", [True, "greedy", "optimal", "auto", ("greedy", 10_000)])
def test_pairwise_orders(optimize):
    steps = order_contractions(bound_chain(), normalize_optimize(optimize))
    assert [len(step.positions) for step in steps] == [2, 2, 2]
    assert steps[-1].output == ("i",)
    if optimize not in ("greedy", ("greedy", 10_000)):
        # From the right: matrix times vector each time. Greedy does not see that.
        assert [step.output for step in steps] == [("k",), ("j",), ("i",)]


def test_explicit_path():
    path = ["einsum_path", (0, 1), (0, 1), (0, 1)]
    steps = order_contractions(bound_chain(), normalize_optimize(path))
    assert steps[0].inputs == (("i", "j"), ("j", "k"))


@pytest.mark.parametrize("path", [[(0, 1), (0, 1)], [(0, 9), (0, 1), (0, 1)], [(0, 0), (0, 1), (0, 1)], []])
def test_invalid_paths_are_runtime_errors_too(path):
    with pytest.raises(RuntimeError):
        order_contractions(bound_chain(), ("einsum_path", *path))


def test_unknown_strategies():
    with pytest.raises(UserError, match="bad-path"):
        order_contractions(bound_chain(), normalize_optimize("fastest"))
    with pytest.raises(TypeError):
        normalize_optimize(3)


def test_an_infinite_limit_is_none():
    assert normalize_optimize(("greedy", math.inf)) == normalize_optimize("greedy")
    assert normalize_optimize(("greedy", 1e3)) == ("greedy", 1000)


@pytest.mark.parametrize(
    "optimize",
    [("greedy", math.nan), ("greedy", -math.inf), ("greedy", "much"), ["einsum_path", 3], [("a", "b")], [(0.5, 1)]],
)
def test_what_is_no_path_is_refused_with_a_way_out(optimize):
    with pytest.raises(TypeError, match="bad-path") as caught:
        normalize_optimize(optimize)
    assert "help:" in str(caught.value)


def test_a_limit_that_is_not_a_number():
    with pytest.raises(UserError) as caught:
        normalize_optimize(("greedy", math.nan))
    assert str(caught.value) == (
        "error: [bad-path] the limit of optimize=('greedy', nan) is not a number of elements\n"
        "help: give a whole number of elements, or infinity for no limit"
    )


def test_labels_beyond_the_alphabet():
    labels = "".join(chr(0x4E00 + number) for number in range(60))
    terms = ",".join(labels[number : number + 2] for number in range(59))
    bound = bind_shapes(parse_subscripts(terms + "->" + labels[0]), [(2, 2)] * 59)
    assert len(order_contractions(bound, "greedy")) == 58
