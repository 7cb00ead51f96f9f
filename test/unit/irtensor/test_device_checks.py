"""Storage on a GPU is accepted where that of the host is, and refused with the same words; see stored_arrays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cuda_assembler import PTXAS, assemble
from cuda_stub import Ran, run_on_card

from irtensor.compiler.device import device_check_code, device_path_code
from irtensor.compiler.device.device_function import DeviceFunction
from irtensor.compiler.device.device_ir_text import LevelArrays
from irtensor.compiler.device.device_path_code import Merge
from irtensor.runtime.emit_llvm import kernels_of
from irtensor.runtime.emit_nvvm import emit_nvvm
from irtensor.runtime.emit_ptx import ptx_of_text
from irtensor.runtime.nvptx_targets import processor_of

# `compare` is given arrays of the host: shows both errors, and copies of what is accepted.
BEGIN = """
import os
import stored_arrays
from irtensor.storage.level_storage import LevelStorage

def each(level, make):
    return LevelStorage(*[None if a is None else make(a) for a in (level.positions, level.coordinates, level.flags)])

def stored(level):
    parts = (None, None, None) if level is None else (*level, None) if isinstance(level, tuple) else (None, None, level)
    return LevelStorage(*[a if a is None or isinstance(a, np.ndarray) else np.array(a, np.int64) for a in parts])

def copies():
    with open(os.environ["CUDA_STUB_LOG"]) as log:
        return [int(line.split()[1]) for line in log if line.startswith("cuMemcpyDtoH")]

seen = refused = 0
different = []

def compare(shape, format, levels, values):
    global seen, refused
    on_host = raised(lambda: it.Tensor.from_buffers(shape, format, levels, values))
    moved = [each(level, it.cuda.to_device) for level in levels]
    there = it.cuda.to_device(values)
    before = len(copies())
    on_card = raised(lambda: it.Tensor.from_buffers(shape, format, moved, there))
    seen, refused = seen + 1, refused + (on_host != "nothing")
    if on_host != on_card or (on_host == "nothing" and max(copies()[before:], default=0) > 16):
        different.append([str(format), on_host, on_card, repr(levels), copies()[before:]])
"""


def run(code: str) -> Ran:
    return run_on_card(BEGIN + code + "\nshow(seen, refused, different)\n")


NAMED = [
    """
for format, levels, _ in stored_arrays.ORDERS[:10]:
    compare((3, 4), format, list(map(stored, levels)), np.array(stored_arrays.VALUES))
""",
    """
for format, levels, _ in stored_arrays.ORDERS[10:]:
    compare((3, 4), format, list(map(stored, levels)), np.array(stored_arrays.VALUES))
for rows in ([1, 0, 1], [1, 0, 2]):
    compare((3, 2), "compressed(nonunique, nonordered), dense", [stored(([0, 3], rows)), stored(None)], np.ones(6))
""",
    """
for pos, crd, values, _ in stored_arrays.MATRICES:
    compare((3, 4), "dense, compressed", [stored(None), stored((pos, crd))], np.array(values, np.float64))
for format, width, crd, _ in stored_arrays.SLOTS:
    compare((8,), format, [stored((width, crd))], np.ones(len(crd)))
for second, levels, size, _ in stored_arrays.DIAGONALS:
    compare((4, 6), f"(i, j) -> (j - i : compressed, {second}, j : offset)", list(map(stored, levels)), np.ones(size))
for flags in ([1, 0, 7, 1], [0, 1, 1, 0], [1, 1, 1]):
    compare((4,), "bitmap", [stored(np.array(flags, np.uint8).view(bool))], np.ones(4))
# What nobody uses may be anything.
for unused, used in ((99, 3), (0, 4), (-7, -1)):
    levels = [stored(([6], [0, 1, 6, -1, 4, -1])), stored((None, [0, 1, used, unused, 3, 1]))]
    compare((8, 4), "hashed, singleton", levels, np.ones(6))
for flags in ([1, 0], [1, 1]):
    levels = [stored(np.array(flags, bool)), stored(None)]
    compare((3,), "(i) -> (i floordiv 2 : bitmap, i mod 2 : dense)", levels, np.array([1.0, 1, 1, 5]))
for fill, corner in ((None, 0), (None, 5), (2, 2), (float("nan"), float("nan")), (float("nan"), 0)):
    for dtype in (np.float64, np.float32, np.complex128):
        T = it.Tensor.from_numpy(np.ones((3, 3), dtype), it.BCSR(2, 2).with_fill(fill))
        values = T.values.copy()
        values[-1] = corner
        compare(T.shape, T.format, list(T.levels), values)
""",
]


@pytest.mark.parametrize("code", NAMED, ids=["entries", "segments", "others"])
def test_named_mistakes(code: str):
    seen, refused, different = run(code).shown
    assert different == []
    assert seen > 9 and seen / 5 < refused < seen


FORMATS = [
    [
        "csr",
        "csr, pos = i32, crd = i32",
        "coo, pos = i8, crd = i16",
        "compressed(crd = i8), hashed(pos = i16, crd = i8)",
    ],
    ["coo", "dcsr", "(i, j) -> (j - i : compressed, i : compressed, j : offset)"],
    ["ell", "dia", "dense, hashed", "hashed, padded", "dense, bitmap", "bitmap, compressed", "compressed, bitmap"],
    [
        "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)",
        "(i, j) -> (i floordiv 2 : hashed, j floordiv 3 : bitmap, i mod 2 : dense, j mod 3 : dense)",
        "(i, j) -> (i floordiv 2 : dense, j floordiv 2 : dense, i mod 2 : compressed(nonunique, nonordered), "
        "j mod 2 : singleton)",
        "(i, j) -> (i - j : compressed, j : range, i : offset)",
    ],
    [
        "compressed(nonunique, nonordered), singleton(nonordered)",
        "compressed(nonordered), compressed(nonordered)",
        "dense, compressed(nonordered)",
        "compressed(nonunique), dense",
        "compressed(nonunique), compressed",
        "compressed(nonunique, nonordered), bitmap",
        "hashed, compressed(nonunique, nonordered)",
    ],
]


@pytest.mark.parametrize("formats", FORMATS)
def test_arrays_that_are_changed_at_random(formats: list[str]):
    ran = run(
        f"""
random = np.random.default_rng(3)
for format in {formats!r}:
    for _ in range(25):
        d = (random.random((5, 7)) < 0.3) * random.integers(1, 5, (5, 7)).astype(float)
        T = it.Tensor.from_numpy(d, format)
        levels, values = [each(level, np.copy) for level in T.levels], T.values.copy()
        arrays = [a for level in levels for a in level.arrays() if a.size]
        for _ in range(random.integers(3)):
            array = arrays[random.integers(len(arrays))]
            places = random.integers(array.size, size=2)
            if array.dtype == bool:
                array.view(np.uint8)[places[0]] = random.integers(4)
            else:
                array[places[0]] += random.integers(-2, 3)
                array[places] = array[places[::-1]]
        if random.random() < 0.2:
            values[random.integers(values.size)] += 1
        compare(T.shape, T.format, levels, values)
"""
    )
    seen, refused, different = ran.shown
    assert different == []
    assert seen == 25 * len(formats) and seen / 10 < refused < seen * 9 / 10


def test_levels_are_given_in_the_same_forms():
    """As arrays by name, and not as something else than a list."""
    ran = run_on_card(
        BEGIN
        + """
there = it.cuda.to_device
lists = {"positions": np.array([0, 1, 2]), "coordinates": np.array([1, 0])}
moved = {name: there(array) for name, array in lists.items()}
A = it.Tensor.from_buffers((2, 2), "csr", [None, moved], there(np.array([5.0, 6.0])))
for levels in (None, 3, moved, [None, (moved["positions"],)]):
    on_host = raised(lambda: it.Tensor.from_buffers((2, 2), "csr", levels, np.ones(2)))
    on_card = raised(lambda: it.Tensor.from_buffers((2, 2), "csr", levels, there(np.ones(2))))
    seen += on_card == on_host != "nothing"
show(A.to_host().to_numpy().tolist(), seen)
"""
    )
    assert ran.shown == [[[0.0, 5.0], [6.0, 0.0]], 4]


LISTED = LevelArrays("i16", "i8", flags=False, branchless=False, equal_segments=False)
TABLE = LevelArrays("i64", "i64", flags=False, branchless=False, equal_segments=True)
FLAGGED = LevelArrays(None, None, flags=True, branchless=False, equal_segments=False)
FUNCTIONS = [
    device_check_code.positions_check("i32"),
    device_check_code.coordinates_check("i64", "i32"),
    device_path_code.flags_check(),
    device_path_code.order_check((LISTED, LISTED), True, ordered=True, unique=True, in_range=True),
    device_path_code.repetition_check((LISTED, LISTED), False),
    device_path_code.used_check((FLAGGED, TABLE, LISTED)),
    device_path_code.slots_check(TABLE, True),
    device_path_code.slots_check(TABLE, False),
    device_path_code.values_check((FLAGGED, LISTED), (Merge(1, 0), Merge(0, 0, 2, 0)), (0,), (), "i64", 2),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_checks_assemble(function: DeviceFunction, tmp_path: Path):
    text = ptx_of_text(emit_nvvm(kernels_of(function.lowered(verify=True))), processor_of(8, 0))
    assert ".target sm_80" in text
    if PTXAS is not None:
        assert re.search("Used [0-9]+ registers", assemble(text, "sm_80", tmp_path))
