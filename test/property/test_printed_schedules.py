"""Schedules that are printed are read back: as text, as `explain()` lists them, as a pipeline, and in the IR."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.schedule_space import draw_scheduled
from sampling import few_or_many
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func

import irtensor as it
from irtensor.api.schedule import Schedule
from irtensor.dialects import get_all_dialects
from irtensor.dialects.support.located_parser import parse_module
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.passes import get_all_passes
from irtensor.tools.pipeline_text import Step, build_passes, pipeline_of


@settings(max_examples=few_or_many(60, 2000), deadline=None)
@given(st.randoms(use_true_random=False))
def test_schedules_are_read_back(choices):
    check(draw_scheduled(choices))


@pytest.mark.soak
def test_more_schedules_are_read_back(soak_seeds):
    for seed in soak_seeds:
        check(draw_scheduled(random.Random(seed)))


@settings(max_examples=few_or_many(8, 500), deadline=None)
@given(st.randoms(use_true_random=False))
def test_loops_are_those_of_what_explain_lists(choices):
    drawn = draw_scheduled(choices)
    try:
        text = explained(drawn, drawn.schedule)
    except it.UserError:
        return
    listed = it.schedule(text.partition("\nschedule\n")[2].partition("\n\n")[0])
    assert listed == drawn.schedule
    assert loops(explained(drawn, listed)) == loops(text)


def explained(drawn, schedule):
    case = drawn.case
    formats = {name: format for name, format in case.formats.items() if format is not None}
    if case.result is not None:
        formats[case.statement().target.tensor] = case.result
    return it.compile(case.notation, formats, schedule=schedule, disk_cache=False).explain()


def loops(text):
    return text.partition("\nloops\n")[2].partition("\n\n")[0]


def check(drawn):
    schedule = drawn.schedule
    assert it.schedule(str(schedule)) == schedule
    assert it.schedule("\n".join(f"  {number}. {step}" for number, step in enumerate(schedule.steps, 1))) == schedule
    passes = [Step(get_all_passes()[step.name]()(**dict(step.options)), 0) for step in schedule.steps]
    for with_defaults in (False, True):
        text = pipeline_of(passes, with_defaults)
        assert list(build_passes(text, get_all_passes())) == passes, text
    try:
        module = concretized(drawn)
    except it.UserError:
        # Not every statement has a meaning for all types, with a schedule or without.
        return
    for step in passes:
        last = str(module)
        try:
            step.step.apply(Context(), module)
        except it.UserError:
            # A step that is refused may have begun.
            module = read(last)
            continue
        module.verify()
        text = str(module)
        module = read(text)
        assert str(module) == text, f"{step.step}\n{last}"


def concretized(drawn):
    """The loops of a statement, as a schedule finds them."""
    statement, case = drawn.case.statement(), drawn.case
    described = {
        access.tensor: OperandDescription(
            case.pool(access.tensor).dtype, len(access.indices), case.formats[access.tensor]
        )
        for access in accesses(statement.expression)
    }
    module = build_index_notation(statement, described).module
    get_all_passes()["concretize"]()().apply(Context(), module)
    return module


def read(text):
    context = Context()
    upstream = {"builtin": lambda: Builtin, "func": lambda: Func, "arith": lambda: Arith}
    for name, factory in {**get_all_dialects(), **upstream}.items():
        context.register_dialect(name, factory)
    return parse_module(context, text, "printed.mlir")


def test_what_explain_lists_is_read_back():
    schedule = it.schedule("split(i, i0, i1, 4); precompute(B[i1,k] * C[k,j], over=(j), workspace=w, format=dense)")
    formats: dict[str, object] = dict.fromkeys("BC", it.CSR)
    text = it.compile("A[i,j] = B[i,k] * C[k,j]", formats=formats, schedule=schedule).explain()
    listed = text.partition("\nschedule\n")[2].partition("\n\n")[0]
    assert listed.startswith("  1. split(") and it.schedule(listed) == schedule
    assert it.schedule(" ; ".join(["1. reorder(i, j)", "2.unroll(j)"])) == Schedule().reorder("i", "j").unroll("j")
