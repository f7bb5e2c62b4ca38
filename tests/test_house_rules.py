"""Rules of the sources that no linter knows."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_classes_of_nodes_are_told_apart_by_singledispatchmethod_or_match() -> None:
    """A method that is looked up by a class's name is one that no tool finds the callers of."""
    sources = sorted((ROOT / "accache").rglob("*.py"))
    assert sources
    assert [path for path in sources if "getattr(self, f" in path.read_text()] == []


def test_a_record_of_many_fields_is_made_by_their_names() -> None:
    """Of more than six values nobody sees which is which, nor does mypy of equal types. numba takes no names."""
    unnamed = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "accache").rglob("*.py")
        if path.parent.name != "compiled"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.lstrip("_")[:1].isupper()
        if len(node.args) > 6
    ]
    assert unnamed == []


def test_tests_are_named_for_modules_but_in_folders_of_behaviour() -> None:
    """Who changes a module finds its tests; two files cannot have one name, so some have their folder's name, too."""
    package, tests = ROOT / "accache", ROOT / "tests"
    astray = []
    for path in sorted(tests.rglob("test_*.py")):
        folder = path.parent.relative_to(tests)
        if folder == Path() or folder.name == "behaviour" or not (package / folder).is_dir():
            continue  # the tree's own, what several modules do together, families of programs
        names = {path.stem.removeprefix("test_"), path.stem.removeprefix(f"test_{folder.name}_")}
        modules = [package / folder / name for name in names]
        if not any(module.with_suffix(".py").is_file() or module.is_dir() for module in modules):
            astray.append(str(path.relative_to(tests)))
    assert astray == []
