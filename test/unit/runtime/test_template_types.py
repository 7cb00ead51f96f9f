"""Types in templates of LLVM IR."""

import pytest

from irtensor.runtime.template_types import with_element, with_integer

TEMPLATE = "%a = load $key$, ptr %k; %b.c = $wide.key$(%a); %d = $narrow.key$(%b.c); $keys$"


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (4, "%a = load i32, ptr %k; %b.c = sext i32 %a to i64; %d = trunc i64 %b.c to i32; $keys$"),
        (8, "%a = load i64, ptr %k; %b.c = add i64 %a, 0; %d = add i64 %b.c, 0; $keys$"),
    ],
)
def test_integers(size, expected):
    assert with_integer(TEMPLATE, "key", size) == expected
    assert with_integer(TEMPLATE, "other", size) == TEMPLATE


@pytest.mark.parametrize(("size", "expected"), [(1, "i8, align 1"), (8, "i64, align 8"), (16, "i128, align 8")])
def test_elements(size, expected):
    assert with_element("$element$, align $align$", size) == expected
