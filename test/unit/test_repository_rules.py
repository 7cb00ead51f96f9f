"""The rules of the house, executed: sizes, the import arrow, names, and that everything has its test and its text."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from irtensor.dialects import DIALECTS
from irtensor.passes import PASSES

ROOT = Path(__file__).parents[2]
PACKAGES = ("dialects", "passes", "irtensor", "tools")
LINE_LIMIT = 450
FORBIDDEN_NAMES = {"utils.py", "util.py", "helpers.py", "helper.py", "common.py", "misc.py"}
EMBEDDABLE_BANS = {"numpy", "scipy", "llvmlite", "cuda"}
# Who may import whom; the order is the arrow.
ALLOWED = {
    "dialects": {"dialects"},
    "passes": {"dialects", "passes"},
    "irtensor": {"dialects", "passes", "irtensor"},
    "tools": {"dialects", "passes", "irtensor", "tools"},
}
SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@cache
def sources(package: str) -> tuple[Path, ...]:
    """The Python files of one package; links to the other packages are not followed."""
    folder = ROOT / package
    links = [entry for entry in folder.iterdir() if entry.is_symlink()]
    return tuple(
        path
        for path in sorted(folder.rglob("*.py"))
        if "__pycache__" not in path.parts and not any(path.is_relative_to(link) for link in links)
    )


def all_sources() -> list[Path]:
    return [path for package in PACKAGES for path in sources(package)]


def all_python() -> list[Path]:
    folders = [folder for folder in ("test", "benchmarks", "docs") if (ROOT / folder).is_dir()]
    others = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [*all_sources(), *(path for path in others if "__pycache__" not in path.parts)]


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports(path: Path) -> set[str]:
    """Every module that a file names in an import, inside functions as well, but not those for types only."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.orelse:
                visit(child)
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}:{node.lineno}: imports are absolute"
            # `from irtensor import passes` names a package as much as `import irtensor.passes`.
            found.add(node.module or "")
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree(path))
    return found


def owner(module: str) -> str | None:
    """The package of the arrow that a module belongs to; None for modules of others."""
    parts = module.split(".")
    if parts[0] != "irtensor" or len(parts) == 1:
        return None
    return parts[1] if parts[1] in ("dialects", "passes", "tools") else "irtensor"


@pytest.mark.parametrize("path", all_python(), ids=name)
def test_no_file_is_too_long(path):
    count = len(path.read_text(encoding="utf-8").splitlines())
    assert count <= LINE_LIMIT, f"{name(path)} has {count} lines: split it by noun"


@pytest.mark.parametrize("path", all_python(), ids=name)
def test_every_module_says_what_it_is(path):
    text = ast.get_docstring(tree(path))
    assert text, f"{name(path)} has no docstring"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_arrow(package):
    wrong = [
        f"{name(path)} imports {module}"
        for path in sources(package)
        for module in imports(path)
        if (target := owner(module)) is not None and target not in ALLOWED[package]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", ["dialects", "passes"])
def test_other_compilers_can_embed(package):
    wrong = [
        f"{name(path)} imports {module}"
        for path in sources(package)
        for module in imports(path)
        if module.split(".")[0] in EMBEDDABLE_BANS
    ]
    assert not wrong, "\n".join(wrong)


def test_no_module_of_leftovers():
    assert not [name(path) for path in all_python() if path.name in FORBIDDEN_NAMES]


def test_test_folders_are_no_packages():
    assert not list((ROOT / "test").rglob("__init__.py"))


@pytest.mark.parametrize("row", PASSES, ids=lambda row: row[0])
def test_a_pass_has_one_name(row):
    """Command-line name, file and class are the same words, and the class says so itself."""
    command, module, class_name = row
    words = command.split("-")
    assert module.split(".")[-1] == "_".join(words)
    assert class_name.lower() == "".join(words) + "pass"
    path = (ROOT / "passes" / module.replace(".", "/")).with_suffix(".py")
    assert path.exists(), f"{name(path)} is registered but does not exist"
    (definition,) = [
        node for node in tree(path).body if isinstance(node, ast.ClassDef) and node.name == class_name
    ] or [None]
    assert definition is not None, f"{name(path)} has no class {class_name}"
    assert ast.get_docstring(definition), f"{class_name} has no docstring, which --help shows"
    names = [
        node.value.value
        for node in definition.body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant)
        if ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target) == "name"
    ]
    assert names == [command]


def test_every_pass_is_registered():
    registered = {class_name for _, _, class_name in PASSES}
    found = {
        node.name: name(path)
        for path in sources("passes")
        for node in tree(path).body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id in ("ModulePass", "TensorPass") for base in node.bases)
        and node.name != "TensorPass"
    }
    assert not {class_name: path for class_name, path in found.items() if class_name not in registered}


@pytest.mark.parametrize("command", [row[0] for row in PASSES])
@pytest.mark.parametrize("suffix", ["", "-rejected"])
def test_a_pass_has_lit_tests(command, suffix):
    """What it does, and what it refuses or must leave alone."""
    file = f"{command}{suffix}.mlir"
    assert list((ROOT / "test" / "passes").rglob(file)), f"test/passes/**/{file} is missing"


@pytest.mark.parametrize("prefix, module", [row[:2] for row in DIALECTS])
@pytest.mark.parametrize("file", ["ops.mlir", "invalid.mlir"])
def test_a_dialect_has_lit_tests(prefix, module, file):
    assert (ROOT / "dialects" / f"{module}.py").exists(), f"dialect {prefix} is registered, but has no file"
    assert (ROOT / "test" / "dialects" / prefix / file).exists(), f"test/dialects/{prefix}/{file} is missing"


def takes_slug(path: Path) -> set[str]:
    """Functions of a file whose first parameter is a slug."""
    return {
        node.name
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef)
        and [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")][:1] == ["slug"]
    }


@cache
def slugs_in_code() -> dict[str, str]:
    """Every slug that is written out in an error: slug -> a place that uses it."""
    return {slug: place for package in PACKAGES[::-1] for slug, place in slugs_in(package).items()}


@cache
def slugs_in(package: str) -> dict[str, str]:
    """The slugs of one package.

    A slug is a literal in the first argument of an error, or of a function whose first parameter is called `slug`.
    """
    shared = {"UserError", "UnorderedError"}.union(*(takes_slug(path) for path in all_sources()))
    found: dict[str, str] = {}
    for path in sources(package):
        imported = {module.rpartition(".")[2] for module in imports(path) if module.startswith("irtensor.")}
        constructors = takes_slug(path) | (shared & imported)
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            if called not in constructors:
                continue
            for argument in [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "slug")]:
                for constant in ast.walk(argument):
                    if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                        found.setdefault(constant.value, f"{name(path)}:{node.lineno}")
    return found


def documented_slugs() -> list[str]:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    return re.findall(r"^### `([^`]+)`", text, re.MULTILINE)


def test_slugs_are_spelled_alike():
    assert not {slug: place for slug, place in slugs_in_code().items() if not SLUG.fullmatch(slug)}


def test_every_error_is_documented():
    documented = set(documented_slugs())
    missing = {slug: place for slug, place in slugs_in_code().items() if slug not in documented}
    assert not missing, "\n".join(f"docs/errors.md lacks [{slug}], used in {place}" for slug, place in missing.items())


def test_every_error_is_tested():
    """Each slug is written in some test that provokes it: as `[slug]` in IR, as a string in Python."""
    files = [path for kind in ("*.mlir", "*.py") for path in (ROOT / "test").rglob(kind) if path != Path(__file__)]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    tested = set(re.findall(r"""[\["']([a-z][a-z0-9-]*)[\]"']""", text))
    missing = {slug: place for slug, place in slugs_in_code().items() if slug not in tested}
    assert not missing, "\n".join(f"no test provokes [{slug}] of {place}" for slug, place in missing.items())


# Where the whole texts of errors are tested, as a caller of each package sees them.
TEXTS = {
    "dialects": ("test/errors/*.mlir", "test/unit/test_opt_error_texts.py"),
    "passes": ("test/errors/*.mlir", "test/unit/test_opt_error_texts.py"),
    "irtensor": ("test/errors/compile.mlir", "test/unit/test_error_texts.py", "test/unit/test_run_error_texts.py"),
    "tools": ("test/errors/*.mlir", "test/unit/test_run_error_texts.py", "test/unit/test_opt_error_texts.py"),
}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_error_has_its_whole_text_tested(package):
    """A test of a part of the message does not show what its reader is told, and what to do about it."""
    files = [path for pattern in TEXTS[package] for path in ROOT.glob(pattern)]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in files)
    tested = set(re.findall(r"error: \[([a-z0-9-]+)\]", texts))
    missing = {slug: place for slug, place in slugs_in(package).items() if slug not in tested}
    wanted = " or ".join(TEXTS[package])
    assert not missing, "\n".join(f"[{slug}] of {place} is not in {wanted}" for slug, place in missing.items())


def test_documented_errors_exist_once_and_in_order():
    documented = documented_slugs()
    assert documented == sorted(set(documented))
    assert not set(documented) - set(slugs_in_code()), "docs/errors.md describes errors that no code raises"


def test_public_names_can_be_imported():
    import irtensor

    for public in irtensor.PUBLIC_NAMES:
        assert getattr(irtensor, public) is not None


def test_importing_the_package_is_free():
    """`import irtensor` alone loads nothing, so that tools that load its dialects do not pay for the rest."""
    wrong = [
        ast.unparse(node)
        for node in tree(ROOT / "irtensor" / "__init__.py").body
        if isinstance(node, (ast.Import, ast.ImportFrom)) and "irtensor" in ast.unparse(node)
    ]
    assert not wrong
