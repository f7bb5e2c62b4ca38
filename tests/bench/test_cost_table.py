"""The yardstick bench/cost: its counts on small examples, and the clocks of the samples where nvcc is present."""

from __future__ import annotations

import doctest
import importlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import some

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from cost.calibrate import kernels_of  # the folder is on the path only now
from cost.chips import chip_named
from cost.clocks import cost, limits
from cost.disassembly import fast_path, loops
from cost.elements import choices
from cost.launches import ARCH, nvcc_words, ptx_of, variant
from cost.measure import Counts, Measured, measure
from cost.memory import sectors, turns
from cost.programs import SAMPLES, Program, all_programs
from cost.ptxas import Resources, parsed
from cost.slots import kind, weight_of
from cost.table import Row, lines, means, starved
from cost.weights import ENTRY, weights

from accache.base.text import SourceFile
from accache.ptx.machine.link import link
from accache.ptx.machine.trace import Records
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Function
from accache.workflows.machine_code import disassembler
from accache.workflows.without_directives import without_cache_directives

H100 = chip_named("h100")
MODULES = ("chips", "memory", "slots", "weights")
SHARED = 4 << 48


def _release() -> str:
    nvcc = shutil.which("nvcc")
    return subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout if nvcc else ""


# other releases make other PTX, whose numbers are other ones
needs_nvcc = pytest.mark.skipif("release 13.0" not in _release(), reason="the numbers are those of nvcc 13.0")

# kernel, column -> SASS instructions of its fast path as ptxas 13.0 makes them for sm_90, counted with nvdisasm
PAIRS = {
    ("stencil", "none"): (117, 33),
    ("stencil", "rbi"): (49, 33),
    ("jacobi", "none"): (498, 58),
    ("nbody", "none"): (368, 33),
    ("strided", "rbi"): (61, 36),
    ("write_dense", "rbc"): (143, 111),
    ("points3", "none"): (29,),
    ("star3d", "none"): (1001, 170),
}

# clocks of one multiprocessor of an H100 for 32 units of work: python bench/cost --columns none,default
CLOCKS = {
    "stencil": 7.43,
    "stencil30": 0.44,
    "jacobi": 9.31,
    "gemm": 0.42,
    "nbody": 11.60,
    "strided": 13.20,
    "lookup": 58.58,
    "transpose": 8.09,
    "histogram": 104.98,
    "write_dense": 4.62,
    "write_sparse": 4.65,
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"cost.{name}"))
    assert found.attempted > 0
    assert found.failed == 0


def accesses(*rows: list[int]) -> Records:
    """Accesses of warps all of whose lanes take part."""
    count = len(rows)
    addresses = np.array(rows, np.uint64)
    zeros = np.zeros(count, np.uint32)
    return Records(zeros, np.full(count, 2**32 - 1, np.uint32), zeros.astype(np.uint64), zeros, addresses)


@pytest.mark.parametrize(
    ("step", "size", "is_atomic", "wanted"),
    [
        (4, 4, False, 1),  # neighbours
        (0, 4, False, 1),  # one word for all
        (0, 4, True, 32),  # which they update one after the other
        (8, 4, False, 2),
        (128, 4, False, 32),  # one bank
        (132, 4, False, 1),  # a column of a padded tile
        (1, 1, False, 1),
        (8, 8, False, 2),  # half a warp at a time
        (16, 16, False, 4),
        (32, 16, False, 8),
        (0, 8, False, 2),
        (0, 16, False, 4),
    ],
)
def test_turns_of_banks(step: int, size: int, is_atomic: bool, wanted: int) -> None:
    records = accesses([SHARED + step * lane for lane in range(32)])
    assert turns(records, np.array([size]), np.array([is_atomic])) == wanted


def test_lanes_that_take_no_part_ask_for_nothing() -> None:
    records = accesses([SHARED + 128 * lane for lane in range(32)], [4 * lane for lane in range(32)])
    records.mask[:] = 0b101
    assert turns(records, np.array([4, 4]), np.array([False, False])) == 2 + 1
    assert sectors(records) == 2 + 1


def test_sectors_of_accesses() -> None:
    side_by_side, apart = [4 * lane for lane in range(32)], [64 * lane for lane in range(32)]
    shifted, same = [4 * lane + 4 for lane in range(32)], [96] * 32
    assert [sectors(accesses(row)) for row in (side_by_side, apart, shifted, same)] == [4, 32, 5, 1]
    assert sectors(accesses(side_by_side, apart)) == 36


PTX = """.version 9.0
.target sm_90
.address_size 64
.visible .entry f()
{
    .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %r1;
    ld.global.nc.L1::no_allocate.v2.f32 {%f1, %f2}, [%rd1];
    div.rn.f32 %f3, %f1, 0f41100000;
    div.rn.f32 %f3, %f1, %f2;
    @%p1 bra end;
    bra.uni end;
end:
    ret;
}
"""


def test_kinds_of_instructions() -> None:
    function = parse(SourceFile("f.ptx", PTX)).functions["f"]
    assert [kind(each) for each in function.instructions] == [
        "mov.u32 of a special register",
        "mov.u32",
        "ld.global.v2.f32",
        "div.rn.f32 by a constant",
        "div.rn.f32",
        "bra on a condition",
        "bra.uni",
        "ret",
    ]


SASS = """\
\t.section\t.text.f,"ax",@progbits
f:
\t//## File ".nv_debug_ptx_txt", line 7
        /*0000*/                   LDC R1, c[0x0][0x28] ;
\t//## File ".nv_debug_ptx_txt", line 9
        /*0010*/                   FCHK P0, R11, 9 ;
        /*0020*/              @!P0 BRA `(.L_x_5) ;
        /*0030*/                   MOV R4, 0x470 ;
        /*0040*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath) ;
.L_x_5:
        /*0050*/                   EXIT ;
$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath:
        /*0060*/                   SHF.R.U32.HI R5, RZ, 0x17, R0 ;
.L_x_6:
        /*0070*/                   BRA `(.L_x_6);
        /*0080*/                   NOP;
\t.section\t.text.g,"ax",@progbits
g:
        /*0000*/                   EXIT ;
.L_x_7:
        /*0010*/                   BRA `(.L_x_7);
        /*0020*/                   NOP;
"""


def test_slow_paths_and_padding_do_not_count() -> None:
    found = [(sass.kernel, sass.line, sass.opcode) for sass in fast_path(SASS)]
    assert found == [("f", 7, "LDC"), ("f", 9, "FCHK"), ("f", 9, "BRA"), ("f", 9, "EXIT"), ("g", 0, "EXIT")]


def test_what_ptxas_says() -> None:
    text = """ptxas info    : Compiling entry function 'f' for 'sm_90'
ptxas info    : Function properties for f
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 1296 bytes smem
ptxas info    : Compiling entry function 'g' for 'sm_90'
ptxas info    : Function properties for g
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
"""
    assert parsed(text) == {"f": Resources(32, 1296, 20, 16), "g": Resources(8, 0, 0, 0)}


def counts(**changed: Any) -> Counts:
    """A launch of one block of 128 threads."""
    values: dict[str, Any] = {
        "kernel": "f",
        "grid": (1, 1, 1),
        "block": (128, 1, 1),
        "arrivals": {"add.f32": 64},
        "sectors": 40,
        "atomic_sectors": 0,
        "local_sectors": 0,
        "turns": 7,
        "l2_bytes": 388,
        "hit_sectors": 0,
        "barriers": 0.0,
        "loads": {},
        "shared_loads": {},
        "registers": 32,
        "shared_bytes": 0,
        "spilled": 0,
        **changed,
    }
    return Counts(**values)


def test_clocks_are_those_of_the_tightest_limit() -> None:
    found = limits(counts(), H100, {"add": 0.5})
    assert found == pytest.approx({"issue": 10, "L1": 10, "shared": 7, "L2": 388 * 132 / 5120})
    assert limits(counts(atomic_sectors=8, local_sectors=4), H100, {})["L1"] == (40 + 8 + 4) / 4
    assert limits(counts(arrivals={"shfl.sync.bfly.b32": 5}), H100, {})["shared"] == 7 + 5
    both = cost((counts(turns=20), counts(sectors=400)), 64, H100, {"add": 0.5})
    assert both.clocks == pytest.approx((20 + 100) * 32 / 64)
    assert both.slots == pytest.approx(2 * 32 * 32 / 64)
    assert (both.bound, both.launch.sectors) == ("L1", 400)
    assert both.fill == 128 / (132 * 2048)


CHOOSING = """.version 8.0
.target sm_90
.address_size 64
.visible .entry f(.param .u32 n)
{
    .local .align 16 .b8 depot[64];
    .reg .b64 %SPL, %rd<4>;
    .reg .b32 %r<4>;
    .reg .f32 %f<8>;
    mov.u64 %SPL, depot;
    add.u64 %rd1, %SPL, 16;
    ld.param.u32 %r1, [n];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.local.v4.f32 [%rd1+16], {%f1, %f1, %f1, %f1};
    ACCESS
    ret;
}
"""


@pytest.mark.parametrize(
    ("access", "each"),
    [
        ("ld.local.f32 %f1, [%rd3];", 2 * 16),
        ("st.local.f32 [%rd3+4], %f1;", 2 * 16),
        ("st.local.v2.f32 [%rd3], {%f1, %f2};", 2 * 16 * 2),
        ("ld.local.f32 %f1, [%rd1+4];", 0),
        ("ld.local.f32 %f1, [depot+8];", 0),
        ("ld.global.f32 %f1, [%rd3];", 0),
    ],
)
def test_choices_of_elements_that_lie_in_registers(access: str, each: int) -> None:
    program = link(parse(SourceFile("f.ptx", CHOOSING.replace("ACCESS", access))), "f")
    assert choices(program, np.full(len(program.steps), 3, np.uint64)) == 3 * each


def row(**checksums: float) -> Row:
    program = Program("f", Path("f.c"), units=32)
    return Row(
        program, {column: Measured((counts(turns=10 * len(column)),), sum_) for column, sum_ in checksums.items()}
    )


def test_columns_with_other_results_are_told() -> None:
    assert list(row(none=1.0, default=1.0000001).disagreements()) == []
    assert list(row(none=1.0, default=1.1, peer=1.0).disagreements()) == ["default has the checksum 1.1, none has 1"]


def test_the_table_names_equal_columns_and_prints_means() -> None:
    found = row(none=1.0, default=1.0, peer=1.0)
    same = Row(found.program, {"none": found.measured["none"], "default": found.measured["none"]})
    assert [line.split()[:4] for line in lines(same, same.costs(H100, {}))][1] == ["f", "default", "=", "none"]
    costs = found.costs(H100, {})
    assert list(means([costs, costs])) == [
        "default / no directive: 1.75 (geometric mean of the clocks of 2 programs)",
        "default / peer: 1.75 (geometric mean of the clocks of 2 programs)",
    ]


def test_programs_with_few_threads_are_named() -> None:
    few, more, many = (cost((counts(grid=(blocks, 1, 1)),), 1, H100, {}) for blocks in (2, 8, 9))
    known = {
        "f": {"default": few, "peer": many},
        "g": {"default": few, "peer": more},
        "h": {"default": many, "peer": few},
        "i": {"default": few},
    }
    assert list(starved(known)) == ["with less than a quarter of the peer's threads: f"]


def test_every_program_has_a_peer() -> None:
    assert [program.name for program in all_programs() if program.peer is None] == []


def test_cache_directives_leave_empty_lines() -> None:
    text = "int a;\n  # pragma  acc cache(a[0:1], \\\n   b[0:1])\n#pragma acc parallel loop\n"
    assert without_cache_directives(text) == "int a;\n\n\n#pragma acc parallel loop\n"


def predicted_slots(function: Function) -> float:
    """The issue slots of a warp that comes to each instruction of a kernel once."""
    known = weights()
    return known[ENTRY] + sum(weight_of(kind(each), known) for each in function.instructions)


@needs_nvcc
@pytest.mark.parametrize(("name", "column"), some(PAIRS, 4))
def test_weights_predict_the_number_of_machine_instructions(name: str, column: str, tmp_path: Path) -> None:
    program = next(each for each in all_programs() if each.name == name)
    chosen = variant(program, column, tmp_path)
    (tmp_path / "device.cu").write_text(chosen.device)
    ptx = ptx_of(tmp_path / "device.cu", chosen.options.preprocessor, tmp_path)
    functions = parse(SourceFile("cost.ptx", ptx)).kernels
    predicted = {f.name: predicted_slots(f) for f in functions}
    known = sorted(PAIRS[name, column], reverse=True)
    assert sorted(predicted.values(), reverse=True) == pytest.approx(known, rel=0.1)
    tool = disassembler()
    if tool is not None:
        assert sorted((kernel.sass_count for kernel in kernels_of(ptx, tool, tmp_path)), reverse=True) == known


def test_loops_end_with_the_branch_back() -> None:
    assert list(loops(SASS)) == [("f", ("BRA",)), ("g", ("BRA",))]
    text = "\t.section\t.text.h\n.L_x_1:\n /*0000*/ FADD R1 ;\n /*0010*/ @P0 BRA `(.L_x_2) ;\n"
    assert list(loops(text + " /*0020*/ @P1 BRA `(.L_x_1) ;\n.L_x_2:\n /*0030*/ EXIT ;\n")) == [
        ("h", ("FADD", "BRA", "BRA"))
    ]


@needs_nvcc
@pytest.mark.skipif(disassembler() is None, reason="needs nvdisasm")
def test_bodies_with_fast_math_take_few_instructions(tmp_path: Path) -> None:
    """An interaction has one reciprocal of a square root, and 13 operations: of the shortest loop, the rest is few."""
    program = next(each for each in all_programs() if each.name == "nbody")
    chosen = variant(program, "fast", tmp_path)
    (tmp_path / "device.cu").write_text(chosen.device)
    words = ("nvcc", "-cubin", f"-arch={ARCH}", "-w", *nvcc_words(chosen.options), "device.cu", "-o", "device.cubin")
    subprocess.run(words, cwd=tmp_path, check=True)
    tool = disassembler()
    assert tool is not None
    listing = subprocess.run([tool, "-c", tmp_path / "device.cubin"], capture_output=True, text=True, check=True).stdout
    found = [body for kernel, body in loops(listing) if "nbody_L28_kernelP" in kernel or "nbody_L28_kerneli" in kernel]
    assert min(len(body) / body.count("MUFU") for body in found if "MUFU" in body) <= 16


@needs_nvcc
@pytest.mark.parametrize("program", some(SAMPLES, 12), ids=lambda program: program.name)
def test_clocks_of_samples_stay(program: Program) -> None:
    """A kernel that became slower is a regression; write the clocks of one that became faster down here."""
    found = measure(program, "default")
    clocks = cost(found.launches, program.units, H100, weights()).clocks
    assert clocks == pytest.approx(CLOCKS[program.name], rel=0.02)


@needs_nvcc
def test_blocks_that_registers_keep_apart_share_no_cache() -> None:
    """8 x 4 points a thread take 128 registers: what the four blocks that fit read again lies in L1."""
    jacobi = next(program for program in SAMPLES if program.name == "jacobi")
    (launch,) = measure(jacobi, "8x4").launches
    assert launch.registers > 64
    assert launch.l2_bytes < 1.2 * 2 * 4 * jacobi.units


@pytest.mark.nvcc
@pytest.mark.parametrize("program", all_programs(), ids=lambda program: program.name)
def test_peers_have_the_results_of_programs(program: Program) -> None:
    found = Row(program, {column: measure(program, column) for column in ("none", "default", "peer")})
    assert all(each.launches for each in found.measured.values())
    assert list(found.disagreements()) == []
