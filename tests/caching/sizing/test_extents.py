"""Fetches are clipped to the array unless a proof, or a look at the launch, says that they stay inside of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from plans import Plan, each_decision, plans

from accache.base.options import Options
from accache.caching.cached import CachedKernel
from accache.driver import translate

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
    if tile.clipped:
        return ["each element that is fetched is compared with where the array begins and ends"]
    if tile.assumed is None:
        return ["nothing is compared"]
    return [f"the launch makes sure of [{tile.assumed[0].to_c()}, {tile.assumed[1].to_c()})"]


@pytest.mark.parametrize("case", plans(__file__, "extents"), ids=str)
def test_what_is_checked(case: Plan, update_golden: bool) -> None:
    case.holds(each_decision(case, extents), update_golden)
