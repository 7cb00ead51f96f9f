"""The rules of the house, executed: sizes, the import arrow, names, and that everything has its test and its text."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from irtensor.dialects import DIALECTS
from irtensor.passes import PASSES

ROOT = Path(__file__).parents[2]
PACKAGES = ("dialects", "passes", "irtensor", "tools")
LINE_LIMIT = 450
FORBIDDEN_NAMES = {"utils.py", "util.py", "helpers.py", "helper.py", "common.py", "misc.py"}
EMBEDDABLE_BANS = {"numpy", "scipy", "llvmlite", "cuda"}
# Who may import whom; the order is the arrow. Files of level formats are where they would be without folders of their
# own: what a format says of itself is a plain value, and its code belongs to the passes.
ALLOWED = {
    "core": {"core"},
    "dialects": {"core", "dialects"},
    "passes": {"core", "dialects", "passes"},
    "irtensor": {"core", "dialects", "passes", "irtensor"},
    "tools": {"core", "dialects", "passes", "irtensor", "tools"},
}
LEVEL_FILES = {
    "known_levels": "core",
    "level_codes": "passes",
    "level_stores": "irtensor",
    "register_level": "irtensor",
    "properties": "core",
    "code": "passes",
    "store": "irtensor",
    "register_operator": "irtensor",
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


def imports(path: Path, *, for_types: bool = False) -> set[str]:
    """Every module that a file names in an import, inside functions as well; those for types only if asked for."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and not for_types:
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
    if parts[1] in ("levels", "operators"):
        found = [LEVEL_FILES[part] for part in parts if part in LEVEL_FILES]
        return found[0] if found else "core"
    return parts[1] if parts[1] in ("core", "dialects", "passes", "tools") else "irtensor"


def module_of(path: Path) -> str:
    """The name that a source file is imported by."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts if parts[0] == "irtensor" else ("irtensor", *parts))


def none_of(problems: Iterable[str]) -> None:
    """A rule has one test, which names all the places that break it."""
    found = list(problems)
    assert not found, "\n".join(found)


def test_no_file_is_too_long():
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in all_python()}
    long = {path: count for path, count in lines.items() if count > LINE_LIMIT}
    none_of(f"{name(path)} has {count} lines: split it by noun" for path, count in long.items())


def test_every_module_says_what_it_is():
    none_of(f"{name(path)} has no docstring" for path in all_python() if not ast.get_docstring(tree(path)))


def test_no_property_waits_for_another_thread():
    """A lock that a thread holds during a fork is held forever in the child; see `irtensor.core.cached_property`."""
    users = [name(path) for path in all_sources() if re.search(r"functools import .*cached_property", path.read_text())]
    assert users == ["irtensor/core/cached_property.py"]


def test_imports_follow_the_arrow():
    none_of(
        f"{name(path)} imports {module}"
        for package in PACKAGES
        for path in sources(package)
        for module in imports(path, for_types=True)
        if (target := owner(module)) is not None and target not in ALLOWED[owner(module_of(path)) or package]
    )


def test_values_need_no_compiler():
    """A tensor is a value below; what computes with it, and the class that a user sees, stand above."""
    above = tuple(f"irtensor.{folder}" for folder in ("api", "compiler", "dialects", "passes", "planning", "tensors"))
    none_of(
        f"{name(path)} imports {module}"
        for path in sources("irtensor")
        if path.parent.name == "storage"
        for module in imports(path, for_types=True)
        if module.startswith(above)
    )


def in_circles(imported: dict[str, set[str]]) -> dict[str, set[str]]:
    """What is left of imports without modules that import none of the others, or that none of them imports."""
    used = set[str]().union(*imported.values())
    left = {module: others & imported.keys() for module, others in imported.items() if module in used}
    left = {module: others for module, others in left.items() if others}
    return left if left == imported else in_circles(left)


def test_circles_are_found():
    assert in_circles({"a": {"b"}, "b": {"c"}, "c": {"b", "e"}, "d": {"a"}, "e": set()}) == {"b": {"c"}, "c": {"b"}}
    assert not in_circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})


def test_no_imports_go_in_a_circle():
    """Those inside of functions, and for types alone, included: a file can be read after what it stands on."""
    paths = {module_of(path): path for path in all_sources()}
    imported = {module: (imports(path, for_types=True) & paths.keys()) - {module} for module, path in paths.items()}
    none_of(
        f"{module} is in a circle, or between two: it imports {', '.join(sorted(others))}"
        for module, others in in_circles(imported).items()
    )


def test_a_compile_needs_nothing_that_only_papers_count():
    """Of the package only the tools, which show the counts, import the papers' folder."""
    papers = "irtensor.passes.autoschedule.papers"
    folder = ROOT / "passes" / "autoschedule" / "papers"
    none_of(
        f"{name(path)} imports {module}"
        for package in ("dialects", "passes", "irtensor")
        for path in sources(package)
        if not path.is_relative_to(folder)
        for module in imports(path)
        if module == papers or module.startswith(f"{papers}.")
    )


# Everything that a compile may load: a plan, the search for other programs, measurements, and what explains them.
COMPILES = """
import sys
import numpy as np
import irtensor as it
from irtensor.late_imports import load_for

A = it.Tensor.from_numpy(np.eye(4), "csr")
for how in ({}, {"schedule": "auto"}, {"tune": "operands"}, {"schedule": it.schedule("autoschedule()")}):
    kernel = it.compile("y[i] = A[i,j] * B[j,k] * x[k]", {"A": "csr", "B": "csr"}, disk_cache=False, **how)
    kernel(A=A, B=A, x=np.ones(4))
    kernel.explain()
load_for("searching")
print(*sorted(name for name in sys.modules if name.startswith("irtensor.passes.autoschedule.")))
"""


def test_a_compile_loads_nothing_that_only_papers_count():
    run = subprocess.run([sys.executable, "-c", COMPILES], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert "irtensor.passes.autoschedule.search" in loaded
    assert [module for module in loaded if module.startswith("irtensor.passes.autoschedule.papers")] == []


def test_other_compilers_can_embed():
    none_of(
        f"{name(path)} imports {module}"
        for path in all_sources()
        if owner(module_of(path)) in ("core", "dialects", "passes")
        for module in imports(path)
        if module.split(".")[0] in EMBEDDABLE_BANS
    )


def test_plain_values_need_no_compiler():
    """The floor below the dialects is for those who only want to know what a format or an operator is."""
    modules = [module_of(path) for path in sources("irtensor") if owner(module_of(path)) == "core"]
    code = f"import sys, {', '.join(modules)}; print(*[name for name in sys.modules if name in ('xdsl', 'numpy')])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert len(modules) > 20 and not run.stdout.split()


def test_helpers_do_not_stand_between_passes():
    """A folder with passes has nothing else in it but folders."""
    registered = {ROOT / "passes" / f"{module.replace('.', '/')}.py" for _, module, _ in PASSES}
    folders = {path.parent for path in registered if path.parent != ROOT / "passes"}
    none_of(
        f"{name(path)} is no pass: it belongs into the folder `support` beside"
        for folder in sorted(folders)
        for path in sorted(folder.glob("*.py"))
        if path not in registered and path.name != "__init__.py"
    )


def test_the_top_level_has_no_leftovers():
    known = {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md"}
    known |= {"lit.cfg.py", "mkdocs.yml", "pyproject.toml"}
    found = {
        entry.name
        for entry in ROOT.iterdir()
        if entry.is_file() and not entry.name.startswith((".", "irtensor-crash-"))
    }
    assert found <= known


def test_no_module_of_leftovers():
    assert not [name(path) for path in all_python() if path.name in FORBIDDEN_NAMES]


def test_test_folders_are_no_packages():
    assert not list((ROOT / "test").rglob("__init__.py"))


def test_a_pass_has_one_name():
    """Command-line name, file and class are the same words, and the class says so itself."""
    none_of(problem for row in PASSES for problem in misnamed(*row))


def misnamed(command: str, module: str, class_name: str) -> Iterator[str]:
    """What is wrong with the names of one pass."""
    words = command.split("-")
    if module.split(".")[-1] != "_".join(words) or class_name.lower() != "".join(words) + "pass":
        yield f"{command}, {module} and {class_name} are not the same words"
    path = (ROOT / "passes" / module.replace(".", "/")).with_suffix(".py")
    if not path.exists():
        yield f"{name(path)} is registered but does not exist"
        return
    classes = [node for node in tree(path).body if isinstance(node, ast.ClassDef) and node.name == class_name]
    if len(classes) != 1:
        yield f"{name(path)} has no class {class_name}"
        return
    if not ast.get_docstring(classes[0]):
        yield f"{class_name} has no docstring, which --help shows"
    names = [
        node.value.value
        for node in classes[0].body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant)
        if ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target) == "name"
    ]
    if names != [command]:
        yield f"{class_name} says that its name is {names}, not {command}"


def test_every_pass_is_registered():
    registered = {class_name for _, _, class_name in PASSES}
    bases = {"ModulePass", "TensorPass", "AdvisedPass", "CountingPass"}
    found = {
        node.name: name(path)
        for path in sources("passes")
        for node in tree(path).body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id in bases for base in node.bases)
        and node.name not in bases
    }
    assert not {class_name: path for class_name, path in found.items() if class_name not in registered}


def test_a_pass_has_lit_tests():
    """What it does, and what it refuses or must leave alone."""
    present = {path.name for path in (ROOT / "test" / "passes").rglob("*.mlir")}
    wanted = [f"{command}{suffix}.mlir" for command, _, _ in PASSES for suffix in ("", "-rejected")]
    none_of(f"test/passes/**/{file} is missing" for file in wanted if file not in present)


def test_a_dialect_has_lit_tests():
    files = [f"dialects/{module.replace('.', '/')}.py" for _, module, _ in DIALECTS]
    files += [f"test/dialects/{prefix}/{file}.mlir" for prefix, _, _ in DIALECTS for file in ("ops", "invalid")]
    none_of(f"{file} is missing, for a dialect that is registered" for file in files if not (ROOT / file).exists())


@cache
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
def shared_constructors() -> set[str]:
    """Errors, and functions of all packages that take a slug."""
    return {"UserError", "UnorderedError"}.union(*(takes_slug(path) for path in all_sources()))


@cache
def slugs_in(package: str) -> dict[str, str]:
    """The slugs of one package.

    A slug is a literal in the first argument of an error, or of a function whose first parameter is called `slug`.
    """
    found: dict[str, str] = {}
    for path in sources(package):
        imported = {module.rpartition(".")[2] for module in imports(path) if module.startswith("irtensor.")}
        constructors = takes_slug(path) | (shared_constructors() & imported)
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
    "irtensor": ("test/errors/compile.mlir", "test/unit/test_*error_texts.py"),
    "tools": ("test/errors/*.mlir", "test/unit/test_run_error_texts.py", "test/unit/test_opt_error_texts.py"),
}


def test_every_error_has_its_whole_text_tested():
    """A test of a part of the message does not show what its reader is told, and what to do about it."""
    none_of(
        f"[{slug}] of {place} is not in {' or '.join(TEXTS[package])}"
        for package in PACKAGES
        for slug, place in slugs_in(package).items()
        if slug not in whole_texts(package)
    )


@cache
def whole_texts(package: str) -> set[str]:
    """The slugs of the errors whose whole texts are tested where a caller of the package sees them."""
    files = [path for pattern in TEXTS[package] for path in ROOT.glob(pattern)]
    texts = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return set(re.findall(r"error: \[([a-z0-9-]+)\]", texts))


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
