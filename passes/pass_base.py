"""What every pass of irtensor has beside its rewrite: a summary, taken from its docstring."""

from __future__ import annotations

from dataclasses import dataclass

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
