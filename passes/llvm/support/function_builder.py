"""Builds the body of one `llvm.func` block by block: cached types, constants and allocas in the entry block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from irtensor.dialects.algebra.scalar_types import constant_attribute
from irtensor.dialects.llvm import llvm_extra
from irtensor.dialects.loop.loop_types import lanes_of
from irtensor.dialects.support.create_operation import (
    append_operation,
    create_block,
    create_operation,
    first_result,
    insert_operation,
)
from irtensor.dialects.support.expect import expect
from irtensor.passes.llvm.support.pointers import address_space

POINTER = llvm.LLVMPointerType()
NO_WRAP = IntegerAttr(1, 32)
NO_FASTMATH = llvm.FastMathAttr(None)
NO_BUNDLES = DenseArrayBase.from_list(i32, ())
ONE_DYNAMIC_INDEX = DenseArrayBase.from_list(i32, (llvm.GEP_USE_SSA_VAL,))
COLD_BRANCH = DenseArrayBase.from_list(i32, (1, 2000))
UNLIKELY_BRANCH = DenseArrayBase.from_list(i32, (1, 8))
PREDICATES = tuple(IntegerAttr(number, i64) for number in range(16))
EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE = range(8)

_ALIGNMENTS = {size: IntegerAttr(size, i64) for size in (1, 2, 4, 8, 16)}
NOT_ATOMIC, ACQUIRE, RELEASE = (IntegerAttr(number, i64) for number in (0, 4, 5))
_VISIBLE = IntegerAttr(0, i64)
_GEP_FLAGS = IntegerAttr(0, i32)
_UNIT = UnitAttr()
# Properties of functions without loops: LLVM is to spend no time on them.
UNOPTIMIZED: dict[str, Attribute] = {"no_inline": _UNIT, "optimize_none": _UNIT}
AS_IN_C = llvm.CallingConventionAttr("ccc")
# What calls such a function keeps its registers: a loop that seldom calls it is as fast as without.
RARELY_CALLED = llvm.CallingConventionAttr("preserve_mostcc")
_EXTERNAL, _INTERNAL = llvm.LinkageAttr("external"), llvm.LinkageAttr("internal")
_NO_TAIL = llvm.TailCallKindAttr(llvm.TailCallKind.NONE)
_gep_properties: dict[tuple[Attribute, bool], dict[str, Attribute]] = {}
_sizes: dict[Attribute, int] = {}
_integer_attributes: dict[tuple[int, int], IntegerAttr[IntegerType]] = {}


@lru_cache(maxsize=1024)
def _array(*numbers: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, numbers)


@lru_cache(maxsize=256)
def _name(text: str) -> StringAttr:
    return StringAttr(text)


@lru_cache(maxsize=256)
def _symbol(name: str) -> SymbolRefAttr:
    return SymbolRefAttr(name)


@lru_cache(maxsize=256)
def _function_type(inputs: tuple[Attribute, ...], output: Attribute) -> llvm.LLVMFunctionType:
    return llvm.LLVMFunctionType(inputs, output)


# These are asked for every operation, mostly about floats: isinstance() of another class takes twenty times as long.


def register_type(of: Attribute) -> Attribute:
    """The LLVM type of a scalar or vector in a register: index is i64, the rest is as it is."""
    if type(of) is IndexType:
        return i64
    if type(of) is VectorType and type(of.element_type) is IndexType:
        return lanes_of(of, i64)
    return of


def memory_type(of: Attribute) -> Attribute:
    """The LLVM type of a scalar or vector in memory: a bool is one byte, a complex number two floats."""
    found = register_type(of)
    if type(found) is IntegerType:
        return i8 if found.width.data == 1 else found
    if type(found) is VectorType:
        return lanes_of(found, i8) if found.element_type == i1 else found
    return found.element_type if type(found) is ComplexType else found


def element_size(element: Attribute) -> int:
    """Bytes of one element of a buffer."""
    found = _sizes.get(element)
    if found is None:
        if isinstance(element, ComplexType):
            found = 2 * element_size(element.element_type)
        elif isinstance(element, IndexType):
            found = 8
        elif isinstance(element, IntegerType):
            found = max(element.width.data // 8, 1)
        else:
            found = expect(element, FixedBitwidthType).bitwidth // 8
        _sizes[element] = found
    return found


class FunctionBuilder:
    """The blocks of one function in program order, and the end of one, where the next operation is added."""

    def __init__(self, argument_types: Sequence[Attribute]) -> None:
        self.region = Region()
        self.entry = create_block(argument_types)
        self.region.add_block(self.entry)
        self.block = self.entry
        # Whether a branch leads back to where it came from.
        self.has_loops = False
        # What loads and stores are given that are independent of those in other iterations of a loop.
        self.access_groups: Attribute | None = None
        self._prologue: list[Operation] = []
        self._constants: dict[tuple[Attribute, str | bytes], SSAValue] = {}
        self._integers: dict[tuple[int, int], SSAValue] = {}

    def start(self, block: Block) -> None:
        """Continue in `block`, which follows all blocks so far."""
        self.region.add_block(block)
        self.block = block

    def finish(self) -> Region:
        """Put constants and allocas at the top of the entry block."""
        first = self.entry.first_op
        assert first is not None
        for op in self._prologue:
            insert_operation(op, first)
        return self.region

    def value(
        self,
        op: type[Operation],
        operands: Sequence[SSAValue],
        result: Attribute,
        properties: Mapping[str, Attribute] = {},
    ) -> SSAValue:
        """Add an operation with one result."""
        created = create_operation(op, operands, (result,), properties)
        append_operation(self.block, created)
        return first_result(created)

    def effect(
        self, op: type[Operation], operands: Sequence[SSAValue], properties: Mapping[str, Attribute] = {}
    ) -> None:
        """Add an operation without result."""
        append_operation(self.block, create_operation(op, operands, (), properties))

    def constant(self, value: Attribute, type: Attribute) -> SSAValue:
        """A constant of a register type, made once per function."""
        if isinstance(value, IntegerAttr) and isinstance(type, IntegerType):
            return self.integer(value.value.data, type)
        # Floats are keyed by text, those of vectors by their bytes: 0.0 and -0.0 are equal values.
        if isinstance(value, DenseIntOrFPElementsAttr):
            text: str | bytes = value.data.data
        else:
            text = repr(value.value.data) if isinstance(value, FloatAttr | IntegerAttr) else str(value)
        found = self._constants.get((type, text))
        if found is None:
            op = create_operation(llvm.ConstantOp, (), (type,), {"value": value})
            self._prologue.append(op)
            found = self._constants[(type, text)] = op.results[0]
        return found

    def integer(self, value: int, type: IntegerType = i64) -> SSAValue:
        """An integer constant, made once per function."""
        key = (value, type.width.data)
        found = self._integers.get(key)
        if found is None:
            attribute = _integer_attributes.get(key)
            if attribute is None:
                attribute = IntegerAttr(value, type)
                if -2 < value < 65:
                    _integer_attributes[key] = attribute
            op = create_operation(llvm.ConstantOp, (), (type,), {"value": attribute})
            self._prologue.append(op)
            found = self._integers[key] = op.results[0]
        return found

    def zero(self, type: Attribute) -> SSAValue:
        """The zero of a float or integer type, or of a vector of them."""
        if isinstance(type, IntegerType):
            return self.integer(0, type)
        if isinstance(type, VectorType):
            return self.constant(DenseIntOrFPElementsAttr.from_list(type, [0]), type)
        return self.constant(constant_attribute(0.0, type), type)

    def null(self) -> SSAValue:
        """The pointer to nothing."""
        return self.value(llvm.ZeroOp, (), POINTER)

    def alloca(self, type: Attribute) -> SSAValue:
        """A stack variable of the function; SROA turns it into registers."""
        size = self.integer(1)
        op = create_operation(llvm.AllocaOp, (size,), (POINTER,), {"elem_type": type})
        self._prologue.append(op)
        return op.results[0]

    def address(self, pointer: SSAValue, index: SSAValue, element: Attribute, inbounds: bool = True) -> SSAValue:
        """Address of element `index`, counted in `element`s."""
        properties = _gep_properties.get((element, inbounds))
        if properties is None:
            properties = {"elem_type": element, "noWrapFlags": _GEP_FLAGS, "rawConstantIndices": ONE_DYNAMIC_INDEX}
            if inbounds:
                properties["inbounds"] = _UNIT
            _gep_properties[(element, inbounds)] = properties
        return self.value(llvm.GEPOp, (pointer, index), pointer.type, properties)

    def addresses(self, pointer: SSAValue, indices: SSAValue, element: Attribute) -> SSAValue:
        """Addresses of the elements that a vector counts, counted in `element`s."""
        type = indices.type
        assert isinstance(type, VectorType)
        pointers = lanes_of(type, pointer.type)
        return self.value(llvm_extra.AddressesOp, (pointer, indices), pointers, {"elem_type": element})

    def load(
        self, pointer: SSAValue, type: Attribute, alignment: int | None = None, ordering: Attribute = NOT_ATOMIC
    ) -> SSAValue:
        properties: dict[str, Attribute] = {"ordering": ordering}
        if alignment is not None:
            properties["alignment"] = _ALIGNMENTS[alignment]
        loaded = self.value(llvm.LoadOp, (pointer,), type, properties)
        self._group()
        return loaded

    def store(
        self, value: SSAValue, pointer: SSAValue, alignment: int | None = None, ordering: Attribute = NOT_ATOMIC
    ) -> None:
        properties: dict[str, Attribute] = {"ordering": ordering}
        if alignment is not None:
            properties["alignment"] = _ALIGNMENTS[alignment]
        self.effect(llvm.StoreOp, (value, pointer), properties)
        self._group()

    def _group(self) -> None:
        """Put the load or store that was added last into the group of those that are independent, if there is one."""
        if self.access_groups is not None:
            access = self.block.last_op
            assert access is not None
            access.attributes["access_groups"] = self.access_groups

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Sum of two positions; positions never overflow."""
        return self.value(llvm.AddOp, (a, b), i64, {"overflowFlags": NO_WRAP})

    def compare(self, predicate: int, a: SSAValue, b: SSAValue) -> SSAValue:
        type = a.type
        result = lanes_of(type, i1) if isinstance(type, VectorType) else i1
        return self.value(llvm.ICmpOp, (a, b), result, {"predicate": PREDICATES[predicate]})

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        if a.type != b.type:
            # Pointers into different kinds of memory.
            a, b = (self.value(llvm_extra.AddrSpaceCastOp, (pointer,), POINTER) for pointer in (a, b))
        return self.value(llvm.SelectOp, (condition, a, b), a.type, {"fastmathFlags": NO_FASTMATH})

    def select_bits(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """Select a float as an integer of its bits, which every processor can do without a branch.

        Many have no such instruction for floats. Unless its result is frozen, LLVM turns the selection back into one
        of floats.
        """
        bits = IntegerType(8 * element_size(a.type))
        choices = [self.value(llvm.BitcastOp, (choice,), bits) for choice in (a, b)]
        chosen = self.value(llvm_extra.FreezeOp, (self.select(condition, *choices),), bits)
        return self.value(llvm.BitcastOp, (chosen,), a.type)

    def intrinsic(
        self,
        name: str,
        operands: Sequence[SSAValue],
        result: Attribute | None = None,
        fastmath: Attribute = NO_FASTMATH,
    ) -> SSAValue | None:
        """Call an LLVM intrinsic by its full name, types included."""
        properties = {
            "intrin": _name(name),
            "fastmathFlags": fastmath,
            "op_bundle_sizes": NO_BUNDLES,
            "operandSegmentSizes": _array(len(operands), 0),
        }
        op = create_operation(llvm.CallIntrinsicOp, operands, () if result is None else (result,), properties)
        append_operation(self.block, op)
        return None if result is None else op.results[0]

    def set_bytes(self, target: SSAValue, byte: SSAValue, length: SSAValue) -> None:
        """Let so many bytes from an address on be equal."""
        name = f"llvm.memset.p{address_space(target)}.i64"
        self.intrinsic(name, (target, byte, length, self.integer(0, i1)))

    def copy_bytes(self, target: SSAValue, source: SSAValue, length: SSAValue, *, overlap: bool = False) -> None:
        """Copy so many bytes, which may `overlap`."""
        name = f"llvm.{'memmove' if overlap else 'memcpy'}.p{address_space(target)}.p{address_space(source)}.i64"
        self.intrinsic(name, (target, source, length, self.integer(0, i1)))

    def call(
        self,
        name: str,
        operands: Sequence[SSAValue],
        result: Attribute,
        convention: llvm.CallingConventionAttr = AS_IN_C,
        fastmath: Attribute = NO_FASTMATH,
    ) -> SSAValue:
        """Call a function of the module."""
        properties = self._call_properties(name, operands) | {"CConv": convention, "fastmathFlags": fastmath}
        return self.value(llvm.CallOp, operands, result, properties)

    def call_for_effect(self, name: str, operands: Sequence[SSAValue]) -> None:
        """Call a function of the module that has no result."""
        self.effect(llvm.CallOp, operands, self._call_properties(name, operands))

    def _call_properties(self, name: str, operands: Sequence[SSAValue]) -> dict[str, Attribute]:
        return {
            "callee": _symbol(name),
            "fastmathFlags": NO_FASTMATH,
            "CConv": AS_IN_C,
            "op_bundle_sizes": NO_BUNDLES,
            "TailCallKind": _NO_TAIL,
            "operandSegmentSizes": _array(len(operands), 0),
        }

    def branch(self, target: Block, arguments: Sequence[SSAValue] = (), hints: Attribute | None = None) -> None:
        """Jump; `hints` belong to the loop that this jump closes."""
        self.has_loops |= target.parent is self.region
        attributes = {} if hints is None else {"loop_annotation": hints}
        jump = create_operation(llvm.BrOp, arguments, successors=(target,), attributes=attributes)
        append_operation(self.block, jump)

    def branch_if(
        self,
        condition: SSAValue,
        then: Block,
        then_arguments: Sequence[SSAValue],
        otherwise: Block,
        otherwise_arguments: Sequence[SSAValue] = (),
        attributes: Mapping[str, Attribute] = {},
    ) -> None:
        self.has_loops |= self.region in (then.parent, otherwise.parent)
        sizes = _array(1, len(then_arguments), len(otherwise_arguments))
        append_operation(
            self.block,
            create_operation(
                llvm.CondBrOp,
                (condition, *then_arguments, *otherwise_arguments),
                successors=(then, otherwise),
                properties={"operandSegmentSizes": sizes},
                attributes=attributes,
            ),
        )


def declare(
    name: str,
    inputs: Sequence[Attribute],
    output: Attribute,
    body: Region | None = None,
    exported: bool = False,
    *,
    convention: Attribute = AS_IN_C,
    **properties: Attribute,
) -> llvm.FuncOp:
    """An `llvm.func`: external without a body, else internal unless `exported`; `properties` as in `arg_attrs`."""
    return create_operation(
        llvm.FuncOp,
        regions=(Region() if body is None else body,),
        properties={
            "sym_name": StringAttr(name),
            "function_type": _function_type(tuple(inputs), output),
            "CConv": convention,
            "linkage": _EXTERNAL if exported or body is None else _INTERNAL,
            "visibility_": _VISIBLE,
            **properties,
        },
    )
