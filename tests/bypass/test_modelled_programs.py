"""``accache model PROGRAM``: a launch of a program, as the cache sees it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.cli.main import main

needs_compilers = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nvcc")), reason="needs g++ and nvcc")
# 256 threads: each loads an element of its own, and one that all of them load
OPENACC = """\
int main(void)
{
    float a[257], b[256];
    for (int i = 0; i < 257; ++i)
        a[i] = i;
#pragma acc parallel loop copyin(a) copyout(b)
    for (int i = 0; i < 256; ++i)
        b[i] = a[i] + a[256];
    return b[3] != 259;
}
"""


@pytest.mark.nvcc
@needs_compilers
def test_the_first_launch_of_a_program_is_modelled(tmp_path: Path) -> None:
    program = tmp_path / "sum.c"
    program.write_text(OPENACC)
    result = CliRunner().invoke(main, ["model", "-q", str(program), "--gpu", "h100", "--json"])
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["requests"] == 8 + 8  # a warp's 32 elements are one line; so is the one for all
    assert record["compulsory"] == 8 + 1


@pytest.mark.parametrize(
    "words", [("model",), ("model", "a.ptx"), ("model", "a.c", "--trace", "a.trc"), ("model", "missing.c")]
)
def test_what_is_no_program_is_refused(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == (1 if "missing.c" in words else 2)
    assert "error" in result.output.lower()
