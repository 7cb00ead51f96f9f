"""docs/architecture.md as a map: the files that it names exist, and it has every folder of the source."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def sources() -> list[Path]:
    """The files of the repository, by their paths in it; links inside of `irtensor/` are not followed."""
    links = [entry for entry in (ROOT / "irtensor").iterdir() if entry.is_symlink()]
    found: list[Path] = []
    for folder in ("benchmarks", "dialects", "docs", "irtensor", "passes", "test", "tools"):
        paths = [path for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
        found += [path for path in paths if not any(path.is_relative_to(link) for link in links)]
    return [path.relative_to(ROOT) for path in found]


def test_named_files_exist():
    """A name without its folder is that of a file beside the one before it."""
    present = {path.as_posix() for path in sources()}
    names = {Path(path).name for path in present}
    named = re.findall(r"`([\w./-]+\.(?:py|mlir|c|ll|txt|md)|[\w./-]+/[\w./-]*)`", PAGE)
    assert len(named) > 100
    missing = [
        name
        for name in named
        if (name.rstrip("/") not in present if "/" in name.rstrip("/") else name.rstrip("/") not in names)
        and not (ROOT / name).exists()
    ]
    assert not missing


def test_every_folder_is_on_the_page():
    """Those of `levels/` and `dialects/` are rows with `<name>`."""
    rows = PAGE[PAGE.index("| folder |") : PAGE.index("real folders that import as")]
    dialects = {path.name for path in (ROOT / "dialects").iterdir() if path.is_dir()}
    folders = [path for path in sources() if path.parts[0] in ("irtensor", "passes") and len(path.parts) == 2]
    folders = [path for path in folders if (ROOT / path).is_dir() and path.name not in dialects | {"levels"}]
    assert len(folders) > 15
    assert not [path.as_posix() for path in folders if f"`{path.name}/`" not in rows and f"`{path}/`" not in rows]
