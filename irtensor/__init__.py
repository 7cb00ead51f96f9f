"""irtensor: a compiler for sparse and structured tensor algebra."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The same names for type checkers and editors, which do not run __getattr__.
    from irtensor.einsum import einsum as einsum
    from irtensor.errors import InternalError as InternalError
    from irtensor.errors import UserError as UserError
    from irtensor.expression import indices as indices
    from irtensor.expression import tensor_variable as tensor_variable
    from irtensor.io import read as read
    from irtensor.io import write as write
    from irtensor.named_formats import BCSC as BCSC
    from irtensor.named_formats import BCSR as BCSR
    from irtensor.named_formats import COO as COO
    from irtensor.named_formats import CSC as CSC
    from irtensor.named_formats import CSF as CSF
    from irtensor.named_formats import CSR as CSR
    from irtensor.named_formats import DCSC as DCSC
    from irtensor.named_formats import DCSR as DCSR
    from irtensor.named_formats import Dense as Dense
    from irtensor.named_formats import Format as Format
    from irtensor.named_formats import ModeGeneric as ModeGeneric
    from irtensor.tensor import Tensor as Tensor

# Public name -> module that defines it under the same name. Nothing is imported before a name is used: the dialects
# and passes below this package are loaded by other tools, which must not pay for NumPy or for the compiler.
PUBLIC_NAMES: dict[str, str] = {
    "BCSC": "irtensor.named_formats",
    "BCSR": "irtensor.named_formats",
    "COO": "irtensor.named_formats",
    "CSC": "irtensor.named_formats",
    "CSF": "irtensor.named_formats",
    "CSR": "irtensor.named_formats",
    "DCSC": "irtensor.named_formats",
    "DCSR": "irtensor.named_formats",
    "Dense": "irtensor.named_formats",
    "Format": "irtensor.named_formats",
    "InternalError": "irtensor.errors",
    "ModeGeneric": "irtensor.named_formats",
    "Tensor": "irtensor.tensor",
    "UserError": "irtensor.errors",
    "einsum": "irtensor.einsum",
    "indices": "irtensor.expression",
    "read": "irtensor.io",
    "tensor_variable": "irtensor.expression",
    "write": "irtensor.io",
}


def __getattr__(name: str) -> Any:
    if (module := PUBLIC_NAMES.get(name)) is None:
        raise AttributeError(f"module 'irtensor' has no attribute '{name}'")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *PUBLIC_NAMES})


class _Package(ModuleType):
    """The package object: a module such as `irtensor.einsum` does not take the place of the function it defines."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in PUBLIC_NAMES):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
