"""What ``import accache`` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from surface import FILE, surface

import accache
from accache.base.options import Options
from accache.library.inputs import RunOptions, TranslationOptions


def loaded_by(statement: str) -> set[str]:
    """The modules that a new interpreter has loaded after a statement, and not before."""
    program = f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_accache_loads_nothing_else() -> None:
    assert loaded_by("import importlib, accache") == {"accache"}


def test_the_version_loads_nothing_else() -> None:
    assert loaded_by("import importlib, accache; accache.__version__") == {"accache"}


def test_a_name_loads_what_it_needs() -> None:
    found = loaded_by("import accache; accache.translate")
    assert "accache.driver" in found
    assert not {"click", "sympy", "numpy", "numba"} & found


def test_the_command_line_does_without_the_library() -> None:
    words = ["translate", "-q", "-o", "/dev/null", "samples/gemm.c"]
    statement = f"from accache.cli.main import main; main({words}, standalone_mode=False)"
    assert not {name for name in loaded_by(statement) if name.startswith("accache.library.")}


def test_every_name_is_there() -> None:
    assert set(accache.__all__) <= set(dir(accache))
    assert all(getattr(accache, name) is not None for name in accache.__all__)
    namespace: dict[str, object] = {}
    exec("from accache import *", namespace)
    assert set(accache.__all__) - {"__version__"} <= set(namespace)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="module 'accache' has no attribute 'compile'"):
        _ = accache.compile  # type: ignore[attr-defined]


def test_the_surface_is_what_it_was() -> None:
    """What goes or changes needs a deprecation first (docs/api.md); what is added is written by surface.py."""
    assert surface() == FILE.read_text(), "write it: python tests/library/surface.py"


CLIENT = """
import accache

text: str = accache.translate("a.c", method="rbi", preprocessor=("-DN=3",)).cuda
place: accache.Location | None = accache.run("a.c", ["1"], libraries=["-lm"]).findings[0].party.location
size: int = accache.explain("a.c").kernels[0].shared_bytes
rate: float = accache.model(trace="a.trace", gpu="h100", traffic=True).miss_rate
accache.translate("a.c", metod="rbi")  # wrong
accache.translate("a.c", line="yes")  # wrong
accache.translate("a.c", libraries=["-lm"])  # wrong
accache.model("a.cu", traffic=1.5)  # wrong
accache.suggest(3)  # wrong
accache.compile("a.c")  # wrong
"""


def test_callers_see_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    client = tmp_path / "client.py"
    client.write_text(CLIENT)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        Path(__file__).parents[3] / ".mypy_cache",  # what the package means is there after a first look
        client,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    assert told == {number for number, line in enumerate(CLIENT.splitlines(), 1) if "# wrong" in line}, done.stdout


def test_options_of_the_library_are_those_of_a_translation() -> None:
    known = set(Options.__struct_fields__)
    assert {*TranslationOptions.__annotations__, *RunOptions.__annotations__} == known - {"runtime", "choices"}
