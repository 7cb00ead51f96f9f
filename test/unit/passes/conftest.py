"""Modules of printed IR, for tests of analyses."""

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.parser import Parser

from irtensor.dialects import get_all_dialects


@pytest.fixture(scope="session")
def parse_module() -> Callable[[str], ModuleOp]:
    context = Context()
    for dialect in (Builtin, Arith, Func):
        context.load_dialect(dialect)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return lambda text: Parser(context, text).parse_module()
