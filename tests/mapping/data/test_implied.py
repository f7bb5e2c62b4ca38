"""A pointer without a clause gets one where the loops say which elements of its target are touched, and only there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
typedef struct {{ int *inner; }} holder;
void g(int *a, int i);
void f(int *a, int **rows, holder *held, double *b, int n, int m, unsigned u, long long big)
{{
#pragma acc parallel loop {clauses}
    for (int i = 0; i < n; ++i) {{
        {body}
    }}
}}
"""
ALL = "a, (size_t)(n > 0 ? n : 0)"


def maps(tmp_path: Path, body: str, clauses: str = "") -> list[str]:
    """What the stub maps: address and number of elements."""
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.format(body=body, clauses=clauses))
    device = translate(str(source), Options()).device
    stub = device[device.index('extern "C" void f_L') :]
    return re.findall(r"accache_map\(\w+, (.*?) \* sizeof", stub[: stub.index("\n}\n")])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a[i] = 1;", ALL),
        ("a[i] = 1; if (i > 3) a[i] = a[i] + 1;", ALL),
        ("a[n - 1 - i] += 1;", ALL),
        ("a[i + 3] = 1;", "a + 3, (size_t)(n > 0 ? n : 0)"),
        ("a[i] = 1; a[0] = 1;", ALL),
        ("for (int j = 0; j < n; ++j) a[j] += i;", ALL),
        ("for (int j = 0; j < m; ++j) a[i] += j;", "a, (size_t)(m > 0 ? n : 0)"),
        ("for (int j = 0; j < m; ++j) a[i + j] += j;", "a, (size_t)(n > 0 && m > 0 ? m + n - 1 : 0)"),
        ("for (int j = 0; j < m; ++j) a[i*m + j] = j;", "a, (size_t)(n > 0 && m > 0 ? m*n : 0)"),
        ("for (int j = 0; j < 4; ++j) a[4*i + j] = j;", "a, (size_t)(n > 0 ? 4*n : 0)"),
        ("for (int j = 0; j < i; ++j) a[j] = 1;", "a, (size_t)(n - 1 > 0 ? n - 1 : 0)"),
        ("for (int j = 0; j <= i; ++j) a[i*n + j] = 1;", "a, (size_t)(n > 0 ? n*n : 0)"),
        ("for (int j = i + 1; j < n; ++j) a[i*n + j] = 1;", "a + 1, (size_t)(n - 1 > 0 ? n*n - n - 1 : 0)"),
        ("for (int j = n - 1; j > i; --j) a[j*n + i] = 1;", "a + n, (size_t)(n - 1 > 0 ? n*n - n - 1 : 0)"),
        ("a[i*n + i] = 1; for (int j = 0; j < i; ++j) a[i*n + j] = a[j*n + i];", "a, (size_t)(n > 0 ? n*n : 0)"),
        ("const int k = i + 1; a[k] = 1;", "a + 1, (size_t)(n > 0 ? n : 0)"),
    ],
)
def test_what_loops_touch_is_mapped(body: str, expected: str, tmp_path: Path) -> None:
    assert maps(tmp_path, body) == [expected]


@pytest.mark.parametrize(
    "body",
    [
        "for (int j = 2*i; j < n; ++j) a[j] = 1;",  # every second i
        "if (i > 3) a[i] = 1;",  # how far is not known
        "a[i] = 1; if (i > 3) a[i - 1] = 1;",
        "for (int j = 0; j < n; j += 2) a[j] = i;",  # the last element may lie behind the array
        "for (int j = 0; j < n; ++j) { if (j > m) break; a[j] = i; }",
        "int j = 0; while (j < m) a[j++] = i;",
        "a[(int)b[i]] = 1;",
        "a[i * i] = 1;",
        "for (int j = 0; j < m; ++j) a[big*i + j] = j;",  # a product of int variables might overflow
        "rows[i][0] = 1;",
        "held[i].inner = 0;",
        "*(i > 3 ? a : a + m) = i;",
        "a = a + 1; a[i] = 1;",
        "m += i; a[m] = 1;",
    ],
)
def test_what_is_not_known_exactly_must_be_present(body: str, tmp_path: Path) -> None:
    assert [text for text in maps(tmp_path, body) if not text.startswith("b")] == []


@pytest.mark.parametrize("clauses", ["default(present)", "present(a)", "deviceptr(a)"])
def test_the_users_clauses_decide(clauses: str, tmp_path: Path) -> None:
    assert ALL not in maps(tmp_path, "a[i] = 1;", clauses)


def test_a_construct_around_names_the_variable_of_its_place(tmp_path: Path) -> None:
    function = """
void FUNCTION(float *x, int n)
{
#pragma acc data copyin(x[0:n]) if (n > 100)
    {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            x[i] += 1;
    }
}
"""
    source = tmp_path / "a.c"
    source.write_text(function.replace("FUNCTION", "f") + function.replace("FUNCTION", "g"))
    device = translate(str(source), Options()).device
    stubs = [device[device.index(f'extern "C" void {name}_L') :] for name in "fg"]
    mapped = [re.findall(r"accache_map\(.*|accache_device_pointer\(.*", stub[: stub.index("\n}\n")]) for stub in stubs]
    assert mapped[0] == mapped[1]
