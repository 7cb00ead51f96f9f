"""Ops of the `loop` dialect whose types all follow from the one they are printed with, and how each is spelled."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_types import (
    INDEX,
    BufferType,
    CellType,
    GrowableType,
    buffer_type,
    cell_type,
    element_of,
    growable_type,
    is_scalar_element,
    is_vector_value,
)
from irtensor.dialects.support.create_operation import create_operation


def same_type(value: Attribute) -> Attribute:
    return value


def index_type(value: Attribute) -> Attribute:
    return INDEX


def cell_type_of(value: Attribute) -> Attribute:
    return cell_type(value)


def buffer_type_of(value: Attribute) -> Attribute:
    return buffer_type(element_of(value))


def growable_type_of(value: Attribute) -> Attribute:
    return growable_type(value)


class Spelling(NamedTuple):
    """How a memory op is written: its text with `%` for each operand, and the types that follow from the value type."""

    text: str
    operands: tuple[Callable[[Attribute], Attribute], ...]
    result: Callable[[Attribute], Attribute] | None = None
    vectors: bool = False
    integers_only: bool = False


class MemoryOp(IRDLOperation):
    """An op whose operand and result types all follow from one type, the one printed after the colon."""

    SPELLING: ClassVar[Spelling]

    @property
    def value_type(self) -> Attribute:
        """The type of the values moved: a scalar, or a vector where the op allows it."""
        if self.SPELLING.result is same_type:
            return self.results[0].type
        holder = (self.operands or self.results)[0].type
        return holder.element if isinstance(holder, CellType | BufferType | GrowableType) else holder

    def verify_(self) -> None:
        value, spelling = self.value_type, self.SPELLING
        if not is_scalar_element(value) and not (spelling.vectors and is_vector_value(value)):
            raise VerifyException(f"{self.name} cannot move values of type {value}")
        if spelling.integers_only and not isinstance(value, IntegerType | IndexType):
            raise VerifyException(f"{self.name} searches integers, not {value}")
        for number, (rule, operand) in enumerate(zip(spelling.operands, self.operands, strict=True)):
            if operand.type != rule(value):
                raise VerifyException(f"operand {number} has type {operand.type}, expected {rule(value)}")
        if spelling.result is not None and self.results[0].type != spelling.result(value):
            raise VerifyException(f"the result has type {self.results[0].type}, expected {spelling.result(value)}")

    def print(self, printer: Printer) -> None:
        *before, last = self.SPELLING.text.split("%")
        if before:
            printer.print_string(" ")
        for text, operand in zip(before, self.operands, strict=True):
            printer.print_string(text)
            printer.print_ssa_value(operand)
        printer.print_string(last)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value_type)

    @classmethod
    def parse(cls, parser: Parser) -> MemoryOp:
        spelling = cls.SPELLING
        operands = [
            operand for token in _TOKENS.findall(spelling.text) if (operand := _parse_token(parser, token)) is not None
        ]
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        value = parser.parse_type()
        resolved = parser.resolve_operands(operands, [rule(value) for rule in spelling.operands], position)
        results = () if spelling.result is None else (spelling.result(value),)
        return create_operation(cls, resolved, results, attributes=attributes)


_TOKENS = re.compile(r"to|[%,\[\]]")


def _parse_token(parser: Parser, token: str) -> UnresolvedOperand | None:
    if token == "%":
        return parser.parse_unresolved_operand()
    if token == "to":
        parser.parse_keyword(token)
    else:
        parser.parse_punctuation(token)  # pyright: ignore[reportArgumentType]
    return None
