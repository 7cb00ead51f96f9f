"""Arguments of the steps of a schedule, as Python or a text gives them: checked one by one, with what to write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from irtensor.api.schedule_steps import NAME, Step
from irtensor.core.diagnostics import UserError
from irtensor.core.schedule_words import SEARCH_BUDGET, TEAM_WORDS, TEAMS, instead_of
from irtensor.frontend.arguments import is_list, is_word

# A name, and perhaps indices in brackets or parentheses.
_ACCESS = re.compile(rf"({NAME.pattern})\s*(?:[\[(]([^\[\]()]+)[\])])?")
# The largest size, and the largest number of parts or of iterations.
_MOST = (1 << 31) - 1
_EXAMPLES = {
    "autoschedule": f"budget={SEARCH_BUDGET}",
    "reorder": '"i", "k", "j"',
    "split": '"i", "i0", "i1", 32',
    "divide": '"i", "i0", "i1", 4',
    "pos": '"j", "jp", "A[i,j]"',
    "coord": '"jp", "j"',
    "bound": '"j", 16, kind="exact"',
    "unroll": '"i", 4',
    "vectorize": '"j", 8',
    "merge": '"j", "gallop"',
    "parallelize": '"i", races="none"',
    "assemble": '"A", "insert"',
    "precompute": '"B[i,k] * C[k,j]", over="j"',
}


class Arguments:
    """Checks the arguments of one step, which is the one of a number in its schedule."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number

    def done(self, **options: Any) -> Step:
        return Step(self.name, tuple(options.items()))

    def fail(self, problem: str, help: str) -> NoReturn:
        raise UserError("bad-schedule", f"step {self.number}, {self.name}: {problem}", help=help)

    def one_name(self, given: Any, what: str) -> str:
        if not isinstance(given, str) or NAME.fullmatch(given.strip()) is None:
            self.fail(f"{what} takes names, not {given!r}", "names have letters, digits and underscores")
        return given.strip()

    def names(self, given: str | Iterable[Any], what: str, least: int = 0) -> tuple[str, ...]:
        """Different names: one, a text with several between commas, or a sequence of them."""
        if isinstance(given, str):
            pieces = [part.split() for part in given.split(",")]
            if len(pieces) > 1 and [] in pieces[:-1]:
                self.fail(f"{what} has no name before a comma of {given!r}", 'write "i", "i, j" or ["i", "j"]')
            given = [name for piece in pieces for name in piece]
        elif not is_list(given):
            self.fail(f"{what} takes a name or several, not {given!r}", 'write "i", "i, j" or ["i", "j"]')
        found: list[str] = []
        for name in given:
            found.append(self.one_name(name, what))
            if name in found[:-1]:
                self.fail(f"{name} is given twice", "name every index variable once")
        if len(found) < least:
            self.fail(
                f"{what} takes at least {least} names, got {len(found)}", f"write {self.name}({_EXAMPLES[self.name]})"
            )
        return tuple(found)

    def text(self, given: Any, what: str) -> str:
        if not isinstance(given, str) or not given.strip():
            self.fail(f"{what} takes a text, not {given!r}", f"write {self.name}({_EXAMPLES[self.name]})")
        return given.strip()

    def expression(self, given: Any) -> str:
        if not isinstance(given, str):
            help = "write a part of the statement, such as 'B[i,k] * C[k,j]'"
            self.fail(f"the expression is a text, not {type(given).__name__}", help)
        from irtensor.core.expression_text import parse_expression

        try:
            return str(parse_expression(given))
        except UserError as error:
            error.message = f"step {self.number}, {self.name}: {error.message}"
            raise

    def count(self, given: Any, what: str) -> int:
        if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= _MOST:
            message = f"{what} is a number from 1 to {_MOST}, not {given!r}"
            self.fail(message, f"write {self.name}({_EXAMPLES[self.name]})")
        return given

    def entries(self, given: Any) -> dict[str, str]:
        """The option that names the operand whose entries are counted, if there is one."""
        return {} if given is None else {"tensor": self.one_name(given, "tensor=")}

    def access(self, given: Any) -> dict[str, Any]:
        """The options that name an operand, and the indices it is read with if they are given."""
        found = _ACCESS.fullmatch(given.strip()) if isinstance(given, str) else None
        if found is None:
            self.fail(f"tensor= is an operand, not {given!r}", f"write {self.name}({_EXAMPLES[self.name]})")
        name, indices = found.groups()
        return {"tensor": name, **({} if indices is None else {"indices": self.names(indices, "tensor=")})}

    def word(self, given: Any, what: str, known: Sequence[str], help: str = "") -> str:
        if not is_word(given, *known):
            help = help or f"write {self.name}({_EXAMPLES[self.name]})"
            self.fail(f"{what} is {' or '.join(known)}, not {given!r}", help)
        return given

    def team(self, given: Any) -> int:
        """How many threads share an iteration."""
        size = TEAM_WORDS[given] if is_word(given, *TEAM_WORDS) else given
        if not isinstance(size, int) or isinstance(size, bool) or size not in TEAMS[1:]:
            *known, last = (*map(str, TEAMS[1:-1]), *map(repr, TEAM_WORDS))
            help = instead_of(given) if isinstance(given, str) else ""
            help = help or f"write {self.name}({_EXAMPLES[self.name]}, team=8)"
            self.fail(f"team= is {', '.join(known)} or {last}, not {given!r}", help)
        return size

    def flag(self, given: Any, what: str) -> bool:
        if not isinstance(given, bool):
            self.fail(f"{what} is True or False, not {given!r}", "omit it for False")
        return given
