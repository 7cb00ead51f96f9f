"""The plan of a kernel when all of its loops are there: each of them, and how it reads the levels that it binds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.compiler.compilation.read_signature import kernel_function
from irtensor.compiler.compilation.stage_ir import module_at
from irtensor.core.diagnostics import Remark, collect_remarks
from irtensor.core.storage_levels import Level
from irtensor.dialects.concrete_index.concrete_index import AccessOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    JumperOp,
    SequenceOp,
    StepperOp,
    SwitchOp,
    ThunkOp,
)
from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.loop.loop_memory import LowerBoundOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.storage.storage_types import FiberType
from irtensor.dialects.support.create_operation import copy_of
from irtensor.passes.analysis.iteration_graph import accesses_in, name_of
from irtensor.passes.concrete_index.fuse_definitions import FuseDefinitionsPass
from irtensor.passes.concrete_index.merge_dense_dimensions import MergeDenseDimensionsPass
from irtensor.passes.concrete_index.tabulate_functions import TabulateFunctionsPass
from irtensor.passes.concrete_index.tabulate_sums import TabulateSumsPass
from irtensor.passes.iteration_lattice.support.known_walks import known_walks
from irtensor.passes.iteration_lattice.support.updates import written_tensor
from irtensor.passes.iteration_lattice.unfurl import UnfurlPass, tensor_of
from irtensor.passes.support.operations_in import operations_in

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options

# Tag of loops that says which one of the plan they come from.
_ORIGIN = "origin"
_FUSE, _MERGE = FuseDefinitionsPass.name, MergeDenseDimensionsPass.name
_TABULATE = (TabulateFunctionsPass.name, TabulateSumsPass.name)


class Read(NamedTuple):
    """A level whose coordinates a loop visits or finds; `tensor` is its name."""

    tensor: str
    number: int
    level: Level
    protocol: str
    """The access: `walked` or `galloped` if it leads the loop, else `searched`, `looked up` or `located`."""

    @property
    def leads(self) -> bool:
        return self.protocol in ("walked", "galloped")


class FinalPlan(NamedTuple):
    """A function in the last form in which it has loops over index variables, and what later passes say about it."""

    module: ModuleOp
    function: FuncOp
    remarks: list[Remark]
    purpose: str
    reads: dict[ForallOp | LetOp, list[Read]]
    """Of each forall and let, the levels that it binds, in the order of the accesses."""
    walks: set[tuple[str, int]]
    """Names of results and their levels along whose entries a loop goes instead of those of a workspace."""
    choices: PipelineChoices

    @staticmethod
    def of(request: Request, options: Options) -> FinalPlan:
        """The plan for a request. Raises UserError for what does not compile."""
        choices = PipelineChoices.for_request(request, options)
        with collect_remarks() as remarks:
            module = module_at(request, "concrete_index", options)
            merged = copy_of(module)
            # Other passes, which need the kernels of a GPU, explain its loops.
            is_last = None if options.target == "cpu" else lambda name: name == _MERGE
            lower_module(merged, "concrete_index", "cpu", choices=choices, after=is_last)
        function = kernel_function(module, request.function_name)
        _name_apart(function)
        # Remarks tell of loops that are one, of one definition or of two, and of loops in two versions. Here they are
        # what the statement has.
        choices = replace(choices, without=choices.without | {_FUSE, _MERGE, *_TABULATE})
        lattice = copy_of(module)
        lower_module(lattice, "concrete_index", "iteration_lattice", choices=choices)
        UnfurlPass(options.gallop).apply(Context(), lattice)
        # Each of these loops became one co-iteration, in the same position.
        loops = [op for op in function.walk() if isinstance(op, ForallOp | LetOp)]
        reads = dict(zip(loops, map(_reads, operations_in(lattice, CoiterateOp)), strict=True))
        walks = (
            _walks(module, request.function_name, choices) if request.purpose == "compute" else set[tuple[str, int]]()
        )
        return FinalPlan(module, function, remarks, request.purpose, reads, walks, choices)

    def loops(self) -> list[ForallOp]:
        """The loops, in the order of the text."""
        return operations_in(self.function, ForallOp)

    def label(self, loop: ForallOp) -> str:
        """The name of a loop's variable, and which one it is where several have it."""
        name = name_of(loop.variable)
        same = [other for other in self.loops() if name_of(other.variable) == name]
        return name if len(same) == 1 else f"{name} ({same.index(loop) + 1} of {len(same)})"

    def concerned_by(self, choice: str) -> set[str]:
        """The tensors and expressions that remarks of a pass are about."""
        return {one for remark in self.remarks if remark.by == choice for one in remark.about}

    def partial_operands(self, loop: ForallOp) -> list[SSAValue]:
        """Operands and temporaries with a level that the loop binds and that does not hold every coordinate."""
        partial = {read.tensor for read in self.reads[loop] if read.leads or read.protocol == "looked up"}
        accesses = [access for access in accesses_in(loop.body.block) if isinstance(access, AccessOp)]
        return list(dict.fromkeys(access.tensor for access in accesses if name_of(access.tensor) in partial))

    def imperative_loops(self) -> tuple[FuncOp, dict[ForallOp, list[ForOp]]]:
        """The function as loops over positions and coordinates, and which of them each loop of the plan became."""
        module = copy_of(self.module)
        name = self.function.sym_name.data
        for number, loop in enumerate(operations_in(kernel_function(module, name), ForallOp)):
            loop.attributes[_ORIGIN] = StringAttr(str(number))
        lower_module(module, "concrete_index", "loop", choices=self.choices)
        function = kernel_function(module, name)
        found: dict[ForallOp, list[ForOp]] = {loop: [] for loop in self.loops()}
        for op in operations_in(function, ForOp):
            if isinstance(origin := op.attributes.get(_ORIGIN), StringAttr):
                found[self.loops()[int(origin.data)]].append(op)
        return function, found


def _name_apart(function: FuncOp) -> None:
    """Let temporaries have different names, by which they are told apart in the lowered function."""
    taken = {name_of(value) for op in function.walk() for value in op.results}
    taken |= {name_of(argument) for argument in function.body.block.args}
    for where in operations_in(function, WhereOp):
        name = name_of(where.producer.block.args[0])
        names = [name, *(f"{name}{number}" for number in range(2, len(taken) + 3))]
        chosen = next(one for one in names if one not in taken)
        taken.add(chosen)
        for region in where.regions:
            region.block.args[0].name_hint = chosen


def _reads(loop: CoiterateOp) -> list[Read]:
    found: list[Read] = []
    for nest in loop.nests:
        assert isinstance(nest.owner, ThunkOp)
        fiber = nest.owner.fiber.type
        assert isinstance(fiber, FiberType)
        tensor, number = tensor_of(nest.owner.fiber), fiber.level.data
        level = format_of(fiber.tensor).levels[number]
        found.append(Read("?" if tensor is None else name_of(tensor), number, level, _protocol(nest.owner)))
    return found


def _protocol(nest: ThunkOp) -> str:
    """What the looplets that a level unfolds into say."""
    op_types = {type(op) for op in nest.body.walk()}
    if JumperOp in op_types:
        return "galloped"
    if StepperOp in op_types or SequenceOp in op_types:
        return "walked"
    if LowerBoundOp in op_types:
        return "searched"
    return "looked up" if SwitchOp in op_types else "located"


def _walks(module: ModuleOp, name: str, choices: PipelineChoices) -> set[tuple[str, int]]:
    lowered = copy_of(module)
    lower_module(lowered, "concrete_index", "llvm", choices=choices, after=lambda done: done == "lower-looplets")
    appends = [walk.place for walk in known_walks(kernel_function(lowered, name)).values()]
    found: set[tuple[str, int]] = set()
    for place in appends:
        tensor, fiber = written_tensor(place.fiber), place.fiber.type
        assert tensor is not None and isinstance(fiber, FiberType)
        found.add((name_of(tensor), fiber.level.data))
    return found
