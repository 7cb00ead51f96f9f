"""`einsum`: subscripts, plans, contractions."""
