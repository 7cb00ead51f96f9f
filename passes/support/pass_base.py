"""What every pass of irtensor has beside its rewrite: a summary, taken from its docstring, and what it runs over."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from irtensor.core.diagnostics import UserError, located_at
from irtensor.dialects import DIALECTS
from irtensor.passes.support.operations_in import operations_in, operations_of

_OURS = frozenset(name for name, _, _ in DIALECTS)

# The largest number of an option.
_MOST = (1 << 31) - 1
_Value = TypeVar("_Value")

# What a kernel's request and its settings allow or not, and for which kernels it is not allowed.
Permission = Literal["conversions", "threads"]
FORBIDDEN: Mapping[Permission, str] = {
    "conversions": "that read operands as they are stored (`convert=False`)",
    "threads": "for one thread",
}


def option(meaning: str, default: _Value, *, choices: tuple[_Value, ...] = (), instead: str = "") -> _Value:
    """A field of a pass: an option, with a sentence that says what it is and the values that it may have, if few.

    No pass is made with a value that is not among the choices: [bad-pass-option]; `instead` is the way out.
    """
    return dataclasses.field(default=default, metadata={"meaning": meaning, "choices": choices, "instead": instead})


class PassOption(NamedTuple):
    """The description of an option: its name on the command line, its type, and what `option` was given."""

    name: str
    type: str
    default: Any
    meaning: str
    choices: tuple[Any, ...]
    instead: str

    @staticmethod
    def of(field: dataclasses.Field[Any]) -> PassOption:
        """The option that a field of a pass is."""
        # Types are text where a module postpones the evaluation of its annotations, as all of ours do.
        type, said = str(field.type), field.metadata
        name = field.name.replace("_", "-")
        choices, instead = said.get("choices", ()), said.get("instead", "")
        return PassOption(name, type, field.default, said.get("meaning", ""), choices, instead)

    def values(self) -> str:
        """What may be given: the choices, or the type."""
        return " or ".join(map(str, self.choices)) or self.type

    def default_text(self) -> str:
        """The default as it is written in a pipeline, or in Python where nothing is written."""
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default or repr(self.default))

    def check(self, name: str, value: Any) -> None:
        """Raise UserError [bad-pass-option] if the pass `name` is given a value that is not among the choices.

        A number is 1 or more, unless 0 is its default, and no more than an i32 holds.
        """
        if isinstance(value, int) and not isinstance(value, bool) and not self.choices:
            least = min(self.default, 1)
            if value != self.default and not least <= value <= _MOST:
                message = f"pass '{name}': {self.name}= is a number from {least} to {_MOST}, not {value}"
                help = f"write such a number, or omit {self.name}= for {self.default_text()}"
                raise UserError("bad-pass-option", message, help=help)
        if self.choices and value not in self.choices:
            message = f"pass '{name}': {self.name}= is {self.values()}, not {value!r}"
            help = self.instead or f"write one of them, or omit {self.name}= for {self.default_text()}"
            raise UserError("bad-pass-option", message, help=help)

    def described(self) -> str:
        """A line about the option."""
        return f"{self.name} ({self.values()}, default {self.default_text()}): {self.meaning}"


@dataclass(frozen=True)
class TensorPass(ModulePass):
    """Base class of the passes: a frozen dataclass whose fields are the pass's options, each made by `option`.

    A subclass gives `name` (the command-line name), `on_function` or, for what goes beyond one function, `apply`, a
    docstring whose first line says what it does, and its contract, which `pass_order` checks: the operations that it
    rewrites, those that there may be afterwards beside what it does not know, the passes that it has to run after or
    before, and what has to be allowed for it to run.
    """

    # Dialects of irtensor, or single operations `dialect.operation`. Operations that are accepted and not left are gone
    # afterwards.
    accepts: ClassVar[tuple[str, ...]] = ()
    leaves: ClassVar[tuple[str, ...]] = ()
    # The other pass, and the reason: what makes the order matter.
    after: ClassVar[Mapping[str, str]] = {}
    before: ClassVar[Mapping[str, str]] = {}
    # A kernel's pipeline omits the pass where this is not allowed.
    needs: ClassVar[Permission | None] = None

    def __post_init__(self) -> None:
        # Here, so that Python, irtensor-opt and xDSL's own driver refuse the same values.
        for option in self.options():
            option.check(self.name, getattr(self, option.name.replace("-", "_")))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of a module."""
        for function in structured_functions(op):
            # An operation that an error is about may be detached, and then does not know its location.
            with located_at(function):
                self.on_function(function)

    def on_function(self, function: FuncOp) -> None:
        """Rewrite a function."""
        raise NotImplementedError(self.name)

    @classmethod
    def removes(cls) -> tuple[str, ...]:
        """Dialects and operations that are not there any more after the pass."""
        return tuple(part for part in cls.accepts if part not in cls.leaves)

    @classmethod
    def options(cls) -> tuple[PassOption, ...]:
        """The options of the pass in the order of its fields."""
        return tuple(PassOption.of(field) for field in dataclasses.fields(cls) if field.init and field.name != "name")

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring: what `irtensor-opt --help` and the documentation show."""
        # A dataclass without a docstring is given its signature as one, which tells a reader nothing.
        text = (cls.__doc__ or "").strip()
        return "" if text.startswith(f"{cls.__name__}(") else text.split("\n", 1)[0]


def structured_functions(module: ModuleOp) -> Iterator[FuncOp]:
    """The functions that passes look into, those of nested modules included.

    Their body is one block, as everywhere in our dialects. Beside functions of irtensor's, all others are left alone.
    """
    for op in our_functions(module):
        body = op.regions[0]
        if body.first_block is not None and body.first_block is body.last_block:
            yield op


def our_functions(module: ModuleOp) -> list[FuncOp]:
    """The functions with a body that hold operations or types of irtensor's, with all that call them or are called.

    If there are none, all functions: loops may have become plain arithmetic.
    """
    found: list[FuncOp] = []
    _collect_functions(module, found)
    if len(found) < 2:
        return found
    names = {function.sym_name.data for function in found if _is_ours(function)}
    calls = {function.sym_name.data: _called(function) for function in found}
    grown = bool(names)
    while grown:
        before = len(names)
        names |= {caller for caller, callees in calls.items() if callees & names}
        names |= {callee for caller in names if caller in calls for callee in calls[caller]}
        grown = len(names) > before
    return [function for function in found if function.sym_name.data in names] if names else found


def _collect_functions(op: Operation, found: list[FuncOp]) -> None:
    for region in op.regions:
        block = region.first_block
        while block is not None:
            for inner in operations_of(block):
                if type(inner) is FuncOp:
                    if inner.regions[0].first_block is not None:
                        found.append(inner)
                elif inner.regions:
                    _collect_functions(inner, found)
            block = block.next_block


def _called(function: FuncOp) -> set[str]:
    return {call.callee.root_reference.data for call in operations_in(function, CallOp)}


def _is_ours(function: FuncOp) -> bool:
    type = function.function_type
    if any(_is_our_type(one) for one in (*type.inputs.data, *type.outputs.data)):
        return True
    return any(op.name.partition(".")[0] in _OURS for op in function.walk())


def _is_our_type(type: Attribute) -> bool:
    if isinstance(type, TensorType):
        type = type.encoding
    return type.name.partition(".")[0] in _OURS
