"""Loops over a chunk of constant length that the data's end may cut short are split by one test."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

LOOP = """
void f(const float *a, float *b, int n)
{{
#pragma acc parallel loop gang vector copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {{
        for (int l = 0; l < n; l += 16) {{
#pragma acc cache(a[l:16])
            {head} {{
                {body}
            }}
        }}
    }}
}}
"""
SUM = "b[i] += a[k];"


def kernel(folder: Path, head: str, body: str = SUM) -> str:
    """The kernel of a loop."""
    path = folder / "a.c"
    path.write_text(LOOP.format(head=head, body=body))
    text = translate(str(path), Options(runtime=False, method="rbi")).device
    return text[text.index("_kernel(") :].partition("\n}")[0]


@pytest.mark.parametrize(
    ("head", "test"),
    [
        ("for (int k = l; k < l + 16 && k < n; ++k)", "if (l + 16 <= n) {"),
        ("for (int k = l; k < n && k < l + 16; ++k)", "if (l < n && l + 16 <= n) {"),
        ("for (int k = l; k <= l + 15 && k <= n - 1; ++k)", "if (l + 15 <= n - 1) {"),
    ],
)
def test_full_chunks_have_a_loop_of_constant_length(head: str, test: str, tmp_path: Path) -> None:
    found = kernel(tmp_path, head)
    assert test in found
    full, _, rest = found.partition(test)[2].partition("} else {")
    assert "for (int t = 0; t < 16; ++t)" in full
    assert "a_tile[t]" in full
    assert head in rest


@pytest.mark.parametrize(
    ("ctype", "test"),
    [("unsigned", "if (l + 16 <= n) {"), ("unsigned long", "if (l < l + 16 && l + 16 <= n) {")],
)
def test_chunks_of_unsigned_numbers_are_full_where_their_ends_do_not_wrap(
    ctype: str, test: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        LOOP.format(head="for (int k = l; k < l + 16 && k < n; ++k)", body=SUM).replace("int ", f"{ctype} ")
    )
    device = translate(str(path), Options(runtime=False, method="rbi")).device
    tiled, _, plain = device.partition("_kernel(")[2].partition("_kernel_uncached(")
    assert test in tiled
    assert test not in plain or ctype != "unsigned"  # which serves launches where sums wrap
    assert ("(double)n + 15 <= UINT_MAX" in device) == (ctype == "unsigned")


def test_a_variable_that_is_used_elsewhere_keeps_its_name(tmp_path: Path) -> None:
    found = kernel(tmp_path, "for (int k = l; k < l + 16 && k < n; ++k)", "b[i] += a[k]*k;")
    assert "const int k = l + t;" in found.partition("} else {")[0]


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("for (int k = l; k < l + 16 && k < i; ++k)", SUM),  # not the same for all threads
        ("for (int k = l; k < l + 16 && b[k] > 0; ++k)", SUM),
        ("for (unsigned k = l; k < l + 16u && k < n; ++k)", SUM),
        ("for (int k = l; k < n; ++k)", SUM),
        ("for (int k = l; k < l + 1000 && k < n; ++k)", SUM),
    ],
)
def test_other_loops_are_written_once(head: str, body: str, tmp_path: Path) -> None:
    assert "} else {" not in kernel(tmp_path, head, body)
