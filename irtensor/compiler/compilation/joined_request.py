"""A request for one kernel of several statements, which gives their results as a tuple."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.compiler.compilation.read_signature import kernel_function
from irtensor.core.diagnostics import UserError
from irtensor.dialects.algebra.algebra import OperatorOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.frontend.kernel_request import KERNEL_NAME
from irtensor.passes.support.operations_in import operations_of

if TYPE_CHECKING:
    from irtensor.api.schedule import Schedule
    from irtensor.core.argument_layout import KernelPurpose
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.options import Options


@dataclass(frozen=True)
class JoinedRequest:
    """The requests of statements that do not read each other's results; equal names are the same operands.

    Results are stored as the requests say, without a conversion.
    """

    parts: tuple[CompileRequest, ...]
    schedule: Schedule | None = None
    wide: WideIndices | None = None

    start = "index_notation"
    function_name = KERNEL_NAME
    convert = True
    stored_as = None
    whatever_fits = None
    forgets_index = False
    selects_entries = False

    @property
    def purpose(self) -> KernelPurpose:
        """Kernels of several statements write all results."""
        return "fused"

    @property
    def any_purpose(self) -> JoinedRequest:
        """The request itself: its kernel computes everything."""
        return self

    @property
    def title(self) -> str:
        """The statements."""
        return "; ".join([part.title for part in self.parts])

    @property
    def reproducer(self) -> str:
        """A call that makes the same request."""
        operands = {name: one for part in self.parts for name, one in part.operands}
        formats = {name: str(one.format) for name, one in operands.items() if one.format}
        types = {name: one.dtype.name for name, one in operands.items()}
        return f"it.compile({self.title!r}, {formats}, dtypes={types})"

    def names(self) -> tuple[str, ...]:
        """The operands in the order of their first appearance."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.names()))

    def extents(self, operands: Sequence[Any]) -> tuple[dict[str, float] | None, ...]:
        """For each statement, the extents of the operands of a call by index variable."""
        by_name = dict(zip(self.names(), operands, strict=True))
        found: list[dict[str, float] | None] = []
        for part in self.parts:
            found += part.extents([by_name[name] for name in part.names()])
        return tuple(found)

    def extent_sources(self) -> list[Sequence[tuple[int, int]]]:
        """For every dimension of each result, the operand and dimension that have its extent."""
        names = self.names()
        found: list[Sequence[tuple[int, int]]] = []
        for part in self.parts:
            own = [names.index(name) for name in part.names()]
            found += [[(own[number], dimension) for number, dimension in its] for its in part.extent_sources()]
        return found

    def located(self) -> AbstractContextManager[None]:
        """Gives errors inside a `with` block the text of the statements."""
        return self.parts[0].located()

    def structure(self, options: Options) -> str:
        """A text that differs for requests that differ."""
        return repr(("joined", self.schedule, self.wide, *[part.structure(options) for part in self.parts]))

    def describe(self) -> list[str]:
        """The statements and their tensors, for people."""
        lines: list[str] = []
        for part in self.parts:
            lines += ["", *part.describe()] if lines else part.describe()
        return lines

    def build(self) -> Joined:
        """One function that computes all; raises UserError."""
        names = self.names()
        moved: list[FuncOp] = []
        declared: dict[str, OperatorOp] = {}
        arguments: dict[str, SSAValue] = {}
        for part in self.parts:
            module = part.build().module
            function = kernel_function(module)
            moved.append(function)
            for name, argument in zip(part.names(), function.body.block.args, strict=True):
                arguments.setdefault(name, argument)
            for op in operations_of(module.body.block):
                if isinstance(op, OperatorOp):
                    _declare(op, declared)
        results = [type for function in moved for type in function.function_type.outputs.data]
        joined = FuncOp(KERNEL_NAME, ([arguments[name].type for name in names], results))
        block, returned = joined.body.block, list[SSAValue]()
        for name, argument in zip(names, block.args, strict=True):
            argument.name_hint = arguments[name].name_hint
        for part, function in zip(self.parts, moved, strict=True):
            for name, argument in zip(part.names(), function.body.block.args, strict=True):
                argument.replace_all_uses_with(block.args[names.index(name)])
            for op in operations_of(function.body.block):
                if isinstance(op, ReturnOp):
                    returned += op.arguments
                    erase_operation(op)
                else:
                    op.detach()
                    block.add_op(op)
        block.add_op(ReturnOp(*returned))
        return Joined(ModuleOp([*declared.values(), joined]))


def _declare(op: OperatorOp, declared: dict[str, OperatorOp]) -> None:
    """Add the operator of a statement to those of all. Raises UserError [unsupported-function] for another one of its
    name, as the statements have to be compiled apart then."""
    known = declared.get(op.sym_name.data)
    if known is None:
        op.detach()
        declared[op.sym_name.data] = op
    elif str(known) != str(op):
        message = f"two statements have different operators called {op.sym_name.data}"
        raise UserError("unsupported-function", message, help="compile them one by one")


class Joined(NamedTuple):
    """The module of several statements."""

    module: ModuleOp
    # Operands without elements are computed with apart.
    nonempty: tuple[Any, ...] = ()
