"""What the blocks are that loops are cut into: how much lies in each, in any level, at the limits of numbers."""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, StringAttr
from xdsl.dialects.func import Func, FuncOp

import irtensor as it
from irtensor.api.compile_module import compile_module
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects import get_all_dialects
from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.concrete_index.index_ranges import ExtentOp
from irtensor.dialects.support.located_parser import parse_module
from irtensor.errors import UserError
from irtensor.passes import get_all_passes
from irtensor.tensors.tensor import Tensor

DCSR = TensorFormat.parse("(i, j) -> (i : compressed, j : compressed)")

SIZES = """
func.func @sizes(%A: tensor<?x?xf64, FORMAT>, %parts: tensor<?xf64>) -> tensor<?xf64> {
  %z = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, FORMAT>
        concrete_index.assign add %a into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %z : tensor<?xf64>
}
"""


def test_three_ways_to_halve():
    """Kjolstad 2020, figure 3-17: equally many rows, stored rows, or entries per block."""
    # Rows 0 and 7 are empty; row 1 has 5 entries, rows 2 to 6 one each.
    dense = np.zeros((8, 8))
    dense[1, :5] = dense[2, 3] = dense[3, 1] = dense[4, 4] = dense[5, 0] = dense[6, 7] = 1
    expected = {
        "rows": [7.0, 3.0],
        "stored rows": [7.0, 3.0],
        "entries": [5.0, 5.0],
    }
    steps = {
        "rows": [("divide", {"variable": "i"})],
        "stored rows": [("divide", {"variable": "i", "tensor": "A"})],
        "entries": [
            ("fuse", {"outer": "i", "inner": "j", "fused": "f"}),
            ("divide", {"variable": "f", "tensor": "A"}),
        ],
    }
    assert {way: block_sizes(dense, DCSR, chosen) for way, chosen in steps.items()} == expected
    dense[[0, 7]] = 0
    dense[4:7] = 0
    # Three stored rows, of 5, 1 and 1 entries, all in the upper half.
    assert block_sizes(dense, DCSR, steps["rows"]) == [7.0, 0.0]
    assert block_sizes(dense, DCSR, steps["stored rows"]) == [6.0, 1.0]
    assert block_sizes(dense, DCSR, steps["entries"]) == [4.0, 3.0]


def block_sizes(dense, format, steps):
    """How many entries of a matrix of ones the two blocks of a nest have, counted by native code."""
    context = Context()
    for name, factory in {**get_all_dialects(), "builtin": lambda: Builtin, "func": lambda: Func}.items():
        context.register_dialect(name, factory)
    module = parse_module(context, SIZES.replace("FORMAT", f"#storage.format<{format}>"), "sizes.mlir")
    for name, options in steps:
        halves = {"parts": 2, "outer": "b", "inner": "c"} if name == "divide" else {}
        get_all_passes()[name]()(**halves, **options).apply(context, module)
    blocks = next(op.variable for op in module.walk() if isinstance(op, ForallOp) and op.variable.name_hint == "b")
    function = next(op for op in module.walk() if isinstance(op, FuncOp))
    for op in list(module.walk()):
        if isinstance(op, AssignOp):
            # An operand of that extent says how many blocks there are.
            read = AccessOp.of(function.body.block.args[1], [blocks])
            product = ApplyOp.of(StringAttr("mul"), (op.value, read.result), op.value.type)
            assert op.parent is not None
            op.parent.insert_ops_before((read, product), op)
            op.operands = [product.result, op.tensor, blocks]
    for op in list(module.walk()):
        # The result is indexed by blocks now, so that its extent is no range of a loop any more.
        if isinstance(op, ExtentOp) and op.tensor is not function.body.block.args[0]:
            op.result.replace_all_uses_with(extent_of(op, function.body.block.args[0]))
    kernel = compile_module(str(module), disk_cache=False, convert=False)
    return list(kernel(Tensor.from_numpy(dense, format), np.ones(2)))


def test_more_coordinates_than_can_be_counted():
    """The product of the extents overflows; what is behind the last number belongs to the last block."""
    coordinates = np.array([[0, 5, 1 << 39, (1 << 40) - 1], [7, 0, 1 << 38, (1 << 40) - 1]])
    a = Tensor.from_coo(coordinates, np.array([1.0, 2.0, 4.0, 8.0]), shape=(1 << 40, 1 << 40), format=DCSR)
    for step in ("divide(f, f0, f1, 3)", "divide(f, f0, f1, 3, tensor=A)", "split(f, f0, f1, 3, tensor=A)"):
        schedule = it.schedule(f"fuse(i, j, f); {step}")
        kernel = it.compile("s = A[i,j]", formats={"A": DCSR}, schedule=schedule, disk_cache=False)
        assert kernel(A=a) == 15


@pytest.mark.parametrize("level", ["hashed", "padded", "bitmap"])
def test_windows_of_other_levels(level):
    array = np.zeros((6, 9))
    array[1, :4], array[2, 8], array[5, 3:6] = 1, 2, 3
    format = TensorFormat.parse(f"(i, j) -> (i : dense, j : {level})")
    schedule = it.schedule("split(j, j0, j1, 4)")
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": format}, schedule=schedule, disk_cache=False)
    x = np.arange(9.0)
    np.testing.assert_allclose(kernel(A=Tensor.from_numpy(array, format), x=x), array @ x)
    by_entries = it.schedule("split(j, j0, j1, 4, tensor=A)")
    with pytest.raises(UserError, match="illegal-split"):
        it.compile("y[i] = A[i,j] * x[j]", formats={"A": format}, schedule=by_entries, disk_cache=False).ir("loop")


def extent_of(op, tensor):
    new = ExtentOp.of(tensor, op.dimension.value.data)
    op.parent.insert_op_before(new, op)
    return new.result
