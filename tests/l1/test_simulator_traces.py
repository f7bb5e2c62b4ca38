"""Traces of Accel-Sim's tracer and of NVBit's mem_trace: what they become, and what is wrong with others."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import accache
from accache.base.diagnostics import CompileError
from accache.base.options import OptionError
from accache.l1.files import read_trace
from accache.l1.trace import Trace, dealt, without_last_block

HEAD = """-kernel name = _Z1fPf
-grid dim = (2,1,1)
-block dim = (40,1,1)
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f2000000000
-enable lineinfo = 0

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]
"""
BODY = """
#BEGIN_TB
thread block = 1,0,0
warp = 1
insts = 3
0000 000000ff 1 R1 MOV 0 0
0010 00000005 1 R4 LDG.E.64 1 R2 8 0 0x00001000 0x00002000
0020 000000ff 1 R4 LD.E 1 R2 4 1 0x7f0000000010 4
#END_TB
#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = 3
0010 ffffffff 1 R4 LDG.E.64 1 R2 8 1 0x4000 8
0030 00000007 0 STG.E.U8 2 R2 R4 4 2 0x5000 16 -8 0
0040 00000001 1 R4 LDG.E.STRONG.GPU 1 R2 4 1 0x6000 0
#END_TB
"""


def nvbit(*accesses: tuple[str, int, str, list[int]], launch: str = "7") -> str:
    """Lines of mem_trace, for accesses of (block, hardware warp, opcode, addresses of the first lanes)."""
    size = "grid size 2,1,1 - block size 40,1,1 - nregs 16 - shmem 0 - cuda stream id 0"
    lines = [f"MEMTRACE: CTX 0x00 - LAUNCH - Kernel pc 0x10 - Kernel name f - grid launch id {launch} - {size}"]
    for block, warp, opcode, addresses in accesses:
        shown = " ".join(f"0x{address:016x}" for address in (addresses + [0] * 32)[:32])
        lines.append(f"MEMTRACE: CTX 0x00 - grid_launch_id {launch} - CTA {block} - warp {warp} - {opcode} - {shown} ")
    return "the program says hello\n" + "\n".join(lines) + "\n"


def rows(trace: Trace) -> list[tuple[int, ...]]:
    """Thread, direction, address, bytes, step and site of each access."""
    assert trace.step is not None
    assert trace.site is not None
    columns = (trace.thread, trace.direction, trace.address, trace.bytes, trace.step, trace.site)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("is_packed", [False, True])
def test_accel_sims_forms_of_addresses_are_read(is_packed: bool, tmp_path: Path) -> None:
    """Blocks come in any order; accesses through the window of shared memory are none of global memory."""
    path = tmp_path / "kernel-1.traceg"
    path.write_bytes(gzip.compress((HEAD + BODY).encode()) if is_packed else (HEAD + BODY).encode())
    trace = read_trace(path)
    assert (trace.block, trace.is_whole) == ((40, 1, 1), True)
    found = rows(trace)
    assert found[:3] == [(0, 0, 0x4000, 8, 0, 0), (0, 1, 0x5000, 1, 1, 1), (0, 0, 0x6000, 4, 2, 2)]
    assert [row for row in found if row[1]] == [
        (lane, 1, address, 1, 1, 1) for lane, address in enumerate((0x5000, 0x5010, 0x5008))
    ]
    assert [row[:4] for row in found if row[0] >= 32] == [(72, 0, 0x1000, 8), (74, 0, 0x2000, 8)]
    assert [row[2] for row in found if row[5] == 0 and row[0] < 40] == [0x4000 + 8 * lane for lane in range(32)]
    assert [(site.name, site.policy) for site in trace.sites] == [("0x0010", "ca"), ("0x0030", "ca"), ("0x0040", "cg")]


def test_line_numbers_of_the_source_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "kernel-1.traceg"
    path.write_text(HEAD.replace("lineinfo = 0", "lineinfo = 1") + BODY.replace("\n00", "\n14 00"))
    plain = tmp_path / "plain.traceg"
    plain.write_text(HEAD + BODY)
    assert rows(read_trace(path)) == rows(read_trace(plain))


@pytest.mark.parametrize(
    ("version", "columns"),
    [
        ("-accelsim tracer version = 2\n", "PC mask"),
        ("", "threadblock_x threadblock_y threadblock_z warpid_tb PC mask"),
    ],
)
def test_older_tracers_have_the_block_and_the_warp_in_each_line(version: str, columns: str, tmp_path: Path) -> None:
    """As the published traces of Rodinia have them, which tell no version."""
    path = tmp_path / "kernel-1.traceg"
    head = HEAD.replace("-enable lineinfo = 0\n", version).replace("PC mask", columns)
    path.write_text(head + BODY.replace("\n00", "\n0 0 0 0 00"))
    plain = tmp_path / "plain.traceg"
    plain.write_text(HEAD.replace("-grid", "-accelsim tracer version = 3\n-grid") + BODY)
    assert rows(read_trace(path)) == rows(read_trace(plain))


@pytest.mark.parametrize(("opcode", "policy"), [("LDG.E.CG", "cg"), ("LDG.E.CI", "ca"), ("LDG.E.64.SYS", "ca")])
def test_operators_of_earlier_gpus_are_policies(opcode: str, policy: str, tmp_path: Path) -> None:
    """Pascal's loads that pass L1 by are called CG; Volta's STRONG.GPU has it in the trace above."""
    path = tmp_path / "kernel-1.traceg"
    path.write_text(HEAD + BODY.replace("LDG.E.STRONG.GPU", opcode))
    assert [site.policy for site in read_trace(path).sites if site.name == "0x0040"] == [policy]


def test_nvbits_warps_are_numbered_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "memtrace.txt"
    path.write_text(
        nvbit(
            ("1,0,0", 9, "LDG.E.128", [0x100, 0, 0x300]),
            ("1,0,0", 3, "STG.E", [0x400]),
            ("0,0,0", 3, "LDS", [0x500]),
            ("1,0,0", 9, "LDG.E", [0x600]),
        )
    )
    trace = read_trace(path)
    assert rows(trace) == [
        (40, 0, 0x100, 16, 0, 0),
        (40, 0, 0x600, 4, 1, 2),
        (42, 0, 0x300, 16, 0, 0),
        (72, 1, 0x400, 4, 0, 1),
    ]


def test_blocks_of_a_whole_launch_are_dealt_out(tmp_path: Path) -> None:
    path = tmp_path / "kernel-1.traceg"
    path.write_text(HEAD + BODY)
    assert set(dealt(read_trace(path), 2).thread.tolist()) == set(range(32))
    assert accache.model(trace=path, gpu="v100", traffic=True).record["traffic"]["asked"] == 32 * 11
    assert accache.model(trace=path, gpu="v100").record["looked_at"] == 2
    assert accache.model(trace=path, gpu="v100", traffic=True, multiprocessors=1).record["traffic"]["asked"] == 32 * 11
    whole = Trace((2, 1, 1), *(np.arange(20, dtype=kind) for kind in (np.uint32, np.uint8, np.uint64, np.uint8)))
    assert dealt(whole, 3).address.tolist() == [0, 1, 6, 7, 12, 13, 18, 19]
    assert dealt(whole, 3).thread.tolist() == list(range(8))
    assert dealt(whole, 3, number=1).address.tolist() == [2, 3, 8, 9, 14, 15]
    assert (dealt(whole, 3).shorter, dealt(whole, 5).shorter, dealt(whole, 16).shorter) == (2 / 3, 0, 0)
    assert without_last_block(dealt(whole, 3)).address.tolist() == [0, 1, 6, 7, 12, 13]
    assert dealt(whole, 3, threads=5).address.tolist() == [0, 1, 6, 7]


def test_blocks_of_other_traces_are_not_dealt_out(tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    path.write_text("blocksize: 32 1 1\n0 0 128 4\n")
    with pytest.raises(OptionError, match="the blocks of one multiprocessor"):
        accache.model(trace=path, multiprocessors=2)


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("-grid dim = (2,1,1)\n", "", 10, "there is no '-grid dim = (x,y,z)'"),
        ("(40,1,1)", "(4000,1,1)", 11, "a block of 4000 x 1 x 1"),
        ("(2,1,1)", "(999999999,1,1)", 11, "has more than"),
        ("thread block = 1,0,0\n", "", 11, "a 'thread block = x,y,z' comes before instructions"),
        ("block = 1,0,0", "block = 2,0,0", 12, "is none of a grid of"),
        ("warp = 1", "warp = 2", 12, "a block of 40 threads has no warp 2"),
        ("00000005", "0000ffff", 15, "there are 2 addresses for 16 lanes"),
        ("00000005", "00000300", 15, "a block of 40 threads has no thread 41"),
        ("8 0 0x00001000", "8 3 0x00001000", 15, "addresses have the form 3"),
        ("1 0x4000 8", "1 0x4000", 22, "this is no instruction of such a trace"),
        ("1 0x4000 8", "1 0xfffffffffffffff 8", 22, "an address is none of"),
        ("LDG.E.64 1 R2", "LDG.E.64 -1 R2", 15, "'-1' is no number of registers"),
        ("LDG.E.64 1 R2 8 1", "LDG.E.64 one", 22, "'one' is no number of registers"),
    ],
)
def test_what_is_wrong_with_a_trace_of_accel_sim_is_told_with_its_line(
    old: str, new: str, line: int, told: str, tmp_path: Path
) -> None:
    assert old in HEAD + BODY
    path = tmp_path / "kernel-1.traceg"
    path.write_text((HEAD + BODY).replace(old, new, 1))
    with pytest.raises(CompileError) as caught:
        read_trace(path)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.location.line) == ("ACC803", line)
    assert told in diagnostic.message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (nvbit().replace("LAUNCH", "launch"), "neither a launch nor an access"),
        (nvbit() + nvbit(), "a second launch begins"),
        ("\n".join(nvbit(("0,0,0", 0, "LDG.E", [1])).splitlines()[2:]) + "\n", "its launch, with grid size"),
        (
            nvbit(("0,0,0", 0, "LDG.E", [1])).replace("launch_id 7 - CTA", "launch_id 7 - CTA", 1)
            + nvbit(("0,0,0", 0, "LDG.E", [1]), launch="8").splitlines()[2]
            + "\n",
            "this is another launch",
        ),
        (nvbit(("0,0,0", 0, "LDG.E", [1]), ("0,0,0", 1, "LDG.E", [1]), ("0,0,0", 2, "LDG.E", [1])), "has no warp 2"),
        (nvbit(("0,0,0", 0, "LDG.E", [1])).replace(" 0x0000000000000000 \n", " \n"), "neither a launch nor an access"),
    ],
)
def test_what_is_wrong_with_a_trace_of_nvbit_is_told(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "memtrace.txt"
    path.write_text(text)
    with pytest.raises(CompileError) as caught:
        read_trace(path)
    assert caught.value.diagnostics[0].code == "ACC803"
    assert told in caught.value.diagnostics[0].message


def test_a_file_of_gzip_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kernel-1.traceg.gz"
    path.write_bytes(gzip.compress((HEAD + BODY * 2000).encode())[:-20])
    with pytest.raises(CompileError) as caught:
        read_trace(path)
    assert caught.value.diagnostics[0].code == "ACC806"


def test_memory_while_a_trace_is_read_is_less_than_twice_what_it_takes(tmp_path: Path) -> None:
    """Columns are put in order one after the other: their 22 bytes an access, an order of 8, and one column twice."""
    path, loads, warps = tmp_path / "kernel-1.traceg", 20, 100
    lines = [f"{16 * load:04x} ffffffff 1 R4 LDG.E 1 R2 4 1 0x{4096 * load:x} 4\n" for load in range(1, loads + 1)]
    blocks = (f"thread block = {block},0,0\nwarp = 0\n{''.join(lines)}" for block in range(warps))
    path.write_text(HEAD.replace("(2,1,1)", f"({warps},1,1)").replace("(40,1,1)", "(32,1,1)") + "".join(blocks))
    tracemalloc.start()
    try:
        trace = read_trace(path)
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    accesses = len(trace.thread)
    assert accesses == 32 * loads * warps
    assert 22 * accesses <= now <= peak < 1.9 * 22 * accesses
