"""What Python asks of arrays on a GPU and only the memory of the host answers: refused, as nothing moves by itself."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.notation.notation_errors import UserTypeError


class StaysOnDevice:
    """Numbers, truth values, iteration, arrays of NumPy and pickles: each a UserError [operand-on-device].

    A class says of its objects what messages call them, and which method copies them to the host.
    """

    __slots__ = ()
    is_on_device = True
    called = "the array"
    copied_by = ".to_numpy()"

    def not_on_host(self, why: str, help: str | None = None) -> UserError:
        """The error for what needs the memory of the host, and why it does."""
        return UserError("operand-on-device", self._where(why), help=help or f"copy it: {self.copied_by}")

    def _where(self, why: str) -> str:
        array: Any = self
        return f"{self.called} of shape {array.shape} is on GPU {array.device}, and {why}"

    def __copy__(self) -> Any:
        array: Any = self
        return array.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise self.not_on_host("an array of the host is needed")

    def __array_function__(self, function: Any, types: Any, arguments: Any, named: Any) -> Any:
        # NumPy takes the error about an array of the host for the answer that the two are different.
        if function in (np.array_equal, np.array_equiv):
            raise self.not_on_host(f"{function.__name__} works on the host", "write (x == y).all().to_numpy()")
        return function._implementation(*arguments, **named)

    def __reduce__(self) -> Any:
        raise self.not_on_host("is pickled on the host only")

    def __bool__(self) -> bool:
        raise self.not_on_host("the host asks whether it is true")

    def __iter__(self) -> NoReturn:
        raise self._no_number("the host iterates over it")

    def __float__(self) -> float:
        raise self._no_number("the host asks for its value")

    def __int__(self) -> int:
        raise self._no_number("the host asks for its value")

    def __complex__(self) -> complex:
        raise self._no_number("the host asks for its value")

    def __index__(self) -> int:
        raise self._no_number("the host asks for its value")

    def _no_number(self, why: str) -> UserTypeError:
        """A TypeError as well, as Python raises for an object that is neither a number nor a sequence."""
        return UserTypeError("operand-on-device", self._where(why), help="copy it: .to_numpy()")
