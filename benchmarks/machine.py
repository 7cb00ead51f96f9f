"""What the numbers were measured on: processor, memory, system, versions."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from benchmarks.peers import versions


def processor() -> str:
    """The processor's name as the system gives it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    name = found.get("model name", platform.machine())
    model = found.get("model")
    family = found.get("cpu family")
    # Virtual machines often give a name without a model.
    return f"{name}, family {family} model {model}" if model and family else name


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def own_facts() -> dict[str, str]:
    """Name and value, for people: of the machine, and of what a kernel is compiled by."""
    import llvmlite.binding

    return {
        "processor": processor(),
        "code for": llvmlite.binding.get_host_cpu_name(),
        "cores": f"{_cores()}; one is used unless a line says otherwise",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        **{name: version(name) for name in ("irtensor", "numpy", "scipy", "llvmlite", "xdsl")},
    }


def facts() -> dict[str, str]:
    """The same with the peers; those that are not installed say so."""
    return own_facts() | {name: found or "not installed, skipped" for name, found in versions().items()}
