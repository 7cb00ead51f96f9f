"""How operators are written in a notation: the symbols, and how tightly they bind."""

# Operators and how tightly they bind; all associate to the left.
BINARY_SYMBOLS = {
    "|": ("or", 0),
    "^": ("xor", 1),
    "&": ("and", 2),
    "<<": ("shl", 3),
    ">>": ("shr", 3),
    "+": ("add", 4),
    "-": ("sub", 4),
    "*": ("mul", 5),
    "/": ("div", 5),
    "//": ("floordiv", 5),
    "%": ("mod", 5),
}
# Bind less tightly than all of these, and do not associate.
COMPARISON_SYMBOLS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
UNARY_SYMBOLS = {"-": "neg", "~": "not"}
# The functions that always reduce.
REDUCE_ONLY = {"sum": "add", "prod": "mul"}
# clip(a, least, greatest) is the least of the greatest, as in NumPy.
CLIP = "clip"
# Conversions to an element type: NumPy's name of it, and its spelling in the IR.
CASTS = {
    **{"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"},
    **{"uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64"},
    **{"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"},
    **{"complex64": "complex<f32>", "complex128": "complex<f64>"},
}
CAST_NAMES = {element: name for name, element in CASTS.items()}
# Functions of two arguments that take more: f(a, b, c) is f(f(a, b), c).
VARIADIC_FUNCTIONS = ("min", "max")
CONSTANTS = {"inf": float("inf"), "nan": float("nan"), "True": True, "False": False}
