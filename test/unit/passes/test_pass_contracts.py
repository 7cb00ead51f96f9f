"""What passes declare about themselves, against the order of the pipelines, and against what they do."""

import inspect
import random
import re
import shlex
from collections.abc import Callable, Iterator
from functools import partial
from graphlib import TopologicalSorter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects as get_xdsl_dialects
from xdsl.dialects.builtin import ModuleOp

from irtensor.api.schedule import Schedule
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PassStep, PipelineChoices
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects import get_all_dialects
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.options import current_options
from irtensor.passes import PASSES, get_all_passes
from irtensor.passes.pipelines import NAMED_PIPELINES, OPTIONAL_PASSES, STAGES, TARGETS, optional_among, passes_between
from irtensor.passes.repairs.insert_conversions import converted_operands
from irtensor.passes.support.pass_base import FORBIDDEN, TensorPass, structured_functions
from irtensor.passes.support.pass_order import check_order, constraints, lowered_by, passes_that_need
from irtensor.tools import irtensor_opt
from irtensor.tools.pass_help import pass_list
from irtensor.tools.pipeline_text import Step, build_passes, pipeline_of

ROOT = Path(__file__).parents[3]
CSR, CSC = "dense, compressed", "(i, j) -> (j : dense, i : compressed)"
STATEMENTS = {
    "y[i] = A[i,j] * x[j]": {"A": CSR, "x": "dense"},
    "y[i] = A[i,j] * x[j] + max(b[i], 2)": {"A": CSC, "x": "compressed", "b": "bitmap"},
    "C[i,j] = A[i,k] * B[k,j]": {"A": CSR, "B": CSR, "result": CSR},
    "C[i,j] = A[i,j] + B[i,j]": {"A": "compressed, compressed", "B": CSR, "result": CSR},
    "s = max(i, a[i] * b[i])": {"a": "compressed", "b": "hashed"},
    "C[i,j] = S[i,j] * A[i,k] * B[k,j]": {"S": CSR, "A": "dense, dense", "B": "dense, dense", "result": CSR},
}
# A value of each type of option that is no default.
OTHER = {"str": "k", "str | None": "w", "int": 5, "bool": True, "tuple[str, ...]": ("k", "l")}
# What contracts speak of: upstream scalar code is everywhere.
SPOKEN_OF = {*get_all_dialects(), "llvm"}

KINDS = {name: load() for name, load in get_all_passes().items()}
ORDERS = {target: passes_between("index_notation", end, OPTIONAL_PASSES) for target, end in TARGETS.items()}
ORDER = ORDERS["cpu"]
STEPS = [name for name, kind in vars(Schedule).items() if inspect.isfunction(kind) and name[0] != "_"]


def test_constraints_name_passes_and_give_reasons():
    for earlier, later, reason in constraints(KINDS.values()):
        assert earlier in KINDS and later in KINDS and earlier != later
        assert reason and reason[0].islower() and not reason.endswith(".")
        # The text is read beside either pass.
        assert not re.search(r"\bit\b", reason), reason


def test_a_constraint_is_said_once():
    said = [(earlier, later) for earlier, later, _ in constraints(KINDS.values())]
    assert len(said) == len(set(said))


def test_constraints_have_no_cycle():
    needs = TopologicalSorter()
    for earlier, later, _ in constraints(KINDS.values()):
        needs.add(later, earlier)
    needs.prepare()


@pytest.mark.parametrize("target", ORDERS)
def test_the_order_of_the_pipelines_satisfies_all(target):
    order = ORDERS[target]
    for earlier, later, _ in constraints(KINDS.values()):
        if earlier in order and later in order:
            assert order.index(earlier) < order.index(later), f"{earlier} before {later}"


def test_dialects_exist():
    known = {**get_all_dialects(), **get_xdsl_dialects()}
    for name, kind in KINDS.items():
        for part in (*kind.accepts, *kind.leaves):
            dialect, _, operation = part.partition(".")
            assert dialect in known, name
            if operation:
                assert part in {op.name for op in known[dialect]().operations}, name


def test_every_pass_says_what_it_rewrites():
    assert [name for name, kind in KINDS.items() if not kind.accepts] == ["verify-dominance"]


def test_all_dialects_are_lowered():
    """By the same passes that errors about operations of a wrong stage name."""
    assert {name: " and ".join(lowered_by(name)) for name in get_all_dialects()} == {
        "index_notation": "concretize",
        "concrete_index": "lower-concrete-index-to-iteration-lattice",
        "iteration_lattice": "lower-looplets and lower-iteration-lattice-to-loop",
        "storage": "lower-storage",
        "algebra": "lower-algebra-to-arith",
        "loop": "lower-loop-to-llvm",
        "nvvm": "",
    }
    assert lowered_by("nothing") == ()


@pytest.mark.parametrize("name", [name for name, _, _ in PASSES])
def test_every_option_is_described(name):
    kind = KINDS[name]
    assert issubclass(kind, TensorPass)
    for option in kind.options():
        assert option.meaning[:1].isupper() and option.meaning.endswith("."), option.name
        assert not option.choices or option.default in option.choices


def build(text: str) -> list[str]:
    """The names of the passes of a pipeline, which is refused if they are in a wrong order."""
    return [step.name for step, _ in build_passes(text, get_all_passes())]


def order_error(passes: list[str]) -> str | None:
    try:
        check_order([KINDS[name] for name in passes])
    except UserError as error:
        return error.message
    return None


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", NAMED_PIPELINES)
def test_named_pipelines_and_their_prefixes_are_built(name):
    passes = build(name)
    assert passes == build(",".join(passes))
    everything = NAMED_PIPELINES[name].split(",")
    assert passes == [each for each in everything if each not in optional_among(everything)]
    for end in range(len(passes)):
        assert build(",".join(passes[:end])) == passes[:end]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMED_PIPELINES)
def test_optional_passes_run_where_they_are_asked_for(name):
    """Any of them, in any order, each in its place; by their names, or by giving them options."""
    everything = NAMED_PIPELINES[name].split(",")
    optional = optional_among(everything)
    assert {*optional} >= {*OPTIONAL_PASSES} & {*everything} - {"parallelize-outermost"}
    # Kernels for GPUs have to have parallel loops.
    assert ("parallelize-outermost" in {*everything} - {*optional}) == (
        {"parallelize-outermost", "spread-loops"} <= {*everything}
    )
    for asked in (some for length in range(len(optional) + 1) for some in permutations(optional, length)):
        expected = [each for each in everything if each in asked or each not in optional]
        assert build(f"{name}{{{' '.join(asked)}}}") == expected
        assert build(f"{name}{{{' '.join(asked).replace('-', '_')}}}") == expected
    for each, option in [(each, option) for each in optional for option in KINDS[each].options()]:
        value = {"int": "5", "bool": "false", "tuple[str, ...]": "k,l"}[option.type]
        expected = [other for other in everything if other == each or other not in optional]
        assert build(f"{name}{{{each}.{option.name}={value}}}") == expected
        assert build(f"{name}{{{each} {each}.{option.name}={value}}}") == expected


@pytest.mark.parametrize("name", NAMED_PIPELINES)
def test_other_passes_than_the_optional_ones_cannot_be_asked_for(name):
    optional = optional_among(NAMED_PIPELINES[name].split(","))
    others = [each for each in ORDER if each not in optional]
    for other in (*others, "nonsense"):
        with pytest.raises(UserError) as caught:
            build(f"{name}{{{other}}}")
        assert caught.value.slug == "bad-pass-option" and f"'{other}'" in caught.value.message
        assert caught.value.help is not None and all(each in caught.value.help for each in optional)


@pytest.mark.parametrize("target", ORDERS)
def test_parts_of_a_pipeline_may_run(target):
    """Any passes in order, alone or several times, as those of a kernel do from which some are left out."""
    for chance in map(random.Random, range(200)):
        chosen = [name for name in ORDERS[target] if chance.random() < 0.3]
        assert order_error(chosen) is None
    for name in ORDERS[target]:
        assert order_error([name]) is None and order_error([name, name]) is None
    assert order_error(["choose-loop-order", "concordize", "choose-loop-order"]) is None
    assert order_error(["concordize", "choose-loop-order", "concordize"]) is None


def test_every_constraint_is_checked():
    for earlier, later, reason in constraints(KINDS.values()):
        message = f"'{earlier}' has to run before '{later}', not after it: {reason}"
        assert order_error([later, earlier]) == message
        assert order_error([later, later, earlier, earlier]) == message
        assert order_error([earlier, later]) is None


def test_schedule_steps_run_in_any_order():
    assert "reorder" in STEPS
    for first, second in permutations(STEPS, 2):
        assert order_error(["concretize", first, second, first, "choose-loop-order"]) is None
    assert order_error(["lower-concrete-index-to-iteration-lattice", *STEPS]) is not None


def test_what_is_gone_comes_back():
    """A pass that makes operations of a dialect lets others rewrite them that came too late before."""
    lower = ["lower-looplets", "lower-iteration-lattice-to-loop"]
    assert order_error([*lower, "unfurl"]) == (
        "'unfurl' rewrites iteration_lattice.coiterate, but 'lower-looplets' leaves none of that"
    )
    assert order_error([*lower, "lower-concrete-index-to-iteration-lattice", "unfurl", *lower]) is None


def test_passes_of_other_depths_run_on_other_modules():
    assert build("builtin.module(concordize,builtin.module(choose-loop-order))") == ["concordize", "choose-loop-order"]


def test_the_compiler_checks_the_order(monkeypatch):
    backwards = PipelineChoices()
    monkeypatch.setattr(PipelineChoices, "steps", lambda *_: [PassStep(name, {}) for name in reversed(ORDER)])
    with pytest.raises(UserError, match=r"has to run before|leaves none of that") as caught:
        lower_module(ModuleOp([]), "index_notation", "llvm", choices=backwards)
    assert caught.value.slug == "pass-order"


@pytest.mark.parametrize(
    ("permission", "forbidding"),
    [("conversions", {"convert": False}), ("threads", {"num_threads": 1})],
)
def test_passes_that_are_not_allowed_are_left_out(permission, forbidding):
    """Those that declare so, and beside them the optional pass that marks loops for threads."""

    def names(convert=True, **settings):
        choices = PipelineChoices.of(convert, current_options(**{"num_threads": 2, **settings}))
        return list(choices.passes("index_notation", "llvm"))

    needing = {name for name, kind in KINDS.items() if kind.needs == permission}
    assert len(needing) > 1 and needing == {*passes_that_need(permission, "llvm")}
    asked = {"parallelize-outermost"} if permission == "threads" else set()
    assert names(**forbidding) == [name for name in names() if name not in needing | asked]
    assert needing | asked <= {*names()}


def test_what_passes_need_is_known():
    assert {kind.needs for kind in KINDS.values()} == {None, *FORBIDDEN}
    (parallel,) = (stage.passes for stage in STAGES if stage.name == "parallel")
    # In kernels for one thread entries are counted as well, and what parts would have of their own is one.
    assert [name for name in parallel if KINDS[name].needs != "threads"] == ["count-entries", "lower-private"]
    assert {*passes_that_need("threads", "llvm")} <= {*parallel}


def parts_in(module: ModuleOp) -> set[str]:
    """The dialects of a module's operations, and these themselves, of those that contracts speak of."""
    names = {op.name for op in module.walk()}
    return {part for name in names for part in (name, name.partition(".")[0]) if name.partition(".")[0] in SPOKEN_OF}


def conversions(module: ModuleOp) -> int:
    """How many operands of functions are to be converted by the caller."""
    functions = structured_functions(module)
    return sum(operand is not None for function in functions for operand in converted_operands(function))


# Passes that make parallel loops in no pipeline for the CPU.
FOR_GPUS = ("count-all-entries", "outline-launches", "spread-loops", "spread-prefix-sums")


def applied(kind: type[TensorPass], apply: Callable[[], None], module: ModuleOp) -> bool:
    """Apply a pass, and compare what is there afterwards with its contract; whether it has changed anything."""
    before, converted, text = parts_in(module), conversions(module), str(module)
    apply()
    after = parts_in(module)
    assert not after & set(kind.removes()), f"{kind.name} leaves {after & set(kind.removes())}"
    new = {part.partition(".")[0] for part in after - before} - {part.partition(".")[0] for part in before}
    assert new <= {*kind.leaves}, f"{kind.name} makes {new}"
    # Entries may have to be counted first in kernels for one thread as well. What is for a GPU is in none of these.
    if "loop.parallel" in after - before and kind.name not in ("count-entries", *FOR_GPUS):
        assert kind.needs == "threads", f"{kind.name} divides loops among threads"
    # That one has an option for it.
    if conversions(module) > converted and kind.name != "autoschedule":
        assert kind.needs == "conversions", f"{kind.name} asks for conversions"
    changed = str(module) != text
    assert not changed or not before or before & set(kind.accepts), f"{kind.name} changes a module of {before}"
    return changed


def commands(path: Path) -> Iterator[list[str]]:
    """The arguments of irtensor-opt in the first lines of a lit test."""
    for run in re.findall(r"^// RUN: .*?\birtensor-opt (.*?)(?: 2>|[|>]|$)", path.read_text(encoding="utf-8"), re.M):
        yield [argument.replace("%s", str(path)) for argument in shlex.split(run.split(" | ")[0])]


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", [name for name, _, _ in PASSES if name != "verify-dominance"])
def test_contracts_are_kept_in_lit_tests(name):
    """What the inputs of a pass's own tests become: what it removes is gone, and what is new was announced."""
    changed = False
    (path,) = (ROOT / "test" / "passes").rglob(f"{name}.mlir")
    for arguments in commands(path):
        tool = irtensor_opt.IrtensorOpt(arguments)
        for chunk in tool._split(path.read_text(encoding="utf-8")):
            module = tool._parse(chunk)
            for step, depth in tool.runner.passes:
                if depth:
                    break
                if isinstance(step, TensorPass):
                    changed |= applied(type(step), partial(step.apply, tool.ctx, module), module)
                else:
                    step.apply(tool.ctx, module)
    assert changed or name in ("warn-of-full-results",)


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if any(o.choices for o in kind.options())])
def test_other_values_than_the_choices_are_refused(name, capsys):
    """Of every option that has choices, in the pass's own tests; the help names them all."""
    (path,) = (ROOT / "test" / "passes").rglob(f"{name}.mlir")
    arguments = next(arguments for arguments in commands(path) if "-p" in arguments)
    place = arguments.index("-p") + 1
    written = re.fullmatch(r"([\w-]+)(?:\{(.*?)\})?(?:,.*)?", arguments[place])
    assert written is not None
    step, options = written.groups()
    for option in KINDS[name].options():
        if option.choices:
            other = "nonsense" if isinstance(option.default, str) else max(option.choices) + 1
            others = re.sub(rf"\b{option.name}=\S+", "", options or "").strip()
            arguments[place] = f"{step}{{{f'{others} {option.name}={other}'.strip()}}}"
            assert irtensor_opt.main(arguments) == 1
            message = capsys.readouterr().err
            assert message.startswith(f"error: [bad-pass-option] pass '{name}': ") and str(other) in message
            assert all(str(choice) in message for choice in option.choices), message
            # Python refuses it in the same words, also where no pipeline is read.
            with pytest.raises(UserError) as caught:
                KINDS[name](**{option.name: other})
            assert f"{caught.value}\n" == message


def test_schedules_refuse_choices_in_the_words_of_the_passes():
    """What follows the name of the step, whose other arguments are right. Sizes of teams have words of their own."""
    given = {"bound": ("i", 4), "merge": ("i",), "parallelize": ("i",), "assemble": ("A",)}
    named = [
        (name, option) for name in STEPS for option in KINDS[name].options() if option.type == "str" and option.choices
    ]
    assert {name for name, _ in named} == {*given}
    for name, option in named:
        with pytest.raises(UserError) as of_step:
            getattr(Schedule(), name)(*given[name], **{option.name: "x"})
        with pytest.raises(UserError) as of_pass:
            KINDS[name](**{option.name: "x"})
        assert of_step.value.message == f"step 1, {name}: {of_pass.value.message.partition(': ')[2]}"


@pytest.mark.parametrize("name", [name for name, _, _ in PASSES])
def test_a_printed_pipeline_runs_again(name):
    """With every option, and with values that differ from the defaults."""
    kind = KINDS[name]
    other = {
        option.name.replace("-", "_"): option.choices[-1] if option.choices else OTHER[option.type]
        for option in kind.options()
    }
    for step in (kind(), kind(**other)):
        text = pipeline_of([Step(step, 0), Step(step, 1)], with_defaults=True)
        assert [read.step for read in build_passes(text, get_all_passes())] == [step, step]


def test_every_pass_is_listed_once():
    listed = [
        line.split()[0]
        for line in pass_list(KINDS, {"whole": "cse,poll-interrupts"}).splitlines()
        if re.match(r"  \S", line)
    ]
    assert sorted(listed) == sorted([*KINDS, "whole"])
    assert pass_list(KINDS, {"whole": "cse,poll-interrupts"}, "--").count("\n  --") == len(listed)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("notation", "formats"), STATEMENTS.items())
def test_contracts_are_kept_in_kernels(notation, formats):
    described = {
        name: OperandDescription(np.dtype("f8"), TensorFormat.parse(format).rank, TensorFormat.parse(format))
        for name, format in formats.items()
        if name != "result"
    }
    statement = insert_reductions(parse_statement(notation))
    result = TensorFormat.parse(formats["result"]) if "result" in formats else None
    module, context = build_index_notation(statement, described, result).module, Context()
    changed = [name for name in ORDER if applied(KINDS[name], partial(KINDS[name]().apply, context, module), module)]
    assert changed[0] == "concretize" and changed[-1] == "lower-loop-to-llvm"
    assert parts_in(module) & {*get_all_dialects()} == set()
