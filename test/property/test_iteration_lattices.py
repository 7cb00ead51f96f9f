"""Lattices of unions and intersections: every coordinate of the domain is visited exactly once, no other ever.

The specification (Kjolstad 2020, 3.3, with a corrected closure rule): the cases of an expression are the closure under
union of the product terms of its distributed form, and at a coordinate the largest case whose operands all have an
entry there runs. Ours are pruned against it: cases that the algebra turns into the same statement are one, a point
whose operands ended is skipped, and `select` states all cases at once. So the number of cases of a merge is at most
that of the closure, plus one for gaps, while the coordinates visited and the values there are those of the closure.
"""

from collections.abc import Collection
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.interpret_iteration_lattice import interpret_iteration_lattice
from xdsl.context import Context

from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.iteration_lattice.iteration_lattice import MergeOp, PointOp
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.expression_tree import Access, Apply, Expression, Literal, Statement, accesses, tensor_names
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.passes.iteration_lattice.lower_looplets import LowerLoopletsPass
from irtensor.tensors.tensor import Tensor

SPARSE = TensorFormat.parse("compressed")
# Values whose sums and products tell which operands took part.
VALUES = {"s": 2.0, "t": 3.0, "u": 5.0, "v": 7.0, "d": 11.0, "e": 13.0}
# Expression (s, t, u, v compressed; d, e dense), loops of its loop lattice: all rows of the table in thesis.md 2.3 that
# need no hashed level, and further ones. One loop needs no lattice point.
TABLE = (
    ("s", 1),
    ("d", 1),
    ("s * t", 1),
    ("s * d", 1),
    ("(s * t) * d", 1),
    ("s + t", 3),
    ("s + d", 2),
    ("(s + t) * d", 3),
    ("(d + e) * s", 1),
    ("(s + d) * t", 2),
    ("(s + t) * u", 3),
    ("(s * t) + u", 3),
    ("(s * t) + d", 2),
    ("(s * d) + e", 2),
    ("(s + t) * (u + v)", 9),
    ("s + t + u", 7),
    ("(s + t) * (s + u)", None),
    ("s * 2 + t", 3),
    ("s + 2", 1),
    ("s + t + u + v", 15),
    ("(s + t) * (t + u)", None),
    ("(s * t) + (u * v)", None),
)


def expression_of(text):
    tree = parse_statement("y[i] = " + "".join(f"{c}[i]" if c.isalpha() else c for c in text)).expression
    return tree


def terms(tree: Expression) -> set[frozenset[str]]:
    """Product terms of the distributed form: sets of compressed operands; dense ones and numbers are everywhere."""
    match tree:
        case Access():
            return {frozenset(tree.tensor) if tree.tensor in "stuv" else frozenset()}
        case Literal():
            return {frozenset()}
        case Apply("mul", (left, right)):
            return {one | two for one in terms(left) for two in terms(right)}
        case Apply(_, (left, right)):
            return terms(left) | terms(right)
        case _:
            raise AssertionError(tree)


def closure(found):
    while True:
        larger = found | {one | two for one in found for two in found}
        if larger == found:
            return found
        found = larger


def value_at(tree: Expression, present: Collection[str]) -> float:
    match tree:
        case Access():
            return VALUES[tree.tensor] if tree.tensor in present or tree.tensor in "de" else 0.0
        case Literal():
            assert not isinstance(tree.value, complex)
            return float(tree.value)
        case Apply(operator, (left, right)):
            one, two = value_at(left, present), value_at(right, present)
            return one * two if operator == "mul" else one + two
        case _:
            raise AssertionError(tree)


def lower(tree, max_points, max_cases):
    names = tensor_names(tree)
    formats = {name: SPARSE if name in "stuv" else None for name in names}
    operands = {name: OperandDescription(np.dtype(float), 1, formats[name]) for name in names}
    request = build_index_notation(Statement(Access("y", ("i",)), None, tree), operands, SPARSE)
    module = request.module
    lower_module(module, "index_notation", "iteration_lattice")
    LowerLoopletsPass(max_points, max_cases).apply(Context(), module)
    module.verify()
    assert request.result_format is not None
    return module, request.result_format.fill


def check_visits(tree, module, fill, stored):
    """`stored` gives for every coordinate the compressed operands that have an entry there.

    Where there is no entry at all, the expression may be a constant: then that is what the result is filled with.
    """
    size = len(stored)
    data: list[Tensor | np.ndarray] = []
    for name in tensor_names(tree):
        here = [i for i, present in enumerate(stored) if name in present or name in "de"]
        if name in "stuv":
            values = np.full(len(here), VALUES[name])
            data.append(Tensor.from_coo(np.array([here], int), values, shape=(size,), format=SPARSE))
        else:
            data.append(np.full(size, VALUES[name]))
    # Appending asserts that coordinates increase, so that none is visited twice.
    result = interpret_iteration_lattice(module, data, (size,), absent=None)
    regions = closure(terms(tree))
    for i, present in enumerate(stored):
        inside = [region for region in regions if region <= frozenset(present)]
        largest = max(inside, key=lambda region: len(region), default=None)
        if fill is not None and not largest:
            assert result[i] is None and value_at(tree, present) == fill
            continue
        assert result[i] == (None if largest is None else value_at(tree, largest)), (i, present)
        assert largest is None or value_at(tree, largest) == value_at(tree, present)


def subsets(names):
    return [frozenset(chosen) for count in range(len(names) + 1) for chosen in combinations(names, count)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("text, loops", TABLE)
@pytest.mark.parametrize("max_points, max_cases", [(16, 15), (3, 7), (1, 1)])
def test_table(text, loops, max_points, max_cases):
    tree = expression_of(text)
    module, fill = lower(tree, max_points, max_cases)
    merges = [op for op in module.walk() if isinstance(op, MergeOp)]
    assert all(len(merge.case_sets()) <= len(closure(terms(tree))) + 1 for merge in merges)
    if loops is not None and max_points == 16:
        points = [op for op in module.walk() if isinstance(op, PointOp) and op.body.block.first_op is not None]
        assert max(len(points), 1) == loops
    names = sorted({access.tensor for access in accesses(tree) if access.tensor in "stuv"})
    random = np.random.default_rng(len(text))
    for _ in range(6):
        # Every subset of operands occurs, and every operand ends before some other does.
        stored = [subsets(names)[k] for k in random.permutation(2 ** len(names))]
        check_visits(tree, module, fill, stored)
    check_visits(tree, module, fill, [frozenset()] * 3)
    check_visits(tree, module, fill, [])


def trees(depth):
    leaf = st.sampled_from([Access(name, ("i",)) for name in VALUES] + [Literal(2.0)])
    if depth == 0:
        return leaf
    inner = trees(depth - 1)
    return leaf | st.builds(lambda o, a, b: Apply(o, (a, b)), st.sampled_from(["add", "mul"]), inner, inner)


@settings(max_examples=100, derandomize=True)
@given(trees(3), st.sampled_from([(16, 15), (3, 7), (3, 1)]), st.data())
def test_random_expressions(tree, limits, data):
    names = sorted({access.tensor for access in accesses(tree)})
    if not names:
        return
    module, fill = lower(tree, *limits)
    sparse = [name for name in names if name in "stuv"]
    check_visits(tree, module, fill, data.draw(st.lists(st.sampled_from(subsets(sparse)), max_size=8)))
