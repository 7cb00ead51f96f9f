"""Mathematics on GPUs of NVIDIA: functions of libdevice, which is bitcode that comes with CUDA.

Sine, exponential function and such are its functions `__nv_sin`, `__nv_sinf` and so on. It is looked for only when a
kernel needs one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from irtensor.errors import UserError
from irtensor.late_imports import lock
from irtensor.options import current_options
from irtensor.runtime.disk_cache import DiskCache, cache_key
from irtensor.runtime.llvm_modules import load_llvm, optimize_module
from irtensor.runtime.room import ROOM, need_room

_FILE = "libdevice.10.bc"
_IN_TOOLKIT = Path("nvvm", "libdevice", _FILE)
_IN_TRITON = Path("backends", "nvidia", "lib", _FILE)
# Where the toolkit is installed unless somebody says otherwise.
_TOOLKIT = "/usr/local/cuda"
_HELP = (
    f"{_FILE} comes with the packages nvidia-nvvm, which is found if cuda-pathfinder is installed too, and triton, and "
    "with the CUDA toolkit, which CUDA_HOME names"
)
# What was linked before, by the file and the functions.
_reduced: dict[tuple[Path, tuple[str, ...]], bytes] = {}


def libdevice_path() -> Path | None:
    """The file of libdevice, or None if there is none."""
    return next((path for path in _paths() if path.is_file()), None)


def _paths() -> Iterator[Path]:
    found = _found_by_cuda()
    if found is not None:
        yield Path(found)
    for folder in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), _TOOLKIT):
        if folder:
            yield Path(folder) / _IN_TOOLKIT
    from importlib.util import find_spec

    # The package itself is not loaded.
    triton = find_spec("triton")
    for folder in () if triton is None else triton.submodule_search_locations or ():
        yield Path(folder) / _IN_TRITON


def _found_by_cuda() -> str | None:
    """What NVIDIA's own search finds, which knows the packages of CUDA."""
    try:
        with lock:
            finder = import_module("cuda.pathfinder")
    except ImportError:
        return None
    try:
        return finder.find_bitcode_lib("device")
    except (RuntimeError, OSError):
        return None


def libdevice_bitcode(functions: Sequence[str], triple: str, layout: str) -> bytes:
    """Some functions of libdevice, and what they call, as bitcode for a processor.

    Raises UserError [no-libdevice] if it is not there, or does not have them.
    """
    path = libdevice_path()
    if path is None:
        message = f"'{functions[0]}' is a function of libdevice, which is not installed"
        raise UserError("no-libdevice", message, help=_HELP)
    key = path, tuple(functions)
    if key not in _reduced:
        _reduced[key] = _kept(path, functions, triple, layout)
    return _reduced[key]


def _kept(path: Path, functions: Sequence[str], triple: str, layout: str) -> bytes:
    """The same from the disk cache where there is one: to read all of libdevice takes longer than a kernel does."""
    settings = current_options()
    if not settings.disk_cache:
        return _reduce(path, functions, triple, layout)
    cache = DiskCache(settings.cache_dir)
    state = path.stat()
    structure = "\n".join((str(path), f"{state.st_size} {state.st_mtime_ns}", *functions))
    key = cache_key(structure, f"llvmlite {load_llvm().llvm_version_info} {triple}", cache)
    found = cache.load_as(key, lambda kept: kept.objects[0])
    if found is None:
        found = _reduce(path, functions, triple, layout)
        cache.store(key, (found,))
    return found


@cache
def _library(path: Path) -> Any:
    """All of libdevice, for the rest of the process: to read it takes longer than all else."""
    content = path.read_bytes()
    need_room(ROOM + 16 * len(content), "libdevice")
    try:
        return load_llvm().parse_bitcode(content)
    except RuntimeError as error:
        # A later CUDA may have bitcode of a later LLVM.
        reason = " ".join(str(error).split())
        raise UserError("no-libdevice", f"LLVM cannot read '{path}': {reason}", help=_HELP) from error


def _reduce(path: Path, functions: Sequence[str], triple: str, layout: str) -> bytes:
    llvm = load_llvm()
    library = _library(path).clone()
    library.triple, library.data_layout = triple, layout
    missing = set(functions)
    for function in library.functions:
        if function.name in missing:
            missing.remove(function.name)
        elif not function.is_declaration:
            function.linkage = "internal"
    if missing:
        raise UserError("no-libdevice", f"libdevice has no function '{min(missing)}'", help=f"it is '{path}'")
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    machine = llvm.Target.from_triple(triple).create_target_machine()
    optimize_module(passes, library, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    return library.as_bitcode()
