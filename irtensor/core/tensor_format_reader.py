"""The reader of storage format text: `(i, j) -> (i : dense, j : compressed), fill = 0` and `dense, compressed`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from irtensor.core.diagnostics import SourceLocation, UserError
from irtensor.core.fill_values import FillValue
from irtensor.core.index_widths import WIDTH_FIELDS, WIDTHS
from irtensor.core.level_format import LevelFormat
from irtensor.core.storage_levels import Level, LevelExpression, dimension_names
from irtensor.levels.known_levels import LEVEL_PROPERTIES

Format = TypeVar("Format")


class _Token(NamedTuple):
    text: str
    start: int


_TOKEN = re.compile(r"\s*(?:(->|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\S))")

# The fields of levels and formats, and of properties, that belong to the names of arrays.
_WIDTHS = {name: (field, has) for name, field, has in WIDTH_FIELDS}

# The option that dimensions may be exchanged, and the field of formats.
_SYMMETRIC = "symmetric"
# The option about values, and the only thing that it says: that there are none beside the coordinates.
_LEAF, _PATTERN = "leaf", "pattern"
# The field of formats that each option sets.
_FIELDS = {
    "fill": "fill",
    "pos": "position_width",
    "crd": "coordinate_width",
    _SYMMETRIC: _SYMMETRIC,
    _LEAF: "is_pattern",
}
_RELAXED = ("nonunique", "nonordered")
# The words that a text may have beside names of dimensions and of levels.
FORMAT_WORDS = (*_FIELDS, *_RELAXED, _PATTERN)

_LEAF_HELP = "write leaf = pattern where all stored elements are true; without it, values are stored"

_EXAMPLE = "write levels such as dense, compressed or (i, j) -> (j : dense, i : compressed), fill = 0"


class FormatReader:
    """Recursive-descent reader of the format grammar; every error points at a token."""

    def __init__(self, text: str):
        # What dimensions are called.
        self.dimensions: dict[str, int] = {}
        self.text = " ".join(text.split("\n"))
        self.tokens = [_Token(match[1], match.start(1)) for match in _TOKEN.finditer(self.text)]
        self.next = 0

    def read(self, make: Callable[..., Format]) -> Format:
        """The format of the text; `make` is called with its rank, its levels and, by name, its options."""
        start = self.next
        try:
            rank, levels = self._read_map() if self._peek() == "(" else self._read_shorthand()
            make(rank, levels)
        except UserError as error:
            raise self._located(error, start) from None
        options, tokens = self._read_options()
        try:
            return make(rank, levels, **options)
        except UserError as error:
            raise self._located(error, _first_wrong(make, rank, levels, options, tokens)) from None

    def _located(self, error: UserError, token: int) -> UserError:
        if error.location is not None:
            return error
        start = self.tokens[token].start if token < len(self.tokens) else len(self.text)
        location = SourceLocation("<format>", 1, start + 1, None, self.text)
        return UserError(error.slug, error.message, location=location, help=error.help)

    def _error(self, message: str, help: str | None = None) -> UserError:
        return self._located(UserError("bad-format", message, help=help or _EXAMPLE), self.next)

    def _peek(self) -> str:
        return self.tokens[self.next].text if self.next < len(self.tokens) else ""

    def _take(self) -> str:
        text = self._peek()
        self.next += 1
        return text

    def _accept(self, text: str) -> bool:
        if self._peek() == text:
            self.next += 1
            return True
        return False

    def _expect(self, text: str, where: str) -> None:
        if not self._accept(text):
            found = self._peek()
            raise self._error(f"expected '{text}' {where}, found " + (f"'{found}'" if found else "the end"))

    def _name(self, what: str) -> str:
        if not self._peek().isidentifier():
            raise self._error(f"expected {what}, found " + (f"'{self._peek()}'" if self._peek() else "the end"))
        return self._take()

    def _read_map(self) -> tuple[int, tuple[Level, ...]]:
        self._expect("(", "before the dimensions")
        dimensions: dict[str, int] = {}
        while not self._accept(")"):
            if dimensions:
                self._expect(",", "between dimensions")
            if self._peek() in dimensions:
                raise self._error(f"dimension '{self._peek()}' is named twice")
            dimensions[self._name("a dimension name")] = len(dimensions)
        self._expect("->", "after the dimensions")
        self._expect("(", "before the levels")
        levels: list[Level] = []
        while not self._accept(")"):
            if levels:
                self._expect(",", "between levels")
            expression = self._read_expression(dimensions)
            self._expect(":", "between a dimension and its level format")
            levels.append(self._read_level(expression))
        self.dimensions = dimensions
        return len(dimensions), tuple(levels)

    def _read_dimension(self, dimensions: dict[str, int]) -> int:
        if self._peek() not in dimensions:
            known = ", ".join(dimensions) or "none"
            raise self._error(f"'{self._peek()}' is not a dimension", f"the dimensions are {known}")
        return dimensions[self._take()]

    def _read_expression(self, dimensions: dict[str, int]) -> LevelExpression:
        dimension, start = self._read_dimension(dimensions), self.next
        if self._accept("-"):
            other = self._read_dimension(dimensions)
            try:
                return LevelExpression(dimension, "minus", other=other)
            except UserError as error:
                raise self._located(error, start) from None
        for form in ("floordiv", "mod"):
            if self._accept(form):
                if not self._peek().isdecimal():
                    raise self._error(f"expected a block size after '{form}', found '{self._peek()}'")
                start = self.next
                try:
                    return LevelExpression(dimension, form, self._integer())
                except UserError as error:
                    raise self._located(error, start) from None
        return LevelExpression(dimension)

    def _read_level(self, expression: LevelExpression) -> Level:
        start = self.next
        name = self._name("a level format")
        relaxed: set[str] = set()
        widths: dict[str, int] = {}
        if self._accept("("):
            while not (relaxed or widths) or self._accept(","):
                if self._peek() in _WIDTHS:
                    self._read_width_of(name, widths)
                elif self._peek() in _RELAXED:
                    relaxed.add(self._take())
                else:
                    help = "write nonunique or nonordered, or a width as pos = i32 and crd = i16"
                    raise self._error(f"'{self._peek()}' is not a level property", help)
            self._expect(")", "after the level properties")
        try:
            format = LevelFormat(name, "nonunique" not in relaxed, "nonordered" not in relaxed)
        except UserError as error:
            raise self._located(error, start) from None
        return Level(expression, format, **widths)

    def _read_width_of(self, level: str, widths: dict[str, int]) -> None:
        """A width of one level: `crd = i16`. An unknown level format is refused later, by its name."""
        name = self._peek()
        field, has = _WIDTHS[name]
        if field in widths:
            raise self._error(f"'{name}' is given twice", "a level has one width of pos, and one of crd")
        known = LEVEL_PROPERTIES.get(level)
        if known is not None and not getattr(known, has):
            stored = [
                other
                for other, properties in LEVEL_PROPERTIES.items()
                if getattr(properties, has) and properties.workspace is None
            ]
            help = f"levels with {name} are {', '.join(stored)}"
            raise self._error(f"a {level} level has no {has.partition('_')[2]}, so that {name} has no width", help)
        self._take()
        self._expect("=", f"after '{name}'")
        widths[field] = self._read_width()

    def _read_shorthand(self) -> tuple[int, tuple[Level, ...]]:
        levels = [self._read_level(LevelExpression(0))]
        while self._peek() == "," and not self._at_option():
            self._take()
            levels.append(self._read_level(LevelExpression(len(levels))))
        self.dimensions = {name: number for number, name in enumerate(dimension_names(len(levels)))}
        return len(levels), tuple(levels)

    def _at_option(self) -> bool:
        following = [token.text for token in self.tokens[self.next + 1 : self.next + 3]]
        return following[:1] == [_SYMMETRIC] or (len(following) == 2 and following[1] == "=")

    def _read_options(self) -> tuple[dict[str, Any], list[int]]:
        """What the options set, by the names of fields, and the numbers of the tokens that they begin with."""
        options: dict[str, Any] = {}
        tokens: list[int] = []
        while self.next < len(self.tokens):
            self._expect(",", "before an option")
            name = self._peek()
            if name not in _FIELDS or _FIELDS[name] in options:
                problem = "is given twice" if name in _FIELDS else "is not an option"
                raise self._error(f"'{name}' {problem}", "options are fill, pos, crd, symmetric and leaf")
            tokens.append(self.next)
            self._take()
            if name == _SYMMETRIC:
                options[_SYMMETRIC] = self._read_symmetric()
                continue
            self._expect("=", f"after '{name}'")
            options[_FIELDS[name]] = self._read_setting(name)
        return options, tokens

    def _read_setting(self, name: str) -> Any:
        """What stands behind the `=` of an option."""
        if name == "fill":
            return self._read_fill()
        return self._read_leaf() if name == _LEAF else self._read_width()

    def _read_leaf(self) -> bool:
        if not self._accept(_PATTERN):
            found = f"'{self._peek()}'" if self._peek() else "the end"
            raise self._error(f"expected '{_PATTERN}' after '{_LEAF} =', found {found}", _LEAF_HELP)
        return True

    def _read_symmetric(self) -> tuple[int, ...]:
        """The dimensions in brackets; without brackets all of them."""
        if not self._accept("("):
            return tuple(self.dimensions.values())
        found = [self._read_dimension(self.dimensions)]
        while not self._accept(")"):
            self._expect(",", "between dimensions")
            found.append(self._read_dimension(self.dimensions))
        return tuple(found)

    def _read_width(self) -> int:
        if self._peek() not in [f"i{width}" for width in WIDTHS]:
            found = f"'{self._peek()}'" if self._peek() else "the end"
            raise self._error(f"{found} is not an index width", "widths are i8, i16, i32 and i64, of signed integers")
        return int(self._take()[1:])

    def _read_fill(self) -> FillValue:
        if self._accept("("):
            real = self._read_number()
            self._expect(",", "between real and imaginary part")
            imaginary = self._read_number()
            self._expect(")", "after the imaginary part")
            return complex(real, imaginary)
        if self._peek() in ("true", "false"):
            return self._take() == "true"
        return self._read_number()

    def _read_number(self) -> int | float:
        sign = -1 if self._accept("-") else 1
        text = self._peek()
        if text in ("inf", "nan"):
            return sign * float(self._take())
        if not text[:1].isdecimal() and not text.startswith("."):
            raise self._error(f"'{text}' is not a number", "write a number, inf, nan, true, false or (real, imaginary)")
        if text.isdecimal():
            return sign * self._integer()
        return sign * float(self._take())

    def _integer(self) -> int:
        if len(self._peek()) > 40:
            raise self._error(f"the number {self._peek()[:20]}... is too long")
        return int(self._take())


def _first_wrong(
    make: Callable[..., object], rank: int, levels: Sequence[Level], options: dict[str, Any], tokens: Sequence[int]
) -> int:
    """The token of the first option with which, after those before it, no format can be made; all make none."""
    given: dict[str, Any] = {}
    for (name, value), token in zip(options.items(), tokens, strict=True):
        given[name] = value
        try:
            make(rank, levels, **given)
        except UserError:
            return token
    return tokens[-1]
