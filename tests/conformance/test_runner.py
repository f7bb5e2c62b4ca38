"""The conformance runner on a suite of its own: each result, the table and the summary."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).with_name("runner.py")
PASS = """\
int main(void)
{
    int n = VALUE, a[VALUE];
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < n; ++i)
        a[i] = i;
#pragma acc serial copy(a)
    a[0] = 3;
    return a[0] - 3 + a[n - 1] - VALUE + 1;
}
"""
SUITE = {
    "pass.c": PASS,
    "sub/refused.c": "int main(void)\n{\n#pragma acc cash\n    return 0;\n}\n",
    "crashed.c": "#include <stdlib.h>\nint main(void) { abort(); }\n",
    "failed.c": "int main(void) { return VALUE - 1; }\n",
    "timed.c": "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n",
    "no_c.c": "int main(void) { return undeclared; }\n",
    "unlinked.c": "int missing(void);\nint main(void) { return missing(); }\n",
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, list[str]], str]:
    """The table's rows by file, and the summary."""
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    folder = tmp_path_factory.mktemp("suite")
    for name, text in SUITE.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    table = folder / "out" / "table.txt"
    command = [sys.executable, RUNNER, folder, "--flags=-DVALUE=5", f"--table={table}", "--oracles", "--limit=3"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    head, *rows = [line.split("\t") for line in table.read_text().splitlines()]
    assert head[:3] == ["file", "result", "detail"]
    return {row[0]: row[1:] for row in rows}, done.stdout


def test_each_file_has_its_result(results: tuple[dict[str, list[str]], str]) -> None:
    rows, _ = results
    assert {name: row[:2] for name, row in rows.items()} == {
        "pass.c": ["pass", ""],
        "sub/refused.c": ["refused", "ACC201"],
        "crashed.c": ["crashed", "SIGABRT"],
        "failed.c": ["failed", "status 4"],
        "timed.c": ["timed out", "program"],
        "no_c.c": ["compile error", "status 1"],
        "unlinked.c": ["link error", "status 1"],
    }
    assert list(rows) == sorted(rows)


def test_launches_are_counted(results: tuple[dict[str, list[str]], str]) -> None:
    rows, _ = results
    assert rows["pass.c"][3:6] == ["2", "1", "0"]


def test_the_oracles_speak(results: tuple[dict[str, list[str]], str]) -> None:
    rows, _ = results
    assert rows["pass.c"][-2:] == ["pass", "pass"]
    assert rows["no_c.c"][-2:] == ["no", "no"]
    assert rows["failed.c"][-2:] == ["failed status 4", "failed status 4"]


def test_the_summary_counts(results: tuple[dict[str, list[str]], str]) -> None:
    _, summary = results
    assert "7 files\n" in summary
    assert "    1  ACC201 unknown directive 'acc cash'\n" in summary
    assert "of which accache passes 1\n" in summary
