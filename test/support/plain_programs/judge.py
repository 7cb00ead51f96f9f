"""What becomes of a program: its result compared with what loops say, or how it was refused."""

import re
import traceback
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .programs import Program, expected_values

# What the manual's pages on the steps of schedules say that a step is refused as.
STEPS_REFUSED = {
    "illegal-assemble", "illegal-merge", "illegal-unroll",
    "illegal-precompute", "illegal-reorder", "illegal-replay", "illegal-reuse", "illegal-split",
    "illegal-vectorize", "no-such-loops", "bad-schedule-step", "parallel-race", "parallel-nest", "parallel-dependence",
    "expression-not-found", "ambiguous-expression", "unknown-extent", "bad-schedule",
}  # fmt: skip
# Refusals that the manual says depend on more than a step.
REFUSED = {"ambiguous-sum", "empty-reduction"}
# What a conversion of an operand would mend, where none is allowed.
UNCONVERTED = {
    "loop-order-cycle", "unordered-merge", "unordered-search", "block-mismatch", "diagonal-mismatch",
    "unsupported-protocol", "discordant-access", "output-needs-workspace", "format-mismatch",
}  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    kind: str  # right, dropped, refused, or the kind of fault
    detail: str = ""

    @property
    def is_fault(self) -> bool:
        return self.kind not in ("right", "dropped", "refused")


def judge(program: Program, absent_rule: bool = False) -> list[Verdict]:
    """A verdict of the program, and one without its schedule where a step was refused."""
    first = _judge(program, absent_rule)
    if first.kind == "refused" and program.schedule and first.detail in STEPS_REFUSED:
        return [first, *judge(replace(program, schedule=()), absent_rule)]
    return [first]


def _judge(program: Program, absent_rule: bool) -> Verdict:
    import irtensor as it

    right = expected_values(program, absent_rule)
    all_dense = all(operand.is_dense for operand in program.operands.values()) and not program.formats
    if right.unsure or (right.special and not (absent_rule or all_dense or program.semiring)):
        return Verdict("dropped")
    names: dict[str, Any] = {}
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            exec(compile(program.source(), "program", "exec"), names)
    except it.UserError as error:
        if error.slug in _refusals(program):
            return Verdict("refused", error.slug)
        return Verdict(f"refusal {error.slug}", str(error))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{re.sub('.*/', '', where.filename)}:{where.name}"
        return Verdict(f"exception {type(error).__name__} {place}", "".join(traceback.format_exception(error)[-6:]))
    return _compared(program, right, names, [str(warning.message) for warning in said])


def _refusals(program: Program) -> set[str]:
    steps = STEPS_REFUSED if program.schedule else set[str]()
    return REFUSED | steps | (UNCONVERTED if "convert=False" in program.options else set[str]())


def _compared(program: Program, right: Any, names: dict[str, Any], warned: list[str]) -> Verdict:
    import irtensor as it

    found, result = names["found"], names["result"]
    if found.shape != right.values.shape:
        return Verdict("wrong shape", f"{found.shape}, not {right.values.shape}")
    if found.dtype != right.values.dtype:
        return Verdict("wrong dtype", f"{found.dtype}, not {right.values.dtype}")
    if not _close(program, found, right):
        return Verdict("wrong value", f"found\n{found}\nexpected\n{right.values}")
    if isinstance(result, it.Tensor):
        try:
            result.check()
        except Exception as error:
            return Verdict("bad storage", str(error))
        listed = all(operand.is_dense or _is_listed(operand.format) for operand in program.operands.values())
        if listed and not program.schedule and not warned and _is_full(result, right):
            return Verdict("full", f"{result.nnz} entries, {np.count_nonzero(~right.absent)} expected")
    return Verdict("right")


def _close(program: Program, found: np.ndarray, right: Any) -> bool:
    if found.dtype.kind not in "fc":
        return np.array_equal(found, right.values)
    tolerance = 1e-4 if found.dtype.name in ("float32", "complex64") or program.rough() else 1e-9
    return np.allclose(found, right.values, rtol=tolerance, atol=tolerance * right.largest, equal_nan=True)


def _is_listed(format: str | None) -> bool:
    """Whether a tensor in a format stores what it is given and nothing else."""
    levels = re.findall(r": (\w+)", format or "")
    return (
        bool(levels) and "floordiv" not in str(format) and {*levels} <= {"compressed", "singleton", "hashed", "bitmap"}
    )


def _is_full(result: Any, right: Any) -> bool:
    """Whether lists hold every coordinate, of which operands have few."""
    lists = all(level in ("compressed", "singleton") for level in re.findall(r": (\w+)", str(result.format)))
    blocks = "floordiv" in str(result.format)
    few = 2 * np.count_nonzero(~right.absent) < right.values.size
    return lists and not blocks and few and right.values.size >= 6 and result.nnz == right.values.size
