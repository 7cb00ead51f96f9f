"""A request for the kernel of a function in IR: reads the text, and finds the function and its stage."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp

from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.read_signature import IndexRanges, StatedExtent, index_ranges, kernel_function
from irtensor.compiler.kernel.scalar_arguments import read_scalar_arguments
from irtensor.core.cached_property import cached_property
from irtensor.core.diagnostics import UserError, source_text
from irtensor.dialects.storage.storage_types import ENTRIES_OF
from irtensor.dialects.support.located_parser import parse_module
from irtensor.frontend.bind_extents import WideIndices, may_be_wide
from irtensor.late_imports import load_for
from irtensor.options import Options
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.repairs.insert_conversions import STORED_PART
from irtensor.passes.support.read_arith import read_arith
from irtensor.passes.support.verification import verification_errors

if TYPE_CHECKING:
    load_for("modules")
    from irtensor.api.schedule import Schedule
    from irtensor.compiler.kernel.check_coordinates import CoordinateChecks
    from irtensor.core.argument_layout import KernelPurpose

# Attributes of arguments that the compiler gives them: it is not asked whether they are true.
_TOLD = (ENTRIES_OF, STORED_PART)


@dataclass(frozen=True)
class ModuleRequest:
    """A text of IR and the function of it that becomes a kernel; `start` is the stage that the text is in.

    `wide` names the index variables whose extents are so large that no memory is taken for them.
    """

    text: str
    file: str
    function_name: str
    start: str
    convert: bool
    schedule: Schedule | None = None
    wide: WideIndices | None = None

    # Kernels write results as the function's types say.
    stored_as = None
    whatever_fits = None
    forgets_index = False
    selects_entries = False

    @staticmethod
    def read(
        text: str,
        file: str,
        function: str | None,
        convert: bool,
        schedule: Schedule | None = None,
        tuned: bool = False,
    ) -> ModuleRequest:
        """Find the function and its stage; `tuned` if its schedule is to be measured.

        Raises UserError for IR that does not parse or verify, or cannot have a schedule.
        """
        module = _parse(text, file)
        found = [op for op in module.body.block.ops if isinstance(op, FuncOp) and not op.is_declaration]
        names = [op.sym_name.data for op in found]
        if function is None and len(names) == 1:
            function = names[0]
        if function is None or function not in names:
            what = "no function" if function is None else f"no function @{function}"
            message = f"{what} to compile: the module defines {', '.join(f'@{name}' for name in names) or 'none'}"
            raise UserError("unsupported-function", message, help="name one of them with function=")
        dialects = {op.name.partition(".")[0] for op in module.walk()} - {"builtin", "func"}
        known = ("index_notation", "concrete_index")
        # A function of no dialect returns an operand, which lowering refuses whatever the stage.
        start = next((stage for stage in known if stage in dialects), None if dialects else known[0])
        if start is None or len(dialects & {*known, "iteration_lattice", "loop"}) > 1:
            held = ", ".join(sorted(dialects))
            message = f"@{function} is neither index_notation nor concrete_index: the module holds {held}"
            raise UserError("unsupported-function", message, help="other stages are lowered by irtensor-opt")
        if start == "concrete_index" and (tuned or (schedule is not None and schedule.steps)):
            message = f"@{function} has its loops already: a schedule is for index_notation"
            raise UserError("bad-schedule", message, help="run the steps with irtensor-opt, as passes")
        return ModuleRequest(text, file, function, start, convert, schedule)

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the IR read from the text: operations are linked, and a pickle of many is nested too deeply.
        parts = (self.text, self.file, self.function_name, self.start, self.convert, self.schedule, self.wide)
        return ModuleRequest, parts

    @property
    def purpose(self) -> KernelPurpose:
        """Kernels of functions write all of their results."""
        return "fused"

    @property
    def any_purpose(self) -> ModuleRequest:
        """The request itself: its kernel computes everything."""
        return self

    def located(self) -> AbstractContextManager[None]:
        """Gives errors inside a `with` block the lines of the text that they point into."""
        return source_text(self.file, self.text)

    def build(self) -> _Parsed:
        """The module, with the one function in it."""
        module = _parse(self.text, self.file)
        for op in list(module.body.block.ops):
            if isinstance(op, FuncOp) and op.sym_name.data != self.function_name:
                module.body.block.erase_op(op)
        function = kernel_function(module, self.function_name)
        _forget_what_is_told(function)
        for number, argument in enumerate(function.body.block.args):
            # What users are told of has a name.
            argument.name_hint = argument.name_hint or f"arg{number}"
        return _Parsed(module)

    @cached_property
    def function(self) -> FuncOp:
        """The function as loops, before any decision, for those who only read it. Raises UserError."""
        module = self.build().module
        if self.start == "index_notation":
            lower_module(module, "index_notation", "concrete_index", after=lambda name: name == "concretize")
        return kernel_function(module, self.function_name)

    def names(self) -> tuple[str, ...]:
        """The arguments of the function, in its order."""
        return tuple([name_of(argument) for argument in self.function.body.block.args])

    def extent_sources(self) -> list[Sequence[tuple[int, int]]]:
        """For every dimension of each result, the argument and dimension that have its extent. Raises UserError."""
        return self._index_ranges.results

    def shared_ranges(self) -> list[Sequence[tuple[int, int]]]:
        """Which dimensions of the arguments have to be equal, as one index variable ranges over them."""
        return self._index_ranges.shared

    def stated_extents(self) -> list[StatedExtent]:
        """The extents that types of arguments and of results state."""
        return self._index_ranges.stated

    def coordinate_checks(self) -> CoordinateChecks | None:
        """The checks of operands because the text computes coordinates; None of index_notation."""
        load_for("modules")
        from irtensor.compiler.kernel.check_coordinates import CoordinateChecks

        if self.start == "index_notation":
            return None
        return CoordinateChecks(self.function, self._index_ranges.extents)

    def extents(self, operands: Sequence[Any]) -> tuple[dict[str, float] | None, ...]:
        """For each tensor that is defined, the extents of the operands of a call by index variable.

        None for a tensor without a program. Other defined tensors that it reads are dense, as in compiled functions.
        """
        return tuple(
            [
                None
                if ranges is None
                else {index: float(operands[number].shape[mode]) for index, (number, mode) in ranges.items()}
                for ranges in self._ranges
            ]
        )

    def wide_for(self, operands: Sequence[Any]) -> WideIndices | None:
        """The index variables that are wide for the operands of a call."""
        if not may_be_wide(operand.shape for operand in operands):
            return self.wide
        its = [its for ranges in self._index_ranges.definitions.values() for its in ranges.items()]
        extents = [(name_of(one), operands[n].shape[mode]) for one, positions in its for n, mode in positions[:1]]
        return WideIndices.of(extents)

    @cached_property
    def _index_ranges(self) -> IndexRanges:
        return index_ranges(self.function)

    @cached_property
    def _ranges(self) -> list[dict[str, tuple[int, int]] | None]:
        """For each definition and each of its index variables, an argument and a dimension over which it runs."""
        from irtensor.passes.autoschedule.read_program import read_program

        found: list[dict[str, tuple[int, int]] | None] = []
        for definition, ranges in self._index_ranges.definitions.items():
            found.append(None)
            with suppress(UserError):
                variables = read_program(definition).variables
                found[-1] = {name: its[0] for name, one in variables.items() if (its := ranges.get(one))}
        return found

    def structure(self, options: Options) -> str:
        """A text that differs for requests that differ."""
        parts = (self.text, self.function_name, self.convert, self.schedule, self.wide, options.code_key())
        return repr(("module", *parts))

    @property
    def title(self) -> str:
        """The function."""
        return f"@{self.function_name} of {self.file}"

    @property
    def reproducer(self) -> str:
        """The module that makes the same request."""
        return f"the function @{self.function_name} of {self.file}"

    def describe(self) -> list[str]:
        function = kernel_function(self.build().module, self.function_name)
        lines = [f"function  @{self.function_name} of {self.file}", "", "tensors"]
        lines += [f"  {argument.name_hint}  {argument.type}" for argument in function.body.block.args]
        returned = [value for op in function.body.block.ops if isinstance(op, ReturnOp) for value in op.arguments]
        return [*lines, *(f"  result {name_of(value)}  {value.type}" for value in returned)]


class _Parsed(NamedTuple):
    module: ModuleOp
    # An index is never assembled for values that come later.
    nonempty = ()


def parsing_context() -> Context:
    """A context with all dialects, ours and upstream's."""
    from irtensor.dialects import get_all_dialects

    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    _register_upstream(context)
    return context


def _parse(text: str, file: str) -> ModuleOp:
    with source_text(file, text):
        module = parse_module(parsing_context(), text, file)
        if errors := verification_errors(module):
            raise errors[0]
        read_arith(module, "compile_module")
        read_scalar_arguments(module)
    return module


def _register_upstream(context: Context) -> None:
    from xdsl.dialects import get_all_dialects as get_xdsl_dialects

    known = set(context.registered_dialect_names)
    for name, factory in get_xdsl_dialects().items():
        if name not in known:
            context.register_dialect(name, factory)


def _forget_what_is_told(function: FuncOp) -> None:
    """A kernel that believed this of a module would read past the end of a list: its operands are not compared.

    Nor is an argument the stored part of another operand than the one that is given.
    """
    if function.arg_attrs is not None:
        said = [one.data for one in function.arg_attrs.data]
        kept = [{name: value for name, value in one.items() if name not in _TOLD} for one in said]
        function.arg_attrs = ArrayAttr([DictionaryAttr(one) for one in kept])
