"""Programs for subsets of loads, and decisions by files that Nsight Compute could have written of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from nsight_tables import wide

from accache.cli.main import main

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
    .reg .b64 %rd<6>;
    .reg .f32 %f<6>;
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [q];
    ld.global.f32 %f1, [%rd1];
    ld.volatile.global.f32 %f3, [%rd2];
    ld.global.f32 %f2, [%rd2];
    ld.global.f32 %f4, [%rd2+4];
    ret;
}
"""
PROGRAM = """\
__global__ void kernel(const float *a, const float *b, float *c)
{
    int i = threadIdx.x;
    c[i] = a[i]
           + b[i];
}
int main()
{
    return 0;
}
"""
# bytes with these loads cached: 0 costs, 1 and 2 share what they load
BYTES = {"none": 1000, "0": 1100, "1": 900, "2": 950, "0-1": 1000, "0-2": 1050, "1-2": 500}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("k.ptx").write_text(PTX)
    made = Path("measured")
    made.mkdir()
    for variant, bytes_ in BYTES.items():
        (made / f"cached-{variant}.csv").write_text(wide(("k", f"{bytes_:,}", "100", str(len(variant)))))
    return made


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["bypass", *words])


def test_decisions_by_measurements(folder: Path) -> None:
    found = run("k.ptx", "--measured", str(folder), "-o", "out.ptx", "--json")
    assert found.exit_code == 0, found.output
    record = json.loads(found.stdout)
    assert [(load["load"], load["decision"], load["weight"]) for load in record["loads"]] == [
        ("k+2, p", "bypass", -100),
        ("k+4, q", "cache", 100),
        ("k+5, q", "cache", 50),
    ]
    assert (record["loads"][0]["hits"], record["loads"][0]["accesses"]) == (1, None)
    assert record["bytes"] == {"cache_all": 600, "bypass_all": 1000, "algorithm_1": 500, "ours": 500}
    assert record["measured"] == str(folder)
    assert Path("out.ptx").read_text() == PTX.replace("ld.global.f32 %f1", "ld.global.L1::no_allocate.f32 %f1")
    text = run("k.ptx", "--measured", str(folder)).stdout
    assert text.startswith("kernel k of k.ptx: measured in measured, bytes weights, exact solver\n")


def test_a_missing_or_broken_measurement(folder: Path) -> None:
    (folder / "cached-0-2.csv").write_text("==ERROR==\n")
    assert re.findall(r"ACC\d+", run("k.ptx", "--measured", str(folder)).stderr) == ["ACC970"]
    (folder / "cached-0-1.csv").unlink()
    found = run("k.ptx", "--measured", str(folder))
    assert re.findall(r"ACC\d+", found.stderr) == ["ACC101"]
    assert "cached-0-1.csv" in found.stderr


@needs_nvcc
def test_variants_are_programs_and_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prog.cu").write_text(PROGRAM)
    found = run("prog.cu", "--variants", "variants", "--", "-cubin", "-arch=sm_80")
    assert (found.exit_code, found.stdout) == (0, "variants: 4 programs, and measure.sh to measure them\n")
    names = {path.name for path in Path("variants").iterdir()}
    assert names == {"cached-none", "cached-0", "cached-1", "cached-0-1", "measure.sh"}
    assert len({path.read_bytes() for path in Path("variants").iterdir()}) == 5
    script = Path("variants/measure.sh").read_text()
    assert "for variant in cached-none cached-0 cached-1 cached-0-1; do" in script
    assert "--kernel-name _Z6kernelPKfS0_Pf " in script
    ncu = Path("bin/ncu")
    ncu.parent.mkdir()
    ncu.write_text('#!/bin/sh\nwhile [ "$1" != --log-file ]; do shift; done\necho "$3 $4" > "$2"\n')
    ncu.chmod(0o755)
    monkeypatch.setenv("PATH", "bin:/usr/bin:/bin")
    subprocess.run(["sh", "variants/measure.sh", "size"], check=True)
    assert Path("variants/cached-0-1.csv").read_text() == "variants/cached-0-1 size\n"


@pytest.mark.parametrize(
    "words",
    [
        ("k.ptx", "--measured", "m", "--trace", "t.npz"),
        ("k.ptx", "--measured", "m", "--weights", "paper"),
        ("k.ptx", "--variants", "v"),
        ("prog.cu", "--variants", "v", "-o", "out"),
        ("t.npz", "--measured", "m"),
    ],
)
def test_words_that_do_not_go_together(words: tuple[str, ...]) -> None:
    assert run(*words).exit_code == 2
