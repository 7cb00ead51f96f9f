"""Products of more than two tensors: in one kernel or in pairs, the values are the same."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.frontend.einsum.contraction_choice import choose
from irtensor.frontend.einsum.contraction_costs import Factor, Product

FORMATS = {1: [None, "compressed"], 2: [None, it.CSR, it.CSC, it.COO(2), it.DCSR], 3: [None, it.CSF(3), it.COO(3)]}
CHAINS = [
    "ij,jk,kl->il",
    "ij,jk,kl->li",
    "ij,jk,k->i",
    "i,ij,jk->k",
    "ijk,ip,jq->pqk",
    "ijk,jq,kr->iqr",
    "ijk,jr,kr->ir",
    "ij,ik,jk->ij",
    "ij,jk,ik->",
    "ji,jk,kl->il",
    "ij,jk,kl,lm->im",
    "ij,jk,kl,l->i",
    "ij,ij,jk,k->i",
    "ij,jk,kl,lm,mn->in",
    "ij,jk,lk,lm,m->i",
]


def sparse(rng, shape, dtype, density=0.4):
    return (rng.integers(1, 5, shape) * (rng.random(shape) < density)).astype(dtype)


def made(array, format):
    return array if format is None else it.Tensor.from_numpy(array, format)


def operands_of(subscripts, number, dtype):
    rng, draw = np.random.default_rng(number), random.Random(f"{subscripts} {number}")
    extents = dict(zip("ijklmnpqr", (5, 4, 6, 3, 5, 4, 2, 3, 2), strict=True))
    terms = subscripts.partition("->")[0].split(",")
    arrays = [sparse(rng, [extents[label] for label in term], dtype) for term in terms]
    return arrays, [made(one, draw.choice(FORMATS[one.ndim])) for one in arrays]


@pytest.mark.one_in(12)
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("subscripts", CHAINS)
def test_all_ways_give_what_numpy_does(subscripts, number, always):
    for dtype in (np.float64, np.int32) if number else (np.int64,):
        arrays, tensors = operands_of(subscripts, number, dtype)
        expected = np.einsum(subscripts, *arrays)
        for optimize in (None, False):
            found = it.einsum(subscripts, *tensors, optimize=optimize)
            np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("subscripts", CHAINS)
def test_statements_give_it_too(subscripts, always):
    arrays, tensors = operands_of(subscripts, 7, np.float64)
    inputs, _, output = subscripts.partition("->")
    terms = [f"T{number}[{','.join(term)}]" for number, term in enumerate(inputs.split(","))]
    target = f"Y[{','.join(output)}]" if output else "Y"
    kernel = it.compile(f"{target} = {' * '.join(terms)}")
    named = {f"T{number}": tensor for number, tensor in enumerate(tensors)}
    expected = np.einsum(subscripts, *arrays)
    np.testing.assert_array_equal(kernel(**named), expected)
    if output:
        out = np.empty(expected.shape)
        assert kernel(**named, out=out) is out
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("formats", [(it.CSR,) * 3, (it.CSC, it.CSR, it.COO(2)), (it.CSR, None, None)])
def test_sparse_results_have_the_entries_of_one_kernel(formats, always):
    rng = np.random.default_rng(3)
    arrays = [sparse(rng, (9, 9), np.float64, 0.15) for _ in formats]
    tensors = [made(array, format) for array, format in zip(arrays, formats, strict=True)]
    found, one = (it.einsum("ij,jk,kl->il", *tensors, format=it.CSR, optimize=how) for how in (None, False))
    np.testing.assert_array_equal(found.to_coo()[0], one.to_coo()[0])
    np.testing.assert_array_equal(found.to_numpy(), np.linalg.multi_dot(arrays))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("semiring", [it.MIN_PLUS, it.MAX_PLUS, it.MAX_MIN, it.MIN_MAX, it.MAX_TIMES, it.OR_AND])
@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_semirings(semiring, dtype, always):
    """With all formats together; where sums do not distribute, as of integers that wrap around, one kernel is left."""
    rng = np.random.default_rng(5)
    arrays = [sparse(rng, (5, 5), dtype) for _ in range(3)]
    for formats in itertools.product([None, it.CSR], repeat=3):
        tensors = [made(array, format) for array, format in zip(arrays, formats, strict=True)]
        found, one = (it.einsum("ij,jk,kl->il", *tensors, semiring=semiring, optimize=how) for how in (None, False))
        np.testing.assert_array_equal(found, one, strict=True)


def test_products_that_do_not_distribute_are_left_whole(always):
    """Of negative numbers, the largest product has the smallest factor."""
    rng = np.random.default_rng(2)
    arrays = [rng.integers(-5, 6, (5, 5)) * 1.0 for _ in range(3)]
    a, b, c = arrays
    expected = (a[:, :, None, None] * b[None, :, :, None] * c[None, None]).max(axis=(1, 2))
    np.testing.assert_array_equal(it.einsum("ij,jk,kl->il", *arrays, semiring=it.MAX_TIMES), expected)
    assert it.einsum_path("ij,jk,kl->il", *arrays, semiring=it.MAX_TIMES)[0] == ["einsum_path", (0, 1, 2)]
    assert len(it.einsum_path("ij,jk,kl->il", *arrays, semiring=it.MIN_PLUS)[0]) == 3


def test_an_infinity_beside_an_absent_entry(always):
    """The sum for an empty row is 0 in one kernel, and NaN where a dense intermediate has a 0 in this row."""
    left = it.Tensor.from_numpy(np.array([[1.0, 2.0], [0.0, 0.0]]), it.CSR)
    middle, right = np.ones((2, 3)), np.array([[np.inf], [1.0], [1.0]])
    expected = [[np.inf], [0.0]]
    path = it.einsum_path("ij,jk,kl->il", left, middle, right)[0]
    assert len(path) == 3
    np.testing.assert_array_equal(it.einsum("ij,jk,kl->il", left, middle, right), expected)
    kernel = it.compile("Y[i,l] = A[i,j] * B[j,k] * C[k,l]", formats={"A": it.CSR})
    np.testing.assert_array_equal(kernel(A=left, B=middle, C=right), expected)
    for extents in ((2, 50, 2), (2, 2, 50)):
        B, C = np.ones((2, extents[1])), np.ones((extents[1], extents[2]))
        C[0] = np.inf
        np.testing.assert_array_equal(it.einsum("ij,jk,kl->il", left, B, C)[1], np.zeros(extents[2]))
        np.testing.assert_array_equal(kernel(A=left, B=B, C=C)[1], np.zeros(extents[2]))


def test_what_is_to_be_computed_as_it_is_written_is(always):
    A = it.Tensor.from_numpy(np.eye(3), it.CSR)
    B = np.ones((3, 3))
    assert len(it.einsum_path("ij,jk,kl->il", A, B, B)[0]) == 3
    several: list[dict[str, Any]] = [{"exact": True}, {"strict_fp": True}, {"deterministic": True}, {"optimize": False}]
    for asked in several:
        assert it.einsum_path("ij,jk,kl->il", A, B, B, **asked)[0] == ["einsum_path", (0, 1, 2)], asked
    kernel = it.compile("Y[i,l] = A[i,j] * B[j,k] * C[k,l]", formats={"A": it.CSR}, strict_fp=True)
    kernel(A=A, B=B, C=B)
    assert " kernels, " not in kernel.explain()


def tensor(shape, entries):
    """A sparse matrix or tensor with about so many entries, in rows."""
    rng = np.random.default_rng(0)
    coordinates = np.unique(np.stack([rng.integers(0, extent, entries) for extent in shape]), axis=1)
    format = it.CSR if len(shape) == 2 else it.CSF(len(shape))
    return it.Tensor.from_coo(coordinates, np.ones(coordinates.shape[1]), shape=shape, format=format)


N = 2000
G = tensor((N, N), 20_000)
X = tensor((200, 150, 100), 60_000)
ONES = {16: np.ones((N, 16)), 64: np.ones((N, 64))}
# Each with the steps that it is computed in.
PATHS = [
    ("ijk,ip,jq->pqk", (X, np.ones((200, 10)), np.ones((150, 9))), {}, [(0, 1), (0, 1)]),
    ("ijk,jq,kr->iqr", (X, np.ones((150, 9)), np.ones((100, 8))), {}, [(0, 1), (0, 1)]),
    ("ij,jk,kf->if", (G, G, ONES[16]), {}, [(1, 2), (0, 1)]),
    ("ij,jk,kf->if", (G, ONES[64], np.ones((64, 16))), {}, [(1, 2), (0, 1)]),
    ("ij,jk,kl->il", (np.ones((300, 300)),) * 3, {}, [(1, 2), (0, 1)]),
    ("ij,jk,k->i", (np.ones((300, 300)), np.ones((300, 300)), np.ones(300)), {}, [(1, 2), (0, 1)]),
    ("ij,jk,k->i", (G, G, np.ones(N)), {}, [(0, 1, 2)]),
    ("ij,ik,jk->ij", (G, ONES[16], ONES[16]), {"format": it.CSR}, [(0, 1, 2)]),
    ("ijk,jr,kr->ir", (X, np.ones((150, 16)), np.ones((100, 16))), {}, [(0, 1, 2)]),
    ("ij,jk,ik->", (G, G, G), {}, [(0, 1, 2)]),
    ("ij,jk,kl->il", (G, G, G), {"format": it.CSR}, [(0, 1, 2)]),
    ("i,ij,j->ij", (np.ones(N), G, np.ones(N)), {"format": it.CSR}, [(0, 1, 2)]),
    # One factor has all labels, so that its product takes as many steps as all at once.
    *[("i,i,i->", (np.ones(extent),) * 3, {}, [(0, 1, 2)]) for extent in (3, N)],
    ("ijk,j,k->i", (np.ones((20, 30, 40)), np.ones(30), np.ones(40)), {}, [(0, 1, 2)]),
]


@pytest.mark.parametrize(("subscripts", "operands", "asked", "path"), PATHS)
def test_what_is_taken_apart(subscripts, operands, asked, path):
    assert it.einsum_path(subscripts, *operands, **asked)[0] == ["einsum_path", *path]


def patterns_of(operands):
    return [one if isinstance(one, np.ndarray) else one.to_numpy() != 0 for one in operands]


@pytest.mark.parametrize(("subscripts", "operands", "asked", "path"), PATHS[:4])
def test_pairs_multiply_no_more_often_than_one_nest(subscripts, operands, asked, path):
    """Counted in the operands: the steps of all pairs beside those of loops over all indices."""
    inputs, _, output = subscripts.partition("->")
    terms, arrays = inputs.split(","), [np.asarray(one, float) for one in patterns_of(operands)]
    nest = np.einsum(f"{inputs}->", *arrays, optimize=True)
    steps = 0.0
    for number, taken in enumerate(path):
        pair, chosen = [terms[place] for place in taken], [arrays[place] for place in taken]
        steps += np.einsum(f"{','.join(pair)}->", *chosen, optimize=True)
        terms = [one for place, one in enumerate(terms) if place not in taken]
        arrays = [one for place, one in enumerate(arrays) if place not in taken]
        rest = {*output}.union(*terms)
        made_of = "".join(dict.fromkeys(label for label in "".join(pair) if label in rest))
        arrays.append(1.0 * (np.einsum(f"{','.join(pair)}->{made_of}", *chosen) != 0))
        terms.append(made_of)
        assert number < 2
    assert steps < nest


def product(subscripts, extents, entries=(), is_sparse=False):
    inputs, _, output = subscripts.partition("->")
    factors = [
        Factor(tuple(term), number < len(entries), float(np.prod([extents[label] for label in term])))
        for number, term in enumerate(inputs.split(","))
    ]
    stored = [factor._replace(entries=its) for factor, its in zip(factors, entries, strict=False)]
    return Product((*stored, *factors[len(stored) :]), tuple(output), is_sparse, extents, True)


def test_only_intermediates_that_may_be_made_are():
    chain = product("ij,jk,kl->il", {"i": 900, "j": 900, "k": 64, "l": 16}, (9000.0,))
    seen = []

    def refuse(factor, is_mixed):
        seen.append((factor.labels, is_mixed))
        return "of no use"

    choice = choose(chain, refuse)
    assert not choice.splits and choice.path == ((0, 1, 2),) and choice.refused == {"of no use"}
    assert (("i", "k"), True) in seen and (("j", "l"), False) in seen
    for refusal in (lambda factor, is_mixed: "mixed" if is_mixed else None, lambda factor, is_mixed: None):
        assert choose(chain, refusal).path == ((1, 2), (0, 1))
    assert choose(chain, lambda factor, is_mixed: None if is_mixed else "not mixed").path == ((0, 1), (0, 1))


def test_entries_are_counted_as_if_they_were_spread_evenly():
    """Beside what operands that are drawn so have."""
    rng = np.random.default_rng(1)
    a, b = ((rng.random((60, 60)) < 0.05) * 1.0 for _ in range(2))
    given = product("ij,jk->ik", dict.fromkeys("ijk", 60), (a.sum(), b.sum()))
    assert given.steps("ijk", given.factors) == pytest.approx(np.einsum("ij,jk->", a, b), rel=0.1)
    assert given.result_of(given.factors, "ik").entries == pytest.approx(np.count_nonzero(a @ b), rel=0.1)
    assert given.share(given.factors[0], "i") == pytest.approx(np.mean(a.any(axis=1)), rel=0.1)


def test_columns_take_longer_than_rows():
    """Of as many steps, those that go down a column, and those that begin a short row each time."""
    rows = product("ij,jk->ik", {"i": 500, "j": 500, "k": 64}, (5000.0,))
    columns = rows._replace(factors=(rows.factors[0], rows.factors[1]._replace(labels=("k", "j"))), output=("k", "i"))
    assert rows.nest(rows.factors, rows.output, False) < columns.nest(columns.factors, columns.output, False)
    short = product("ij,jk->ik", {"i": 500, "j": 500, "k": 4}, (80_000.0,))
    assert short.steps("ijk", short.factors) == pytest.approx(rows.steps("ijk", rows.factors))
    assert rows.nest(rows.factors, rows.output, False) < short.nest(short.factors, short.output, False)


def test_the_bound_is_what_operands_and_result_take():
    """A dense intermediate above 256 MB is made where the operands take more."""
    extent = 6000
    thin = it.Tensor.from_numpy(np.eye(extent, 2), it.CSR)
    pattern = it.Tensor.from_coo([[0], [0]], [1.0], shape=(extent, extent), format=it.CSR)
    with pytest.raises(it.UserError, match="dense intermediate of 288000000 bytes"):
        it.einsum("ia,ja,ij->", thin, np.eye(extent, 2), pattern, optimize=[(0, 1), (0, 1)])
    assert it.einsum("ia,ja,ij->", thin, np.eye(extent, 2), pattern) == 1


def test_many_factors_are_paired_in_no_time():
    letters = "abcdefghijklmnopqrstuvwxyz"
    subscripts = ",".join(letters[k : k + 2] for k in range(20)) + "->au"
    arrays = [np.eye(7) for _ in range(20)]
    path, text = it.einsum_path(subscripts, *arrays)
    assert len(path) == 20 and text.startswith("19 kernels, ")
    np.testing.assert_array_equal(it.einsum(subscripts, *arrays), np.eye(7))
    np.testing.assert_array_equal(np.einsum(subscripts, *arrays, optimize=path), np.eye(7))


def test_statements_say_what_is_chosen():
    kernel = it.compile("Y[i,l] = sum(k, sum(j, A[i,j] * W[j,k]) * V[k,l])", formats={"A": it.CSR})
    assert "chosen when it is called" in kernel.explain()
    kernel.prepare(A=G, W=ONES[64], V=np.ones((64, 16)))
    text = kernel.explain()
    assert "intermediate0[j, l] = sum(k, W[j, k] * V[k, l]): dense, 256 kB" in text
    first, second = [part for part in text.split("\n\n") if part.startswith("kernel ")]
    assert first.startswith("kernel 0: intermediate0[j, l] = ") and "without code\n" in first
    assert second.startswith("kernel 1: Y[i, l] = ") and "\n  loops\n    for i: " in second
    kernel.prepare(A=G, W=np.ones((N, 1)), V=np.ones((1, 1)))
    np.testing.assert_array_equal(kernel(A=G, W=np.ones((N, 1)), V=np.ones((1, 1)))[:, 0], G.to_numpy().sum(axis=1))
    # Operands of several types are no chain.
    kernel = it.compile("y[i] = A[i,j] * W[j,k] * v[k]", formats={"A": it.CSR}, dtypes={"W": "float32"})
    kernel.prepare(A=G, W=np.ones((N, 64), np.float32), v=np.ones(64))
    assert " kernels, " not in kernel.explain()


def test_indices_of_an_inner_sum_are_its_own():
    """`j` of the sum is another one than the `j` outside of it only by its name, and so it stays inside."""
    kernel = it.compile("y[i] = sum(j, A[i,j] * x[j]) * B[i,k] * z[k]")
    A, B = np.arange(6.0).reshape(2, 3), np.arange(8.0).reshape(2, 4)
    x, z = np.arange(3.0), np.arange(4.0)
    np.testing.assert_array_equal(kernel(A=A, B=B, x=x, z=z), (A @ x) * (B @ z))
