"""Files whose names have what shells, C and messages give a meaning to."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from commands import accache
from families import some

PROGRAM = """\
#include <stdio.h>
int main(void)
{
    float a[8] = {0};
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < 8; i++)
        a[i] += i;
    printf("%g\\n", a[7]);
    return 0;
}
"""
ODD = [b'a"b.c', b"a\\nb.c", b"a\\.c", b"a' b.c", b"a\xff\xe9.c", b"a%s$x`y`.c", b"a\tb.c"]
NAMES = [b"-a.c", b"".join(name.removesuffix(b".c") for name in ODD) + b".c"]
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@needs_compiler
@pytest.mark.parametrize("name", [*NAMES, *(pytest.param(name, marks=pytest.mark.thorough) for name in ODD)])
def test_a_name_works(tmp_path: Path, name: bytes) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text(PROGRAM)
    done = accache("run", "--", name, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", "")
    done = accache("translate", "--line", "-o", "out.cu", "--", name, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "out.cu").read_text("utf-8", "surrogateescape")
    escaped = name.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode()
    escaped = escaped.replace("\\", "\\\\").replace('"', '\\"')
    assert f'#line 6 "{escaped}"\n' in text
    if not name.startswith(b"-"):  # a compiler's command line has no end of options
        assert accache("cc", name, "-o", "program", folder=tmp_path).returncode == 0
        assert subprocess.run([tmp_path / "program"], stdout=subprocess.PIPE, check=True).stdout == b"7\n"


@pytest.mark.parametrize(
    ("call", "name"), some(product(["translate", "run", "explain", "cc -c"], ["a\nb.c", "a\rb.c", "a\n#error.c"]), 2)
)
def test_a_name_of_several_lines_is_refused(tmp_path: Path, name: str, call: str) -> None:
    (tmp_path / name).write_text(PROGRAM)
    done = accache(*call.split(), name, folder=tmp_path)
    assert done.returncode == 1
    assert "has a line end in it [ACC107]" in done.stderr
    assert done.stdout == ""


def test_a_rule_for_make_names_results_and_headers(tmp_path: Path) -> None:
    (tmp_path / "a b.h").write_text("#define N 4\n")
    source = '#include <stdio.h>\n#include "a b.h"\n#include <openacc.h>\nint main(void) { return N - 4; }\n'
    (tmp_path / "a.c").write_text(source)
    assert accache("translate", "--MMD", "a.c", "-o", "out.cu", folder=tmp_path).returncode == 0
    assert (tmp_path / "out.d").read_text() == "out.cu: a.c a\\ b.h\na\\ b.h:\n"
    assert accache("translate", "--MMD", "a.c", "-o", "o ut$.cu", folder=tmp_path).returncode == 0
    assert (tmp_path / "o ut$.d").read_text().startswith("o\\ ut$$.cu: a.c")
    assert accache("translate", "--MMD", "--split", "a.c", folder=tmp_path).returncode == 0
    assert (tmp_path / "a.d").read_text().startswith("a.host.c a.cu: a.c")
    assert accache("translate", "--MMD", "a.c", folder=tmp_path).returncode == 2


@pytest.mark.parametrize("command", ["explain", "run", "model", "bypass"])
@pytest.mark.parametrize("name", ["-", ""])
def test_a_page_is_not_written_to_a_file_called_dash(command: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    done = accache(command, "--html", name, "a.c", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "a page goes into a file" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.c"]
