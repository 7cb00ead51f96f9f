"""Text to IR in which every operation knows its file, line and column, so that errors can point at it."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from difflib import get_close_matches
from traceback import walk_tb
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, UnknownLoc
from xdsl.ir import Block, Operation
from xdsl.parser import Parser, Span
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError, VerifyException
from xdsl.utils.mlir_lexer import MLIRTokenKind

from irtensor.core.diagnostics import Note, SourceLocation, UserError, location_of

# The results in front of an operation's name, where a message is wanted at the name.
_RESULTS = re.compile(r"(?:%[\w$.-]+(?::\d+)?\s*(?:,\s*)?)+=\s*")


def _is_of_xdsl(error: Exception) -> bool:
    """Whether xDSL failed to read the text: nothing but its code was at work below the parser here, or its parser was
    at last, which one of our dialects asked for a part."""
    modules = [frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__)]
    # What the standard library refuses, such as a word that an enumeration lacks, is what its caller gave it.
    while modules[-1].partition(".")[0] in sys.stdlib_module_names:
        modules.pop()
    if modules[-1].startswith(("xdsl.parser.", "xdsl.utils.mlir_lexer")):
        return True
    return all(module == __name__ or module.startswith("xdsl.") for module in modules)


def one_line(error: Exception) -> str:
    """The text of an xDSL exception without its line breaks."""
    return " ".join(line.strip() for line in str(error).splitlines() if line.strip())


class LocatedParser(Parser):
    """xDSL's parser, which also gives each operation without a written location the one where it stands in the text.

    `first_line` is the number of the text's first line in its file (a piece of a split file starts later).
    Raises UserError for every mistake in the text.
    """

    def __init__(self, ctx: Context, text: str, name: str, first_line: int = 1):
        self._text = text
        self._file = StringAttr(name)
        self._first_line = first_line
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        try:
            # This reads the first token.
            super().__init__(ctx, text, name)
        except ParseError as error:
            raise self._syntax_error(error) from None

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        if self._current_token.kind is MLIRTokenKind.EOF and allow_implicit_module:
            # As in MLIR, and unlike in xDSL, an empty text is an empty module.
            return ModuleOp([])
        try:
            module = super().parse_module(allow_implicit_module)
        except ParseError as error:
            raise self._undefined_value() or self._syntax_error(error) from None
        except VerifyException as error:
            raise UserError("verify", one_line(error), location=self._location(self.pos)) from error
        except Exception as error:
            raise self._located(error, self.pos) from error
        if isinstance(module.location, UnknownLoc):
            # One that is not written out: it stands for the whole text.
            module.location = self._location_at(0)
        return module

    def parse_operation(self) -> Operation:
        start = self.pos
        try:
            op = super().parse_operation()
        except Exception as error:
            raise self._located(error, self._name_position(start)) from error
        if op.regions:
            self._check_operands(op, start)
        if isinstance(op.location, UnknownLoc):
            op.location = self._location_at(self._name_position(start))
        return op

    def _check_operands(self, op: Operation, start: int) -> None:
        """Refuse operands that are defined inside of the operation; xDSL leaves placeholders in their stead."""
        awaited = [value for uses in self.forward_ssa_references.values() for value in uses.values()]
        for number, operand in enumerate(op.operands):
            if isinstance(operand, ForwardDeclaredValue) and operand not in awaited:
                message = f"operand #{number} of '{op.name}' is defined inside of it, so it is not visible from here"
                raise UserError("syntax-error", message, location=self._location(self._name_position(start)))

    def _get_op_by_name(self, name: str) -> type[Operation]:
        if operation := self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack):
            return operation
        start = self._text.rfind(name, 0, self.pos)
        raise UserError(
            "unknown-operation",
            f"operation '{name}' is not registered",
            location=self._location(start, start + len(name)),
            help=self._help_for(name),
        )

    def _help_for(self, name: str) -> str:
        dialect = name.partition(".")[0]
        if dialect not in self.ctx.registered_dialect_names:
            return f"dialect '{dialect}' is not registered; --allow-unregistered-dialect accepts it in the generic form"
        close = get_close_matches(name, [operation.name for operation in self.ctx.loaded_ops], n=3)
        return f"did you mean {' or '.join(close)}?" if close else f"dialect '{dialect}' has no such operation"

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: int | None
    ) -> Any:
        start = self.pos
        try:
            return super()._parse_dialect_type_or_attribute_body(attr_name, is_type, is_opaque, starting_opaque_pos)
        except Exception as error:
            # The name is already read; the attribute starts at the mark before it.
            position = self._text.rfind("!" if is_type else "#", 0, start)
            name = self._text[position:start].strip()
            raise self._located(error, position, f"{name} cannot have these parameters") from error

    def _parse_block(self) -> Block:
        label = self._current_token
        _, definition = self.blocks.get(label.text[1:], (None, label.span))
        if definition is None and label.text[1:] not in self.forward_block_references:
            # Defined after a branch to it; xDSL only knows the location of a definition that stands before all
            # branches.
            self.raise_error(f"re-declaration of block '{label.text[1:]}'")
        return super()._parse_block()

    def _located(self, error: Exception, position: int, message: str | None = None) -> Exception:
        """The error for a failure of reading: located in the text, unless the failure is a defect of ours.

        xDSL's parser does not only refuse text, it also trips over text that it does not foresee.
        """
        if isinstance(error, VerifyException):
            return UserError("verify", one_line(error), location=self._location(position))
        if isinstance(error, UserError):
            error.location = error.location or self._location(position)
        elif not isinstance(error, ParseError) and _is_of_xdsl(error):
            deep = isinstance(error, RecursionError)
            reason = "is nested too deeply" if deep else f"cannot be read ({type(error).__name__}: {one_line(error)})"
            message = f"this {reason}" if deep or message is None else message
            return UserError("syntax-error", message, location=self._location(position))
        return error

    def _name_position(self, start: int) -> int:
        results = _RESULTS.match(self._text, start)
        return results.end() if results else start

    def _line_and_column(self, position: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, position)
        return line - 1 + self._first_line, position - self._line_starts[line - 1] + 1

    def _location_at(self, position: int) -> FileLineColLoc:
        line, column = self._line_and_column(position)
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def _location(self, start: int, end: int | None = None) -> SourceLocation:
        line, column = self._line_and_column(start)
        line_start = self._line_starts[line - self._first_line]
        text_line = self._text[line_start:].split("\n", 1)[0].rstrip("\r")
        end_column = None if end is None or end <= start else column + end - start
        return SourceLocation(self._file.data, line, column, end_column, text_line)

    def _location_of(self, span: Span[str] | Span[bytes]) -> SourceLocation:
        return self._location(span.start, span.end)

    def _undefined_value(self) -> UserError | None:
        """The error for a whole text that was read but uses values it never defines; xDSL points at its end."""
        if self._current_token.kind is not MLIRTokenKind.EOF:
            return None
        for name, declarations in self.forward_ssa_references.items():
            for declaration in declarations.values():
                location = next((location_of(use.operation) for use in declaration.uses), None)
                if location is None:
                    continue
                location = location.with_source(self._file.data, "\n" * (self._first_line - 1) + self._text)
                column = (location.text_line or "").find(f"%{name}", location.column - 1) + 1
                message = f"value %{name} is used here, but not defined, or not visible from here"
                return UserError("syntax-error", message, location=location._replace(column=column or location.column))
        return None

    def _syntax_error(self, error: ParseError) -> UserError:
        if isinstance(cause := error.__context__, UserError):
            return UserError(cause.slug, cause.message, location=self._location_of(error.span), help=cause.help)
        notes: list[Note] = []
        if isinstance(error, MultipleSpansParseError):
            notes = [
                Note(text or error.ref_text or "see here", location=self._location_of(span))
                for span, text in error.refs
            ]
        message = " ".join(error.msg.split())
        if message == "Could not parse entire input!":
            message = "expected an operation"
        return UserError("syntax-error", message, location=self._location_of(error.span), notes=notes)


def parse_module(ctx: Context, text: str, name: str, *, first_line: int = 1, implicit_module: bool = True) -> ModuleOp:
    """Parse IR text into a module with located operations; a byte order mark in front of it is skipped.

    Raises UserError (`syntax-error`, `verify`, or its own).
    """
    text = text.removeprefix("\ufeff")
    _check_strings(text, name, first_line)
    return LocatedParser(ctx, text, name, first_line).parse_module(implicit_module)


# Comments, whole strings, or a quotation mark that starts none.
_STRINGS = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|"')


def _check_strings(text: str, name: str, first_line: int) -> None:
    """Refuse a string that its line does not close; xDSL's lexer looks for its end forever."""
    for match in _STRINGS.finditer(text):
        if match[0] == '"':
            line_start = text.rfind("\n", 0, match.start()) + 1
            line = first_line + text.count("\n", 0, line_start)
            source = text[line_start:].split("\n", 1)[0].rstrip("\r")
            location = SourceLocation(name, line, match.start() - line_start + 1, None, source)
            raise UserError("syntax-error", "the string is not closed on its line", location=location)
