"""`sort-operands`: operands without order are asked for as sorted lists, where they would be refused as they are."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from irtensor.core.diagnostics import UserError, collect_remarks, remark
from irtensor.core.wide_formats import for_all_sizes
from irtensor.dialects.concrete_index.concrete_index import AccessOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import copy_of
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.concrete_index.lower_concrete_index_to_iteration_lattice import (
    LowerConcreteIndexToIterationLatticePass,
)
from irtensor.passes.concrete_index.support.operand_formats import supporting_access
from irtensor.passes.iteration_lattice.lower_looplets import LowerLoopletsPass
from irtensor.passes.repairs.insert_conversions import convert_argument, converted_argument, reads_of
from irtensor.passes.support.pass_base import TensorPass, structured_functions
from irtensor.passes.support.unordered_error import UnorderedError


class SortOperandsPass(TensorPass):
    """Ask for operands as lists in order, where those without order would be merged, searched or appended.

    Before: `func @f(%a: tensor<?xf64, #unsorted>, %b: tensor<?xf64, #list>)` multiplying %a[%i] and %b[%i]
    After:  `func @f(%a: tensor<?xf64, #list> {storage.converts = 0 : index}, %b: tensor<?xf64, #list>)`
    A list that is walked alone, into a result that is written in any order, stays as it is. Where order is needed is
    known to the looplet rewrites, and nobody else: they run on a copy of the function, and what they refuse is mended.
    Other refusals are left to them. The order of levels stays, so that this can come after all that orders loops.
    """

    name = "sort-operands"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "the order of the loops decides where entries have to be in order",
        "concordize": "the accesses decide where entries have to be in order",
    }
    needs = "conversions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            while _has_unordered(function) and (refused := _refusal(ctx, function)) is not None:
                _sort(function, *refused)


def _is_unordered(argument: BlockArgument) -> bool:
    type = argument.type
    return isinstance(type, TensorType) and format_of(type).listed != format_of(type)


def _has_unordered(function: FuncOp) -> bool:
    return any(_is_unordered(argument) for argument in function.body.block.args)


def _refusal(ctx: Context, function: FuncOp) -> tuple[int, UnorderedError] | None:
    """The number of an unordered argument that the function is refused for, with the error; None if it is not."""
    copy = copy_of(function)
    module = ModuleOp([copy])
    with collect_remarks():
        try:
            LowerConcreteIndexToIterationLatticePass().apply(ctx, module)
            LowerLoopletsPass().apply(ctx, module)
        except UnorderedError as error:
            tensor = error.tensor
            if isinstance(tensor, BlockArgument) and tensor.owner is copy.body.block and _is_unordered(tensor):
                argument = function.body.block.args[tensor.index]
                return (tensor.index, error) if reads_of(argument) else None
        except UserError:
            pass
    return None


def _sort(function: FuncOp, number: int, error: UnorderedError) -> None:
    argument = function.body.block.args[number]
    before = format_of(argument.type)
    name, sites = name_of(argument), [use.operation for use in reads_of(argument)]
    asked = {site: supporting_access(before.listed, site) for site in sites if isinstance(site, AccessOp)}
    formats = list(dict.fromkeys(asked.values())) or [before.listed]
    if len(formats) == 1:
        convert_argument(function, argument, formats[0])
    else:
        # Accesses that are to read it in different ways have one each.
        for access, format in asked.items():
            access.operands[0] = converted_argument(function, access, format)
    text = " and ".join(str(for_all_sizes(format)) for format in formats)
    remark(
        f"'{name}', stored {before}, is converted to {text}: it {error.need}",
        sites[0],
        by="sort-operands",
        about=[name],
    )
