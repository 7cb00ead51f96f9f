"""Code that is not optimised is a module of its own, linked to the other."""

from __future__ import annotations

import ctypes

from irtensor.runtime import cpu_engine
from irtensor.runtime.cold_code import split_cold_code
from irtensor.runtime.cpu_engine import compile_llvm_text, load_objects, optimized_text

HOT = """define internal i32 @twice(i32 noundef %a.0, ptr noalias nonnull noundef %p) noinline nounwind {
b0:
  %v1 = shl i32 %a.0, 1
  %v2 = load i32, ptr %p, !unpredictable !0
  %v3 = add i32 %v1, %v2
  %v4 = call i32 @shifted(i32 %v3)
  ret i32 %v4
}
"""
COLD = """define i32 @kernel(i32 noundef %a.0) noinline optnone nounwind "irtensor-effort"="light" {
b0:
  %v1 = alloca i32
  store i32 5, ptr %v1
  %v2 = call i32 @twice(i32 %a.0, ptr %v1)
  ret i32 %v2
}
define internal i32 @shifted(i32 noundef %a.0) noinline optnone nounwind {
b0:
  %v1 = add i32 %a.0, 100
  ret i32 %v1
}
"""
METADATA = "!0 = !{}\n"


def names(text: str, word: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.startswith(word)]
    return [line[line.index("@") : line.index("(")] for line in lines]


def test_each_module_declares_what_the_other_defines():
    hot, cold = split_cold_code(HOT + COLD + METADATA)
    assert names(hot, "define") == ["@twice"] and names(hot, "declare") == ["@kernel", "@shifted"]
    assert names(cold, "define") == ["@kernel", "@shifted"] and names(cold, "declare") == ["@twice"]
    assert "declare hidden i32 @twice(i32 noundef, ptr noalias nonnull noundef)\n" in cold
    assert METADATA in hot and METADATA in cold


def test_functions_of_one_sort_stay_together():
    assert split_cold_code(HOT + METADATA) == (HOT + METADATA, "")
    assert split_cold_code(COLD) == ("", COLD)


def test_both_are_linked_and_loaded_again():
    native = compile_llvm_text(HOT + COLD + METADATA, "kernel")
    assert len(native.objects) == 2
    assert native.as_ctypes(ctypes.c_int32)(7) == 119
    assert load_objects(native.objects, "kernel").as_ctypes(ctypes.c_int32)(8) == 121


def test_what_people_are_shown_has_both():
    text = HOT + COLD + METADATA
    assert all(f"define {word}" in optimized_text(text) for word in ("hidden i32 @twice", "i32 @kernel"))
    assert all(f"{name}:" in optimized_text(text, assembly=True) for name in ("twice", "kernel", "shifted"))


def test_only_one_of_them_is_optimised(monkeypatch):
    engine = cpu_engine._get_engine()
    seen: list[str] = []
    optimize = engine.optimize
    monkeypatch.setattr(engine, "optimize", lambda module, effort: (seen.append(str(module)), optimize(module, effort)))
    machines = [machine for _, machine in engine.modules(HOT + COLD + METADATA, None)]
    assert machines == [engine.machine, engine.quick_machine]
    assert [names(text, "define") for text in seen] == [["@twice"]]
