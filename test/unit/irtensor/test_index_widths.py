"""Results whose coordinates or positions 32 bits do not hold: wide where the format is chosen, else refused by name."""

import numpy as np
import pytest
import scipy.sparse as sp
from sampling import few_or_many

import irtensor as it

WIDE = 2**33
NARROW = "pos = i32, crd = i32"
B = it.Tensor.from_coo([[0, 1], [2**32 + 7, 5]], [2.0, 3.0], shape=(2, WIDE))
SWAP = it.Tensor.from_scipy(sp.coo_array(np.array([[0.0, 1], [1, 0]])))
LISTS = ["compressed(nonunique), singleton", "compressed, compressed", "dense, compressed", "dense, hashed"]


# A product of matrices, as a module of IR.
PRODUCT = it.compile("C[i,k] = A[i,j] * B[j,k]", dict.fromkeys("ABC", it.CSR)).ir()


def columns(tensor: it.Tensor) -> list[int]:
    tensor.check()
    return sorted(tensor.to_coo()[0][1].tolist())


def test_operators_choose_widths_that_the_extents_need():
    for swap in (SWAP, SWAP.to_format(it.CSR.with_widths(32, 32)), SWAP.to_format(it.DCSR.with_widths(64, 32))):
        assert swap.format.coordinate_width == 32
        for wide in (B, B.to_format("compressed, compressed"), B.to_format("dense, compressed, pos = i32")):
            product = swap @ wide
            assert columns(product) == [5, 2**32 + 7]
            assert product.format.coordinate_width == 64
    assert (SWAP @ SWAP).format.coordinate_width == 32
    assert (SWAP + SWAP.to_format(it.CSR)).format.coordinate_width == 64
    assert (2 * SWAP).format == SWAP.format


@pytest.mark.one_in(3)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("levels", LISTS)
@pytest.mark.parametrize("statement", ["C[i,j] = 2 * B[i,j]", "C[i,k] = A[i,j] * B[j,k]"])
def test_coordinates_beyond_a_given_width_are_refused(statement: str, levels: str, threads: int):
    kernel = it.compile(statement, {"C": f"{levels}, {NARROW}"}, num_threads=threads)
    operands = {"B": B, "A": SWAP} if "A[" in statement else {"B": B}
    for call in (kernel, kernel.assemble):
        with pytest.raises(it.UserError, match=rf"level 1 .* has extent {WIDE}, beyond 32-bit") as caught:
            call(**operands)
        assert caught.value.slug == "index-overflow"
    wide = it.compile(statement, {"C": f"{levels}, pos = i32"}, num_threads=threads)
    assert columns(wide(**operands)) == [5, 2**32 + 7]


@pytest.mark.parametrize("front", ["einsum", "lazy"])
def test_every_door_refuses_coordinates_beyond_a_given_width(front: str):
    i, j, k = it.indices("i j k")
    variable = it.tensor_variable("C", 2)
    variable[i, k] = SWAP[i, j] * B[j, k]
    call = variable.evaluate if front == "lazy" else lambda format: it.einsum("ij,jk->ik", SWAP, B, format=format)
    assert columns(call(format=it.CSR)) == [5, 2**32 + 7]
    with pytest.raises(it.UserError, match="beyond 32-bit coordinates"):
        call(format=it.CSR.with_widths(32, 32))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("levels", LISTS[: few_or_many(2, 4)])
@pytest.mark.parametrize("statement", ["C[i,k] = A[i,j] * A[j,k]", "C[i,k] = A[i,k] + A[k,i]"])
def test_more_entries_than_positions_count_are_refused(statement: str, levels: str, threads: int):
    few, many = (
        sp.random_array((30, 30), density=density, format="csr", rng=np.random.default_rng(0))
        for density in (0.05, 0.4)
    )
    wide = it.compile(statement, {"C": levels}, num_threads=threads)
    kernel = it.compile(statement, {"C": f"{levels}, pos = i8, crd = i16"}, num_threads=threads)
    for call in (kernel, kernel.assemble, kernel):
        # A table counts the slots of a row.
        if "hashed" not in levels:
            with pytest.raises(it.UserError, match=r"level \d .* has \d+ entries, beyond 8-bit positions") as caught:
                call(A=many)
            assert caught.value.slug == "index-overflow" and caught.value.help == "use pos = i16"
    np.testing.assert_array_equal(kernel(A=few).to_numpy(), wide(A=few).to_numpy())


def test_operators_take_wide_positions_where_narrow_ones_do_not_count_enough():
    drawn = sp.random_array((30, 30), density=0.1, rng=np.random.default_rng(0)).tocsr()
    tensor = it.Tensor.from_numpy(drawn.toarray(), "csr, pos = i8, crd = i8")
    for result, expected in ((tensor @ tensor, drawn @ drawn), (tensor + tensor.T.to_format("csr"), drawn + drawn.T)):
        assert result.format.position_width == 64
        np.testing.assert_allclose(result.to_numpy(), expected.toarray())
    assert (2 * tensor).format == tensor.format


def test_wide_results_by_every_door_take_memory_for_what_they_store():
    columns_of = 2**40
    eye = it.Tensor.from_numpy(np.eye(2), it.CSR)
    wide = it.Tensor.from_coo(
        [[0, 1, 1], [5, columns_of - 1, columns_of // 2]], [1.0, 2, 3], shape=(2, columns_of), format=it.CSR
    )
    i, j, k = it.indices("i j k")
    variable = it.tensor_variable("C", 2)
    variable[i, k] = eye[i, j] * wide[j, k]
    target = it.Tensor.from_coo([[0], [0]], [1.0], shape=(2, columns_of), format=it.CSR)
    target[i, k] = eye[i, j] * wide[j, k]
    results = [
        eye @ wide,
        variable.evaluate(format=it.CSR),
        variable.evaluate(format=it.COO(2)),
        it.einsum("ij,jk->ik", eye, wide, format=it.CSR),
        it.compile("C[i,k] = A[i,j] * B[j,k]", {"C": it.CSR})(A=eye, B=wide),
        it.compile_module(PRODUCT)(eye, wide),
        it.compile_module(PRODUCT, schedule="auto")(eye, wide),
        target,
        (eye @ wide) + (eye @ wide) * 0,
    ]
    for result in results:
        assert columns(result) == [5, columns_of // 2, columns_of - 1]
        assert sorted(result.values.tolist()) == [1, 2, 3]
