"""`compile_module`: a function of index_notation or concrete_index IR to a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from irtensor.late_imports import load_for
from irtensor.memory_cache import MemoryCache

if TYPE_CHECKING:
    load_for("modules")
    from irtensor.api.schedule import Schedule
    from irtensor.compiler.kernel.module_kernel import ModuleKernel

# Kernels that are given to nobody, by text and options: callers get others that share their code.
_kernels: MemoryCache[Any, ModuleKernel] = MemoryCache(entry_bytes=131072)


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
    tuple, and a later definition may read an earlier one. Argument types state dtypes, formats, and extents
    other than '?'. Operands are converted to the formats. Coordinates that concrete_index computes are checked at
    each call.

    - `file`: what errors call the text.
    - `function`: the name of the function, where the text has several.
    - `schedule`: rearranges the loops of index_notation. "auto" takes, for each tensor that is defined, the program
      that is expected to be the least work on the operands of a call.
    - `convert`, `tune`, `options`: as of `compile`.

    Another call with the same arguments is quick, and its kernel has the same code. Raises UserError, located in
    `file`.

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
    from irtensor.api.schedule import as_schedule, as_tuning
    from irtensor.compiler.compilation.module_request import ModuleRequest
    from irtensor.compiler.kernel.module_kernel import ModuleKernel
    from irtensor.frontend.arguments import as_flag, as_text
    from irtensor.options import check_names, current_options

    check_names(options, compile_module.__kwdefaults__ or ())
    as_text("the module", text, help="decode bytes, or read the file")
    settings = current_options(**options)
    choices = (text, file, function, convert, schedule, tune)
    key = (*choices, *map(type, choices), settings)
    try:
        known = _kernels[key]
    except TypeError:
        # What has no hash is not remembered, right or wrong.
        key = known = None
    if known is not None:
        known.warn()
        return known.again()
    tuning = as_tuning(tune, schedule)
    request = ModuleRequest.read(
        text, file, function, as_flag("convert=", convert), as_schedule(None if tune else schedule), tune is not None
    )
    kernel = ModuleKernel(request, settings, tuning)
    if key is not None:
        _kernels[key] = kernel.again()
    return kernel
