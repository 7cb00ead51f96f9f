"""Runs the pass pipeline on a module in memory, with the IR of a stage on request."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.compiler.collector_paused import collector_paused
from irtensor.compiler.pipeline_choices import PassStep, PipelineChoices
from irtensor.dialects.diagnostics import Note, UserError
from irtensor.passes import get_all_passes
from irtensor.passes.parts_of import is_same, parts_of
from irtensor.passes.pass_order import check_order

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
    _check_order(tuple(step.name for step in steps))
    with collector_paused():
        for step in steps:
            _apply(step, context, module)
            if verify:
                # Most passes find nothing to do in a statement, and to verify takes longer than all that passes do.
                parts = parts_of(module)
                if not is_same(parts, checked):
                    module.verify()
                    _pass_named("verify-dominance").apply(context, module)
                checked = parts
            if after is not None and after(step.label):
                return


def _apply(step: PassStep, context: Context, module: ModuleOp) -> None:
    if step.origin is None:
        _pass_named(step.name, **step.options).apply(context, module)
        return
    try:
        get_all_passes()[step.name]()(**step.options).apply(context, module)
    except UserError as error:
        error.notes.append(Note(f"this is {step.origin}"))
        raise
