"""Parses einsum calls with the rules of NumPy's own einsum (its C parser), and binds labels to the operands' extents.

Labels may be any letters of Unicode, which NumPy lacks. Ellipsis dimensions get the names e0, e1, ... (e0 leftmost).
"""

from __future__ import annotations

import operator as python_operator
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from irtensor.frontend.arguments import is_list
from irtensor.frontend.expression_tree import Access, Apply, Expression, Reduce, Statement, ordered_union
from irtensor.frontend.notation.notation_errors import UserTypeError, notation_error

_ELLIPSIS = "..."
_INTEGER_LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Subscripts(NamedTuple):
    """Labels per operand, and of the output if it was given; `...` stands for the broadcast dimensions."""

    inputs: tuple[tuple[str, ...], ...]
    output: tuple[str, ...] | None
    source: str | None = None


class BoundEinsum(NamedTuple):
    """Subscripts bound to shapes: index variables per operand, which axes of extent 1 each operand drops, extents.

    An axis of extent 1 whose label has another extent elsewhere broadcasts; that operand does without the index.
    """

    inputs: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]
    squeezed: tuple[tuple[int, ...], ...]
    extents: dict[str, int]
    source: str | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.extents[label] for label in self.output)


def split_arguments(arguments: Sequence[Any]) -> tuple[Subscripts, list[Any]]:
    """Subscripts and operands of `einsum("ij,j", A, x)` or of the interleaved `einsum(A, [0, 1], x, [1])`."""
    if not arguments:
        raise notation_error("missing-operands", "einsum needs subscripts and at least one operand", None, None)
    if isinstance(arguments[0], bytes | str):
        text = arguments[0].decode("ascii") if isinstance(arguments[0], bytes) else arguments[0]
        return parse_subscripts(text), list(arguments[1:])
    pairs = len(arguments) // 2
    operands = [arguments[2 * position] for position in range(pairs)]
    inputs = tuple(_read_labels(arguments[2 * position + 1]) for position in range(pairs))
    output = _read_labels(arguments[-1]) if len(arguments) % 2 else None
    if not operands:
        raise notation_error("missing-operands", "einsum needs at least one operand with its subscripts", None, None)
    return Subscripts(inputs, output), operands


def _read_labels(labels: Any) -> tuple[str, ...]:
    """One sublist of the interleaved form: integers 0 to 51 and at most one Ellipsis."""
    if not is_list(labels):
        message = "subscripts must be a string, or a list of integers after each operand"
        raise UserTypeError("bad-subscripts", f"{message}, not {type(labels).__name__}")
    return tuple(_read_label(item) for item in labels)


def _read_label(item: Any) -> str:
    if item is Ellipsis:
        return _ELLIPSIS
    try:
        number = python_operator.index(item)
    except TypeError:
        message = f"each subscript must be either an integer or an ellipsis, got {item!r}"
        raise UserTypeError("bad-subscripts", message) from None
    if not 0 <= number < len(_INTEGER_LABELS):
        raise notation_error("bad-subscripts", f"subscript {number} is outside the range 0 to 51", None, None)
    return _INTEGER_LABELS[number]


def parse_subscripts(source: str) -> Subscripts:
    """The subscripts of a string such as `ij,j->i`; spaces may stand between labels."""
    arrow = source.find("->")
    end = len(source) if arrow < 0 else arrow
    inputs: list[tuple[str, ...]] = []
    start = 0
    while start <= end:
        comma = source.find(",", start, end)
        stop = end if comma < 0 else comma
        inputs.append(_parse_term(source, start, stop))
        start = stop + 1
    output = None if arrow < 0 else _parse_term(source, arrow + 2, len(source))
    return Subscripts(tuple(inputs), output, source)


def _parse_term(source: str, start: int, end: int) -> tuple[str, ...]:
    labels: list[str] = []
    position = start
    while position < end:
        character = source[position]
        width = 1
        if character == ".":
            width = 3
            if source[position : min(position + 3, end)] != _ELLIPSIS or _ELLIPSIS in labels:
                message = "a '.' that is not part of the one ellipsis ('...') a term may have"
                raise notation_error("bad-subscripts", message, source, (position, position + 1))
            labels.append(_ELLIPSIS)
        elif _is_label(character):
            labels.append(character)
        elif character != " ":
            what = "only one '->' may stand" if character in "->" else "subscripts are letters"
            message = f"invalid subscript {character!r}: {what}"
            raise notation_error("bad-subscripts", message, source, (position, position + 1), help=_way_out(source))
        position += width
    return tuple(labels)


def _way_out(source: str) -> str | None:
    """What else a text may be meant as that has other characters than subscripts."""
    if "[" in source:
        return "a statement with indices in brackets is for irtensor.compile"
    if ";" in source or "\n" in source.strip():
        return "compute each result by itself; what one call computes is an operand of the next"
    return None


def _is_label(character: str) -> bool:
    # Beyond ASCII any printable character is a label: opt_einsum's get_symbol produces such labels.
    return character.isalpha() or (character > "\x7f" and character.isprintable() and not character.isspace())


def bind_shapes(
    subscripts: Subscripts, shapes: Sequence[tuple[int, ...]], keep_axes: Sequence[bool] = ()
) -> BoundEinsum:
    """Expand ellipses, complete the output and check every extent, as NumPy does; errors are UserErrors.

    Where `keep_axes` is set, a broadcasting axis is not dropped but gets an index variable of its own, with extent 1:
    for operands whose storage cannot lose a dimension.
    """
    source = subscripts.source
    if len(subscripts.inputs) != len(shapes):
        more = "fewer" if len(shapes) < len(subscripts.inputs) else "more"
        message = f"{more} operands than subscripts: {len(shapes)} for {len(subscripts.inputs)} terms"
        raise notation_error("operand-count", message, source, None if source is None else (0, len(source)))
    broadcast = [_broadcast_rank(subscripts, position, shape) for position, shape in enumerate(shapes)]
    rank = max(broadcast)
    inputs = [_expand(term, count, rank) for term, count in zip(subscripts.inputs, broadcast, strict=True)]
    output = _complete_output(subscripts, inputs, rank)
    extents = _collect_extents(inputs, shapes, source)
    squeezed: list[tuple[int, ...]] = []
    for position, (labels, shape) in enumerate(zip(inputs, shapes, strict=True)):
        axes = tuple(a for a, label in enumerate(labels) if shape[a] != extents[label])
        if axes and keep_axes and keep_axes[position]:
            inputs[position] = _rename_axes(labels, axes, position, extents)
            axes = ()
        else:
            inputs[position] = tuple(label for a, label in enumerate(labels) if a not in axes)
        squeezed.append(axes)
    return BoundEinsum(tuple(inputs), output, tuple(squeezed), extents, source)


def _rename_axes(
    labels: tuple[str, ...], axes: tuple[int, ...], position: int, extents: dict[str, int]
) -> tuple[str, ...]:
    renamed = list(labels)
    for axis in axes:
        renamed[axis] = f"u{position}_{axis}"
        extents[renamed[axis]] = 1
    return tuple(renamed)


def _broadcast_rank(subscripts: Subscripts, position: int, shape: tuple[int, ...]) -> int:
    """How many dimensions the ellipsis of one operand stands for."""
    term = subscripts.inputs[position]
    has_ellipsis = _ELLIPSIS in term
    labelled = len(term) - has_ellipsis
    if labelled > len(shape):
        message = f"operand {position} has {len(shape)} dimensions, too many subscripts for it: {_text(term)}"
        raise notation_error("rank-mismatch", message, subscripts.source, _term_span(subscripts, position))
    if labelled < len(shape) and not has_ellipsis:
        message = f"operand {position} has {len(shape)} dimensions, more than its subscripts '{_text(term)}'"
        span = _term_span(subscripts, position)
        help = "write '...' for the dimensions to broadcast over"
        raise notation_error("rank-mismatch", message, subscripts.source, span, help=help)
    return len(shape) - labelled


def _text(term: tuple[str, ...]) -> str:
    return "".join(term)


def _term_span(subscripts: Subscripts, position: int) -> tuple[int, int] | None:
    """Where the term of one operand (or of the output, -1) stands in the source."""
    if subscripts.source is None:
        return None
    head = subscripts.source.partition("->")[0]
    if position < 0:
        return len(head) + 2, len(subscripts.source)
    terms = head.split(",")
    start = sum(len(term) + 1 for term in terms[:position])
    return start, start + len(terms[position])


def _expand(term: tuple[str, ...], count: int, rank: int) -> tuple[str, ...]:
    # Broadcast dimensions align at the right: an operand with fewer has the last names.
    names = tuple(f"e{position}" for position in range(rank - count, rank))
    if _ELLIPSIS not in term:
        return term
    ellipsis = term.index(_ELLIPSIS)
    return term[:ellipsis] + names + term[ellipsis + 1 :]


def _complete_output(subscripts: Subscripts, inputs: Sequence[tuple[str, ...]], rank: int) -> tuple[str, ...]:
    counts = Counter(label for term in inputs for label in term)
    source, given = subscripts.source, subscripts.output
    if given is None:
        # Implicit: the broadcast dimensions, then every label that appears exactly once, in alphabetical order.
        explicit = Counter(label for term in subscripts.inputs for label in term if label != _ELLIPSIS)
        return _expand((_ELLIPSIS,), rank, rank) + tuple(sorted(name for name in explicit if explicit[name] == 1))
    span = _term_span(subscripts, -1)
    if rank > 0 and _ELLIPSIS not in given:
        message = f"the inputs broadcast {rank} dimensions, but the output '{_text(given)}' has no '...' for them"
        raise notation_error("bad-subscripts", message, source, span)
    for label in given:
        if label != _ELLIPSIS and label not in counts:
            message = f"output subscript '{label}' does not appear in any input"
            raise notation_error("bad-subscripts", message, source, span)
        if given.count(label) > 1:
            message = f"output subscript '{label}' appears more than once"
            raise notation_error("bad-subscripts", message, source, span)
    return _expand(given, rank, rank)


def _collect_extents(
    inputs: Sequence[tuple[str, ...]], shapes: Sequence[tuple[int, ...]], source: str | None
) -> dict[str, int]:
    """Extent of every label. Inside one operand extents must agree; between operands 1 broadcasts."""
    extents: dict[str, int] = {}
    owner: dict[str, int] = {}
    for position, (labels, shape) in enumerate(zip(inputs, shapes, strict=True)):
        own: dict[str, int] = {}
        for label, extent in zip(labels, shape, strict=True):
            if own.setdefault(label, extent) != extent:
                message = f"operand {position} has extents {own[label]} and {extent} for the repeated index '{label}'"
                raise notation_error("extent-mismatch", message, source, None)
        for label, extent in own.items():
            known = extents.setdefault(label, extent)
            if known == 1:
                extents[label] = extent
            elif extent not in (1, known):
                message = (
                    f"index '{label}' has extent {known} in operand {owner[label]} and {extent} in operand {position}; "
                    "only extent 1 broadcasts"
                )
                raise notation_error("extent-mismatch", message, source, None)
            if extents[label] != known or label not in owner:
                owner[label] = position
    return extents


def build_statement(
    inputs: Sequence[tuple[str, ...]],
    output: tuple[str, ...],
    names: Sequence[str],
    *,
    result: str = "result",
    product: str = "mul",
    combine: str = "add",
) -> Statement:
    """`result[output] = sum(product of names[i][inputs[i]])`; `product` and `combine` name the operators."""
    factors: list[Expression] = [Access(name, labels) for name, labels in zip(names, inputs, strict=True)]
    body = reduce(lambda left, right: Apply(product, (left, right)), factors)
    missing = tuple(label for label in ordered_union(label for term in inputs for label in term) if label not in output)
    return Statement(Access(result, output), None, Reduce(combine, missing, body) if missing else body)


def operand_name(position: int) -> str:
    """The name of an operand in a statement made from an einsum call: A, B, ..., Z, A26, ..."""
    return chr(ord("A") + position) if position < 26 else f"A{position}"
