"""The file with which an internal error can be run again."""

from pathlib import Path

import irtensor
from irtensor.tools import versions
from irtensor.tools.crash_report import write_reproducer

ERROR = RuntimeError("it is broken")


def test_it_is_written_to_this_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, contents = write_reproducer(["irtensor-opt", "-p", "a pass"], "builtin.module {\n}\n", ERROR)
    assert (tmp_path / name).read_text() == contents
    first, *lines = contents.splitlines()
    assert first == f"// irtensor-opt -p 'a pass' {name}"
    assert lines[1:3] == ["builtin.module {", "}"] and lines[-1] == "// RuntimeError: it is broken"


def test_no_folder_can_be_written_to(monkeypatch):
    def refuse(path, *arguments, **named):
        raise PermissionError(f"{path}: no")

    monkeypatch.setattr(Path, "write_text", refuse)
    name, contents = write_reproducer(["irtensor-opt"], "", ERROR)
    assert name == "(no writable folder)" and "it is broken" in contents


def test_a_package_that_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def missing(package):
        raise versions.PackageNotFoundError(package)

    monkeypatch.setattr(versions, "version", missing)
    expected = f"// irtensor {irtensor.__version__}, xdsl (not installed), "
    assert expected in write_reproducer(["a"], "", ERROR)[1]
