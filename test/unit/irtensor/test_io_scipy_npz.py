"""SciPy's .npz files: what `it.write` writes, `scipy.sparse.load_npz` loads, and the other way round."""

import io
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

DENSE = np.array([[0.0, 2, 0, 0], [3, 0, 0, 0.5], [0, 0, 0, 0], [0, 7, 8, 0]])
FORMATS = ["csr", "csc", "coo", "bcsr(2, 2)", "dia", "dense, dense", "compressed, compressed", "dense, run_list"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", ["f8", "c8", "i2", "?"])
def test_written_and_loaded(tmp_path: Path, format: str, dtype: str):
    array, path = DENSE.astype(dtype), tmp_path / "a.npz"
    tensor = it.Tensor.from_numpy(array, format)
    it.write(path, tensor)
    loaded: Any = sp.load_npz(path)
    assert (loaded.format, loaded.dtype) == (tensor.to_scipy().format, dtype)
    np.testing.assert_array_equal(loaded.toarray(), array)
    again = it.read(path)
    again.check()
    assert again.dtype == dtype
    np.testing.assert_array_equal(again.to_numpy(), array)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_saved_and_read(tmp_path: Path, format: str, kind: str):
    array = getattr(sp, f"{format}_{kind}")(DENSE)
    sp.save_npz(tmp_path / "a.npz", array, compressed=kind == "array")
    tensor = it.read(tmp_path / "a.npz")
    assert tensor.format == it.Tensor.from_scipy(array).format
    np.testing.assert_array_equal(tensor.to_numpy(), DENSE)
    read = it.read(tmp_path / "a.npz", shape=(5, 4), format="csr, crd = i8", dtype="f4")
    assert (read.shape, read.dtype, str(read.format.coordinate_width)) == ((5, 4), np.float32, "8")
    np.testing.assert_array_equal(read.to_numpy()[:4], DENSE.astype("f4"))


@pytest.mark.parametrize("shape", [(3,), (2, 3, 4)])
def test_other_ranks(tmp_path: Path, shape: tuple[int, ...]):
    array = np.arange(np.prod(shape)).reshape(shape) % 3
    it.write(tmp_path / "a.npz", it.Tensor.from_numpy(array, it.COO(len(shape))))
    np.testing.assert_array_equal(sp.load_npz(tmp_path / "a.npz").toarray(), array)
    np.testing.assert_array_equal(it.read(tmp_path / "a.npz").to_numpy(), array)


def test_symmetric_ones_have_all_entries(tmp_path: Path):
    array = DENSE + DENSE.T
    it.write(tmp_path / "a.npz", it.Tensor.from_numpy(array, "csr, symmetric"))
    np.testing.assert_array_equal(sp.load_npz(tmp_path / "a.npz").toarray(), array)
    assert it.read(tmp_path / "a.npz", format="csr, symmetric").nnz == np.count_nonzero(np.triu(array))


def changed(tmp_path: Path, **arrays: object) -> Path:
    """A file of SciPy's with some arrays changed, or left out."""
    sp.save_npz(tmp_path / "a.npz", sp.csr_array(DENSE))
    with np.load(tmp_path / "a.npz") as loaded:
        given = {**{name: loaded[name] for name in loaded.files}, **arrays}
    kept: dict[str, Any] = {name: np.asarray(one) for name, one in given.items() if one is not None}
    np.savez(tmp_path / "b.npz", **kept)
    return tmp_path / "b.npz"


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ({"indices": None}, "but not its indices"),
        ({"data": None, "indptr": None}, "but not its data and indptr"),
        ({"format": None}, "it has no format"),
        ({"format": b"random"}, "its format is 'random'"),
        ({"indices": np.array([1, 0, 9, 1, 2])}, "9"),
        ({"indptr": np.array([0, 1, 3, 2, 5])}, "decrease"),
        ({"indptr": np.array([0.5, 1, 3, 3, 5])}, "indptr is an array of dtype float64"),
        ({"shape": np.array([4])}, "bad-file"),
        ({"shape": np.array(["a", "b"])}, "bad-file"),
        ({"data": np.array([1.0])}, "bad-file"),
        ({"data": np.array(["a"] * 5)}, "bad-file"),
        ({"data": np.array([None] * 5)}, "bad-file"),
    ],
)
def test_what_is_refused(tmp_path: Path, arrays: dict[str, object], text: str):
    with pytest.raises(it.UserError, match=text) as caught:
        it.read(changed(tmp_path, **arrays))
    assert caught.value.slug == "bad-file" and caught.value.help


def test_damaged_files(tmp_path: Path):
    whole = changed(tmp_path).read_bytes()
    path = tmp_path / "c.npz"
    random = np.random.default_rng(0)
    for number in range(150):
        damaged = bytearray(whole[: random.integers(len(whole))] if number % 3 == 0 else whole)
        for at in random.integers(max(len(damaged), 1), size=number % 5):
            damaged[at : at + 1] = bytes(random.integers(256, size=1, dtype=np.uint8))
        path.write_bytes(damaged)
        with suppress(it.UserError):
            it.read(path).check()
    file = io.BytesIO()
    np.save(file, DENSE)
    path.write_bytes(file.getvalue())
    with pytest.raises(it.UserError, match="bad-file"):
        it.read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "text")
    with pytest.raises(it.UserError, match="bad-file"):
        it.read(path)


def test_requests_that_do_not_fit(tmp_path: Path):
    path = tmp_path / "a.npz"
    it.write(path, it.Tensor.from_numpy(DENSE * 1j, "csr"))
    for slug, call in (
        ("unsupported-dtype", lambda: it.read(path, dtype="f8")),
        ("rank-mismatch", lambda: it.read(path, shape=(4,))),
        ("bad-file", lambda: it.read(path, shape=(3, 4))),
        ("rank-mismatch", lambda: it.read(path, format="compressed")),
        ("cannot-read", lambda: it.read(tmp_path / "none.npz")),
        ("cannot-write", lambda: it.write(tmp_path / "none" / "a.npz", DENSE)),
        ("unknown-file-format", lambda: it.read(tmp_path / "a.npz.gz")),
        ("fill-mismatch", lambda: it.write(path, it.Tensor.from_numpy(DENSE, "csr, fill = 7"))),
        ("rank-mismatch", lambda: it.write(path, np.array(1.0))),
    ):
        with pytest.raises(it.UserError) as caught:
            call()
        assert caught.value.slug == slug
    it.write(path, it.Tensor.from_numpy(DENSE, "csr"))
    with pytest.raises(it.UserError, match=r"0\.5 is not a value of dtype int8"):
        it.read(path, dtype="i1")
