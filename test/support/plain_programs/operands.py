"""Operands: their elements, what they store, and the Python code that makes them."""

import random
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from .meaning import Elements
from .storage import draw_format, pads, stores_everything, stores_parts

# Short dyadic fractions, of which sums and products are exact.
VALUES = {
    "f": (1.0, 2.0, -1.0, 0.5, -0.5, 1.5, 3.0, -2.0, 0.25),
    "i": (1, 2, -1, 3, -2, 4, 5),
    "u": (1, 2, 3, 4, 5),
    "b": (True,),
    "c": (1.0, 2.0, 1j, -1j, 1 + 1j, 0.5 - 1j, -1.0),
}
FILLS = {"f": (1.0, -1.0, 0.5, np.inf, -np.inf, 2.0), "i": (1, -1, 3), "b": (True,), "c": (1.0,), "u": (1,)}
SPECIAL = (np.nan, np.inf, -np.inf)


@dataclass(frozen=True)
class Operand:
    values: np.ndarray  # all elements
    stored: np.ndarray  # which elements are given as entries
    door: str  # numpy, fortran, strided, from_numpy, from_coo, keep, or a class of SciPy's
    format: str | None = None
    fill: Any = 0

    @property
    def is_dense(self) -> bool:
        return self.door in ("numpy", "fortran", "strided")

    def elements(self) -> Elements:
        if self.is_dense or stores_everything(self.format):
            return Elements(self.values, None)
        # Blocks and diagonals do not tell an entry that is equal to the fill value from what is stored beside entries.
        given = np.zeros_like(self.stored) if pads(self.format) else self.stored
        return Elements(self.values, ~given & (self.values == self.fill))

    def source(self, name: str) -> str:
        """Code that makes the operand, under its name."""
        dtype, values = self.values.dtype, self.values
        whole = array_text(values)
        match self.door:
            case "numpy":
                return f"{name} = {whole}"
            case "fortran":
                return f"{name} = np.asfortranarray({whole})"
            case "strided":
                return f"{name} = np.repeat({whole}, 2, axis=-1)[..., ::2]"
            case "from_numpy":
                return f"{name} = it.Tensor.from_numpy({whole}, {self.format!r})"
            case "from_coo" | "keep":
                return f"{name} = {self._from_coo(dtype)}"
            case _:
                return f"{name} = sp.{self.door}({whole})"

    def _from_coo(self, dtype: np.dtype[Any]) -> str:
        places = np.argwhere(self.stored)
        order = random.Random(len(places)).sample(range(len(places)), len(places))
        places = places[order]
        values = self.values[tuple(places.T)] if len(places) else np.zeros(0, dtype)
        more = ""
        if self.door == "keep":  # every element in two parts
            places = np.concatenate([places, places])
            values = np.concatenate([values - 1, np.ones_like(values)])
            more = ', duplicates="keep"'
        coordinates = [list(map(int, row)) for row in places.T]
        text = f"np.array({coordinates}, int).reshape({self.values.ndim}, {len(places)})"
        return (
            f"it.Tensor.from_coo({text}, {array_text(values)}, shape={self.values.shape}, format={self.format!r}{more})"
        )


def array_text(values: np.ndarray) -> str:
    text = re.sub("(nan|inf)(j?)", lambda found: f"np.{found[1]}{found[2] and ' * 1j'}", repr(values.tolist()))
    reshape = f".reshape({values.shape})" if 0 in values.shape else ""
    return f"np.array({text}, {values.dtype.name!r}){reshape}"


def draw_operand(
    rng: random.Random, dtype: str, shape: tuple[int, ...], special: str, divisor: bool, some_dense: float = 0.3
) -> Operand:
    """An operand of a shape; `special` says where NaN and infinity may be: nowhere, dense or everywhere.

    A divisor has no zeros.
    """
    kind = np.dtype(dtype).kind
    dense = dtype == "uint8" or not shape or divisor or rng.random() < some_dense
    values, stored = draw_elements(rng, dtype, shape, 1.0 if divisor else rng.choice((0.0, 0.2, 0.4, 0.4, 0.6, 1.0)))
    if (
        kind == "f"
        and values.size
        and special != "nowhere"
        and (dense or special == "everywhere")
        and rng.random() < 0.3
    ):
        where = tuple(rng.randrange(extent) for extent in shape)
        values[where], stored[where] = rng.choice(SPECIAL), True
    if dense:
        return Operand(values, stored, rng.choice(("numpy", "numpy", "fortran", "strided") if shape else ("numpy",)))
    if len(shape) == 2 and rng.random() < 0.25 and 0 not in shape:
        door = rng.choice(("csr_array", "csc_array", "coo_array", "bsr_array", "dia_array", "lil_array", "dok_array"))
        return Operand(values, values != 0, door)
    options, fill = [], np.dtype(dtype).type(0)
    if rng.random() < 0.15:
        fill = np.dtype(dtype).type(rng.choice(FILLS[kind][: 6 if special == "everywhere" else 3]))
        values = np.where(stored, values, fill)
        options = [f"fill = {str(fill.real if kind == 'c' else fill).lower()}"]
    text = draw_format(rng, len(shape), options)
    if options and "fill" not in text:
        values = np.where(stored, values, 0).astype(dtype)
        fill = np.dtype(dtype).type(0)
    if rng.random() < 0.2:
        return Operand(values, values != fill, "from_numpy", text, fill)
    if kind == "f" and not options and stores_parts(text) and rng.random() < 0.5:
        return Operand(values, stored, "keep", text, fill)
    if rng.random() < 0.1:  # some entries are stored though they are what is not stored anyway
        stored = stored | draw_elements(rng, "bool", shape, 0.3)[1]
    return Operand(values, stored, "from_coo", text, fill)


def draw_elements(
    rng: random.Random, dtype: str, shape: tuple[int, ...], density: float
) -> tuple[np.ndarray, np.ndarray]:
    """Values and the places that hold them, zero elsewhere."""
    values, stored = np.zeros(shape, dtype), np.zeros(shape, bool)
    choices = VALUES[np.dtype(dtype).kind]
    for place in np.ndindex(shape):
        if rng.random() < density:
            values[place], stored[place] = rng.choice(choices), True
    return values, stored
