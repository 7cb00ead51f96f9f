"""Ops of the `storage` dialect on workspaces: tensors of a kernel's own, written in any order, then read.

Source: Kjolstad 2020, section 5.4; Kjolstad et al. 2019 (workspaces), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import HasParent, Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.core.argument_layout import array_width
from irtensor.dialects.loop.loop_maps import IndexMapType
from irtensor.dialects.loop.loop_sets import IndexSetType
from irtensor.dialects.storage.storage_types import (
    FiberType,
    fiber_type,
    format_of,
    number_attribute,
    verify_tensor,
    verify_written,
)
from irtensor.dialects.support.assembly import Number
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

_index, _set, _map = IndexType(), IndexSetType(), IndexMapType()


# Attribute of workspaces with maps: the names of the indices that their levels are over.
INDICES = "indices"


@define_operation
class WorkspaceOp(IRDLOperation):
    """Memory for a temporary tensor, from its extents; one per kernel, used again each time it is initialised.

    Rules: one extent per dimension; each level can be written in any order.
    """

    name = "storage.workspace"
    extents = var_operand_def(_index)
    result = result_def(TensorType)
    # Beside loops and branches, so that there is one per call.
    traits = traits_def(HasParent(FuncOp))
    assembly_format = "`(` $extents `)` `:` type($result) attr-dict"

    @staticmethod
    def of(extents: Sequence[SSAValue], tensor: Attribute) -> WorkspaceOp:
        return create_operation(WorkspaceOp, extents, (tensor,))

    def verify_(self) -> None:
        assert isinstance(self.result.type, TensorType)
        verify_tensor(self.result.type)
        rank = len(self.result.type.shape)
        if len(self.extents) != rank:
            raise VerifyException(f"the workspace has {rank} dimensions, but {len(self.extents)} extents are given")
        format = format_of(self.result.type)
        for number, level in enumerate(format.levels):
            for array in level.format.properties.arrays:
                width = array_width(format, number, array)
                if width not in (None, 64):
                    raise VerifyException(f"what a workspace stores is listed as i64, not i{width}")
            if not level.format.access.inserts:
                raise VerifyException(f"level {number} ({format.level_text(number)}) is not written in any order")
        verify_written(self.result.type)


class _FiberOfWorkspaceOp(IRDLOperation):
    """Gives the fiber of a whole workspace."""

    tensor = operand_def(TensorType)
    fiber = result_def(FiberType)
    assembly_format = "$tensor `:` type($tensor) `->` type($fiber) attr-dict"

    @classmethod
    def of(cls, tensor: SSAValue):  # pyright infers the class that is made
        return create_operation(cls, (tensor,), (fiber_type(tensor.type, 0),))

    def verify_(self) -> None:
        if self.fiber.type != fiber_type(self.tensor.type, 0):
            raise VerifyException("the root fiber has the tensor's type and level 0")


@define_operation
class InitializeOp(_FiberOfWorkspaceOp):
    """Empty a workspace: from here on every component reads as the fill value; gives the fiber to write to."""

    name = "storage.initialize"


@define_operation
class FinalizeOp(_FiberOfWorkspaceOp):
    """End the writing of a workspace; gives the fiber to read, whose levels are traversed in order."""

    name = "storage.finalize"


_RECORDS = ("set", "keep a set of its entries")


class _OfLevelOp(IRDLOperation):
    """Gives something of a level of a workspace."""

    GIVEN: ClassVar[Attribute]
    # What the level has to have, and how a verifier says that it does not.
    NEEDS: ClassVar[tuple[str, str]]
    tensor = operand_def(TensorType)
    level = prop_def(IntegerAttr)
    assembly_format = "custom<Number>($level) `of` $tensor `:` type($tensor) attr-dict"
    custom_directives = (Number,)

    @classmethod
    def of(cls, tensor: SSAValue, level: int):  # pyright infers the class that is made
        return create_operation(cls, (tensor,), (cls.GIVEN,), {"level": number_attribute(level)})

    def verify_(self) -> None:
        format, level = format_of(self.tensor.type), self.level.value.data
        if level >= len(format.levels):
            raise VerifyException(f"the tensor has {len(format.levels)} levels, so no level {level}")
        needed, text = self.NEEDS
        if format.levels[level].format.workspace != needed:
            raise VerifyException(f"level {level} ({format.level_text(level)}) does not {text}")


@define_operation
class IndexSetOp(_OfLevelOp):
    """The set of positions that are stored in a level of a workspace. Rule: the level records them."""

    name = "storage.index_set"
    GIVEN: ClassVar[Attribute] = _set
    NEEDS: ClassVar[tuple[str, str]] = _RECORDS
    result = result_def(_set)
    traits = traits_def(Pure())


@define_operation
class StoredOp(_OfLevelOp):
    """How many entries a level of a finalized workspace stores. Rule: the level records them."""

    name = "storage.stored"
    GIVEN: ClassVar[Attribute] = _index
    NEEDS: ClassVar[tuple[str, str]] = _RECORDS
    result = result_def(_index)


@define_operation
class IndexMapOp(_OfLevelOp):
    """The map from (parent position, coordinate) to positions of a level of a workspace. Rule: the level has one."""

    name = "storage.index_map"
    GIVEN: ClassVar[Attribute] = _map
    NEEDS: ClassVar[tuple[str, str]] = ("map", "map coordinates to positions")
    result = result_def(_map)
    traits = traits_def(Pure())
