"""Builds the wheel, installs it into a fresh environment outside of the checkout, and uses it there.

python test/wheel_smoke.py          a wheel of the checkout
python test/wheel_smoke.py WHEEL    one that has been built, such as the one to be published
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]

KERNEL = """func.func @f(%a : i32) -> i32 {
  %sum = arith.addi %a, %a : i32
  %same = arith.addi %a, %a : i32
  %both = arith.muli %sum, %same : i32
  func.return %both : i32
}
"""

# Runs in the new environment, where only the wheel and its dependencies are.
PROGRAM = """
import irtensor, irtensor.dialects, irtensor.passes, irtensor.tools.irtensor_opt
from pathlib import Path
for name, factory in irtensor.dialects.get_all_dialects().items():
    assert factory().name == name, name
for name, factory in irtensor.passes.get_all_passes().items():
    assert factory().name == name, name
for name in irtensor.PUBLIC_NAMES:
    assert getattr(irtensor, name) is not None, name
assert Path(irtensor.passes.__file__).parent.parent == Path(irtensor.__file__).parent
assert Path(irtensor.__file__).with_name("py.typed").exists()
from irtensor.runtime.loop_text import text_of_loops
assert "func.func @move" in text_of_loops("radix_sort")
import numpy
a = numpy.arange(6.0).reshape(2, 3)
t = irtensor.Tensor.from_numpy(a, irtensor.CSR)
assert numpy.array_equal(t.to_numpy(), a)
y = irtensor.einsum("ij,j->i", t, numpy.ones(3))
assert numpy.allclose(y, a.sum(axis=1)), y
total = irtensor.compile("C[i,j] = A[i,j] + B[i,j]", formats={"C": irtensor.CSR})(A=t, B=t)
assert isinstance(total, irtensor.Tensor) and numpy.array_equal(total.to_numpy(), a + a), total
"""

MATRIX = """%%MatrixMarket matrix coordinate real general
2 2 2
1 1 2.5
2 1 4
"""


def run(*command: str | Path, cwd: Path) -> str:
    # Nothing of the checkout may be found by way of the environment.
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    result = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def build(folder: Path) -> Path:
    """A wheel of the checkout, in a folder."""
    # A copy, because setuptools would leave build/ behind and put stale files of an earlier one into the wheel.
    source = folder / "source"
    shutil.copytree(ROOT, source, symlinks=True, ignore=shutil.ignore_patterns(".*", "build", "dist", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, source, cwd=folder)
    (wheel,) = folder.glob("irtensor-*.whl")
    return wheel


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else build(folder)
        venv.create(folder / "venv", with_pip=True)
        binaries = folder / "venv" / "bin"
        run(binaries / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", wheel, cwd=folder)
        run(binaries / "python", "-c", PROGRAM, cwd=folder)
        (folder / "kernel.mlir").write_text(KERNEL, encoding="utf-8")
        output = run(binaries / "irtensor-opt", "kernel.mlir", "--cse", cwd=folder)
        assert output.count("arith.addi") == 1, output
        assert "verify-dominance" in run(binaries / "xdsl-opt", "--help", cwd=folder)
        (folder / "matrix.mtx").write_text(MATRIX, encoding="utf-8")
        output = run(binaries / "irtensor-run", "y[i] = A[i,j] * x[j]", "A=matrix.mtx", "x=ones(2)", cwd=folder)
        assert output.split() == ["[2.5", "4.", "]"], output
        assert "all whole" in run(binaries / "irtensor-cache", "verify", cwd=folder)
        for tool in ("irtensor-opt", "irtensor-run", "irtensor-cache", "irtensor-autoschedule"):
            assert run(binaries / tool, "--version", cwd=folder).startswith(f"{tool} {wheel.name.split('-')[1]} (")
    print(f"wheel-smoke: {wheel.name} works outside of the checkout")


if __name__ == "__main__":
    main()
