"""`Kernel.explain()`: what the compiler made of a statement, and why, as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from xdsl.ir import Block, SSAValue

from irtensor.compiler.explain_lattice import MAX_OPERANDS, lattice_points
from irtensor.compiler.explain_result import result_levels
from irtensor.compiler.explain_threads import loops_on_threads
from irtensor.compiler.pipeline_choices import PipelineChoices
from irtensor.compiler.read_signature import kernel_function
from irtensor.compiler.stage_ir import module_at
from irtensor.dialects.concrete_index import AccessOp, AssignOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.diagnostics import Remark, collect_remarks
from irtensor.dialects.storage import format_of
from irtensor.passes.analysis.iteration_graph import Edge, accesses_in, can_locate, edges_of, level_variables, name_of
from irtensor.passes.pipelines import STAGE_NAMES

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from irtensor.options import Options


def explain(request: Any, notes: Sequence[str], options: Options) -> str:
    """Text for a request (CompileRequest or ModuleRequest); `notes` are the conversions that calls made so far."""
    with collect_remarks() as remarks:
        module_at(request, "concrete_index", options)
    # What later passes do inside of the loops is said, not shown. Loops that come as IR keep their author's order.
    place = "choose-loop-order" if request.start == "index_notation" else "concrete_index"
    module = module_at(request, place, options)
    function = kernel_function(module, request.function_name)
    lines = [*request.describe(), *_scheduled(request)]
    if request.kind != "fused":
        lines += ["", f"kind of kernel  {request.kind}"]
    lines += _conversions(notes, remarks)
    lines += ["", "iteration graph", *_indented(_graph(function))]
    lines += ["", "loops", *_indented(_loops(function.body.block, 0))]
    if written := result_levels(function, request.kind):
        lines += ["", "how the result is written", *_indented(written)]
    if threads := list(loops_on_threads(request, options)):
        lines += ["", "threads", *_indented(threads)]
    lines += _lattices(function)
    lines += ["", "stages, for .ir(stage), and their passes", *_indented(_stages(request, options))]
    lines += ["", "time of a compilation", *_indented(_times(request, options))]
    return "\n".join(lines)


def _indented(lines: Sequence[str] | Iterator[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _scheduled(request: Any) -> list[str]:
    if request.schedule is None or not request.schedule.steps:
        return []
    return ["", "schedule", *_indented(f"{number}. {step}" for number, step in enumerate(request.schedule.steps, 1))]


def _conversions(notes: Sequence[str], remarks: Sequence[Remark]) -> list[str]:
    found = [*notes, *(remark.message.partition(": ")[2] for remark in remarks)]
    return ["", "conversions and workspaces", *_indented(found)] if found else []


def _graph(function: FuncOp) -> list[str]:
    """One line per constraint between two loops."""
    edges: dict[str, Edge] = {}
    for block in [op.body.block for op in function.walk() if isinstance(op, ForallOp)] or [function.body.block]:
        for access in accesses_in(block):
            for edge in edges_of(access):
                edges.setdefault(f"{edge.reason()}{edge.hard}", edge)
    if not edges:
        return ["no loop has to be outside another"]
    arrows = [f"{name_of(e.before)} {'-->' if e.hard else '- ->'} {name_of(e.after)}" for e in edges.values()]
    width = max(map(len, arrows))
    return [f"{arrow:{width}}   {_reason(edge)}" for arrow, edge in zip(arrows, edges.values(), strict=True)]


def _reason(edge: Edge) -> str:
    if isinstance(edge.access, ForallOp):
        return edge.reason()
    tensor = edge.access.tensor
    if edge.appends:
        return edge.reason()
    kind = "has to be" if edge.hard else "is better"
    return f"{name_of(tensor)} {kind} traversed in the order it is stored, {format_of(tensor.type)}"


def _loops(block: Block, depth: int) -> Iterator[str]:
    """The statement as nested loops, with what each does to the levels it binds."""
    indent = "    " * depth
    for op in block.ops:
        match op:
            case ForallOp():
                uses = "; ".join(_uses(op))
                yield f"{indent}for {name_of(op.variable)}" + (f": {uses}" if uses else "")
                yield from _loops(op.body.block, depth + 1)
            case LetOp():
                yield f"{indent}let {name_of(op.variable)} = {name_of(op.coordinate)}"
                yield from _loops(op.body.block, depth + 1)
            case WhereOp():
                producer, consumer = (region.block for region in op.regions)
                yield f"{indent}compute the temporary {name_of(producer.args[0])}"
                yield from _loops(producer, depth + 1)
                yield f"{indent}then use it"
                yield from _loops(consumer, depth + 1)
            case AssignOp():
                target = f"{name_of(op.tensor)}[{', '.join(map(name_of, op.indices))}]"
                operator = "" if op.operator is None else f"{str(op.operator).strip(chr(34))} "
                yield f"{indent}{target} {operator}= ..."
            case _:
                for region in op.regions:
                    for inner in region.blocks:
                        yield from _loops(inner, depth)


def _uses(loop: ForallOp) -> list[str]:
    """What happens to the levels whose coordinates the loop binds."""
    sparse = _sparse_operands(loop)
    merged = len(sparse) > 1
    uses: dict[str, None] = {}
    for access in accesses_in(loop.body.block):
        format = format_of(access.tensor.type)
        for level, variable in enumerate(level_variables(access)):
            if variable is not loop.variable:
                continue
            kind = str(format.levels[level].format)
            accumulates = format.levels[level].format.properties.workspace_only
            if isinstance(access, AssignOp):
                what = "is located" if can_locate(format, level) else "is appended to"
                what = "is inserted into" if accumulates else what
            elif accumulates:
                what = "is listed in order"
            elif can_locate(format, level):
                what = "is located"
            else:
                what = "is merged" if merged else "is walked"
            uses[f"level {level} of {name_of(access.tensor)} ({kind}) {what}"] = None
    return list(uses)


def _sparse_operands(loop: ForallOp) -> list[SSAValue]:
    """Operands of which the loop binds a level that has to be walked."""
    found: dict[SSAValue, None] = {}
    for access in accesses_in(loop.body.block):
        if isinstance(access, AccessOp):
            format = format_of(access.tensor.type)
            levels = [n for n, variable in enumerate(level_variables(access)) if variable is loop.variable]
            if any(not can_locate(format, level) for level in levels):
                found[access.tensor] = None
    return list(found)


def _lattices(function: FuncOp) -> list[str]:
    lines: list[str] = []
    for loop in [op for op in function.walk() if isinstance(op, ForallOp)]:
        operands = _sparse_operands(loop)
        if not 1 <= len(operands) <= MAX_OPERANDS:
            continue
        points = lattice_points(loop.body.block, operands)
        names = ", ".join(map(name_of, operands))
        lines += ["", f"lattice points of loop {name_of(loop.variable)}, by which of {names} has an entry"]
        rows: dict[int, list[str]] = {}
        for point in points:
            rows.setdefault(len(point), []).append("{" + ", ".join(map(name_of, point)) + "}")
        texts = ["   ".join(row) for row in rows.values()]
        width = max(map(len, texts), default=0)
        lines += _indented(f"{text:^{width}}".rstrip() for text in texts)
        if () not in points:
            lines.append("  coordinates without any are skipped")
    return lines


def _stages(request: Any, options: Options) -> Iterator[str]:
    choices = PipelineChoices.of(request.convert, options, request.kind, request.schedule, request.wide)
    stages = STAGE_NAMES[STAGE_NAMES.index(request.start) :]
    yield stages[0]
    for before, stage in pairwise(stages):
        yield f"{stage:18} {', '.join(choices.passes(before, stage))}"


def _times(request: Any, options: Options) -> Iterator[str]:
    seconds = request.compile_fresh(options).seconds
    for stage, time in seconds.items():
        yield f"{stage:18} {1e3 * time:8.2f} ms"
    yield f"{'together':18} {1e3 * sum(seconds.values()):8.2f} ms"
