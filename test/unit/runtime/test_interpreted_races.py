"""The interpreter of loops finds iterations that meet in an element, at any level, and nothing in right programs."""

import numpy as np
import pytest
from reference.interpret_loop import ORDERS, interpret_loop
from reference.loop_accesses import Race
from reference.loop_memory import OutOfBounds, Window

EVERY_ORDER = pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
CONSTANTS = "\n".join(f"  %c{number} = arith.constant {number} : index" for number in (0, 1, 4, 8, 31, 32, 64))
# Around the loop that is tested, by the units that it is on.
PLAIN = "loop.parallel %i = %c0 to %c8 {{\n{body}\n}}"
BLOCKS = "loop.parallel %i = %c0 to %c8 on blocks(32) {{\n{body}\n}}"
TEAMS = "loop.parallel %b = %c0 to %c1 on blocks(32) {{\nloop.parallel %i = %c0 to %c4 on teams(8) {{\n{body}\n}}\n}}"
LANES = """loop.parallel %b = %c0 to %c1 on blocks(32) {{
  loop.parallel %g = %c0 to %c1 on teams(32) {{
    loop.parallel %i = %c0 to %c32 on lanes {{
{body}
    }}
  }}
}}"""
THREADS = """loop.parallel %b = %c0 to %c1 on blocks(32) {{
  %s = loop.shared 64 : i64
  loop.parallel %i = %c0 to %c32 on threads {{
{body}
  }}
}}"""
LOOPS = {"plain": PLAIN, "blocks": BLOCKS, "teams": TEAMS, "lanes": LANES, "threads": THREADS}
EVERY_LOOP = pytest.mark.parametrize("around", LOOPS.values(), ids=LOOPS)


def interpret(machine, body, order=ORDERS["forward"], **arrays):
    """Run code over arrays %x and %y of 64 numbers, and return them."""
    x, y = (arrays.get(name, np.zeros(64, np.int64)) for name in "xy")
    text = f"""
func.func @kernel(%x: !loop.buffer<i64>, %y: !loop.buffer<i64>, %v: i64) {{
{CONSTANTS}
{body}
  func.return
}}
"""
    assert interpret_loop(machine.parse(text), "kernel", [x, y, np.int64(7)], order) == 0
    return x, y


ATOMIC = "loop.atomic %x[%c4] (%old: i64) {\n  %new = arith.addi %old, %v : i64\n  loop.yield %new : i64\n}"
LOAD, STORE = "%w = loop.load %x[%c4] : i64", "loop.store %v, %x[%c4] : i64"
FIRST = "%first = arith.cmpi eq, %i, %c1 : index\nloop.if %first {{\n{one}\n}} else {{\n{other}\n}}"
RACES = {
    "both write": (STORE, "writes"),
    "one writes": (FIRST.format(one=STORE, other=LOAD), "writes|reads"),
    "one writes, others atomically": (FIRST.format(one=STORE, other=ATOMIC), "writes|updates"),
    "one reads, others atomically": (FIRST.format(one=LOAD, other=ATOMIC), "reads|updates"),
    "a fill": ("loop.fill %v, %x[%c1 to %c8] : i64", "writes"),
    "a copy": ("loop.copy %y[%c1], %x[%c4], %c1 : i64", "writes"),
    "a copy within": ("%up = arith.addi %i, %c1 : index\nloop.copy %x[%up], %x[%i], %c1 : i64", "writes|reads"),
    "a view": (FIRST.format(one=STORE, other="%w = loop.view %x[%c4] : i64\nloop.store %v, %w[%c0] : i64"), "writes"),
    "a search": (FIRST.format(one=STORE, other="%p = loop.lower_bound %x[%c0 to %c8], %i : i64"), "writes|reads"),
    "a prefix sum": ("loop.prefix_sum %x[%c1 to %c4] : i64", "writes"),
}


@EVERY_ORDER
@EVERY_LOOP
@pytest.mark.parametrize(("body", "done"), RACES.values(), ids=RACES)
def test_races(machine, order, around, body, done):
    with pytest.raises(Race, match=rf"%i.*: \d+ ({done}) and \d+ ({done}) element \d+ of %[xw]:\n"):
        interpret(machine, around.format(body=body), order)


def test_what_an_error_says(machine):
    expected = (
        "race of iterations of the parallel loop %i on threads: 0 writes and 1 writes element 4 of %x:\n"
        "  StoreOp(loop.store %v, %x[%c4] : i64)\n  StoreOp(loop.store %v, %x[%c4] : i64)"
    )
    with pytest.raises(Race) as raised:
        interpret(machine, THREADS.format(body=STORE))
    assert str(raised.value) == expected


RIGHT = {
    "an element each": "loop.store %v, %x[%i] : i64\n%w = loop.load %x[%i] : i64",
    "all read": f"{LOAD}\n%p = loop.upper_bound %x[%c0 to %c8], %i : i64",
    "all atomically": ATOMIC,
    "neighbours of another array": "%up = arith.addi %i, %c1 : index\n%w = loop.load %y[%up] : i64\n"
    "loop.store %w, %x[%i] : i64",
    "an iteration writes twice": "loop.store %v, %x[%i] : i64\nloop.store %v, %x[%i] : i64",
    "a view each": "%own = loop.view %x[%i] : i64\nloop.store %v, %own[%c0] : i64\n"
    "loop.copy %own[%c0], %y[%i], %c1 : i64",
}


@EVERY_ORDER
@EVERY_LOOP
@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_no_races(machine, order, around, body):
    interpret(machine, around.format(body=body), order)


@EVERY_ORDER
def test_races_for_memory_of_a_block(machine, order):
    """Each block has its own, and its threads meet in it, within a loop and not from one loop to the next."""
    body = """
loop.parallel %b = %c0 to %c8 on blocks(32) {{
  %s = loop.shared 64 : i64
  loop.parallel %t = %c0 to %c32 on threads {{
    loop.store %v, %s[%t] : i64
  }}
  loop.parallel %t = %c0 to %c32 on threads {{
    %from = arith.subi %c31, %t : index
    %w = loop.load %s[%from] : i64
    loop.store %w, %s[{place}] : i64
  }}
}}
"""
    with pytest.raises(Race, match="%t on threads"):
        interpret(machine, body.format(place="%t"), order)
    shifted = "%to] : i64\n  }}\n  loop.parallel %u = %c0 to %c32 on threads {{\n    %w = loop.load %s[%u"
    interpret(
        machine,
        body.replace("loop.store %w", "%to = arith.addi %t, %c32 : index\n    loop.store %w").format(
            place=shifted.format()
        ),
        order,
    )


def test_teams_race_where_their_lanes_do_not(machine):
    body = """
loop.parallel %b = %c0 to %c1 on blocks(32) {
  loop.parallel %g = %c0 to %c4 on teams(8) {
    loop.parallel %l = %c0 to %c8 on lanes {
      loop.store %v, %x[%l] : i64
    }
  }
}
"""
    with pytest.raises(Race, match="parallel loop %g on teams: 0 writes and 1 writes element 0 of %x"):
        interpret(machine, body)


def test_blocks_race_where_their_threads_do_not(machine):
    body = """
loop.parallel %b = %c0 to %c8 on blocks(32) {
  loop.parallel %t = %c0 to %c32 on threads {
    %p = arith.addi %t, %b : index
    loop.store %v, %x[%p] : i64
  }
}
"""
    with pytest.raises(Race, match="parallel loop %b on blocks: 0 writes and 1 writes element 1 of %x"):
        interpret(machine, body)


def test_a_function_that_is_called(machine):
    text = f"""
func.func private @set(%x: !loop.buffer<i64>, %v: i64) {{
{CONSTANTS}
  loop.store %v, %x[%c4] : i64
  func.return
}}
func.func @kernel(%x: !loop.buffer<i64>, %v: i64) {{
{CONSTANTS}
  loop.parallel %i = %c0 to %c8 {{
    func.call @set(%x, %v) : (!loop.buffer<i64>, i64) -> ()
  }}
  func.return
}}
"""
    with pytest.raises(Race, match="element 4 of %x"):
        interpret_loop(machine.parse(text), "kernel", [np.zeros(8, np.int64), np.int64(1)])


ORDERED = """
%told = loop.load %x[%c0] {ordered} : i64
%number = arith.index_cast %told : i64 to index
%is_next = arith.cmpi eq, %number, %i : index
%old = loop.load %x[%c1] : i64
loop.if %is_next {
  %more = arith.addi %old, %v : i64
  loop.store %more, %x[%c1] : i64
  loop.store %more, %y[%c0] : i64
  %after = arith.addi %i, %c1 : index
  %tells = arith.index_cast %after : index to i64
  loop.store %tells, %x[%c0] {ordered} : i64
}
"""


def test_ordered_loads_and_stores_tell_of_what_was_stored(machine):
    x, y = interpret(machine, PLAIN.format(body=ORDERED))
    assert x[:2].tolist() == [8, 56] and y[0] == 56
    with pytest.raises(Race, match="element 0 of %y"):
        interpret(machine, PLAIN.format(body=ORDERED.replace("%x[%c0] {ordered}", "%x[%c0]").replace("%x", "%y")))


@EVERY_ORDER
def test_private_elements_are_not_shared(machine, order):
    body = """
  %own = loop.private add %x[%c0 to %c8] : i64
  loop.parallel %i = %c0 to %c8 {
    %old = loop.load %own[%c4] : i64
    %new = arith.addi %old, %v : i64
    loop.store %new, %own[%c4] : i64
  }
"""
    x, _ = interpret(machine, body, order)
    assert x[4] == 56


@EVERY_ORDER
def test_memory_of_an_iteration_is_its_own(machine, order):
    """What is given back may be made again at the same address."""
    body = """
  loop.parallel %i = %c0 to %c64 {
    %g = loop.scratch : i64
    loop.reserve %g, %c8 : i64
    %own = loop.data %g : i64
    loop.store %v, %own[%c4] : i64
    loop.reserve %g, %c64 : i64
    %more = loop.data %g : i64
    %w = loop.load %more[%c4] : i64
    loop.store %w, %x[%i] : i64
  }
"""
    x, _ = interpret(machine, body, order)
    assert set(x) == {7}


@pytest.mark.parametrize("element", ["f32", "f64", "i1", "i8", "i32", "i64", "index", "complex<f64>"])
def test_memory_of_a_block_begins_with_nothing_useful(machine, element):
    """Not with 0, and not with what another block has stored."""
    text = f"""
func.func @kernel(%v: {element}, %x: !loop.buffer<{element}>) {{
{CONSTANTS}
  loop.parallel %b = %c0 to %c8 on blocks(32) {{
    %s = loop.shared 4 : {element}
    %w = loop.load %s[%c1] : {element}
    loop.store %w, %x[%b] : {element}
    loop.store %v, %s[%c1] : {element}
  }}
  func.return
}}
"""
    dtype = {"f32": "f4", "f64": "f8", "i1": "?", "complex<f64>": "c16", "index": "i8"}.get(element)
    x = np.zeros(8, dtype or f"i{int(element[1:]) // 8}")
    assert interpret_loop(machine.parse(text), "kernel", [x.dtype.type(0), x]) == 0
    assert (np.isnan(x) if x.dtype.kind in "fc" else x != 0).all()
    assert len({str(value) for value in x}) == 1


@EVERY_ORDER
def test_reductions(machine, order):
    body = """
loop.parallel %b = %c0 to %c1 on blocks(32) {
  %all = loop.cell %v : i64
  loop.parallel %t = %c0 to %c32 on threads {
    %w = loop.load %x[%t] : i64
    loop.reduce %w into %all (%p: i64, %q: i64) {
      %r = arith.maxsi %p, %q : i64
      loop.yield %r : i64
    }
  }
  loop.parallel %g = %c0 to %c4 on teams(8) {
    %before = loop.get %all : i64
    %sum = loop.cell %before : i64
    %first = arith.muli %g, %c8 : index
    loop.parallel %l = %c0 to %c8 on lanes {
      %place = arith.addi %first, %l : index
      %w = loop.load %x[%place] : i64
      loop.reduce %w into %sum (%p: i64, %q: i64) {
        %r = arith.addi %p, %q : i64
        loop.yield %r : i64
      }
    }
    %r = loop.get %sum : i64
    loop.store %r, %y[%g] : i64
  }
}
"""
    x = np.random.default_rng(0).integers(-50, 50, 64)
    _, y = interpret(machine, body, order, x=x)
    np.testing.assert_array_equal(y[:4], x[:32].reshape(4, 8).sum(1) + max(7, x[:32].max()))


ROWS = """
func.func @kernel(%first: index, %pos: !loop.buffer<i64>, %crd: !loop.buffer<i32>, %v: !loop.buffer<f64>,
                  %x: !loop.buffer<f64>, %y: !loop.buffer<f64>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  loop.parallel %i = %c0 to %rows on blocks(32) {
    %next = arith.addi %i, %c1 : index
    %a = loop.load %pos[%i] : i64
    %b = loop.load %pos[%next] : i64
    %lo = arith.index_cast %a : i64 to index
    %hi = arith.index_cast %b : i64 to index
    %sum = loop.cell %zero : f64
    loop.for %p = %lo to %hi {
      %c = loop.load %crd[%p] : i32
      %j = arith.index_cast %c : i32 to index
      %q = loop.load %v[%p] : f64
      %r = loop.load %x[%j] : f64
      %m = arith.mulf %q, %r : f64
      %old = loop.get %sum : f64
      %new = arith.addf %old, %m : f64
      loop.set %new, %sum : f64
    }
    %total = loop.get %sum : f64
    loop.store %total, %y[%i] : f64
  }
  func.return
}
"""


@EVERY_ORDER
@pytest.mark.parametrize("first", [0, 2**31 - 3, 2**31 + 5, 2**40])
def test_positions_beyond_two_billion(machine, order, first):
    """Of the long arrays, there are only the elements that are touched."""
    random = np.random.default_rng(first)
    pos, crd, values = first + np.array([0, 2, 2, 6]), random.integers(0, 5, 6, "i4"), random.random(6)
    x, y = random.random(5), np.zeros(3)
    arguments = [np.int64(0), pos, Window(crd, first), Window(values, first), x, y, np.int64(3)]
    module = machine.parse(ROWS)
    assert interpret_loop(module, "kernel", arguments, order) == 0
    products = values * x[crd]
    np.testing.assert_allclose(y, [products[:2].sum(), 0, products[2:].sum()])
    arguments[2] = Window(crd[1:], first + 1)
    with pytest.raises(OutOfBounds, match=f"{first}"):
        interpret_loop(module, "kernel", arguments, order)


def test_views_of_a_window():
    window = Window(np.arange(5), 100)
    assert window[90 : len(window)][11] == 1 and window[102 : len(window)][0] == 2
