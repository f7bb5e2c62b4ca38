"""A program whose PTX was changed on nvcc's way to the executable."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError
from accache.ptx.loads.embedding import compile_to_ptx, rebuild

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
PROGRAM = """\
__global__ void twice(const float *a, float *b)
{
    b[threadIdx.x] = 2 * a[threadIdx.x];
}

int main()
{
    return 3;
}
"""


@needs_nvcc
def test_changed_ptx_of_two_architectures_is_in_the_result(tmp_path: Path) -> None:
    source, target = tmp_path / "a b.cu", tmp_path / "a b.fatbin"
    source.write_text(PROGRAM)
    seen = []

    def edit(path: Path) -> None:
        text = path.read_text()
        seen.append(text)
        path.write_text(text.replace("ld.global.f32", "ld.global.cg.f32"))

    kinds = ("-gencode", "arch=compute_75,code=sm_75", "-gencode", "arch=compute_90,code=compute_90")
    assert rebuild(["-fatbin", "--no-compress", *kinds, str(source)], target, edit, "this test") == 2
    assert all(".loc" in text for text in seen)
    assert sorted(text.count(".target sm_75") for text in seen) == [0, 1]
    contents = target.read_bytes()
    assert b"ld.global.cg.f32" in contents
    assert b"ld.global.f32" not in contents


@needs_nvcc
@pytest.mark.parametrize(
    "name", ["a$(touch HIT).cu", "a`touch HIT`.cu", "a;touch HIT;.cu", "a'b.cu", "a $HOME.cu", "é&.cu"]
)
def test_no_shell_reads_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(PROGRAM)
    assert rebuild([name, '-DA="x y"', "-cubin", "-arch=sm_80"], Path("a.cubin"), lambda path: None, "this test") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "a.cubin"])


@needs_nvcc
@pytest.mark.parametrize("name", ['a"b.cu', "a\nb.cu"])
def test_names_that_nvcc_does_not_quote_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(PROGRAM)
    with pytest.raises(CompileError, match="ACC606"):
        rebuild([str(tmp_path / name), "-cubin"], tmp_path / "a.cubin", lambda path: None, "this test")


@needs_nvcc
def test_ptx_that_ptxas_rejects(tmp_path: Path) -> None:
    source = tmp_path / "x.cu"
    source.write_text(PROGRAM)

    def edit(path: Path) -> None:
        path.write_text(path.read_text().replace("ld.global.f32", "ld.global.wrong.f32"))

    with pytest.raises(CompileError, match="ACC602"):
        rebuild(["-cubin", "-arch=sm_80", str(source)], tmp_path / "program", edit, "this test")
    assert not (tmp_path / "program").exists()


@needs_nvcc
def test_a_program_that_nvcc_rejects(tmp_path: Path) -> None:
    source = tmp_path / "x.cu"
    source.write_text("__global__ void f() { undeclared = 1; }\n")
    with pytest.raises(CompileError, match=r"x\.cu:1.*undeclared.*ACC602"):
        compile_to_ptx([str(source)], tmp_path / "x.ptx", "this test")


@needs_nvcc
def test_no_ptx_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "x.cpp"
    source.write_text("int main() { return 0; }\n")
    with pytest.raises(CompileError, match="ACC962"):
        rebuild([str(source)], tmp_path / "program", lambda path: None, "this test")


def test_without_nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    with pytest.raises(CompileError, match=r"nvcc is not installed; this test needs it \[ACC601\]"):
        compile_to_ptx(["x.cu"], tmp_path / "x.ptx", "this test")
