"""Parallel loops whose step only the run knows go over the numbers of their iterations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.driver import translate

LOOP = """
struct plan {{ int stride; }};
void f(float *a, int n, int s, struct plan p)
{{
#pragma acc {directive} copy(a[0:n])
    {head}
        a[{index}] = {body};
}}
"""


def kernel(folder: Path, head: str, directive: str = "parallel loop", index: str = "i", body: str = "1") -> str:
    """The kernel of a loop."""
    path = folder / "a.c"
    path.write_text(LOOP.format(head=head, directive=directive, index=index, body=body))
    text = translate(str(path), Options(runtime=False)).device
    return text[text.index("_kernel(") :].partition("\n}")[0]


def messages(folder: Path, head: str, directive: str = "parallel loop", body: str = "1") -> list[str]:
    """The codes of what is said of a loop."""
    path = folder / "a.c"
    path.write_text(LOOP.format(head=head, directive=directive, index="i", body=body))
    try:
        found = translate(str(path), Options()).diagnostics
    except CompileError as error:
        found = error.diagnostics
    return [item.code for item in found]


@pytest.mark.parametrize(
    ("head", "condition", "value"),
    [
        ("for (int i = 0; i < 9; i += s)", "8/(long long)s + 1", "(int)(i_number*(long long)s)"),
        (
            "for (int i = 0; i < n; i += p.stride)",
            "((long long)n > 0 ? ((long long)n - 1)/(long long)p->stride + 1 : 0)",
            "(int)(i_number*(long long)p->stride)",
        ),
        ("for (int i = 8; i >= 0; i = i - s)", "8/(long long)s + 1", "(int)(8 - i_number*(long long)s)"),
        ("for (int i = 8; i >= 0; i += s)", "8/-(long long)s + 1", "(int)(8 - i_number*-(long long)s)"),
        ("for (int i = 0; i < 9; i -= s)", "8/-(long long)s + 1", "(int)(i_number*-(long long)s)"),
        ("for (unsigned i = 1; i <= 9; i = s + i)", "8/(long long)s + 1", "(unsigned)(1 + i_number*(long long)s)"),
    ],
)
def test_the_number_tells_the_variable(head: str, condition: str, value: str, tmp_path: Path) -> None:
    found = kernel(tmp_path, head)
    assert f"if (i_number < {condition})" in found
    assert re.search(rf"const (?:int|unsigned) i = {re.escape(value)};", found)


@pytest.mark.parametrize("head", ["for (int i = 0; i < n; i += 3)", "for (int i = n - 1; i >= 0; i -= 2 * 4)"])
def test_steps_that_are_known_stay(head: str, tmp_path: Path) -> None:
    assert "i_number" not in kernel(tmp_path, head)


def test_collapsed_loops_declare_their_variables_inside(tmp_path: Path) -> None:
    head = "for (int i = 0; i < 9; i += s)\n        for (int j = 0; j < 99; ++j)"
    found = kernel(tmp_path, head, "parallel loop collapse(2)", "n*i + 100*j")
    assert re.search(r"i_number < 8/\(long long\)s \+ 1 && j < 99\) \{\n\s+const int i = ", found)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("for (int i = 0; i < n; i += s)", "s++"),
        ("for (int i = 0; i < n; i += i)", "1"),
        ("for (int i = 1; i < n; i *= s)", "1"),
        ("for (int i = 0; i != n; i += s)", "1"),
        ("for (unsigned i = 9; i > 0; i -= s)", "1"),
        ("for (short i = 0; i < 9; i += s)", "1"),
        ("for (int i = 9; i > 0; i += (unsigned)s)", "1"),
        ("for (int i = 0; i < n; i += 0.5f)", "1"),
        ("for (int i = 0; i < n; i += s++)", "1"),
    ],
)
def test_what_changes_or_wraps_is_refused(head: str, body: str, tmp_path: Path) -> None:
    assert messages(tmp_path, head, body=body) == ["ACC306"]


@pytest.mark.parametrize("head", ["for (int i = 0; i < n; i += s)", "for (int i = s; i < n; i += p.stride)"])
def test_of_private_variables_nothing_is_computed(head: str, tmp_path: Path) -> None:
    assert messages(tmp_path, head, "parallel loop private(s)") == ["ACC333", "ACC306"]  # s has no value, either
    inner = f"for (int r = 0; r < 2; ++r)\n#pragma acc loop vector private(s)\n    {head}"
    assert messages(tmp_path, inner, "parallel loop gang") == ["ACC333", "ACC306"]


@pytest.mark.parametrize("head", ["for (int i = 0; i < n; i += (int)a[3])", "for (int i = (int)a[3]; i < n; i += s)"])
def test_of_elements_that_the_loop_writes_nothing_is_computed(head: str, tmp_path: Path) -> None:
    assert messages(tmp_path, head) == ["ACC306"]
    assert messages(tmp_path, head.replace("a[3]", "p.stride")) == []


def test_bounds_that_depend_on_a_numbered_loop_are_refused_in_a_collapse(tmp_path: Path) -> None:
    head = "for (int i = 0; i < n; i += s)\n        for (int j = i; j < n; j += s)"
    assert "ACC306" in messages(tmp_path, head, "parallel loop collapse(2)")


@pytest.mark.parametrize("directive", ["kernels loop", "parallel loop auto"])
@pytest.mark.parametrize("head", ["for (int i = 0; i < n; i += s)", "for (int i = 1; i < n; i *= 2)"])
def test_loops_that_nobody_called_independent_run_sequentially(directive: str, head: str, tmp_path: Path) -> None:
    assert messages(tmp_path, head, directive) == ["ACC307"]
