"""Fetches are clipped to the array unless a proof, or a look at the launch, says that they stay inside of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from plans import Plan, each_decision, plans

from accache.analysis.loop_context import LoopContext
from accache.base.options import Options
from accache.caching.cached import CachedKernel
from accache.caching.sizing.bounds import Bound
from accache.caching.sizing.extents import Room
from accache.driver import translate
from accache.ir.polynomial import ONE, ZERO, Polynomial

CLIPPED, CHECKED, SURE = "clipped", "checked", "sure"
LINE = """
void f(float *a, float *b, int n, int m, int size)
{{
    float fixed[100];
#pragma acc data {data} copy(b[0:n])
    {{
{before}
#pragma acc parallel loop independent {clauses} {own}
    for ({loop}) {{
#pragma acc cache({array}[{lower}:{length}])
        for (int k = 0; k < {length}; ++k)
            b[i] += {array}[{lower} + k] * {array}[i];
    }}
    }}
}}
"""
PLANE = """
void f(float *a, float *b, int n, int m)
{{
#pragma acc data copy({data}) copy(b[0:n*m])
#pragma acc parallel loop independent
    for (int i = {first}; i < n - {rows}; ++i)
#pragma acc loop independent
        for (int j = {first}; j < m - {columns}; ++j) {{
#pragma acc cache(a[i-1:3][j-1:3])
            for (int k = -1; k < 2; ++k)
                for (int l = -1; l < 2; ++l)
                    b[i*m + j] += a[(i + k)*m + j + l];
        }}
}}
"""
CHANGED = """
void f(float *a, float *b, int n)
{
#pragma acc parallel copyin(a[0:n]) copy(b[0:n])
    {
        n += 2;
#pragma acc loop independent
        for (int i = 1; i < n - 3; ++i) {
#pragma acc cache(a[i-1:3])
            b[i] += a[i-1] + a[i+1];
        }
    }
}
"""
UP = "int i = 1; i < n - 1; ++i"


def line(**parts: str) -> str:
    usual = {
        "data": "",
        "before": "",
        "clauses": "",
        "own": "",
        "loop": UP,
        "array": "a",
        "lower": "i-1",
        "length": "3",
    }
    return LINE.format(**(usual | parts))


CASES = {
    "the region's own clause": (line(own="copyin(a[0:n])"), SURE),
    "a longer array": (line(own="copyin(a[0:n+5])"), SURE),
    "present": (line(own="present(a[0:n])"), SURE),
    "present without a length": (line(own="present(a)"), CLIPPED),
    "a clause that ends too early": (line(own="copyin(a[0:n-1])"), CLIPPED),
    "a clause that begins too late": (line(own="copyin(a[1:n])"), CLIPPED),
    "a clause that begins in time": (line(own="copyin(a[2:n-2])", loop="int i = 3; i < n - 1; ++i"), SURE),
    "another variable": (line(own="copyin(a[0:size])"), CLIPPED),
    "a range past the end": (line(own="copyin(a[0:n])", length="4"), CLIPPED),
    "a range before the beginning": (line(own="copyin(a[0:n])", lower="i-2"), CLIPPED),
    "counting down": (line(own="copyin(a[0:n])", loop="int i = n - 2; i > 0; --i"), SURE),
    "counting down by two to zero": (line(own="copyin(a[0:n])", loop="int i = n - 2; i >= 0; i -= 2"), CLIPPED),
    "steps of three": (line(own="copyin(a[0:n])", loop="int i = 1; i < n - 1; i += 3"), SURE),
    "a declared array": (line(array="fixed", loop="int i = 1; i < 99; ++i"), SURE),
    "a part of a declared array": (
        line(array="fixed", own="copyin(fixed[1:98])", loop="int i = 1; i < 99; ++i"),
        CLIPPED,
    ),
    "a declared array that is too short": (line(array="fixed", loop="int i = 1; i < 100; ++i"), CLIPPED),
    "a declared array that has to be there": (
        line(array="fixed", clauses="default(present)", loop="int i = 1; i < 99; ++i", data="copyin(fixed[0:50])"),
        CLIPPED,
    ),
    "a construct around": (line(data="copyin(a[0:n])"), CHECKED),
    "a construct around whose clause is too short": (line(data="copyin(a[0:n-1])"), CLIPPED),
    "a construct around whose length the kernel does not know": (line(data="copyin(a[0:m])"), CLIPPED),
    "an own clause beats the one around": (line(data="copyin(a[0:n])", own="present(a[0:n-1])"), CLIPPED),
    "nobody names a pointer": (line(clauses="default(present)"), CLIPPED),
    "a construct around without a length": (line(data="present(a)"), CLIPPED),
    "what may not be there": (line(own="no_create(a[0:n])"), CLIPPED),
    "a beginning that is no polynomial": (line(own="copyin(a[n/2:n])"), CLIPPED),
    "a length that is no polynomial": (line(own="copyin(a[0:n/2+n])"), CLIPPED),
    "a declared array of which a part is there": (
        line(array="fixed", data="copyin(fixed[0:50])", loop="int i = 1; i < 99; ++i"),
        CLIPPED,
    ),
    "a declared array that others put there": (
        line(array="fixed", clauses="default(present)", loop="int i = 1; i < 99; ++i"),
        CLIPPED,
    ),
    "a declared array of a length that is no polynomial": (
        line(array="fixed", loop="int i = 1; i < 99; ++i").replace("fixed[100]", "fixed[n / 2 + 100]"),
        CLIPPED,
    ),
    "a device pointer": (line(own="deviceptr(a)", data="copyin(a[0:n])"), CLIPPED),
    "the length lies on the device": (line(own="copyin(a[0:n], n)"), CLIPPED),
    "the length is the kernel's own": (CHANGED, CLIPPED),
    "a plane": (PLANE.format(data="a[0:n*m]", first=1, rows=1, columns=1), CHECKED),
    "a plane, the rows' ends joined": (PLANE.format(data="a[0:n*m]", first=1, rows=2, columns=0), CHECKED),
    "a plane, past the last row": (PLANE.format(data="a[0:n*m]", first=1, rows=0, columns=1), CLIPPED),
    "a plane, before the first": (PLANE.format(data="a[0:n*m]", first=0, rows=1, columns=1), CLIPPED),
    "a plane that is too short": (PLANE.format(data="a[0:n*m-1]", first=1, rows=1, columns=1), CLIPPED),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_proved(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    source = tmp_path / "a.c"
    source.write_text(text)
    device = translate(str(source), Options(method="rbi")).device
    fetch = re.search(r"_kernel_\w+_fetch\(.*?\n}", device, re.DOTALL)
    if fetch is None:
        assert expected == CLIPPED
        assert "deviceptr" in text
        return
    found = CLIPPED if "begin" in fetch[0] else CHECKED if "accache_holds(a, sizeof(float), 0," in device else SURE
    assert found == expected, fetch[0]


def test_without_a_second_kernel_fetches_are_clipped_rather(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(line(data="copyin(a[0:n])").replace("float *b", "float *restrict b"))
    device = translate(str(source), Options(method="rbi")).device
    assert "a_start + k >= begin" in device
    assert "_uncached" not in device


def extents(kernel: CachedKernel, number: int) -> Iterable[str]:
    """What a fetch or the launch checks for one subarray."""
    tile = kernel.decisions[number].tile
    if tile is None:
        return [f"no tile: {kernel.decisions[number].reason}"]
    if tile.range.clipped:
        return ["each element that is fetched is compared with where the array begins and ends"]
    if tile.range.assumed is None:
        return ["nothing is compared"]
    return [f"the launch makes sure of [{tile.range.assumed[0].to_c()}, {tile.range.assumed[1].to_c()})"]


@pytest.mark.parametrize("case", plans(__file__, "extents"), ids=str)
def test_what_is_checked(case: Plan, update_golden: bool) -> None:
    case.holds(each_decision(case, extents), update_golden)


N, M, PITCH = (Polynomial.symbol(name) for name in ("n", "m", "pitch"))


class Sizes(LoopContext, frozen=True):
    """A place where n is 10, m is 4 and pitch is 6."""

    def proves_nonnegative(self, polynomial: Polynomial) -> bool:
        known = {"n": Polynomial.constant(10), "m": Polynomial.constant(4), "pitch": Polynomial.constant(6)}
        value = polynomial.substitute(known).constant_value
        return value is not None and value >= 0


def bound(first: int, length: int, limit: Polynomial | None = None) -> Bound:
    return Bound(Polynomial.constant(first), length, limit)


@pytest.mark.parametrize(
    ("room", "bounds", "expected"),
    [
        ((ZERO, N), (bound(0, 10),), True),
        ((ZERO, N), (bound(0, 11),), False),
        ((ZERO, N), (bound(-1, 3),), False),
        ((ONE, N), (bound(0, 3),), False),
        ((ZERO, N), (bound(0, 99, M),), True),
        ((ZERO, M), (bound(0, 1, N),), False),
        ((ZERO, N, M), (bound(0, 10), bound(0, 4)), True),
        ((ZERO, N, M), (bound(0, 10), bound(1, 4)), False),
        ((ZERO, N, M), (bound(1, 10), bound(0, 4)), False),
        ((ZERO, N, M), (bound(0, 10), bound(-1, 4)), False),
        ((ZERO, N, M), (bound(0, 10),), False),
        ((ZERO, N), (bound(0, 10), bound(0, 4)), False),
    ],
)
def test_a_subarray_lies_in_what_the_device_holds(
    room: tuple[Polynomial, ...], bounds: tuple[Bound, ...], expected: bool
) -> None:
    first, end, *inner = room
    assert Room(first, end, tuple(inner), True).holds(bounds, (), Sizes()) is expected


@pytest.mark.parametrize(
    ("room", "bounds", "expected"),
    [
        ((ZERO, N * PITCH), (bound(0, 10), bound(0, 6)), True),
        ((ZERO, N * PITCH), (bound(0, 10), bound(1, 6)), False),
        ((ZERO, N * PITCH), (bound(0, 11), bound(0, 1)), False),
        ((ZERO, N * PITCH), (bound(1, 9), bound(-6, 12)), True),
        ((ZERO, N * PITCH), (bound(0, 2), bound(-1, 3)), False),
        ((PITCH, N * PITCH), (bound(1, 9), bound(0, 6)), True),
        ((PITCH, N * PITCH), (bound(0, 9), bound(0, 6)), False),
        ((ZERO, N * PITCH), (bound(0, 99, N), bound(0, 99, PITCH)), True),
        ((ZERO, N * PITCH, M), (bound(0, 1), bound(0, 1)), False),
    ],
)
def test_rows_of_a_pitch_lie_in_an_array_of_one_dimension(
    room: tuple[Polynomial, ...], bounds: tuple[Bound, ...], expected: bool
) -> None:
    first, end, *inner = room
    assert Room(first, end, tuple(inner), True).holds(bounds, (PITCH,), Sizes()) is expected
