"""What a call of the compiler driver does not import, since a build makes many of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

IMPORTED = "import sys; print(*(name for name in {unwanted!r} if name in sys.modules))"
UNWANTED = {
    "accache.__main__": ("click", "accache.cc.main", "importlib.abc", "msgspec"),
    "accache.cc.main": ("click", "accache.cpu.build", "accache.driver", "accache.workflows.cuda"),
    "accache.cc.cpu_target": ("accache.cpu.build", "accache.driver"),
    "accache.incremental": ("accache.driver", "accache.caching", "accache.lowering", "jinja2", "logging"),
    "accache.cc.cuda_target": ("accache.cpu.build", "accache.driver"),
}


@pytest.mark.parametrize("module", UNWANTED)
def test_a_module_of_the_compiler_driver_imports_no_more_than_it_needs(module: str) -> None:
    statement = f"import {module}; {IMPORTED.format(unwanted=UNWANTED[module])}"
    done = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_call_looks_for_no_garbage() -> None:
    statement = (
        "import gc; from accache.cc import console; console.run = lambda words: print(gc.isenabled()) or 0; "
        "console.compiler(())"
    )
    done = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
