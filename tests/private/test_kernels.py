"""CUDA kernels whose parameters get lines: the same results, in every form that is taken; the others are told."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.base.diagnostics import Reporter
from accache.base.options import OptionError, Options
from accache.base.text import SourceFile, read_source_file
from accache.cli.main import main
from accache.workflows.execution import run_cuda
from accache.workflows.private_lines.rewriting import Lines, rewrite

PROGRAM = Path(__file__).parent / "programs" / "kernels.cu"
# Processors, shared memory of each, and what of that a block loses: blocks of a warp find room for 64 bytes a thread.
SCANT = "132 106496 1024"
LAUNCHES = PROGRAM.with_stem("launches")

needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def rewritten(path: Path, lines: Lines) -> tuple[str, tuple[str, ...], list[str]]:
    """The text of a program with second versions of its kernels, these, and what is told."""
    reporter = Reporter()
    text, kernels = rewrite(read_source_file(str(path)), (), lines, reporter)
    return text, kernels, [found.message for found in reporter.diagnostics]


@needs_compiler
@pytest.mark.parametrize(
    ("size", "calls", "check", "seed"),
    [(16, 6, True, 0), pytest.param(32, 0, True, 3, marks=pytest.mark.private), (32, 300, False, 0)],
)
def test_rewritten_kernels_give_the_same(
    size: int,
    calls: int,
    check: bool,
    seed: int,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ACCACHE_CPU_DEVICE", SCANT)
    text, kernels, _ = rewritten(PROGRAM, Lines(size, calls))
    assert kernels == ("moved", "shared_bytes", "fenced", "called", "counted", "touched")
    (tmp_path / "lines.cu").write_text(text)
    assert run_cuda(str(PROGRAM), Options(), (), target="cpu", check=False, seed=0).status == 0
    expected = capfd.readouterr().out
    execution = run_cuda(str(tmp_path / "lines.cu"), Options(), (), target="cpu", check=check, seed=seed)
    assert (execution.status, execution.findings) == (0, ())
    assert capfd.readouterr().out == expected


@needs_compiler
def test_launches_tell_what_they_decide(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lines.cu").write_text(rewritten(PROGRAM, Lines(32, 9))[0])
    monkeypatch.setenv("ACCACHE_NOTIFY", "1")
    monkeypatch.setenv("ACCACHE_CPU_DEVICE", SCANT)
    run_cuda(str(tmp_path / "lines.cu"), Options(), (), target="cpu", check=False, seed=0)
    told = [line for line in capfd.readouterr().err.splitlines() if line.startswith("accache: lines")]
    assert told[0] == "accache: lines moved: room for 2 of 3, of 32 bytes a thread; blocks choose after 9 accesses"
    assert told[1] == "accache: lines moved: of 3 blocks 3 chose a, out"
    assert len(told) == 18
    (tmp_path / "lines.cu").write_text(rewritten(PROGRAM, Lines(32, 0))[0])
    run_cuda(str(tmp_path / "lines.cu"), Options(), (), target="cpu", check=False, seed=0)
    told = [line for line in capfd.readouterr().err.splitlines() if line.startswith("accache: lines")]
    assert told[0] == "accache: lines moved: room for 2 of 3, of 32 bytes a thread, for a, p"
    assert told[1] == "accache: lines shared_bytes: room for 2 of 2, of 32 bytes a thread"


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize(
    "arch", ["sm_90", *(pytest.param(arch, marks=pytest.mark.private) for arch in ("sm_75", "sm_80"))]
)
def test_nvcc_takes_rewritten_kernels(arch: str, tmp_path: Path) -> None:
    for program in (PROGRAM, LAUNCHES):
        (tmp_path / "lines.cu").write_text(rewritten(program, Lines(32))[0])
        for notes in ((), ("-DACCACHE_PRIVATE_NOTIFY",)):
            flags = ("-std=c++17", "-Werror", "all-warnings", f"-arch={arch}", *notes)
            subprocess.run(["nvcc", *flags, "-c", tmp_path / "lines.cu", "-o", tmp_path / "lines.o"], check=True)


def test_nothing_else_changes() -> None:
    after = iter(rewritten(PROGRAM, Lines())[0].splitlines())
    kept = [line for line in PROGRAM.read_text().splitlines() if "<<<" not in line]
    assert [line for line in kept if line not in after] == []


def test_only_wanted_parameters_have_lines() -> None:
    text, kernels, _ = rewritten(PROGRAM, Lines(parameters=("p",)))
    assert kernels == ("moved",)
    assert "accache_private::pointer<accache_cache_type, 0, const item> p(accache_cache, p_memory);" in text
    assert "char *__restrict__ a, const item *__restrict__ p_memory" in text


@needs_compiler
def test_text_stands_where_it_may(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text, kernels, told = rewritten(LAUNCHES, Lines(16, 0))
    assert (kernels, told) == (
        ("turned", "doubled", "added"),
        ["'c' has no line in kernel 'added': the kernel does not use it"],
    )
    (tmp_path / "lines.cu").write_text(text)
    assert run_cuda(str(LAUNCHES), Options(), (), target="cpu", check=False, seed=0).status == 0
    expected = capfd.readouterr().out
    execution = run_cuda(str(tmp_path / "lines.cu"), Options(), (), target="cpu", check=True, seed=0)
    assert (execution.status, execution.findings) == (0, ())
    assert capfd.readouterr().out == expected


KERNEL = """
__device__ int *global_pointer;
__device__ int outside(int);
__device__ int through(int *p) { return p[1]; }
#define LEAVE if (i == 3) return;
struct pair { int x, y; };
union either { int x; float y; };
HEAD
{
    int i = threadIdx.x;
    for (int k = 0; k < n; ++k) {
        BODY
    }
}
int main()
{
    int *a = 0, *b = 0, n = 3;
    LAUNCH
}
"""
HEAD = "__global__ void f(int *__restrict__ a, const int *__restrict__ b, int n)"
LAUNCH = "f<<<1, 32>>>(a, b, n);"
REFUSED = {
    "volatile": (HEAD.replace("int *__restrict__ a", "volatile int *a"), "a[i] += b[k];", "its elements are volatile"),
    "another type": (HEAD, "((char *)a)[i] += b[k];", "its address goes elsewhere"),
    "pointer copied": (HEAD, "int *p = a + k; *p = b[k];", "its address goes elsewhere"),
    "pointer replaced": (HEAD, "a = global_pointer; a[k] = b[k];", "its address goes elsewhere"),
    "address": (HEAD, "through(&a[k]); a[i] = b[k];", "the address of an element is taken"),
    "reference": (HEAD, "int &r = a[k]; r += b[k];", "a reference to an element is kept"),
    "barrier in a loop": (HEAD, "a[i] += b[k]; __syncthreads();", "a barrier stands in a loop"),
    "barrier with a result": (HEAD, "n += __syncthreads_count(b[k]);", "is a barrier, and its value"),
    "unknown type": (HEAD.replace("int *__restrict__ a", "either *a"), "a[k].x = b[k];", "the type of what [ reaches"),
    "unknown call": (HEAD, "a[i] = outside(b[k]);", "outside() may reach memory"),
    "call that reads": (HEAD, "a[i] = through(global_pointer) + b[k];", "through() may reach memory, and is only a p"),
    "recursion": (HEAD, "if (b[k]) f<<<1, 1>>>(a, b, n - 1);", "it names itself"),
    "atomics": (HEAD, "atomicAdd(&a[k], 1); a[i] = b[k];", "an atomic function reaches it"),
    "member": (
        HEAD.replace("int *__restrict__ a", "pair *__restrict__ a"),
        "a[k].x = b[k];",
        "members of its elements",
    ),
    "hidden return": (HEAD, "LEAVE a[i] = b[k];", "the macro LEAVE may hide"),
    "another pointer": (HEAD.replace("*__restrict__ a", "*a"), "a[k] += global_pointer[k];", "it is not __restrict__"),
    "assembler": (HEAD, 'asm("trap;"); a[k] = b[k];', "asm stands in it"),
    "lambda": (HEAD, "auto g = [=](int j) { return b[j]; }; a[k] = g(k);", "a lambda stands in it"),
    "directive": (HEAD, "\n#if 1\na[k] = b[k];\n#endif\n", "a directive of the preprocessor"),
    "template": (f"template <int N> {HEAD}", "a[k] = b[k];", "it is a template"),
    "two pointers": (HEAD.replace("int *__restrict__ a", "int **a"), "a[k][i] = b[k];", "its elements are pointers"),
    "own name": (HEAD.replace("int n", "int n, int f"), "a[k] = b[k];", "a parameter has its name"),
    "no name": (HEAD.replace("int n", "int n, int"), "a[k] = b[k];", "a parameter has no name"),
    "no loop": (HEAD, "} a[i] = b[i]; {", "no loop of it refers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_lines_cannot_serve_is_told(case: str) -> None:
    head, body, reason = REFUSED[case]
    text = KERNEL.replace("HEAD", head).replace("BODY", body).replace("LAUNCH", LAUNCH)
    reporter = Reporter()
    after, kernels = rewrite(SourceFile("a.cu", text), (), Lines(), reporter)
    told = [found.message for found in reporter.diagnostics]
    assert any(reason in message for message in told), told
    assert {found.code for found in reporter.diagnostics} <= {"ACC986", "ACC987"}
    assert kernels or after == text
    assert "a_memory[" not in after


@pytest.mark.parametrize(
    ("launch", "call"),
    [
        ("f<<<n < 3 ? 1 : 2, 32>>>(a, b, n);", "f_lines(n < 3 ? 1 : 2, 32, 0, 0, a, b, n);"),
        ("(void)f<<<1, 32>>>(a, b, n < 3 ? 3 : n > 4);", "(void)f_lines(1, 32, 0, 0, a, b, n < 3 ? 3 : n > 4);"),
        ("f<<<1, 32>>>(a, b, n\n#if N\n- 1\n#endif\n);", "f_lines(1, 32, 0, 0, a, b, n\n#if N\n- 1\n#endif\n);"),
        ("int x = (f<<<1, 32, 8>>>(a++, b, n), 3);", "int x = (f_lines(1, 32, 8, 0, a++, b, n), 3);"),
        ("switch (n) { case 3: ::f<<<1, 32>>>(a, b, n); }", "switch (n) { case 3: ::f_lines(1, 32, 0, 0, a, b, n); }"),
    ],
)
def test_launches_in_any_place_choose(launch: str, call: str) -> None:
    text = KERNEL.replace("HEAD", HEAD).replace("BODY", "a[i] += b[k];").replace("LAUNCH", launch)
    after, kernels = rewrite(SourceFile("a.cu", text), (), Lines(), Reporter())
    assert kernels == ("f",)
    assert call in after


@pytest.mark.parametrize(
    ("launch", "reason"),
    [
        ("auto x = f; x<<<1, 32>>>(a, b, n);", "the name is a value there"),
        ("void *x[] = {&a, &b, &n}; cudaLaunchKernel(f, 1, 32, x, 0, 0);", "the name is a value there"),
        ("", "no launch of it in this file"),
    ],
)
def test_a_launch_that_cannot_choose_is_told(launch: str, reason: str) -> None:
    text = KERNEL.replace("HEAD", HEAD).replace("BODY", "a[i] += b[k];").replace("LAUNCH", launch)
    reporter = Reporter()
    assert rewrite(SourceFile("a.cu", text), (), Lines(), reporter) == (text, ())
    assert any(reason in found.message for found in reporter.diagnostics)


def test_the_command_writes_what_the_library_makes(tmp_path: Path) -> None:
    target = tmp_path / "out.cu"
    words = [
        "preload",
        "--private",
        "--private-line",
        "32",
        "--private-calls",
        "9",
        "-q",
        str(PROGRAM),
        "-o",
        str(target),
    ]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert target.read_text() == rewritten(PROGRAM, Lines(32, 9))[0]
    only = [*words[:-2], "--parameter", "p"]
    assert "item> p(accache_cache, p_memory);" in CliRunner().invoke(main, only).output
    assert CliRunner().invoke(main, [*words[:-3], str(tmp_path / "none.cu")]).exit_code == 1
    assert CliRunner().invoke(main, [*words[:-3], str(PROGRAM.with_suffix(".c"))]).exit_code == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--private-calls", "9"], "--private-calls needs --private"),
        (["--private-line", "16"], "--private-line needs --private"),
        (["--parameter", "a"], "--parameter needs --private"),
        (["--private", "--private-calls", "99999999999"], "99999999999 is not in the range"),
    ],
)
def test_options_of_lines_out_of_place_are_refused(words: list[str], reason: str) -> None:
    done = CliRunner().invoke(main, ["preload", *words, str(PROGRAM)])
    assert done.exit_code == 2
    assert reason in done.output


def test_a_parameter_that_no_kernel_has_is_told() -> None:
    reporter = Reporter()
    _, kernels = rewrite(read_source_file(str(PROGRAM)), (), Lines(parameters=("zzz", "p", "records")), reporter)
    assert kernels == ("moved",)
    assert [found.message for found in reporter.diagnostics if found.code == "ACC994"] == [
        f"no kernel has a pointer parameter '{name}', which --parameter asks lines for" for name in ("zzz", "records")
    ]


def test_the_number_of_monitored_calls_has_an_end() -> None:
    assert Options(private_calls=10_000_000).private_calls == 10_000_000
    with pytest.raises(OptionError, match="a number from 0 to 10000000"):
        Options(private_calls=10_000_001)
