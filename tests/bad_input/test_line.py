"""--line: what a compiler says of the translated file, and what it tells a debugger, speaks of the C file."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from trial import accache

SOURCE = """\
#include <stdio.h>

int same(int x)
{
    return x;
}

/* The kernel. */
void f(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        float sum = 0;
#pragma acc cache(b[i-1:3])
        for (int j = i - 1; j <= i + 1; ++j)
            sum += b[j];
        a[i] = sum;
    }
}

int main(void)
{
    float a[64] = {0}, b[64] = {0};
    int never;
    f(a, b, 64);
    printf("%g\\n", a[0]);
    return 0;
}
"""


@pytest.fixture
def split(tmp_path: Path) -> tuple[Path, Path]:
    """The host and device files of SOURCE."""
    (tmp_path / "main.c").write_text(SOURCE)
    assert accache("translate", "--line", "--split", "-o", str(tmp_path / "out"), str(tmp_path / "main.c")).status == 0
    return tmp_path / "out.host.c", tmp_path / "out.cu"


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.split("\n"), 1) if text in line)


def marked_lines(text: str, name: str) -> dict[str, int]:
    """Each line of a text that lies under a #line of ``name``, with its number there."""
    found: dict[str, int] = {}
    current, number = "", 0
    for line in text.split("\n"):
        marker = re.match(r'#line (\d+)(?: "(.*)")?$', line)
        if marker:
            number, current = int(marker[1]), marker[2] or current
            continue
        if current.endswith(name):
            found.setdefault(line.strip(), number)
        number += 1
    return found


def test_warnings_point_to_the_c_file(split: tuple[Path, Path]) -> None:
    command = ["gcc", "-Wall", "-fsyntax-only", str(split[0])]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    warnings = re.findall(r"(\S*):(\d+):\d+: warning", result.stderr)
    places = {(Path(file).name, int(line)) for file, line in warnings}
    assert ("main.c", line_of("never")) in places


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")
def test_debug_information_points_to_the_c_file(split: tuple[Path, Path], tmp_path: Path) -> None:
    subprocess.run(["gcc", "-g", "-c", str(split[0]), "-o", str(tmp_path / "host.o")], check=True)
    command = ["readelf", "--debug-dump=decodedline", str(tmp_path / "host.o")]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = {int(number) for number in re.findall(r"^main\.c\s+(\d+)\s+0x", table, re.M)}
    assert {line_of("return x;"), line_of("f(a, b, 64);"), line_of("printf"), line_of("return 0;")} <= lines


def test_kernel_lines_are_those_of_the_c_file(split: tuple[Path, Path]) -> None:
    found = marked_lines(split[1].read_text(), "main.c")
    assert found.get("float sum = 0;") == line_of("float sum = 0;")
    assert found.get("a[i] = sum;") == line_of("a[i] = sum;")


def test_host_lines_of_the_joined_file_are_those_of_the_c_file(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(SOURCE)
    trial = accache("translate", "--line", "-q", str(tmp_path / "main.c"))
    found = marked_lines(trial.output.decode(), "main.c")
    for text in ("return x;", "int never;", "f(a, b, 64);", "return 0;"):
        assert found.get(text) == line_of(text), text


def test_without_line_no_line_is_written(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(SOURCE)
    assert b"#line" not in accache("translate", "-q", str(tmp_path / "main.c")).output
