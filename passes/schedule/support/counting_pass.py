"""Steps that count the entries of an operand, whose errors name those that may be counted instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.core.diagnostics import UserError
from irtensor.passes.concrete_index.support.counted_entries import EntriesRefused
from irtensor.passes.support.advised_pass import AdvisedPass, is_allowed


@dataclass(frozen=True)
class CountingPass(AdvisedPass):
    """A step with an option `tensor`; operands that are named instead have been tried."""

    def ways_out(self, ctx: Context, module: ModuleOp, error: UserError) -> str | None:
        if not isinstance(error, EntriesRefused):
            return error.help
        others = [name for name in error.others if is_allowed(ctx, module, [replace(self, **self._counting(name))])]
        return error.help_with(others)

    def _counting(self, tensor: str) -> Mapping[str, Any]:
        """The options that say which operand is counted."""
        return {"tensor": tensor}
