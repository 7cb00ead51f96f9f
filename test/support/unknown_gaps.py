"""IR of a merge of nine operands, each of whose gaps has a value that is not known."""

MERGED = [f"%n{k}" for k in range(9)]
TYPES = ", ".join(["!nest"] * len(MERGED))
UNKNOWN_GAPS = "\n".join(
    [
        "!nest = !iteration_lattice.looplet<f64>",
        "func.func @f(%q: !loop.cell<index>, %crd: !loop.buffer<index>, %val: !loop.buffer<f64>, "
        "%gap: f64, %n: index) {",
        "  %t = loop.cell %gap : f64",
        *(
            f"""  {nest} = iteration_lattice.stepper %q to %n until %n : !loop.cell<index> -> !nest load {{
  ^bb0(%p: index):
    %at = loop.load %crd[%p] : index
    iteration_lattice.yield %at : index
  }} chunk {{
  ^bb0(%p: index, %after: index):
    %v = loop.load %val[%p] : f64
    %spike = iteration_lattice.spike %gap, %v : f64, f64 -> !nest
    iteration_lattice.yield %spike : !nest
  }}"""
            for nest in MERGED
        ),
        f"  iteration_lattice.coiterate %n to %n over {', '.join(MERGED)} : {TYPES} {{",
        f"  ^bb0(%i: index, {', '.join(f'%x{k}: f64' for k in range(9))}):",
        *(f"    iteration_lattice.update add %x{k} into %t : f64, !loop.cell<f64>" for k in range(9)),
        "  }",
        "  func.return",
        "}",
    ]
)
