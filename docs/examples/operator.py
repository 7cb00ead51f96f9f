"""An operator of one's own, with the traits that let it reduce and skip missing entries."""

import numpy as np

import irtensor as it

either = it.operator("either", lambda a, b: a + b - a * b, identity=0.0, associative=True, commutative=True)
kernel = it.compile("p[i] = @either(j, A[i,j])", formats={"A": it.CSR}, operators=[either])
print(kernel(A=np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]])))
