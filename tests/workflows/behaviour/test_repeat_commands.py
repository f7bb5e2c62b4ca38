"""`accache run --check` tells of each finding the command that shows it again, and that command does."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from families import some

from accache.cli.main import main

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")

C = """\
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]), sum = 0, *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
#pragma acc data copyin(a[0:n]) copyout(b[0:n])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; i++)
            a[i] = SHIFT;
#pragma acc parallel loop
        for (int i = 0; i < n; i++)
            WORK;
    }
    return sum;
}
"""
CUDA = """\
#include <cstdlib>
__global__ void work(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) WORK;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]), *a, *b;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMemset(a, 0, n * sizeof *a);
    work<<<(n + 127) / 128, 128>>>(a, b, n);
    cudaDeviceSynchronize();
}
"""
FAULTS = {
    "race": "a[i] = a[(i + 1) % n] + 1",
    "out-of-bounds": "b[i + (i == 290) * 3000] = a[i]",
    "uninitialised": "a[i] = b[i] + 1",
}


def accache(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def commands(result: Result) -> list[list[str]]:
    """The commands that a run tells, as words without ``accache``."""
    return [shlex.split(line)[1:] for line in re.findall(r"= hint: again: (.*)", result.stderr)]


def messages(result: Result) -> list[str]:
    """What a run found, without how often."""
    found = re.findall(r"^\S+: error: (.*) \[ACC701\]$", result.stderr, re.MULTILINE)
    return [re.sub(r" \(\d+ times\)$", "", each) for each in found]


@pytest.fixture(params=["c", "cu"])
def source(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    name = f"prog.{request.param}"
    Path(name).write_text(C if request.param == "c" else CUDA)
    return name


@pytest.mark.parametrize("kind", some(FAULTS, 2))
def test_the_command_of_a_finding_shows_it_again(source: str, kind: str) -> None:
    options = ("-DSHIFT=i", f"-DWORK={FAULTS[kind]}")
    first = accache("run", "-q", "--check", "--seed=5", *options, source, "--", "300")
    told = messages(first)
    assert first.exit_code == 3
    assert told
    assert kind in told[0]
    again = commands(first)
    assert len(again) == len(told)
    for message, command in zip(told, again, strict=True):
        assert command[:3] == ["run", "--seed", "5"]
        assert (command[3] == "--threads") == (" in kernel work" in message or " in kernel main_L9_kernel" in message)
        result = accache(*command)
        assert result.exit_code == 3
        assert message in messages(result)
        assert commands(result) == [] or "--threads" not in command


def test_findings_of_the_host_have_the_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prog.c").write_text(C)
    work = "if (i) b[i] = a[i]"
    result = accache("run", "-q", "--check", "-DSHIFT=i", f"-DWORK={work}", "prog.c", "--", "300")
    assert [message.split()[0] for message in messages(result)] == ["unwritten"]
    words = ["run", "--seed", "0", "-q", "--check", "-DSHIFT=i", f"-DWORK={work}", "prog.c", "--", "300"]
    assert commands(result) == [words]
    again = accache(*words)
    assert messages(again) == messages(result)


def test_once_is_the_seed_alone(source: str) -> None:
    work = FAULTS["race"]
    result = accache("run", "-q", "--once", "--check", "-DSHIFT=i", f"-DWORK={work}", source, "--", "300")
    told = commands(result)
    assert told
    assert all("--threads" not in words and "--once" not in words for words in told)


def test_a_run_of_some_threads_says_so(source: str) -> None:
    options = ("--check", "--threads", "0:1:3", "-DSHIFT=i", "-DWORK=b[i] = 1")
    result = accache("run", *options, source, "--", "300")
    assert result.exit_code == 0
    assert "note: only the threads 0:1:3 ran, and the program ended behind their launch [ACC705]" in result.stderr
    told = json.loads(accache("run", "--diagnostics=json", *options, source, "--", "300").stderr)
    assert [found["code"] for found in told] == ["ACC705"]


def test_the_hint_stands_in_json_and_sarif(source: str) -> None:
    work = FAULTS["race"]
    options = ("--check", "-DSHIFT=i", f"-DWORK={work}")
    told = json.loads(accache("run", "--diagnostics=json", *options, source, "--", "300").stderr)
    hints = [found["hint"] for found in told if found["code"] == "ACC701"]
    assert hints
    assert hints[0].startswith("again: accache run --seed 0 --threads ")
    text = accache("run", "--diagnostics=sarif", *options, source, "--", "300").stderr
    messages = [found["message"]["text"] for found in json.loads(text)["runs"][0]["results"]]
    assert hints[0].replace("json", "sarif") in messages[-len(hints)]


@pytest.mark.parametrize("threads", ["0", "x:1", "0:1:", "0:1:2:3", "0:1,", "0:1.2.3.4", "0:-1"])
def test_what_names_no_threads_is_wrong_usage(threads: str) -> None:
    result = accache("run", "--check", "--threads", threads, "none.c")
    assert result.exit_code == 2
    assert "LAUNCH:BLOCK:THREAD" in result.stderr


@pytest.mark.parametrize("others", [(), ("--check", "--compare")])
def test_threads_are_for_the_checker_alone(others: tuple[str, ...]) -> None:
    result = accache("run", "--threads", "0:1", *others, "none.c")
    assert result.exit_code == 2
    assert "--threads" in result.stderr


READING = """\
#include <cstdio>
__global__ void k(int *a, int n) { if (threadIdx.x < 2) a[n - 300] = threadIdx.x; }
int main() {
    int n = 0, *a;
    if (scanf("%d", &n) != 1) return 9;
    cudaMalloc(&a, sizeof *a);
    k<<<1, 32>>>(a, n);
    FILE *times = fopen("times", "a");
    fputs("once\\n", times);
}
"""


@pytest.mark.parametrize(
    ("option", "is_file", "runs", "threads"),
    [("-q", True, 2, True), ("-q", False, 1, False), ("--once", True, 1, False)],
)
def test_the_second_run_reads_a_file_again(
    option: str, is_file: bool, runs: int, threads: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("read.cu").write_text(READING)
    Path("input").write_text("300\n")
    command = [sys.executable, "-m", "accache", "run", "--check", option, "read.cu"]
    with Path("input").open() as stream:
        how = {"stdin": stream} if is_file else {"input": "300\n"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    assert done.returncode == 3
    assert ("--threads 0:0:1,0:0:0" in done.stderr) is threads
    assert Path("times").read_text().splitlines() == ["once"] * runs
