"""irtensor-opt answers damaged IR, and passes over the IR of another stage, with a located error of the user's.

The IR of the lit tests is damaged, as it stands or after some passes, and run through passes of any stage.
"""

import contextlib
import io
import random
import re
import shlex
import signal
import tempfile
from collections.abc import Callable, Generator, Sequence
from functools import cache
from pathlib import Path

import pytest
from xdsl.ir import Region, SSAValue
from xdsl.passes import get_pass_option_infos
from xdsl.printer import Printer

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import OPERATORS
from irtensor.dialects import get_all_dialects
from irtensor.dialects.support.located_parser import parse_module
from irtensor.passes import PASSES, get_all_passes
from irtensor.passes.pipelines import NAMED_PIPELINES
from irtensor.tools import irtensor_opt

FOLDER = Path(__file__).parents[1]
FILES = [str(path.relative_to(FOLDER)) for path in sorted(FOLDER.rglob("*.mlir"))]
CASES, EXHAUSTIVE_CASES = 4, 300
SECONDS = 30

TOKEN = re.compile(r'\s+|"(?:\\.|[^"\\\n])*"|[%@#!^]?[\w.$-]+|->|.', re.DOTALL)
TOKENS = ["%0", "^bb0", "<", ")", "{", ":", "0", "-1", '""', "#csr", "@f", "unit"]
TYPE = re.compile(r"(?:[!\w.]+<[^<>\n]*(?:<[^<>\n]*(?:<[^<>\n]*>[^<>\n]*)*>[^<>\n]*)*>|\b(?:index|[if]\d+)\b)")
TYPES = (
    "i1 i8 i32 i64 index f32 f64 complex<f64> vector<4xf64> memref<?xf64> tensor<f64> tensor<?xf64> tensor<?x?xf64> "
    "tensor<4x?xi32> none () !loop.cell<index> !loop.buffer<f64> !loop.growable<i64> !llvm.ptr "
    "!iteration_lattice.looplet<f64> !storage.fiber<tensor<?xf64>,0>"
).split()
ELEMENT = re.compile(r"\b(?:index|[if]\d+|complex<f64>)")
ELEMENTS = ["i1", "i8", "i64", "f32", "complex<f64>", "f16", "i7"]
NUMBER = re.compile(r"(?<![\w%@#.])-?\d+\b")
NUMBERS = ["0", "1", "-1", "2", "7", "64", "9223372036854775807", "18446744073709551616", "1.5", "true"]
LEVEL = re.compile(r"(?<=: )(?:dense|compressed|singleton)")
LEVELS = ["dense", "compressed", "singleton", "compressed(nonunique)", "compressed(nonordered)"]
OPERATION = re.compile(r"\b(?:[a-z_]\w*\.)+[a-z_]\w*\b")
OPERATIONS = [
    *sorted(op.name for load in get_all_dialects().values() for op in load().operations),
    *("arith.addf", "arith.addi", "func.call", "func.return", "scf.if", "test.op"),
]
OPERATOR = re.compile(r"\b(?:add|mul|sub|max|min|eq|and|or|div)\b")
PIPELINES = [*(name for name, _, _ in PASSES), *NAMED_PIPELINES, "canonicalize", "cse", "dce"]
VALUES = ["0", "-1", "1", "9999999999", "1.5", "true", "x", '"k","i"', '"i"']
OPTIONS = [
    *"--print-op-generic --allow-unregistered-dialect --split-input-file --target=llvm".split(),
    "--mlir-print-ir-after-failure",
]
# Errors about the command line have no place in the text.
UNPLACED = {"bad-option", "bad-pass-option", "bad-pipeline", "no-such-loops", "target-failed", "unknown-pass"}


@cache
def chunks(name: str) -> tuple[list[str], list[str]]:
    """The pieces of IR in a lit test, and the pipelines that it runs."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    codes = ["\n".join(line for line in piece.splitlines() if "// " not in line) for piece in text.split("// -----")]
    pipelines = [pipeline for line in re.findall(r"RUN:(.*)", text) for pipeline in _pipelines(line)]
    return [f"{code}\n" for code in codes if code.strip()] or ["\n"], pipelines


def _pipelines(line: str) -> Generator[str]:
    """What the commands of one RUN line give to `-p` or `--pass-pipeline`, or name as an option."""
    words = shlex.split(line)
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "-p":
            yield following
        elif match := re.match(r"--?(?:pass-pipeline|passes)=(.*)", word):
            yield match[1]
        elif word.startswith("-") and word.lstrip("-") in PIPELINES:
            yield word.lstrip("-")


Mutation = Callable[[str, random.Random], str]


def _edit(pieces: list[str], chance: random.Random, spare: Sequence[str]) -> str:
    """Delete, double, exchange or replace one of the pieces that are not blank."""
    places = [place for place, piece in enumerate(pieces) if piece.strip()]
    if places:
        place, other = chance.choice(places), chance.choice(places)
        match chance.randrange(4):
            case 0:
                pieces[place] = ""
            case 1:
                pieces[place] += pieces[place] if pieces[place].endswith("\n") else f" {pieces[place]}"
            case 2:
                pieces[place], pieces[other] = pieces[other], pieces[place]
            case _:
                pieces[place] = chance.choice([pieces[other], chance.choice(spare)])
    return "".join(pieces)


def _edit_token(code: str, chance: random.Random) -> str:
    return _edit(TOKEN.findall(code), chance, TOKENS)


def _edit_line(code: str, chance: random.Random) -> str:
    lines = code.splitlines(keepends=True)
    return _edit(lines, chance, lines)


def _move_line(code: str, chance: random.Random) -> str:
    lines = code.splitlines(keepends=True)
    if lines:
        lines.insert(chance.randrange(len(lines)), lines.pop(chance.randrange(len(lines))))
    return "".join(lines)


def _replace_one(pattern: re.Pattern[str], words: Sequence[str]) -> Mutation:
    def mutate(code: str, chance: random.Random) -> str:
        found = list(pattern.finditer(code))
        if not found:
            return code
        match = chance.choice(found)
        word = chance.choice([chance.choice(words), chance.choice(found)[0]])
        return code[: match.start()] + word + code[match.end() :]

    return mutate


def _replace_all(pattern: re.Pattern[str], words: Sequence[str]) -> Mutation:
    """A word is another one wherever it stands: what comes out is as consistent as before."""

    def mutate(code: str, chance: random.Random) -> str:
        found = sorted(set(pattern.findall(code)))
        if not found:
            return code
        old, new = chance.choice(found), chance.choice([*words, *found])
        return re.sub(rf"(?<![\w%@#!.]){re.escape(old)}(?![\w.])", lambda _: new, code)

    return mutate


def _rewire(code: str, chance: random.Random) -> str:
    """Other operands of the same types, operations fewer or twice: what comes out can mostly be read again."""
    tool = irtensor_opt.IrtensorOpt(["--allow-unregistered-dialect"])
    try:
        module = parse_module(tool.ctx, code, "k.mlir")
    except UserError:
        return code
    ops = [op for op in module.walk() if op is not module]
    if not ops:
        return code
    inside = [value for op in ops for value in (*op.results, *(arg for region in op.regions for arg in _args(region)))]
    values = [*inside, *_args(module.body)]
    for op in chance.choices(ops, k=2):
        kind = chance.randrange(4)
        if kind == 0 and op.parent is not None and not any(result.uses for result in op.results):
            op.detach()
        elif kind == 1 and op.parent is not None:
            op.parent.insert_op_after(op.clone(), op)
        elif op.operands:
            place = chance.randrange(len(op.operands))
            op.operands[place] = chance.choice([value for value in values if value.type == op.operands[place].type])
    text = io.StringIO()
    Printer(text, print_generic_format=True).print_op(module)
    return f"{text.getvalue()}\n"


def _args(region: Region) -> list[SSAValue]:
    return [arg for block in region.blocks for arg in block.args]


MUTATIONS: list[Mutation] = [
    _edit_token,
    _edit_token,
    _edit_line,
    _move_line,
    _replace_one(TYPE, TYPES),
    _replace_one(NUMBER, NUMBERS),
    _replace_one(OPERATION, OPERATIONS),
    _replace_one(re.compile(r"%\w+"), ["%0"]),
    _replace_all(ELEMENT, ELEMENTS),
    _replace_all(LEVEL, LEVELS),
    _replace_all(OPERATOR, sorted(OPERATORS)),
    _rewire,
    _rewire,
    _rewire,
]


def _some_pass(chance: random.Random) -> str:
    """A pass or pipeline, with a value for one of its options if it has any."""
    name = chance.choice(PIPELINES)
    options = get_pass_option_infos(get_all_passes()[name]()) if name in get_all_passes() else ()
    if not options or chance.random() < 0.5:
        return name
    return f"{name}{{{chance.choice(options).name.replace('_', '-')}={chance.choice(VALUES)}}}"


def _passes_of(pipeline: str) -> list[str]:
    if "(" in pipeline:
        return [pipeline]
    return re.findall(r"[\w-]+(?:\{[^}]*\})?", NAMED_PIPELINES.get(pipeline, pipeline))


def random_case(name: str, number: int) -> tuple[str, list[str]]:
    """A damaged piece of a lit test, or of what passes make of it, and the arguments of a run over it."""
    chance = random.Random(f"{name} {number}")
    codes, pipelines = chunks(name)
    code = chance.choice(codes)
    passes = _passes_of(chance.choice(pipelines)) if pipelines and chance.random() < 0.7 else []
    if passes and chance.random() < 0.4:
        cut = chance.randrange(len(passes) + 1)
        code, passes = _lowered(code, passes[:cut], generic=chance.random() < 0.5), passes[cut:]
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
        code = chance.choice(MUTATIONS)(code, chance)
    for _ in range(chance.choice((0, 0, 0, 1, 2, 3))):
        if passes and chance.random() < 0.5:
            del passes[chance.randrange(len(passes))]
        else:
            passes.insert(chance.randrange(len(passes) + 1), _some_pass(chance))
    arguments = [word for step in passes for word in ("-p", step)]
    # Passes have to refuse what they meet in any order.
    if chance.random() < 0.9:
        arguments.append("--verify-order=false")
    return code, [*arguments, *(option for option in OPTIONS if chance.random() < 0.2)]


def _lowered(code: str, passes: Sequence[str], generic: bool) -> str:
    """What some passes make of a text, or the text itself if they refuse it."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.mlir"), Path(folder, "out.mlir")
        source.write_text(code, encoding="utf-8")
        arguments = [str(source), "-o", str(target), "--allow-unregistered-dialect", "--print-op-generic"]
        for step in passes:
            arguments += ["-p", step]
        with contextlib.redirect_stderr(io.StringIO()):
            failed = irtensor_opt.main(arguments if generic else arguments[:4] + arguments[5:])
        return code if failed else target.read_text(encoding="utf-8")


class Hang(BaseException):
    """Too slow; no handler of ordinary exceptions swallows it."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Generator[None]:
    def give_up(*_: object) -> None:
        raise Hang(f"no answer within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _check(name: str, number: int, capsys: pytest.CaptureFixture[str]) -> None:
    code, arguments = random_case(name, number)
    Path("k.mlir").write_text(code, encoding="utf-8")
    capsys.readouterr()
    with time_limit(SECONDS):
        status = irtensor_opt.main(["k.mlir", *arguments])
    errors = capsys.readouterr().err
    story = f"case {name!r}, {number}: irtensor-opt {shlex.join(arguments)}\n{code}\n{errors}"
    assert status in (0, 1), story
    if status == 1:
        place = r"(?:k\.mlir|<expression>|<pipeline>):\d+:\d+: "
        reported = re.search(rf"^({place})?error: \[([\w-]+)\] ", errors, re.MULTILINE)
        assert reported is not None and (reported[1] or reported[2] in UNPLACED), story


@pytest.mark.one_in(96)
@pytest.mark.parametrize("name", FILES)
def test_damaged(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for number in range(CASES):
        _check(name, number, capsys)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FILES)
def test_damaged_in_more_ways(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for number in range(CASES, EXHAUSTIVE_CASES):
        _check(name, number, capsys)
