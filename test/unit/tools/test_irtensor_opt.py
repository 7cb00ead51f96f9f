"""irtensor-opt as a function: exit codes, crash reports, what a defect in a pass leads to, and what a start loads."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.dialects.arith import AddiOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from irtensor.core.diagnostics import UserError, remark
from irtensor.tools import irtensor_opt, pipeline_text

TEXT = """func.func @f(%a : i32) -> i32 {
  %sum = arith.addi %a, %a : i32
  func.return %sum : i32
}
"""


def function_of(module: ModuleOp) -> FuncOp:
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return function


@dataclass(frozen=True)
class MisbehavePass(ModulePass):
    """Does what its option says at the first addition."""

    name = "misbehave"
    how: str

    def apply(self, ctx, op):
        addition = next(inner for inner in op.walk() if isinstance(inner, AddiOp))
        match self.how:
            case "crash":
                raise KeyError("lost")
            case "reject":
                raise UserError("too-hard", "cannot do this", op=addition, help="do something else")
            case "gut":
                addition.operands = ()
                raise UserError("too-hard", "cannot do this", op=addition)
            case "recurse":
                self.apply(ctx, op)
            case "fail":
                raise PassFailedException("cannot do\nthat")
            case "misorder":
                addition.detach()
                function_of(op).body.block.add_op(addition)
            case "reverse":
                addition.detach()
                block = function_of(op).body.block
                late = AddiOp(addition.result, addition.result)
                assert block.last_op is not None
                block.insert_ops_before([late, addition], block.last_op)
            case _:
                remark("chose the slow way", op=addition)


class ForeignPass(MisbehavePass):
    """The same, as if it came with xDSL."""

    name = "foreign"
    __module__ = "xdsl.transforms.foreign"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the tool on TEXT in an empty folder; returns exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.mlir").write_text(TEXT)
    original = irtensor_opt.IrtensorOpt.register_all_passes

    def register(tool):
        original(tool)
        tool.register_pass("misbehave", lambda: MisbehavePass)
        tool.register_pass("foreign", lambda: ForeignPass)

    monkeypatch.setattr(irtensor_opt.IrtensorOpt, "register_all_passes", register)

    def call(*arguments):
        code = irtensor_opt.main(["k.mlir", *arguments])
        return code, *capsys.readouterr()

    return call


def test_success(run):
    code, output, errors = run("--cse")
    assert (code, errors) == (0, "")
    assert "arith.addi" in output


def test_a_crash_is_an_internal_error_with_a_reproducer(run, tmp_path):
    code, output, errors = run("-p", "cse,misbehave{how=crash}")
    (report,) = tmp_path.glob("irtensor-crash-*.mlir")
    assert code == 2
    assert output == ""
    assert "internal error: KeyError: 'lost'" in errors
    assert report.name in errors
    assert "Traceback" not in errors
    lines = report.read_text().splitlines()
    assert (
        lines[0] == f"""// irtensor-opt '--pass-pipeline=builtin.module(cse,misbehave{{how="crash"}})' {report.name}"""
    )
    assert TEXT.strip() in report.read_text()
    assert "KeyError" in lines[-1]


def test_a_crash_of_a_pass_of_xdsl_is_no_defect_of_ours(run, tmp_path):
    assert run("--foreign=how=crash")[::2] == (1, "error: [pass-failed] pass 'foreign' fails: KeyError: 'lost'\n")
    code, _, errors = run("--foreign=how=reverse")
    assert code == 1
    assert errors.startswith("error: [pass-failed] pass 'foreign' leaves invalid IR: ")
    assert not list(tmp_path.glob("irtensor-crash-*.mlir"))


def test_what_a_failed_pass_leaves_is_shown_even_if_broken(run):
    code, _, errors = run("--misbehave=how=gut", "--mlir-print-ir-after-failure")
    assert code == 1
    assert "IR Dump After misbehave Failed" in errors
    assert "[too-hard] cannot do this" in errors


def test_too_much_recursion_is_no_defect(run):
    code, _, errors = run("--misbehave=how=recurse")
    assert code == 1
    assert errors.startswith("k.mlir:1:1: error: [notation-too-deep] pass 'misbehave': the module is nested too deeply")


def test_the_reproducer_reproduces(run, tmp_path):
    run("--misbehave=how=crash")
    (report,) = tmp_path.glob("irtensor-crash-*.mlir")
    (tmp_path / "k.mlir").write_text(report.read_text())
    code, _, errors = run("--misbehave=how=crash")
    assert code == 2
    assert "KeyError" in errors


def test_the_same_crash_goes_to_the_same_file(run, tmp_path):
    run("--misbehave=how=crash")
    run("--misbehave=how=crash")
    assert len(list(tmp_path.glob("irtensor-crash-*.mlir"))) == 1


def test_a_rejection_is_located_in_the_input(run, tmp_path):
    code, _, errors = run("--misbehave=how=reject")
    assert code == 1
    assert errors.splitlines() == [
        "k.mlir:2:10: error: [too-hard] cannot do this",
        "    %sum = arith.addi %a, %a : i32",
        "           ^^^^^^^^^^",
        "help: do something else",
    ]
    assert not list(tmp_path.glob("irtensor-crash-*.mlir"))


def test_debug_shows_the_traceback(run):
    assert "Traceback" in run("--misbehave=how=reject", "--debug")[2]
    assert "Traceback" in run("--misbehave=how=crash", "--debug")[2]


def test_a_failed_pass_of_xdsl_is_a_user_error(run):
    assert run("--misbehave=how=fail")[::2] == (1, "error: [pass-failed] pass 'misbehave': cannot do that\n")


@pytest.mark.parametrize("how, message", [("misorder", "must be the last operation"), ("reverse", "does not dominate")])
def test_invalid_ir_after_a_pass_is_an_internal_error(run, how, message):
    code, _, errors = run(f"--misbehave=how={how}")
    assert code == 2
    assert "pass 'misbehave' leaves invalid IR" in errors
    assert message in errors


@pytest.mark.parametrize("option", ["--verify-each=false", "--verify-each=0"])
def test_verify_each_can_be_turned_off(run, option):
    assert run("--misbehave=how=reverse", option)[0] == 0


def test_remarks_are_shown_on_request(run):
    assert run("--misbehave=how=remark")[2] == ""
    assert "k.mlir:2:10: remark: chose the slow way" in run("--misbehave=how=remark", "--remarks")[2]


def test_the_ir_a_pass_failed_on(run):
    errors = run("--misbehave=how=reject", "--mlir-print-ir-after-failure")[2]
    assert "IR Dump After misbehave Failed" in errors
    assert "arith.addi" in errors


def test_named_pipelines_are_spelled_out(run, monkeypatch):
    monkeypatch.setattr(
        pipeline_text, "named_pipelines", lambda: {"tidy": "builtin.module(cse,dce)", "all": "tidy,cse"}
    )
    monkeypatch.setattr(irtensor_opt, "named_pipelines", lambda: {"tidy": "", "all": ""})
    for arguments in (("-p", "all"), ("--all",), ("--pass-pipeline=builtin.module(tidy)", "--cse")):
        errors = run(*arguments, "--mlir-print-ir-after-all")[2]
        assert [line.split()[5] for line in errors.splitlines() if "IR Dump" in line] == ["cse", "dce", "cse"]


def test_options_reach_passes_of_pipelines_in_pipelines(monkeypatch):
    named = {"tidy": "builtin.module(unroll,dce)", "all": "tidy,cse,unroll"}
    monkeypatch.setattr(pipeline_text, "named_pipelines", lambda: named)
    steps = pipeline_text.build_passes(
        'all{unroll.factor=3 unroll.variable="a b"}', irtensor_opt.IrtensorOpt([]).available_passes
    )
    assert pipeline_text.pipeline_of(steps) == (
        'builtin.module(unroll{variable="a b" factor=3},dce,cse,unroll{variable="a b" factor=3})'
    )


def test_not_text(run, tmp_path):
    (tmp_path / "k.mlir").write_bytes(b"\xff\xfe")
    assert run()[::2] == (1, "error: [cannot-read] 'k.mlir' is not UTF-8 text (byte 0)\n")


def test_a_byte_order_mark_is_skipped(run, tmp_path):
    (tmp_path / "k.mlir").write_text(f"{TEXT}// -----\n{TEXT}", encoding="utf-8-sig")
    code, output, errors = run("--split-input-file")
    assert (code, output.count("func.func"), errors) == (0, 2, "")


def test_a_first_token_that_is_none(run, tmp_path):
    (tmp_path / "k.mlir").write_text("@@@")
    code, _, errors = run()
    assert code == 1
    assert errors.startswith("k.mlir:1:1: error: [syntax-error] @ identifier expected")


def test_shrink(run):
    assert run("--shrink")[0] == 1


def test_a_closed_pipe_is_no_error(tmp_path):
    (tmp_path / "k.mlir").write_text(TEXT * 1 + "".join(TEXT.replace("@f", f"@f{n}") for n in range(300)))
    tool = Path(sys.executable).parent / "irtensor-opt"
    result = subprocess.run(
        f"{tool} {tmp_path}/k.mlir | head -1", shell=True, capture_output=True, text=True, check=False
    )
    assert result.stderr == ""


def test_a_start_loads_neither_numpy_nor_the_native_back_end(tmp_path):
    (tmp_path / "k.mlir").write_text(TEXT)
    program = (
        "import sys; from irtensor.tools.irtensor_opt import main; main([sys.argv[1]]);"
        "print([name for name in ('numpy', 'scipy', 'llvmlite') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "k.mlir")], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[-1] == "[]"
