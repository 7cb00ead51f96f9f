"""irtensor-cache: what is on disk, whether it is whole, and deleting it."""

import os
import subprocess
import sys

import numpy as np
import pytest

import irtensor as it
from irtensor.tools import irtensor_cache

HOME = "no cache on disk: the user has no home folder"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    it.clear_caches()
    it.compile("y[i] = A[i,j] * x[j] - x[i]")(A=np.eye(3), x=np.ones(3))
    it.compile("s = x[i]")(x=np.ones(3))
    return tmp_path / "cache" / "objects"


def run(*arguments):
    return irtensor_cache.main(list(arguments))


def kernel_file(folder, capsys):
    run("list")
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "kernel of A, x" in line]
    key = line.split()[-1]
    return folder / key[:2] / f"{key}.object"


def test_size_list_and_clear(folder, capsys):
    (folder.parent / "thesis.txt").write_text("mine")
    (folder / "thesis.txt").write_text("mine")
    files = it.cache_info().disk.entries
    assert run("size") == 0
    assert capsys.readouterr().out == f"{files} files, {4 * files}.0 KB of at most 256 MB in {folder}\n"
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == files
    times = [line[:19] for line in lines]
    assert times == sorted(times, reverse=True)
    assert sum("4.0 KB  kernel of A, x  " in line for line in lines) == 1
    assert run("verify") == 0
    assert capsys.readouterr().out == f"{files} files in {folder}, all whole\n"
    assert run("clear") == 0
    assert capsys.readouterr().out == f"deleted {files} files in {folder}\n"
    assert (folder / "thesis.txt").exists() and (folder.parent / "thesis.txt").exists()
    assert run("size") == 0
    assert capsys.readouterr().out == f"0 files, 0 bytes of at most 256 MB in {folder}\n"


def test_looking_leaves_everything_as_it_is(folder, capsys):
    path = kernel_file(folder, capsys)
    os.utime(path, (1e9, 1e9))
    for command in ("size", "list", "verify"):
        assert run(command) == 0
    assert path.stat().st_mtime == 1e9


def test_damaged_files(folder, capsys):
    path = kernel_file(folder, capsys)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    capsys.readouterr()
    assert run("list") == 0
    assert " damaged " in capsys.readouterr().out
    assert run("verify") == 1
    assert capsys.readouterr().err == (
        f"error: [cache-damaged] 1 of {it.cache_info().disk.entries} files cannot be used: '{path}'\n"
        "help: they count as absent and are compiled again; delete them, or all files with irtensor-cache clear\n"
    )
    assert path.exists()


def test_folders_that_are_not_used(folder, capsys):
    folder.parent.chmod(0o777)
    assert run("verify") == 1
    error = capsys.readouterr().err
    assert (
        error.startswith("error: [cache-refused] no kernels are loaded from the disk: ") and str(folder.parent) in error
    )
    assert error.endswith("help: set IRTENSOR_CACHE_DIR to a folder that only you may write to\n")
    assert run("list") == 0
    assert "not used, see verify" in capsys.readouterr().out


def test_other_folders(tmp_path, capsys, monkeypatch):
    assert run("size", "--cache-dir", str(tmp_path)) == 0
    assert capsys.readouterr().out == f"0 files, 0 bytes of at most 256 MB in {tmp_path / 'objects'}\n"
    for command in ("list", "verify", "clear"):
        assert run(command, "--cache-dir", str(tmp_path / "none")) == 0
    assert not (tmp_path / "none").exists()
    capsys.readouterr()
    (tmp_path / "objects").write_text("")
    assert run("clear", "--cache-dir", str(tmp_path)) == 1
    assert capsys.readouterr().err == (
        f"error: [bad-option] '{tmp_path / 'objects'}' is not a folder\nhelp: name another one, or move it away\n"
    )
    assert run("verify", "--cache-dir", str(tmp_path / "objects")) == 1
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert run("verify", "--cache-dir", str(tmp_path / "link")) == 1
    assert "link' is not a folder" in capsys.readouterr().err
    monkeypatch.setattr("irtensor.options._default_cache", lambda: None)
    monkeypatch.setattr(
        "irtensor.options.SETTINGS",
        [s._replace(default=lambda: None) if s.name == "cache_dir" else s for s in it.options.SETTINGS],
    )
    monkeypatch.delenv("IRTENSOR_CACHE_DIR", raising=False)
    assert run("size") == 1
    assert capsys.readouterr().err == (
        f"error: [bad-option] {HOME}\nhelp: name a folder with --cache-dir, or set IRTENSOR_CACHE_DIR\n"
    )


def test_wrong_arguments(capsys):
    assert run("foo") == 1
    assert "[bad-option] argument command: invalid choice: 'foo'" in capsys.readouterr().err
    assert run() == 1
    assert "[bad-option] the following arguments are required: command" in capsys.readouterr().err
    assert run("size", "--cache-dir", "") == 1
    assert "[bad-option] cache_dir='' is not usable: expected the name of a folder" in capsys.readouterr().err


def started(arguments, **settings):
    command = [sys.executable, "-m", "irtensor.tools.irtensor_cache", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, **settings)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full device")
def test_output_that_cannot_be_written(folder):
    with open("/dev/full", "w") as full:
        ran = started(["list"], stdout=full)
    reason = "error: [cannot-write] the output cannot be written: No space left on device\n"
    assert (ran.returncode, ran.stderr) == (1, reason)
    closed = started(["list"], preexec_fn=lambda: os.close(1))
    assert (closed.returncode, closed.stderr) == (0, "")


def test_names_that_a_terminal_cannot_show(tmp_path):
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    ran = started(["size", "--cache-dir", str(tmp_path / "cäche")], stdout=subprocess.PIPE, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "") and ran.stdout.isascii() and "/objects" in ran.stdout
