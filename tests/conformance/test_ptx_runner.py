"""The runner of CUDA programs on a suite of its own: each result, and the table."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).with_name("ptx_runner.py")
KERNEL = """
__global__ void k(int *p) {
#ifdef __CUDA_ARCH__
    p[threadIdx.x] = HERE;
#else
    p[threadIdx.x] = 5;
#endif
}
int main(int argc, char **argv) {
    int *p;
    cudaMalloc(&p, 16);
    k<<<1, 4>>>(p);
    return argc - 1;
}
"""
SUITE = {
    "agrees.cu": "#define HERE VALUE\n" + KERNEL,
    "differs.cu": "#define HERE 6\n" + KERNEL,
    "sub/failed.cu": "#define HERE 5\n" + KERNEL,
    "refused.cu": "#include <cub/cub.cuh>\nint main() {}\n",
    "no_cuda.cu": "int main() { return undeclared; }\n",
    "part.cu": "__device__ int x;\n",
}


@pytest.mark.ptx
@pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nvcc")), reason="needs g++ and nvcc")
def test_each_program_has_its_result(tmp_path: Path) -> None:
    for name, text in SUITE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "arguments").write_text("sub/failed.cu 'a b' c\n\n")
    table = tmp_path / "out" / "table.txt"
    options = ["--flags=-DVALUE=5", f"--arguments={tmp_path / 'arguments'}", f"--table={table}"]
    done = subprocess.run([sys.executable, RUNNER, tmp_path, *options], capture_output=True, text=True, check=True)
    rows = {line.split("\t")[0]: line.split("\t")[1:3] for line in table.read_text().splitlines()[1:]}
    assert rows == {
        "agrees.cu": ["agrees", ""],
        "differs.cu": ["differs", "ACC941"],
        "sub/failed.cu": ["failed", "status 2"],
        "refused.cu": ["refused", "ACC950"],
        "no_cuda.cu": ["compile error", "ACC602"],
    }
    assert done.stdout.startswith("5 programs\n")
