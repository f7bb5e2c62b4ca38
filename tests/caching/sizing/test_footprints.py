"""What launches make of the elements that a kernel is certain to use: tests, and the bounds of fetches."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import Translation, translate

LOOP = """void f(float *p, float *restrict b, int n, int m)
{{
#pragma acc parallel loop {clause} copy(b[0:n])
    for (int i = 1; i < n; i++) {{
#pragma acc cache(p[i-2:5])
        b[i] = {value};
    }}
}}
"""


def translated(tmp_path: Path, clause: str, value: str, method: str = "rbi") -> Translation:
    path = tmp_path / "f.c"
    path.write_text(LOOP.format(clause=clause, value=value))
    return translate(str(path), Options(method=method))


@pytest.mark.parametrize(
    ("value", "ends"),
    [
        ("p[i] + p[i - 1]", "0, n"),
        ("p[i + 1] + p[i]", "1, (long long)n + 1"),
        ("i % 2 ? p[i] : p[i + 1]", ""),
    ],
)
def test_of_a_device_pointer_that_is_fetched_which_lies_between_certain_references(
    tmp_path: Path, value: str, ends: str
) -> None:
    translation = translated(tmp_path, "deviceptr(p)", value)
    assert ("p_tile[" in translation.device) == bool(ends)
    assert (
        f"(n, p_device, b_device, {ends});" in translation.device
        if ends
        else "deviceptr" in str(translation.diagnostics)
    )


@pytest.mark.parametrize(
    ("value", "test"),
    [
        ("p[i] + p[i - 1]", '0, 0, (long long)n - 1, "p");'),
        (
            "p[i] + (i > 5 ? p[i - 1] : 0)",
            '0, 1, (long long)n - 1, "p");',
        ),
    ],
)
@pytest.mark.parametrize(
    ("method", "function"),
    [("rbi", "accache_fetches(p_extent, "), ("none", "accache_reaches(accache_extent_of(p, sizeof(float)), ")],
)
def test_a_launch_compares_certain_references_with_what_is_on_the_device(
    tmp_path: Path, value: str, test: str, method: str, function: str
) -> None:
    assert f"{function}{test}" in translated(tmp_path, "copyin(p[0:m])", value, method).device
    assert function not in translated(tmp_path, "copyin(p[0:n])", value, method).device


AROUND = """void f(int n, const float *a, float *b)
{{
#pragma acc data {clauses}
    {{
#pragma acc parallel loop {own}
        for (int i = 0; i < 100; i++)
            b[i] = a[i];
    }}
}}
"""


@pytest.mark.parametrize(
    ("clauses", "own", "told"),
    [
        ("copyin(a[0:50]) copy(b[0:100])", "", "elements 0 to 99 of 'a' are used, and 'copyin' maps elements 0 to 49"),
        ("create(a[1:99]) copy(b[0:100])", "", "elements 0 to 99 of 'a' are used, and 'create' maps elements 1 to 99"),
        ("copyin(a[0:1]) copy(b[0:100])", "", "elements 0 to 99 of 'a' are used, and 'copyin' maps element 0"),
        ("copyin(a[0:100]) copy(b[0:100])", "", ""),
        ("copyin(a[0:n]) copy(b[0:100])", "", ""),
        ("copyin(a[0:50]) copy(b[0:100])", "copyin(a[0:100])", ""),  # the launch refuses that
        ("present(a[0:50]) copy(b[0:100])", "", ""),
    ],
)
def test_what_a_data_construct_around_leaves_out_is_told(clauses: str, own: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(AROUND.format(clauses=clauses, own=own))
    assert [found.message for found in translate(str(path), Options()).diagnostics if found.code == "ACC331"] == (
        [told] if told else []
    )


def test_of_two_data_constructs_around_neither_is_told(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    inner = AROUND.format(clauses="copyin(a[0:50]) copy(b[0:100])", own="")
    path.write_text(inner.replace("{\n", "{\n#pragma acc data copyin(a[0:100])\n", 1))
    assert not [found for found in translate(str(path), Options()).diagnostics if found.code == "ACC331"]


WRAPPED = """void f(unsigned n, unsigned off, const float *restrict p, const float *restrict q, float *restrict b)
{
#pragma acc parallel loop copyin(p[0:n+1], q[0:n]) copy(b[0:n])
    for (unsigned i = 1; i < n; ++i) {
#pragma acc cache(p[i-1:3])
        b[i] = p[i - 1] + p[i] + p[i + 1] + q[i + off];
    }
}
"""


def test_a_sum_that_may_wrap_tells_nothing_of_an_array_without_a_tile(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(WRAPPED)  # off may stand for a negative number
    device = translate(str(path), Options(method="rbi", runtime=False)).device
    assert "p_tile[" in device
    assert not any("accache_reaches(" in line and '"q"' in line for line in device.splitlines())
