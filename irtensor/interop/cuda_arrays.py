"""Arrays on NVIDIA's cards that other libraries have made, and their streams; none of those libraries is imported."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.runtime.cuda_driver import LEGACY_STREAM
from irtensor.storage.element_types import element_dtype

_PROTOCOL = "__cuda_array_interface__"
# Addresses, and handles of streams, are unsigned numbers of 64 bits.
_MOST = 2**64 - 1


class OtherArray(NamedTuple):
    """What an array says of itself, checked; `stream` is the one that makes its elements, if it is said."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    address: int
    read_only: bool
    stream: int | None


def read_interface(array: Any, subject: str = "the array") -> OtherArray:
    """What an array says of itself.

    Raises UserError [bad-argument] for an object without such an interface or with a wrong one, [unsupported-dtype],
    and [cuda-conversion] for elements that do not follow each other.
    """
    interface = _interface(array, subject)
    shape, data = interface.get("shape"), interface.get("data")
    if not (isinstance(shape, tuple) and all(isinstance(extent, int) and extent >= 0 for extent in shape)):
        raise _wrong(subject, f"the shape {shape!r}")
    if not (isinstance(data, tuple) and len(data) == 2 and isinstance(data[0], int) and 0 <= data[0] <= _MOST):
        raise _wrong(subject, f"the data {data!r}")
    if interface.get("mask") is not None:
        message = f"{subject}: this is a masked array, and its mask would be ignored"
        raise UserError("bad-argument", message, help="pass its elements and its mask as two operands")
    dtype = _dtype(interface.get("typestr"), subject)
    address = data[0]
    if address == 0 and 0 not in shape:
        raise _wrong(subject, "elements and no address")
    _check_order(shape, interface.get("strides"), dtype, subject)
    if address % dtype.alignment:
        message = f"{subject} begins at an address that is not a multiple of the {dtype.alignment} bytes of a number"
        raise UserError("cuda-conversion", message, help="pass a copy of it")
    return OtherArray(shape, dtype, address, bool(data[1]), _stream(array, interface, subject))


def stream_handle(stream: Any) -> int:
    """The driver's handle of a stream: a number, or a stream of CuPy, PyTorch or any library with `__cuda_stream__`.

    Raises UserError [bad-argument].
    """
    if stream is None:
        return LEGACY_STREAM
    handle: Any = stream
    known: Any = getattr(stream, "__cuda_stream__", None)  # A method, or its result in older libraries.
    if known is not None:
        # Of the protocol's two values the first is its version.
        pair: Any = known() if callable(known) else known
        handle = pair[1]
    else:
        for name in ("cuda_stream", "ptr"):
            handle = getattr(handle, name, handle)
    if not isinstance(handle, int) or isinstance(handle, bool) or not 0 <= handle <= _MOST:
        message = f"stream={stream!r} is not a stream"
        help = "pass a stream of CuPy or PyTorch, an object with __cuda_stream__, or the driver's number of one"
        raise UserError("bad-argument", message, help=help)
    # 0 is the default stream by a name that is another one's in some programs.
    return handle or LEGACY_STREAM


def _interface(array: Any, subject: str) -> Mapping[str, Any]:
    try:
        interface = getattr(array, _PROTOCOL)
    except AttributeError:
        message = f"{subject} is a {type(array).__name__}, which has no {_PROTOCOL}: it is not on a GPU"
        raise UserError("bad-argument", message, help="copy it there: irtensor.cuda.to_device(array)") from None
    except Exception as error:
        # PyTorch, for an array whose gradient is to be found.
        message = f"{subject}: {type(array).__name__} does not give its elements: {error}"
        raise UserError("bad-argument", message, help="of PyTorch, pass x.detach()") from error
    if not isinstance(interface, Mapping):
        raise _wrong(subject, repr(interface))
    return interface


def _dtype(name: Any, subject: str) -> np.dtype[Any]:
    dtype = element_dtype(name, subject)
    if not np.dtype(name).isnative:
        message = f"{subject} has dtype {name}, whose bytes are in the other order"
        raise UserError("unsupported-dtype", message, help="convert it with .astype")
    return dtype


def _check_order(shape: tuple[int, ...], strides: Any, dtype: np.dtype[Any], subject: str) -> None:
    """Raise UserError [cuda-conversion] unless the elements follow each other as they do in C."""
    if strides is None or 0 in shape:
        return
    if not (isinstance(strides, tuple) and len(strides) == len(shape)):
        raise _wrong(subject, f"the strides {strides!r} for the shape {shape}")
    step = dtype.itemsize
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent > 1 and stride != step:
            message = f"{subject} of shape {shape} has strides {strides}: its elements do not follow each other"
            help = "pass a copy: cupy.ascontiguousarray(x), or x.contiguous() of PyTorch"
            raise UserError("cuda-conversion", message, help=help)
        step *= extent


def _stream(array: Any, interface: Mapping[str, Any], subject: str) -> int | None:
    """The stream to wait for. PyTorch does not say: it is the one that it uses at present."""
    stream = interface.get("stream")
    torch = sys.modules.get("torch")
    if stream is None and torch is not None and isinstance(array, getattr(torch, "Tensor", ())):
        return stream_handle(torch.cuda.current_stream(array.device))
    if stream is None:
        return None
    if not isinstance(stream, int) or not 0 < stream <= _MOST:
        # The protocol forbids 0, which stands for two streams.
        raise _wrong(subject, f"the stream {stream!r}")
    return stream


def _wrong(subject: str, what: str) -> UserError:
    return UserError("bad-argument", f"{subject}: its {_PROTOCOL} has {what}, which the protocol does not allow")
