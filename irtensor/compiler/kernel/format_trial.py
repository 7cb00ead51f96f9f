"""An operand in one format after the other: which ones are tried, and with which of them the kernel is fastest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from irtensor.compiler.kernel.has_nan import has_nan
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import with_widths_of
from irtensor.frontend.element_types import is_rounded
from irtensor.frontend.format_rules import FormatRules
from irtensor.io.progress import Progress
from irtensor.planning.candidate_formats import candidate_formats, order_stays, stores_fill
from irtensor.planning.measure_formats import WORTH, FormatRun, in_turns
from irtensor.planning.stored_sizes import Entries, Size
from irtensor.runtime.cache_folder import size_text
from irtensor.storage.stored_tensor import StoredTensor

# Formats that store more elements for each entry, or take more bytes for each of the operand's, are not tried.
_MOST_ELEMENTS = _MOST_BYTES = 2.0
_NARROW = 1 << 31


class Question(NamedTuple):
    """A choice to make for operands that nothing is known of.

    `given` is what the caller gave for each operand, and `run_for` makes ready to compute with operands.
    """

    names: Sequence[str]
    given: Sequence[Any]
    rules: FormatRules
    run_for: Callable[[Sequence[Any]], Callable[[], object]]


class Decision(NamedTuple):
    """The format in which an operand is read, None as it is given, and what it was chosen among, for people."""

    format: TensorFormat | None
    text: tuple[str, ...]


def converted(one: StoredTensor, format: TensorFormat) -> Any:
    """An operand in another format; as kernels take it where that is row-major."""
    copy = one.to_format(format)
    # Widths of results are those of what the caller gave.
    copy.from_narrow = one.from_narrow
    return copy.to_numpy() if format.is_row_major and format.fill is None else copy


def is_checked(format: TensorFormat, data: Sequence[Any], positions: Sequence[int], rules: FormatRules) -> bool:
    """Whether results may have a NaN where the operand at some positions of `data`, in a format, stores zeros of absent
    elements.

    The zeros of a dense array are numbers as any others, and so are those that are divided as integers.
    """
    is_number = format.is_dense or (rules.divides and not any([is_rounded(one.dtype) for one in data]))
    guarded = len(positions) == 1 and rules.guarded[positions[0]] and not is_number
    return stores_fill(format) and not rules.exact and not guarded


class FormatTrial:
    """The formats for the operand that is given at some `positions`, each against the fastest one so far.

    `has_zeros` says whether it has entries that are 0, and this matters: times infinity they are NaN, and the zeros of
    a format that stores those of absent elements count as absent.
    """

    def __init__(self, data: Sequence[Any], positions: Sequence[int], has_zeros: bool, asked: Question) -> None:
        self._data, self._positions, self._has_zeros, self._asked = data, positions, has_zeros, asked
        # The operand in the fastest format.
        self.copy: Any = data[positions[0]]
        self._own: StoredTensor = self.copy
        self._entries = Entries(self._own)
        # What it stores may be padding, none of it an entry.
        formats = self._formats() if self._entries.count else ()
        self._sized = [(format, self._entries.size_in(format)) for format in formats]
        self._bytes: dict[TensorFormat, int] = {self._own.format: self._own.nbytes}
        self._seconds: dict[TensorFormat, float] = {}
        self._left: list[tuple[str, TensorFormat]] = []
        # How many elements the result stores, if it is sparse.
        self.stored: int | None = None

    @property
    def sizes(self) -> tuple[Size, ...]:
        """What the operand takes in all formats that come into question."""
        return tuple([size for _, size in self._sized])

    def measured(self) -> Decision:
        """The fastest format. What the kernel raises for the operand as it is given is passed on."""
        if not self._entries.count:
            return Decision(None, ("read as it is: it has no entries",))
        best = FormatRun(self._own.format, self._run_with(self._own))
        self.stored = _stored_by(best.run())
        in_order = sorted(self._sized, key=lambda one: one[1].bytes)
        bar = Progress("measuring formats", len(in_order))
        try:
            for done, (format, size) in enumerate(in_order):
                bar.update(done)
                why_not = self._why_not(format, size)
                if why_not is None:
                    best = self._faster(best, format)
                else:
                    self._left.append((why_not, format))
        finally:
            bar.close()
        return Decision(None if best.format == self._own.format else best.format, tuple(self._text(best.format)))

    def _formats(self) -> Iterator[TensorFormat]:
        """The formats that come into question, with the least widths."""
        own = self._own
        narrow = self._asked.rules.stays_absent is None and max(own.shape, default=0) < _NARROW - 1
        positions = 32 if self._entries.count * _MOST_ELEMENTS < _NARROW else 64
        for format in candidate_formats(own.format):
            found = format.with_widths(positions, 32) if narrow else with_widths_of(format, own.format)
            if found != own.format:
                yield found

    def _run_with(self, copy: Any, is_checked: bool = False) -> Callable[[], object]:
        """The kernel for a copy; where results are looked at for each call, that counts."""
        operands = [copy if position in self._positions else one for position, one in enumerate(self._data)]
        run = self._asked.run_for(operands)
        stored = copy.nnz if isinstance(copy, StoredTensor) else copy.size
        return (lambda: has_nan(run())) if is_checked and stored > self._own.nnz else run

    def _why_not(self, format: TensorFormat, size: Size) -> str | None:
        rules, own = self._asked.rules, self._own
        if (per_entry := size.elements / self._entries.count) > _MOST_ELEMENTS:
            return f"{per_entry:.1f} entries stored for each one"
        if (per_byte := size.bytes / own.nbytes) > _MOST_BYTES:
            return f"{per_byte:.1f} times the memory"
        if format.structure == own.format.structure and size.bytes >= own.nbytes:
            return "the same, with wider indices"
        if stores_fill(format) and not rules.exact:
            if rules.stays_absent is not None:
                return rules.stays_absent
            if own.format.fill is not None:
                return "elements that are not stored are not 0"
            if self._has_zeros:
                return "an entry that is 0 would count as absent"
        if rules.ordered is not None:
            if not all([order_stays(format, own.format, rules.summed[position]) for position in self._positions]):
                return f"sums would be in another order, and {rules.ordered} keeps it"
        return None

    def _faster(self, best: FormatRun, format: TensorFormat) -> FormatRun:
        """The operand in another format, if the kernel is faster with it."""
        try:
            copy = converted(self._own, format)
            checked = is_checked(format, self._data, self._positions, self._asked.rules)
            other = FormatRun(format, self._run_with(copy, checked))
            if self.stored is not None and _stored_by(other.run()) != self.stored:
                self._left.append(("the result would have other entries", format))
                return best
            best_time, time = in_turns(best, other)
        except UserError as error:
            self._left.append((f"refused: [{error.slug}]", format))
            return best
        except MemoryError:
            self._left.append(("not enough memory", format))
            return best
        self._seconds[best.format] = best_time = min(self._seconds.get(best.format, best_time), best_time)
        self._seconds[format], self._bytes[format] = time, copy.nbytes
        if time * WORTH >= best_time:
            return best
        self.copy = copy
        return other

    def _text(self, taken: TensorFormat) -> Iterator[str]:
        own = self._own.format
        for format, seconds in sorted(self._seconds.items(), key=lambda one: one[1]):
            said = [word for word, applies in (("as given", format == own), ("taken", format == taken)) if applies]
            rest = f"  <- {', '.join(said)}" if said else ""
            yield f"{1e3 * seconds:10.4f} ms  {size_text(self._bytes[format]):>9}  {format}{rest}"
        for why_not, format in self._left:
            yield f"not tried, {why_not}: {format.with_widths(64, 64)}"
        if taken != own:
            name = self._asked.names[self._positions[0]]
            yield f"the copy is freed with {name}, whose values cannot be changed in place meanwhile: assign others"


def _stored_by(result: object) -> int | None:
    """How many elements a sparse result stores.

    Beside a dense operand it stores whole rows: all, or those where the loops meet an entry.
    """
    return result.nnz if isinstance(result, StoredTensor) else None
