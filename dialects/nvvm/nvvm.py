"""The `nvvm` dialect: what a kernel for a GPU of NVIDIA asks and does beside the `llvm` dialect, in MLIR's spelling.

It has the operations that irtensor emits and no others. The lanes of a warp that an operation is for are a mask of 32
bits, and each of them has to reach the operation.

Attributes of an `llvm.func`: `nvvm.kernel` makes it a function that the host launches, `nvvm.maxntid = array<i32: 128>`
says how many threads a block has at most, and `nvvm.minctasm = 2 : i32` how many blocks are to fit on a multiprocessor.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Self

from xdsl.dialects.builtin import IntegerType, f32, i1, i32, i64
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Data, Dialect, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.llvm.llvm_extra import ConstantRangeAttr
from irtensor.dialects.support.define_operation import define_operation

_LANES_AND_WHETHER = LLVMStructType.from_type_list([i32, i1])


class _Word(Data[str], SpacedOpaqueSyntaxAttribute):
    """One of some words."""

    words: ClassVar[tuple[str, ...]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        position = parser.pos
        word = parser.parse_identifier()
        if word not in cls.words:
            parser.raise_error(f"expected {', '.join(cls.words)}, got '{word}'", position)
        return word

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data)

    @classmethod
    def of(cls, word: str) -> Self:
        """The attribute of a word."""
        return cls.new(word)


@irdl_attr_definition
class ShuffleKindAttr(_Word):
    """From which lane a shuffle takes its value: an exclusive or with its number, or so far up, down or in the warp."""

    name = "nvvm.shfl_kind"
    words = ("bfly", "up", "down", "idx")


@irdl_attr_definition
class VoteKindAttr(_Word):
    """The question about a condition of lanes: for any, for all, a bit for each, or whether all agree."""

    name = "nvvm.vote_sync_kind"
    words = ("any", "all", "ballot", "uni")


@irdl_attr_definition
class ReductionKindAttr(_Word):
    """How integers of lanes are combined."""

    name = "nvvm.reduction_kind"
    words = ("add", "and", "max", "min", "or", "umax", "umin", "xor")


@irdl_attr_definition
class MatchKindAttr(_Word):
    """Whether lanes with the same value as this one are asked for, or whether all have the same."""

    name = "nvvm.match_sync_kind"
    words = ("any", "all")


class SpecialRegisterOp(IRDLOperation, ABC):
    """A number that the processor knows; `range` says between which numbers it is, the second one excluded."""

    range = opt_prop_def(ConstantRangeAttr)
    res = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = "(`range` $range^)? attr-dict `:` type($res)"

    def verify_(self) -> None:
        if self.range is not None and self.range.range_type != i32:
            raise VerifyException(f"the range of a register is of i32, not of {self.range.range_type}")


@define_operation
class ThreadIdOp(SpecialRegisterOp):
    """The number of the thread in its block."""

    name = "nvvm.read.ptx.sreg.tid.x"


@define_operation
class BlockSizeOp(SpecialRegisterOp):
    """How many threads the block has."""

    name = "nvvm.read.ptx.sreg.ntid.x"


@define_operation
class BlockIdOp(SpecialRegisterOp):
    """The number of the block in its grid."""

    name = "nvvm.read.ptx.sreg.ctaid.x"


@define_operation
class GridSizeOp(SpecialRegisterOp):
    """How many blocks the grid has."""

    name = "nvvm.read.ptx.sreg.nctaid.x"


@define_operation
class LaneIdOp(SpecialRegisterOp):
    """The number of the thread in its warp."""

    name = "nvvm.read.ptx.sreg.laneid"


@define_operation
class BlockBarrierOp(IRDLOperation):
    """Wait for all threads of the block, and see what they wrote."""

    name = "nvvm.barrier0"
    assembly_format = "attr-dict"


@define_operation
class WarpBarrierOp(IRDLOperation):
    """Wait for some lanes of the warp, and see what they wrote."""

    name = "nvvm.bar.warp.sync"
    mask = operand_def(i32)
    assembly_format = "$mask attr-dict `:` type($mask)"


def _need(value: str, type: Attribute, *allowed: Attribute) -> None:
    """Raise VerifyException unless a value has one of some types."""
    if type not in allowed:
        raise VerifyException(f"the {value} has type {' or '.join(map(str, allowed))}, not {type}")


@define_operation
class ShuffleOp(IRDLOperation):
    """The value of another lane. `offset` says which one, `mask_and_clamp` how far it may be.

    Values of 64 bits are shuffled in two halves.
    """

    name = "nvvm.shfl.sync"
    thread_mask = operand_def(i32)
    val = operand_def()
    offset = operand_def(i32)
    mask_and_clamp = operand_def(i32)
    kind = prop_def(ShuffleKindAttr)
    res = result_def()
    assembly_format = (
        "$kind $thread_mask `,` $val `,` $offset `,` $mask_and_clamp attr-dict `:` type($val) `->` type($res)"
    )

    def verify_(self) -> None:
        _need("value of a shuffle", self.val.type, i32, f32)
        _need("result of this shuffle", self.res.type, self.val.type)


@define_operation
class VoteOp(IRDLOperation):
    """What lanes say about a condition: `any`, `all` and `uni` are one bit, `ballot` has a bit for each lane."""

    name = "nvvm.vote.sync"
    mask = operand_def(i32)
    pred = operand_def(i1)
    kind = prop_def(VoteKindAttr)
    res = result_def(IntegerType)
    assembly_format = "$kind $mask `,` $pred attr-dict `->` type($res)"

    def verify_(self) -> None:
        _need(f"result of vote '{self.kind.data}'", self.res.type, i32 if self.kind.data == "ballot" else i1)


@define_operation
class ReduceLanesOp(IRDLOperation):
    """The integers of some lanes combined, which all of them get. Processors before sm_80 do not have it."""

    name = "nvvm.redux.sync"
    val = operand_def(i32)
    mask_and_clamp = operand_def(i32)
    kind = prop_def(ReductionKindAttr)
    res = result_def(i32)
    assembly_format = "$kind $val `,` $mask_and_clamp attr-dict `:` type($val) `->` type($res)"


@define_operation
class MatchLanesOp(IRDLOperation):
    """Which lanes have the same value as this one. `all` gives these only if it is all lanes, and whether it is so."""

    name = "nvvm.match.sync"
    thread_mask = operand_def(i32)
    val = operand_def(IntegerType)
    kind = prop_def(MatchKindAttr)
    res = result_def()
    assembly_format = "$kind $thread_mask `,` $val attr-dict `:` type($val) `->` type($res)"

    def verify_(self) -> None:
        _need("value to match", self.val.type, i32, i64)
        expected = _LANES_AND_WHETHER if self.kind.data == "all" else i32
        _need(f"result of match '{self.kind.data}'", self.res.type, expected)


NVVM = Dialect(
    "nvvm",
    [
        ThreadIdOp,
        BlockSizeOp,
        BlockIdOp,
        GridSizeOp,
        LaneIdOp,
        BlockBarrierOp,
        WarpBarrierOp,
        ShuffleOp,
        VoteOp,
        ReduceLanesOp,
        MatchLanesOp,
    ],
    [ShuffleKindAttr, VoteKindAttr, ReductionKindAttr, MatchKindAttr],
)
