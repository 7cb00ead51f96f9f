"""LLVM IR in irtensor/runtime/llvm: LLVM reads it, and it has the layouts and numbers that Python has."""

from __future__ import annotations

import ctypes
import re

import pytest
from llvmlite import binding

from irtensor.core.argument_layout import INTERRUPTED
from irtensor.core.text_files import text_of_file
from irtensor.runtime.cpu_engine import _get_engine
from irtensor.runtime.dlpack_code import dlpack_code
from irtensor.runtime.support_code import support_code
from irtensor.runtime.thread_pool_code import Context, Pool, pool_code


@pytest.mark.parametrize("code", [pool_code, support_code, dlpack_code])
def test_llvm_reads_the_texts(code):
    module = _get_engine().parse(code())
    module.verify()


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
