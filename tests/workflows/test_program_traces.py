"""``accache model PROGRAM``: a launch of a program, as the cache sees it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest
from asking_program import ASKING
from click.testing import CliRunner

import accache
from accache.base.options import Options
from accache.cli.main import main
from accache.driver import translate
from accache.ptx.loads.embedding import compile_to_ptx
from accache.workflows.cuda import kernels_alone

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
# each thread copies 32 bytes
COPY = """\
struct alignas(32) Wide { double x, y, z, w; };
__global__ void copy(const Wide *__restrict__ a, Wide *b) { b[threadIdx.x] = a[threadIdx.x]; }
int main()
{
    Wide *p;
    cudaMalloc(&p, 64 * sizeof(Wide));
    copy<<<1, 32>>>(p, p + 32);
    return 0;
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


@pytest.mark.nvcc
@needs_compilers
@pytest.mark.parametrize(("name", "text"), [("sum.c", OPENACC), ("copy.cu", COPY)], ids=["c", "cu"])
def test_nvcc_gets_its_arguments(name: str, text: str, tmp_path: Path) -> None:
    program = tmp_path / name
    program.write_text(text)
    words = ["model", "-q", str(program), "--json", "--", "-arch=sm_80", "-std=c++17"]
    good, bad = (CliRunner().invoke(main, [*words, *more]) for more in ((), ("-no-such-option",)))
    assert good.exit_code == 0, good.output
    assert bad.exit_code == 1
    assert "Unknown option '-no-such-option' [ACC602]" in bad.stderr


@pytest.mark.nvcc
@needs_compilers
def test_the_architecture_is_that_of_nvccs_arguments(tmp_path: Path) -> None:
    """32 bytes a lane are one load where there are such loads, since sm_100, and else two."""
    program = tmp_path / "copy.cu"
    program.write_text(COPY)
    words = ["model", "-q", str(program), "--gpu", "h100", "--json", "--"]
    rates = [json.loads(CliRunner().invoke(main, [*words, f"-arch={arch}"]).stdout) for arch in ("sm_90", "sm_100")]
    assert [(rate["requests"], rate["hits"] + rate["sector"]) for rate in rates] == [(16, 8), (8, 0)]


@pytest.mark.nvcc
@needs_compilers
def test_a_launch_that_loads_nothing_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "fill.c"
    program.write_text(OPENACC.replace("a[i] + a[256]", "i"))
    result = CliRunner().invoke(main, ["model", "-q", str(program), "--gpu", "h100"])
    assert (result.exit_code, "loads nothing from global memory [ACC974]" in result.stderr) == (1, True), result.output


@pytest.mark.nvcc
@needs_compilers
@pytest.mark.parametrize("gpu", ["v100", "h100"])
def test_a_program_finds_the_multiprocessors_of_the_gpu(gpu: str, tmp_path: Path) -> None:
    program = tmp_path / "asking.cu"
    program.write_text(ASKING)
    record = json.loads(CliRunner().invoke(main, ["model", "-q", str(program), "--gpu", gpu, "--json"]).stdout)
    assert record["requests"] == 2


# each thread adds up a row of its own, eight elements at a time: L1 holds no line until all of it was read
ROWS = """\
#define ROWS 2048
#define COLUMNS 64
static float a[ROWS][COLUMNS], b[ROWS], sums[ROWS];
int main(void)
{
#pragma acc parallel loop copyin(b) copyout(sums)
    for (int i = 0; i < ROWS; ++i)
        sums[i] = b[i];
#pragma acc parallel loop vector_length(256) copyin(a, b) copyout(sums)
    for (int i = 0; i < ROWS; ++i) {
        float sum = b[i];
        for (int l = 0; l < COLUMNS; l += 8) {
#pragma acc cache(a[i:1][l:8], b[i:1])
            for (int j = l; j < l + 8; ++j)
                sum += a[i][j];
        }
        sums[i] = sum;
    }
    return 0;
}
"""


@pytest.mark.nvcc
@needs_compilers
def test_a_directive_is_judged(tmp_path: Path) -> None:
    """A line has 32 elements of a row, and 2048 rows are more than L1: each fetch of eight is one from L2."""
    program = tmp_path / "rows.c"
    program.write_text(ROWS)
    words = ["model", "-q", str(program), "--gpu", "v100", "--directives", "--method", "rbi"]
    record = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)
    assert record["kernel"] == "main_L9_kernel"
    a, b = record["directives"]
    assert (a["line"], a["written"], a["array"], a["method"]) == (13, "a[i:1][l:8]", "a", "rbi")
    assert (a["requests"], a["requests_then"]) == (2048 * 64, 2048 * 64 // 8)
    assert a["verdict"]["fetched"] == 2048 * 64 * 4
    assert a["verdict"]["served"] > a["verdict"]["fetched"]
    assert a["verdict"]["saved"] == a["verdict"]["served"] - a["verdict"]["fetched"]
    assert (b["array"], b["shared"], b["verdict"]) == ("b", 0, None)
    text = CliRunner().invoke(main, words).stdout
    assert f"go: tiles save {a['verdict']['saved']:,} bytes" in text
    assert "cache(b[i:1]): none: " in text


@pytest.mark.nvcc
@needs_compilers
def test_a_kernel_that_is_launched_is_judged(tmp_path: Path) -> None:
    """The first kernel with a tile is not launched."""
    program = tmp_path / "two.c"
    construct = """\
#pragma acc parallel loop copyin(a) copyout(b)
    for (int i = 1; i < 255; ++i) {
#pragma acc cache(a[i - 1:3])
        b[i] = a[i - 1] + a[i] + a[i + 1];
    }
"""
    start = "int main(int argc, char **argv)\n{\n    static float a[256], b[256];\n"
    program.write_text(f"{start}if (argc > 2) {{\n{construct}}}\n{construct}    return 0;\n}}\n")
    words = ["model", "-q", str(program), "--gpu", "v100", "--directives", "--json"]
    assert json.loads(CliRunner().invoke(main, words).stdout)["kernel"] == "main_L11_kernel"
    found = CliRunner().invoke(main, [*words, "--kernel", "main_L5_kernel"])
    assert f"error: '{program}' launches no kernel 'main_L5_kernel' in this run [ACC972]" in found.stderr


@pytest.mark.nvcc
@needs_compilers
@pytest.mark.parametrize(("arguments", "pays"), [("135168 32", True), ("65536 32", False)])
def test_lines_are_judged_as_auto_decides(arguments: str, pays: bool) -> None:
    """Of 528 blocks each of 132 multiprocessors has four, whose lines fill L1; of 256 it has two."""
    sample = str(Path(__file__).parents[2] / "samples" / "records.c")
    words = ["model", "-q", sample, "--gpu", "h100", "--directives", "--args", arguments]
    told = CliRunner().invoke(main, words).stdout.partition("cache directives of")[2]
    assert told.count(" go: lines save ") == pays
    assert told.count("no-go: the launch took the kernel without lines") == 3 * (not pays)
    record = json.loads(CliRunner().invoke(main, [*words, "--method", "private", "--json"]).stdout)
    jsonschema.validate(record, accache.schema("model"))
    verdict = record["directives"][-1]["verdict"]
    assert (verdict["pays"], verdict["filled"] >= verdict["l1_bytes"]) == (pays, pays)
    assert verdict["stored"] == 8 * verdict["stored_then"]


@pytest.mark.nvcc
@needs_compilers
@pytest.mark.parametrize("name", ["jacobi", "gemm", "nbody", "transpose"])
def test_what_is_emitted_is_no_loss(name: str) -> None:
    """The model says of each directive what explain says, and for nothing that auto has chosen no-go."""
    sample = str(Path(__file__).parents[2] / "samples" / f"{name}.c")
    words = ["model", "-q", sample, "--gpu", "h100", "--directives"]
    record = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)
    jsonschema.validate(record, accache.schema("model"))
    explained = json.loads(CliRunner().invoke(main, ["explain", "--json", sample]).stdout)["kernels"]
    kernel = next(item for item in explained if item["name"] == record["kernel"])
    assert [item["method"] for item in record["directives"]] == [item["method"] for item in kernel["subarrays"]]
    verdicts = [item["verdict"] for item in record["directives"] if item["verdict"]]
    assert all(item["pays"] for item in verdicts)
    assert len(verdicts) == 4 * (name == "nbody")
    told = CliRunner().invoke(main, words).stdout
    assert told.count("  go: tiles save no bytes; a warp takes an estimated 14272 clocks (issue)") == len(verdicts)


@pytest.mark.nvcc
@needs_compilers
def test_a_tile_that_was_asked_for_must_save_bytes() -> None:
    sample = str(Path(__file__).parents[2] / "samples" / "nbody.c")
    words = ["model", "-q", sample, "--gpu", "h100", "--directives", "--method", "rbi"]
    assert CliRunner().invoke(main, words).stdout.count("no-go: tiles save no bytes\n") == 4


@pytest.mark.nvcc
@needs_compilers
def test_arrays_of_a_program_are_known(tmp_path: Path) -> None:
    program = tmp_path / "rows.c"
    program.write_text(ROWS)
    words = ["model", "-q", str(program), "--kernel", "main_L6_kernel", "--by", "array", "--json"]
    record = json.loads(CliRunner().invoke(main, words).stdout)
    assert [(row["name"], row["asked"], row["stored"]) for row in record["by_array"]] == [
        ("b", 2048 * 4, 0),
        ("sums", 0, 2048 * 4),
    ]


@pytest.mark.parametrize("kernel", ["", "main_L6_kernel", "other"])
def test_without_directives_nothing_is_judged(kernel: str, tmp_path: Path) -> None:
    program = tmp_path / "rows.c"
    program.write_text(ROWS if kernel else OPENACC)
    words = ["model", "-q", str(program), "--gpu", "v100", "--directives", "--kernel", kernel]
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, "[ACC816]" in result.stderr) == (1, True), result.output


@pytest.mark.parametrize(
    "words",
    [
        ("model",),
        ("model", "a.ptx"),
        ("model", "a.c", "--trace", "a.trc"),
        ("model", "missing.c"),
        ("model", "a.cu", "--directives"),
        ("model", "--trace", "a.trc", "--directives"),
    ],
)
def test_what_is_no_program_is_refused(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == (1 if "missing.c" in words else 2)
    assert "error" in result.output.lower()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_kernels_need_no_run_time_library(tmp_path: Path) -> None:
    path = tmp_path / "stencil.cu"
    path.write_text(translate(str(Path(__file__).parents[2] / "samples" / "stencil.c"), Options()).joined or "")
    passing_over = kernels_alone(path)
    assert "-DACCACHE_RUNTIME_CUH" in passing_over
    for name, options in (("all", ()), ("alone", passing_over)):
        compile_to_ptx([str(path), *options], tmp_path / f"{name}.ptx", "a test")
    assert (tmp_path / "all.ptx").read_bytes() == (tmp_path / "alone.ptx").read_bytes()
    other = path.read_text().replace("namespace accache {", "namespace accache { // another version")
    path.write_text(other)
    assert kernels_alone(path) == ()
