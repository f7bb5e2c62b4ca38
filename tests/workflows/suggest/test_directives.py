"""``accache suggest --apply``: which directives it writes and where, what it leaves alone, and what it cannot write."""

from __future__ import annotations

import difflib
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from commands import accache
from families import some

from accache.base.options import Options
from accache.cli.main import main
from accache.driver import translate

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
WRITTEN = {
    "stencil": ["#pragma acc cache(a[i-1:3])"],
    "jacobi": ["#pragma acc cache(b[i-1:3][j-1:3])"],
    "gemm": ["#pragma acc cache(a[i:1][l:TILE], b[l:TILE][j:1])"],
    "nbody": ["#pragma acc cache(x[t:CHUNK], y[t:CHUNK], z[t:CHUNK], m[t:CHUNK])"],
    "strided": ["#pragma acc cache(a[3*i+4:LENGTH])"],
    "transpose": [],
    "lookup": [],
    "histogram": [],
    "records": [],
    "write_dense": [],
    "write_sparse": [],
}
"""The directives that samples without any get; in transpose the tile needs no directive."""
LOOP = "for (int j = i - 30; j <= i + 30; ++j)"
HEAD = "#pragma acc parallel loop copyin(a[0:n]) private(s)\n    for (int i = 30; i < n - 30; ++i)"
DIRECTIVE = "#pragma acc cache(a[i-30:61])"


def apply(*words: object) -> Result:
    return CliRunner().invoke(main, ["suggest", "--apply", *map(str, words)])


def test_a_program_that_gets_no_directive_is_told_so(tmp_path: Path) -> None:
    path = program(tmp_path, "int a;\n")
    assert (
        apply(path).stderr
        == f"{path}: nothing is written: each kernel has directives, or no array of thread density 2\n"
    )
    assert apply(path, "-q").stderr == ""


def function(body: str) -> str:
    return f"void f(const float *restrict a, float *restrict b, int n)\n{{\n    float s = 0;\n{body}}}\n"


def program(folder: Path, text: str, name: str = "p.c") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def bare(name: str, folder: Path) -> Path:
    lines = (SAMPLES / f"{name}.c").read_text().splitlines(keepends=True)
    return program(folder, "".join(line for line in lines if "acc cache" not in line), f"{name}.c")


def applied(path: Path) -> str:
    """The text with directives; that file gets none any more, and holds what the user wrote."""
    target = path.with_suffix(".acc.c")
    done = apply(path, "-o", target)
    assert done.exit_code == 0, done.output
    again = apply(target, "-q")
    assert again.stdout_bytes == target.read_bytes()
    return target.read_bytes().decode()


def added(path: Path) -> list[str]:
    """The lines that are written; no other is touched."""
    changes = list(difflib.ndiff(path.read_text().splitlines(), applied(path).splitlines()))
    assert not any(line[0] in "-?" for line in changes)
    return [line[2:] for line in changes if line[0] == "+"]


def test_each_sample_is_tried() -> None:
    assert WRITTEN.keys() == {path.stem for path in SAMPLES.glob("*.c")}


@pytest.mark.parametrize("name", WRITTEN)
def test_samples_without_directives(name: str, tmp_path: Path) -> None:
    assert added(bare(name, tmp_path)) == WRITTEN[name]


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize("name", some(WRITTEN, 5))
def test_a_sample_with_written_directives_runs_as_before(name: str, tmp_path: Path) -> None:
    path = program(tmp_path, applied(bare(name, tmp_path)), "written.c")
    plain = tmp_path / "plain"
    subprocess.run(["gcc", "-O1", "-w", SAMPLES / f"{name}.c", "-o", plain, "-lm"], check=True)
    expected = subprocess.run([plain], capture_output=True, text=True, check=True).stdout
    runs = ([str(path), "-lm"], ["--tune", "off", "--coarsen", "off", str(path), "-lm"])
    for words in (*runs, ["--auto-cache", str(tmp_path / f"{name}.c"), "-lm"]):
        done = accache("run", "-q", "--check", *words)
        assert (done.returncode, done.stdout) == (0, expected), done.stderr


@pytest.mark.parametrize(
    ("macro", "length", "expected"),
    [
        ("W 61", "W", "W"),
        ("W (61)", "W", "W"),
        ("W 60 + 1", "W", "61"),
        ("W(x) 61", "W(0)", "61"),
        ("W 61\n#undef n", "61", "61"),
    ],
)
def test_a_length_has_the_name_that_the_loop_calls_it_by(
    macro: str, length: str, expected: str, tmp_path: Path
) -> None:
    loop = f"for (int j = i - 30; j < i - 30 + {length}; ++j)"
    text = f"#define {macro}\n" + function(f"{HEAD} {{\n        {loop}\n            s += a[j];\n    }}\n")
    path = program(tmp_path, text)
    assert [line.replace(":W]", ":61]") for line in added(path)] == [DIRECTIVE]
    assert f":{expected}]" in added(path)[0]


@pytest.mark.parametrize("name", some(WRITTEN, 3))
def test_what_is_written_is_what_auto_cache_decides(name: str, tmp_path: Path) -> None:
    path = bare(name, tmp_path)
    automatic = translate(str(path), Options(auto_cache=True)).report
    path.write_text(applied(path))
    written = translate(str(path), Options()).report
    for ours, theirs in zip(automatic.kernels, written.kernels, strict=True):
        kept = [item for item in ours.subarrays if item.method != "none"]
        assert [(item.text, item.method, item.tile) for item in kept] == [
            (item.text.replace("TILE", "16").replace("CHUNK", "256").replace("LENGTH", "5"), item.method, item.tile)
            for item in theirs.subarrays
        ]


def test_auto_cache_gives_a_product_the_tiles_of_its_directive(tmp_path: Path) -> None:
    automatic = translate(str(bare("gemm", tmp_path)), Options(auto_cache=True)).report
    (ours,), (theirs,) = automatic.kernels, translate(str(SAMPLES / "gemm.c"), Options()).report.kernels
    tiles = [
        [(item.written.replace("TILE", "16"), item.method, item.tile, item.shared_bytes) for item in each.subarrays]
        for each in (ours, theirs)
    ]
    assert len(tiles[0]) == 2
    assert tiles[0] == tiles[1]


def test_a_directive_that_is_there_is_not_changed(tmp_path: Path) -> None:
    for name in WRITTEN:
        text = (SAMPLES / f"{name}.c").read_text()
        assert applied(program(tmp_path, text)) == text


def test_other_kernels_of_the_file_get_theirs(tmp_path: Path) -> None:
    loops = f"{HEAD} {{\n        {LOOP}\n            s += a[j];\n    }}\n"
    path = program(
        tmp_path, function(loops.replace(f"        {LOOP}", f"#pragma acc cache(a[i-1:3])\n        {LOOP}") + loops)
    )
    assert added(path) == [DIRECTIVE]


def test_directives_are_indented_where_the_user_indents_them(tmp_path: Path) -> None:
    path = program(tmp_path, function(f"    {HEAD} {{\n\t{LOOP}\n            s += a[j];\n    }}\n"))
    assert added(path) == [f"\t{DIRECTIVE}"]


def test_a_directive_stands_above_the_pragmas_of_its_loop(tmp_path: Path) -> None:
    path = program(
        tmp_path, function(f"{HEAD} {{\n#pragma acc loop \\\n    seq\n{LOOP}\n            s += a[j];\n    }}\n")
    )
    assert f"{DIRECTIVE}\n#pragma acc loop \\\n    seq\n{LOOP}" in applied(path)


def test_lines_end_as_they_did(tmp_path: Path) -> None:
    text = function(f"{HEAD} {{\n        {LOOP}\n            s += a[j];\n    }}\n").replace("\n", "\r\n")
    assert applied(program(tmp_path, text)) == text.replace(f"        {LOOP}", f"{DIRECTIVE}\r\n        {LOOP}")


def test_bytes_that_are_no_utf_8_stay(tmp_path: Path) -> None:
    text = function(f"{HEAD} {{ /* \udce4 */\n        {LOOP}\n            s += a[j];\n    }}\n")
    path = tmp_path / "p.c"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert apply(path, "-o", path).exit_code == 0
    wanted = text.replace(f"        {LOOP}", f"{DIRECTIVE}\n        {LOOP}")
    assert path.read_bytes() == wanted.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            f"\n        {LOOP} // wide\n            s += a[j]; // sum\n",
            f" {{\n{DIRECTIVE}\n        {LOOP} // wide\n            s += a[j]; // sum\n    }}\n",
        ),
        (f" {LOOP} s += a[j];\n", f" {{ \n{DIRECTIVE}\n    {LOOP} s += a[j];\n    }}\n"),
        (f" {{ {LOOP} s += a[j]; }}\n", f" {{ \n{DIRECTIVE}\n    {LOOP} s += a[j]; }}\n"),
    ],
)
def test_bodies_without_braces_get_some(body: str, expected: str, tmp_path: Path) -> None:
    assert applied(program(tmp_path, function(HEAD + body))) == function(HEAD + expected)


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("body", [f"\n        {LOOP}\n            s += a[j];\n", f" {LOOP} s += a[j];\n"])
def test_another_openacc_compiler_takes_the_result(body: str, tmp_path: Path) -> None:
    path = program(tmp_path, applied(program(tmp_path, function(HEAD + body))), "written.c")
    done = subprocess.run(["gcc", "-fopenacc", "-fsyntax-only", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


UNTILED = """\
void gemm(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
#pragma acc parallel loop independent copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop independent
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k)
                sum += a[i*n + k] * b[k*n + j];
            c[i*n + j] = sum;
        }
    }
}
"""


def test_a_loop_that_should_be_tiled_gets_a_comment(tmp_path: Path) -> None:
    comment = (
        "            /* accache: tile the loop over k by 16, from k0 on, for cache(a[i:1][k0:16], b[k0:16][j:1]) */\n"
    )
    path = program(tmp_path, UNTILED)
    text = applied(path)
    assert text.count(comment + "            for (int k = 0;") == 1
    tiled = UNTILED.replace(
        "            for (int k = 0; k < n; ++k)\n",
        "            for (int k0 = 0; k0 < n; k0 += 16)\n                for (int k = k0; k < k0 + 16 && k < n; ++k)\n",
    )
    done = apply(program(tmp_path, tiled))
    assert "accache: tile" not in done.stdout
    assert "#pragma acc cache(a[i:1][k0:16], b[k0:16][j:1])\n" in done.stdout


def test_no_tile_is_for_one_iteration_of_a_loop(tmp_path: Path) -> None:
    text = """\
void rows(const float *restrict a, const float *restrict x, float *restrict y, int n)
{
#pragma acc parallel loop copyin(a[0:n*n+n], x[0:n*n]) copyout(y[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int j = 0; j < n; ++j)
            sum += a[i*n + i + j] * x[j*n];
        y[i] = sum;
    }
}
"""
    done = apply(program(tmp_path, text))
    added = set(done.stdout.splitlines()) - set(text.splitlines())
    assert [line.strip().partition(" over ")[0] for line in added] == ["/* accache: tile the loop"]  # no directive
    assert "cache(x[j*n:1]), thread density 256.00: left out: its tile would be for one iteration" in done.stderr


def refused(path: Path, code: str, *words: object) -> Result:
    """One diagnostic, exit status 1, and no file but those that there were, as they were."""
    before = {found: found.read_bytes() for found in path.parent.iterdir() if found.is_file()}
    done = apply(path, *(words or ("-o", path)))
    assert (done.exit_code, done.stderr.count("error:"), f"[{code}]" in done.stderr) == (1, 1, True), done.stderr
    assert {found: found.read_bytes() for found in path.parent.iterdir() if found.is_file()} == before
    return done


def test_a_loop_in_a_header_is_acc980(tmp_path: Path) -> None:
    program(tmp_path, function(f"{HEAD} {{\n        {LOOP}\n            s += a[j];\n    }}\n"), "f.h")
    refused(program(tmp_path, '#include "f.h"\n'), "ACC980")


@pytest.mark.parametrize(
    ("macro", "body"),
    [
        (f"WINDOW {LOOP}", " {\n        WINDOW\n            s += a[j];\n    }\n"),
        ("EACH(j) for (int j = i - 30; j <= i + 30; ++j)", " {\n        EACH(j) s += a[j];\n    }\n"),
        ("SAME(...) __VA_ARGS__", f" {{\n        SAME({LOOP} s += a[j];)\n    }}\n"),
    ],
)
def test_a_loop_of_a_macro_is_acc981(macro: str, body: str, tmp_path: Path) -> None:
    refused(program(tmp_path, f"#define {macro}\n" + function(HEAD + body)), "ACC981")


def test_what_cannot_be_written_is_acc982(tmp_path: Path) -> None:
    path = program(tmp_path, function(f"{HEAD} {{\n        {LOOP}\n            s += a[j];\n    }}\n"))
    path.chmod(0o444)
    refused(path, "ACC982")
    refused(path, "ACC982", "-o", tmp_path / "none" / "p.c")


def test_other_languages_and_missing_files_are_refused(tmp_path: Path) -> None:
    refused(program(tmp_path, "int a;\n", "p.cu"), "ACC102")
    refused(tmp_path / "missing.c", "ACC101")


def test_a_program_without_openacc_comes_back(tmp_path: Path) -> None:
    text = function(f"    {LOOP.replace('int j', 'int i = 0, j')}\n        b[j] = a[j];\n")
    assert applied(program(tmp_path, text)) == text


@pytest.mark.parametrize("words", [["--json"], ["--kernel", "f"], ["--args", "1"]])
def test_what_is_of_a_run_does_not_go_with_it(words: list[str], tmp_path: Path) -> None:
    assert apply(program(tmp_path, "int a;\n"), *words).exit_code == 2


def test_the_density_of_candidates_can_be_chosen(tmp_path: Path) -> None:
    path = bare("stencil", tmp_path)
    assert "cache(" in apply(path, "--density", "2.9").stdout
    assert "cache(" not in apply(path, "--density", "3").stdout
