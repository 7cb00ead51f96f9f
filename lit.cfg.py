"""lit suite: the .mlir files below test/, run with the tools of the Python environment that lit itself runs in."""

import importlib.util
import os
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "test"))
from forked_tools import TOOLS, ForkedTools, load_tools  # noqa: E402

# Before lit makes its workers, which then have the tools as well.
load_tools()
config.name = "irtensor"
config.test_format = ForkedTools(execute_external=False)
config.suffixes = [".mlir"]
# No test_source_root: with one, `lit test` finds nothing. Excludes are names at any depth, so not the source folders.
config.excludes = [".venv", "build", "dist", "docs", "benchmarks", "Inputs"]
config.test_exec_root = str(ROOT / "build" / "lit")

config.environment["PATH"] = os.pathsep.join([str(TOOLS), os.environ.get("PATH", "")])
for name in ("HOME", "PYTHONPATH", "IRTENSOR_CACHE_DIR", "COVERAGE_PROCESS_CONFIG"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Every tool by its full path: another version on the PATH must not be what is tested.
for tool in ("irtensor-opt", "irtensor-run", "xdsl-opt", "filecheck"):
    config.substitutions.append((rf"\b(?<![\w./-]){tool}(?![\w-])", str(TOOLS / tool)))

# Optional companions; tests that need one say `REQUIRES: name`. Those of MLIR are where `make mlir-tools` puts them.
for tool in ("mlir-opt", "mlir-translate"):
    installed = Path(sysconfig.get_path("platlib"), "mlir", "bin", tool)
    path = os.environ.get(f"IRTENSOR_{tool.upper().replace('-', '_')}")
    if path is None and installed.exists():
        path = str(installed)
    if path is not None:
        config.available_features.add(tool)
        config.substitutions.append((f"%{tool}", path))
for package in ("scipy", "pyamg"):
    if importlib.util.find_spec(package) is not None:
        config.available_features.add(package)
if Path("/dev/nvidiactl").exists():
    config.available_features.add("cuda")
