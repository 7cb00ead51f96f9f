"""Runs the pass pipeline on a module in memory, with the IR of a stage on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.collector_paused import collector_paused
from irtensor.compiler.compilation.pipeline_choices import PassStep, PipelineChoices
from irtensor.core.diagnostics import Note, UserError
from irtensor.late_imports import load_for
from irtensor.passes import get_all_passes
from irtensor.passes.support.parts_of import is_same, parts_of
from irtensor.passes.support.pass_order import check_order

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


@cache
def _pass_named(name: str, **options: Any) -> ModulePass:
    return get_all_passes()[name]()(**options)


# Most kernels are compiled by the same passes.
@lru_cache(maxsize=64)
def _check_order(names: tuple[str, ...]) -> None:
    loaded = get_all_passes()
    check_order([loaded[name]() for name in names])


_PLAIN = PipelineChoices()


def lower_module(
    module: ModuleOp,
    start: str,
    end: str,
    *,
    choices: PipelineChoices = _PLAIN,
    verify: bool = False,
    after: Callable[[str], bool] | None = None,
) -> None:
    """Run the passes from one stage to another, as `choices` says.

    `verify` checks the IR after each that changes it. `after` is told the label of each pass that has run, and stops
    the pipeline by returning True.
    """
    context = Context()
    checked: list[object] = []
    steps = list(choices.steps(start, end))
    if any([step.origin is not None for step in steps]):
        load_for("steps")
    _check_order(tuple(step.name for step in steps))
    with collector_paused():
        for step in steps:
            _apply(step, context, module, choices.scheduled)
            if verify:
                # Most passes find nothing to do in a statement, and to verify takes longer than all that passes do.
                parts = parts_of(module)
                if not is_same(parts, checked):
                    module.verify()
                    _pass_named("verify-dominance").apply(context, module)
                checked = parts
            if after is not None and after(step.label):
                return


def _apply(step: PassStep, context: Context, module: ModuleOp, scheduled: Sequence[PassStep]) -> None:
    try:
        if step.origin is None:
            _pass_named(step.name, **step.options).apply(context, module)
        else:
            get_all_passes()[step.name]()(**step.options).apply(context, module)
    except UserError as error:
        origin = step.origin or _origin_of(error, scheduled)
        if origin is not None:
            error.notes.append(Note(f"this is {origin}"))
        raise


def _origin_of(error: UserError, scheduled: Sequence[PassStep]) -> str | None:
    """The step that has asked for what a later pass refuses; None if none has, or nothing says which."""
    if error.asked_by is None:
        return None
    steps, loop = error.asked_by
    named = [step for step in scheduled if step.name in steps]
    found = [step for step in named if loop in step.options.values()]
    # Of fused loops, a step has the common name.
    found = found or (named if len(named) == 1 else [])
    return found[-1].origin if found else None
