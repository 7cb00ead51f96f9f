"""`--version` of every tool."""

import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import irtensor

PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TOOLS = PROJECT["scripts"]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("option", ["--version", "-v"])
def test_every_tool_says_its_version(tool, option, capsys):
    module, _, function = TOOLS[tool].partition(":")
    with pytest.raises(SystemExit) as ended:
        getattr(import_module(module), function)([option])
    assert not ended.value.code
    shown = capsys.readouterr()
    built_on = f"xdsl {version('xdsl')}, llvmlite {version('llvmlite')}"
    assert shown.out == f"{tool} {irtensor.__version__} ({built_on})\n" and not shown.err


def test_it_is_in_the_help(capsys):
    with pytest.raises(SystemExit):
        import_module("irtensor.tools.irtensor_cache").main(["--help"])
    assert "-v, --version" in capsys.readouterr().out


def test_llvm_is_not_loaded_for_it():
    """Its libraries take longer to load than all the rest."""
    program = "import sys; from irtensor.tools.versions import version_line; version_line('a')"
    program += "; sys.exit('llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
