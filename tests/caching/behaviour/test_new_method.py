"""A cache method is one object: a new one is added in four files, and no pass asks for a method by its name."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from accache.base import options
from accache.base.choices import MethodName
from accache.base.resources import cpu_runtime
from accache.caching.methods import METHODS as METHOD_TABLE

ROOT = Path(__file__).parents[3]
METHODS = Path("accache/caching/methods")
TEMPLATES = Path("templates/cuda/methods")
CHOICES = Path("accache/base/choices.py")

MODULE = '''"""Registers: each thread keeps a subarray of constant length in an array of its own."""

from __future__ import annotations

from accache.caching.methods import rbi
from accache.caching.requests import Request


def check(request: Request) -> str:
    """Every reference must lie in the subarray, which nobody else writes."""
    return "it is written" if request.is_written else rbi.check(request)
'''
NAME = "toy_registers"
PROGRAM = """
#include <stdio.h>
void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+2]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(a[i:3])
        for (int k = i; k < i + 3; ++k)
            sum = 2 * sum + a[k];
        b[i] = sum;
    }
}
int main(void)
{
    float a[302], b[300];
    for (int i = 0; i < 302; ++i)
        a[i] = i % 17;
    f(a, b, 300);
    for (int i = 0; i < 300; ++i)
        printf("%g\\n", b[i]);
    return 0;
}
"""


def changed(path: Path, place: str, text: str) -> str:
    """A file with a text behind the place that a pattern finds."""
    result, times = re.subn(place, lambda found: found[0] + text, path.read_text(), count=1)
    assert times == 1, f"{path.name} has no {place}"
    return result


def with_toy(tree: Path) -> list[Path]:
    """Add the method to a copy of the package; the files that were touched."""
    listed = tree / METHODS / "__init__.py"
    listed.write_text(changed(listed, r"from accache\.caching\.methods import \w+", f", {NAME}"))
    row = f'    Method("{NAME}", {NAME}.check, ranges.tile, Traits(in_registers=True)),\n'
    written = {
        METHODS / "__init__.py": changed(listed, r"\nMETHODS = \(\n", row),
        CHOICES: changed(tree / CHOICES, r"\nMethodName: TypeAlias = Literal\[", f'"{NAME}", '),
        METHODS / f"{NAME}.py": MODULE,
        TEMPLATES / f"{NAME}.cu.jinja": (tree / TEMPLATES / "rbi.cu.jinja").read_text(),
    }
    for path, text in written.items():
        (tree / path).write_text(text)
    return list(written)


def call(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call accache of the copy."""
    environment = os.environ | {"PYTHONPATH": str(tree)}
    command = [sys.executable, "-m", "accache", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tree, env=environment)


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_a_method_is_added_in_four_files(tmp_path: Path) -> None:
    for folder in ("accache", "templates"):
        shutil.copytree(ROOT / folder, tmp_path / folder)  # with its bytecode
    toolchain = tmp_path / "accache" / "cpu" / "toolchain.py"
    own = "RUNTIME = resources.cpu_runtime()"
    assert own in toolchain.read_text()
    # headers of another folder would be precompiled anew, and kept
    toolchain.write_text(toolchain.read_text().replace(own, f"RUNTIME = Path({str(cpu_runtime())!r})"))
    source = tmp_path / "a.c"
    source.write_text(PROGRAM)
    assert call(tmp_path, "translate", "--method", NAME, "a.c", "-o", "-").returncode == 2  # it does not exist yet
    assert len(with_toy(tmp_path)) <= 4
    emitted = call(tmp_path, "translate", "--method", NAME, "a.c", "-o", "-")
    assert emitted.returncode == 0, emitted.stderr
    kernel = emitted.stdout[emitted.stdout.index("_kernel(") :].partition("\n}")[0]
    assert "float a_tile[3];" in kernel
    assert "__shared__" not in kernel
    assert "a_tile[k - i]" in kernel or "a_tile[t]" in kernel
    checked = call(tmp_path, "run", "--check", "--method", NAME, "a.c")
    plain = call(tmp_path, "run", "--method", "none", "a.c")
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout == plain.stdout != ""
    report = call(tmp_path, "explain", "--method", NAME, "a.c").stdout
    assert "0 bytes a block" in report


def compared(tree: ast.AST) -> list[ast.AST]:
    """What a module compares, also as parts of tuples."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    parts = [part for node in nodes for part in (node.left, *node.comparators)]
    parts += [node.subject for node in ast.walk(tree) if isinstance(node, ast.Match)]
    return [item for part in parts for item in (part.elts if isinstance(part, ast.Tuple) else [part])]


def test_no_pass_compares_methods() -> None:
    """What is asked of a method is a trait, a property of the options, or one of what became of a subarray."""
    found = {
        path.relative_to(ROOT / "accache").as_posix()
        for path in (ROOT / "accache").rglob("*.py")
        if any(
            getattr(item, "attr", getattr(item, "id", "")) == "method" for item in compared(ast.parse(path.read_text()))
        )
    }
    assert found == {"base/choices.py", "base/options.py", "caching/methods/__init__.py", "report/records.py"}


def test_the_options_name_the_methods_of_the_table() -> None:
    named = [name for name in options.METHODS if options.Options(method=name).names_method]
    assert named == [method.name for method in METHOD_TABLE]


@pytest.mark.parametrize("name", [method.name for method in METHOD_TABLE])
def test_a_method_is_an_option_and_stands_in_the_documents(name: str) -> None:
    rows = "".join(
        line for line in (ROOT / "docs/explain.md").read_text().splitlines() if line.startswith("| method |")
    )
    lacking = {
        f"{CHOICES}: MethodName": name in get_args(MethodName),
        f"{TEMPLATES}/{name}.cu.jinja": (ROOT / TEMPLATES / f"{name}.cu.jinja").is_file(),
        "docs/cache-directive.md: a row of the table of methods": f"| `{name}` |"
        in (ROOT / "docs/cache-directive.md").read_text(),
        "docs/explain.md: the row 'method'": f"`{name}`" in rows,
    }
    missing = [place for place, is_there in lacking.items() if not is_there]
    assert not missing, f"the method {name} is missing in {'; '.join(missing)}"
