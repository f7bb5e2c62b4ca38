"""Constructs carried out in Python: what they compute, and what is found in them."""

from __future__ import annotations

import pytest

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.ir.openacc.regions import Region
from accache.reading import read_program
from accache.serve.carried_out import Carried, carried_out, difference, start_of
from accache.serve.expressions import UnfollowedError
from accache.serve.memory import UNSET, FaultError
from accache.serve.statements import TooLongError

LOOP = "#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])\nfor (int i = 0; i < n; i++) {"
TILED = "#pragma acc parallel loop gang copyin(a[0:n]) copyout(b[0:n])\nfor (int g = 0; g < n / 64; g++) {"
VECTOR = "\n#pragma acc loop vector\nfor (int x = 0; x < 64; x++)"


def region(body: str, loop: str = LOOP) -> Region:
    text = f"void f(int n, const int *restrict a, double *restrict b)\n{{\n{loop}\n{body}\n}}\n}}\n"
    (found,) = read_program(SourceFile("p.c", text), Options(), Reporter()).program.regions
    return found


def carried(body: str, loop: str = LOOP, n: int = 8) -> Carried:
    return carried_out(region(body, loop), start_of(region("b[i] = a[i];"), {"n": n}))


def results(body: str, loop: str = LOOP, n: int = 8) -> list[object]:
    return list(carried(body, loop, n).arrays["b"].cells)


def given(count: int) -> list[int]:
    return [int(value) for value in results("b[i] = a[i];", n=count) if isinstance(value, float)]


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("b[i] = 7 / 2 + -7 / 2 + -7 % 4 + 7 % -4;", 0),
        ("b[i] = (unsigned)-1 > 0u ? 2.5f : 1;", 2.5),
        ("b[i] = (unsigned char)300 + (signed char)200;", 44 - 56),
        ("b[i] = 1u - 2u;", 4294967295),
        ("b[i] = 0x1p4f + 1e1 + .5;", 26.5),
        ("int t = 5; b[i] = t++ * 10 + --t;", 55),
        ("int t = 1; t <<= 4; t |= 3; t ^= 1; t >>= 1; b[i] = t;", 9),
        ("int t = 0; while (1) { if (++t > 5) break; if (t == 2) continue; } b[i] = t;", 6),
        ("int t = 0; do t += 2; while (t < 7); b[i] = t;", 8),
        ("int t[2][3]; t[1][2] = 4; t[1][2] *= 3; b[i] = t[1][2] + sizeof(t[0]);", 24),
        ("int t; b[i] = (t = 3, t) && !(t == 4) || 1 / 0;", 1),
        ("double t = 3; t /= 2; b[i] = (int)t + t;", 2.5),
        ("signed char t = 100; t += 100; b[i] = t;", -56),
        ("b[i] = 0; b[i] += 2; b[i]--;", 1),
        ("b[i] = ~5 + +3 - -2 + (_Bool)0.5;", 0),
    ],
)
def test_what_expressions_are_worth(body: str, value: float) -> None:
    assert results(body) == [value] * 8


def test_elements_come_from_the_host_and_go_back() -> None:
    found = given(8)
    assert len(set(found)) == 8
    assert results("if (i > 2) b[i] = a[i] + a[i - 1];") == [UNSET] * 3 + [
        float(found[i] + found[i - 1]) for i in range(3, 8)
    ]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("b[i] = a[i + 1];", "line 5: a[8] lies outside of a, which has 8 elements"),
        ("float t[4]; t[1] = 1; b[i] = t[0];", "line 5: t[0] is read, and nothing was written to it"),
        ("int t[2]; t[i - 1] = 1; b[i] = 0;", "line 5: t[-1] lies outside of t, which has 2 elements"),
        ("int t; b[i] = t;", "line 5: t is read, and has no value yet"),
        ("b[i] = b[i] + 1;", "line 5: b[0] is read, and nothing was written to it"),
        ("b[0] = i;", "line 5: two iterations of a parallel loop use b[0], and one writes to it: a race"),
        ("b[i] = i; if (i) b[i] += b[i - 1];", "line 5: two iterations of a parallel loop use b[0], and one"),
        ("b[i] = i; if (i == 7) b[0] = 1;", "line 5: two iterations of a parallel loop use b[0], and one"),
        ("b[i] = 2147483647 + a[i] + 1;", "line 5: 2147483648 does not fit into int"),
        ("b[i] = 1 / (i - i);", "line 5: a division by zero"),
        ("b[i] = 1.0 / (i - i);", "line 5: a division by zero"),
        ("b[i] = 1 << (i - 1);", "line 5: a shift by -1"),
        ("b[i] = (int)(1e300 * 1e300);", "inf becomes an integer"),
    ],
)
def test_what_a_checked_run_would_find(body: str, told: str) -> None:
    with pytest.raises(FaultError) as caught:
        results(body)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("clauses", "told"),
    [
        ("copyin(a[1:n-1]) copyout(b[0:n])", "line 5: a[0] is not on the device, which has a[1:n-1]"),
        ("copyin(a[0:n+1]) copyout(b[0:n])", "line 3: a[0:n+1] names elements that the array does not have"),
        ("copyin(a[0:n]) present(b[0:n])", None),
        ("copyin(a[0:n]) copyout(b[0:n]) if(n > 9)", "line 3: the if clause keeps the construct from the device"),
        ("copyin(a[0:n])", "line 5: b is not on the device: no data clause names it"),
    ],
)
def test_what_is_on_the_device(clauses: str, told: str | None) -> None:
    loop = LOOP.replace("copyin(a[0:n]) copyout(b[0:n])", clauses)
    with pytest.raises(FaultError if told else UnfollowedError) as caught:
        results("b[i] = a[i];", loop)
    assert told is None or str(caught.value) == told


def test_what_is_not_copied_back_is_a_difference() -> None:
    wanted, start = region("b[i] = a[i];"), start_of(region("b[i] = a[i];"), {"n": 8})
    found = carried_out(region("b[i] = a[i];", LOOP.replace("copyout", "copyin")), start)
    assert difference(found, carried_out(wanted, start)) == "b[0] is 11, and should be 0"
    assert difference(carried_out(wanted, start), carried_out(wanted, start)) == ""


@pytest.mark.parametrize(
    "body",
    [
        "b[i] = *a;",
        "const int *p = a + i; b[i] = *p;",
        "struct { int x; } t; t.x = i; b[i] = t.x;",
        "switch (i) { default: b[i] = 0; }",
        "b[i] = __builtin_abs(a[i]);",
        "int t[2] = {1, 2}; b[i] = t[0];",
        "int t[1 << 28]; b[i] = 0;",
    ],
)
def test_what_is_not_followed_is_said(body: str) -> None:
    with pytest.raises(UnfollowedError):
        results(body)


def test_endless_loops_end() -> None:
    with pytest.raises(TooLongError):
        results("while (1) ; b[i] = 0;")


def test_threads_pass_data_on_between_two_loops() -> None:
    body = f"int t[64];{VECTOR} t[x] = a[64 * g + x];{VECTOR} b[64 * g + x] = t[63 - x];"
    numbers = given(128)
    assert results(body, TILED, n=128) == [float(number) for k in (0, 64) for number in numbers[k : k + 64][::-1]]


@pytest.mark.parametrize(
    "body",
    [
        f"int t[64];{VECTOR} {{ t[x] = a[x]; if (x) b[64 * g + x] = t[x - 1]; }}",
        f"int t[64]; t[0] = 0;{VECTOR} t[0] += a[x]; b[g] = t[0];",
    ],
)
def test_threads_of_one_loop_race(body: str) -> None:
    with pytest.raises(FaultError, match="a race"):
        results(body, TILED, n=128)


def test_a_sum_without_a_clause_is_no_race() -> None:
    """It is reduced all the same, with a warning (ACC328)."""
    numbers = given(128)
    assert results(f"int sum = 0;{VECTOR} sum += a[x]; b[g] = sum;", TILED, n=128)[:1] == [sum(numbers[:64])]


def test_reductions_and_private_variables_are_no_races() -> None:
    reduced = VECTOR.replace("vector", "vector reduction(+:sum) private(t)")
    body = f"int sum = 0; int t;{reduced} {{ t = a[64 * g + x]; sum += t; }}\nb[g] = sum;"
    numbers = given(128)
    assert results(body, TILED, n=128)[:2] == [sum(numbers[:64]), sum(numbers[64:])]


@pytest.mark.parametrize(("index", "degree"), [("x", 1), ("2 * x", 2), ("32 * x", 32), ("33 * x", 1), ("x ^ 1", 1)])
def test_turns_of_a_warp_are_counted(index: str, degree: int) -> None:
    partner = index.replace("x", "(63 - x)")
    body = f"int t[2112];{VECTOR} t[{index}] = x;{VECTOR} b[64 * g + x] = t[{partner}];"
    assert carried(body, TILED, n=64).degree == degree


def test_no_turns_are_counted_where_threads_pass_nothing_on() -> None:
    assert carried(f"int t[64];{VECTOR} t[x] = x;{VECTOR} b[64 * g + x] = t[x];", TILED, n=64).degree is None
    assert carried("b[i] = a[i];").degree is None


@pytest.mark.parametrize(
    ("subarray", "idle"),
    [
        ("a[i-1:3]", ((0, 0),)),
        ("a[i-3:5]", ((2, 0),)),
        ("a[i-1:6]", ((0, 3),)),
        ("a[i:1]", ((0, 0),)),
        ("a[i+2:1]", None),
    ],
)
def test_what_a_subarray_names_in_vain(subarray: str, idle: tuple[tuple[int, int], ...] | None) -> None:
    loop = LOOP.replace("i = 0; i < n", "i = 3; i < n - 4")
    found = carried(f"#pragma acc cache({subarray})\nb[i] = a[i - 1] + a[i] + a[i + 1];", loop, n=16)
    assert found.idle == ({subarray: idle} if idle is not None else {})


def test_collapsed_loops_are_told_apart() -> None:
    loop = LOOP.replace("loop", "loop collapse(2)") + " for (int j = 0; j < 2; j++) {"
    with pytest.raises(FaultError, match=r"use b\[0\]"):
        results("b[i] = j; }", loop)
