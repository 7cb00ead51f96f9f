"""The kernels of one statement or function, by what they are called with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from irtensor.api.schedule import UNASKED
from irtensor.compiler.compilation.compile_kernel import compiled_for, compiled_with, loaded
from irtensor.compiler.kernel.found_before import FoundBefore
from irtensor.compiler.kernel.twin import twin
from irtensor.late_imports import load_for
from irtensor.memory_cache import code_of
from irtensor.planning.call_sizes import magnitudes

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.compiler.kernel.kernel import Kernel
    from irtensor.options import Options
    from irtensor.planning.plan import Rating


class Specialisation(NamedTuple):
    """The kernel for operands of one kind, with its request, and the programs among which its schedule was chosen.

    `by` says how it was chosen (see `Planner.plan`), None where the sizes of operands make no difference.
    """

    request: Request
    kernel: Kernel
    ratings: tuple[Rating, ...] = ()
    by: str | None = None

    def rated(self) -> list[str]:
        """The ratings, for people."""
        if self.by is None:
            return []
        load_for("explaining")
        from irtensor.planning.ratings_text import ratings_text

        return ratings_text(self.ratings, self.by)


class Specialiser:
    """Finds or compiles the kernel for the operands of a call, and keeps it.

    `request_for` makes the request for a key: whatever the caller tells operands apart by, besides their sizes. `by`
    says how schedules are chosen, None if nobody has asked for one. `tell` is called with a kernel when the one called
    before was another. `uncompiled` gives what computes a request without code, and is called as a Kernel is; None
    where nothing does. `again` gives another specialiser that finds what this one has found.
    """

    def __init__(
        self,
        request_for: Callable[[Any], Request],
        settings: Callable[[], Options],
        by: str | None,
        tell: Callable[[Kernel], object] = lambda kernel: None,
        uncompiled: Callable[[Any, Options], Any] = lambda request, settings: None,
    ) -> None:
        self.last: Specialisation | None = None
        self.by = by
        self._request_for = request_for
        self._settings = settings
        self._tell = tell
        self._uncompiled = uncompiled
        self._known: FoundBefore[Any, Specialisation] = FoundBefore(lambda one: code_of(one.kernel))

    def again(
        self,
        request_for: Callable[[Any], Request],
        settings: Callable[[], Options],
        environment: tuple[str | None, ...] | None,
        tell: Callable[[Kernel], object] = lambda kernel: None,
    ) -> Specialiser:
        """One of equal requests and settings, that knows what this one knows, and whose `last` is its own.

        Where `settings` depend on the environment, it finds out for itself which are new in another one than this.
        """
        other = twin(self)
        other.last = None
        other._request_for, other._settings, other._tell = request_for, settings, tell
        other._known = self._known.again(environment)
        return other

    def kernel_for(self, key: Any, data: Sequence[Any]) -> Kernel:
        """The kernel for operands with this key. Raises UserError."""
        found = self._known[key]
        if found is None and self.by is None:
            found = self.plain(key)
        by = self.by if found is None else found.by
        if by is not None:
            case = key, magnitudes(data)
            found = self._known[case]
            if found is None:
                found = self._known[case] = self._chosen(key, data, by)
        assert found is not None
        if found is not self.last:
            self.last = found
            if found.kernel.warnings:
                self._tell(found.kernel)
        return found.kernel

    def plain(self, key: Any) -> Specialisation:
        """The kernel for operands with this key of any size. Raises UserError."""
        request, settings = self._request_for(key), self._settings()
        kernel = None if self.by else self._uncompiled(request, settings)
        if kernel is None:
            kernel = compiled_with(request, settings)
            request = compiled_for(request, kernel)
        self._tell(kernel)
        by = self.by or (UNASKED if kernel.signature.by_size else None)
        found = self._known[key] = self.last = Specialisation(request, kernel, by=by)
        return found

    def _chosen(self, key: Any, data: Sequence[Any], by: str) -> Specialisation:
        """The kernel with the schedule for operands of these sizes."""
        # Loaded with the first kernel that has a choice.
        from irtensor.planning.planner import plan_for_call

        settings = self._settings()
        plan = plan_for_call(self._request_for(key), data, by, settings, loaded)
        kernel = compiled_with(plan.request, settings, plan.lowered)
        return Specialisation(compiled_for(plan.request, kernel), kernel, plan.ratings, by)
