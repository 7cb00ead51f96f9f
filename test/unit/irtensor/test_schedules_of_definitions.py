"""Functions in IR that define several tensors: each of them has a schedule of its own, as if it were alone."""

import re
from dataclasses import replace

import numpy as np
import pytest
from dense_mttkrp import dense_mttkrp
from searched_once import no_choices
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

import irtensor as it
from irtensor.compiler.compilation import compile_kernel
from irtensor.compiler.kernel import specialiser
from irtensor.core.diagnostics import UserError
from irtensor.passes.support.step_costs import STEPS
from irtensor.planning import call_sizes, measure_programs, search_programs
from irtensor.planning.default_planner import DEFAULT_PLANNER
from irtensor.runtime.disk_cache import DiskCache
from irtensor.tools import irtensor_run

__all__ = ["no_choices"]  # a fixture
CSR = it.CSR
# With long lists it pays to put the largest operand in another order.
THREE = "E[i,j] = G[i,k,l] * H[j,k] * K[j,l]"
CHAIN = "y[i] = P[i,j] * Q[j,k] * x[k]"
PRODUCT = "W[i,k] = U[i,j] * V[j,k]"
READS = "z[i] = P[i,j] * Q[i,k] * W[j,k]"
FORMATS = dict.fromkeys("EHKPQ", CSR) | {"G": it.Format("dense, compressed, compressed")}


pytestmark = pytest.mark.usefixtures("no_choices")


@pytest.fixture
def large(monkeypatch):
    """Operands are large sooner than they are, so that tests need not wait for them."""
    monkeypatch.setattr(call_sizes, "STEPS", replace(STEPS, search=1e6))


def function(*notations, formats=FORMATS):
    """The text of a function with a definition for each statement; what one defines may be read by what follows."""
    block, values, results = Block(), {}, []
    for notation in notations:
        its = {name: format for name, format in formats.items() if name in notation}
        kernel = it.compile(notation, its)._last.request().build().module.body.block.last_op
        assert isinstance(kernel, FuncOp)
        for argument in list(kernel.body.block.args):
            name = argument.name_hint
            if name not in values:
                values[name] = block.insert_arg(argument.type, len(block.args))
                values[name].name_hint = name
            argument.replace_all_uses_with(values[name])
        definition, _ = kernel.body.block.ops
        definition.detach()
        block.add_op(definition)
        (result,) = definition.results
        values[result.name_hint] = result
        results.append(result)
    block.add_op(ReturnOp(*results))
    types = [argument.type for argument in block.args], [result.type for result in results]
    return str(ModuleOp([FuncOp("f", types, Region(block))]))


def matrix(rows, columns, share, seed):
    rng = np.random.default_rng(seed)
    array = rng.integers(1, 4, (rows, columns)) * (rng.random((rows, columns)) < share)
    return it.Tensor.from_numpy(array.astype(float), CSR)


def factors(extent, share, columns):
    rng = np.random.default_rng(1)
    array = rng.integers(1, 4, (extent, extent, extent)) * (rng.random((extent, extent, extent)) < share)
    largest = it.Tensor.from_numpy(array.astype(float), FORMATS["G"])
    return {"G": largest, "H": matrix(columns, extent, 0.01, 2), "K": matrix(columns, extent, 0.01, 3)}


LONG, SHORT = (40, 0.5, 20_000), (24, 0.05, 24)


def chain(extent):
    return {"P": matrix(extent, extent, 0.2, 4), "Q": matrix(extent, extent, 0.2, 5), "x": np.arange(float(extent))}


def check(results, given, names):
    dense = {name: one if isinstance(one, np.ndarray) else one.to_numpy() for name, one in given.items()}
    known = {
        "E": lambda G, H, K: dense_mttkrp(G, H, K),
        "y": lambda P, Q, x: P @ (Q @ x),
        "W": lambda U, V: U @ V,
        "z": lambda P, Q, U, V: np.einsum("ij,ik,jk->i", P, Q, U @ V),
    }
    for name, result in zip(names, results, strict=True):
        expected = known[name]
        parts = [dense[argument] for argument in expected.__code__.co_varnames[: expected.__code__.co_argcount]]
        result = result if isinstance(result, np.ndarray) else result.to_numpy()
        np.testing.assert_allclose(result, expected(*parts), err_msg=name)


def alone(notation, given, **options):
    """The program for a statement by itself."""
    kernel = it.compile(notation, {name: its for name, its in FORMATS.items() if name in notation}, **options)
    kernel.prepare(**{name: given[name] for name in kernel.operand_names})
    steps = kernel.chosen_schedule
    return None if steps is None else str(steps)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("schedule", [None, "auto"])
@pytest.mark.parametrize("sizes", [LONG, SHORT])
@pytest.mark.parametrize("order", [1, -1])
def test_each_has_what_it_has_alone(large, schedule, sizes, order):
    """A program by size for the one, by default for the other; what one takes does not depend on the other."""
    kernel = it.compile_module(function(*(THREE, CHAIN)[::order]), schedule=schedule)
    given = factors(*sizes) | chain(30)
    check(kernel(**given), given, "Ey"[::order])
    expected = [alone(notation, given, schedule=schedule) for notation in (THREE, CHAIN)]
    assert expected[1] is not None and (schedule == "auto" or (expected[0] is None) == (sizes == SHORT))
    assert str(kernel.chosen_schedule) == "; ".join(filter(None, expected[::order]))


def test_what_it_was_chosen_among_is_shown_for_each(large):
    kernel = it.compile_module(function(THREE, CHAIN), schedule="auto")
    given = factors(*SHORT) | chain(30)
    kernel(**given)
    text = kernel.explain().partition("steps that are expected for operands with")[2].partition("\n\n")[0]
    lines = text.splitlines()[1:]
    assert [line.strip() for line in lines if " " not in line.strip()] == ["E", "y"]
    assert sum("without a schedule" in line for line in lines) == 2
    before = it.compile_module(function(THREE, CHAIN), schedule="auto").explain()
    assert "autoschedule(budget=1000)" in before


def test_extents_of_what_another_one_defines():
    """They follow from the operands."""
    given = {"U": np.ones((7, 5)), "V": np.ones((5, 6)), "P": matrix(4, 7, 0.5, 1), "Q": matrix(4, 6, 0.5, 2)}
    kernel = it.compile_module(function(PRODUCT, READS))
    operands = [given[name] for name in kernel.operand_names]
    assert kernel._last.request.extents(operands) == ({"i": 7.0, "j": 5.0, "k": 6.0}, {"i": 4.0, "j": 7.0, "k": 6.0})
    check(kernel(**given), given, "Wz")


def test_one_that_is_not_scheduled_has_the_order_that_suits_it():
    """Steps for one definition leave the loops of the others to the compiler."""
    dense = "W[i,k] = U[i,j] * V[j,k]"
    kernel = it.compile_module(function(dense, CHAIN))
    given = {"U": np.eye(4), "V": np.arange(20.0).reshape(4, 5)} | chain(6)
    check(kernel(**given), given, "Wy")
    assert str(kernel.chosen_schedule).startswith('autoschedule(program="(forall ij: y[i]')
    text = kernel.ir("choose-loop-order")
    assert re.findall(r"forall %(\w+)", text.partition("%y = ")[0]) == ["i", "j", "k"]
    assert 'scheduled ["autoschedule"]' in text.partition("%y = ")[2]


def test_they_are_measured_one_after_the_other(monkeypatch):
    """Time that is told: what the first of them takes is what the second is measured with."""
    tried = {}

    def seconds(kernel, operands):
        kernel(operands)
        return 1.0 if tried.setdefault(id(kernel), len(tried)) == 1 else 2.0

    monkeypatch.setattr(measure_programs, "_seconds", seconds)
    requested, load = [], specialiser.loaded
    monkeypatch.setattr(specialiser, "loaded", lambda one, its: requested.append(str(one.schedule)) or load(one, its))
    given = factors(*SHORT) | chain(30)
    kernel = it.compile_module(function(THREE, CHAIN), tune="operands")
    check(kernel(**given), given, "Ey")
    title, *lines = kernel._last.rated()
    assert title == "measured on the operands of a call"
    first, second = "\n".join(lines).split("\n  y\n")
    assert first.startswith("  E\n") and "2000.000 ms  without a schedule" in first
    taken = first.splitlines()[1].split("ms  ")[1]
    step = f'autoschedule(program="{taken}")'
    assert step in str(kernel.chosen_schedule)
    # With no schedule for the second, of which one program is tried besides.
    assert [step in one for one in requested].count(True) == 3 and all(step in one for one in requested[-2:])
    assert "without a schedule" in second.splitlines()[0] and str(kernel.chosen_schedule).count("autoschedule") == 2
    # The same again, from the disk.
    DEFAULT_PLANNER.choices.clear()
    count = len(tried)
    again = it.compile_module(function(THREE, CHAIN), tune="operands")
    check(again(**given), given, "Ey")
    assert again.chosen_schedule == kernel.chosen_schedule and len(tried) == count


def test_samples():
    given = factors(*SHORT) | chain(30)
    kernel = it.compile_module(function(THREE, CHAIN), tune="samples", num_threads=2)
    check(kernel(**given), given, "Ey")
    assert kernel._last.rated()[0].startswith("measured on uniform samples")


def test_the_tool_measures_on_operands(tmp_path, capsys):
    text = function(THREE, CHAIN)
    given = factors(*SHORT) | chain(30)
    (tmp_path / "f.mlir").write_text(text)
    paths = {}
    for name, one in given.items():
        paths[name] = tmp_path / f"{name}.npy"
        np.save(paths[name], one if isinstance(one, np.ndarray) else one.to_numpy())
    bindings = [f"{name}={path}" for name, path in paths.items()]
    assert irtensor_run.main([str(tmp_path / "f.mlir"), *bindings, "--tune", "operands", "--explain"]) == 0
    assert "measured on the operands of a call" in capsys.readouterr().out


@pytest.mark.parametrize("options", [{"tune": "operands"}, {"schedule": "auto"}])
def test_loops_that_are_their_authors_have_no_schedule(options):
    text = it.compile(CHAIN, dict.fromkeys("PQ", CSR), schedule=it.schedule()).ir("concrete_index")
    with pytest.raises(UserError, match="has its loops already: a schedule is for index_notation"):
        it.compile_module(text, **options)


def test_one_that_does_not_compile_leaves_the_others(large, monkeypatch):
    lower = search_programs.lowered_if_accepted

    def lowered(request, settings):
        return None if "E[i,j]" in str(request.schedule) else lower(request, settings)

    monkeypatch.setattr(search_programs, "lowered_if_accepted", lowered)
    kernel, given = it.compile_module(function(THREE, CHAIN)), factors(*LONG) | chain(30)
    check(kernel(**given), given, "Ey")
    assert "y[i]" in str(kernel.chosen_schedule) and "E[i,j]" not in str(kernel.chosen_schedule)


def test_a_function_is_compiled_once_for_each_schedule(large, monkeypatch):
    """Also for kernels that are made anew, and from the disk it is not compiled at all."""
    compiled, fresh = [], compile_kernel.compile_fresh

    def counted(request, settings, lowered):
        compiled.append(request.schedule)
        return fresh(request, settings, lowered)

    monkeypatch.setattr(compile_kernel, "compile_fresh", counted)
    monkeypatch.setattr(compile_kernel, "DiskCache", DiskCache)
    text, given = function(THREE, CHAIN), factors(*LONG) | chain(30)
    it.compile_module(text)(**given)
    kernel = it.compile_module(text)
    kernel(**given)
    assert len(compiled) == len(set(compiled)) == 2
    for known in (DEFAULT_PLANNER.choices, compile_kernel._kernels):
        known.clear()
    again = it.compile_module(text)
    check(again(**given), given, "Ey")
    assert len(compiled) == 2 and again.chosen_schedule == kernel.chosen_schedule
