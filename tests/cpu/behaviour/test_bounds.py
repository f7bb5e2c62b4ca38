"""Accesses beside the part of an array that is on the device: a plain run ends there, in front of it, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate
from accache.workflows.building import build_translation

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{{
    int n = 61, first = atoi(argv[1]), last = atoi(argv[2]), low = argc; /* 3 */
    {type} *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    int *at = malloc(n * sizeof *at);
    for (int i = 0; i < n; i++) {{
        a[i] = i + 1;
        b[i] = 0;
        at[i] = i;
    }}
{mapping}
    for (int i = first; i <= last; i++)
        {body};
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += b[i];
    printf("%ld\\n", sum);
    return 0;
}}
"""
REGION = "#pragma acc parallel loop copyin(at[0:n], a[low:50]) copy(b[0:n])"
ENTERED = """#pragma acc enter data copyin(a[low:50])
#pragma acc parallel loop present(a[low:50]) copyin(at[0:n]) copy(b[0:n])"""
READ, SCATTERED, WRITTEN = "b[i] = at[i] < n ? a[i] : 0", "b[i] = a[at[i]]", "b[i] = (a[at[i]] = i) + 1"
"""What a launch cannot know of: it ends the program before a kernel that is certain to use other elements."""


def ended(folder: Path, text: str, first: int, last: int) -> subprocess.CompletedProcess[str]:
    """The program's run with these first and last elements."""
    path = folder / "a.c"
    path.write_text(text)
    built = build_translation(translate(str(path), Options()), Options(), folder / "build")
    command = (built.program.executable, str(first), str(last))
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("kind", "body"), [("char", READ), ("char", SCATTERED), ("short", WRITTEN), ("int", WRITTEN), ("double", SCATTERED)]
)
def test_a_part_is_all_there_is(kind: str, body: str, tmp_path: Path) -> None:
    text = PROGRAM.format(type=kind, mapping=REGION, body=body)
    assert ended(tmp_path, text, 3, 52).stdout == f"{sum(range(4, 54))}\n"
    for first, last in ((2, 52), (3, 53), (0, 3)):
        done = ended(tmp_path, text, first, last)
        assert (done.returncode, done.stdout) == (-11, "")
        assert "(device memory that is not allocated)" in done.stderr


def test_data_of_another_directive(tmp_path: Path) -> None:
    text = PROGRAM.format(type="int", mapping=ENTERED, body=SCATTERED)
    assert ended(tmp_path, text, 3, 52).returncode == 0
    assert ended(tmp_path, text, 2, 52).returncode == -11


def test_memory_that_is_allocated_again_is_whole(tmp_path: Path) -> None:
    """What was in front of an array may be part of the next one there."""
    text = """
#include <openacc.h>
#include <stdio.h>
int main(void)
{
    static int a[5000], b[5000];
    int wrong = 0;
    for (int round = 0; round < 4000; round++) {
        int low = 1 + round % 7, count = 4990 - round % 1013;
#pragma acc parallel loop copy(a[low:count]) copyin(b[low:count])
        for (int i = low; i < low + count; i++)
            a[i] = b[i] + round;
        wrong += a[low] != round || a[low + count - 1] != round;
    }
    printf("%d\\n", wrong);
    return 0;
}
"""
    done = ended(tmp_path, text, 0, 0)
    assert (done.returncode, done.stdout) == (0, "0\n")


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("copy(a[0:n])", False),
        ("copy(a)", False),
        ("copy(a[:n])", False),
        ("copy(a[1:n-1])", True),
        ("copy(a[n/2:n])", True),
    ],
)
def test_which_programs_are_looked_at(clause: str, expected: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    loop = "for (int i = 1; i < n; i++) a[i] = 0;"
    path.write_text(f"void f(int n, int a[n])\n{{\n#pragma acc parallel loop {clause}\n{loop}\n}}\n")
    assert translate(str(path), Options()).maps_parts is expected


def test_an_update_puts_nothing_on_the_device(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("void f(int n, int a[n])\n{\n#pragma acc update host(a[1:n-1]) if_present\n}\n")
    assert not translate(str(path), Options()).maps_parts


def test_a_compiled_program_ends_there_too(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAM.format(type="float", mapping=REGION, body=SCATTERED))
    command = (sys.executable, "-m", "accache", "cc", "-w", "a.c", "-o", "a")
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    ends = [subprocess.run((tmp_path / "a", first, "52"), capture_output=True).returncode for first in ("3", "2")]
    assert ends == [0, -11]
