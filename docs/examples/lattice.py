"""What a merge is made of: the lattice points of three statements over sparse vectors, as `explain` lists them."""

import irtensor as it

for notation in ("D[i] = A[i] + B[i] + C[i]", "D[i] = (A[i] + B[i]) * C[i]", "D[i] = A[i] * (B[i] > 2)"):
    kernel = it.compile(notation, formats={name: "compressed" for name in "ABCD" if name in notation})
    points = kernel.explain().partition("\n\nlattice points")[2].partition("\n\n")[0]
    print(f"{notation}\nlattice points{points}\n")
