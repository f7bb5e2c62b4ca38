"""Sequential loops with a constant trip count go over the numbers of their iterations."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

LOOP = """
void f(const float *a, float *b, int n, int m)
{{
#pragma acc parallel loop copyin(a[0:n+9]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {{
        float sum = 0;
        int from = i + 1;
        {head}
            sum += a[j];
        b[i] = sum;
    }}
}}
"""


def kernel(folder: Path, head: str) -> str:
    """The kernel of a loop."""
    path = folder / "a.c"
    path.write_text(LOOP.format(head=head))
    text = translate(str(path), Options(runtime=False)).device
    return text[text.index("_kernel(") :].partition("\n}")[0]


@pytest.mark.parametrize(
    ("head", "trips", "value"),
    [
        ("for (int j = i; j < i + 3; ++j)", 3, "i + t"),
        ("for (int j = i - 1; j <= i + 1; j++)", 3, "i - 1 + t"),
        ("for (int j = from; j < i + 5; ++j)", 4, "from + t"),
        ("for (int j = i + 8; j >= i; j -= 4)", 3, "i + 8 - t*4"),
        ("for (int j = i; j < i + 8; j += 3)", 3, "i + t*3"),
        ("for (int j = i; j != i + 2; j++)", 2, "i + t"),
        ("for (long j = i; j < i + 2L; j++)", 2, "i + t"),
        ("for (int j = m + i; i + m + 2 > j; j++)", 2, "m + i + t"),
    ],
)
def test_the_iterations_are_numbered(head: str, trips: int, value: str, tmp_path: Path) -> None:
    found = kernel(tmp_path, head)
    assert f"for (int t = 0; t < {trips}; ++t) {{" in found
    assert f" j = {value};" in found


@pytest.mark.parametrize(
    ("head", "loop"),
    [
        ("for (size_t j = k - 1; j <= k + 1; ++j)", ""),  # sums of 64 bits are not proved
        ("for (size_t j = n; j < n + 8; j += 3)", ""),
        ("for (unsigned j = l; j < l + 3; ++j)", "for (unsigned t = 0; t < 3; ++t) {"),  # l is 507 at most
        ("for (unsigned j = l - 2; j < l + 1; ++j)", ""),  # l may be 1
        ("for (unsigned j = u; j < u + 3; ++j)", ""),  # may wrap, which no launch tests for its sake
        ("for (size_t j = k - 2; j <= k + 1; ++j)", ""),
    ],
)
def test_those_of_unsigned_loops_are_numbered_where_bounds_are_proved_not_to_wrap(
    head: str, loop: str, tmp_path: Path
) -> None:
    text = LOOP.replace("int n, int m", "size_t n, unsigned u").replace(
        "int i = 0; i < n; ++i", "size_t k = 1; k < n; ++k"
    )
    text = text.replace("int from = i + 1;", "for (unsigned l = 1; l < 508; ++l)").replace("[i]", "[k]")
    path = tmp_path / "a.c"
    path.write_text("#include <stddef.h>" + text.format(head=head))
    found = translate(str(path), Options(runtime=False)).device
    found = found[found.index("_kernel(") :].partition("\n}")[0]
    assert loop in found
    assert ("t = 0" in found) == bool(loop)


@pytest.mark.parametrize(
    "head",
    [
        "for (int j = i; j < m; ++j)",  # only the run knows
        "for (int j = 2; j < 5; ++j)",  # a constant start needs nothing
        "for (int j = i; j < i; ++j)",  # no iteration
        "for (unsigned j = i; j < i + 3u; ++j)",  # may wrap
        "for (short j = i; j < i + 3; ++j)",
        "for (int j = from; j < i + 5; from = 0, ++j)",
        "for (int j = from; j < i + 5 && j < m; ++j)",
    ],
)
def test_other_loops_stay_as_they_are(head: str, tmp_path: Path) -> None:
    assert "int t = 0" not in kernel(tmp_path, head)
