"""Storage formats drawn from the manual's list of levels, at every place where a level may be."""

import random
import re

FLAT = ("dense", "compressed", "bitmap", "hashed", "padded")
NAMED = (
    "csr",
    "csc",
    "coo",
    "dcsr",
    "dcsc",
    "bcsr(2, 2)",
    "bcsr(2, 3)",
    "bcsc(3, 2)",
    "ell",
    "dia",
    "csb(2)",
    "csf(2)",
)
DIMENSIONS = "pqrstu"


def draw_format(rng: random.Random, rank: int, options: list[str] | None = None) -> str:
    """A format for tensors of a rank, without a fill; `options` are added."""
    text = _levels(rng, rank)
    options = list(options or ())
    if rng.random() < 0.3:
        options += [f"pos = {rng.choice(('i16', 'i32', 'i64'))}", f"crd = {rng.choice(('i8', 'i16', 'i32', 'i64'))}"]
    return ", ".join([text, *options]) if options and not _is_name(text) else text


def _is_name(text: str) -> bool:
    return text.split("(")[0] in {name.split("(")[0] for name in NAMED}


def _levels(rng: random.Random, rank: int) -> str:
    if rank == 2:
        kind = rng.random()
        if kind < 0.15:
            return rng.choice(NAMED)
        if kind < 0.24:
            return _diagonals(rng)
    if rank >= 2 and rng.random() < 0.15:
        return _blocks(rng, rank)
    names = DIMENSIONS[:rank]
    order = rng.sample(names, rank) if rng.random() < 0.5 else list(names)
    levels = [f"{name} : {kind}" for name, kind in zip(order, _kinds(rng, rank), strict=True)]
    return f"({', '.join(names)}) -> ({', '.join(levels)})"


def _kinds(rng: random.Random, rank: int) -> list[str]:
    """Level kinds from the outermost; lists of coordinates are nonunique levels down to a singleton."""
    kinds: list[str] = []
    while len(kinds) < rank:
        left = rank - len(kinds)
        if left >= 2 and rng.random() < 0.3:
            kinds += _tuples(rng, rng.randint(2, left))
        else:
            kinds.append(_plain(rng, last=left == 1))
    return kinds


def _plain(rng: random.Random, last: bool) -> str:
    kind = rng.choices(FLAT, (4, 6, 2, 1, 1))[0]
    if kind == "compressed" and rng.random() < 0.2:
        return rng.choice(("compressed(nonordered)", "compressed(nonunique)" if last else "compressed"))
    return kind


def _tuples(rng: random.Random, count: int) -> list[str]:
    if rng.random() < 0.2:
        inner = ["singleton(nonunique, nonordered)"] * (count - 2)
        return ["compressed(nonunique, nonordered)", *inner, "singleton(nonordered)"]
    last = rng.choice(("singleton", "singleton", "singleton(nonunique)"))
    return ["compressed(nonunique)", *["singleton(nonunique)"] * (count - 2), last]


def _diagonals(rng: random.Random) -> str:
    diagonals = rng.choice(("compressed", "compressed", "dense", "bitmap"))
    one, other = rng.choice(("pq", "qp"))
    along = rng.choice(("range", "range", "compressed", "bitmap"))
    return f"(p, q) -> (q - p : {diagonals}, {one} : {along}, {other} : offset)"


def _blocks(rng: random.Random, rank: int) -> str:
    """Some dimensions in blocks; the places inside of a block are the innermost levels."""
    names = DIMENSIONS[:rank]
    sizes = {name: rng.choice((2, 3)) for name in names if rng.random() < 0.8} or {names[0]: 2}
    outer = rng.sample(names, rank) if rng.random() < 0.3 else list(names)
    inner = [name for name in (rng.sample(names, rank) if rng.random() < 0.3 else names) if name in sizes]
    kinds = [_plain(rng, last=False) for _ in outer]
    levels = [
        f"{name} floordiv {sizes[name]} : {kind}" if name in sizes else f"{name} : {kind}"
        for name, kind in zip(outer, kinds, strict=True)
    ]
    within = ["dense"] * len(inner)
    if rng.random() < 0.25:
        within = _kinds(rng, len(inner))
    levels += [f"{name} mod {sizes[name]} : {kind}" for name, kind in zip(inner, within, strict=True)]
    return f"({', '.join(names)}) -> ({', '.join(levels)})"


def stores_everything(text: str | None) -> bool:
    """Whether every level is dense, so that no element is absent."""
    return set(_kinds_of(text)) == {"dense"}


def pads(text: str | None) -> bool:
    """Whether the innermost level that is not a singleton has a place for each coordinate."""
    kinds = [kind for kind in _kinds_of(text) if kind not in ("singleton", "offset")]
    return bool(kinds) and kinds[-1] in ("dense", "range")


def _kinds_of(text: str | None) -> list[str]:
    return re.findall(r"dense|compressed|bitmap|hashed|padded|singleton|range|offset", text or "")


def stores_parts(text: str) -> bool:
    """Whether the innermost level may store a coordinate several times."""
    levels = text.partition("-> (")[2].split(", fill")[0].split(", pos")[0]
    return "nonunique" in levels.rpartition(" : ")[2]
