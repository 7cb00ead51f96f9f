"""A statement compiled once, over a format with another fill, called with arrays."""

import numpy as np

import irtensor as it

relax = it.compile("d[i] min= W[i,j] + s[j]", formats={"W": "dense, compressed, fill = inf"})
W = np.array([[0.0, 7.0, np.inf], [np.inf, 0.0, 2.0], [1.0, np.inf, 0.0]])  # inf: no edge
print(relax(W=W, s=np.array([0.0, np.inf, np.inf])))
