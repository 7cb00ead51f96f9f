"""Models of the expected work of programs on operands in some formats, for tests."""

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, f64

from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.storage.storage import FormatAttr
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.autoschedule.convert_operands import Conversions
from irtensor.passes.autoschedule.expected_work import ExpectedWork
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.search import Search

CSR, DCSR, CSF = "dense, compressed", "compressed, compressed", "compressed, compressed, compressed"
PRODUCT = "A[i,j] += B[i,k] * C[k,j]"
EXTENTS = {"i": 7.0, "j": 8.0, "k": 9.0, "l": 6.0}
SHARES = {"B": 0.3, "C": 0.2, "D": 0.15}
SIZES = OperandSizes(EXTENTS, SHARES)


def work(text: str = PRODUCT, sizes: OperandSizes = SIZES, **formats: str) -> ExpectedWork:
    """The work of programs for a statement whose tensors are stored in formats; those without one are dense."""
    statement = parse_program(text, EXTENTS)
    kernel = Kernel(statement, frozenset("ABCDx").difference(formats))
    types = {}
    for name, indices in {**kernel.sparse, "A": kernel.target.indices}.items():
        format = TensorFormat.parse(formats.get(name, ", ".join(["dense"] * len(indices))))
        types[name] = TensorType(f64, [DYNAMIC_INDEX] * format.rank, FormatAttr(format))
    tensors = dict(zip(types, create_block(tuple(types.values())).args, strict=True))
    program = Program(statement, {}, tensors)
    return ExpectedWork(Search(kernel), program, Conversions(program), sizes)
