"""The error for an operand without order where order is needed; it knows the tensor, so that a pass can mend it."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation, SSAValue

from irtensor.core.diagnostics import UserError

MERGED = "is combined with others, or appended to, in order of coordinate"


class UnorderedError(UserError):
    """[unordered-merge] or [unordered-search]; `tensor` is the operand, where the code at hand tells.

    `need` names the use that needs order, as it follows on its name.
    """

    def __init__(
        self,
        slug: str,
        message: str,
        tensor: SSAValue | None,
        need: str,
        *,
        op: Operation | None = None,
        help: str | None = None,
    ):
        super().__init__(slug, message, op=op, help=help)
        self.tensor = tensor
        self.need = need

    def __reduce__(self) -> tuple[Any, ...]:
        # IR does not travel.
        state = {name: value for name, value in self.__dict__.items() if name != "tensor"}
        return UserError, (self.slug, self.message), state
