"""Fills in the generated parts of README.md and docs/: between `<!-- generated: what -->` and `<!-- end -->`.

`python docs/generate.py` writes them, and what the code of pages prints (docs/page_code.py); `--check` only says which
files are out of date. Commands, IR and results are really run, descriptions of dialects and passes are their
docstrings, so that the texts are true.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from irtensor.core.operators import OPERATORS, Operator
from irtensor.dialects import DIALECTS, get_all_dialects
from irtensor.levels.known_levels import LEVEL_PROPERTIES
from irtensor.options import SETTINGS
from irtensor.passes import PASSES, get_all_passes
from irtensor.passes.pipelines import NAMED_PIPELINES, OPTIONAL_PASSES, STAGES, stage_of
from irtensor.passes.support.pass_base import FORBIDDEN, PassOption, TensorPass
from irtensor.passes.support.pass_order import Constraint, constraints
from irtensor.passes.support.step_costs import ITERATIONS, STEPS
from irtensor.tools import irtensor_opt

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"(<!-- generated: ([^>]*?) -->\n).*?(<!-- end -->)", re.DOTALL)
SPMV = DOCS / "examples" / "spmv.mlir"
CSR = "#storage.format<(i, j) -> (i : dense, j : compressed)>"
# Defaults that are not the same on every machine.
MACHINE_DEFAULTS = {
    "num_threads": "the processors the process may use",
    "cache_dir": "`$XDG_CACHE_HOME/irtensor`, else `~/.cache/irtensor`",
}
MEANING = {True: "yes", False: "no"}


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    headings = list(headings)
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def paragraphs(text: str) -> str:
    """A docstring as Markdown: the lines `Before:` and `After:`, with their continuations, become a list."""
    lines: list[str] = []
    listed = False
    for line in inspect.cleandoc(text).splitlines():
        item = re.match(r"(Before|After)\b.*?:", line)
        if item and not listed:
            lines.append("")
        if item:
            line = "- " + re.sub(r":\s+", ": ", line, count=1)
        elif listed and line.startswith(" "):
            line = "  " + line.strip()
        elif listed and line:
            lines.append("")
        listed = bool(item) or (listed and line.startswith("  "))
        lines.append(line)
    return "\n".join(lines)


def docstring(kind: type[Any]) -> str:
    """The text of a class; the text that `dataclass` makes of a signature counts as none."""
    text = kind.__doc__ or ""
    return "" if text.startswith(f"{kind.__name__}(") else paragraphs(text)


def _parts(definition: Any) -> Iterator[tuple[str, str]]:
    for title, parts in (
        ("operands", definition.operands),
        ("results", definition.results),
        ("properties", definition.properties),
        ("regions", definition.regions),
    ):
        names = [name for name, _ in parts] if isinstance(parts, list) else list(parts)
        if names:
            yield title, ", ".join(f"`{name}`" for name in names)


def dialect(name: str) -> str:
    """Types, attributes and operations of one dialect."""
    if name == "llvm":
        # Only what irtensor adds to xDSL's dialect.
        module = import_module("irtensor.dialects.llvm.llvm_extra")
        attributes, operations = module.ATTRIBUTES, module.OPERATIONS
    else:
        module = import_module(f"irtensor.dialects.{next(row[1] for row in DIALECTS if row[0] == name)}")
        loaded = get_all_dialects()[name]()
        attributes, operations = list[Any](loaded.attributes), list[Any](loaded.operations)
    out = [paragraphs(module.__doc__ or ""), ""]
    for title, things in (("Types and attributes", attributes), ("Operations", operations)):
        if not things:
            continue
        out += [f"## {title}", ""]
        for thing in sorted(things, key=lambda thing: thing.name):
            out += [f"### `{thing.name}`", "", docstring(thing), ""]
            if title == "Operations":
                out += [f"- {kind}: {names}" for kind, names in _parts(thing.get_irdl_definition())] + [""]
    return "\n".join(out).strip() + "\n"


def _place(name: str, module: str) -> str:
    """Where a pass stands: the stage it belongs to, and whether the pipelines run it."""
    for stage in STAGES:
        if name in stage.passes:
            return f"leads to `{stage.name}`" + (", if asked for" if name in OPTIONAL_PASSES else "")
    within = stage_of(module)
    return f"within `{within}`" if within else "any"


def passes(_: str) -> str:
    """Every pass with its text and options, in the order of the registry."""
    loaded = get_all_passes()
    out = [table(["pass", "stage", "what it does"], (_pass_row(row[0], row[1]) for row in PASSES))]
    for name, module, _class in PASSES:
        kind = loaded[name]()
        out += [f"## `{name}`", "", f"`passes/{module.replace('.', '/')}.py`", "", docstring(kind), ""]
        out += [*_contract(kind), ""]
        out += [option_table(kind)] if kind.options() else []
    return "\n".join(out).strip() + "\n"


def _pass_row(name: str, module: str) -> tuple[str, str, str]:
    summary = docstring(get_all_passes()[name]()).split("\n", 1)[0]
    return f"[`{name}`](#{name})", _place(name, module), summary


def _contract(kind: type[TensorPass]) -> Iterator[str]:
    """What there may be before and after a pass, and its order among others, as a list."""
    if kind.accepts:
        yield f"- Accepts {_code(kind.accepts)}; leaves {_code(kind.leaves)}."
    for constraint in _constraints():
        if constraint.later == kind.name:
            yield f"- Runs after [`{constraint.earlier}`](#{constraint.earlier}): {constraint.reason}."
        elif constraint.earlier == kind.name:
            yield f"- Runs before [`{constraint.later}`](#{constraint.later}): {constraint.reason}."
    if kind.needs is not None:
        yield f"- Does not run in kernels {FORBIDDEN[kind.needs]}."


@cache
def _constraints() -> tuple[Constraint, ...]:
    return tuple(constraints(load() for load in get_all_passes().values()))


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def option_table(kind: type[TensorPass]) -> str:
    """The options of a pass."""
    return table(["option", "type", "default", "meaning"], map(_option_row, kind.options()))


def _option_row(option: PassOption) -> tuple[str, ...]:
    choices = f" One of {_code(map(str, option.choices))}." if option.choices else ""
    type = "" if option.choices else f"`{option.type}`"
    return f"`{option.name}`", type, f"`{option.default_text()}`", option.meaning + choices


def stages(_: str) -> str:
    """The stages with what holds in them, and the passes that lead to each."""
    return table(
        ["stage", "what holds", "passes that lead to it"],
        ((f"`{stage.name}`", stage.meaning, ", ".join(map(_linked, stage.passes)) or "none") for stage in STAGES),
    )


def _linked(name: str) -> str:
    return f"[`{name}`](passes.md#{name})" + (" (if asked for)" if name in OPTIONAL_PASSES else "")


def pipelines(_: str) -> str:
    return f"{_code(NAMED_PIPELINES)}.\n"


def settings(_: str) -> str:
    rows = (
        (
            f"`{setting.variable}`",
            f"`{setting.name}`",
            MACHINE_DEFAULTS.get(setting.name) or MEANING.get(setting.default()) or f"`{setting.default()}`",
            setting.meaning,
        )
        for setting in SETTINGS
    )
    return table(["variable", "keyword", "default", "meaning"], rows)


def levels(_: str) -> str:
    rows = (
        (
            f"`{name}`",
            "every one" if level.pattern.full else "one" if level.pattern.branchless else "some",
            level.pieces,
            ", ".join(f"`{array.short}`" for array in level.arrays) or "none",
            "`nonunique`, `nonordered`" if level.pattern.may_relax else "none",
        )
        for name, level in LEVEL_PROPERTIES.items()
        if level.workspace is None
    )
    return table(["level", "coordinates", "positions are", "arrays", "may be"], rows)


def operators(_: str) -> str:
    """The built-in operators and their traits over f64 (bitwise ones over i64)."""
    return table(
        ["operator", "arguments", "identity", "annihilator", "traits"],
        (_operator_row(operator) for operator in OPERATORS.values()),
    )


def _operator_row(operator: Operator) -> tuple[str, ...]:
    element = "i64" if operator.name in ("and", "or", "xor") else "f64"
    sided = {
        "identity": (operator.left_identity(element), operator.right_identity(element)),
        "annihilator": (operator.left_annihilator(element), operator.right_annihilator(element)),
    }
    cells: list[str] = []
    for left, right in sided.values():
        if left == right:
            cells.append(", ".join(map(str, left)))
        else:
            sides = ((left, "on the left"), (right, "on the right"))
            cells.append("; ".join(f"{', '.join(map(str, values))} {side}" for values, side in sides if values))
    traits = [name for name in ("commutative", "associative", "idempotent") if getattr(operator, name)]
    if operator.distributes_over:
        traits.append(f"distributes over {', '.join(operator.distributes_over)}")
    if operator.result == "bool":
        traits.append("gives a bool")
    return (f"`{operator.name}`", str(operator.arity), *cells, ", ".join(traits))


def _beside(module: str) -> Any:
    """A module of a folder that is not installed."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return import_module(module)


def schedule(writer: str) -> Callable[[str], str]:
    """A part of a page about a step of schedules."""
    return lambda argument: getattr(_beside("docs.schedule_pages"), writer)(argument)


def reference(name: str) -> str:
    """A public name, in the words of its docstring."""
    return _beside("docs.reference_page").reference(name)


def benchmarks(part: str) -> str:
    """A part of what `python -m benchmarks.run --docs` measured last, or `python -m benchmarks.gpu --docs`."""
    if part == "gpu":
        report = _beside("benchmarks.gpu_report")
        return "\n".join(report.markdown(report.Results.read(DOCS / "benchmarks" / "gpu.json"))) + "\n"
    report = _beside("benchmarks.report")

    results = report.Results.read(DOCS / "benchmarks" / "results.json")
    parts: dict[str, Callable[[], Iterable[str]]] = {
        "machine": lambda: report.facts_table(results.machine),
        "kernels": lambda: report.markdown(results),
        "summary": lambda: report.summary(results),
        "compiling": lambda: report.compile_table(results),
        "calls": lambda: report.seconds_table("one call", results.call_seconds),
        "starting": lambda: report.seconds_table("a new process", results.start_seconds, report.START_RESOLUTION),
    }
    return "\n".join(parts[part]()) + "\n"


def programs(part: str) -> str:
    """A part of what `python -m benchmarks.programs.run --docs` measured last."""
    report, facts_table = _beside("benchmarks.programs.report"), _beside("benchmarks.report").facts_table
    results = report.Results.read(DOCS / "benchmarks" / "programs.json")
    parts: dict[str, Callable[[], Iterable[str]]] = {
        "summary": lambda: report.summary(results),
        "steady": lambda: report.steady_table(results),
        "first": lambda: report.first_table(results),
        "machine": lambda: facts_table(results.machine),
    }
    return "\n".join(parts[part]()) + "\n"


def autoscheduler(part: str) -> str:
    """What `python -m benchmarks.autoscheduler --docs` or `python -m benchmarks.search --docs` measured last."""
    folder = DOCS / "benchmarks"
    if part == "search":
        return "\n".join(_beside("benchmarks.search").read_table(folder / "search.json")) + "\n"
    report = _beside("benchmarks.autoscheduler_report")
    return "\n".join(report.table(report.Sweeps.read(folder / "autoscheduler.json"))) + "\n"


def costs(unit: str) -> str:
    """What things cost in steps or in iterations: see `passes/support/step_costs.py`."""
    own = {"steps": STEPS, "iterations": ITERATIONS}[unit]
    rows = ((one.metadata["meaning"], f"{getattr(own, one.name):,.10g}") for one in fields(own))
    return table(["what", unit], rows)


def ir(pipeline: str) -> str:
    """What `irtensor-opt` prints for docs/examples/spmv.mlir; the format is shortened to the file's alias."""
    flags = [f"--{name}" for name in pipeline.split()]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = irtensor_opt.main([*flags, str(SPMV)])
    assert status == 0, f"irtensor-opt {pipeline} failed on {SPMV}"
    text = output.getvalue().replace(CSR, "#csr").strip()
    return f"```console\n$ irtensor-opt {' '.join(flags)} docs/examples/spmv.mlir\n```\n\n```mlir\n{text}\n```\n"


def file(name: str) -> str:
    """An example of IR."""
    return f"```mlir\n{(DOCS / 'examples' / name).read_text(encoding='utf-8').strip()}\n```\n"


WRITERS: dict[str, Callable[[str], str]] = {
    "dialect": dialect,
    "passes": passes,
    "pipelines": pipelines,
    "stages": stages,
    "settings": settings,
    "levels": levels,
    "reference": reference,
    "operators": operators,
    "benchmarks": benchmarks,
    "programs": programs,
    "autoscheduler": autoscheduler,
    "costs": costs,
    "ir": ir,
    "schedule_kernel": lambda name: _beside("docs.schedule_kernels").kernel(name),
    "schedule_step": schedule("step"),
    "schedule_example": schedule("example"),
    "schedule_refused": schedule("refused"),
    "file": file,
}


def pages() -> list[Path]:
    """Every text that may have generated parts."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def regenerate(text: str) -> str:
    """A text with its generated parts made anew."""

    def fill(block: re.Match[str]) -> str:
        kind, _, argument = block[2].partition(" ")
        return f"{block[1]}\n{WRITERS[kind](argument)}\n{block[3]}"

    return BLOCK.sub(fill, text)


def main() -> int:
    stale: list[str] = []
    for page in pages():
        old = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            new = _beside("docs.page_code").with_outputs(regenerate(old), str(page), Path(folder))
        if new != old:
            stale.append(str(page.relative_to(ROOT)))
            if "--check" not in sys.argv:
                page.write_text(new, encoding="utf-8")
    print("\n".join(stale) if stale else "every page is up to date")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
