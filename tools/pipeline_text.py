"""Pass pipelines as text: MLIR's `builtin.module(a,b{x=1})`, xDSL's `a,b{x=1}`, and named pipelines, to passes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, get_pass_option_infos
from xdsl.utils.arg_spec import ArgSpec, parse_spec
from xdsl.utils.exceptions import ArgSpecParseError

from irtensor.core.diagnostics import SourceLocation, UserError
from irtensor.passes.pipelines import NAMED_PIPELINES, optional_among, printed_as
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.pass_order import check_order

PassTable = Mapping[str, Callable[[], type[ModulePass]]]

_ANCHORED = re.compile(r"(any|[A-Za-z_]\w*(?:\.[\w.$-]+))\s*\((.*)\)", re.DOTALL)
_NAME = re.compile(r"[\w-]+")
# An option with its value, which may hold texts in quotes.
_OPTION = re.compile(r'(?:"(?:\\.|[^"\\])*"|[^\s"])+')
_CLOSING = {"(": ")", "{": "}", "[": "]"}


def named_pipelines() -> Mapping[str, str]:
    """Pipelines that have a name of their own: name -> pipeline text, with the optional passes."""
    return NAMED_PIPELINES


def optional_passes(text: str) -> tuple[str, ...]:
    """The passes of a named pipeline that run only where an element names them."""
    return optional_among(_NAME.findall(text))


def printed_at_end(text: str) -> str | None:
    """The text printed after a pipeline by its last element, if that is a named one that says it."""
    *_, (last, _) = [("", 0), *_split(text)]
    return printed_as(_name_of(last))


class Step(NamedTuple):
    """A pass of a pipeline, and how far inside the module those are on which it runs: 1 for the modules in it."""

    step: ModulePass
    depth: int

    def text(self, with_defaults: bool = False) -> str:
        """The pass as an element of a pipeline, with options that differ from their defaults, or with all."""
        spec = self.step.spec(include_default=with_defaults)
        spelled = ArgSpec(spec.name, {option.replace("_", "-"): value for option, value in spec.parameters.items()})
        return "builtin.module(" * self.depth + str(spelled) + ")" * self.depth

    def targets(self, module: ModuleOp) -> list[ModuleOp]:
        """The modules on which the pass runs."""
        found = [module]
        for _ in range(self.depth):
            found = [inner for outer in found for inner in outer.ops if isinstance(inner, ModuleOp)]
        return found


def pipeline_of(steps: Iterable[Step], with_defaults: bool = False) -> str:
    """The text of a pipeline with these passes."""
    return f"builtin.module({','.join(step.text(with_defaults) for step in steps)})"


class _Element(NamedTuple):
    """`name` or `name{options}` in a pipeline, the depth of its pass, and where the text begins that asks for it."""

    text: str
    depth: int
    start: int


def build_passes(text: str, available: PassTable, verify_order: bool = True) -> tuple[Step, ...]:
    """The passes that a pipeline text asks for, in order, which `verify_order` compares with their contracts.

    Raises UserError: `bad-pipeline` (syntax, anchors), `unknown-pass`, `bad-pass-option`, `pass-order`.
    """
    elements = list(_flatten(text, available, ()))
    steps = tuple(Step(_build_pass(element.text, available), element.depth) for element in elements)
    # Passes of different depths run on different modules.
    for depth in sorted({step.depth for step in steps}) if verify_order else ():
        starts = [element.start for element in elements if element.depth == depth]
        pass_types = [type(step.step) for step in steps if step.depth == depth]
        check_order(pass_types, lambda position, starts=starts: _location(text, starts[position]))
    return steps


def _location(text: str, start: int) -> SourceLocation:
    """A location in the text of a pipeline, which is a source as any other."""
    before, line = text[:start].split("\n"), text[start:].split("\n")[0]
    return SourceLocation("<pipeline>", len(before), len(before[-1]) + 1, text_line=before[-1] + line)


def _flatten(text: str, available: PassTable, anchors: tuple[str, ...], start: int = 0) -> Iterator[_Element]:
    """The elements of a pipeline, whose text begins at `start`, with named pipelines spelled out."""
    for element, offset in _split(text):
        offset += start
        if anchored := _ANCHORED.fullmatch(element):
            _check_anchor(element, anchored[1], anchors)
            yield from _flatten(anchored[2], available, (*anchors, anchored[1]), offset + anchored.start(2))
        elif (named := _named(element, available)) is not None:
            named_text, asked = named
            optional = optional_passes(named_text)
            for inner in _flatten(named_text, available, anchors):
                if inner.text in asked or inner.text not in optional:
                    yield _Element(asked.get(inner.text, inner.text), inner.depth, offset)
        else:
            yield _Element(element, max(anchors.count("builtin.module") - 1, 0), offset)


def _named(element: str, available: PassTable) -> tuple[str, dict[str, str]] | None:
    """The text of a named pipeline, and the passes that `name{pass pass.option=value}` mentions, with their options."""
    name = _name_of(element)
    if name in available or (text := named_pipelines().get(name)) is None:
        return None
    return text, _passes_asked(name, text, element, available)


def _passes_asked(name: str, text: str, element: str, available: PassTable) -> dict[str, str]:
    """The passes of a named pipeline that an element mentions, each with the options it is given. Raises UserError."""
    given = element[len(name) :].strip()
    if given and (given[0] != "{" or given[-1] != "}"):
        raise _bad_pipeline(element, f"'{given}' is not a list of options")
    found: dict[str, list[str]] = {}
    known: set[str] = set()
    for entry in _OPTION.findall(given[1:-1]):
        key, equals, value = entry.partition("=")
        step, dot, option = key.replace("_", "-").partition(".")
        if not dot and not equals:
            if step not in optional_passes(text):
                raise _not_optional(name, text, key)
            found.setdefault(step, [])
            continue
        known = known or {
            f"{of}.{option}" for of, pass_type in _named_passes(text, available) for option in option_lines(pass_type)
        }
        if f"{step}.{option}" not in known:
            help = f"its options are {', '.join(sorted(known))}" if known else "it has no options"
            raise UserError("bad-pass-option", f"pipeline '{name}' has no option '{key}'", help=help)
        found.setdefault(step, []).append(option + equals + value)
    return {step: f"{step}{{{' '.join(options)}}}" if options else step for step, options in found.items()}


def _not_optional(name: str, text: str, asked: str) -> UserError:
    optional = optional_passes(text)
    help = f"its optional passes are {', '.join(optional)}; all others run anyway" if optional else "all its passes run"
    return UserError("bad-pass-option", f"pipeline '{name}' has no optional pass '{asked}'", help=help)


def _named_passes(text: str, available: PassTable) -> Iterator[tuple[str, type[ModulePass]]]:
    """The passes of a named pipeline."""
    for element in _flatten(text, available, ()):
        if (name := _name_of(element.text)) in available:
            yield name, available[name]()


def option_lines(pass_type: type[ModulePass]) -> dict[str, str]:
    """The options of a pass, each with a line about it."""
    if issubclass(pass_type, TensorPass):
        return {option.name: option.described() for option in pass_type.options()}
    # Types are text within quotes where a module postpones the evaluation of its annotations.
    return {
        (name := info.name.replace("_", "-")): f"{name} ({info.expected_type.strip(chr(39))})"
        for info in get_pass_option_infos(pass_type)
    }


def pipeline_option_lines(text: str, available: PassTable) -> list[str]:
    """The options of a named pipeline, those of its passes."""
    return [
        f"{name}.{line}"
        for name, pass_type in _named_passes(text, available)
        for line in option_lines(pass_type).values()
    ]


def _name_of(element: str) -> str:
    match = _NAME.match(element)
    return match[0] if match else element


def _check_anchor(element: str, anchor: str, around: tuple[str, ...]) -> None:
    """A pass works on all functions of a module, so that the anchors of functions and of any operation are idle."""
    if anchor not in ("builtin.module", "func.func", "any"):
        reason = f"passes run on 'builtin.module' and the 'func.func' in it, not on '{anchor}',"
    elif anchor == "builtin.module" and "func.func" in around:
        reason = "a function holds no module on which passes could run,"
    else:
        return
    raise _bad_pipeline(element, reason)


def _split(text: str) -> list[tuple[str, int]]:
    """Split at the commas outside of brackets and quotes: each piece, and where it begins."""
    commas = list(_outer_commas(text))
    starts = (0, *(position + 1 for position in commas))
    pieces = [_stripped(text[start:end], start) for start, end in zip(starts, (*commas, len(text)), strict=True)]
    if len(pieces) == 1 and not pieces[0][0]:
        return []
    if not all(piece for piece, _ in pieces):
        raise _bad_pipeline(text, "a pass name is missing between commas")
    return pieces


def _outer_commas(text: str) -> Iterator[int]:
    """The positions of the commas outside of brackets and quotes."""
    closing: list[str] = []
    quoted = False
    for position, character in enumerate(text):
        if character == '"' and text[position - 1 : position] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif character in _CLOSING:
            closing.append(_CLOSING[character])
        elif character in ")}]":
            if not closing or closing.pop() != character:
                raise _bad_pipeline(text, f"unexpected '{character}' at position {position + 1}")
        elif character == "," and not closing:
            yield position
    if closing or quoted:
        raise _bad_pipeline(text, f"missing '{closing[-1] if closing else chr(34)}'")


def _stripped(piece: str, start: int) -> tuple[str, int]:
    return piece.strip(), start + len(piece) - len(piece.lstrip())


def _bad_pipeline(text: str, reason: str) -> UserError:
    return UserError(
        "bad-pipeline",
        f"{reason} in pass pipeline '{text}'",
        help="write 'builtin.module(pass-a,pass-b{option=1 other=2})' or 'pass-a,pass-b{option=1}'",
    )


def _build_pass(element: str, available: PassTable) -> ModulePass:
    name = _name_of(element)
    if name not in available:
        raise unknown_pass(name, available)
    try:
        return available[name]().from_pass_spec(parse_spec(element))
    except ArgSpecParseError as error:
        raise _bad_pipeline(element, " ".join(str(error).splitlines()[-1:]).strip()) from None
    except ValueError as error:
        # Also what a pass raises itself about the value of an option.
        if isinstance(error, UserError):
            raise
        raise UserError("bad-pass-option", f"pass '{name}': {error}", help=_options_of(available[name]())) from None


def _options_of(pass_type: type[ModulePass]) -> str:
    if issubclass(pass_type, TensorPass):
        options = [f"{option.name} ({option.values()})" for option in pass_type.options()]
    else:
        options = list(option_lines(pass_type).values())
    return f"its options are {', '.join(options)}" if options else "it has no options"


def unknown_pass(name: str, available: PassTable) -> UserError:
    """The error for a name that is neither a pass nor a named pipeline."""
    close = get_close_matches(name, [*available, *named_pipelines()], n=3)
    return UserError(
        "unknown-pass",
        f"'{name}' is neither a pass nor a named pipeline",
        help=f"did you mean {' or '.join(close)}?" if close else "see irtensor-opt --help for the list",
    )
