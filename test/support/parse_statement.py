"""Parses one statement of notation."""

from collections.abc import Collection

from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.notation.notation_parser import parse_notation


def parse_statement(source: str, operators: Collection[str] = ()) -> Statement:
    (statement,) = parse_notation(source, operators)
    return statement
