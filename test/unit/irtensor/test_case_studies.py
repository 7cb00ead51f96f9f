"""The case studies of workspaces (Kjolstad et al. 2019, section 6): the statements that they become, and values."""

import re

import numpy as np
import pytest

import irtensor as it

CSR, DCSR, CSF = it.CSR, it.DCSR, it.CSF(3)
RNG = np.random.default_rng(7)
SIZES = {"i": 6, "j": 5, "k": 7, "l": 4, "m": 3, "n": 5}


def sparse(shape, density=0.4):
    return np.where(RNG.random(shape) < density, RNG.integers(1, 9, shape), 0).astype(float)


def statement(kernel) -> str:
    """The statement after the schedule: loops as `forall ij`, temporaries as `(consumer where producer)`."""
    lines = kernel.ir(f"step {len(kernel.schedule.steps)}").splitlines()
    return Outline([line.strip() for line in lines]).statement()


class Outline:
    """Reads printed concrete_index IR, line by line, knowing nothing of the compiler."""

    def __init__(self, lines):
        self.lines = lines
        self.position = next(n for n, line in enumerate(lines) if "concrete_index.compute" in line) + 1
        ((self.target, self.result),) = re.findall(r"%(\w+) = \S+ \(%(\w+)\)", lines[self.position - 1])
        self.values = {}

    def name(self, text):
        return self.target if text == self.result else re.sub(r"_\d+$", "", text)

    def access(self, text):
        ((tensor, indices),) = re.findall(r"^%(\w+)\[(.*?)\]", text)
        return self.name(tensor) + "".join(re.findall(r"%([a-z])", indices))

    def statement(self):
        found = []
        while not (line := self.lines[self.position]).startswith("}"):
            self.position += 1
            if loop := re.match(r"concrete_index\.forall %(\w)", line):
                inner = self.statement()
                variable = loop[1]
                found.append(f"∀{variable}{inner[1:]}" if inner.startswith("∀") else f"∀{variable} {inner}")
                self.position += 1
            elif line.startswith("concrete_index.where"):
                producer = self.statement()
                self.position += 1
                found.append(f"({self.statement()} where {producer})")
                self.position += 1
            elif value := re.match(r"%(\w+) = concrete_index\.access (.*)", line):
                self.values[value[1]] = self.access(value[2])
            elif value := re.match(r"%(\w+) = algebra\.apply (\w+)\(%(\w+), %(\w+)\)", line):
                symbol = {"mul": "*", "add": "+"}[value[2]]
                self.values[value[1]] = f"({self.values[value[3]]}{symbol}{self.values[value[4]]})"
            elif store := re.match(r"concrete_index\.assign (add )?%(\w+) into (.*)", line):
                value = self.values[store[2]].removeprefix("(").removesuffix(")")
                found.append(f"{self.access(store[3])} {'+=' if store[1] else '='} {value}")
        return f"({'; '.join(found)})" if len(found) > 1 else found[0]


# Statement, formats, schedule, the statement after it.
ROWS = "y[i] = B[i,j] * C[i,j]"
PRODUCT = "A[i,j] = B[i,k] * C[k,j]"
SUM = "A[i,j] = B[i,j] + C[i,j]"
MTTKRP = "A[i,j] = B[i,k,l] * C[l,j] * D[k,j]"
STUDIES = [
    ("row dot products", ROWS, "BC", "precompute(B[i,j], over=j)", "∀i (∀j yi += wj*Cij where ∀j wj = Bij)"),
    (
        "matrix multiply",
        PRODUCT,
        "ABC",
        "reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)",
        "∀i (∀j Aij = wj where ∀kj wj += Bik*Ckj)",
    ),
    (
        "inner products: the workspace's loop over k stays within the one over j",
        PRODUCT,
        "",
        "precompute(B[i,k] * C[k,j], over=j)",
        "∀i (∀j Aij = wj where ∀jk wj += Bik*Ckj)",
    ),
    ("a scalar", PRODUCT, "", "precompute(B[i,k] * C[k,j])", "∀ij (Aij = w where ∀k w += Bik*Ckj)"),
    (
        "matrix addition",
        SUM,
        "ABC",
        "precompute(B[i,j] + C[i,j], over=j)",
        "∀i (∀j Aij = wj where ∀j wj = Bij+Cij)",
    ),
    (
        "matrix addition, the workspace reused",
        SUM,
        "ABC",
        "precompute(B[i,j] + C[i,j], over=j); precompute(B[i,j], over=j, reuse=True)",
        "∀i (∀j Aij = wj where (∀j wj = Bij; ∀j wj += Cij))",
    ),
    (
        "matrix addition with two workspaces",
        SUM,
        "ABC",
        "precompute(B[i,j] + C[i,j], over=j); precompute(B[i,j], over=j, workspace=v)",
        "∀i (∀j Aij = wj where (∀j wj = vj+Cij where ∀j vj = Bij))",
    ),
    (
        "addition into a dense result, which is reused",
        SUM,
        "BC",
        "precompute(B[i,j], over=(i, j), reuse=True)",
        "(∀ij Aij = Bij; ∀ij Aij += Cij)",
    ),
    (
        "addition of rows into a dense result",
        SUM,
        "BC",
        "precompute(C[i,j], over=j, reuse=True)",
        "∀i (∀j Aij = Cij; ∀j Aij += Bij)",
    ),
    (
        "MTTKRP, the loop-invariant factor hoisted",
        MTTKRP,
        "B",
        "reorder(i, k, l, j); precompute(B[i,k,l] * C[l,j], over=j)",
        "∀ik (∀j Aij += wj*Dkj where ∀lj wj += Bikl*Clj)",
    ),
    (
        "MTTKRP into a workspace as well",
        MTTKRP,
        "ABCD",
        "reorder(i, k, l, j); precompute(B[i,k,l] * C[l,j], over=j); precompute(w[j] * D[k,j], over=j, workspace=v)",
        "∀i (∀j Aij = vj where ∀k (∀j vj += wj*Dkj where ∀lj wj += Bikl*Clj))",
    ),
    (
        "MTTKRP with a sparse result of dense factors",
        MTTKRP,
        "AB",
        "reorder(i, k, l, j); precompute(B[i,k,l] * C[l,j], over=j); precompute(w[j] * D[k,j], over=j, workspace=v)",
        "∀i (∀j Aij = vj where ∀k (∀j vj += wj*Dkj where ∀lj wj += Bikl*Clj))",
    ),
    (
        "both sides in one step",
        MTTKRP,
        "ABCD",
        "reorder(i, k, l, j); precompute(B[i,k,l] * C[l,j] * D[k,j], over=j)",
        "∀i (∀j Aij = wj where ∀klj wj += (Bikl*Clj)*Dkj)",
    ),
    (
        "a sum of three with a matrix as workspace",
        "A[i,j] = B[i,j] + C[i,j] + D[i,j]",
        "BCD",
        "precompute(B[i,j] + C[i,j], over=(i, j)); precompute(B[i,j], over=(i, j), workspace=v)",
        "(∀ij Aij = wij+Dij where (∀ij wij = vij+Cij where ∀ij vij = Bij))",
    ),
    (
        "what no row depends on is computed once (law L2)",
        "y[i] = B[i,j] * (c[j] * d[j])",
        "B",
        "precompute(c[j] * d[j], over=j)",
        "(∀ij yi += Bij*wj where ∀j wj = cj*dj)",
    ),
    (
        "two temporaries that do not use each other (law L5)",
        "A[i,j] = B[i,j] + C[i,j] + D[i,j]",
        "BCD",
        "precompute(B[i,j] + C[i,j], over=j); precompute(D[i,j], over=j, workspace=v)",
        "∀i ((∀j Aij = wj+vj where ∀j wj = Bij+Cij) where ∀j vj = Dij)",
    ),
    (
        "both sides use the first temporary: L4 and L5 do not hold, and the second stays inside",
        "A[i,j] = (B[i,j] + C[i,j]) * D[i,j] + (B[i,j] + C[i,j])",
        "BC",
        "precompute(B[i,j] + C[i,j], over=j); precompute(w[j] * D[i,j], over=j, workspace=v)",
        "∀i ((∀j Aij = vj+wj where ∀j vj = wj*Dij) where ∀j wj = Bij+Cij)",
    ),
    (
        "a sum of three with workspaces of order four",
        "A[i,j,k,l] = B[i,j,k,l] + C[i,j,k,l] + D[i,j,k,l]",
        "",
        "precompute(B[i,j,k,l] + C[i,j,k,l], over=(i, j, k, l)); "
        "precompute(B[i,j,k,l], over=(i, j, k, l), workspace=v)",
        "(∀ijkl Aijkl = wijkl+Dijkl where (∀ijkl wijkl = vijkl+Cijkl where ∀ijkl vijkl = Bijkl))",
    ),
    (
        "a contraction of order four by a workspace of order three",
        "A[i,j,n] = B[i,j,k,l] * C[k,l,m] * D[m,n]",
        "",
        "reorder(i, j, m, n, k, l); precompute(B[i,j,k,l] * C[k,l,m], over=(i, j, m))",
        "(∀ijmn Aijn += wijm*Dmn where ∀ijmkl wijm += Bijkl*Cklm)",
    ),
    (
        "by workspaces of order three and two",
        "A[i,n] = B[i,j,k,l] * C[k,l,m] * D[m,n]",
        "",
        "reorder(i, m, n, j, k, l); precompute(B[i,j,k,l] * C[k,l,m], over=(i, m)); "
        "precompute(B[i,j,k,l], over=(i, k, l), workspace=v)",
        "(∀imn Ain += wim*Dmn where (∀imkl wim += vikl*Cklm where ∀ijkl vikl += Bijkl))",
    ),
    (
        "one vector after the other",
        "A[i,j] = B[i,j,k,l] * c[l] * d[k]",
        "",
        "precompute(B[i,j,k,l] * c[l], over=(i, j, k))",
        "(∀ijk Aij += wijk*dk where ∀ijkl wijk += Bijkl*cl)",
    ),
    (
        "one vector after the other, the rest in a workspace as well",
        "A[i,j] = B[i,j,k,l] * c[l] * d[k]",
        "",
        "precompute(B[i,j,k,l] * c[l] * d[k], over=(i, j)); precompute(B[i,j,k,l] * c[l], over=(i, j, k), workspace=v)",
        "(∀ij Aij = wij where (∀ijk wij += vijk*dk where ∀ijkl vijk += Bijkl*cl))",
    ),
    (
        "a contraction of three by two workspaces",
        "A[i,m] = B[i,j,k] * C[j,k,l] * D[l,m]",
        "",
        "reorder(i, l, m, j, k); precompute(B[i,j,k] * C[j,k,l], over=(i, l))",
        "(∀ilm Aim += wil*Dlm where ∀iljk wil += Bijk*Cjkl)",
    ),
]


def operands(kernel, formats):
    dense = {}
    for name, indices in re.findall(r"(\w)\[([\w,]+)\]", str(kernel.written).partition("=")[2].replace(" ", "")):
        dense[name] = sparse([SIZES[index] for index in indices.split(",")])
    return dense, {
        name: it.Tensor.from_numpy(array, CSF if array.ndim == 3 else CSR) if name in formats else array
        for name, array in dense.items()
    }


def expected(kernel, dense):
    target, _, right = re.sub(r"[\s,]", "", str(kernel.written)).partition("=")
    if "+" in right:
        # Every operand has all the indices of the result.
        return eval(re.sub(r"\[\w+\]", "", right), dict(dense))
    right = re.sub(r"sum\([a-z]*,?", "", right)
    pieces = re.findall(r"(\w)\[(\w+)\]", right)
    subscripts = ",".join(indices for _, indices in pieces)
    return np.einsum(f"{subscripts}->{target[2:-1]}", *(dense[name] for name, _ in pieces))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("title, notation, formats, steps, after", STUDIES, ids=[row[0] for row in STUDIES])
def test_case_study(title, notation, formats, steps, after):
    schedule = it.schedule(steps)
    stored = {name: CSF if name == "B" and "B[i,k,l]" in notation else CSR for name in formats}
    kernel = it.compile(notation, formats=stored, schedule=schedule)
    assert statement(kernel) == after
    for _ in range(3):
        dense, given = operands(kernel, formats)
        result = kernel(**given)
        array = result if isinstance(result, np.ndarray) else result.to_numpy()
        assert np.array_equal(array, expected(kernel, dense))


DOT = "; ".join(
    f"precompute({part}, over=i1, workspace={name})"
    for part, name in (("b[i1] * c[i1]", "w"), ("b[i1]", "v"), ("c[i1]", "u"))
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("size", [16, 17, 3, 0])
@pytest.mark.parametrize("stored", [{}, {"b": "compressed"}, {"b": "compressed", "c": "compressed"}])
def test_tiles_are_computed_aside(size, stored):
    """A tile of 16 and a rest; in a dot product what was stored by `=` is added up over the tiles."""
    b, c = sparse(size), sparse(size, 0.7)
    tile = it.schedule("split(i, i0, i1, 16); precompute(b[i1] * c[i1], over=i1)")
    for result in ("dense", "compressed"):
        kernel = it.compile("y[i] = b[i] * c[i]", formats={**stored, "y": result}, schedule=tile)
        found = kernel(b=b, c=c)
        np.testing.assert_array_equal(found if isinstance(found, np.ndarray) else found.to_numpy(), b * c)
    dot = it.compile("s = b[i] * c[i]", formats=stored, schedule=it.schedule(f"split(i, i0, i1, 16); {DOT}"))
    assert dot(b=b, c=c) == b @ c
