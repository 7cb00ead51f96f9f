"""What irtensor-opt prints about passes: all by stage, or one with its contract and its options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from xdsl.passes import ModulePass

import irtensor.passes
from irtensor.passes import PASSES
from irtensor.passes.pipelines import OPTIONAL_PASSES, STAGES, stage_of
from irtensor.passes.support.pass_base import FORBIDDEN, TensorPass
from irtensor.passes.support.pass_order import constraints
from irtensor.tools.pipeline_text import (
    PassTable,
    option_lines,
    optional_passes,
    pipeline_option_lines,
    unknown_pass,
)

_WIDTH = 36


def pass_list(passes: Collection[str], pipelines: Mapping[str, str], dashes: str = "") -> str:
    """The passes by stage, irtensor's with their summaries, which are read without importing the passes.

    `dashes` stand before names where they are listed as options.
    """
    rows = {name: (module, _summary(module, cls)) for name, module, cls in PASSES if name in passes}
    lines = ["irtensor passes:"]
    for title, names in _groups(rows):
        lines += ["", f" {title}"]
        for name in names:
            lines += _row(dashes, name, rows[name][1] + (" (If asked for.)" if name in OPTIONAL_PASSES else ""))
    if pipelines:
        lines += ["", "named pipelines, each with its optional passes, which run where they are asked for in braces:"]
        for name, text in pipelines.items():
            lines += _row(dashes, name, _asked_for(optional_passes(text)))
    lines += ["", "xDSL passes:", *(f"  {dashes}{name}" for name in sorted(passes) if name not in rows)]
    return "\n".join(lines)


def _row(dashes: str, name: str, text: str) -> list[str]:
    """A name and its description, beside it or, if the name is long, below."""
    spelled, indent = f"  {dashes}{name}", 2 + len(dashes) + _WIDTH
    if len(spelled) > indent and text:
        return [spelled, f"{'':<{indent}} {text}"]
    return [f"{spelled:<{indent}} {text}".rstrip()]


def _asked_for(names: Collection[str]) -> str:
    """How all these optional passes are asked for, after the name of a pipeline."""
    return f"{{{' '.join(names)}}}" if names else ""


def _groups(rows: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """Titles and names: the passes that lead to each stage in their order, then those within it, then all others."""
    in_order = {name for stage in STAGES for name in stage.passes}
    shown: set[str] = set()
    for stage in STAGES:
        # Targets have stages in common, and passes.
        if names := [name for name in stage.passes if name in rows and name not in shown]:
            shown.update(names)
            yield f"to {stage.name}: {stage.meaning}", names
        within = [name for name, (module, _) in rows.items() if stage_of(module) == stage.name]
        if names := [name for name in within if name not in in_order]:
            yield f"within {stage.name}, for schedules and on request", names
    if names := [name for name, (module, _) in rows.items() if stage_of(module) is None]:
        yield "in any stage", names


def _summary(module: str, cls: str) -> str:
    folder = Path(irtensor.passes.__file__).parent
    try:
        source = folder.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    except OSError:
        return ""
    match = re.search(rf'^class {cls}\b[^\n]*:\n\s+"""([^\n"]+)', source, re.MULTILINE)
    return match[1].strip() if match else ""


def pass_help(name: str, available: PassTable, pipelines: Mapping[str, str]) -> str:
    """The description of a pass or a named pipeline. Raises UserError [unknown-pass]."""
    if name in available:
        return "\n".join(_about_pass(available[name](), available))
    if name in pipelines:
        return "\n".join(_about_pipeline(name, pipelines[name], available))
    raise unknown_pass(name, available)


def _about_pipeline(name: str, text: str, available: PassTable) -> Iterator[str]:
    yield f"{name}: a named pipeline"
    yield ""
    optional = optional_passes(text)
    yield f"passes: {','.join(step for step in text.split(',') if step not in optional)}"
    if optional:
        lines = [f"{step}: {_summary(module, cls)}" for step, module, cls in PASSES if step in optional]
        yield from _list(f"optional passes, asked for as in {name}{_asked_for(optional[:1])}", lines)
    yield from _list("options", pipeline_option_lines(text, available))


def _about_pass(pass_type: type[ModulePass], available: PassTable) -> Iterator[str]:
    # A dataclass without a docstring is given its signature as one.
    text = pass_type.__doc__ or ""
    yield (
        f"{pass_type.name}: {inspect.cleandoc(text)}"
        if text and not text.startswith(f"{pass_type.__name__}(")
        else pass_type.name
    )
    if not issubclass(pass_type, TensorPass):
        yield from _list("options", option_lines(pass_type).values())
        return
    yield from _list("in pipelines", _pipelines_with(pass_type.name))
    yield from _list("accepts", pass_type.accepts)
    yield from _list("leaves", pass_type.leaves if pass_type.accepts else ())
    order = list(constraints(available[name]() for name, _, _ in PASSES if name in available))
    yield from _list("runs after", [f"{one.earlier}: {one.reason}" for one in order if one.later == pass_type.name])
    yield from _list("runs before", [f"{one.later}: {one.reason}" for one in order if one.earlier == pass_type.name])
    yield from _list("omitted from kernels", [] if pass_type.needs is None else [FORBIDDEN[pass_type.needs]])
    yield from _list("options", option_lines(pass_type).values())


def _pipelines_with(name: str) -> Iterator[str]:
    for stage in STAGES:
        if name in stage.passes:
            yield f"leads to {stage.name}" + (", if asked for" if name in OPTIONAL_PASSES else "")


def _list(title: str, lines: Iterable[str]) -> Iterator[str]:
    if lines := list(lines):
        yield from ["", f"{title}:", *(f"  {line}" for line in lines)]
