"""`compile_module`: a function of index_notation or concrete_index IR to a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from irtensor.compiler.module_kernel import ModuleKernel
    from irtensor.schedule import Schedule


def compile_module(
    text: str,
    file: str = "<module>",
    *,
    function: str | None = None,
    convert: bool = True,
    schedule: Schedule | Literal["auto"] | None = None,
    tune: Literal["operands", "samples"] | None = None,
    **options: Any,
) -> ModuleKernel:
    """A kernel for a function of an .mlir text, such as `irtensor-opt` reads: index_notation or concrete_index.

    The function takes tensors and numbers, and returns one or more tensors; a kernel of several results gives a tuple,
    and what is defined first may be read by what follows. Argument types state dtypes, formats, and extents that are
    no '?'; operands are converted to the formats. Coordinates that concrete_index computes are checked at each call.
    `function` names it where the text has several. A `schedule` rearranges the loops of index_notation; "auto" takes
    the program that is expected to be the least work on the operands of a call, for each tensor that is defined. With
    `tune`, kernels are measured and the fastest schedule is taken, as by `compile`. Options are those of `compile`.
    Raises UserError, located in `file`.
    """
    from irtensor.compiler.module_kernel import ModuleKernel
    from irtensor.compiler.module_request import ModuleRequest
    from irtensor.dialects.diagnostics import UserError
    from irtensor.options import check_names, current_options
    from irtensor.schedule import as_schedule, as_tuning

    check_names(options, compile_module.__kwdefaults__ or ())
    if not isinstance(text, str):
        message = f"the module is a text, not {type(text).__name__}"
        raise UserError("bad-argument", message, help="decode bytes, or read the file")
    settings = current_options(**options)
    tuning = as_tuning(tune, schedule)
    request = ModuleRequest.read(
        text, file, function, bool(convert), as_schedule(None if tune else schedule), tune is not None
    )
    return ModuleKernel(request, settings, tuning)
