"""What docs/generate.py writes into the pages about steps of a schedule: their passes, examples run, and refusals."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import irtensor as it
from irtensor.api.schedule import Schedule
from irtensor.passes import get_all_passes

ROOT = Path(__file__).parents[1]
FORMATS = {"CSR": it.CSR, "CSF(3)": it.CSF(3)}
# Statement, formats by tensor, schedule: what each page shows before and after its last step.
EXAMPLES: dict[str, tuple[str, dict[str, str], str]] = {
    "autoschedule": ("y[i] = A[i,j] * B[j,k] * x[k]", {"A": "CSR", "B": "CSR"}, "autoschedule()"),
    "reorder": ("A[i,j] = B[i,k] * C[k,j]", {}, "reorder(i, k, j)"),
    "strided": ("y[i] = A[i,j] * x[j]", {"A": "CSR"}, "split(i, i0, i1, 8); reorder(i1, i0)"),
    "temporary": ("y[i] = b[i] - sum(j, A[i,j] * x[j])", {}, "reorder(j, i)"),
    "precompute": (
        "A[i,j] = B[i,k] * C[k,j]",
        {"A": "CSR", "B": "CSR", "C": "CSR"},
        "reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)",
    ),
    "reuse": ("A[i,j] = B[i,j] + C[i,j]", {"B": "CSR", "C": "CSR"}, "precompute(B[i,j], over=(i, j), reuse=True)"),
    "partial": ("y = x[i] * x[i]", {}, "split(i, i0, i1, 1000); precompute(x[i1] * x[i1], over=i0, producer=b)"),
    "offsets": (
        "y = x[i] * x[i]",
        {},
        "split(i, i0, i1, 8); reorder(i1, i0); precompute(x[i] * x[i], over=i1, producer=p)",
    ),
    "entries": (
        "y[i] = A[i,j] * x[j]",
        {"A": "CSR"},
        "pos(j, jp, A); split(jp, b, e, 16); precompute(A[i,e] * x[e], over=e, producer=p)",
    ),
    "tile": (
        "C[i,j] = B[i,j] * exp(c[j])",
        {},
        "split(j, j0, j1, 64); reorder(j0, i, j1); precompute(exp(c[j1]), over=j1, producer=p)",
    ),
    "split": ("y[i] = A[i,j] * x[j]", {"A": "CSR"}, "split(i, i0, i1, 32)"),
    "divide": ("y[i] = A[i,j] * x[j]", {"A": "CSR"}, "divide(i, i0, i1, 4)"),
    "fuse": ("y[i] = A[i,j] * x[j]", {"A": "CSR"}, "fuse(i, j, f); split(f, f0, f1, 64, tensor=A)"),
    "pos": ("y[i] = A[i,j] * x[j]", {"A": "CSR"}, "pos(j, jp, A[i,j]); split(jp, b, e, 32)"),
    "coord": ("y[i] = A[i,j] * x[j]", {"A": "CSR"}, "pos(j, jp, A[i,j]); split(jp, b, e, 32); coord(e, j)"),
    "bound": ("C[i,k] = A[i,j] * B[j,k]", {"A": "CSR"}, "bound(k, 16)"),
    "unroll": ("y[i] = A[i,j] * x[j]", {}, "split(j, j0, j1, 4); unroll(j1, 4)"),
    "vectorize": ("C[i,k] = A[i,j] * B[j,k]", {"A": "CSR"}, "reorder(i, j, k); vectorize(k, 8)"),
    "merge": ("y = A[i,j] * B[i,j]", {"A": "CSR", "B": "CSR"}, "merge(j, gallop)"),
    "parallelize": ("y[i] = A[i,j] * x[j]", {"A": "CSR"}, "parallelize(i)"),
    "races": ("y[j] = A[i,j]", {"A": "CSR"}, "reorder(i, j); parallelize(i, races=temporary)"),
    "assemble": ("A[i,j] = B[i,j] + C[i,j]", {"A": "CSR", "B": "CSR", "C": "CSR"}, "assemble(A, insert)"),
    "mttkrp": (
        "A[i,j] = B[i,k,l] * C[l,j] * D[k,j]",
        {"B": "CSF(3)"},
        "reorder(i, k, l, j); precompute(B[i,k,l] * C[l,j], over=j)",
    ),
    "tiled": (
        "C[i,k] = A[i,j] * B[j,k]",
        {"A": "CSR"},
        "split(k, k0, k1, 64); reorder(i, k0, j, k1)",
    ),
}


def steps() -> list[str]:
    """The steps that a schedule may have, in the order in which they are written down."""
    return [name for name, kind in vars(Schedule).items() if inspect.isfunction(kind) and name[0] != "_"]


def step(name: str) -> str:
    """How a step is written, what it does, and what its pass does to the IR."""
    from docs.generate import docstring, option_table
    from docs.reference_page import call_of

    kind = get_all_passes()[name]()
    method = getattr(Schedule, name)
    call = call_of(f"schedule.{name}", method)
    options = [option.name for option in kind.options()]
    lines = [
        f"```text\n{call}\n```",
        "",
        inspect.cleandoc(method.__doc__ or ""),
        "",
        f"In the IR it is the pass `{name}{{{' '.join(f'{option}=...' for option in options)}}}`:",
        "",
        docstring(kind),
        "",
        option_table(kind).rstrip(),
    ]
    return "\n".join(lines) + "\n"


def example(name: str) -> str:
    """The statement of an example, its schedule, and concrete_index before and after the last step."""
    notation, formats, text = EXAMPLES[name]
    schedule = it.schedule(text)
    chosen = {tensor: FORMATS[format] for tensor, format in formats.items()}
    kernel = it.compile(notation, formats=chosen, schedule=schedule)
    last = len(schedule.steps)
    given = ", ".join(f'"{tensor}": it.{format}' for tensor, format in formats.items())
    arguments = [f'"{notation}"', *([f"formats={{{given}}}"] if given else []), f'schedule=it.schedule("{text}")']
    call = "\n".join(
        ["import irtensor as it", "", "kernel = it.compile(", *(f"    {text}," for text in arguments), ")"]
    )
    before = kernel.ir("concretize" if last == 1 else f"step {last - 1}")
    lines = [f"```python\n{call}\n```", ""]
    for title, ir in (("Before this step:", before), ("After it:", kernel.ir(f"step {last}"))):
        lines += [title, "", f"```mlir\n{_statement(ir)}\n```", ""]
    return "\n".join(lines)


def _statement(ir: str) -> str:
    """The definition in a module, without the types of accesses."""
    lines = ir.splitlines()
    start = next(number for number, line in enumerate(lines) if "concrete_index.compute" in line)
    end = next(number for number, line in enumerate(lines) if "func.return" in line)
    short: list[str] = []
    for line in lines[start:end]:
        line = re.sub(
            r"( concrete_index\.(?:access|assign|extent|entry|entry_count|entry_number)\b.*?) : .*", r"\1", line[4:]
        )
        line = re.sub(r"(algebra\.apply .*?\)) : .*", r"\1", line)
        short.append(re.sub(r"#storage\.format<\([^)]*\) -> \((.*?)\)>", r"{\1}", line))
    return "\n".join(short)


def refused(name: str) -> str:
    """When a step is refused: the pieces of its tests of rejected inputs, each with its reason."""
    lines = ["| refused as | because |", "| --- | --- |"]
    for slug, message, why in dict.fromkeys(_refusals(name)):
        text = f"{why} `{message}`" if why else f"`{message}`"
        lines.append(f"| [`{slug}`](../errors.md#{slug}) | {text.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def _refusals(name: str) -> Iterator[tuple[str, str, str]]:
    paths = sorted((ROOT / "test" / "passes").rglob(f"{name}*-rejected.mlir"))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    pieces = [piece for text in texts if f"{name}{{" in text for piece in re.split(r"(?m)^// -----$", text)]
    for piece in pieces:
        code = re.sub(r"(?m)^// RUN:.*\n", "", piece).strip()
        found: Any = re.search(r"expected-error @[-+]\d+ \{\{\[([a-z-]+)\] (.*?)\}\}\n", code)
        if found is not None:
            comment = re.search(r"(?m)^(?:// (?!expected|[A-Z-]+:).*\n)+", code)
            why = " ".join(line[3:] for line in comment[0].splitlines()) if comment else ""
            yield found[1], re.sub(r"\s+", " ", found[2]), why
