"""Object code on disk: round trip through a process boundary, damage, bounds."""

import ctypes
import os
import subprocess
import sys
import threading

import pytest

from irtensor.errors import InternalError
from irtensor.runtime import cache_folder
from irtensor.runtime.cache_folder import files_in
from irtensor.runtime.cpu_engine import compile_llvm_text, load_objects, target_description
from irtensor.runtime.disk_cache import DiskCache, cache_key

ANSWER = "define i32 @answer(i32 %a) {\n  %b = add i32 %a, 40\n  ret i32 %b\n}\n"
KEY = cache_key("answer", "target")


@pytest.fixture
def cache(tmp_path):
    return DiskCache(tmp_path)


def test_loaded_object_runs(cache):
    native = compile_llvm_text(ANSWER, "answer")
    assert cache.store(KEY, native.objects, {"entry": "answer"})
    found = cache.load(KEY)
    assert found.metadata == {"entry": "answer"}
    assert load_objects(found.objects, "answer").as_ctypes(ctypes.c_int32)(2) == 42


def test_another_process_needs_no_compiler(cache):
    key = cache_key("answer", target_description(cache))
    cache.store(key, compile_llvm_text(ANSWER, "answer").objects)
    program = f"""
import ctypes, sys, pathlib
from irtensor.runtime.cpu_engine import load_objects, target_description
from irtensor.runtime.disk_cache import DiskCache, cache_key
cache = DiskCache(pathlib.Path({str(cache.folder.parent)!r}))
found = cache.load(cache_key("answer", target_description(cache)))
assert load_objects(found.objects, "answer").as_ctypes(ctypes.c_int32)(2) == 42
assert "xdsl" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_absent_key(cache):
    assert cache.load(KEY) is None


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "foreign"])
def test_damaged_files_count_as_absent(cache, damage):
    cache.store(KEY, (b"x" * 1000,), [1, 2])
    path = cache._path(KEY)
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[-1] ^= 1
    path.write_bytes({"truncated": content[:500], "flipped": content, "empty": b"", "foreign": b"hello"}[damage])
    assert cache.load(KEY) is None
    assert cache.store(KEY, [b"y", b"zz"])
    assert cache.load(KEY).objects == (b"y", b"zz")


def test_writers_and_readers_at_once(tmp_path):
    contents = {(bytes([65 + n]) * (1000 * n + 1),) for n in range(8)}
    seen = set()

    def work(content):
        own = DiskCache(tmp_path)
        for _ in range(40):
            assert own.store(KEY, content)
            native = own.load(KEY)
            assert native is not None
            seen.add(native.objects)

    threads = [threading.Thread(target=work, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen and seen <= contents
    assert sorted(path.name for path in (tmp_path / "objects").iterdir()) == sorted(["CACHEDIR.TAG", "blocks", KEY[:2]])
    assert [path.name for path in (tmp_path / "objects" / KEY[:2]).iterdir()] == [f"{KEY}.object"]


def test_keys_depend_on_structure_and_target():
    assert len({cache_key("a", "t"), cache_key("b", "t"), cache_key("a", "u")}) == 3


def test_size_is_bounded_and_recent_files_stay(tmp_path):
    cache = DiskCache(tmp_path, bound=100_000)
    keys = [cache_key(str(number), "") for number in range(60)]
    for number, key in enumerate(keys):
        cache.store(key, [b"z" * 5_000])
        path = cache._path(key)
        assert path is not None
        os.utime(path, (number, number))
    total = sum(max(path.stat().st_blocks * 512, 8192) for path in tmp_path.rglob("*.object"))
    assert 60_000 <= total <= 100_000
    assert cache.load(keys[-1]) is not None
    assert cache.load(keys[0]) is None


def test_a_full_folder_is_not_walked_for_each_kernel(tmp_path, monkeypatch):
    walks = []
    monkeypatch.setattr(cache_folder, "files_in", lambda folder: walks.append(folder) or files_in(folder))
    for number in range(100):
        DiskCache(tmp_path, bound=100_000).store(cache_key(str(number), ""), [b"z" * 2_000])
    # One that counts what is there, and one for each quarter of the bound that is written after the first.
    assert 1 < len(walks) <= 15


def test_unwritable_folder_is_no_error(tmp_path):
    (tmp_path / "objects").write_text("a file where the folder should be")
    cache = DiskCache(tmp_path)
    assert not cache.store(KEY, [b"x"])
    assert cache.load(KEY) is None


def test_bad_object_is_an_internal_error():
    with pytest.raises(InternalError):
        load_objects([b"not an object"], "answer")


def test_code_of_another_user_is_not_loaded(cache, monkeypatch):
    assert cache.store(KEY, [b"code"]) and cache.load(KEY).objects == (b"code",)
    monkeypatch.setattr(os, "getuid", lambda: os.stat(cache.folder).st_uid + 1)
    assert cache.load(KEY) is None


def test_a_file_that_cannot_be_put_in_place_leaves_nothing(cache, monkeypatch):
    def refuse(source, target):
        raise OSError("no")

    monkeypatch.setattr(os, "replace", refuse)
    assert not cache.store(KEY, [b"code"])
    assert cache.load(KEY) is None and not list(cache.folder.rglob("*.new")) + list(cache.folder.rglob("*.object"))
