"""Errors about what is given in place of an array, an option or an array's method, with their whole text."""

# ruff: noqa: E501 (messages are whole lines)

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from check_error import check_error

import irtensor as it
from irtensor.levels.known_levels import LEVEL_PROPERTIES

A = np.eye(3)
V = np.ones(3)
SPARSE = it.Tensor.from_numpy(A, it.CSR)
DENSE = LEVEL_PROPERTIES["dense"]

# Slug, what the caller does, the text of the exception.
CALLS = [
    (
        "bad-argument",
        lambda: it.Tensor.from_numpy(sp.csr_array(A)),
        """error: [bad-argument] the array is a scipy csr_array
help: use Tensor.from_scipy, or irtensor.as_tensor""",
    ),
    (
        "bad-argument",
        lambda: it.Tensor.from_numpy(SPARSE),
        """error: [bad-argument] the array is an irtensor Tensor
help: it is a Tensor already: use it as it is, or .to_format(...)""",
    ),
    (
        "bad-argument",
        lambda: it.as_tensor([sp.csr_array(A), sp.csr_array(A)]),
        """error: [bad-argument] the array is a list of 2, among them a scipy csr_array
help: pass each as an operand of its own, or store them as one: scipy.sparse.vstack(...), or Tensor.from_coo""",
    ),
    (
        "bad-option",
        lambda: it.einsum("ij,j->i", A, V, optimise=True),
        """error: [bad-option] einsum: unknown option 'optimise'
help: did you mean optimize=?""",
    ),
    (
        "bad-argument",
        lambda: it.Tensor(np.eye(3)),
        """error: [bad-argument] a Tensor is not made by its class
help: tensors are made by irtensor.as_tensor, or by Tensor.from_numpy, from_coo, from_scipy, from_pydata and from_buffers""",
    ),
    (
        "unsupported-dtype",
        lambda: SPARSE.astype("U3"),
        """error: [unsupported-dtype] the result has dtype <U3
help: supported are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128""",
    ),
    (
        "bad-format",
        lambda: SPARSE.to_format("BCSR"),
        """error: [bad-format] BCSR is not a storage format
help: give it numbers, if it takes some: irtensor.BCSR(...)""",
    ),
    *[
        (
            "bad-option",
            # pyrefly: ignore[bad-argument-type][bad-argument-type]
            lambda name=name, value=value: it.compile("y[i] = x[i]", **{name: value}),
            f"error: [bad-option] {name}={value!r} is not usable: expected {expected}",
        )
        for name, value, expected in (
            ("target", 3, "cpu, cuda or cuda-emulated"),
            ("num_threads", "2", "a number of at least 1"),
            ("gallop", 1, "True or False"),
            ("cache_dir", 1.5, "the name of a folder"),
        )
    ],
    (
        "bad-option",
        lambda: it.compile("y[i] = x[i]", format={"y": "compressed"}),
        """error: [bad-option] unknown option 'format'
help: did you mean formats=?""",
    ),
    (
        "unsupported-index",
        lambda: SPARSE[2:5, it.indices("i")],
        """error: [unsupported-index] a tensor is indexed by index variables, and 2:5 is none
help: to take a part, do that first: T[2:5][i, j]; make some with i, j = irtensor.indices("i j")""",
    ),
    (
        "unsupported-index",
        lambda: SPARSE[1.5],
        """error: [unsupported-index] an index of float64 is not a coordinate
help: a tensor is indexed by integers, slices, None, an ellipsis, arrays of integers or booleans, or index variables""",
    ),
    (
        "unsupported-index",
        lambda: SPARSE[::0],
        """error: [unsupported-index] the step of a slice is 0
help: write 1, or -1 to go backwards""",
    ),
    (
        "rank-mismatch",
        lambda: SPARSE[0, 0, 0],
        """error: [rank-mismatch] 3 indices for a tensor of 2 dimensions
help: None in an index adds a dimension""",
    ),
    (
        "index-out-of-range",
        lambda: SPARSE[[0, 3]],
        """error: [index-out-of-range] coordinate 3 is outside of dimension 0, which has 3 elements
help: negative ones count from the end""",
    ),
    (
        "extent-mismatch",
        lambda: SPARSE[[True, False]],
        """error: [extent-mismatch] an array of booleans has 2 elements along dimension 0, which has 3""",
    ),
    (
        "extent-mismatch",
        lambda: SPARSE[[0, 1], [0, 1, 2]],
        """error: [extent-mismatch] arrays of coordinates of shapes (2,) and (3,) do not broadcast
help: their extents are equal or 1; numpy.ix_ gives each array a dimension of its own""",
    ),
    (
        "fill-mismatch",
        lambda: it.concatenate([SPARSE, SPARSE.with_fill(2.0)]),
        """error: [fill-mismatch] tensors with fill values 0.0 and 2.0 have none in common
help: T.with_fill(...) gives another one, where all elements are stored; or join T.to_numpy()""",
    ),
    (
        "extent-mismatch",
        lambda: it.concatenate([SPARSE, SPARSE[:, :2]]),
        """error: [extent-mismatch] shapes (3, 3) and (3, 2) differ in a dimension other than 0
help: give the axis in which they may differ""",
    ),
    (
        "extent-mismatch",
        lambda: it.stack([SPARSE, SPARSE[:2]]),
        """error: [extent-mismatch] tensors of shapes (3, 3) and (2, 3) are not side by side
help: irtensor.concatenate joins along a dimension that they have""",
    ),
    (
        "rank-mismatch",
        lambda: it.concatenate([SPARSE, SPARSE[0]]),
        """error: [rank-mismatch] tensors of shapes (3, 3) and (3,) are not joined along a dimension
help: irtensor.stack puts tensors side by side along a new dimension""",
    ),
    (
        "bad-argument",
        lambda: it.concatenate(SPARSE),  # pyrefly: ignore[bad-argument-type]
        """error: [bad-argument] tensors to join are given as a list, got a Tensor
help: write [A, B]""",
    ),
    (
        "bad-argument",
        lambda: it.roll(SPARSE, 1),
        """error: [bad-argument] a tensor of 2 dimensions is moved along one of them
help: give axis=""",
    ),
    (
        "bad-argument",
        lambda: it.pad(SPARSE, 1, "mean"),
        """error: [bad-argument] 'mean' is not a mode of padding
help: modes are constant, edge, wrap, reflect, symmetric""",
    ),
    (
        "bad-argument",
        lambda: it.pad(SPARSE, -1),
        """error: [bad-argument] pad_width is -1
help: widths are integers from 0 on""",
    ),
    (
        "fill-mismatch",
        lambda: it.pad(SPARSE, 1, constant_values=3),
        """error: [fill-mismatch] the tensor is padded with 3, and its fill value is 0.0
help: store that: T.to_numpy(), or T.with_fill(3)""",
    ),
    (
        "missing-name",
        lambda: SPARSE.reshape(9),
        """error: [missing-name] a Tensor has no 'reshape'
help: write coordinates, values = T.to_coo(), and Tensor.from_coo(..., shape=...) of coordinates computed from them""",
    ),
    (
        "bad-storage",
        lambda: setattr(SPARSE, "values", np.ones(4)),
        """error: [bad-storage] values of shape (4,) and dtype float64 do not take the place of those of shape (3,) and dtype float64
help: a tensor of other entries is made by Tensor.from_coo, or Tensor.from_buffers""",
    ),
    (
        "bad-storage",
        lambda: setattr(SPARSE, "values", np.ones(3, "f4")),
        """error: [bad-storage] values of shape (3,) and dtype float32 do not take the place of those of shape (3,) and dtype float64
help: convert the array: .astype('float64'), or the tensor: T.astype(...)""",
    ),
    (
        "bad-storage",
        lambda: setattr(SPARSE, "values", 1.0),
        """error: [bad-storage] values of shape () and dtype float64 do not take the place of those of shape (3,) and dtype float64
help: to set them all: T.values[...] = number""",
    ),
    (
        "bad-storage",
        lambda: setattr(SPARSE, "values", np.ones(6)[::2]),
        """error: [bad-storage] 'tensor' values is not contiguous and aligned in memory
help: pass numpy.ascontiguousarray(...)""",
    ),
    (
        "fixed-attribute",
        lambda: setattr(SPARSE, "shape", (9, 9)),
        """error: [fixed-attribute] a Tensor keeps its shape, to which (9, 9) was assigned
help: make a tensor of the entries: Tensor.from_coo(*T.to_coo(), shape=...)""",
    ),
    (
        "fixed-attribute",
        lambda: setattr(SPARSE.levels[1], "coordinates", np.zeros(2, np.int64)),
        """error: [fixed-attribute] a level keeps its coordinates, to which a ndarray of shape (2,) and dtype int64 was assigned
help: make a tensor of other arrays: Tensor.from_buffers(shape, format, levels, values)""",
    ),
    (
        "tensor-as-condition",
        lambda: bool(SPARSE),
        """error: [tensor-as-condition] a tensor of shape (3, 3) has no truth value
help: use .any() or .all()""",
    ),
]


@pytest.mark.parametrize("slug, call, text", CALLS, ids=[row[0] for row in CALLS])
def test_exception(slug, call, text):
    check_error(call, slug, text)


@pytest.mark.parametrize(
    ("module", "call", "text"),
    [
        ("scipy", lambda path: SPARSE.to_scipy(), "sparse arrays are made by scipy"),
        ("scipy", it.read, "files in Rutherford-Boeing format are read by scipy"),
        ("sparse", lambda path: SPARSE.to_pydata(), "arrays of pydata are made by sparse"),
    ],
)
def test_library_that_is_not_there(module, call, text, monkeypatch, tmp_path):
    path = tmp_path / "matrix.rb"
    path.write_text("title\n1\nrua 1 1 1 0\n")
    for name in [name for name in sys.modules if name == module or name.startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing(module), *sys.meta_path])
    check_error(
        lambda: call(path),
        "missing-library",
        f"""error: [missing-library] {text}, which is not installed
help: install it: pip install {module}""",
    )


def test_level_from_outside(monkeypatch):
    monkeypatch.setitem(LEVEL_PROPERTIES, "loose", LEVEL_PROPERTIES["compressed"])
    check_error(
        lambda: it.Tensor.from_numpy(A, "dense, loose"),
        "level-has-no-storage",
        """error: [level-has-no-storage] level 1 of 'tensor' is 'loose', a level format that was added from outside: nothing here makes, checks or reads its arrays
help: pass the arrays to the compiled code yourself, or store the tensor in other levels""",
    )


@pytest.mark.parametrize(
    "arguments, text",
    [
        (
            ("My List", DENSE),
            "'My List' is not a name of a level format\nhelp: use small letters, digits and _, and no word that formats have",
        ),
        (("dense", DENSE), "there is a format 'dense' already\nhelp: give the level another name"),
        (
            ("lists", DENSE, 1),
            "the code of level format 'lists' is of type int, not LevelCode\nhelp: derive its class from LevelCode",
        ),
        (
            ("lists", "dense"),
            "the properties of level format 'lists' are of type str, not LevelProperties\nhelp: pass irtensor.core.level_properties.LevelProperties(...)",
        ),
    ],
)
def test_what_is_no_level(arguments, text):
    check_error(lambda: it.register_level(*arguments), "bad-level", f"error: [bad-level] {text}")


class Missing:
    """Finds no module of a library, as if it were not installed."""

    def __init__(self, library):
        self.library = library

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == self.library:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
