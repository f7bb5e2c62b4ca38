"""Modules whose bytecode lies in one file: imported from there, unless it is another state's, damaged or not there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CALL = """
import sys
from pathlib import Path
from accache.cc.packed_modules import PackedModules
place, state, module = sys.argv[1:]
modules = PackedModules(state, Path(place))
modules.install()
found = __import__(module, fromlist=["*"])
print(found.__spec__.loader is modules, found.__file__, found.__package__, [*getattr(found, "__path__", ())])
modules.keep()
"""
STATE, MODULE = "a" * 64, "accache.ir.types"


def call(place: Path, state: str = STATE, module: str = MODULE, *options: str) -> list[str]:
    """Whether a module comes from the file, and what it knows of itself."""
    command = [sys.executable, *options, "-c", CALL, str(place), state, module]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.split()


@pytest.mark.parametrize("module", [MODULE, "accache.ir"])
def test_a_module_is_the_same_wherever_it_comes_from(module: str, tmp_path: Path) -> None:
    first, again = (call(tmp_path / "pack", module=module) for _ in range(2))
    assert (first[0], again[0]) == ("False", "True")
    assert first[1:] == again[1:]


def test_a_call_that_imports_more_adds_it(tmp_path: Path) -> None:
    place = tmp_path / "pack"
    call(place)
    assert call(place, module="accache.base.dump")[0] == "False"
    assert call(place, module="accache.base.dump")[0] == call(place)[0] == "True"
    written = place.stat().st_mtime_ns
    call(place)
    assert place.stat().st_mtime_ns == written


@pytest.mark.parametrize("size", [0, 10, 100, -1])
def test_a_damaged_file_is_made_anew(size: int, tmp_path: Path) -> None:
    place = tmp_path / "pack"
    call(place)
    place.write_bytes(place.read_bytes()[:size])
    assert call(place)[0] == "False"
    assert call(place)[0] == "True"


def test_another_state_is_not_used(tmp_path: Path) -> None:
    place = tmp_path / "pack"
    call(place)
    assert call(place, state="b" * 64)[0] == "False"
    assert call(place, state="b" * 64)[0] == "True"
    assert call(place)[0] == "False"


def test_nothing_is_written_where_python_writes_no_bytecode_or_cannot(tmp_path: Path) -> None:
    call(tmp_path / "pack", STATE, MODULE, "-B")
    assert not list(tmp_path.iterdir())
    assert call(tmp_path / "missing" / "pack")[0] == "False"
