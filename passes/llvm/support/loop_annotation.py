"""Hints of a loop as the attribute that MLIR has for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, i1, i64
from xdsl.ir import Attribute

from irtensor.dialects.llvm.llvm_loop_hints import (
    PARALLEL_ACCESSES,
    AccessGroupAttr,
    LoopAnnotationAttr,
    LoopInterleaveAttr,
    LoopUnrollAttr,
    LoopVectorizeAttr,
)

_TRUE = IntegerAttr(1, i1)


def loop_annotation(
    attributes: Mapping[str, Attribute], groups: ArrayAttr[AccessGroupAttr] | None = None
) -> LoopAnnotationAttr | None:
    """What the attributes of a loop say about how it is compiled, or None if they say nothing; with the group of the
    accesses in it that are independent.

    A hint without a count says nothing either: it would become a demand, and LLVM warns about each that it cannot meet.
    """
    if not attributes:
        return None
    asked = [attributes.get(name) for name in ("vectorize", "mask", "interleave", "unroll")]
    counts = [hint.value.data if isinstance(hint, IntegerAttr) else None for hint in asked]
    if all(count is None for count in counts):
        return None
    hints = _annotation(*counts)
    if groups is None:
        return hints
    return LoopAnnotationAttr(DictionaryAttr({**hints.parts.data, PARALLEL_ACCESSES: groups.data[0]}))


@cache
def _annotation(
    vectorize: int | None, mask: int | None, interleave: int | None, unroll: int | None
) -> LoopAnnotationAttr:
    """The attribute of some counts; with one lane, no vectors are wanted, with one iteration nothing is unrolled."""
    parts: dict[str, Attribute] = {}
    if unroll is not None and unroll > 1:
        parts["unroll"] = LoopUnrollAttr.of(count=IntegerAttr(unroll, i64))
    elif unroll is not None:
        parts["unroll"] = LoopUnrollAttr.of(disable=_TRUE)
    if mask is not None:
        width = {"width": IntegerAttr(mask, i64)} if mask else {}
        parts["vectorize"] = LoopVectorizeAttr.of(predicateEnable=_TRUE, **width)
    elif vectorize is not None and vectorize > 1:
        parts["vectorize"] = LoopVectorizeAttr.of(width=IntegerAttr(vectorize, i64))
    elif vectorize is not None:
        parts["vectorize"] = LoopVectorizeAttr.of(disable=_TRUE)
    if interleave is not None:
        parts["interleave"] = LoopInterleaveAttr.of(count=IntegerAttr(interleave, i64))
    return LoopAnnotationAttr(DictionaryAttr(parts))
