"""Several multiprocessors: which stand for all, their own L1 and the L2 behind them, and registers of threads."""

from __future__ import annotations

import shutil
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from launches import BASE, equal, loads, masked_traces, traces

import accache
from accache.base.diagnostics import CompileError
from accache.cli.main import main
from accache.l1.gpus import gpu_named, with_registers
from accache.l1.histograms import histogram
from accache.l1.measured import HIT_RATE, predicted
from accache.l1.model import predict
from accache.l1.modes import PAPER
from accache.l1.tables import movement
from accache.l1.text_traces import write_text
from accache.l1.tools import PLAIN, Tools, compiled_tools
from accache.l1.trace import Trace, joined, looked_at, parts_of

V100 = gpu_named("v100")
TOOLS = [PLAIN, *filter(None, [compiled_tools()])]


def warp(*lines: int) -> Trace:
    """A block whose one warp reads some lines, one after the other."""
    return loads({lane: [BASE + 128 * line + 4 * lane for line in lines] for lane in range(32)})


def alike(trace: Trace, other: Trace) -> Trace:
    """A trace with the blocks and sites of another one, and steps if that has some."""
    nothing = np.zeros(len(trace.thread), np.uint32)
    return replace(
        trace, block=other.block, site=nothing, sites=other.sites, step=None if other.step is None else nothing
    )


def test_those_that_stand_for_all_lie_evenly_and_have_few_threads_together() -> None:
    for blocks in (1, 2, 79, 80, 81, 127, 1000, 65536):
        for threads in (32, 256, 1024):
            numbers = looked_at(blocks, 80, threads)
            each = -(-blocks // 80) * threads
            assert len(numbers) == 1 or len(numbers) * each <= 8192
            assert 1 <= len(numbers) <= 8
            assert list(numbers) == sorted(set(numbers))
            assert 0 <= numbers[0] <= numbers[-1] < min(blocks, 80)
    assert len(looked_at(16, 80, 256)) == 8
    assert looked_at(81 * 80 + 1, 80, 256) == (0,)  # the others have a block less


@settings(max_examples=40, deadline=None)
@given(masked_traces(), masked_traces())
def test_joined_traces_come_apart_again(one: Trace, other: Trace) -> None:
    other = alike(other, one)
    parts = list(parts_of(joined([one, other, one])))
    assert [equal(part, whole) for part, whole in zip(parts, (one, other, one), strict=True)] == [True] * 3
    assert list(parts_of(one)) == [one]
    assert joined([one]) is one


@pytest.mark.parametrize("tools", TOOLS)
def test_counts_of_multiprocessors_are_added_up(tools: Tools) -> None:
    """Each has an L1 of its own: what one of them has read is not there for the other."""
    parts = (warp(0, 1, 0), warp(0, 2, 2, 0), loads({0: [BASE]}, stores=True))
    together = predict(joined(parts), V100, PAPER, 1, tools=tools)
    counts = [predict(part, V100, PAPER, 1, tools=tools) for part in parts[:2]]
    assert astuple(together) == tuple(map(sum, zip(*map(astuple, counts), strict=True)))
    assert (together.compulsory, together.hits) == (4, 3)
    found = histogram(joined(parts), replace(V100, sets=1), tools)
    assert (found.never, found.counts.tolist()) == (4, [1, 2])


@pytest.mark.parametrize("tools", TOOLS)
def test_multiprocessors_share_l2(tools: Tools) -> None:
    moved = movement(joined([warp(0, 1), warp(0, 2)]), V100, tools).total
    assert (moved.asked, moved.in_l1, moved.from_l2) == (512, 0, 512)
    assert (moved.in_l2, moved.from_memory, moved.first) == (128, 384, 384)


@settings(max_examples=40, deadline=None)
@given(masked_traces(), traces())
def test_both_engines_move_the_same(one: Trace, other: Trace) -> None:
    other = alike(other, one)
    small = replace(V100, ways=2, l2=replace(V100.l2, size=2048, ways=2))
    plain, *others = (movement(joined([one, other]), small, tools) for tools in TOOLS)
    assert all(found == plain for found in others)
    alone = [movement(part, small).total for part in (one, other)]
    assert plain.total.hits == sum(part.hits for part in alone)
    assert plain.total.from_l2 == sum(part.from_l2 for part in alone)


def test_those_with_a_block_less_are_weighed_by_what_is_known_of_all() -> None:
    """Half of those looked at have two blocks that read the same, but nine of ten of all have."""
    two = loads({0: [BASE], 32: [BASE]})
    trace = replace(joined([two, loads({0: [BASE]})]), shorter=0.1)
    assert predicted(trace, V100)[HIT_RATE] == pytest.approx(100 * 0.9 / 1.9)
    assert predicted(replace(trace, shorter=0.0), V100)[HIT_RATE] == pytest.approx(100 / 2)


def test_registers_leave_room_for_fewer_blocks() -> None:
    """65,536 of them: 16 blocks of 128 threads with 32 each, 7 with 72."""
    assert [with_registers(V100, 128, registers).blocks for registers in (32, 72)] == [16, 7]
    with pytest.raises(ValueError, match="does not fit"):
        with_registers(V100, 1024, 80)
    with pytest.raises(ValueError, match="does not know the registers of fermi-16k"):
        with_registers(gpu_named("fermi-16k"), 128, 32)


def test_the_option_tells_registers(tmp_path: Path) -> None:
    path = tmp_path / "a.trc"
    path.write_text(write_text(loads({0: [BASE]}, block=128)))
    blocks = accache.model(trace=path, gpu="h100", registers=72).record["parameters"]
    assert (blocks["blocks"], blocks["registers"]) == (
        {"value": 7, "source": "given"},
        {"value": 72, "source": "given"},
    )
    unknown = accache.model(trace=path, gpu="h100").record["parameters"]["registers"]
    assert unknown == {"value": None, "source": "assumed"}
    both = accache.model(trace=path, gpu="h100", registers=72, shared_per_block=20 << 10)
    assert both.record["parameters"]["blocks"]["value"] == 7
    assert both.record["size"] == (256 - 164) << 10
    found = CliRunner().invoke(main, ["model", "--trace", str(path), "--registers", "32"])
    assert found.exit_code == 2
    assert "the registers of fermi-16k" in " ".join(found.stderr.split())


def test_a_launch_whose_multiprocessors_load_nothing_is_told(tmp_path: Path) -> None:
    """One block of 9,000 loads, and the one multiprocessor that is looked at does not have it."""
    path = tmp_path / "a.traceg"
    body = "thread block = 1,0,0\nwarp = 0\n0010 00000001 1 R4 LDG.E 1 R2 4 0 0x4000\n"
    body += "thread block = 8999,0,0\nwarp = 0\n0010 00000001 0 STG.E 1 R2 4 0 0x4000\n"
    path.write_text(f"-kernel name = f\n-grid dim = (9000,1,1)\n-block dim = (128,1,1)\n{body}")
    with pytest.raises(CompileError, match="has no loads"):
        accache.model(trace=path, gpu="v100")


@pytest.mark.nvcc
@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_ptxas_tells_the_registers_of_a_program() -> None:
    """As many of gemm's blocks of 256 threads are active as they leave room for; Fermi's are not known."""
    program = Path(__file__).parents[3] / "samples" / "cuda" / "naive" / "gemm.cu"
    found = accache.model(program, gpu="v100", arguments=["64"]).record
    registers, blocks = (found["parameters"][name] for name in ("registers", "blocks"))
    assert registers["source"] == blocks["source"] == "given"
    threads = 16 * 16
    assert blocks["value"] == V100.unified.architecture.resident_blocks(threads, 0, registers["value"])
    assert found["looked_at"] == 8
    fermi = accache.model(program, arguments=["64"]).record
    assert (fermi["parameters"]["registers"]["value"], fermi["looked_at"]) == (None, 1)
