"""Files that ``accache preload`` is given: their bytes are kept, and those that no compiler takes are told of."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import accache

PROGRAM = """\
__global__ void k(const float *a, float *c, int n)
{
    for (int j = 0; j < n; ++j)
        c[threadIdx.x] += a[j];
}
int main()
{
    float *a, *c;
    cudaMalloc(&a, 400);
    cudaMalloc(&c, 400);
    cudaMemset(a, 0, 400);
    cudaMemset(c, 0, 400);
    k<<<1, 64>>>(a, c, 100);
    return 0;
}
"""


@pytest.mark.parametrize("words", [(), ("--block", "64")])
@pytest.mark.parametrize("gpu", ["kepler", "h100"])
def test_a_byte_order_mark_stays_in_front(words: tuple[str, ...], gpu: str, tmp_path: Path) -> None:
    """It was a stray character to the C++ compiler."""
    path, written = tmp_path / "program.cu", tmp_path / "written.cu"
    path.write_bytes(b"\xef\xbb\xbf" + PROGRAM.encode())
    done = accache("preload", "--gpu", gpu, path, "-o", written, *words)
    assert done.returncode == 0, done.stderr
    data = written.read_bytes()
    assert (data.startswith(b"\xef\xbb\xbf"), data.count(b"\xef\xbb\xbf")) == (True, 1)
    assert (b"k_preload(1, 64, 0, 0, a, c, 100);" in data) == (gpu == "kepler")
    assert (data == path.read_bytes()) == (gpu == "h100")


def test_a_program_with_a_byte_order_mark_runs_rewritten(tmp_path: Path) -> None:
    (tmp_path / "k.h").write_bytes(b"\xef\xbb\xbf#define N 100\n")
    path, written = tmp_path / "program.cu", tmp_path / "written.cu"
    path.write_bytes(b"\xef\xbb\xbf" + f'#include "k.h"\n{PROGRAM.replace("c, 100", "c, N")}'.encode())
    assert accache("preload", "--gpu", "kepler", path, "-o", written).returncode == 0
    assert accache("run", written).returncode == 0


def test_lines_end_as_those_of_the_file_do(tmp_path: Path) -> None:
    path, written = tmp_path / "program.cu", tmp_path / "written.cu"
    path.write_bytes(PROGRAM.replace("\n", "\r\n").encode())
    assert accache("preload", "--gpu", "kepler", "--block", "64", path, "-o", written).returncode == 0
    data = written.read_bytes()
    assert b"k_preload" in data
    assert data.count(b"\n") == data.count(b"\r\n")
    assert b"\r\r" not in data


def test_what_the_compiler_rejects_is_an_error(tmp_path: Path) -> None:
    """Of a bracket that nothing closes it said that the kernel launches kernels, and that was all."""
    path = tmp_path / "program.cu"
    path.write_text(PROGRAM.replace("a[j];", "a[;"))
    done = accache("preload", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{path}:4:" in done.stderr
    assert "[ACC602]" in done.stderr
    done = accache("preload", path, "--block", "64")
    assert "the kernel 'k' cannot be rewritten: its brackets do not match [ACC984]" in done.stderr
