"""Powers of five, by which numbers of digits and powers of ten are scaled: see llvm/decimal.ll."""

from __future__ import annotations

import numpy as np

_LEAST_POWER, _GREATEST_POWER = -342, 308


def powers_of_five() -> np.ndarray:
    """The first 128 bits of 5^q for each q that a float64 is scaled by, the upper half of each first.

    Those of negative q are rounded up, and all others down.
    """
    words: list[int] = []
    for power in range(_LEAST_POWER, _GREATEST_POWER + 1):
        five = 5 ** abs(power)
        if power >= 0:
            bits = (five << 128) >> five.bit_length()
        else:
            # Of a long reciprocal more bits are computed, and it is rounded up before they are cut off.
            size = (five - 1).bit_length()
            bits = (1 << (size + 127 if power >= -27 else 2 * size + 128)) // five + 1
            bits >>= max(bits.bit_length() - 128, 0)
        words += divmod(bits, 1 << 64)
    return np.array(words, np.uint64)
