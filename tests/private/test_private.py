"""The thread-private cache of accache_private.cuh against plain memory and a model of its lines."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.base.resources import headers
from accache.workflows.execution import run_cuda

SEQUENCES = Path(__file__).parent / "sequences.cpp"
SAMPLE = Path(__file__).parents[2] / "samples" / "cuda" / "records_private.cu"
HEADER = "accache_private.cuh"
FLAGS = ("-std=c++17", "-g", "-fno-strict-aliasing", "-Wall", "-Wextra", "-Werror", "-x", "c++")

# Each replaces one piece of the header's text by one that is wrong.
FAULTS = {
    "mask": ("arrays[A].valid |= mask;", "arrays[A].valid |= mask | mask << 1;"),
    "dirty": ("arrays[A].dirty |= mask;", "arrays[A].dirty |= mask >> 1;"),
    "whole line": ("if (mask == 0xffffu)", "if (mask)"),
    "whole word": ("if (mask == 0xfu)", "if (mask)"),
    "flush": ("if (array.slot >= 0)\n            line_write_back(array);", ""),
    "invalidation": ("        array.valid = 0;\n    }", "    }"),
    "probing": ("if (a != A && overlaps(", "if (a > A && overlaps("),
    "stale": ("arrays[a].valid = 0;\n            }", "arrays[a].valid = arrays[a].valid;\n            }"),
    "end": ("array.line + Line <= end", "array.line < end"),
    "beginning": ("array.line >= array.base && ", ""),
    "atomic": ("if (overlaps(arrays[a], first, bytes))", "if (a && overlaps(arrays[a], first, bytes))"),
    "fetch of dirty": ("|| array.dirty >> (4 * w + b) & 1)", ")"),
}

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def built(folder: Path, include: Path, *flags: str) -> Path:
    program = folder / "sequences"
    subprocess.run(["g++", *FLAGS, *flags, f"-I{include}", SEQUENCES, "-o", program], check=True)
    return program


def test_sequences_are_right(tmp_path: Path) -> None:
    program = built(tmp_path, headers(), "-O0", "-fsanitize=address")
    assert subprocess.run([program, "20000", "1"], capture_output=True, text=True).stdout == "right\n"


@pytest.mark.parametrize("check", [pytest.param(True, marks=pytest.mark.private), False])
def test_sample_is_right(check: bool, capfd: pytest.CaptureFixture[str]) -> None:
    execution = run_cuda(str(SAMPLE), Options(), (), target="cpu", check=check, seed=3)
    assert (execution.status, execution.findings) == (0, ())
    assert capfd.readouterr().out == "right\n"


@pytest.mark.private
def test_a_million_sequences_are_right(tmp_path: Path) -> None:
    program = built(tmp_path, headers(), "-O0", "-fsanitize=address")
    assert subprocess.run([program, "1000000", "2"], capture_output=True, text=True).stdout == "right\n"


@pytest.mark.private
@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_noticed(fault: str, tmp_path: Path) -> None:
    text, (right, wrong) = (headers() / HEADER).read_text(), FAULTS[fault]
    assert text.count(right) == 1
    (tmp_path / HEADER).write_text(text.replace(right, wrong))
    program = built(tmp_path, tmp_path, "-O0", "-fsanitize=address")
    run = subprocess.run([program, "20000", "1"], capture_output=True, text=True)
    assert run.returncode != 0
    assert run.stdout != "right\n"
