"""How operands are read, by the target of a kernel."""

from __future__ import annotations

from irtensor.compiler.kernel.operand_binding import OperandBinding
from irtensor.late_imports import load_for


def binding_for(target: str) -> type[OperandBinding]:
    """How operands of kernels for a target are read."""
    if target != "cuda":
        return OperandBinding
    load_for("cards")
    from irtensor.compiler.device.device_binding import DeviceBinding

    return DeviceBinding
