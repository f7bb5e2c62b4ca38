"""What ``import accache`` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

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


def test_options_of_the_library_are_those_of_a_translation() -> None:
    known = set(Options.__struct_fields__)
    assert {*TranslationOptions.__annotations__, *RunOptions.__annotations__} == known - {"runtime"}
