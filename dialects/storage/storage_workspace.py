"""Ops of the `storage` dialect on workspaces: tensors of a kernel's own, written in any order, then read.

Source: Kjolstad 2020, section 5.4; Kjolstad et al. 2019 (workspaces), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence

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


def _verify_inserted_level(tensor: SSAValue, level: int) -> None:
    format = format_of(tensor.type)
    if level >= len(format.levels):
        raise VerifyException(f"the tensor has {len(format.levels)} levels, so no level {level}")
    if format.levels[level].format.workspace != "set":
        raise VerifyException(f"level {level} ({format.level_text(level)}) does not keep a set of its entries")


@define_operation
class IndexSetOp(IRDLOperation):
    """The set of positions that are stored in a level of a workspace. Rule: the level records them."""

    name = "storage.index_set"
    tensor = operand_def(TensorType)
    level = prop_def(IntegerAttr)
    result = result_def(_set)
    traits = traits_def(Pure())
    assembly_format = "custom<Number>($level) `of` $tensor `:` type($tensor) attr-dict"
    custom_directives = (Number,)

    @staticmethod
    def of(tensor: SSAValue, level: int) -> IndexSetOp:
        properties = {"level": number_attribute(level)}
        return create_operation(IndexSetOp, (tensor,), (_set,), properties)

    def verify_(self) -> None:
        _verify_inserted_level(self.tensor, self.level.value.data)


@define_operation
class StoredOp(IRDLOperation):
    """How many entries a level of a finalized workspace stores. Rule: the level records them."""

    name = "storage.stored"
    tensor = operand_def(TensorType)
    level = prop_def(IntegerAttr)
    result = result_def(_index)
    assembly_format = "custom<Number>($level) `of` $tensor `:` type($tensor) attr-dict"
    custom_directives = (Number,)

    @staticmethod
    def of(tensor: SSAValue, level: int) -> StoredOp:
        properties = {"level": number_attribute(level)}
        return create_operation(StoredOp, (tensor,), (_index,), properties)

    def verify_(self) -> None:
        _verify_inserted_level(self.tensor, self.level.value.data)


@define_operation
class IndexMapOp(IRDLOperation):
    """The map from (parent position, coordinate) to positions of a level of a workspace. Rule: the level has one."""

    name = "storage.index_map"
    tensor = operand_def(TensorType)
    level = prop_def(IntegerAttr)
    result = result_def(_map)
    traits = traits_def(Pure())
    assembly_format = "custom<Number>($level) `of` $tensor `:` type($tensor) attr-dict"
    custom_directives = (Number,)

    @staticmethod
    def of(tensor: SSAValue, level: int) -> IndexMapOp:
        properties = {"level": number_attribute(level)}
        return create_operation(IndexMapOp, (tensor,), (_map,), properties)

    def verify_(self) -> None:
        format, level = format_of(self.tensor.type), self.level.value.data
        if level >= len(format.levels):
            raise VerifyException(f"the tensor has {len(format.levels)} levels, so no level {level}")
        if format.levels[level].format.workspace != "map":
            raise VerifyException(f"level {level} ({format.level_text(level)}) does not map coordinates to positions")
