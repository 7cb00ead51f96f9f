"""Functions that kernels share: what they do, and that kernels find them."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

from irtensor.runtime import cpu_engine
from irtensor.runtime.cpu_engine import compile_llvm_text, compiled_once, load_objects
from irtensor.runtime.native_function import NativeFunction
from irtensor.runtime.support_code import SUPPORT_FUNCTIONS, support_code

GROWS = """
declare i32 @irtensor.grow(ptr, i64, i64)
define i32 @grows(ptr %slot, i64 %needed, i64 %size) {
  %status = call i32 @irtensor.grow(ptr %slot, i64 %needed, i64 %size)
  ret i32 %status
}
"""


@pytest.fixture(scope="module")
def library() -> NativeFunction:
    entry, *others = SUPPORT_FUNCTIONS
    return compiled_once(support_code(), entry, effort="light", exports=others)


def call(library: NativeFunction, name: str, *arguments: Any, types: tuple[Any, ...]) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int32, *types)(library.address_of(name))(*arguments)


def words(*values: int) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


def free(slot: Any) -> None:
    ctypes.CDLL(None).free(ctypes.c_void_p(slot[0]))


def test_the_library_has_every_function_that_kernels_may_refer_to():
    assert [name for name in SUPPORT_FUNCTIONS if f"@{name}(" not in support_code()] == []


@pytest.mark.parametrize(("needed", "capacity"), [(1, 64), (65, 65), (300, 300)])
def test_growing_makes_room_for_what_is_needed(library: NativeFunction, needed: int, capacity: int):
    slot = words(0, 0, 0)
    grow = library.as_ctypes(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    assert grow(ctypes.addressof(slot), needed, 8) == 0
    assert slot[0] != 0 and slot[1] == capacity
    assert grow(ctypes.addressof(slot), slot[1] + 1, 8) == 0
    assert slot[1] == 2 * capacity
    free(slot)


def test_room_that_is_there_is_not_grown(library: NativeFunction):
    slot = words(0, 0, 0)
    types = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    for needed, capacity in (0, 0), (1, 64), (64, 64), (65, 128), (10, 128):
        assert call(library, "irtensor.reserve", ctypes.addressof(slot), needed, 8, types=types) == 0
        assert slot[1] == capacity and bool(slot[0]) == bool(capacity)
    free(slot)


def test_growing_beyond_the_address_space_fails_and_leaves_the_slot(library: NativeFunction):
    slot = words(0, 0, 0)
    grow = library.as_ctypes(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    assert grow(ctypes.addressof(slot), 1 << 60, 8) == 1
    assert list(slot) == [0, 0, 0]


def test_zeroed_memory_is_zero_and_replaces_what_was_there(library: NativeFunction):
    slot = words(0, 0, 0)
    types = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    for count in (10, 1000):
        assert call(library, "irtensor.make_zeroed", ctypes.addressof(slot), count, 8, types=types) == 0
        assert slot[1] == count
        assert list((ctypes.c_int64 * count).from_address(slot[0])) == [0] * count
    free(slot)


@pytest.mark.parametrize(("begin", "end", "iterations"), [(3, 3, []), (3, 2, []), (3, 4, [3])])
def test_no_iteration_and_one_iteration_need_no_pool(
    library: NativeFunction, begin: int, end: int, iterations: list[int]
):
    called: list[int] = []
    body = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64)(
        lambda _, iteration: called.append(iteration) or 7
    )
    types = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    arguments = (None, ctypes.cast(body, ctypes.c_void_p), None, begin, end)
    assert call(library, "irtensor.run_iterations", *arguments, types=types) == (7 if iterations else 0)
    assert called == iterations


def test_code_from_a_file_is_linked_to_them_as_well():
    native = load_objects(compile_llvm_text(GROWS, "grows").objects, "grows")
    slot = words(0, 0, 0)
    grows = native.as_ctypes(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    assert grows(ctypes.addressof(slot), 100, 4) == 0
    assert slot[1] == 100
    free(slot)


@pytest.mark.parametrize("disk_cache", [False, True])
def test_the_disk_has_them_unless_nothing_may_be_kept_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk_cache: bool
):
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("IRTENSOR_DISK_CACHE", str(int(disk_cache)))
    entry, *others = SUPPORT_FUNCTIONS
    fresh = compiled_once(support_code(), entry, effort="light", exports=others)
    assert any(tmp_path.iterdir()) is disk_cache
    slot = words(0, 0, 0)
    types = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    assert call(fresh, "irtensor.reserve", ctypes.addressof(slot), 65, 8, types=types) == 0
    assert slot[1] == 65
    free(slot)


def test_they_are_not_named_as_missing():
    assert cpu_engine._missing_symbols("declare i32 @irtensor.grow(ptr)\ndeclare i32 @nobody.has(ptr)") == [
        "nobody.has"
    ]


MAKES_AND_FREES = """
declare i32 @irtensor.reserve(ptr, i64, i64)
declare void @free(ptr)
define i32 @makes(ptr %slot) {
  %status = call i32 @irtensor.reserve(ptr %slot, i64 3, i64 8)
  call void @free(ptr %slot)
  ret i32 %status
}
"""


@pytest.mark.parametrize("by_llvm", [False, True])
def test_functions_that_are_given_take_the_place_of_shared_ones(by_llvm: bool, monkeypatch: pytest.MonkeyPatch):
    """As those of a device do, whichever linker loads the code."""
    if by_llvm:
        monkeypatch.setattr(cpu_engine, "link_objects", lambda objects, resolve: None)
    called: list[int] = []
    reserve = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * 3)(lambda slot, needed, size: 40 + needed)
    free = ctypes.CFUNCTYPE(None, ctypes.c_int64)(called.append)
    addresses = {"irtensor.reserve": reserve, "free": free}
    imports = {name: ctypes.cast(function, ctypes.c_void_p).value or 0 for name, function in addresses.items()}
    native = compile_llvm_text(MAKES_AND_FREES, "makes", imports=imports)
    assert native.as_ctypes(ctypes.c_int64)(17) == 43 and called == [17]
