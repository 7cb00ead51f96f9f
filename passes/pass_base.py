"""What every pass of irtensor has beside its rewrite: a summary, taken from its docstring, and what it runs over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class TensorPass(ModulePass):
    """Base class of the passes: a frozen dataclass whose fields are the pass's options.

    A subclass gives `name` (the command-line name), `apply`, and a docstring whose first line says what it does.
    """

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring: what `irtensor-opt --help` and the documentation show."""
        # A dataclass without a docstring is given its signature as one, which tells a reader nothing.
        text = (cls.__doc__ or "").strip()
        return "" if text.startswith(f"{cls.__name__}(") else text.split("\n", 1)[0]


def structured_functions(module: ModuleOp) -> Iterator[FuncOp]:
    """The functions that passes look into: their body is one block, as everywhere in our dialects."""
    for op in module.body.block.ops:
        if isinstance(op, FuncOp):
            body = op.body
            if body.first_block is not None and body.first_block is body.last_block:
                yield op
