"""The error for an operand without order where order is needed; it knows the tensor, so that a pass can mend it."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation, SSAValue

from irtensor.dialects.diagnostics import UserError


class UnorderedError(UserError):
    """[unordered-merge] or [unordered-search]; `tensor` is the operand, where the code at hand tells."""

    def __init__(
        self, slug: str, message: str, tensor: SSAValue | None, *, op: Operation | None = None, help: str | None = None
    ):
        super().__init__(slug, message, op=op, help=help)
        self.tensor = tensor

    def __reduce__(self) -> tuple[Any, ...]:
        # IR does not travel.
        state = {name: value for name, value in self.__dict__.items() if name != "tensor"}
        return UserError, (self.slug, self.message), state
