"""Left to itself, accache caches what saves accesses of global memory, and says both numbers where it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accache.report.records import SubarrayReport
from accache.report.text import Report

Explain = Callable[..., Report]

HEAD = """
void f(const float *restrict a, float *restrict b, const int *restrict at, int n, int m, int times)
{
#pragma acc parallel loop copyin(a[0:n+8], at[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        int place = at[i];
"""


def decided(explain: Explain, directive: str, body: str, **options: object) -> tuple[SubarrayReport, ...]:
    """What becomes of the subarrays of one directive."""
    text = f"{HEAD}#pragma acc cache({directive})\n        {body}\n    }}\n}}\n"
    return explain(text, **options).kernels[0].subarrays


PAYS = {
    "neighbours share": ("a[i-1:3]", "b[i] = a[i-1] + a[i+1];"),
    "one element read twice": ("a[i:1]", "b[i] = a[i] * a[i];"),
    "one element read in a loop": ("a[i:1]", "for (int k = 0; k < times; ++k) b[i] += a[i];"),
    "read and written several times": ("b[i:1]", "{ b[i] += 1; b[i] *= 2; }"),
    "only written, but again and again": ("b[i:1]", "for (int k = 0; k < times; ++k) b[i] = k;"),
    "written in a while loop": ("b[i:1]", "while (b[i] < 100) b[i] += 1;"),
    "all read all of it": ("a[0:8]", "for (int k = 0; k < 8; ++k) b[i] += a[k];"),
    "read again and again by one thread": ("a[place:2]", "for (int k = 0; k < 4; ++k) b[i] += a[place] * a[place+1];"),
    "more than is held, for many rounds": ("a[0:700]", "for (int k = 0; k < m; ++k) b[i] += a[k];"),
    "one case goes on to the next": ("a[i:1]", "switch (m) { case 0: b[i] = a[i]; case 1: b[i] += a[i]; }"),
    "one way reads several times": ("a[i-1:3]", "if (i & 1) b[i] = a[i-1] + a[i+1]; else b[i] = a[i];"),
    "checked references": ("a[i:2]", "b[i] = a[i-1] + a[i] + a[i+1];"),
}
COSTS = {
    "once in each case": (
        "a[i:1]",
        "switch (m) { case 0: b[i] = a[i]; break; case 1: { b[i] = -a[i]; break; } default: b[i] = 2 * a[i]; }",
        "256 global loads without a tile, 256 with one",
    ),
    "one way or the other": (
        "a[i-1:3]",
        "if (i & 1) b[i] = a[i-1]; else b[i] = m ? a[i] : 0;",
        "at most 256 global loads without a tile, 258 with one",
    ),
    "once, or not at all": (
        "a[i:1]",
        "switch (m) { case 0: b[i] = a[i]; break; case 2: if (i & 1) break; b[i] = -a[i]; }",
        "at most 256 global loads without a tile, 256 with one",
    ),
    "read once": ("a[i:1]", "b[i] = a[i];", "256 global loads without a tile, 256 with one"),
    "gaps": ("a[2*i:3]", "b[i] = a[2*i] + a[2*i+2];", "512 global loads without a tile, 513 with one"),
    "one read and one write": ("b[i:1]", "b[i] += 1;", "512 global loads and stores without a tile, 512 with one"),
    "written once": ("b[i:1]", "b[i] = a[i];", "256 global stores without a tile, 256 with one"),
    "a thread's own, each once": (
        "a[place:4]",
        "for (int k = place; k < place + 4; ++k) b[i] += a[k];",
        "1024 global loads without a tile, 1024 with one; it cannot be shared: the lower bound depends on place",
    ),
    "fetched anew in each round": (
        "a[i:1]",
        "b[i] = a[i];",
        "256*times global loads without a tile, 256*times with one",
    ),
    "more than is read, in each round": ("a[0:700]", "b[i] += a[i % 700];", "256*times global loads"),
    "rows away": (
        "a[i-1:3]",
        "b[i] = a[i] + a[i-m] + a[i+m];",
        "256 global loads without a tile, 258 with one",
    ),
    "at most": ("a[i:1]", "if (at[i]) b[i] = a[i];", "at most 256 global loads without a tile, 256 with one"),
}


@pytest.mark.parametrize("name", PAYS)
def test_what_saves_accesses_is_cached(name: str, explain: Explain) -> None:
    (item,) = decided(explain, *PAYS[name])
    assert item.method in ("rbi", "rbc")
    assert "ACC419" not in [told.code for told in item.refused]


@pytest.mark.parametrize("name", COSTS)
def test_what_saves_none_is_not_cached(name: str, explain: Explain) -> None:
    directive, body, numbers = COSTS[name]
    if "times" in numbers:
        text = f"{HEAD}for (int k = 0; k < times; ++k) {{\n#pragma acc cache({directive})\n{body}\n}}\n    }}\n}}\n"
        (item,) = explain(text).kernels[0].subarrays
    else:
        (item,) = decided(explain, directive, body)
    assert (item.method, item.tile) == ("none", "")
    assert numbers in item.reason
    assert [told.code for told in item.refused] == ["ACC419"]


@pytest.mark.parametrize("method", ["rbi", "rbc", "ehc"])
def test_a_method_asked_for_is_obeyed(method: str, explain: Explain) -> None:
    (item,) = decided(explain, "a[i:1]", "b[i] = a[i];", method=method)
    assert item.method == method


def test_sharing_makes_the_difference(explain: Explain) -> None:
    directive, body = PAYS["neighbours share"]
    (item,) = decided(explain, directive, body, sharing=False)
    assert item.method == "none"
    assert item.reason == (
        "a block makes 512 global loads without a tile, 768 with one; it cannot be shared: --sharing off"
    )


def test_each_subarray_is_judged_alone(explain: Explain) -> None:
    items = decided(explain, "a[i-1:3], at[i:1]", "b[i] = a[i-1] + a[i+1] + at[i];")
    assert [item.method for item in items] == ["rbi", "none"]


def test_a_tile_given_up_leaves_its_room_to_others(explain: Explain) -> None:
    body = "b[i] = at[i]; for (int k = 0; k < 300; ++k) b[i] += a[k];"
    first, second = decided(explain, "at[0:40000], a[0:40000]", f"{{ {body} }}")
    assert (first.method, second.method) == ("none", "rbi")


def test_references_outside_of_the_region_do_not_count(explain: Explain) -> None:
    text = HEAD + "b[i] = a[i+5];\n#pragma acc cache(a[i-1:3])\nb[i] += a[i-1] + a[i+1];\n    }\n}\n"
    (item,) = explain(text).kernels[0].subarrays
    assert item.loads is not None
    assert (item.loads.before.formula, item.loads.after.formula) == ("512", "258")


STRUCTURES = """
struct lists { int v[4]; union { float f; int w[2][3]; } u; };
void f(const struct lists *restrict s, int *restrict r, int n)
{
#pragma acc parallel loop copyin(s[0:n]) copyout(r[0:n])
    for (int i = 0; i < n; ++i) {
        int sum = 0;
#pragma acc cache(s[i:1])
        for (int k = 0; k < TIMES; ++k)
            sum += s[i].v[2] + s[i].u.w[1][k % 3];
        r[i] = sum;
    }
}
"""


@pytest.mark.parametrize(("times", "method"), [(2, "none"), (20, "rbi")])
def test_members_are_loaded_one_by_one_and_tiles_hold_whole_structures(
    times: int, method: str, explain: Explain
) -> None:
    item = explain(STRUCTURES.replace("TIMES", str(times))).kernels[0].subarrays[0]
    assert item.method == method
    if method == "none":
        assert "makes 1024 global loads without a tile, estimate 2560 with one" in item.reason
