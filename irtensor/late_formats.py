"""Assembly formats of operations that are read when somebody parses or prints one, not when they are defined."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from irtensor.core.cached_property import cached_property

if TYPE_CHECKING:
    from xdsl.irdl import OpDef
    from xdsl.irdl.declarative_assembly_format import FormatProgram


class LateFormat:
    """What xDSL's FormatProgram is, made of its text with the first operation that needs it."""

    def __init__(self, text: str, definition: OpDef) -> None:
        self._text, self._definition = text, definition

    @cached_property
    def _program(self) -> FormatProgram:
        from xdsl.irdl.declarative_assembly_format_parser import FormatParser

        return FormatParser(self._text, self._definition).parse_format()

    def parse(self, parser: Any, asked: Any) -> Any:
        return self._program.parse(parser, asked)

    def print(self, printer: Any, op: Any) -> None:
        self._program.print(printer, op)


@contextmanager
def formats_read_late() -> Generator[None]:
    """Let operations that are defined inside a `with` block have late formats.

    xDSL reads a format as an operation is defined, its own included: a sixth of what it takes to load the compiler,
    which parses and prints nothing.
    """
    from xdsl.irdl.declarative_assembly_format import FormatProgram

    known = FormatProgram.__dict__["from_str"]
    FormatProgram.from_str = LateFormat  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        FormatProgram.from_str = known
