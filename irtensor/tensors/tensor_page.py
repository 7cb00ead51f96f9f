"""How notebooks show a Tensor: its shape, format and fill value, and its first entries."""

from __future__ import annotations

from html import escape
from typing import Any

from irtensor.core.fill_values import fill_text

_ENTRIES = 10
# All entries are unpacked to show the first ones; of more, that takes too long for a look.
_MOST = 1 << 20


def tensor_html(tensor: Any) -> str:
    """A table of what a tensor is, and one of its first entries in the order of its storage."""
    fill = fill_text(tensor.fill_value.item())
    rows = {"shape": tensor.shape, "dtype": tensor.dtype, "format": tensor.format, "fill": fill, "stored": tensor.nnz}
    if tensor.is_on_device:
        rows["device"] = tensor.device
    table = "".join(f"<tr><th>{name}</th><td>{escape(str(value))}</td></tr>" for name, value in rows.items())
    # A look does not copy anything from a GPU.
    is_shown = tensor.values.size <= _MOST and not tensor.is_on_device
    return f"<table>{table}</table>{_entries(tensor) if is_shown else ''}"


def _entries(tensor: Any) -> str:
    coordinates, values = tensor.to_coo()
    shown = range(min(_ENTRIES, values.size))
    cells = [(", ".join(map(str, coordinates[:, n].tolist())), str(values[n])) for n in shown]
    rows = "".join(f"<tr><td>({coordinate})</td><td>{escape(value)}</td></tr>" for coordinate, value in cells)
    rest = "" if values.size <= _ENTRIES else f"<p>and {values.size - _ENTRIES} more</p>"
    return f"<table><tr><th>coordinates</th><th>value</th></tr>{rows}</table>{rest}"
