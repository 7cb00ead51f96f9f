"""What users see of the code that a kernel becomes, the same for statements and functions of IR."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from irtensor.frontend.arguments import as_flag
from irtensor.late_imports import load_for

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options


class GeneratedCode(ABC):
    """Text of a kernel after each step of its compilation."""

    @abstractmethod
    def _compiled(self) -> tuple[Request, Options]:
        """The shown code: the request of the last call, and its settings."""

    def ir(self, stage: str = "index_notation") -> str:
        """The IR after a stage, or after a pass.

        Stages are index_notation, concrete_index, iteration_lattice, loop, optimized, parallel, arith, cpu and llvm.
        For a GPU, device and nvvm follow arith.
        """
        load_for("explaining")
        from irtensor.compiler.compilation.stage_ir import stage_ir

        request, options = self._compiled()
        return stage_ir(request, stage, options)

    def llvm_ir(self, optimized: bool = False) -> str:
        """The LLVM IR of the kernel as generated, or as LLVM optimises it for this processor."""
        load_for("explaining")
        from irtensor.compiler.compilation.stage_ir import llvm_ir

        return llvm_ir(*self._compiled(), optimized=as_flag("optimized=", optimized))

    def assembly(self) -> str:
        """The machine code of the kernel as assembly text."""
        load_for("explaining")
        from irtensor.compiler.compilation.stage_ir import llvm_ir

        return llvm_ir(*self._compiled(), assembly=True)

    def ptx(self, arch: str = "sm_90") -> str:
        """The kernels of a GPU for this statement, as PTX for a processor of NVIDIA; no card is needed for that.

        >>> import irtensor as it
        >>> ".target sm_90" in it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}).ptx("sm_90")
        True

        Raises UserError [cuda-arch] for a processor that is not known, [cuda-memory] for a statement whose kernels need
        memory of a size that is found while they run.
        """
        load_for("explaining")
        from irtensor.compiler.compilation.stage_ir import ptx

        return ptx(*self._compiled(), arch)
