"""Modules that are imported when they are first needed, all at once and under one lock.

Modules import each other. Of two threads that import them in different orders, each would wait for a module that the
other one has begun, and Python then shows one of them half of it. So what compiling needs is there before the first
kernel is compiled. A fork waits for the lock, and for what else other threads import: see irtensor/__init__.py.
"""

from __future__ import annotations

from contextlib import nullcontext
from importlib import import_module
from typing import Literal

from irtensor import _lock as lock
from irtensor.collector_paused import collector_paused, keep_what_is_there
from irtensor.late_dataclasses import methods_compiled_late
from irtensor.late_formats import formats_read_late

Group = Literal[
    "calls",
    "einsum",
    "tensors",
    "expressions",
    "compiling",
    "searching",
    "contracting",
    "duplicates",
    "explaining",
    "steps",
    "gpus",
    "cards",
    "large results",
    "loops",
    "modules",
    "pages",
    "progress",
    "pydata",
    "schedules",
    "suggestions",
    "tuning",
    "versions",
]
_MODULES: dict[Group, tuple[str, ...]] = {
    # Calls of kernels.
    "calls": (
        "irtensor.compiler.compilation.warn_user",
        "irtensor.runtime.cpu_engine",
        "irtensor.runtime.interruption_code",
        "irtensor.runtime.thread_pool",
        "irtensor.runtime.thread_pool_code",
        "llvmlite",
    ),
    # Calls of einsum that BLAS computes.
    "einsum": (
        "irtensor.compiler.kernel.dense_product",
        "irtensor.frontend.einsum.contraction_order",
        "irtensor.frontend.einsum.einsum_plan",
    ),
    # Operands and results that are sparse.
    "tensors": (
        "irtensor.tensors.tensor",
        "irtensor.tensors.wide_results",
        "irtensor.tensors.tensor_dimensions",
        "irtensor.tensors.tensor_reductions",
        "irtensor.compiler.kernel.allocate_results",
        "irtensor.compiler.kernel.statement_by_size",
        "irtensor.interop.scipy_sparse",
    ),
    # Expressions of index variables, and operators and functions of Tensors.
    "expressions": (
        "irtensor.tensors.array_functions",
        "irtensor.tensors.joining",
        "irtensor.tensors.pruned",
        "irtensor.tensors.selected",
        "irtensor.api.expression",
        "irtensor.frontend.expression_functions",
        "irtensor.frontend.operator_signatures",
        "irtensor.frontend.promotion",
        "irtensor.frontend.result_fill",
        "irtensor.interop.numpy_ufuncs",
    ),
    # Kernels that no cache has.
    "compiling": (
        "irtensor.compiler.compilation.entries_of_parts",
        "irtensor.compiler.compilation.joined_request",
        "irtensor.compiler.compilation.lower_request",
        "irtensor.compiler.compilation.read_signature",
        "irtensor.frontend.build_index_notation",
        "irtensor.frontend.parts.empty_sums",
        "irtensor.passes.autoschedule.plan_comparison",
        "irtensor.passes.autoschedule.statements",
        "irtensor.passes.autoschedule.write_program",
        "irtensor.passes.verify_dominance",
        "irtensor.planning.default_planner",
        "irtensor.planning.planner",
        "irtensor.planning.search_programs",
        "irtensor.runtime.emit_llvm",
        "irtensor.runtime.gather_speed",
        "llvmlite.binding",
        "tempfile",
        "xdsl.dialects.vector",
        "xdsl.irdl.declarative_assembly_format_parser",
    ),
    # Schedules that are chosen by the sizes of operands, or by time.
    "searching": (
        "irtensor.planning.candidates",
        "irtensor.planning.measure_programs",
    ),
    # The order of the steps of an einsum.
    "contracting": ("opt_einsum",),
    # Entries that are stored several times, and are combined.
    "duplicates": ("irtensor.api.compile", "irtensor.semirings"),
    "explaining": (
        "irtensor.compiler.explain.explain",
        "irtensor.compiler.compilation.stage_ir",
        "irtensor.frontend.parts.choice_text",
        "irtensor.planning.ratings_text",
    ),
    # Schedules. The passes that are their steps are a package.
    "steps": (),
    # Kernels for GPUs.
    "gpus": (
        "irtensor.compiler.explain.units",
        "irtensor.compiler.device.read_lane_iterations",
        "irtensor.runtime.device_text",
        "irtensor.runtime.emit_nvvm",
        "irtensor.runtime.emit_ptx",
        "irtensor.runtime.emulated_lanes_code",
        "irtensor.runtime.emulated_threads",
        "irtensor.runtime.emulated_threads_code",
        "irtensor.runtime.emulator",
        "irtensor.runtime.emulator_code",
        "irtensor.runtime.fiber_code",
        "irtensor.runtime.fiber_stacks",
        "irtensor.runtime.kernel_shapes",
        "irtensor.runtime.libdevice",
        "irtensor.runtime.nvptx_engine",
        "irtensor.runtime.nvptx_targets",
    ),
    # Kernels that run on a card.
    "cards": (
        "irtensor.compiler.device.device_binding",
        "irtensor.compiler.device.device_checks",
        "irtensor.compiler.device.device_kernel",
        "irtensor.cuda",
        "irtensor.cuda_selftest",
        "irtensor.api.device_einsum",
        "irtensor.tensors.device_array",
        "irtensor.tensors.device_evaluation",
        "irtensor.tensors.device_tensor",
        "irtensor.runtime.cuda_launch",
    ),
    # Results of BLAS for which the pool has memory.
    "large results": ("irtensor.compiler.kernel.dense_result",),
    # Code of the runtime that no cache has.
    "loops": (
        "irtensor.runtime.lower_loop_text",
        "llvmlite.binding",
        "tempfile",
        "xdsl.irdl.declarative_assembly_format_parser",
    ),
    # Kernels of IR.
    "modules": (
        "irtensor.compiler.kernel.check_coordinates",
        "irtensor.compiler.kernel.module_kernel",
        "irtensor.compiler.compilation.module_request",
    ),
    # Tensors in notebooks, and names that they do not have.
    "pages": ("irtensor.tensors.missing_names", "irtensor.tensors.tensor_page"),
    "progress": ("rich.console", "rich.progress"),
    "pydata": ("irtensor.interop.pydata_sparse",),
    "schedules": ("irtensor.frontend.notation.schedule_text",),
    "suggestions": ("difflib",),
    # Formats of operands that are chosen by time.
    "tuning": (
        "irtensor.api.einsum_formats",
        "irtensor.compiler.kernel.format_choice",
        "irtensor.frontend.format_rules",
    ),
    "versions": ("importlib.metadata",),
}
# Packages of passes that a group has whole, with all modules.
_PACKAGES: dict[Group, tuple[str, ...]] = {
    "compiling": (
        *("analysis", "cleanup", "concrete_index", "index_notation", "iteration_lattice", "level_formats", "llvm"),
        *("loop", "repairs", "speed", "support", "threads"),
    ),
    "searching": ("autoschedule",),
    "steps": ("schedule",),
    "gpus": ("nvvm",),
}
# Groups that are needed with others.
_WITH: dict[Group, tuple[Group, ...]] = {
    "cards": ("calls", "einsum", "expressions", "tensors"),
    "explaining": ("compiling", "steps"),
    "gpus": ("compiling",),
    "searching": ("compiling", "steps"),
    "steps": ("compiling",),
    "tuning": ("compiling", "tensors"),
}
# Bytes that loading a group takes at most, libraries included.
_ROOM: dict[Group, int] = {"calls": 32 << 20, "tensors": 64 << 20, "loops": 128 << 20, "compiling": 256 << 20}
_done: set[Group] = set()


def load_for(group: Group) -> None:
    """Import the modules needed for something, if that has not been done, so that it imports nothing itself."""
    if group not in _done:
        from irtensor.runtime.room import need_room

        with lock:
            for other in _WITH.get(group, ()):
                load_for(other)
            # Where memory is short, Python says anything while it imports, a SyntaxError even.
            need_room(_ROOM.get(group, 0), "loading the compiler")
            # The first group that has operations is one of these.
            late = group in ("compiling", "loops")
            methods = methods_compiled_late() if late else nullcontext()
            formats = formats_read_late() if late else nullcontext()
            with collector_paused(), methods, formats:
                for name in (*_MODULES[group], *_modules_of(_PACKAGES.get(group, ()))):
                    import_module(name)
                keep_what_is_there()
            _done.add(group)


def _modules_of(packages: tuple[str, ...]) -> list[str]:
    """The names of all modules in packages of passes."""
    if not packages:
        return []
    from pkgutil import iter_modules

    found: list[str] = []
    for name in packages:
        package = import_module(f"irtensor.passes.{name}")
        inside = [*iter_modules(package.__path__)]
        found += [f"{package.__name__}.{module.name}" for module in inside if not module.ispkg]
        if any(module.ispkg and module.name == "support" for module in inside):
            found += _modules_of((f"{name}.support",))
    return found
