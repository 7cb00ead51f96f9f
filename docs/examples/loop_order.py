"""How a loop order is found: what `explain` says about MTTKRP, without the stages and their times."""

import irtensor as it

kernel = it.compile("M[i,j] = T[i,k,l] * C[k,j] * D[l,j]", formats={"T": it.CSF(3)})
print(kernel.explain().partition("\n\nstages")[0])
