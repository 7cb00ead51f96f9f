"""Tests of what is chosen among programs: no choice is known, and what choices are made of is found once.

Candidates for a statement are searched for once in a process. Kernels are compiled once in a run, as for all tests.
"""

import os
from pathlib import Path
from typing import Any

import pytest

import irtensor as it
from irtensor.compiler.compilation import compile_kernel
from irtensor.dialects.concrete_index.concrete_index import ComputeOp
from irtensor.passes.autoschedule.candidate_programs import candidate_programs as _search
from irtensor.planning import candidates
from irtensor.runtime.disk_cache import DiskCache

_found: dict[tuple[Any, ...], list[Any]] = {}


def candidate_programs(compute: ComputeOp, *, budget: int, convert: bool, **options: Any) -> list[Any]:
    """As that of the compiler, which is the same for the same text; for schedule_by_size."""
    key = (str(compute), *[(value.type, value.name_hint) for value in compute.operands], budget, convert)
    if key not in _found:
        _found[key] = _search(compute, budget=budget, convert=convert, **options)
    return _found[key]


@pytest.fixture
def no_choices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No choice is known, in the process or on disk; the folder in which choices are kept."""
    of_kernels = DiskCache(Path(os.environ["IRTENSOR_CACHE_DIR"]))
    monkeypatch.setattr(compile_kernel, "DiskCache", lambda _: of_kernels)
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path))
    it.clear_caches()
    monkeypatch.setattr(candidates, "candidate_programs", candidate_programs)
    return tmp_path
