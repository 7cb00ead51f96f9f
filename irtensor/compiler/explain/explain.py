"""`Kernel.explain()`: what the compiler made of a statement, and why, as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from irtensor.compiler.compilation.compile_kernel import seconds_of
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.compiler.compilation.read_signature import kernel_function
from irtensor.compiler.compilation.stage_ir import module_at
from irtensor.compiler.explain.final_plan import FinalPlan
from irtensor.compiler.explain.loops import loops_of
from irtensor.compiler.explain.parts import parts_text
from irtensor.compiler.explain.refusals import refusals_of
from irtensor.compiler.explain.result import result_levels
from irtensor.compiler.explain.sections import conversions, indented, scheduled, section, threads
from irtensor.compiler.explain.work import compared, pieces_of, why_not, work_of
from irtensor.compiler.kernel.operand_binding import NO_DEVICE
from irtensor.core.diagnostics import UserError, collect_remarks
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import Edge, accesses_in, edges_of, name_of
from irtensor.passes.analysis.lattice_points import MAX_OPERANDS, lattice_points
from irtensor.passes.pipelines import TARGETS, stages_to
from irtensor.planning.planner import plan_for

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from irtensor.compiler.compilation.compile_request import CompileRequest
    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options

# What kernels do that are not called for a whole result.
_PURPOSES = {
    "assemble": "finds which entries the result has, and computes no values",
    "compute": "computes the values of a result whose index exists",
}

_FORMATS = "formats of operands, measured"

# What runs where, for targets other than a CPU.
_TARGETS = {
    "cuda": "a GPU of NVIDIA runs the loops, which code for the host launches as kernels",
    "cuda-emulated": "the CPU runs the kernels of a GPU, from the code that becomes PTX",
}


def explain(
    request: Request,
    notes: Sequence[str],
    options: Options,
    instead: str | None = None,
    rated: Sequence[str] = (),
    uncompiled: Sequence[str] = (),
    split: Sequence[str] = (),
    parts: Sequence[CompileRequest] = (),
    formats: Sequence[str] = (),
) -> str:
    """Text for a request; `notes` are the conversions that calls made so far.

    `instead` is a program with which the kernel is compared, and `rated` says what its schedule was chosen
    among. `uncompiled` says what computes the request without code, if anything does. `split` says whether several
    kernels compute it, and `parts` are the requests for these. `formats` says which ones of operands were measured.
    Raises UserError.
    """
    if parts and instead is None:
        see = "ir() and assembly() show one kernel for all; compile one of these statements to see its own"
        lines = [*request.describe(), *section(_FORMATS, formats), *section("kernels", [*split, see])]
        return "\n".join([*lines, *conversions(notes, ()), *parts_text(parts, options)])
    planned = plan_for(request, options)
    asked, request = request, planned.request
    plan = FinalPlan.of(request, options)
    lines = [*request.describe(), *_target(options), *section(_FORMATS, formats), *scheduled(request)]
    lines += section("kernels", split) + section("without code", uncompiled)
    lines += _paragraph([] if planned.note is None else [planned.note]) + _paragraph(rated)
    if request.purpose != "fused":
        lines += ["", f"purpose of kernel  {request.purpose}: {_PURPOSES[request.purpose]}"]
    lines += conversions(notes, plan.remarks)
    lines += section("rules that do not apply", refusals_of(request, options, plan, bool(split)))
    lines += ["", "iteration graph", *indented(_graph(_ordered(request, options)))]
    lines += ["", "loops", *indented(loops_of(plan))]
    comparisons = compared(request, options)
    lines += section("work, whatever the operands hold", [*work_of(comparisons), *pieces_of(plan)])
    if instead is not None:
        lines += ["", f"instead: {instead}", *indented(why_not(comparisons, instead))]
    lines += section("how the result is written", result_levels(plan))
    lines += threads(plan, request, options)
    lines += _lattices(plan)
    lines += ["", "stages, for .ir(stage), and their passes", *indented(_stages(request, options))]
    if not uncompiled:
        lines += ["", "time of a compilation", *indented(_times(asked, options))]
    return "\n".join(lines)


def _ordered(request: Request, options: Options) -> FuncOp:
    """The function where the order of its loops was chosen. Loops that come as IR keep their author's order."""
    stage = "choose-loop-order" if request.start == "index_notation" else "concrete_index"
    with collect_remarks():
        return kernel_function(module_at(request, stage, options), request.function_name)


def _paragraph(lines: Sequence[str]) -> list[str]:
    return ["", *lines] if lines else []


def _target(options: Options) -> list[str]:
    return ["", f"target  {options.target}: {_TARGETS[options.target]}"] if options.target in _TARGETS else []


def _graph(function: FuncOp) -> list[str]:
    """A line per path of loops: each loop has to be outside of the next one, all for the same reason."""
    paths: dict[tuple[str, str], None] = {}
    blocks = [op.body.block for op in function.walk() if isinstance(op, ForallOp)] or [function.body.block]
    for access in dict.fromkeys(access for block in blocks for access in accesses_in(block)):
        path: list[Edge] = []
        for edge in [*edges_of(access), None]:
            if path and (edge is None or edge.before is not path[-1].after or _reason(edge) != _reason(path[-1])):
                paths[_path(path), _reason(path[0])] = None
                path = []
            path += [] if edge is None else [edge]
    if not paths:
        return ["no loop has to be outside another"]
    width = max(len(path) for path, _ in paths)
    return [f"{path:{width}}   {reason}" for path, reason in paths]


def _path(edges: Sequence[Edge]) -> str:
    arrow = " --> " if edges[0].hard else " - -> "
    return arrow.join(name_of(variable) for variable in (edges[0].before, *(edge.after for edge in edges)))


def _reason(edge: Edge) -> str:
    if isinstance(edge.access, ForallOp):
        return edge.reason()
    tensor = edge.access.tensor
    if edge.appends:
        return edge.reason()
    demand = "has to be" if edge.hard else "is better"
    return f"{name_of(tensor)} {demand} traversed in the order it is stored, {format_of(tensor.type)}"


def _lattices(plan: FinalPlan) -> list[str]:
    """The points of each loop that does something else where another of its operands has an entry."""
    lines: list[str] = []
    for loop in plan.loops():
        operands = plan.partial_operands(loop)
        if not 1 <= len(operands) <= MAX_OPERANDS:
            continue
        points = lattice_points(loop.body.block, operands)
        if points == [tuple(operands)] and len(operands) == 1:
            continue
        names = ", ".join(map(name_of, operands))
        lines += ["", f"lattice points of loop {plan.label(loop)}, by which of {names} has an entry"]
        rows: dict[int, list[str]] = {}
        for point in points:
            rows.setdefault(len(point), []).append("{" + ", ".join(map(name_of, point)) + "}")
        texts = ["   ".join(row) for row in rows.values()]
        width = max(map(len, texts), default=0)
        lines += indented(f"{text:^{width}}".rstrip() for text in texts)
        if () not in points:
            lines.append("  coordinates without any are skipped")
    return lines


def _stages(request: Request, options: Options) -> Iterator[str]:
    choices = PipelineChoices.for_request(request, options)
    stages = stages_to(TARGETS[options.target])
    stages = stages[stages.index(request.start) :]
    yield stages[0]
    for before, stage in pairwise(stages):
        yield f"{stage:18} {', '.join(choices.passes(before, stage))}"


def _times(request: Request, options: Options) -> Iterator[str]:
    try:
        seconds = seconds_of(request, options)
    except UserError as error:
        if error.slug not in NO_DEVICE:
            raise
        yield f"not measured: {error.message}"
        return
    for stage, time in seconds.items():
        yield f"{stage:18} {1e3 * time:8.2f} ms"
    yield f"{'together':18} {1e3 * sum(seconds.values()):8.2f} ms"
