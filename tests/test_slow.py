"""The list of slow tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from slow import LIST, listed

ROOT = Path(__file__).resolve().parents[1]


def test_all_that_are_listed_exist() -> None:
    for name in listed():
        file, _, function = name.partition("::")
        assert f"\ndef {function}(" in (ROOT / file).read_text(), (
            f"{name}: write tests/slow_tests.txt anew (tests/slow.py)"
        )


def test_they_are_in_order_once_each() -> None:
    names = LIST.read_text().split()
    assert names == sorted(set(names))


@pytest.mark.parametrize(("what", "count"), [("tests/test_slow_example.py", 1), ("tests", 0)])
def test_slow_ones_are_left_out_unless_their_file_is_named(what: str, count: int, tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    for name in ("conftest.py", "slow.py"):
        (folder / name).write_text((ROOT / "tests" / name).read_text())
    (folder / "slow_tests.txt").write_text("tests/test_slow_example.py::test_it\n")
    (folder / "test_slow_example.py").write_text("def test_it():\n    pass\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -m 'not slow'\nmarkers = slow: x\npythonpath = tests\n")
    command = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", "--collect-only", what]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert found.stdout.count("test_slow_example.py::test_it") == count, found.stdout + found.stderr
