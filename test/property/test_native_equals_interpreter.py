"""Random programs of the loop dialect: native code and the interpreter leave the same memory."""

import ctypes

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.interpret_loop import interpret_loop
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func
from xdsl.parser import Parser

from irtensor.dialects.loop.loop import Loop
from irtensor.passes.llvm.lower_loop_to_llvm import LowerLoopToLlvmPass
from irtensor.runtime.cpu_engine import compile_llvm_text
from irtensor.runtime.emit_llvm import emit_llvm

SIZE = 8
INTEGER_OPERATIONS = ("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi")
FLOAT_OPERATIONS = ("addf", "subf", "mulf", "divf", "minimumf", "maximumf")
DTYPES = {"i32": np.dtype("i4"), "i64": np.dtype("i8"), "f64": np.dtype("f8")}


class Program:
    """Text of a random function; every choice is drawn, every index is masked into the buffers."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.count = 0
        self.values: dict[str, list[str]] = {"i32": ["%p0"], "i64": ["%p1"], "f64": ["%p2"], "index": ["%c1"]}
        self.cells = [(f"%cell.{type}", type) for type in DTYPES]

    def emit(self, text: str, depth: int) -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append("  " * depth + f"{name} = {text}")
        return name

    def pick(self, type: str) -> str:
        return self.draw(st.sampled_from(self.values[type]))

    def index(self, depth: int) -> str:
        number = self.pick("index")
        return self.emit(f"arith.andi {number}, %mask : index", depth)

    def condition(self, depth: int) -> str:
        type = self.draw(st.sampled_from(tuple(DTYPES)))
        compare = (
            ("cmpf", ("olt", "ole", "oeq", "une", "ugt")) if type == "f64" else ("cmpi", ("slt", "sge", "ne", "ult"))
        )
        predicate = self.draw(st.sampled_from(compare[1]))
        return self.emit(f"arith.{compare[0]} {predicate}, {self.pick(type)}, {self.pick(type)} : {type}", depth)

    def statement(self, depth: int) -> None:
        kind = self.draw(st.sampled_from(("compute", "compute", "load", "store", "cell", "select", "cast", "control")))
        type = self.draw(st.sampled_from(tuple(DTYPES)))
        if kind == "compute":
            operation = self.draw(st.sampled_from(FLOAT_OPERATIONS if type == "f64" else INTEGER_OPERATIONS))
            self.values[type].append(
                self.emit(f"arith.{operation} {self.pick(type)}, {self.pick(type)} : {type}", depth)
            )
        elif kind == "load":
            self.values[type].append(self.emit(f"loop.load %{type}[{self.index(depth)}] : {type}", depth))
        elif kind == "store":
            index = self.index(depth)
            self.lines.append("  " * depth + f"loop.store {self.pick(type)}, %{type}[{index}] : {type}")
        elif kind == "cell":
            cell, type = self.draw(st.sampled_from(self.cells))
            self.lines.append("  " * depth + f"loop.set {self.pick(type)}, {cell} : {type}")
            self.values[type].append(self.emit(f"loop.get {cell} : {type}", depth))
        elif kind == "select":
            condition = self.condition(depth)
            text = f"arith.select {condition}, {self.pick(type)}, {self.pick(type)} : {type}"
            self.values[type].append(self.emit(text, depth))
        elif kind == "cast":
            self.values["index"].append(self.emit(f"arith.index_cast {self.pick('i32')} : i32 to index", depth))
            self.values["i64"].append(self.emit(f"arith.extsi {self.pick('i32')} : i32 to i64", depth))
            self.values["f64"].append(self.emit(f"arith.sitofp {self.pick('i64')} : i64 to f64", depth))
        elif depth < 4:
            self.control(depth)

    def control(self, depth: int) -> None:
        saved = {type: list(names) for type, names in self.values.items()}
        if self.draw(st.booleans()):
            self.count += 1
            lower, upper = self.index(depth), self.index(depth)
            name = f"%at{self.count}"
            self.lines.append("  " * depth + f"loop.for {name} = {lower} to {upper} {{")
            self.values["index"].append(name)
            self.block(depth + 1)
        else:
            self.lines.append("  " * depth + f"loop.if {self.condition(depth)} {{")
            self.block(depth + 1)
            if self.draw(st.booleans()):
                self.values = {type: list(names) for type, names in saved.items()}
                self.lines.append("  " * depth + "} else {")
                self.block(depth + 1)
        self.lines.append("  " * depth + "}")
        self.values = saved

    def block(self, depth: int) -> None:
        for _ in range(self.draw(st.integers(0, 5))):
            self.statement(depth)


@st.composite
def programs(draw):
    program = Program(draw)
    program.block(1)
    program.block(1)
    buffers = ", ".join(f"%{type}: !loop.buffer<{type}>" for type in DTYPES)
    body = "\n".join(program.lines)
    cells = "\n".join(f"  %cell.{type} = loop.cell %p{number} : {type}" for number, type in enumerate(DTYPES))
    return f"""
func.func @kernel(%p0: i32, %p1: i64, %p2: f64, {buffers}) {{
  %c1 = arith.constant 5 : index
  %mask = arith.constant {SIZE - 1} : index
{cells}
{body}
  func.return
}}
"""


@settings(max_examples=60)
@given(programs(), st.integers(0, 2**32 - 1))
def test_native_equals_interpreter(text, seed):
    random = np.random.default_rng(seed)
    context = Context()
    for dialect in (builtin.Builtin, arith.Arith, func.Func, Loop):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    scalars = [int(random.integers(-9, 9)), int(random.integers(-(2**62), 2**62)), float(random.normal())]
    buffers = [random.integers(-5, 5, SIZE).astype(dtype) for dtype in DTYPES.values()]
    native = [buffer.copy() for buffer in buffers]
    assert interpret_loop(module, "kernel", [*scalars, *buffers]) == 0
    LowerLoopToLlvmPass().apply(context, module)
    module.verify()
    function = compile_llvm_text(emit_llvm(module), "kernel").as_ctypes(
        ctypes.c_int32, ctypes.c_int64, ctypes.c_double, *[ctypes.c_void_p] * len(DTYPES)
    )
    assert function(*scalars, *[buffer.ctypes.data for buffer in native]) == 0
    for expected, actual in zip(buffers, native, strict=True):
        np.testing.assert_array_equal(actual, expected)
