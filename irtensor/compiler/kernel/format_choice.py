"""The formats in which the operands of a statement are kept beside themselves: measured, and remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from irtensor.compiler.kernel.format_trial import Decision, FormatTrial, Question, converted, is_checked
from irtensor.compiler.kernel.has_nan import has_nan
from irtensor.compiler.kernel.twin import twin
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.element_types import is_rounded
from irtensor.interop.as_operand import is_remembered
from irtensor.memory_cache import MemoryCache
from irtensor.planning.added_zeros import added_zeros
from irtensor.planning.candidate_formats import stores_fill
from irtensor.storage.kept_copies import KeptCopies, copies_of, remember
from irtensor.storage.level_storage import Array
from irtensor.storage.stored_tensor import StoredTensor


class Check(NamedTuple):
    """Where a result may have a NaN that it should not have: at these coordinates along an axis, None for anywhere.

    An infinity makes one beside a zero that a copy stores, and the operand does not.
    """

    axis: int = 0
    coordinates: Array | None = None

    def finds(self, result: Any) -> bool:
        """Whether there is a NaN."""
        return has_nan(result if self.coordinates is None else result.take(self.coordinates, self.axis))


class Taken(NamedTuple):
    """The operand or a copy of it, and the checks of results."""

    operand: Any
    check: Check | None
    decision: Decision


class FormatChoice:
    """The choice for the operands of one statement, by their structure."""

    def __init__(self) -> None:
        self._key = object()
        # By the operand's number, format, type and sizes in other formats: operands with equal ones have one structure.
        self._decisions: MemoryCache[Any, Decision] = MemoryCache()
        self._told: dict[int, Decision] = {}

    def again(self) -> FormatChoice:
        """The choice of an equal statement, which knows what this one knows, and tells of its own calls."""
        other = twin(self)
        other._told = {}
        return other

    def replaced(self, data: Sequence[Any], ask: Callable[[], Question]) -> tuple[Sequence[Any], Sequence[Check]]:
        """The operands, with copies instead of those that are faster in another format, and the checks of the
        result."""
        found: Any = data
        checks: Any = ()
        for number, one in enumerate(data):
            if type(one) is np.ndarray:
                continue
            known = copies_of(one)
            if known is None or (taken := known.taken.get((self._key, number))) is None:
                return self._found(data, ask())
            self._told[number] = taken.decision
            if taken.operand is not None:
                if found is data:
                    found = [*data]
                found[number] = taken.operand
                if taken.check is not None:
                    checks = [*checks, taken.check]
        return found, checks

    def text(self, names: Sequence[str]) -> list[str]:
        """The choices for the operands of the last call, by their names, for people."""
        lines: list[str] = []
        for number, decision in sorted(self._told.items()):
            lines += [names[number], *[f"  {line}" for line in decision.text]]
        return lines or ["measured with the first call for each sparse operand"]

    def _found(self, data: Sequence[Any], asked: Question) -> tuple[Sequence[Any], Sequence[Check]]:
        found, checks = [*data], list[Check]()
        for number, one in enumerate(data):
            if type(one) is np.ndarray or any([other is one for other in data[:number]]):
                continue
            positions = [position for position, other in enumerate(data) if other is one]
            taken = self._taken(found, positions, asked)
            self._told[number] = taken.decision
            if taken.operand is not None:
                for position in positions:
                    found[position] = taken.operand
                checks += [] if taken.check is None else [taken.check]
        return found, checks

    def _taken(self, data: Sequence[Any], positions: Sequence[int], asked: Question) -> Taken:
        """The choice for the operand that is given at some positions, while the others stay as they are."""
        one, given = data[positions[0]], asked.given[positions[0]]
        # Quotients of integers are not integers.
        may_be_nan = asked.rules.divides or any([is_rounded(other.dtype) for other in data])
        counts_zeros = not asked.rules.exact and may_be_nan
        why_not = _why_not(one, given, counts_zeros, asked.rules.ordered)
        if why_not is not None:
            return Taken(None, None, Decision(None, (why_not,)))
        known, keys = remember(one), [(self._key, position) for position in positions]
        has_zeros = counts_zeros and bool((one.values == 0).any())
        decision = known.decided.get((*keys[0], has_zeros))
        if decision is None:
            decision = self._decision(data, positions, known, has_zeros, asked)
        taken = Taken(None, None, decision)
        if decision.format is not None:
            copy, added = known.copies.get(decision.format) or _keep_copy(known, one, given, decision.format)
            check = None
            if added is not None and is_checked(decision.format, data, positions, asked.rules):
                check = _check(added, positions, asked)
            taken = Taken(copy, check, decision)
        for key in keys:
            known.decided[*key, has_zeros], known.taken[key] = decision, taken
        return taken

    def _decision(
        self, data: Sequence[Any], positions: Sequence[int], known: KeptCopies, has_zeros: bool, asked: Question
    ) -> Decision:
        one = data[positions[0]]
        trial = FormatTrial(data, positions, has_zeros, asked)
        structure = positions[0], has_zeros, one.format, one.dtype, one.shape, trial.sizes
        decision = self._decisions[structure]
        if decision is None:
            decision = trial.measured()
            if trial.stored is None:
                # Which formats leave a sparse result as it is may depend on a single row: each operand is measured.
                self._decisions[structure] = decision
            if decision.format is not None:
                _keep_copy(known, one, asked.given[positions[0]], decision.format, trial.copy)
        return decision


def _why_not(one: StoredTensor, given: Any, counts_zeros: bool, ordered: str | None) -> str | None:
    """Why an operand is read as it is, if no other format comes into question; `counts_zeros` says that a 0 that is
    stored, times infinity, is NaN, and one that is absent makes a product absent; `ordered` is the setting for which
    sums have one order."""
    if ordered not in (None, "strict_fp"):
        # Each sum may be one of several partial sums, and a kernel has as many as suit the format, with its widths.
        return f"read as it is: partial sums depend on the format, and {ordered} keeps them"
    if given is not one and not is_remembered(given, one):
        return "read as it is: it is converted at each call, and a copy is kept beside a Tensor, or SciPy's CSR or CSC"
    if one.format.allows_duplicates:
        return "read as it is: entries may be stored several times, and other formats have their sums"
    if counts_zeros and stores_fill(one.format):
        return "read as it is: it stores elements that are 0, which other formats omit"
    return None


def _keep_copy(
    known: KeptCopies, one: StoredTensor, given: Any, format: TensorFormat, copy: Any = None
) -> tuple[Any, list[Array] | None]:
    """The copy of an operand in a format, and at which coordinates it stores more than the operand."""
    added = added_zeros(one, format) if stores_fill(format) else None
    # An operand that was not passed on itself has the memory of an array of another library.
    owner = None if given is one else given
    return known.keep(format, converted(one, format) if copy is None else copy, added, owner)


def _check(added: Sequence[Array], positions: Sequence[int], asked: Question) -> Check:
    """The check of results: only where few of them may have a NaN."""
    if len(positions) > 1:
        return Check()
    axes = asked.rules.axes[positions[0]]
    found = [(added[dimension].size, axis, added[dimension]) for dimension, axis in axes]
    _, axis, coordinates = min(found, key=lambda one: one[0], default=(0, 0, None))
    return Check(axis, coordinates)
