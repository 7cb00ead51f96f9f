"""The dialects of irtensor: names and lazy factories; nothing is imported before a dialect is used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import Dialect

# Dialect prefix, module of this package, object in that module.
DIALECTS: tuple[tuple[str, str, str], ...] = (
    ("storage", "storage.storage", "Storage"),
    ("algebra", "algebra.algebra", "Algebra"),
    ("index_notation", "index_notation.index_notation", "IndexNotation"),
    ("concrete_index", "concrete_index.concrete_index", "ConcreteIndex"),
    ("iteration_lattice", "iteration_lattice.iteration_lattice", "IterationLattice"),
    ("loop", "loop.loop", "Loop"),
    ("nvvm", "nvvm.nvvm", "NVVM"),
)


def _load(module: str, name: str) -> Dialect:
    return getattr(import_module(f"irtensor.dialects.{module}"), name)


def get_all_dialects() -> dict[str, Callable[[], Dialect]]:
    """Every dialect of irtensor: prefix -> factory that imports its module when called."""
    return {prefix: partial(_load, module, name) for prefix, module, name in DIALECTS}


def get_extended_llvm() -> Dialect:
    """xDSL's `llvm` dialect with the operations and types it lacks.

    A context holds one dialect per name, so this one is registered in place of xDSL's, never beside it.
    """
    from xdsl.dialects.llvm import LLVM
    from xdsl.ir import Dialect

    from irtensor.dialects.llvm import llvm_extra

    known_operations = {operation.name for operation in LLVM.operations}
    known_attributes = {attribute.name for attribute in LLVM.attributes}
    return Dialect(
        "llvm",
        [*LLVM.operations, *(extra for extra in llvm_extra.OPERATIONS if extra.name not in known_operations)],
        [*LLVM.attributes, *(extra for extra in llvm_extra.ATTRIBUTES if extra.name not in known_attributes)],
    )
