"""What kernels do beyond single lanes, on both machines: memory, control flow, calls, barriers, exchanges, traces."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from engines import BASE, ENGINES, both, kernel, launch, module, needs_compiler, outcomes
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from accache.ptx.execute import run
from accache.ptx.machine import compiled
from accache.ptx.machine.program import SHARED, WINDOW
from accache.ptx.machine.trace import Trace

pytestmark = needs_compiler
AT = "mul.wide.u32 %rd9, %r0, 4;\nadd.u64 %rd1, %rd0, %rd9;\n"  # %rd1: the thread's own element of 4 bytes


def words(count: int = 32) -> NDArray[np.uint32]:
    return np.zeros(count, np.uint32)


def result(text: str, array: NDArray[Any] | None = None, **options: Any) -> NDArray[Any]:
    """The first array after a launch, which holds one word for each thread unless it is given."""
    given_array = words() if array is None else array
    (memory, *_), _, _ = both(text, launch([given_array], **options))
    return np.frombuffer(memory, given_array.dtype)


def test_without_a_compiler_the_interpreter_executes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    compiled._compiler.cache_clear()
    after, outcome = run(module(kernel(AT + "st.global.u32 [%rd1], 7;")), launch([words()]))
    compiled._compiler.cache_clear()
    assert np.frombuffer(after[0].data, np.uint32).tolist() == [7] * 32
    assert outcome.instructions == 32 * 6


@pytest.mark.parametrize(("mask", "loaded"), [("0xfff", [5, 6, 7, 0]), ("255", [5, 6, 0, 0]), ("0xf0", [5, 6, 0, 0])])
def test_bytes_that_are_not_used_may_lie_behind_the_end(mask: str, loaded: list[int]) -> None:
    load = "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+16]; "
    store = "st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};"
    array = np.arange(1, 5 + int(mask, 0).bit_length() // 4, dtype=np.uint32)  # as many words as are used
    found = result(kernel(f'.pragma "used_bytes_mask {mask}"; {load}{store}'), array, block=(1, 1, 1))
    assert found.tolist()[:4] == loaded
    (told, _) = outcomes(kernel(load + store), launch([array], block=(1, 1, 1)))
    assert "16 bytes at" in told[2]
    twice = f'.pragma "used_bytes_mask {mask}"; ld.global.u32 %r9, [%rd0]; {load}'  # it is about one load only
    assert len(outcomes(kernel(twice), launch([array], block=(1, 1, 1)))) == 2
    ends_too_early = launch([array[:-1]], block=(1, 1, 1))
    assert len(outcomes(kernel(f'.pragma "used_bytes_mask {mask}"; {load}'), ends_too_early)) == 2


def test_special_registers() -> None:
    body = """
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mov.u32 %r5, %tid.y; mov.u32 %r6, %ntid.x; mad.lo.u32 %r7, %r5, %r6, %r0; mad.lo.u32 %r8, %r4, 48, %r7;
    mul.wide.u32 %rd1, %r8, 32; add.u64 %rd1, %rd0, %rd1;
    mov.u32 %r10, %laneid; mov.u32 %r11, %warpid; mov.u32 %r12, %lanemask_lt; mov.u32 %r13, %lanemask_ge;
    st.global.v4.u32 [%rd1], {%r8, %r10, %r11, %r12}; mov.u32 %r14, %nwarpid; mov.u32 %r15, %ntid.y;
    mov.u32 %r16, %dynamic_smem_size; st.global.v4.u32 [%rd1+16], {%r13, %r14, %r15, %r16};"""
    found = result(kernel(body), words(6 * 48 * 8), grid=(3, 2, 1), block=(16, 3, 1), shared=100).reshape(-1, 8)
    number = np.arange(6 * 48)
    lane = number % 48 % 32
    below = (1 << lane.astype(np.uint64)) - 1
    np.testing.assert_array_equal(found[:, 0], number)
    np.testing.assert_array_equal(found[:, 1], lane)
    np.testing.assert_array_equal(found[:, 2], number % 48 // 32)
    np.testing.assert_array_equal(found[:, 3], below)
    np.testing.assert_array_equal(found[:, 4], 0xFFFFFFFF - below)
    assert (found[:, 5:] == [2, 3, 100]).all()


LOOPS = f"""{AT}
    ld.global.u32 %r1, [%rd1]; mov.u32 %r2, 0; mov.u32 %r3, 0;
    AGAIN: setp.ge.u32 %p1, %r2, %r1; @%p1 bra DONE;
    and.b32 %r4, %r2, 1; setp.eq.u32 %p2, %r4, 0; @%p2 bra EVEN;
    add.u32 %r3, %r3, 100; bra.uni NEXT;
    EVEN: add.u32 %r3, %r3, 1; setp.gt.u32 %p3, %r3, 1000; @%p3 bra DONE;
    NEXT: add.u32 %r2, %r2, 1; bra AGAIN;
    DONE: setp.eq.u32 %p4, %r1, 3; @!%p4 st.global.u32 [%rd1], %r3; @%p4 exit; add.u32 %r3, %r3, 1;"""


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=70))
def test_lanes_part_and_meet_again(counts: list[int]) -> None:
    array = np.array(counts, np.uint32)
    found = result(kernel(LOOPS), array, block=(len(counts), 1, 1))
    expected = []
    for count in counts:
        total = 0
        for i in range(count):
            total += 100 if i % 2 else 1
            if total > 1000 and i % 2 == 0:
                break
        expected.append(3 if count == 3 else total)
    assert found.tolist() == expected


@pytest.mark.parametrize("interpreter", ENGINES)
def test_arrivals_count_warps_however_many_of_their_lanes_are_busy(interpreter: bool) -> None:
    body = """setp.lt.u32 %p1, %r0, 3; @%p1 bra FEW; setp.ge.u32 %p2, %r0, 40; @%p2 bra DONE;
    mov.u32 %r1, 1; FEW: mov.u32 %r2, 2; mov.u32 %r3, 3; DONE: mov.u32 %r4, 4;"""
    launched = launch([np.zeros(1, np.uint32)], grid=(5, 1, 1), block=(70, 1, 1))
    _, outcome = run(module(kernel(body)), launched, interpreter=interpreter)
    three, two = 5 * 3, 5 * 2  # all warps; those with threads below 40, of which the first part and meet again
    assert outcome.arrivals.tolist() == [three] * 6 + [two] * 3 + [three] * 2


def test_an_indexed_branch() -> None:
    body = f"""{AT} rem.u32 %r1, %r0, 3; targets: .branchtargets A, B, C; brx.idx %r1, targets;
    A: mov.u32 %r2, 10; bra D; B: mov.u32 %r2, 20; bra D; C: mov.u32 %r2, 30;
    D: st.global.u32 [%rd1], %r2;"""
    assert result(kernel(body)).tolist() == [10 * (1 + thread % 3) for thread in range(32)]


def test_shared_memory_and_barriers() -> None:
    body = f"""{AT} .shared .align 8 .b32 tile[64]; mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;
    ld.global.u32 %r4, [%rd1]; st.shared.u32 [%r3], %r4; bar.sync 0;
    sub.u32 %r5, 252, %r2; add.u32 %r5, %r1, %r5; ld.shared.u32 %r6, [%r5]; bar.sync 0;
    mov.u64 %rd2, tile; cvta.shared.u64 %rd3, %rd2; cvt.u64.u32 %rd4, %r2; add.u64 %rd3, %rd3, %rd4; st.u32 [%rd3], %r6;
    cvta.to.shared.u64 %rd5, %rd3; ld.shared.u32 %r7, [%rd5]; st.global.u32 [%rd1], %r7;"""
    array = np.arange(64, dtype=np.uint32) * 3
    np.testing.assert_array_equal(result(kernel(body), array, block=(64, 1, 1)), array[::-1])


def test_dynamic_shared_memory_lies_behind_static() -> None:
    body = f"""{AT} .shared .align 4 .b8 fixed[40]; shl.b32 %r2, %r0, 2; mov.u32 %r1, dynamic; add.u32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %r0; mov.u32 %r5, fixed; st.shared.u8 [%r5+39], 7; bar.sync 0; ld.shared.u32 %r4, [%r3];
    add.u32 %r4, %r4, %r1; st.global.u32 [%rd1], %r4;"""
    text = kernel(body, before=".extern .shared .align 16 .b8 dynamic[];")
    assert result(text, shared=128).tolist() == [48 + thread for thread in range(32)]


def test_votes_of_a_block() -> None:
    body = f"""{AT} setp.lt.u32 %p1, %r0, 5; bar.sync 0; bar.sync 0; bar.red.popc.u32 %r1, 0, %p1;
    bar.red.and.pred %p2, 0, !%p1;
    bar.sync 0; bar.red.or.pred %p3, 0, %p1; selp.u32 %r2, 100, 0, %p2; selp.u32 %r3, 1000, 0, %p3;
    add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%rd1], %r1;"""
    assert set(result(kernel(body), words(48), block=(48, 1, 1)).tolist()) == {1005}


def test_any_number_but_zero_is_true() -> None:
    body = """
    setp.lt.u32 %p1, %r0, 16; @%p1 bra L; mov.pred %p2, -1; bra M;
    L: mov.pred %p2, 0;
    M: not.pred %p3, %p2; selp.u32 %r2, 1, 0, %p3; st.global.u32 [%rd1], %r2;
    """
    assert result(kernel(AT + body)).tolist() == [1] * 16 + [0] * 16


def test_producers_arrive_and_consumers_wait() -> None:
    body = f"""{AT} .shared .align 4 .b32 cell; setp.ge.u32 %p1, %r0, 32; @%p1 bra PRODUCE;
    bar.sync 1, 64; ld.shared.u32 %r1, [cell]; st.global.u32 [%rd1], %r1; ret;
    PRODUCE: st.shared.u32 [cell], 77; bar.arrive 1, 64;"""
    assert result(kernel(body), words(64), block=(64, 1, 1)).tolist() == [77] * 32 + [0] * 32


def test_threads_that_have_ended_do_not_hold_up_others() -> None:
    body = f"{AT} setp.lt.u32 %p1, %r0, 40; @%p1 ret; bar.sync 0; st.global.u32 [%rd1], 5;"
    assert result(kernel(body), words(64), block=(64, 1, 1)).tolist() == [0] * 40 + [5] * 24


def test_lanes_exchange_values() -> None:
    body = """mul.lo.u32 %r9, %r0, 40; cvt.u64.u32 %rd9, %r9; add.u64 %rd1, %rd0, %rd9; mul.lo.u32 %r1, %r0, 3;
    shfl.sync.up.b32 %r2|%p1, %r1, 2, 0, -1; shfl.sync.down.b32 %r3|%p2, %r1, 4, 0x181f, -1;
    shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1; shfl.sync.idx.b32 %r5, %r1, 7, 31, -1;
    selp.u32 %r6, 1, 0, %p1; selp.u32 %r7, 2, 0, %p2; add.u32 %r6, %r6, %r7; and.b32 %r8, %r0, 3;
    st.global.u32 [%rd1], %r2; st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1+8], %r4; st.global.u32 [%rd1+12], %r5;
    st.global.u32 [%rd1+16], %r6; setp.eq.u32 %p3, %r8, 0; vote.sync.ballot.b32 %r10, %p3, -1;
    st.global.u32 [%rd1+20], %r10; match.any.sync.b32 %r11, %r8, -1; st.global.u32 [%rd1+24], %r11;
    redux.sync.add.u32 %r12, %r1, -1; st.global.u32 [%rd1+28], %r12; @!%p3 bra OUT;
    redux.sync.max.s32 %r13, %r1, 0x11111111; st.global.u32 [%rd1+32], %r13; activemask.b32 %r14;
    st.global.u32 [%rd1+36], %r14; OUT:"""
    found = result(kernel(body), words(320)).reshape(32, 10).astype(np.int64)
    lane = np.arange(32)
    np.testing.assert_array_equal(found[:, 0], 3 * np.where(lane >= 2, lane - 2, lane))
    np.testing.assert_array_equal(found[:, 1], 3 * np.where(lane % 8 < 4, lane + 4, lane))
    np.testing.assert_array_equal(found[:, 2], 3 * (lane ^ 1))
    assert set(found[:, 3]) == {21}
    np.testing.assert_array_equal(found[:, 4], (lane >= 2) + 2 * (lane % 8 < 4))
    assert set(found[:, 5]) == {0x11111111}
    np.testing.assert_array_equal(found[:, 6], 0x11111111 << lane % 4)
    assert set(found[:, 7]) == {3 * 496}
    assert set(found[::4, 8]) == {84}
    assert set(found[::4, 9]) == {0x11111111}


def test_lanes_wait_for_those_a_mask_names() -> None:
    """The block that other lanes take lies behind the meeting, so those that do not take it come there first."""
    body = f"""{AT} mov.u32 %r1, 1; setp.lt.u32 %p1, %r0, 16; @%p1 bra FAR;
    BACK: shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; bar.warp.sync -1; st.global.u32 [%rd1], %r2; ret;
    FAR: mov.u32 %r1, 2; bra BACK;"""
    assert result(kernel(body)).tolist() == [1] * 16 + [2] * 16


def test_lanes_may_meet_at_different_barriers_of_the_warp() -> None:
    body = f"""{AT} setp.lt.u32 %p1, %r0, 16; @%p1 bra FAR; bar.warp.sync -1; st.global.u32 [%rd1], 1; ret;
    FAR: bar.warp.sync -1; st.global.u32 [%rd1], 2;"""
    assert result(kernel(body)).tolist() == [2] * 16 + [1] * 16


def test_a_lock_within_a_warp() -> None:
    body = """SPIN: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra SPIN;
    ld.global.u32 %r2, [%rd0+4]; add.u32 %r2, %r2, 1; st.global.u32 [%rd0+4], %r2; membar.gl;
    atom.global.exch.b32 %r3, [%rd0], 0;"""
    for interpreter in ENGINES:  # how often lanes spin is each machine's own affair
        after, _ = run(module(kernel(body)), launch([words(2)], block=(8, 1, 1)), interpreter=interpreter)
        assert np.frombuffer(after[0].data, np.uint32).tolist() == [0, 8]


ATOMICS = [
    ("add.u32", "r", "5", 5 * 32 + 7),
    ("min.s32", "r", "-3", -3 & 0xFFFFFFFF),
    ("max.u32", "r", "%r0", 31),
    ("and.b32", "r", "6", 6),
    ("or.b32", "r", "%r0", 31),
    ("xor.b32", "r", "%r0", 7),
    ("exch.b32", "r", "9", 9),
    ("inc.u32", "r", "9", (7 + 32) % 10),
    ("dec.u32", "r", "9", (7 - 32) % 10),
]


def test_atomic_changes() -> None:
    lines = [
        f"atom.global.{name} %r{10 + number}, [%rd0+{4 * number}], {operand};"
        for number, (name, _, operand, _) in enumerate(ATOMICS)
    ]
    lines += [
        "red.shared.add.f32 [cell], 0f3FC00000; cvt.rn.f64.u32 %d1, %r0; red.global.add.f64 [%rd0+40], %d1;",
        "bar.sync 0;",
        "ld.shared.f32 %f1, [cell]; st.global.f32 [%rd0+48], %f1; ",
        "atom.global.add.noftz.f16x2 %r9, [%rd0+52], 0x3C004000;",
        "mov.u64 %rd3, cell; cvta.shared.u64 %rd3, %rd3; atom.add.u32 %r8, [%rd3], 0;",
    ]
    clear = ".shared .align 4 .b32 cell; st.shared.u32 [cell], 0; bar.sync 0;\n"
    array = np.array([7] * 9 + [0] * 5, np.uint32)
    found = result(kernel(clear + "\n".join(lines)), array)
    assert found[:9].tolist() == [expected for *_, expected in ATOMICS]
    assert found[10:12].view(np.float64)[0] == 496
    assert found[12:13].view(np.float32)[0] == 48
    assert found[13:14].view(np.float16).tolist() == [64, 32]


def test_local_memory_and_addresses_of_all_memory() -> None:
    body = f"""{AT} .local .align 8 .b8 depot[64]; mov.u64 %rd2, depot; and.b32 %r1, %r0, 7; mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd2, %rd3; st.local.u32 [%rd4], %r0; cvta.local.u64 %rd5, %rd4; ld.u32 %r2, [%rd5];
    setp.eq.u32 %p1, %r1, 0; selp.b64 %rd6, %rd1, %rd5, %p1; add.u32 %r2, %r2, 1; st.u32 [%rd6], %r2;
    ld.local.u32 %r3, [%rd4]; @!%p1 st.global.u32 [%rd1], %r3; isspacep.local %p2, %rd6; isspacep.global %p3, %rd1;
    selp.u32 %r4, 1000, 0, %p2; add.u32 %r5, %r3, %r4; @!%p1 st.global.u32 [%rd1], %r5;"""
    expected = [thread + 1 + (1000 if thread % 8 else 0) for thread in range(32)]
    assert result(kernel(body)).tolist() == expected


CALLS = """
.func (.param .b32 result) power(.param .b32 base, .param .b32 times)
{
    .reg .b32 %r<9>; .reg .pred %p<3>; .local .align 4 .b8 own[4]; .reg .b64 %rd<3>;
    ld.param.u32 %r1, [base]; ld.param.u32 %r2, [times];
    mov.u64 %rd1, own; st.local.u32 [%rd1], %r2;
    setp.ne.u32 %p1, %r2, 0; @%p1 bra MORE; st.param.b32 [result], 1; ret;
    MORE: sub.u32 %r3, %r2, 1;
    { .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r1; st.param.b32 [b], %r3;
      call.uni (c), power, (a, b); ld.param.b32 %r4, [c]; }
    ld.local.u32 %r5, [%rd1]; setp.ne.u32 %p2, %r5, %r2; @%p2 trap;
    mul.lo.u32 %r4, %r4, %r1; st.param.b32 [result], %r4; ret;
}
.func (.param .align 8 .b8 result[16]) twice(.param .align 8 .b8 pair[16])
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u32 %r1, [pair]; ld.param.u64 %rd1, [pair+8]; shl.b32 %r1, %r1, 1; shl.b64 %rd1, %rd1, 1;
    st.param.u32 [result], %r1; st.param.u64 [result+8], %rd1; bar.sync 0; ret;
}
.func (.param .align 8 .b8 result[16]) same(.param .align 8 .b8 pair[16])
{
    .reg .b64 %rd<4>; ld.param.v2.u64 {%rd1, %rd2}, [pair]; st.param.v2.u64 [result], {%rd1, %rd2}; bar.sync 0; ret;
}
.global .align 8 .u64 table[2] = {twice, same};
"""


def test_calls_recursive_indirect_and_with_barriers_inside() -> None:
    body = f"""{AT} and.b32 %r1, %r0, 7;
    {{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], 3; st.param.b32 [b], %r1;
      call.uni (c), power, (a, b); ld.param.b32 %r2, [c]; }}
    and.b32 %r3, %r0, 1; mul.wide.u32 %rd2, %r3, 8; mov.u64 %rd3, table;
    add.u64 %rd3, %rd3, %rd2; ld.global.u64 %rd4, [%rd3];
    {{ .param .align 8 .b8 a[16]; .param .align 8 .b8 c[16]; st.param.u32 [a], %r2; st.param.u64 [a+8], 5;
      p: .callprototype (.param .align 8 .b8 _[16]) _ (.param .align 8 .b8 _[16]);
      call (c), %rd4, (a), p; ld.param.u32 %r4, [c]; ld.param.u32 %r5, [c+8]; }}
    add.u32 %r4, %r4, %r5; st.global.u32 [%rd1], %r4;"""
    text = kernel(body, before=CALLS)
    found = result(text, words(40), block=(40, 1, 1))
    expected = [3 ** (thread % 8) * (1 if thread % 2 else 2) + (5 if thread % 2 else 10) for thread in range(40)]
    assert found.tolist() == expected


def test_variables_of_the_module_and_structures_as_parameters() -> None:
    before = """
    .const .align 4 .b8 small[8] = {1, 0, 0, 0, 2};
    .global .align 4 .u32 numbers[4] = {10, 20, 30, 40};
    .global .align 8 .u64 third = generic(numbers)+8;
    .global .align 8 .f64 half = 0d3FE0000000000000;
    """
    body = f"""{AT} ld.global.u64 %rd2, [third]; ld.u32 %r1, [%rd2]; ld.const.u32 %r2, [small+4]; add.u32 %r1, %r1, %r2;
    ld.param.u16 %h1, [pair+2]; cvt.u32.u16 %r3, %h1; add.u32 %r1, %r1, %r3; mov.b64 %rd3, pair;
    cvta.param.u64 %rd4, %rd3;
    ld.u32 %r4, [%rd4+4]; add.u32 %r1, %r1, %r4; ld.global.f64 %d1, [half]; cvt.rpi.u32.f64 %r5, %d1;
    add.u32 %r1, %r1, %r5;
    st.global.u32 [%rd1], %r1; st.global.u32 [numbers], 99; ld.global.u32 %r6, [numbers]; st.global.u32 [%rd1+128], %r6;
    mov.u64 %rd5, small; cvta.const.u64 %rd5, %rd5; ld.u8 %r7, [%rd5]; st.global.u32 [%rd1+256], %r7;"""
    text = kernel(body, parameters=".param .u64 out, .param .align 4 .b8 pair[8]", before=before)
    found = result(text, words(96), more=[struct.pack("<HHI", 1, 300, 4000)])
    assert set(found[:32].tolist()) == {30 + 2 + 300 + 4000 + 1}
    assert set(found[32:64].tolist()) == {99}
    assert set(found[64:].tolist()) == {1}


def test_copies_to_shared_memory() -> None:
    body = f"""{AT} .shared .align 16 .b8 tile[512]; mov.u32 %r1, tile; shl.b32 %r2, %r0, 4; add.u32 %r3, %r1, %r2;
    cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd0, %rd2; cp.async.cg.shared.global [%r3], [%rd3], 16, 12;
    cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; ld.shared.v4.u32 {{%r4, %r5, %r6, %r7}}, [%r3];
    add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r7; st.global.u32 [%rd3], %r4;"""
    array = np.arange(128, dtype=np.uint32)
    np.testing.assert_array_equal(result(kernel(body), array)[::4], array.reshape(32, 4)[:, :3].sum(axis=1))


def test_printf_and_malloc() -> None:
    before = (
        ".extern .func (.param .b32 result) vprintf(.param .b64 a, .param .b64 b);\n"
        ".extern .func (.param .b64 result) malloc(.param .b64 a);\n"
        f".global .align 1 .b8 text[40] = {{{', '.join(map(str, b'%d|%5.2f|%s|%llu|%%|%x|%c'))}, 10}};\n"
        ".global .align 1 .b8 name[3] = {111, 107};\n"
    )
    body = f"""{AT} .local .align 8 .b8 list[48]; mov.u64 %rd2, list; st.local.u32 [%rd2], -5; cvt.rn.f64.u32 %d1, %r0;
    st.local.f64 [%rd2+8], %d1; mov.u64 %rd3, name; st.local.u64 [%rd2+16], %rd3; st.local.u64 [%rd2+24], 12345678901;
    st.local.u32 [%rd2+32], 255; st.local.u32 [%rd2+36], 65; cvta.local.u64 %rd4, %rd2; mov.u64 %rd5, text;
    setp.lt.u32 %p1, %r0, 2; @!%p1 bra NEXT;
    {{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %rd5; st.param.b64 [b], %rd4;
      call.uni (c), vprintf, (a, b); ld.param.b32 %r9, [c]; st.global.u32 [%rd1+128], %r9; }}
    NEXT: {{ .param .b64 a; .param .b64 c; st.param.b64 [a], 20; call.uni (c), malloc, (a); ld.param.b64 %rd6, [c]; }}
    st.u32 [%rd6+16], %r0; ld.u32 %r2, [%rd6+16]; st.global.u32 [%rd1], %r2;"""
    (memory,), output, _ = both(kernel(body, before=before), launch([words(64)]))
    found = np.frombuffer(memory, np.uint32)
    assert found[:32].tolist() == list(range(32))
    assert found[32:35].tolist() == [6, 6, 0]
    assert output == b"-5| 0.00|ok|12345678901|%|ff|A\n-5| 1.00|ok|12345678901|%|ff|A\n"


def test_traces_name_instruction_lanes_and_addresses() -> None:
    body = f"""{AT} setp.lt.u32 %p1, %r0, 3; @%p1 ld.global.nc.u32 %r1, [%rd1+4]; ld.global.u32 %r2, [%rd0];
    xor.b32 %r3, %r0, 1; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd0, %rd2; st.u32 [%rd2], %r2;"""
    _, _, records = both(kernel(body), launch([words(36)], grid=(2, 1, 1), block=(33, 1, 1)))
    assert records.block.tolist() == [0] * 5 + [1] * 5
    assert records.warp.tolist() == [0, 0, 0, 1, 1] * 2
    assert [hex(mask) for mask in records.mask] == ["0x7", "0xffffffff", "0xffffffff", "0x1", "0x1"] * 2
    assert records.addresses[0][:3].tolist() == [BASE + 4, BASE + 8, BASE + 12]
    assert set(records.addresses[1].tolist()) == {BASE}
    assert records.addresses[2].tolist() == [BASE + 4 * (lane ^ 1) for lane in range(32)]
    assert records.addresses[3][0] == BASE
    assert len(set(records.pc.tolist())) == 3


def test_traces_are_of_each_so_many_th_block_if_asked() -> None:
    launched = launch([words(32)], grid=(8, 1, 1))
    for interpreter in ENGINES:
        trace = Trace(1, 8, 3)
        run(module(kernel(f"{AT} st.u32 [%rd0], %r0;")), launched, interpreter=interpreter, trace=trace)
        assert trace.records().block.tolist() == [1, 4, 7]


def test_traces_have_accesses_to_shared_memory_for_those_who_ask() -> None:
    body = f"""{AT} .shared .align 8 .b32 tile[64]; mov.u32 %r1, tile; shl.b32 %r2, %r0, 3; add.u32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %r0; cvt.u64.u32 %rd3, %r3; cvta.shared.u64 %rd4, %rd3; setp.lt.u32 %p1, %r0, 2;
    @%p1 ld.u32 %r4, [%rd4]; st.global.u32 [%rd1], %r2;"""
    launched = launch([words(32)])
    _, _, records = both(kernel(body), launched)
    assert [int(addresses[1] >> WINDOW) for addresses in records.addresses] == [SHARED, SHARED, 0]
    assert [int(addresses[1] - addresses[0]) for addresses in records.addresses] == [8, 8, 4]
    assert records.mask.tolist() == [0xFFFFFFFF, 3, 0xFFFFFFFF]
    for interpreter in ENGINES:
        trace = Trace()
        run(module(kernel(body)), launched, interpreter=interpreter, trace=trace)
        assert len(trace.records().pc) == 1


def test_memory_ends_behind_a_word() -> None:
    """An atomic update of the last byte of an array reads and exchanges the word around it."""
    body = "atom.global.cas.b32 %r1, [%rd0+4], 3, 0x01000009;"
    assert result(kernel(body), np.array([1, 0, 0, 0, 3], np.uint8), block=(1, 1, 1)).tolist() == [1, 0, 0, 0, 9]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "ld.global.u32 %r1, [%rd1+128];",
            "'ld.global.u32' failed in thread (16, 0, 0) of block (0, 0, 0): 4 bytes at",
        ),
        ("ld.u32 %r1, [%rd0+-4];", "4 bytes at 0x7efffffffffc lie in no memory of the launch"),
        ("st.global.u32 [%rd0+2], 1;", "the address 0x7f0000000002 is no multiple of its 4 bytes"),
        (".shared .b32 s[2]; mov.u32 %r1, s; st.shared.u64 [%r1+8], %rd0;", "8 bytes at 0x8 lie in no memory"),
        (".local .b32 s[2]; mov.u64 %rd2, s; st.local.u32 [%rd2+1024], 1;", "4 bytes at 0x400 lie in no memory"),
        ("mov.u64 %rd2, c; st.u32 [%rd2], 1;", "4 bytes at 0x2000000000000 are constant"),
        (
            "setp.eq.u32 %p1, %r0, 9; @%p1 trap;",
            "failed in thread (9, 0, 0) of block (0, 0, 0): the kernel stopped itself",
        ),
        ("setp.eq.u32 %p1, %r0, 9; @%p1 bar.sync 1, 64;", "it waits for others that never come"),
        ("setp.eq.u32 %p1, %r0, 9; @%p1 bra L; bar.sync 0; L: bar.warp.sync -1; bar.sync 1;", "others that never come"),
    ],
)
def test_failures_are_told(body: str, reason: str) -> None:
    address = (
        "mov.u32 %r7, %ctaid.x; mad.lo.u32 %r8, %r7, 16, %r0; mul.wide.u32 %rd9, %r8, 4; add.u64 %rd1, %rd0, %rd9;\n"
    )
    text = kernel(address + body, before=".const .align 4 .u32 c = 1;")
    found = outcomes(text, launch([words(48)], grid=(2, 1, 1)))
    assert {(code, line) for code, line, _ in found} == {("ACC920", found[0][1])}
    assert all(reason in message for *_, message in found)
    assert found[0][2] == found[1][2]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kernel": "other"}, "the PTX has no kernel 'other'"),
        ({"arguments": ()}, "its parameters have [8] bytes, not []"),
        ({"arguments": (b"1234",)}, "its parameters have [8] bytes, not [4]"),
        ({"block": (33, 32, 1)}, "a block has 1 to 1024 threads"),
        ({"block": (0, 1, 1)}, "a block has 1 to 1024 threads"),
        ({"grid": (1, 0, 1)}, "a grid has at least one block"),
        ({"shared_bytes": 1 << 30}, "at most 233472 bytes of shared memory"),
    ],
)
def test_impossible_launches_are_refused(change: dict[str, Any], reason: str) -> None:
    launched = launch([words()])
    found = outcomes(kernel(""), type(launched)(**{**vars(launched), **change}))
    assert {code for code, *_ in found} == {"ACC910" if "kernel" in change else "ACC912"}
    assert all(reason in message for *_, message in found)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd0, {%r0}];", "the machine does not know this instruction"),
        ("add.nc.u32 %r1, %r0, 1;", "not with .nc"),
        ("add.rz.f16 %h1, %h1, %h1;", "not .rz with .f16"),
        ("mov.u32 %r1, %envreg3;", "'%envreg3' tells how the threads of a whole grid meet (cooperative groups)"),
        ("mov.u32 %r1, nowhere;", "'nowhere' is not declared"),
        ("add.u32 %r1, %r99, 1;", "the machine has no register '%r99'"),
        ("bra NOWHERE;", "this operand must be a label of the function"),
        ("cp.async.bulk.commit_group;", "the machine knows cp.async of 4, 8 and 16 bytes only"),
        ("setp.eq.f16x2 %p1|%p2, %r1, %r2;", "not with .f16x2"),
        ("cvt.u32.f32 %r1, %f1;", "without a rounding to an integer"),
        ("atom.global.min.f32 %f1, [%rd0], %f1;", "not .min with .f32"),
        ("ld.global.v2.u32 %r1, [%rd0];", "with 1 results"),
        ("bar.sync;", "with 0 operands"),
        ("bar.red.popc.u32 %r1, %p1;", "with 2 operands"),
        ("bar.arrive 1;", "with 1 operands"),
        ("shfl.sync.idx.b32 %r1, %r0, 0, 31;", "with 4 operands"),
    ],
)
def test_what_the_machine_does_not_know_is_told(body: str, reason: str) -> None:
    found = outcomes(kernel(body), launch([words()]))
    assert {(code, line) for code, line, _ in found} == {("ACC911", found[0][1])}
    assert all(message.endswith(f": {reason}") for *_, message in found)


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (".global .u64 a = nowhere;", "'a': 'nowhere' is not declared"),
        (".global .b8 a[4] = {1, %r2};", "'a': '%r2' is not declared"),
        (".global .b8 a[9223372036854775808];", "'a': a variable of 9223372036854775808 bytes"),
    ],
)
def test_variables_that_cannot_be_are_told(before: str, message: str) -> None:
    told = [("ACC911", 4, f"the machine cannot execute {message}")]
    assert outcomes(kernel("", before=before), launch([words()])) == 2 * told
