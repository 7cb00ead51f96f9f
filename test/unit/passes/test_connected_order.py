"""The search for loops that follow what operands connect, against trying every order."""

import random
from itertools import permutations

import pytest
from counted_calls import count_calls
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func

from irtensor.dialects import get_all_dialects
from irtensor.dialects.concrete_index.concrete_index import AccessOp
from irtensor.dialects.support.located_parser import parse_module
from irtensor.passes.analysis import connected_order as its
from irtensor.passes.analysis.connected_order import connected_order, detached
from irtensor.passes.analysis.iteration_graph import accesses_in, chain_edges
from irtensor.passes.schedule.reorder import forall_chains

MATRIX = "tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>"


def product_nest(count, pairs):
    """The chain of loops of a product of sparse matrices over pairs of `count` variables, and its accesses."""
    names = [f"%T{number}" for number in range(len(pairs))]
    lines = [f"func.func @f({', '.join(f'{name}: {MATRIX}' for name in names)}) -> tensor<f64> {{"]
    lines += ["%C = concrete_index.compute (%out) : tensor<f64> {"]
    lines += [f"concrete_index.forall %v{number} {{" for number in range(count)]
    for number, (row, column) in enumerate(pairs):
        lines += [f"%a{number} = concrete_index.access %T{number}[%v{row}, %v{column}] : {MATRIX}"]
    lines += ["%p0 = algebra.apply mul(%a0, %a0) : (f64, f64) -> f64"]
    for number in range(1, len(pairs)):
        lines += [f"%p{number} = algebra.apply mul(%p{number - 1}, %a{number}) : (f64, f64) -> f64"]
    lines += [f"concrete_index.assign add %p{len(pairs) - 1} into %out[] : tensor<f64>", "}" * count, "}"]
    lines += ["func.return %C : tensor<f64>", "}"]
    context = Context()
    for name, factory in {**get_all_dialects(), "builtin": lambda: Builtin, "func": lambda: Func}.items():
        context.register_dialect(name, factory)
    module = parse_module(context, "\n".join(lines), "nest.mlir")
    (chain,) = forall_chains(module)
    return chain, list(accesses_in(chain[-1].body.block))


def violated(order, edges):
    """The operands that an order of loops does not follow."""
    return {edge.access for edge in edges if edge.hard and order.index(edge.before) > order.index(edge.after)}


@pytest.mark.parametrize("seed", range(12))
def test_no_order_has_fewer_detached_loops(seed):
    draw = random.Random(seed)
    count = draw.randrange(3, 6)
    chain, accesses = product_nest(count, [draw.sample(range(count), 2) for _ in range(draw.randrange(2, 6))])
    variables = [loop.variable for loop in chain]
    operands = [access for access in accesses if isinstance(access, AccessOp)]
    convertible = [access for access in operands if draw.random() < 0.7]
    edges = chain_edges(chain)
    allowed = [list(order) for order in permutations(variables) if violated(order, edges) <= set(convertible)]
    found = connected_order(variables, accesses, edges, convertible)
    least = min([detached(order, accesses) for order in allowed], default=detached(variables, accesses))
    if found is None:
        assert detached(variables, accesses) <= least
        return
    order, converted = found
    assert sorted(map(variables.index, order)) == list(range(count))
    assert set(converted) == violated(order, edges) <= set(convertible)
    assert detached(order, accesses) == least < detached(variables, accesses)
    fewest = min(len(violated(other, edges)) for other in allowed if detached(other, accesses) == least)
    assert len(converted) >= fewest


@pytest.mark.parametrize("count", [8, 14])
def test_long_chains(count):
    """A product of a chain of matrices whose loops are given odd ones first, which the odd ones share nothing with."""
    places = [*range(1, count, 2), *range(0, count, 2)]
    chain, accesses = product_nest(count, [(places.index(v), places.index(v + 1)) for v in range(count - 1)])
    variables = [loop.variable for loop in chain]
    assert detached(variables, accesses) == count // 2 - 1
    convertible = [access for access in accesses if isinstance(access, AccessOp)]
    found = connected_order(variables, accesses, chain_edges(chain), convertible)
    assert found is not None
    order, converted = found
    assert detached(order, accesses) == 0
    assert set(converted) == violated(order, chain_edges(chain))


def test_more_loops_take_no_more_steps(monkeypatch):
    """Each loop that may come next is looked at as often, however many there are."""
    made = count_calls(monkeypatch, its, "_is_detached", 30_000)
    for count in (10, 20, 40):
        made.clear()
        places = [*range(1, count, 2), *range(0, count, 2)]
        chain, accesses = product_nest(count, [(places.index(v), places.index(v + 1)) for v in range(count - 1)])
        convertible = [access for access in accesses if isinstance(access, AccessOp)]
        connected_order([loop.variable for loop in chain], accesses, chain_edges(chain), convertible)
