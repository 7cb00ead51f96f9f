"""What is imported when it is first needed, all of it at once and under one lock.

A module that one thread has begun to import is locked for others, and Python does not renew such locks after a fork: a
child would wait for ever for a module that another thread of its parent was importing. So a fork waits until nobody
imports here, and what compiling needs is there before the first kernel is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from irtensor import _lock as lock  # pyright: ignore[reportPrivateUsage]

# Calls of kernels.
_CALLING = (
    "irtensor.compiler.warn_user",
    "irtensor.dialects.check_tensor_format",
    "irtensor.runtime.compiled_once",
    "irtensor.runtime.cpu_engine",
    "irtensor.runtime.interruption_code",
    "irtensor.runtime.thread_pool",
    "irtensor.runtime.thread_pool_code",
    "llvmlite",
)
# Calls of einsum.
_EINSUM = (
    "irtensor.frontend.contraction_order",
    "irtensor.frontend.einsum_plan",
)
# Operands and results that are sparse.
_TENSORS = (
    "irtensor.tensor",
    "irtensor.wide_results",
    "irtensor.tensor_dimensions",
    "irtensor.tensor_reductions",
    "irtensor.compiler.allocate_results",
    "irtensor.compiler.choose_schedule",
    "irtensor.compiler.statement_by_size",
    "irtensor.interop.scipy_sparse",
)
# Expressions of index variables, and operators and functions of Tensors.
_EXPRESSIONS = (
    "irtensor.frontend.expression_functions",
    "irtensor.frontend.operator_signatures",
    "irtensor.frontend.promotion",
    "irtensor.frontend.result_fill",
)
# Kernels that no cache has.
_COMPILING = (
    "irtensor.compiler.default_schedule",
    "irtensor.compiler.read_signature",
    "irtensor.frontend.build_index_notation",
    "irtensor.passes.autoschedule.plan_comparison",
    "irtensor.passes.autoschedule.statements",
    "irtensor.passes.autoschedule.write_program",
    "irtensor.passes.balance",
    "irtensor.passes.read_arith",
    "irtensor.passes.verify_dominance",
    "irtensor.runtime.emit_llvm",
    "irtensor.runtime.gather_speed",
    "llvmlite.binding",
    "tempfile",
    "xdsl.dialects.vector",
)
_PACKAGES_FOR_COMPILING = (
    "analysis",
    "concrete_index",
    "index_notation",
    "iteration_lattice",
    "level_formats",
    "llvm",
    "loop",
)
# Schedules that are chosen by the sizes of operands, or by time.
_SEARCHING = (
    "irtensor.compiler.schedule_by_size",
    "irtensor.compiler.tune_schedule",
)
_done: set[Callable[[], None]] = set()


def load_for_calls() -> None:
    """Import what calls of kernels need, so that a call imports nothing."""
    _once(load_for_calls, lambda: _CALLING)


def load_for_einsum() -> None:
    """Import what calls of einsum need besides."""
    _once(load_for_einsum, lambda: _EINSUM)


def load_for_tensors() -> None:
    """Import what sparse operands and results need."""
    _once(load_for_tensors, lambda: _TENSORS)


def load_for_expressions() -> None:
    """Import what expressions of index variables, and operators of Tensors, need."""
    _once(load_for_expressions, lambda: _EXPRESSIONS)


def load_for_compiling() -> None:
    """Import what compiling needs, so that no pass imports anything."""
    _once(load_for_compiling, lambda: (*_COMPILING, *_modules_of(*_PACKAGES_FOR_COMPILING)))


def load_for_searching() -> None:
    """Import what choosing a schedule needs, so that a search imports nothing."""
    _once(load_for_searching, lambda: (*_SEARCHING, *_modules_of("autoschedule")))


def _once(group: Callable[[], None], names: Callable[[], Sequence[str]]) -> None:
    if group not in _done:
        with lock:
            for name in names():
                import_module(name)
            _done.add(group)


def _modules_of(*packages: str) -> list[str]:
    """The names of all modules in packages of passes."""
    from pkgutil import iter_modules

    found: list[str] = []
    for name in packages:
        package = import_module(f"irtensor.passes.{name}")
        found += [module.name for module in iter_modules(package.__path__, f"{package.__name__}.") if not module.ispkg]
    return found
