"""The thread-private cache of accache_private.cuh against plain memory and a model of its lines."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import accache
from families import some

from accache.base.options import Options
from accache.base.resources import headers
from accache.workflows.execution import run_cuda

SEQUENCES = Path(__file__).parent / "sequences.cpp"
ON_DEVICE = Path(__file__).parent / "programs" / "sequences.cu"
NOTES = ON_DEVICE.with_name("notes.cu")
POINTERS = ON_DEVICE.with_name("pointers.cu")
DECIDED = Path(__file__).parent / "decisions.cpp"
SAMPLE = Path(__file__).parents[2] / "samples" / "cuda" / "records_private.cu"
HEADER = "accache_private.cuh"
FLAGS = ("-std=c++17", "-g", "-fno-strict-aliasing", "-Wall", "-Wextra", "-Werror", "-x", "c++")

# Each replaces one piece of the header's text by one that is wrong.
FAULTS = {
    "mask": (
        "dirty |= mask_of<Size>(at);",
        "dirty |= mask_of<Size>(at) | mask_of<Size>(at) << 1;",
    ),
    "dirty": ("dirty |= mask_of<Size>(at);", "dirty |= mask_of<Size>(at) >> 1;"),
    "hit": ("hit<A, T>(from, true)", "hit<A, T>(from, false)"),
    "hit of any line": ("holds<A>(first) &&", "arrays[A].line &&"),
    "hit past the line": ("< uintptr_t(size_of(A));", "<= uintptr_t(size_of(A));"),
    "place": (
        "return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(arrays[A].line);",
        "return (reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(arrays[A].line)) & ~uintptr_t(1);",
    ),
    "monitored hit": ("return !(Threshold && monitoring) &&", "return"),
    "parts": ("hit<A, T>(from, true)", "hit<A, char>(from, true)"),
    "written parts": ("hit<A, T>(to, false)", "hit<A, char>(to, false)"),
    "own bytes": ("if (!array.complete && ~array.dirty & mask_of<Size>(within<A>(address)))", "if (!array.complete)"),
    "unfetched": ("if (!array.complete && ~array.dirty & mask_of<Size>(within<A>(address)))", "if (false)"),
    "taken slot": ("while (slot < slots && taken >> slot & 1)", "while (slot < slots && taken >> slot & 2)"),
    "left line": ("release(arrays[a]);\n                arrays[a].slot = -1;", "arrays[a].slot = -1;"),
    "simulated line": ("forget(arrays[a]); // a line that was simulated", ""),
    "whole line": ("if (mask == 0xffffu)", "if (mask)"),
    "whole word": ("if (mask == 0xfu)", "if (mask)"),
    "flush": ("if (array.slot >= 0)\n            line_write_back(array);", ""),
    "invalidation": ("array.line = nullptr;", "(void)array;"),
    "not complete": ("array.complete = false;", ""),
    "probing": ("if (a != A && overlaps(", "if (a > A && overlaps("),
    "stale": ("if (changes)", "if (changes && A)"),
    "forgotten by reads": ("if (changes)", "if (changes || A)"),
    "probing of more": ("- begin : bytes;", "- begin : bytes + 16;"),
    "monitored end": ("(!Threshold || Line <= arrays[A].bytes - at);", "true;"),
    "monitored beginning": ("at < arrays[A].bytes && (!Threshold ||", "(!Threshold ? at < arrays[A].bytes :"),
    "beginning": ("begin = (first + size - 1) & ~(size - 1)", "begin = first & ~(size - 1)"),
    "end": ("end = (first + bytes) & ~(size - 1)", "end = (first + bytes + size - 1) & ~(size - 1)"),
    "no line": ("has_slot && begin < end", "(has_slot || begin) && begin < end"),
    "half a slot": ("slot_of(A) + size_of(A) / Line <= slots", "slot_of(A) < slots"),
    "shared slot": ("slots += Wide >> before & 1;", "slots += Wide >> before & 0;"),
    "whole part": ("parts = array.size / 16", "parts = Line / 16"),
    "fetched part": ("count = array.size / 4", "count = Line / 4"),
    "rest of a part": ("b < array.size;", "b < Line;"),
    "overlap of a part": ("first < array.line + array.size", "first < array.line + Line"),
    "settled part": (
        "line_of<A>(first + bytes - 1) + size_of(A) - begin",
        "line_of<A>(first + bytes - 1) + Line - begin",
    ),
    "atomic": ("if (overlaps(arrays[a], first, bytes))", "if (a && overlaps(arrays[a], first, bytes))"),
    "fetch of dirty": ("if (!(array.dirty >> b & 1))", ""),
}

# The same of what decides which arrays have lines.
DECISIONS = {
    "worst array": ("benefits[array] > benefits[best]))", "benefits[array] < benefits[best]))"),
    "last of equals": ("benefits[array] > benefits[best]))", "benefits[array] >= benefits[best]))"),
    "more than lines": ("for (int slot = 0; slot < slots; ++slot) {", "for (int slot = 0; slot < Arrays; ++slot) {"),
    "no gain": ("benefits[array] > 0 &&", ""),
    "hits": ("            ++arrays[A].hits;", "            ;"),
    "calls": ("        ++arrays[A].calls;", "        ;"),
    "weight of hits": ("4 * arrays[a].hits - arrays[a].calls", "2 * arrays[a].hits - arrays[a].calls"),
    "simulated lines": ("arrays[A].line = line_of<A>(address);\n    }", ";\n    }"),
    "rank of written arrays": ("return read_only && net > 0 ?", "return !read_only && net > 0 ?"),
    "no rank": ("return read_only && net > 0 ? 2 * net : net;", "return net;"),
    "no decision": ("if (before >= quorum || before + voices < quorum)", "if (true)"),
    "first decides": ("if (before >= quorum || before + voices < quorum)", "if (before >= quorum)"),
    "decision at once": ("total < Threshold)", "false)"),
    "no switch": ("        if (chosen)\n            decide", "        if (false)\n            decide"),
    "unnoted choice": ("        note(chosen);\n", ""),
    "place of another choice": ("if (found == 0 || found == set)", "if (found == 0 || found != set)"),
    "place for each choice": ("if (found == 0 || found == set)", "if (found == 0)"),
    "further choices": ("    count_one(&all.others);\n", ""),
    "rarest first": ("found.blocks[i] > found.blocks[first] ||", "found.blocks[i] < found.blocks[first] ||"),
    "own counts alone": ("if (here.leads && net)", "if (here.leads && net && !decision[1])"),
}

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def built(folder: Path, include: Path, *flags: str, source: Path = SEQUENCES) -> Path:
    program = folder / source.stem
    subprocess.run(["g++", *FLAGS, *flags, f"-I{include}", source, "-o", program], check=True)
    return program


def test_sequences_are_right(tmp_path: Path) -> None:
    program = built(tmp_path, headers(), "-O0", "-fsanitize=address", "-DFEW")
    assert subprocess.run([program, "5000", "1"], capture_output=True, text=True).stdout == "right\n"


def test_decisions_are_right(tmp_path: Path) -> None:
    program = built(tmp_path, headers(), "-O0", "-fsanitize=address", source=DECIDED)
    assert subprocess.run([program], capture_output=True, text=True).stdout == "right\n"


@pytest.mark.parametrize("fault", some(DECISIONS, 3))
def test_fault_of_a_decision_is_noticed(fault: str, tmp_path: Path) -> None:
    text, (right, wrong) = (headers() / HEADER).read_text(), DECISIONS[fault]
    assert text.count(right) == 1
    (tmp_path / HEADER).write_text(text.replace(right, wrong))
    program = built(tmp_path, tmp_path, "-O0", "-fsanitize=address", "-Wno-error", source=DECIDED)
    run = subprocess.run([program], capture_output=True, text=True)
    assert run.returncode == 1, run
    assert run.stdout != "right\n"


@pytest.mark.parametrize("check", [pytest.param(True, marks=pytest.mark.private), False])
def test_sample_is_right(check: bool, capfd: pytest.CaptureFixture[str]) -> None:
    execution = run_cuda(str(SAMPLE), Options(), (), target="cpu", check=check, seed=3)
    assert (execution.status, execution.findings) == (0, ())
    assert capfd.readouterr().out == "right\n"


def test_pointers_do_what_pointers_of_the_language_do(capfd: pytest.CaptureFixture[str]) -> None:
    execution = run_cuda(str(POINTERS), Options(), (), target="cpu", check=True, seed=0)
    assert (execution.status, execution.findings) == (0, ())
    assert capfd.readouterr().out == "right\n"


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("standard", some(["c++17", "c++20"], 1))
def test_nvcc_takes_pointers_without_a_warning(standard: str) -> None:
    flags = (f"-std={standard}", "-arch=sm_90", "-Werror", "all-warnings", "-ptx")
    subprocess.run(["nvcc", *flags, POINTERS, "-o", "/dev/null"], check=True)


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_choices_are_noted_from_ptx() -> None:
    done = accache("run", "--ptx", NOTES)
    assert (done.returncode, done.stdout) == (0, "30 210\n"), done.stderr
    assert "nothing was found" in done.stderr


@pytest.mark.private
def test_a_million_sequences_are_right(tmp_path: Path) -> None:
    program = built(tmp_path, headers(), "-O0", "-fsanitize=address")
    assert subprocess.run([program, "1000000", "2"], capture_output=True, text=True).stdout == "right\n"


@pytest.mark.private
@pytest.mark.parametrize("seed", range(3))
def test_sequences_of_threads_are_right_under_the_checker(seed: int) -> None:
    done = accache("run", "--check", "--seed", seed, ON_DEVICE, "--", 20, seed)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert "nothing was found" in done.stderr


# Their lanes are those of warps, of which pairs move lines together.
@pytest.mark.private
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("forms", [1, 2, 8, 16])
def test_sequences_of_threads_are_right_from_ptx(forms: int) -> None:
    done = accache("run", "-q", "--ptx", f"-DFORMS={forms}", ON_DEVICE, "--", 40, forms)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


@pytest.mark.private
@pytest.mark.mutate
@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_noticed(fault: str, tmp_path: Path) -> None:
    text, (right, wrong) = (headers() / HEADER).read_text(), FAULTS[fault]
    assert text.count(right) == 1
    (tmp_path / HEADER).write_text(text.replace(right, wrong))
    program = built(tmp_path, tmp_path, "-O0", "-fsanitize=address")
    run = subprocess.run([program, "20000", "1"], capture_output=True, text=True)
    assert run.returncode != 0
    assert run.stdout != "right\n"


TWO_STREAMS = """
#include "accache_private.cuh"
template <int Line, int Threshold, int Blocks>
__global__ void __launch_bounds__(256, Blocks)
sum(const int *a, size_t bytes_a, const int *b, size_t bytes_b, int *out, int records, int lines)
{
    extern __shared__ unsigned words[];
    accache_private::cache<2, Line, true, Threshold> cache(words, lines, threadIdx.x, 256);
    cache.template bind<0>(a, bytes_a, true);
    cache.template bind<1>(b, bytes_b, true);
    const int t = blockIdx.x * 256 + threadIdx.x;
    int sum = 0;
    for (int i = t * records; i < (t + 1) * records; ++i) {
        cache.loop_head();
        sum += cache.template read<0>(&a[i]) * cache.template read<1>(&b[i]);
    }
    cache.flush();
    out[t] = sum;
}
template __global__ void sum<16, 0, 1>(const int *, size_t, const int *, size_t, int *, int, int);
template __global__ void sum<16, 300, 1>(const int *, size_t, const int *, size_t, int *, int, int);
template __global__ void sum<32, 0, 8>(const int *, size_t, const int *, size_t, int *, int, int);
"""


@pytest.mark.private
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_two_streams_that_are_read_take_32_registers(tmp_path: Path) -> None:
    source = tmp_path / "two.cu"
    source.write_text(TWO_STREAMS)
    command = ["nvcc", "-std=c++17", "-arch=sm_90", f"-I{headers()}", "-Xptxas", "-v", "-c", source, "-o", "/dev/null"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    registers = [int(found) for found in re.findall(r"Used (\d+) registers", told)]
    assert len(registers) == 3
    assert max(registers) <= 32
    assert told.count(" 0 bytes spill stores, 0 bytes spill loads") == 3
