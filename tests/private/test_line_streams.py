"""What the references of a loop tell of lines before it runs: their order, no monitoring, what auto does."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from accache.base.architectures import ARCHITECTURES, architecture
from accache.base.options import Options
from accache.base.resources import headers
from accache.cpu.build import Program
from accache.cpu.run import run as run_program
from accache.driver import Translation, translate
from accache.workflows.building import build_translation
from accache.workflows.execution import run

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
typedef struct { double x, y; } pair;
static void f(const TYPE *restrict a, const int *restrict b, int *restrict out, int threads, int m)
{
#pragma acc parallel loop copyin(a[0:threads*m], b[0:threads*m]) copy(out[0:threads*m])
    for (int t = 0; t < threads; ++t) {
#pragma acc loop seq
#pragma acc cache(a, b, out)
        LOOP
    }
}
int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 300, m = 16, n = threads * m;
    TYPE *a = calloc(n, sizeof *a);
    int *b = malloc(n * sizeof *b), *out = malloc(n * sizeof *out), sum = 0;
    for (int i = 0; i < n; ++i)
        b[i] = i * 7 % 31, out[i] = i;
    f(a, b, out, threads, m);
    for (int i = 0; i < n; ++i)
        sum = sum * 3 + out[i];
    printf("%d\\n", sum);
    return 0;
}
"""
OWN = "for (int i = t*m; i < (t + 1)*m; ++i) out[i] = "


def translated(folder: Path, loop: str, element: str = "char", options: Options | None = None) -> Translation:
    """The program with a loop, and elements of the array ``a`` of a type."""
    source = folder / "a.c"
    source.write_text(PROGRAM.replace("TYPE", element).replace("LOOP", loop))
    return translate(str(source), options or Options(method="private"))


def numbers(translation: Translation) -> dict[str, int]:
    """The number of each array among those with lines, from the calls that bind them."""
    found = re.findall(r"cache\.bind<(\d+)>\((\w+) \+", translation.device)
    return {name: int(number) for number, name in found}


@pytest.mark.parametrize(
    ("element", "loop", "calls", "order"),
    [
        ("char", OWN + "a[i] + b[i];", "0", ["a", "b", "out"]),
        ("int", OWN + "a[i] + b[i]*b[i];", "0", ["b", "a", "out"]),
        ("char", OWN + "a[i] + b[i] + out[i - i % 2];", "300", ["a", "b", "out"]),
        ("char", OWN + "a[i] + b[i] + b[i ^ 1];", "300", ["a", "out", "b"]),
        ("int", "for (int i = t; i < m*threads; i += threads) out[i] = a[i] + b[i];", "300", ["a", "b", "out"]),
        ("char", OWN + "a[i] + (i % 2 ? b[i] : 0);", "300", ["a", "out", "b"]),
        ("char", OWN + "a[i] + b[i] + b[t*m + (i + 8) % m];", "300", ["a", "out", "b"]),
    ],
)
def test_arrays_whose_gain_is_known_come_first(
    element: str, loop: str, calls: str, order: list[str], tmp_path: Path
) -> None:
    translation = translated(tmp_path, loop, element)
    found = numbers(translation)
    assert sorted(found, key=found.__getitem__) == order
    kind = re.search(r"accache_private::cache<3, 32, true(?:, (\d+))?> cache\(", translation.device)
    assert kind is not None
    assert (kind[1] or "300") == calls


def test_who_asks_for_monitoring_gets_it(tmp_path: Path) -> None:
    text = translated(tmp_path, OWN + "a[i] + b[i];", options=Options(method="private", private_calls=5)).device
    assert "accache_private::cache<3, 32, true, 5> cache(" in text


def test_a_line_that_nothing_hits_is_refused(tmp_path: Path) -> None:
    options = Options(method="private", private_line="16")
    translation = translated(tmp_path, OWN + "a[i].x + b[i];", "pair", options)
    told = [item.message for item in translation.diagnostics]
    assert any("are each to another line" in message for message in told), told
    assert set(numbers(translation)) == {"b", "out"}
    both = translated(tmp_path, OWN + "a[i].x + a[i].y + b[i];", "pair", options)
    assert set(numbers(both)) == {"a", "b", "out"}


@pytest.mark.parametrize(
    ("loop", "taken"),
    [
        (OWN + "a[i] + b[i];", True),
        ("for (int i = t; i < threads*m; i += threads) out[i] = a[i] + b[i];", False),
        ("for (int i = 4*t; i < 4*t + 4; ++i) out[i] = a[i] + b[i];", False),
        ("for (int i = 128*t; i < 128*t + 4; ++i) out[i] = a[i] + b[i];", True),
        ("for (int i = 0; i < m; ++i) out[t*m] += a[i] + b[i];", False),
    ],
)
def test_auto_takes_lines_for_records_of_each_threads_own(loop: str, taken: bool, tmp_path: Path) -> None:
    translation = translated(tmp_path, loop, options=Options())
    assert bool(numbers(translation)) == taken
    assert (
        "accache_private::lines_that_pay(f_L7_kernel, f_L7_kernel_uncached, 3, grid, 256, 3, 32)" in translation.device
    ) == taken


def test_auto_leaves_lines_out_where_all_records_fit_into_l1(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    text = PROGRAM.replace("TYPE", "char").replace("LOOP", OWN + "a[i] + b[i];")
    source.write_text(text.replace("cache(a, b, out)", "cache(a)"))
    assert not numbers(translate(str(source), Options(arch="sm_110")))  # 1536 threads are in 192 KB of lines of 256
    assert numbers(translate(str(source), Options()))  # 2048 threads fill it to the last line


@pytest.fixture(scope="module")
def of_two_arrays(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program, whose cache directive names two of its arrays."""
    folder = tmp_path_factory.mktemp("two")
    source = folder / "a.c"
    text = PROGRAM.replace("TYPE", "char").replace("LOOP", OWN + "a[i] + b[i];")
    source.write_text(text.replace("cache(a, b, out)", "cache(a, b)"))
    return build_translation(translate(str(source), Options()), Options(), folder).program


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize(
    ("device", "threads", "has_lines"),
    [
        ("1 233472 1024", 768, False),
        ("1 233472 1024", 1024, True),  # two arrays of 1024 threads fill the 256 KB of sm_90
        ("2 233472 1024", 1024, False),
        ("2 233472 1024", 1792, True),  # the first of two multiprocessors has four blocks of seven
        ("1 65536 0", 256, False),
        ("1 131072 0", 512, False),
        ("1 131072 0", 768, True),  # 160 KB, of which shared memory may have 128
        ("1 98304 0", 256, False),
        ("1 98304 0", 512, False),  # sm_70: 128 KB, exactly, and there is no room for a line of each array
        ("1 98304 0", 768, True),
    ],
)
def test_launches_take_lines_from_the_same_number_of_threads_on(
    device: str, threads: int, has_lines: bool, of_two_arrays: Program
) -> None:
    environment = {"ACCACHE_NOTIFY": "1", "ACCACHE_CPU_DEVICE": device}
    done = run_program(of_two_arrays, (str(threads),), seed=0, environment=environment, timeout=120)
    assert done.returncode == 0
    assert ("f_L7_kernel grid" in done.stderr) == has_lines


def test_the_header_knows_l1_of_each_architecture() -> None:
    """``lines_that_pay`` takes it for what shared memory cannot have and what it can."""
    assert (
        "const long long l1 = per_sm + (reserve ? 28 : 32) * 1024;" in (headers() / "accache_private.cuh").read_text()
    )
    for target in ARCHITECTURES:
        assert target.unified == target.shared_per_sm + (28 if target.reserved_per_block else 32) * 1024, target.name


def test_lines_pay_from_where_streams_fill_l1() -> None:
    h100 = architecture("sm_90")
    assert [h100.threads_that_fill_l1(streams, 32) for streams in (1, 2, 3)] == [2048, 1024, 683]
    assert [h100.threads_that_fill_l1(streams, 16) for streams in (3, 4, 8)] == [683, 513, 257]
    assert [architecture(name).threads_that_fill_l1(1, 32) for name in ("sm_75", "sm_80")] == [768, 1536]


@pytest.mark.parametrize(
    ("loop", "arch", "words"),
    [
        ("a[i] + b[i];", "sm_90", "pays where a multiprocessor holds 683 threads or more"),
        ("a[i] + b[i] + b[i ^ 1];", "sm_90", "pays where a multiprocessor holds 1025 threads or more"),
        ("a[i ^ 1];", "sm_110", "does not pay: L1 holds what the 1536 threads of a multiprocessor are at"),
        ("a[i ^ 1] + out[i ^ 2];", "sm_90", "whether it pays only the run tells"),
    ],
)
def test_explain_tells_from_how_many_threads_on_lines_pay(loop: str, arch: str, words: str, tmp_path: Path) -> None:
    translation = translated(tmp_path, OWN + loop, options=Options(method="private", arch=arch))
    assert words in str(translation.report)


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize(("threads", "version"), [("300", "_uncached"), ("200000", "")])
def test_a_launch_that_l1_serves_takes_the_plain_kernel(
    threads: str, version: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCACHE_NOTIFY", "1")
    translation = translated(tmp_path, OWN + "a[i] + b[i];", options=Options())
    assert run(translation, Options(), (threads,), target="cpu", check=False, seed=0).status == 0
    printed = capfd.readouterr()
    assert f"accache: launch f_L7_kernel{version} grid" in printed.err
    plain = translated(tmp_path, OWN + "a[i] + b[i];", options=Options(method="none"))
    run(plain, Options(), (threads,), target="cpu", check=False, seed=0)
    assert capfd.readouterr().out == printed.out
