"""Index notation on tensors with data; what builds expressions is loaded when a tensor is first indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irtensor.late_imports import load_for

if TYPE_CHECKING:
    from irtensor.frontend.lazy_expression import Operand


class Indexable:
    """Gives a class of tensors with data `T[i, j]` as an expression and `T[i, j] = expression` as an assignment."""

    __slots__ = ()
    # Without this, Python would iterate by calling __getitem__(0).
    __iter__ = None

    def __getitem__(self, key: Any) -> Any:
        load_for("expressions")
        from irtensor.api.expression import access, is_lazy

        if is_lazy(key) or getattr(self, "is_on_device", False):
            return access(self, key)
        from irtensor.tensors.selected import selected

        return selected(self, key)

    def __setitem__(self, key: Any, value: Operand) -> None:
        load_for("expressions")
        from irtensor.api.expression import assign

        assign(self, key, value)
