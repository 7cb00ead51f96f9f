"""LLVM IR in irtensor/runtime/llvm: LLVM reads it, and it has the layouts and numbers that Python has."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from llvmlite import binding

import irtensor
from irtensor.core.argument_layout import INTERRUPTED
from irtensor.core.text_files import text_of_file
from irtensor.runtime.cpu_engine import _get_engine
from irtensor.runtime.dlpack_code import dlpack_code
from irtensor.runtime.emulated_threads_code import threads_code
from irtensor.runtime.fiber_code import fiber_code
from irtensor.runtime.launch_code import launch_code
from irtensor.runtime.regroup_segments_code import regrouping_text
from irtensor.runtime.support_code import support_code
from irtensor.runtime.thread_pool_code import Context, Pool, pool_code

FOLDER = Path(irtensor.__file__).parent / "runtime" / "llvm"
# By the files that each is made of.
CODE: dict[str, Callable[[], str]] = {
    "decimal number_table": lambda: text_of_file("llvm/decimal.ll") + text_of_file("llvm/number_table.ll"),
    "dlpack": dlpack_code,
    "emulated_threads emulated_waits fibers": lambda: threads_code(fiber_code()),
    "emulated_threads emulated_waits fibers_by_library": lambda: threads_code(fiber_code("riscv64")),
    "gathered_sums": lambda: text_of_file("llvm/gathered_sums.ll"),
    "interruption support reserve": support_code,
    "interruption thread_pool": pool_code,
    "launch memset device_growables reserve": launch_code,
    "regroup_segments": lambda: regrouping_text(4, 8, "c", 16),
    "single_sums": lambda: text_of_file("llvm/single_sums.ll"),
}


@pytest.mark.parametrize("files", CODE)
def test_llvm_reads_the_texts(files):
    text = CODE[files]()
    assert re.findall(r"\$\w[\w.]*\$", text) == []
    module = _get_engine().parse(text)
    module.verify()


def test_all_files_are_read():
    assert {path.stem for path in FOLDER.iterdir()} == {name for files in CODE for name in files.split()}


@pytest.mark.parametrize(("name", "structure"), [("context", Context), ("pool", Pool)])
def test_structures_are_those_of_python(name: str, structure: type[ctypes.Structure]):
    engine = _get_engine()
    module = engine.parse(pool_code())
    (type,) = [one for one in module.struct_types if one.name == name]
    data = binding.create_target_data(engine.layout)
    offsets = [data.get_element_offset(type, number) for number in range(len(structure._fields_))]
    assert offsets == [getattr(structure, field[0]).offset for field in structure._fields_]
    assert data.get_abi_size(type) == ctypes.sizeof(structure)


def test_an_interruption_is_told_from_other_failures():
    assert f"[ {INTERRUPTED}, %keep ]" in text_of_file("llvm/interruption.ll")


def test_fields_are_named_by_what_is_at_them():
    """Numbers of fields are those of the structure's fields that the registers are called by."""
    fields = {structure.__name__.lower(): [field[0] for field in structure._fields_] for structure in (Context, Pool)}
    found = re.findall(r"%([\w.]+) = getelementptr %(context|pool), ptr %\w+, i32 0, i32 (\d+)", pool_code())
    found += re.findall(r"%([\w.]+) = getelementptr %(context|pool), ptr %\w+, i32 0, i32 (\d+)", support_code())
    assert len(found) > 20
    others = {"own.status.at": "job_status", "status.at.at": "job_status", "type.at": "raised"}
    for register, structure, number in found:
        name = others.get(register, register.removesuffix(".at").removeprefix("pool."))
        assert fields[structure][int(number)] == name, register
