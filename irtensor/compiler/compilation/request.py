"""A request for a kernel: the interface of the two kinds, for a statement and for a function of IR."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import Field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from irtensor.api.schedule import Schedule
    from irtensor.core.argument_layout import KernelPurpose
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.options import Options


class Built(Protocol):
    """A module, with the results that are known to have entries (`nonempty`)."""

    @property
    def module(self) -> ModuleOp: ...
    @property
    def nonempty(self) -> tuple[Any, ...]: ...


class Request(Protocol):
    """All that the code of a kernel depends on. Equal requests have equal code, and requests can be keys.

    CompileRequest is that of a statement, ModuleRequest that of a function of IR; both are frozen dataclasses.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def convert(self) -> bool:
        """Whether operands may be converted before a call."""
        ...

    @property
    def purpose(self) -> KernelPurpose:
        """Which arrays of the result the kernel writes."""
        ...

    @property
    def schedule(self) -> Schedule | None:
        """The steps that arrange the loops; None leaves that to planning, and a schedule without steps does not."""
        ...

    @property
    def wide(self) -> WideIndices | None:
        """The index variables whose extents are so large that no memory is taken for them."""
        ...

    @property
    def start(self) -> str:
        """The stage of the module that `build` makes."""
        ...

    @property
    def function_name(self) -> str:
        """The function of the module that becomes the kernel."""
        ...

    @property
    def any_purpose(self) -> Request:
        """The request that has the same loops, whichever arrays of the result its kernel writes."""
        ...

    @property
    def stored_as(self) -> TensorFormat | None:
        """The format that the result is converted to, if kernels do not write the one that was asked for."""
        ...

    @property
    def whatever_fits(self) -> Request | None:
        """The same for a result whose entries may be anywhere; None if those of this one may."""
        ...

    @property
    def forgets_index(self) -> bool:
        """Whether the index that a kernel writes does not follow from that of the result."""
        ...

    @property
    def selects_entries(self) -> bool:
        """Whether the index of the result follows from the values that a kernel writes."""
        ...

    @property
    def title(self) -> str:
        """What errors of a GPU call the kernel."""
        ...

    @property
    def reproducer(self) -> str:
        """A text with which somebody else can make the request."""
        ...

    def build(self) -> Built:
        """The module, new with each call. Raises UserError."""
        ...

    def structure(self, options: Options) -> str:
        """A text that differs for requests that differ."""
        ...

    def located(self) -> AbstractContextManager[None]:
        """Gives errors inside a `with` block the lines of the text that they point into."""
        ...

    def names(self) -> tuple[str, ...]:
        """The operands, in the order in which a call gives them."""
        ...

    def extents(self, operands: Sequence[Any]) -> tuple[dict[str, float] | None, ...]:
        """For each tensor that is defined, the extents of a call's operands by index variable, where they are known."""
        ...

    def extent_sources(self) -> Sequence[Sequence[tuple[int, int]]]:
        """For every dimension of each result, the operand and dimension that have its extent."""
        ...

    def describe(self) -> list[str]:
        """The request and its tensors, for people."""
        ...
