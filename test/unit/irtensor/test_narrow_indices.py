"""Indices of 8, 16, 32 and 64 bits, of each level its own: storage, conversions, kernels, files; what does not fit."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cuda_stub import run_on_card

import irtensor as it
from irtensor.core.index_widths import WIDTHS
from irtensor.core.tensor_format import TensorFormat

pytestmark = pytest.mark.usefixtures("small_parts")  # loops over a few rows are divided, too

LISTS = {
    "CSR": "dense, compressed",
    "CSC": "(i, j) -> (j : dense, i : compressed)",
    "DCSR": "compressed, compressed",
    "COO": "compressed(nonunique), singleton",
    "any order": "compressed(nonunique, nonordered), singleton(nonordered)",
    "blocks": "(i, j) -> (i floordiv 2 : compressed, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)",
    "lists in blocks": "(i, j) -> (i floordiv 4 : dense, j floordiv 5 : compressed, "
    "i mod 4 : compressed(nonunique), j mod 5 : singleton)",
    "rows": "compressed, dense",
}
# What kernels write as lists, which are converted.
CONVERTED = {
    "ELL": "dense, padded",
    "padded": "padded, compressed",
    "tables": "hashed, hashed",
    "table of lists": "dense, hashed",
    "diagonals": "(i, j) -> (j - i : compressed, i : range, j : offset)",
    "lists of diagonals": "(i, j) -> (j - i : compressed, i : compressed, j : offset)",
}
ALL = {**LISTS, **CONVERTED}
UNIFORM = list(product(WIDTHS, WIDTHS))


def matrix(seed: int, shape: tuple[int, int] = (12, 15), density: float = 0.3) -> np.ndarray[Any, Any]:
    """Whole numbers, of which sums are exact; a row is empty, so that products have 121 entries at most."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(1, 9, shape) * (rng.random(shape) < density) * 1.0
    drawn[3] = 0
    return drawn


A, B, X = matrix(0), matrix(1), np.arange(15.0)


def widths_of(levels: str, seed: int, own: int = 3) -> list[TensorFormat]:
    """The format with each pair of widths, and with some of each level's own."""
    format, choice = TensorFormat.parse(levels), random.Random(seed).choice
    uniform = [format.with_widths(*widths) for widths in UNIFORM]
    drawn = [[[choice(WIDTHS) for _ in format.levels] for _ in "pc"] for _ in range(own)]
    return [*uniform, *[format.with_level_widths(*widths) for widths in drawn]]


def widths(format: TensorFormat) -> list[list[int]]:
    """Those of the arrays that there are."""
    levels = [(number, level.format.properties) for number, level in enumerate(format.levels)]
    return [
        [format.position_width_of(number) for number, properties in levels if properties.has_positions],
        [format.coordinate_width_of(number) for number, properties in levels if properties.has_coordinates],
    ]


def sampled(levels: str, count: int) -> list[TensorFormat]:
    """Some of these, in each of which another width comes first."""
    formats = widths_of(levels, len(levels))
    return random.Random(levels).sample(formats[:-3], count - 1) + formats[-1:]


def check(tensor: Any, expected: np.ndarray[Any, Any], format: TensorFormat | None = None) -> None:
    """The arrays are those of the format, of its types, and say what is expected."""
    assert format is None or tensor.format == format
    tensor.check()
    for number, level in enumerate(tensor.levels):
        for array, width in (
            (level.positions, tensor.format.position_width_of(number)),
            (level.coordinates, tensor.format.coordinate_width_of(number)),
        ):
            assert array is None or array.dtype == np.dtype(f"int{width}")
    np.testing.assert_array_equal(tensor.to_numpy(), expected)


def refused(call: Callable[[], object], message: str, help: str) -> None:
    with pytest.raises(it.UserError, match=re.escape(message)) as caught:
        call()
    assert caught.value.slug == "index-overflow" and caught.value.help == help


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ALL)
def test_storage(name: str, tmp_path: Path):
    for number, format in enumerate(widths_of(ALL[name], 0)):
        tensor = it.Tensor.from_numpy(A, format)
        check(tensor, A, format)
        check(it.Tensor.from_numpy(0 * A, format), 0 * A, format)
        check(it.Tensor.from_numpy(A[:0], format), A[:0], format)
        check(it.Tensor.from_coo(*tensor.to_coo(), shape=A.shape, format=format), A, format)
        check(it.Tensor.from_buffers(A.shape, str(format), tensor.levels, tensor.values), A, format)
        check(pickle.loads(pickle.dumps(tensor)), A, format)
        check(tensor.T, A.T)
        check(tensor.diagonal(), A.diagonal())
        check(tensor.tocsc(), A)
        array = tensor.to_scipy()
        np.testing.assert_array_equal(array.toarray(), A)
        np.testing.assert_array_equal(tensor.to_pydata().todense(), A)
        back = it.Tensor.from_scipy(array)
        check(back.to_format(format), A, format)
        check(it.Tensor.from_scipy(array, format), A, None if min(map(min, widths(format))) > 16 else format)
        if number % 5 == 0:
            for file in ("a.mtx", "a.tns"):
                it.write(tmp_path / file, tensor)
                check(it.read(tmp_path / file, format=format, shape=A.shape), A, format)


@pytest.mark.parametrize("name", ALL)
def test_conversions(name: str):
    for other, levels in ALL.items():
        before, after = random.Random(name + other).choices(range(16 + 8), k=2)
        source, target = widths_of(ALL[name], 1, own=8)[before], widths_of(levels, 2, own=8)[after]
        check(it.Tensor.from_numpy(A, source).to_format(target), A, target)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", ALL)
def test_kernels_read(name: str, threads: int):
    for format in sampled(ALL[name], 3):
        a, b = it.Tensor.from_numpy(A, format), it.Tensor.from_numpy(B, format)
        product = it.compile("y[i] = A[i,j] * x[j]", {"A": format}, num_threads=threads)
        np.testing.assert_array_equal(product(A=a, x=X), A @ X)
        total = it.compile("C[i,j] = A[i,j] + B[i,j]", {"C": it.CSR}, num_threads=threads)
        check(total(A=a, B=b), A + B, it.CSR)
        check(total(A=it.Tensor.from_numpy(A, "csc, crd = i8"), B=b), A + B, it.CSR)


STATEMENTS: dict[str, Callable[[Any, Any], Any]] = {
    "C[i,j] = 2 * A[i,j]": lambda a, b: 2 * a,
    "C[i,j] = A[i,j] + B[i,j]": lambda a, b: a + b,
    "C[i,k] = A[i,j] * B[k,j]": lambda a, b: a @ b.T,
    "C[j,i] = A[i,j]": lambda a, b: a.T,
}


@pytest.mark.one_in(32)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("name", ALL)
def test_kernels_write(name: str, statement: str, threads: int):
    expected = STATEMENTS[statement](A, B)
    for number, format in enumerate(sampled(ALL[name], 2)):
        stored = {"A": it.Tensor.from_numpy(A, "csr, crd = i8"), "B": it.Tensor.from_numpy(B, "dcsr, pos = i16")}
        operands = {one: tensor for one, tensor in stored.items() if f"{one}[" in statement.partition("=")[2]}
        schedule = it.schedule(f"assemble(C, {('append', 'insert')[number]})") if name == "CSR" else None
        kernel = it.compile(statement, {"C": format}, num_threads=threads, schedule=schedule)
        check(kernel(**operands), expected, format)
        index = kernel.assemble(**operands)
        check(index, 0 * expected, format)
        if name not in ("blocks", "rows", "diagonals", "any order"):
            check(kernel.compute(index, **operands), expected, format)


@pytest.mark.parametrize("widths", ["pos = i8, crd = i8", "pos = i64, crd = i16"])
def test_kernels_for_a_gpu(widths: str):
    """Emulated: what is read and written there, and the checks of arrays there."""
    ran = run_on_card(
        f"widths = {widths!r}"
        + """
rng = np.random.default_rng(0)
a, b = (rng.integers(1, 9, (9, 11)) * (rng.random((9, 11)) < 0.3) * 1.0 for _ in "ab")
for levels in ("dense, compressed", "compressed, compressed", "compressed(nonunique), singleton"):
    format = it.Format(f"{levels}, {widths}")
    A, B = (it.Tensor.from_numpy(one, format).to_device() for one in (a, b))
    A.check()
    X = it.cuda.to_device(np.arange(11.0))
    y = compiled(SPMV, {"A": format})(A=A, x=X).to_numpy()
    if not (y == a @ np.arange(11.0)).all():
        show(f"{format} is read wrong")
    total = compiled("C[i,j] = A[i,j] + B[i,j]", {"A": format, "B": format, "C": format})(A=A, B=B)
    total.check()
    if total.format != format or not (total.to_host().to_numpy() == a + b).all():
        show(f"{format} is written wrong")
    damaged = A.to_host().copy()
    damaged.levels[-1].coordinates[2] = 100
    show(raised(damaged.to_device().check))
many = it.Tensor.from_numpy(np.ones((12, 11)), "csr").to_device()
twice = compiled("C[i,j] = 2 * A[i,j]", {"A": it.CSR, "C": it.Format("dense, compressed, pos = i8")})
show(raised(lambda: twice(A=many)))
show("end")
"""
    )
    assert [text for text in ran.shown if "wrong" in text] == []
    assert sum("coordinates[2] is 100, outside 0..10" in text for text in ran.shown) == 3
    assert "level 1 (j : compressed) has 132 entries, beyond 8-bit positions" in ran.shown[-2]
    assert ran.shown[-1] == "end"


@pytest.mark.parametrize("width", [8, 16])
@pytest.mark.parametrize("levels", ["compressed", "dense, compressed", "compressed(nonunique), singleton"])
def test_as_many_entries_as_positions_count(levels: str, width: int):
    most = 2 ** (width - 1) - 1
    rank, wider = levels.count(",") + 1, 2 * width
    narrow = f"{levels}, pos = i{width}, crd = i32"
    for count in (most, most + 1):
        values = np.arange(1.0, count + 1)
        coordinates = np.stack([np.zeros(count, np.int64)] * (rank - 1) + [np.arange(count)])
        wide = it.Tensor.from_coo(coordinates, values, shape=(1,) * (rank - 1) + (count,), format=levels)
        target = "C[i,j]" if rank == 2 else "C[i]"
        kernels = [
            it.compile(f"{target} = 2 * {target.replace('C', 'A')}", {"C": narrow}, num_threads=n) for n in (1, 3)
        ]
        calls = [
            *[lambda kernel=kernel: kernel(A=wide).values / 2 for kernel in kernels],
            lambda: wide.to_format(narrow).values,
            lambda: it.Tensor.from_numpy(wide.to_numpy(), narrow).values,
        ]
        for number, call in enumerate(calls):
            if count == most:
                np.testing.assert_array_equal(call(), values)
            elif number == 2:
                with pytest.raises(it.UserError, match=f"positions up to {count} of level .* do not fit int{width}"):
                    call()
            else:
                with pytest.raises(
                    it.UserError, match=rf"level \d .* has {count} entries, beyond {width}-bit"
                ) as caught:
                    call()
                assert caught.value.help == f"use pos = i{wider}"


@pytest.mark.parametrize("threads", [1, 3])
def test_each_level_counts_its_own_entries(threads: int):
    drawn = np.zeros((300, 4))
    drawn[::2, 1] = 1
    drawn[:100, 2] = 1
    stored = it.Tensor.from_numpy(drawn, "csr")
    for widths, message in (
        ("compressed(pos = i8), compressed(pos = i16)", "level 0 (i : compressed(pos = i8)) has 200 entries"),
        ("compressed(pos = i16), compressed(pos = i8)", "level 1 (j : compressed(pos = i8)) has 250 entries"),
        ("compressed(pos = i16), compressed(pos = i16)", None),
    ):
        kernel = it.compile("C[i,j] = A[i,j] * x[j]", {"C": widths}, num_threads=threads)
        for call in (kernel, kernel.assemble):
            if message is None:
                check(call(A=stored, x=np.ones(4)), drawn if call is kernel else 0 * drawn, it.Format(widths))
            else:
                refused(lambda call=call: call(A=stored, x=np.ones(4)), message, "use pos = i16")


@pytest.mark.parametrize("width", [8, 16])
def test_extents_that_coordinates_reach(width: int):
    most = 2 ** (width - 1)
    crd = f"pos = i32, crd = i{width}"
    for levels, fits in (("compressed", most), ("hashed", most), ("padded", most - 1)):
        for extent in (fits, fits + 1):
            ends = it.Tensor.from_coo([[0, extent - 1]], [1.0, 2.0], shape=(extent,), format="compressed")
            kernel = it.compile("C[i] = A[i]", {"C": f"{levels}, {crd}"})
            for call in (
                lambda ends=ends, extent=extent, levels=levels: it.Tensor.from_coo(
                    *ends.to_coo(), shape=(extent,), format=f"{levels}, {crd}"
                ),
                lambda ends=ends, kernel=kernel: kernel(A=ends),
            ):
                if extent == fits:
                    check(call(), ends.to_numpy())
                else:
                    message = f"level 0 (i : {levels}) has extent {extent}, beyond {width}-bit coordinates"
                    refused(call, message, f"use crd = i{2 * width}")
    # A diagonal has a number below 0.
    ends = it.Tensor.from_coo([[0, most], [most - 1, 0]], [1.0, 2.0], shape=(most + 1, most), format="coo")
    diagonals = it.DIA.with_widths(32, width)
    np.testing.assert_array_equal(ends.to_format(diagonals).to_coo()[0][1], [0, most - 1])
    ends = it.Tensor.from_coo([[0], [0]], [1.0], shape=(most + 2, 1), format="coo")
    refused(lambda: ends.to_format(diagonals), f"beyond {width}-bit coordinates", f"use crd = i{2 * width}")


def test_extents_beyond_all_narrow_widths():
    far = it.Tensor.from_coo([[2**40]], [1.0], shape=(2**40 + 1,), format="compressed")
    for width in (8, 16, 32):
        for level in ("hashed", "compressed"):
            text = f"{level}, crd = i{width}"
            refused(lambda text=text: far.to_format(text), "has extent 1099511627777", "use crd = i64")
        arrays = ([0, 1], np.zeros(1, f"int{width}"))
        given = f"compressed, crd = i{width}"
        with pytest.raises(it.UserError, match="has extent 1099511627777"):
            it.Tensor.from_buffers(far.shape, given, [arrays], [1.0])
    assert (far * far).format == far.format


def test_slots_are_as_many_as_a_number_counts():
    for count, format, slots in ((127, "padded", 127), (128, "padded", 128), (84, "hashed", 126), (85, "hashed", 128)):
        values = np.zeros((2, 400))
        values[1, :count] = 1

        def made(values: Any = values, format: str = format) -> it.Tensor:
            return it.Tensor.from_numpy(values, f"dense, {format}, pos = i8, crd = i16")

        if slots > 127:
            refused(made, f"level 1 (j : {format}) has {slots} slots, beyond 8-bit positions", "use pos = i16")
        else:
            check(made(), values)
            assert made().levels[1].positions.tolist() == [slots]  # pyrefly: ignore[missing-attribute]
            np.testing.assert_array_equal(it.einsum("ij,j->i", made(), np.ones(400)), values.sum(1))


def test_tables_are_probed_by_wide_numbers():
    """A coordinate modulo the slots, which are more than the coordinates' own type holds."""
    values = np.zeros((3, 120))
    values[0, 1::1] = 1
    tensor = it.Tensor.from_numpy(values, "dense, hashed, pos = i16, crd = i8")
    assert tensor.levels[1].positions.tolist() == [179]  # pyrefly: ignore[missing-attribute]
    check(tensor, values)
    np.testing.assert_array_equal(it.einsum("ij,j->i", tensor, np.ones(120)), values.sum(1))


@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_below_zero(width: int):
    """Of diagonals, and of the free slots of tables, which are no entries."""
    for name in ("diagonals", "lists of diagonals"):
        format = it.Format(ALL[name]).with_widths(width, width)
        kernel = it.compile("y[i] = A[i,j] * x[j]", {"A": format})
        np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(A, format), x=X), A @ X)
    table = it.Tensor.from_numpy(A, it.Format(ALL["table of lists"]).with_widths(width, width))
    assert -1 in table.levels[1].coordinates  # pyrefly: ignore[not-iterable]
    kernel = it.compile("y[i] = sum(j, where(stored(A[i,j]), 1, 0))", {"A": table.format})
    np.testing.assert_array_equal(kernel(A=table), (A != 0).sum(1))


def test_numbers_beyond_what_coordinates_hold():
    """Sizes of blocks, and rows of which there is one more, while coordinates are computed."""
    rng = np.random.default_rng(3)
    drawn = (rng.random((128, 120)) < 0.5) * 1.0
    for source in ("compressed, compressed, crd = i8", "dense, compressed, crd = i8", "coo, crd = i8"):
        tensor = it.Tensor.from_numpy(drawn, source)
        check(tensor.to_format(it.BCSR(200, 300)), drawn)
        check(tensor.to_format(it.CSB(100).with_widths(64, 8)), drawn)
        check(tensor.to_format("csr"), drawn)
        check(tensor.to_format("csc, crd = i8"), drawn)
    for size in (1, 100, 127):
        blocks = it.Tensor.from_numpy(drawn, it.BCSR(size, 3).with_widths(16, 8))
        check(blocks, drawn)
        check(blocks.to_format("csr, crd = i8"), drawn)


def test_duplicates_are_counted_when_they_are_added():
    format = it.Format("compressed, pos = i8, crd = i8")
    tensor = it.Tensor.from_coo([np.arange(300) % 100], np.ones(300), shape=(100,), format=format)
    check(tensor, np.full(100, 3.0), format)
    kept = it.Format("compressed(nonunique), pos = i8, crd = i8")
    given = [np.arange(128) % 2], np.ones(128)
    refused(lambda: it.Tensor.from_coo(*given, format=kept, duplicates="keep"), "has 128 entries", "use pos = i16")


def test_what_is_converted_for_a_kernel_fits():
    """Blocks, tables and rows have fewer or smaller numbers than what they are converted to."""
    drawn = matrix(5, (40, 300), 0.4)
    blocks = it.Tensor.from_numpy(drawn, it.BCSR(8, 30).with_widths(8, 8))
    table = it.Tensor.from_numpy(drawn[:, :100], "dense, hashed, pos = i8, crd = i8")
    padded = it.Tensor.from_numpy(drawn[:, :100], "dense, padded, pos = i8, crd = i8")
    total = it.compile("C[i,j] = A[i,j] + B[i,j]", {"C": it.CSR})
    check(total(A=blocks, B=drawn), 2 * drawn)
    check(total(A=table, B=padded), 2 * drawn[:, :100])
    check(total(A=it.Tensor.from_numpy(drawn, it.CSC), B=blocks), 2 * drawn)
    promised = it.compile("y[i] = A[i,j] * x[j]", {"A": it.CSR})
    for tensor in (blocks, table, padded):
        columns = tensor.shape[1]
        np.testing.assert_array_equal(promised(A=tensor, x=np.ones(columns)), drawn[:, :columns].sum(1))
        check(tensor.tocsr(), drawn[:, :columns])
        check(tensor.sum(0), drawn[:, :columns].sum(0))
        check(tensor @ tensor.T, drawn[:, :columns] @ drawn[:, :columns].T)


def test_results_that_are_converted_fit_what_was_asked_for():
    """More entries than 8 bits count, of which no row has many."""
    drawn = matrix(6, (40, 100), 0.2)
    for format in ("dense, padded, pos = i8, crd = i8", "dense, hashed, pos = i8, crd = i8"):
        kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": format})
        assert np.count_nonzero(drawn) > 400
        check(kernel(A=it.Tensor.from_numpy(drawn, "csr")), 2 * drawn, it.Format(format))


def test_operators_keep_narrow_indices_where_they_fit():
    a = it.Tensor.from_numpy(A, "compressed(crd = i8), compressed(pos = i8, crd = i16), pos = i32")
    assert (2 * a).format == a.format and (a * a).format == a.format
    assert (a * it.Tensor.from_numpy(B, a.format)).format == a.format
    assert (a + it.Tensor.from_numpy(B, "dcsr, crd = i32")).format == it.DCSR.with_widths(64, 32)
    others = (A == 0) * (np.arange(15) < 13) * 1.0
    wide = a + it.Tensor.from_numpy(others, a.format)
    check(wide, A + others)
    assert wide.format == it.DCSR
    # As wide as the extents ask for.
    b = it.Tensor.from_numpy(matrix(7, (20, 9)), "csr, crd = i8")
    ones = it.Tensor.from_numpy(np.ones((9, 300)), "csr, pos = i16, crd = i16")
    assert (b @ ones).format.coordinate_width == 16


def test_arrays_of_other_types_are_refused_by_name():
    format = it.Format("dense, compressed, pos = i16, crd = i8")
    positions, coordinates = np.array([0, 1, 2]), np.array([1, 0])
    shape, values = (2, 2), np.ones(2)
    for pos, crd, message in (
        (np.int16, np.uint8, "coordinates has dtype uint8, expected int8"),
        (np.int16, np.int16, "coordinates has dtype int16, expected int8"),
        (np.int64, np.int8, "positions has dtype int64, expected int16"),
        (np.uint16, np.int8, "positions has dtype uint16, expected int16"),
    ):
        level = positions.astype(pos), coordinates.astype(crd)
        with pytest.raises(it.UserError, match=message) as caught:
            it.Tensor.from_buffers(shape, format, [None, level], values)
        assert caught.value.slug == "bad-storage"
    with pytest.raises(it.UserError, match="level 1: coordinates has values up to 200, beyond int8"):
        it.Tensor.from_buffers((2, 300), format, [None, ([0, 1, 2], [1, 200])], values)
    for crd, message in (([1, -1], r"coordinates\[1\] is -1, outside 0..1"), ([1, 2], r"coordinates\[1\] is 2")):
        with pytest.raises(it.UserError, match=message):
            it.Tensor.from_buffers(shape, format, [None, ([0, 1, 2], crd)], values)
    with pytest.raises(it.UserError, match="positions decrease from 2 to -1"):
        it.Tensor.from_buffers((3, 2), format, [None, ([0, 2, -1, 2], [0, 1])], values)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint8, np.uint64])
def test_coordinates_of_any_integers_are_taken(dtype: Any):
    rows = [np.array([0, 100, 7], dtype), np.array([3, 90, 5], dtype)]
    tensor = it.Tensor.from_coo(rows, [1.0, 2.0, 3.0])
    assert tensor.shape == (101, 91) and tensor.format == it.COO(2)
    blocks = it.Tensor.from_coo(rows, [1.0, 2.0, 3.0], format=it.BCSR(30, 200).with_widths(8, 8), shape=(300, 500))
    np.testing.assert_array_equal(blocks.to_coo()[0], [[0, 7, 100], [3, 5, 90]])


def test_code_reads_and_writes_what_the_format_says():
    text = it.compile(
        "C[i,j] = A[i,j] * x[j]", {"A": "dcsr, crd = i8", "C": "compressed(pos = i8), compressed(crd = i16)"}
    ).ir("loop")
    arguments = dict(re.findall(r"%(\w+): !loop\.(?:buffer|growable)<(\w+)>", text))
    assert {name: arguments[name] for name in ("A_pos0", "A_crd0", "A_pos1", "A_crd1")} == {
        "A_pos0": "i64",
        "A_crd0": "i8",
        "A_pos1": "i64",
        "A_crd1": "i8",
    }
    assert [arguments[f"C_{name}"] for name in ("pos0", "crd0", "pos1", "crd1")] == ["i8", "i64", "i64", "i16"]
