"""Method private on OpenACC: right in every order, plain where it must be, refused in words."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest
from commands import accache
from families import some
from msgspec.structs import replace

from accache.base.options import Options
from accache.cpu.run import run as run_program
from accache.driver import Translation, translate
from accache.workflows.building import build_translation
from accache.workflows.execution import run

PROGRAMS = Path(__file__).parent / "programs"
SAMPLE = Path(__file__).parents[2] / "samples" / "records.c"
CHOICES = PROGRAMS / "choices.c"
PARTS = (PROGRAMS / "parts.c", PROGRAMS / "types.c")
LINES = Options(method="private", private_calls=6)
NVCC = ("nvcc", "-Werror", "all-warnings", "-cubin")

needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def expected(path: Path, folder: Path, *flags: str) -> str:
    """What a program prints as plain C."""
    program = folder / "plain"
    subprocess.run(["gcc", "-std=gnu11", "-w", *flags, path, "-o", program, "-lm"], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def kernels(path: Path, options: Options = LINES) -> str:
    """The kernels and launches emitted for a program."""
    return translate(str(path), options).device.partition("---- The kernels")[2]


def executed(translation: Translation, options: Options, seed: int, check: bool = True) -> tuple[str, ...]:
    """The codes of what a run of a translation finds."""
    return tuple(found.code for found in run(translation, options, (), target="cpu", check=check, seed=seed).findings)


def is_right(path: Path, options: Options, seeds: Iterable[int], folder: Path) -> None:
    """Assert that a program, built once, prints what plain C does in the order of each seed, and finds nothing."""
    program = build_translation(translate(str(path), options), options, folder, check=True).program
    plain = expected(path, folder)
    for seed in seeds:
        done = run_program(program, seed=seed, timeout=120)
        assert (done.stdout, done.findings) == (plain, ())


@needs_compiler
@pytest.mark.parametrize("line", ["16", "32"])
def test_parts_of_elements_are_served(line: str, tmp_path: Path) -> None:
    path, options = PROGRAMS / "parts.c", replace(LINES, private_line=line)
    text = kernels(path, options)
    assert "cache.write<2, unsigned char>(&p[i].g, cache.read<2>(&p[i].g) + x.weight);" in text
    assert f"accache_private::cache<4, {line}, true, 6> cache(" in text
    is_right(path, options, range(3), tmp_path)


MIXED = """#include <stdio.h>
#include <stdlib.h>
enum { threads = 512, m = 37, n = threads*m };
int main(void)
{
    char *restrict a = malloc(n);
    int *restrict b = malloc(4*n), *restrict c = malloc(4*n), *restrict out = malloc(4*n);
    for (int i = 0; i < n; ++i) { a[i] = i % 100; b[i] = 7*i; c[i] = i % 13; out[i] = i; }
#pragma acc parallel loop copyin(a[0:n], b[0:n], c[0:n]) copy(out[0:n])
    for (int t = 0; t < threads; ++t) {
#pragma acc loop seq
#pragma acc cache(a, b, c, out)
        for (int i = t*m; i < (t + 1)*m; ++i)
            out[i] += 3*a[i] + b[i] - c[i];
    }
    unsigned sum = 0;
    for (int i = 0; i < n; ++i)
        sum = 31*sum + out[i];
    printf("%u\\n", sum);
    return 0;
}
"""


@needs_compiler
@pytest.mark.parametrize(
    ("line", "cache"), some([("auto", "16, true, 0, 0x2"), ("mixed", "16, true, 0, 0x2"), ("16", "16, true, 0")], 2)
)
def test_written_arrays_have_sectors_where_there_is_room(line: str, cache: str, tmp_path: Path) -> None:
    source, options = tmp_path / "mixed.c", Options(method="private", private_line=line)
    source.write_text(MIXED)
    text = kernels(source, options)
    assert f"accache_private::cache<4, {cache}> cache(" in text
    assert f"lines_per_thread(main_L9_kernel, 256, {5 if '0x' in cache else 4}, 16)" in text
    is_right(source, options, range(2), tmp_path)


@needs_compiler
def test_lines_that_are_monitored_have_one_size() -> None:
    text = kernels(SAMPLE, replace(LINES, private_line="mixed"))
    assert "accache_private::cache<3, 16, true, 6> cache(" in text


@needs_compiler
@pytest.mark.parametrize(
    ("line", "calls", "longest"),
    [("32", 5, 4), *(pytest.param(*case, 67, marks=pytest.mark.private) for case in product(("16", "32"), (0, 5)))],
)
def test_ends_that_no_line_is_aligned_to(line: str, calls: int, longest: int) -> None:
    options = ("--method", "private", "--private-line", line, "--private-calls", calls, f"-DLONGEST={longest}")
    done = accache("run", "--check", "-q", *options, PROGRAMS / "ends.c")
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr


@needs_compiler
def test_all_kinds_of_elements_are_served(tmp_path: Path) -> None:
    path = PROGRAMS / "types.c"
    assert "cache.write<2, accache_complex<double>>(&z[i], " in kernels(path)
    is_right(path, LINES, (2,), tmp_path)


@needs_compiler
def test_the_sample_is_right_in_every_order(tmp_path: Path) -> None:
    is_right(SAMPLE, Options(method="private"), range(5), tmp_path)


SLICES = replace(LINES, split_slices=True)


@needs_compiler
@pytest.mark.parametrize("path", some([*PARTS, SAMPLE], 2))
def test_loops_in_two_copies_are_right(path: Path, tmp_path: Path) -> None:
    text = kernels(path, SLICES)
    assert text.count("if (cache.is_decided()) break;") == text.count("cache.end_monitoring();") > 0
    is_right(path, SLICES, range(2), tmp_path)


@pytest.mark.parametrize(
    ("loop", "is_split"),
    [
        ("\n#pragma acc loop seq\nfor (int i = t*m; i < t*m + m; ++i) { if (a[i] < 0) continue; b[i] = a[i]; }", True),
        ("int i = t*m; while (i < (t + 1)*m) { b[i] = a[i]; ++i; }", True),
        ("int i = t*m; while (i++ < (t + 1)*m - 1) b[i] = a[i];", False),
        ("int i = t*m; do b[i] = a[i]; while (++i < (t + 1)*m);", False),
        ("for (int i = t*m; i < (t + 1)*m; ++i) { if (a[i] < 0) break; b[i] = a[i]; }", False),
    ],
)
def test_only_loops_that_can_go_on_in_a_second_copy_have_one(loop: str, is_split: bool, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    body = f"\n#pragma acc cache(a, b)\n{{ {loop} }}"
    parts = {
        "PARAMETERS": "int *restrict a, int *restrict b",
        "DATA": "copy(a[0:threads*m], b[0:threads*m])",
        "BODY": body,
    }
    text = PROGRAM
    for name, part in parts.items():
        text = text.replace(name, part)
    source.write_text(text)
    found = kernels(source, SLICES)
    assert ("cache.end_monitoring();" in found) == is_split
    assert ("cache.loop_head();" in found) != is_split


@needs_compiler
def test_a_race_of_the_program_is_found() -> None:
    assert "ACC701" in executed(translate(str(PROGRAMS / "race.c"), LINES), LINES, 0)


@needs_compiler
@pytest.mark.parametrize(("room", "launched"), [("100", ["", "_uncached"]), ("50000", ["_uncached", "_uncached"])])
def test_a_launch_without_room_or_with_overlap_takes_the_plain_kernel(
    room: str,
    launched: list[str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ACCACHE_NOTIFY", "1")
    path, options = PROGRAMS / "full.c", replace(LINES, preprocessor=(f"-DROOM={room}",))
    assert "if (accache_disjoint(a, {b}) && lines > 0) {" in kernels(path, options).replace("(b, {a})", "(a, {b})")
    assert executed(translate(str(path), options), options, 1) == ()
    printed = capfd.readouterr()
    assert printed.out == expected(path, tmp_path, f"-DROOM={room}")
    launches = [line.split()[2] for line in printed.err.splitlines() if line.startswith("accache: launch ")]
    assert [name.partition("_kernel")[2] for name in launches] == launched


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize(
    "arch", ["sm_90", *(pytest.param(arch, marks=pytest.mark.private) for arch in ("sm_75", "sm_80"))]
)
@pytest.mark.parametrize("path", [SAMPLE, *(pytest.param(path, marks=pytest.mark.private) for path in PARTS)])
def test_nvcc_takes_it_without_a_warning(path: Path, arch: str, tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text(translate(str(path), Options(method="private", arch=arch)).device)
    command = [*NVCC, f"-arch={arch}", "-Xptxas", "-v", source, "-o", tmp_path / "out.o"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    spills = [line for line in told.splitlines() if "spill" in line]
    assert spills
    assert path != SAMPLE or all("0 bytes spill stores" in line for line in spills)


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize(
    "arch", ["sm_90", *(pytest.param(arch, marks=pytest.mark.private) for arch in ("sm_75", "sm_80"))]
)
def test_kernels_note_choices_only_where_they_are_asked_to(arch: str, tmp_path: Path) -> None:
    source, target = tmp_path / "a.cu", tmp_path / "a.ptx"
    source.write_text(translate(str(CHOICES), Options(method="private", arch=arch)).device)
    texts = []
    for flags in ((), ("-DACCACHE_PRIVATE_NOTIFY",)):
        command = ["nvcc", "-Werror", "all-warnings", f"-arch={arch}", *flags, "-ptx", source, "-o", target]
        subprocess.run(command, check=True)
        texts.append(target.read_text())
    assert ["noted" in text for text in texts] == [False, True]
    assert ["atom.global" in text or "red.global" in text for text in texts] == [False, True]


@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_the_ptx_machine_agrees(tmp_path: Path) -> None:
    done = accache("run", "-q", "--ptx", "--method", "private", "--private-calls", 6, PROGRAMS / "bytes.c")
    assert (done.returncode, done.stdout) == (0, expected(PROGRAMS / "bytes.c", tmp_path)), done.stderr


LOOP = "for (int i = t*m; i < (t + 1)*m; ++i)"
SEQ = f"\n#pragma acc loop seq\n#pragma acc cache(a, b)\n{LOOP}"
REFUSED = {
    "volatile elements": ("volatile int *a, int *b", f"{SEQ} b[i] += a[i];", "its elements are volatile"),
    "volatile members": ("struct v *a, int *b", f"{SEQ} b[i] += a[i].x;", "members of its elements are volatile"),
    "atomics": ("int *a, int *b", f"{SEQ} {{\n#pragma acc atomic\na[i] += 1; b[i] = i; }}", "accesses it atomically"),
    "threads inside": (
        "int *a, int *b",
        f"\n#pragma acc cache(a, b)\nfor (int k = 0; k < 2; ++k)\n#pragma acc loop vector\n{LOOP} b[i] += a[i];",
        "threads work together in the region",
    ),
    "another view": ("int *a, int *b", f"{SEQ} b[i] += a[i] + ((char *)a)[i];", "uses it other than by its elements"),
    "moved pointer": ("int *a, int *b", f"{SEQ} {{ int *q = a; a = q + 1; b[i] = *a; }}", "moves the pointer"),
    "moved copy": ("int *a, int *b", f"int *p = a + t*m;{SEQ} b[i] += *p++;", "reaches it through another pointer"),
    "call": ("int *a, int *b", f"{SEQ} b[i] = a[i] + called(b);", "calls called, which may reach memory"),
    "no extent": (
        "int *a, int *b",
        f"{SEQ} b[i] += a[b[i] & 7];",
        "the size of what a deviceptr points to is not known",
    ),
    "large elements": ("struct large *a, int *b", f"{SEQ} b[i] += a[i].x;", "have 24 bytes, and the accessors take 16"),
    "bit-field": ("struct bits *a, int *b", f"{SEQ} a[i].x = b[i];", "writes a bit-field"),
    "array inside": ("struct two *a, int *b", f"{SEQ} a[i].x[1] = b[i];", "writes a bit-field or an array inside"),
    "no loop": ("int *a, int *b", "\n#pragma acc cache(a, b)\nb[t] = a[t];", "no sequential loop stands in the region"),
    "second directive": ("int *a, int *b", f"{SEQ} b[i] += a[i];{SEQ} b[i] -= a[i];", "has the threads' lines"),
    "nested directives": (
        "int *a, int *b",
        f"\n#pragma acc cache(b)\nfor (int k = 0; k < 2; ++k) {{ b[t] = k;{SEQ.replace(', b', '')} b[i] += a[i]; }}",
        "has the threads' lines",
    ),
    "left early": (
        "int *a, int *b",
        f"for (int k = 0; k < 3; ++k) {{ int s = k;\n#pragma acc cache(a, b)\n"
        f"{{ {LOOP} s += a[i]; if (s > 9) break; b[t] = s; }} }}",
        "leaves the region, past the flush",
    ),
    "another pointer": (
        "int *a, int *b",
        f"int *p = b; p += t;{SEQ} *p += a[i] + b[i];",
        "may reach its elements through another pointer",
    ),
}
PROGRAM = """
struct v { volatile int x; }; struct large { double x, y, z; }; struct bits { int x : 5; }; struct two { int x[2]; };
#pragma acc routine seq
int called(const int *p) { return p[1]; }
void f(PARAMETERS, int threads, int m)
{
#pragma acc parallel loop gang DATA
    for (int t = 0; t < threads; ++t) {
        BODY
    }
}
"""


@pytest.mark.parametrize("case", REFUSED)
def test_what_lines_cannot_serve_is_told(case: str, tmp_path: Path) -> None:
    parameters, body, reason = REFUSED[case]
    data = "deviceptr(a) copy(b[0:threads*m])" if case == "no extent" else "copy(a[0:threads*m], b[0:threads*m])"
    source = tmp_path / "a.c"
    text = PROGRAM.replace("PARAMETERS", parameters).replace("DATA", data).replace("BODY", body)
    source.write_text(text if case == "threads inside" else text.replace("loop gang", "loop gang vector"))
    found = translate(str(source), LINES).diagnostics
    assert any(reason in item.message for item in found), [item.message for item in found]
    assert {item.code for item in found} & {"ACC402", "ACC408", "ACC418"}


def test_pointers_of_the_construct_are_taken_for_their_arrays(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    loop = f"int *p = a + t*m, *q = b + 3;\n#pragma acc cache(p, q)\n{LOOP} q[i - 3] += p[i - t*m];"
    parts = {"PARAMETERS": "int *restrict a, int *restrict b", "DATA": "copy(a[0:threads*m], b[0:threads*m])"}
    text = PROGRAM.replace("BODY", loop).replace("loop gang", "loop gang vector")
    for name, part in parts.items():
        text = text.replace(name, part)
    source.write_text(text)
    found = translate(str(source), LINES)
    assert [item.code for item in found.diagnostics] == []
    assert re.search(r"cache\.write<0, int>\(&b\[.*cache\.read<1>\(&a\[", found.device)


def test_a_routine_does_not_know_where_lines_would_end(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "#pragma acc routine seq\nvoid f(int *a, int m)\n{\n#pragma acc cache(a)\n"
        "    for (int i = 0; i < m; ++i)\n        a[i] += i;\n}\n"
    )
    (found,) = translate(str(source), LINES).diagnostics
    assert "a routine does not know where the array ends" in found.message


def test_what_is_written_through_has_no_lines(tmp_path: Path) -> None:
    options = replace(LINES, write="through")
    found = translate(str(SAMPLE), options).diagnostics
    assert [item.message.partition(": ")[2] for item in found] == ["it is written, and lines are written back"]


def test_a_directive_at_the_top_of_the_loop_is_for_the_loop(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    text = SAMPLE.read_text()
    cache = "#pragma acc cache(a, b, out)\n"
    loop = "        for (int i = t * records; i < (t + 1) * records; ++i)\n"
    statement = "            out[i] = a[i] * 3 + b[i];\n"
    assert text.count(cache + loop + statement) == 1
    source.write_text(text.replace(cache + loop + statement, f"{loop[:-1]} {{\n{cache}{statement}        }}\n"))
    rounds = (
        "cache.loop_head();\n            cache.write<2, int>(&out[i], cache.read<0>(&a[i])*3 + cache.read<1>(&b[i]));"
    )
    for path in (SAMPLE, source):
        text = kernels(path)
        assert text.count(rounds) == 1
        assert (
            text.index("cache.bind<2>")
            < text.index("for (int i = t")
            < text.index(rounds)
            < text.index("cache.flush()")
        )


def test_lines_are_sectors_where_they_find_room(tmp_path: Path) -> None:
    assert "cache<3, 32, true, 6>" in kernels(SAMPLE)
    assert "cache<4, 16, true, 6>" in kernels(PROGRAMS / "parts.c")
    assert "cache<3, 16, true, 6>" in kernels(SAMPLE, replace(LINES, arch="sm_80"))


LEFT_OUT = """
void f(float *restrict a, const float *restrict b, const int *restrict ix, int n, int m)
{
#pragma acc parallel loop copy(a[0:n*m]) copyin(b[0:n*m], ix[0:n*m])
    for (int t = 0; t < n; ++t) {
        LOCALS
#pragma acc loop seq
#pragma acc cache(ARRAYS)
        for (int i = 0; i < m; ++i)
            BODY
    }
}
"""


@pytest.mark.parametrize(
    ("body", "arrays", "reasons"),
    [
        ("a[i*n + t] += b[i*n + t];", "a, b", ["no array of the directive is known to hold records of each"] * 2),
        ("a[t*m + i] = b[ix[t*m + i]];", "a, ix", []),
        ("a[t*m + i] += b[ix[t*m + i]];", "b, ix", ["do not pay: L1 holds what the 2048 threads"] * 2),
        ("{ row[i] += b[t*m + i]; a[t*m + i] *= 2; }", "a", ["it can have no line of each thread's own: line 10 may"]),
        ("{ row[i] += b[t*m + i]; a[t*m + i] *= 2; }", "b, a", ["'a' beside it can have no line", "it can have no"]),
    ],
)
def test_auto_says_why_whole_arrays_have_no_lines(body: str, arrays: str, reasons: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    local = "float *row = a; row += t*m;" if "row" in body else ""
    path.write_text(LEFT_OUT.replace("BODY", body).replace("ARRAYS", arrays).replace("LOCALS", local))
    told = [found.message for found in translate(str(path), Options()).diagnostics if found.code == "ACC415"]
    assert len(told) == len(reasons)
    for message, reason in zip(told, reasons, strict=True):
        assert "a pointer without a subarray has no known length; " in message
        assert reason in message


def test_a_restrict_pointer_is_not_to_become_one(tmp_path: Path) -> None:
    for declared, hint in (("restrict ", "write a[...] there"), ("", "declare it with restrict if")):
        path = tmp_path / "a.c"
        text = LEFT_OUT.replace("BODY", "{ row[i] += b[t*m + i]; a[t*m + i] *= 2; }").replace("ARRAYS", "a")
        text = text.replace("float *restrict a", f"float *{declared}a")
        path.write_text(text.replace("LOCALS", "float *row = a; row += t*m;"))
        (found,) = (each for each in translate(str(path), LINES).diagnostics if each.code == "ACC402")
        assert found.hint.startswith(hint)


@needs_compiler
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            Options(method="private", private_calls=40),
            "room for 3 of 3, of 32 bytes a thread; blocks choose after 40 ac",
        ),
        (Options(method="private"), "room for 3 of 3, of 32 bytes a thread\n"),
        (Options(), "none, L1 holds what the threads are at, or has no room for lines\n"),
    ],
)
def test_launches_tell_what_they_decide(
    options: Options, told: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for level in ("0", "1"):
        monkeypatch.setenv("ACCACHE_NOTIFY", level)
        execution = run(translate(str(SAMPLE), options), options, (), target="cpu", check=False, seed=0)
        assert execution.status == 0
        errors = capfd.readouterr().err
        assert (f"accache: lines transform_L14_kernel: {told}" in errors) == (level == "1"), errors


# Three blocks gain of both lines, and one each of one, of none, and too late.
@needs_compiler
@pytest.mark.parametrize("how", [(), ("--check", "--seed", "2"), ("--ptx",), ("--ptx", "-DACCACHE_PRIVATE_NOTIFY")])
def test_what_blocks_choose_is_told(how: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "--ptx" in how and not shutil.which("nvcc"):
        pytest.skip("needs nvcc")
    monkeypatch.setenv("ACCACHE_NOTIFY", "1")
    done = accache("run", "-q", *how, "--method", "private", "--private-calls", 20, CHOICES)
    assert (done.returncode, done.stdout) == (0, expected(CHOICES, tmp_path)), done.stderr
    room, chosen = (line for line in done.stderr.splitlines() if "accache: lines main" in line)
    assert room.endswith("_kernel: room for 2 of 2, of 32 bytes a thread; blocks choose after 20 accesses")
    assert chosen.endswith("_kernel: of 6 blocks 3 chose a, b; 1 chose none; 1 chose a; 1 ended before that")


@needs_compiler
def test_what_blocks_choose_is_told_of_queues(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    text = CHOICES.read_text().replace("vector_length(width)", "vector_length(width) async(3)")
    source.write_text(text.replace("    unsigned sum", "#pragma acc wait\n    unsigned sum"))
    options = Options(method="private", private_calls=20)
    text = kernels(source, options)
    assert "accache_private::note_choices(stream);\n" in text
    assert 'accache_private::tell_choices("main_L20_kernel", {"a", "b"}, grid, stream);\n' in text
    assert "accache_private::note_choices" not in kernels(SAMPLE, Options(method="private"))


NOTED = """#!/bin/sh
echo "$@" >> {log}
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n' > "$2"
chmod +x "$2"
"""


@pytest.mark.parametrize(("level", "is_noted"), [("1", True), ("2", True), ("0", False), ("summary", False)])
@pytest.mark.parametrize("path", [CHOICES, PROGRAMS / "notes.cu"])
def test_a_run_on_a_gpu_has_kernels_note_choices(
    path: Path, level: str, is_noted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, script = tmp_path / "called", tmp_path / "bin" / "nvcc"
    script.parent.mkdir()
    script.write_text(NOTED.format(log=log))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent), prepend=":")
    monkeypatch.setenv("ACCACHE_NOTIFY", level)
    done = accache("run", "-q", "--target", "cuda", "--method", "private", path)
    assert done.returncode == 0, done.stderr
    assert ("-DACCACHE_PRIVATE_NOTIFY" in log.read_text().split()) == is_noted


# On the CPU, too, a multiprocessor has no more than 32 blocks, however small they are.
@needs_compiler
def test_small_blocks_have_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "a.c"
    text = CHOICES.read_text()
    assert text.count("parallel loop vector_length(width)") == 1
    source.write_text(text.replace("parallel loop vector_length(width)", "parallel loop gang vector_length(1)"))
    monkeypatch.setenv("ACCACHE_NOTIFY", "1")
    done = accache("run", "-q", "--method", "private", source)
    assert (done.returncode, done.stdout) == (0, expected(source, tmp_path)), done.stderr
    assert "block=(1,1,1)" in done.stderr
    assert "_kernel: room for 2 of 2, of 32 bytes a thread" in done.stderr


BESIDE_STATIC = """
void f(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop gang copyin(a[0:n*64]) copy(b[0:n])
    for (int i = 0; i < n; i += 64) {
        float own[64];
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            own[j] = b[i + j];
#pragma acc loop vector
        for (int j = 0; j < 64; ++j) {
#pragma acc cache(a)
            float sum = own[63 - j];
            for (int k = 0; k < 64; ++k)
                sum += a[(i + j) * 64 + k];
            b[i + j] = sum;
        }
    }
}
"""


def test_lines_beside_static_arrays_are_asked_for(tmp_path: Path) -> None:
    """Together they may be more than a launch gets that does not ask."""
    source = tmp_path / "a.c"
    source.write_text(BESIDE_STATIC)
    text = kernels(source)
    assert "__shared__ float own[64]" in text
    assert "accache_allow_shared((const void *)f_L4_kernel, 4 * accache_private::words_needed(" in text
