"""`compile_module`: a function of index_notation or concrete_index IR to a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from irtensor.late_imports import load_for

if TYPE_CHECKING:
    load_for("modules")
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
    """A kernel for a function of IR, a text such as `irtensor-opt` reads: index_notation or concrete_index.

    The function takes tensors and numbers, and returns one or more tensors. A kernel of several results gives a
    tuple, and what is defined first may be read by what follows. Argument types state dtypes, formats, and extents
    that are no '?'. Operands are converted to the formats. Coordinates that concrete_index computes are checked at
    each call.

    - `file`: what errors call the text.
    - `function`: the name of the function, where the text has several.
    - `schedule`: rearranges the loops of index_notation. "auto" takes, for each tensor that is defined, the program
      that is expected to be the least work on the operands of a call.
    - `convert`, `tune`, `options`: as of `compile`.

    Raises UserError, located in `file`.

    >>> kernel = it.compile_module(
    ...     "func.func @twice(%x: tensor<?xf64>) -> tensor<?xf64> {"
    ...     "  %y = index_notation.assign (%i) : tensor<?xf64> {"
    ...     "    %a = index_notation.access %x[%i] : tensor<?xf64>"
    ...     "    %b = algebra.apply add(%a, %a) : (f64, f64) -> f64"
    ...     "    index_notation.yield %b : f64"
    ...     "  }"
    ...     "  func.return %y : tensor<?xf64>"
    ...     "}"
    ... )
    >>> kernel(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    load_for("modules")
    from irtensor.compiler.module_kernel import ModuleKernel
    from irtensor.compiler.module_request import ModuleRequest
    from irtensor.frontend.arguments import as_flag, as_text
    from irtensor.options import check_names, current_options
    from irtensor.schedule import as_schedule, as_tuning

    check_names(options, compile_module.__kwdefaults__ or ())
    as_text("the module", text, help="decode bytes, or read the file")
    settings = current_options(**options)
    tuning = as_tuning(tune, schedule)
    request = ModuleRequest.read(
        text, file, function, as_flag("convert=", convert), as_schedule(None if tune else schedule), tune is not None
    )
    return ModuleKernel(request, settings, tuning)
