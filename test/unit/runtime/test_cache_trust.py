"""What a cache on disk trusts: its own files, in folders that nobody else may write to; and what it leaves alone."""

import os
import shutil
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import irtensor as it
from irtensor.runtime import compiler_identity, disk_cache
from irtensor.runtime.cache_folder import clear, files_in, trim
from irtensor.runtime.disk_cache import CachedObject, DiskCache, decode, encode
from irtensor.runtime.private_folder import NotPrivate, check_private_folder, make_private_folder

KEY, OTHER = "ab" * 32, "cd" * 32
ROOT = Path(it.__file__).parent.parent
needs_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root has other users")
STRANGER = 54322


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    monkeypatch.setattr(disk_cache, "_refused", set())


@pytest.fixture
def cache(tmp_path):
    cache = DiskCache(tmp_path / "cache")
    assert cache.store(KEY, (b"code",), [1])
    return cache


# Files.


def test_a_file_under_another_name_is_absent(cache):
    path = cache._path(OTHER)
    path.parent.mkdir(exist_ok=True)
    shutil.copy(cache._path(KEY), path)
    assert cache.load(OTHER) is None and not path.exists()
    assert cache.load(KEY) == CachedObject((b"code",), [1])


@pytest.mark.parametrize(
    "header",
    [
        [1],
        {"key": KEY, "lengths": [4]},
        {"key": KEY, "lengths": [5], "metadata": 0},
        {"key": KEY, "lengths": [3], "metadata": 0},
        {"key": KEY, "lengths": [-1, 5], "metadata": 0},
        {"key": KEY, "lengths": [True, 3], "metadata": 0},
        {"key": KEY, "lengths": 4, "metadata": 0},
        {"key": OTHER, "lengths": [4], "metadata": 0},
    ],
)
def test_contents_of_another_shape_are_absent(header, monkeypatch):
    assert decode(encode(KEY, (b"code",), 0), KEY) == CachedObject((b"code",), 0)
    monkeypatch.setattr(disk_cache.json, "dumps", lambda _: repr(header).replace("'", '"').replace("True", "true"))
    assert decode(encode(KEY, (b"code",), 0), KEY) is None


@pytest.mark.parametrize("metadata", [None, 0, "text", [], {}, {"operands": 3}, [1, 2]])
def test_metadata_of_another_shape_is_absent(cache, metadata):
    def read(found):
        return found.metadata["operands"]["a"]

    assert cache.store(KEY, (), metadata)
    assert cache.load_as(KEY, read) is None


def test_links_pipes_and_folders_are_absent(cache, tmp_path):
    path = cache._path(KEY)
    content = path.read_bytes()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(content)
    for make in (
        lambda: path.symlink_to(elsewhere),
        lambda: path.symlink_to(tmp_path / "nothing"),
        lambda: os.link(elsewhere, path),
        lambda: os.mkfifo(path),
        lambda: path.mkdir(),
    ):
        path.unlink()
        make()
        start = time.monotonic()
        assert cache.load(KEY) is None and time.monotonic() - start < 5
        assert elsewhere.read_bytes() == content
        if path.is_dir():
            assert not cache.store(KEY, (b"code",))
            path.rmdir()
        else:
            assert cache.store(KEY, (b"code",)) and cache.load(KEY).objects == (b"code",)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_to_is_absent(cache, mode):
    cache._path(KEY).chmod(mode)
    assert cache.load(KEY) is None


# Folders.


@pytest.mark.parametrize("which", ["cache", "objects", "inner"])
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722, 0o1777])
def test_folders_that_others_may_write_to(cache, which, mode):
    folder = {"cache": cache.folder.parent, "objects": cache.folder, "inner": cache._path(KEY).parent}[which]
    folder.chmod(mode)
    with pytest.warns(it.CacheWarning) as caught:
        found = [cache.load(KEY) for _ in range(2)]
    assert found == [None, None]
    (warning,) = caught
    who = "other users" if mode & 0o002 else f"the group {folder.stat().st_gid}"
    assert str(warning.message) == (
        f"no kernels are loaded from the disk: '{folder}' may be written to by {who} (its mode is {mode:04o}); set "
        "IRTENSOR_CACHE_DIR to a folder that only you may write to"
    )
    assert warning.filename == __file__
    folder.chmod(0o700)
    assert cache.load(KEY) is not None


def test_folders_around_the_cache(tmp_path):
    around = tmp_path / "around"
    cache = DiskCache(around / "inner" / "cache")
    assert cache.store(KEY, (b"code",)) and cache.load(KEY)
    around.chmod(0o777)
    with pytest.warns(it.CacheWarning, match=f"'{around}' may be written to by other users"):
        assert cache.load(KEY) is None
    # As in /tmp, others may add files, and not touch those that are there.
    around.chmod(0o1777)
    assert cache.load(KEY)
    assert "may be written to" not in (cache.refusal() or "")


def test_links_to_a_cache(cache, tmp_path):
    link = tmp_path / "link"
    link.symlink_to("cache")
    assert DiskCache(link).load(KEY)
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "link").symlink_to(cache.folder.parent)
    assert DiskCache(shared / "link").load(KEY)
    shared.chmod(0o777)
    with pytest.warns(it.CacheWarning, match=f"'{shared}' may be written to by other users"):
        assert DiskCache(shared / "link").load(KEY) is None
    cache.folder.rename(tmp_path / "moved")
    cache.folder.symlink_to(tmp_path / "moved")
    with pytest.warns(it.CacheWarning, match=f"'{cache.folder}' is a link"):
        assert cache.load(KEY) is None
    link.unlink()
    link.symlink_to("link")
    assert DiskCache(link).load(KEY) is None and not DiskCache(link).store(KEY, ())


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_folders_and_files_are_made_for_the_user_alone(tmp_path, mask):
    before = os.umask(mask)
    try:
        cache = DiskCache(tmp_path / "new" / "cache")
        stored, found = cache.store(KEY, (b"code",)), cache.load(KEY)
    finally:
        os.umask(before)
    assert stored and found
    made = [tmp_path / "new", *(tmp_path / "new").rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_dir()} == {0o700}
    assert not any(path.stat().st_mode & 0o077 for path in made if path.is_file())


def test_relative_folders_and_parents(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_private_folder(str(tmp_path / "a" / "b"))
    check_private_folder("a/../a/./b")
    assert DiskCache(Path("x/y")).store(KEY, (b"code",)) and DiskCache(tmp_path / "x/y").load(KEY)
    with pytest.raises(FileNotFoundError):
        check_private_folder("a/c")
    (tmp_path / "a" / "f").write_text("")
    with pytest.raises(NotADirectoryError):
        check_private_folder("a/f")
    (tmp_path / "a").chmod(0o777)
    with pytest.raises(NotPrivate):
        check_private_folder("a/b")


def test_a_current_folder_that_is_gone(cache, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert cache.load(KEY) and not DiskCache(Path("relative")).store(KEY, ())


@needs_root
def test_another_user(cache, tmp_path):
    folder = cache.folder.parent
    for path in (cache._path(KEY), cache._path(KEY).parent, cache.folder, folder):
        os.chown(path, STRANGER, STRANGER)
        if path.is_dir():
            with pytest.warns(it.CacheWarning, match=rf"'{path}' belongs to another user \({STRANGER}\)"):
                assert cache.load(KEY) is None
        else:
            assert cache.load(KEY) is None
        os.chown(path, 0, 0)
    assert cache.load(KEY)


@needs_root
def test_what_another_user_plants_is_not_run(tmp_path):
    """In a folder that everybody may write to, another user replaces the folder of kernels by links to ours."""
    shared, ours = tmp_path / "shared", tmp_path / "ours"
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_mode & 0o777 == 0o700:
            folder.chmod(0o755)
    shared.mkdir()
    shared.chmod(0o777)
    program = """
        import sys, warnings, numpy as np, irtensor as it
        from irtensor.runtime import gather_speed
        gather_speed.gathers_win = lambda *kernels: False  # nothing is loaded here, so each process would time it anew
        warnings.simplefilter("ignore", it.CacheWarning)
        x = np.arange(1.0, 4.0)
        print(it.compile("y[i] = a[i] " + sys.argv[1] + " b[i]", num_threads=1)(a=x, b=x).tolist())
    """

    def run(folder, operator):
        environment = {**os.environ, "IRTENSOR_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)}
        code = [sys.executable, "-c", textwrap.dedent(program), operator]
        return subprocess.run(code, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    def files(folder):
        return {path.relative_to(folder) for path in folder.rglob("*.object")}

    run(shared, "-")
    before = files(shared)
    expected = run(shared, "+")
    (ours_name,) = files(shared) - before
    run(ours, "-")
    before = files(ours)
    assert run(ours, "*") != expected
    (wrong,) = files(ours) - before
    planted = shared / ours_name
    plant = f"""
        import os, pathlib
        os.setgid({STRANGER}), os.setuid({STRANGER})
        os.rename({str(shared / "objects")!r}, {str(shared / "away")!r})
        path = pathlib.Path({str(planted)!r})
        path.parent.mkdir(parents=True)
        path.symlink_to({str(ours / wrong)!r})
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(plant)], check=True)
    assert planted.is_symlink()
    assert run(shared, "+") == expected


# What is deleted.


def test_only_the_caches_own_files_are_counted_and_deleted(tmp_path):
    cache = DiskCache(tmp_path, bound=40_000)
    cache.store(KEY, (b"z" * 5000,))
    folder, own = cache.folder, cache._path(KEY)
    assert folder is not None and own is not None
    inner = own.parent
    others = [
        folder / "thesis.txt",
        folder / "thesis.object",
        inner / "notes.object",
        inner / f"{KEY}.object.bak",
        inner / "x.new",
        folder / f"{KEY}.object",
        folder / "abc" / f"{KEY}.object",
        tmp_path / "thesis.txt",
    ]
    for path in others:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"precious" * 10_000)
        os.utime(path, (1e9, 1e9))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / f"{OTHER}.object").write_bytes(b"precious")
    (folder / "ff").symlink_to(outside)
    for number in range(30):
        cache.store(f"{number:02x}" * 32, (b"z" * 5000,))
    assert all(path.read_bytes() == b"precious" * 10_000 for path in others)
    assert 3 <= len(list(files_in(str(folder)))) <= 5
    clear(str(folder))
    assert all(path.exists() for path in (*others, outside / f"{OTHER}.object", folder / "ff"))
    assert not list(files_in(str(folder)))


def test_a_folder_of_others_is_no_cache(tmp_path):
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "pack").mkdir()
    cache = DiskCache(tmp_path)
    with pytest.warns(it.CacheWarning, match="objects' has files in it that are not of a cache"):
        assert not cache.store(KEY, (b"code",))
    assert [path.name for path in tmp_path.rglob("*")] == ["objects", "pack"]


def test_a_cache_is_marked(cache):
    marker = cache.folder / "CACHEDIR.TAG"
    assert marker.read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    # One that was made without is used as well.
    marker.unlink()
    assert cache.store(OTHER, (b"code",)) and marker.exists()


def test_times_in_the_future_protect_nothing(tmp_path):
    cache = DiskCache(tmp_path, bound=1 << 30)
    keys = [f"{number:02x}" * 32 for number in range(10)]
    for number, key in enumerate(keys):
        cache.store(key, (b"z",))
        age = time.time() + (1e6 if number < 5 else number - 1000)
        path = cache._path(key)
        assert path is not None
        os.utime(path, (age, age))
    trim(str(cache.folder), 4096 * 8)
    left = {file.key for file in files_in(str(cache.folder))}
    assert {*keys[5:]} <= left <= {*keys} and len(left) == 6


def test_abandoned_temporaries_are_deleted(cache):
    inner = cache._path(KEY).parent
    old, new = inner / f"{KEY}.abcdefgh.new", inner / f"{KEY}.abcdefgi.new"
    for path in (old, new):
        path.write_text("")
    os.utime(old, (1e9, 1e9))
    trim(str(cache.folder), 1 << 30)
    assert not old.exists() and new.exists()


def test_a_count_that_is_lost_is_made_again(tmp_path):
    cache = DiskCache(tmp_path, bound=80_000)
    for number in range(10):
        cache.store(f"{number:02x}" * 32, (b"z" * 100,))
    blocks = tmp_path / "objects" / "blocks"
    assert blocks.stat().st_size == 10
    blocks.unlink()
    cache.store(KEY, (b"z" * 100,))
    assert blocks.stat().st_size == 11
    blocks.unlink()
    blocks.mkdir()
    assert cache.store(OTHER, (b"z" * 100,)) and cache.load(OTHER)


# The compiler.


def _identity_of(package, tmp_path, kept=True):
    code = """
        import os
        from pathlib import Path
        from irtensor.runtime.compiler_identity import compiler_identity
        from irtensor.runtime.disk_cache import DiskCache
        print(compiler_identity(DiskCache(Path("cache")) if os.environ["KEPT"] == "1" else None))
    """
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1", "KEPT": str(int(kept))}
    run = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "name", ["runtime/emit_llvm.py", "api/schedule.py", "passes/support/emit.py", "dialects/storage/storage.py"]
)
def test_another_compiler_has_another_identity(tmp_path, name):
    package = tmp_path / "site" / "irtensor"
    shutil.copytree(Path(it.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    path = package / name
    text = path.read_text()
    for each in package.rglob("*"):
        os.utime(each, (1, 1))
    first = _identity_of(tmp_path / "site", tmp_path)
    assert first == _identity_of(tmp_path / "site", tmp_path) == _identity_of(tmp_path / "site", tmp_path, kept=False)
    # As large, and as old.
    path.write_text(text.replace("import", "impart", 1))
    os.utime(path, (1, 1))
    assert first != _identity_of(tmp_path / "site", tmp_path)
    path.write_text(text)
    os.utime(path, (1, 1))
    assert first == _identity_of(tmp_path / "site", tmp_path)


def test_the_identity_has_the_versions_of_packages(monkeypatch):
    found = {compiler_identity._digest_of_contents()}
    for name in ("xdsl", "llvmlite", "numpy"):
        with monkeypatch.context() as patch:
            version = compiler_identity._version
            patch.setattr(compiler_identity, "_version", lambda each, v=version, n=name: "0" if each == n else v(each))
            found.add(compiler_identity._digest_of_contents())
    assert len(found) == 4


def test_an_image_of_files_with_one_time_is_read(monkeypatch, tmp_path):
    assert compiler_identity._state_of_files() is not None
    # Times of change cannot be set, so that the second in which all files of an image were made is that of these.
    status = os.stat(tmp_path)
    whole = os.stat_result((*status[:10], *[None] * 3, *[10**9] * 3))  # pyrefly: ignore[bad-argument-type]
    monkeypatch.setattr(compiler_identity, "_status", lambda path: whole)
    assert whole.st_ctime_ns == 10**9 and compiler_identity._state_of_files() is None


# Without a folder.


@pytest.mark.parametrize("options", [{}, {"disk_cache": False}])
def test_no_home(options, tmp_path):
    code = f"""
        import os, pwd
        def nobody(uid): raise KeyError(f"getpwuid(): uid not found: {{uid}}")
        pwd.getpwuid = nobody
        import numpy as np, irtensor as it
        print(it.compile("y[i] = a[i] + b[i]", **{options})(a=np.ones(3), b=np.ones(3)))
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name in ("HOME", "XDG_CACHE_HOME", "IRTENSOR_CACHE_DIR"):
        environment.pop(name, None)
    run = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    result = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("[2. 2. 2.]\n", "")
    assert not list(tmp_path.iterdir())
