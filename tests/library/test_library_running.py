"""run as a function: output, status, findings and counts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import accache
from accache.cli.main import main

ROOT = Path(__file__).parents[2]
MAIN = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int a[64] = {0}, sum = 0, n = argc > 1 ? atoi(argv[1]) : 64, read = 0;
#pragma acc parallel loop copy(a[0:64])
    for (int i = 0; i < n; ++i)
        a[INDEX] += i;
    for (int i = 0; i < 64; ++i)
        sum += a[i];
    if (scanf("%d", &read) == 1)
        fprintf(stderr, "read %d\\n", read);
    printf("sum %d\\n", sum);
    return argc > 2 ? atoi(argv[2]) : 0;
}
"""
RIGHT = MAIN.replace("INDEX", "i")
RACE = MAIN.replace("INDEX", "0")


def test_a_program_that_is_right(capfd: pytest.CaptureFixture[str]) -> None:
    found = accache.run(RIGHT, stdin="17")
    assert (found.status, found.stdout, found.stderr, found.passed) == (0, "sum 2016\n", "read 17\n", True)
    assert found.findings == ()
    (counts,) = found.counts
    assert (counts.launches, counts.total.global_loads, counts.total.global_stores) == (1, 64, 64)
    assert str(found) == "<text>: status 0, launches: 1, findings: 0"
    assert capfd.readouterr() == ("", "")


def test_arguments_and_status() -> None:
    found = accache.run(RIGHT, ["4", "9"])
    assert (found.status, found.stdout, found.passed) == (9, "sum 6\n", False)


def test_a_race_is_found_at_its_line() -> None:
    found = accache.run(RACE)
    assert not found.passed
    assert found.findings
    first = found.findings[0]
    assert (first.kind, first.array, first.element) == ("race", "a", 0)
    assert first.party.location == accache.Location("<text>", 9)
    assert first.other is not None
    assert "ACC701" in {each.code for each in found.diagnostics}
    assert "        a[0] += i;\n" in accache.render(found.diagnostics, sources=[found.source])
    assert str(first) in str(found)


def bare(findings: Sequence[accache.Finding]) -> list[str]:
    """What was found, without how often."""
    return [re.sub(r" \(\d+ times\)$", "", str(each)) for each in findings]


def test_the_threads_of_a_finding_show_it_again() -> None:
    first = accache.run(RACE, seed=5, stdin="17")
    assert [each.repeat for each in first.findings] == [
        f"--seed 5 --threads {each.repeat.split()[-1]}" for each in first.findings
    ]
    hints = [each.hint for each in first.diagnostics if each.code == "ACC701"]
    assert hints == [f"again: seed=5, threads='{each.repeat.split()[-1]}'" for each in first.findings]
    found = accache.run(RACE, seed=5, threads=first.findings[0].repeat.split()[-1])
    assert bare(first.findings)[0] in bare(found.findings)
    assert "ACC705" in {each.code for each in found.diagnostics}


def test_a_file_has_the_hint_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("race.c").write_text(RACE)
    found = accache.run("race.c", ["9", "2"], seed=3, method="rbi")
    words = ("run", "--seed", "3", "--check", "--method", "rbi", "race.c", "--", "9", "2")
    told = CliRunner().invoke(main, words).stderr
    hints = [each.hint for each in found.diagnostics if each.code == "ACC701"]
    assert hints
    assert "--threads" in hints[0]
    assert re.findall(r"= hint: (again: .*)", told) == hints


OUTSIDE = """
#include <stdio.h>
TYPE a[COUNT], b[COUNT];
int main(void)
{
#pragma acc parallel loop copyin(a[0:COUNT-1]) copyout(b)
    for (int i = 0; i < COUNT; ++i)
        b[i] = b != NULL ? a[i] : 0; // of what a condition decides on, a launch knows nothing
    puts("went on");
}
"""


@pytest.mark.parametrize(("type_", "count"), [("float", 1000), ("char", 50), ("double", 2), ("short", 4098)])
def test_a_run_without_check_ends_behind_what_was_copied(type_: str, count: int) -> None:
    found = accache.run(OUTSIDE, check=False, preprocessor=[f"-DTYPE={type_}", f"-DCOUNT={count}"])
    assert (found.status, found.stdout) == (-11, "")


READS = """
#include <stdio.h>
int main(void)
{
    int a[64] = {0}, at = 9;
    if (scanf("%d", &at) != 1)
        return 1;
#pragma acc parallel loop copy(a[0:64])
    for (int i = 0; i < 64; ++i)
        a[at] += i;
}
"""


def test_the_second_run_reads_the_same_input() -> None:
    (first, *_) = accache.run(READS, stdin="7").findings
    assert first.element == 7
    assert "--threads" in first.repeat


@pytest.mark.parametrize(("once", "compare"), [(True, False), (False, True)])
def test_the_seed_alone_is_told_where_the_program_does_not_run_again(once: bool, compare: bool) -> None:
    found = accache.run(RACE, seed=4, once=once, compare=compare)
    assert {each.repeat for each in found.findings} == {""}
    assert {each.hint for each in found.diagnostics if each.code == "ACC701"} == {"again: seed=4"}


def test_without_checks_nothing_is_found_or_counted() -> None:
    found = accache.run(RACE, check=False)
    assert (found.findings, found.counts, found.status) == ((), (), 0)


def test_a_signal_is_a_negative_status() -> None:
    found = accache.run("#include <stdlib.h>\nint main(void) { abort(); }\n")
    assert found.status == -6
    assert str(found) == "<text>: signal 6, findings: 0"


def test_a_program_that_does_not_end() -> None:
    with pytest.raises(TimeoutError, match=r"longer than 0\.2 seconds"):
        accache.run("int main(void) { for (;;) ; }\n", timeout=0.2)


def test_cuda_runs_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(
        "#include <cstdio>\n__global__ void k(int *p) { p[threadIdx.x] = 3; }\n"
        'int main() { int *p, h[4]; cudaMalloc(&p, 12); k<<<1, 4>>>(p); puts("done"); cudaFree(p); }\n'
    )
    found = accache.run(path)
    assert found.stdout == "done\n"
    assert [(each.kind, each.party.location) for each in found.findings] == [
        ("out-of-bounds", accache.Location(str(path), 2))
    ]


def test_a_sample_does_what_it_does_on_the_command_line() -> None:
    found = accache.run(ROOT / "samples" / "stencil.c")
    assert found.passed
    assert "checksum 9bde43bf19548aff" in found.stdout


def test_a_run_is_json() -> None:
    record = accache.run(RACE).to_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["findings"][0]["party"]["location"]["line"] == 9


def test_what_cannot_be_compiled_is_a_compile_error() -> None:
    with pytest.raises(accache.CompileError):
        accache.run("int main(void) { return nothing; }\n")
    with pytest.raises(accache.CompileError, match="ACC101"):
        accache.run("nowhere.cu")


@pytest.mark.parametrize(
    ("values", "option"),
    [
        ({"arguments": "4"}, "arguments"),
        ({"arguments": [4]}, "arguments"),
        ({"arguments": ["\0"]}, "arguments"),
        ({"seed": -1}, "seed"),
        ({"seed": "0"}, "seed"),
        ({"check": "no"}, "check"),
        ({"once": 1}, "once"),
        ({"threads": 3}, "threads"),
        ({"threads": "0:1:"}, "threads"),
        ({"threads": "0:1", "check": False}, "threads"),
        ({"threads": "0:1", "compare": True}, "threads"),
        ({"stdin": 3}, "stdin"),
        ({"timeout": "3"}, "timeout"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("inf")}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"arguments": ["\ud800"]}, "arguments"),
        ({"line": True}, "line"),
        ({"libraries": ["-o"]}, "libraries"),
        ({"method": "lru"}, "method"),
    ],
)
def test_wrong_options_are_refused(values: dict[str, object], option: str) -> None:
    with pytest.raises(accache.OptionError) as caught:
        accache.run(RIGHT, **values)  # type: ignore[arg-type]
    assert caught.value.option == option


def test_libraries_are_linked() -> None:
    program = '#include <omp.h>\n#include <stdio.h>\nint main(void) { printf("%d", omp_get_max_threads() > 0); }\n'
    assert accache.run(program, libraries=["-fopenmp"]).stdout == "1"
