"""LLVM IR text of what kernels of a GPU consist of beside what those of a CPU do."""

import re

from llvm_modules import parse_llvm

from irtensor.runtime.emit_llvm import emit_llvm


def lines_of(text):
    """The lines of a module, names of values without their hints."""
    return [re.sub(r"%\w+\.", "%", line.strip()) for line in emit_llvm(parse_llvm(text)).splitlines()]


def test_atomic_operations_keep_their_scopes():
    text = """
llvm.func @f(%p: !llvm.ptr<3>, %v: i64) {
  %q = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr
  %a = llvm.atomicrmw add %q, %v syncscope("device") monotonic : !llvm.ptr, i64
  %b = llvm.atomicrmw add %q, %v monotonic : !llvm.ptr, i64
  %c = llvm.cmpxchg %q, %v, %v syncscope("block") acq_rel monotonic : !llvm.ptr, i64
  llvm.fence syncscope("device") release
  llvm.fence seq_cst
  llvm.return
}
"""
    assert lines_of(text)[2:8] == [
        "%2 = addrspacecast ptr addrspace(3) %0 to ptr",
        '%3 = atomicrmw add ptr %2, i64 %1 syncscope("device") monotonic',
        "%4 = atomicrmw add ptr %2, i64 %1 monotonic",
        '%5 = cmpxchg ptr %2, i64 %1, i64 %1 syncscope("block") acq_rel monotonic',
        'fence syncscope("device") release',
        "fence seq_cst",
    ]
