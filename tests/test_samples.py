"""The samples as plain C, which ignores directives: no warnings, right at every size, always the same checksum."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from families import some

from accache.cli.main import main

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
# what each sample prints without arguments; its translations must print the same
CHECKSUMS = {
    "gemm": "1bfd678d5f53d56f",
    "histogram": "0e26600a397a2311",
    "jacobi": "a4c3af38657a5d6e",
    "lookup": "b395314e48012092",
    "nbody": "bc4ace98d938f882",
    "records": "46a525e54356f011",
    "stencil": "9bde43bf19548aff",
    "strided": "75ddc48fcc2afc73",
    "transpose": "6ab224a2c36960ed",
    "write_dense": "c8f4196801e77720",
    "write_sparse": "f52f0bfd98da34ea",
}
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
SIZES = ("1", "2", "3", "4", "17", "1 1", "3 2", "2 3", "33 1")


def test_every_sample_has_its_checksum_here() -> None:
    assert {path.stem for path in SAMPLES.glob("*.c")} == set(CHECKSUMS)


@pytest.mark.parametrize("name", CHECKSUMS)
def test_a_sample_is_right_as_plain_c(name: str, tmp_path: Path) -> None:
    program = tmp_path / name
    subprocess.run(
        ["gcc", "-std=gnu11", "-O1", *WARNINGS, *SANITIZE, SAMPLES / f"{name}.c", "-o", program, "-lm"], check=True
    )

    def run(*arguments: str) -> str:
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout

    assert re.fullmatch(rf"checksum {CHECKSUMS[name]}, mean [-+.e\d]+\n", run())
    for sizes in SIZES:
        run(*sizes.split())


@pytest.mark.parametrize("name", some(["gemm", "jacobi", "nbody", "stencil"], 2))
def test_hand_written_cuda_compiles(name: str, tmp_path: Path) -> None:
    if not shutil.which("nvcc"):
        pytest.skip("needs nvcc")
    command = ["nvcc", "-arch=sm_90", "-Werror", "all-warnings", "-c", SAMPLES / "cuda" / f"{name}.cu"]
    subprocess.run([*command, "-o", tmp_path / "out.o"], check=True)


@pytest.mark.nvcc
@pytest.mark.parametrize("name", CHECKSUMS)
def test_a_sample_compiles_for_a_gpu_without_warnings(name: str, tmp_path: Path) -> None:
    """A host variable that only a kernel uses is none for nvcc: transpose has one."""
    result = tmp_path / f"{name}.cu"
    assert CliRunner().invoke(main, ["translate", "-q", str(SAMPLES / f"{name}.c"), "-o", str(result)]).exit_code == 0
    assert "the program, its kernels" in result.read_text()
    command = ["nvcc", "-arch=sm_90", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra", "-c", result]
    subprocess.run([*command, "-o", tmp_path / "out.o"], check=True)


def test_the_table_in_the_readme_is_what_the_script_prints(capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("count_statements", SAMPLES.parent / "bench" / "count_statements.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    text = (SAMPLES / "README.md").read_text()
    assert rows
    assert [row for row in rows if f"| {' | '.join(row)} |" not in text] == []
