"""The text of a sum with integer factors, as indices of statements and of `index_notation` are."""

from __future__ import annotations

from collections.abc import Iterable


def sum_text(terms: Iterable[tuple[str, int]], offset: int, divisor: int) -> str:
    """`(2 * i - k + 1) // divisor`, for the texts of terms and their factors; the offset stands last, unless it is 0.

    >>> sum_text([("i", 2), ("k", -1)], 1, 3)
    '(2 * i - k + 1) // 3'
    """
    parts = [(factor < 0, text if abs(factor) == 1 else f"{abs(factor)} * {text}") for text, factor in terms]
    if offset or not parts:
        parts.append((offset < 0, str(abs(offset))))
    text = "".join(f" {'-' if is_negative else '+'} {part}" for is_negative, part in parts)
    text = f"-{text[3:]}" if text.startswith(" -") else text[3:]
    if divisor == 1:
        return text
    return f"({text}) // {divisor}" if len(parts) > 1 else f"{text} // {divisor}"
