"""Kernels declare no index, start or width that nothing needs: nvcc would warn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

DECLARATION = re.compile(r"^    const [\w ]+? (\w+) = ", re.MULTILINE)


def kernel(body: str, folder: Path, **options: object) -> str:
    """The kernel of a loop over i whose body is ``body``."""
    source = folder / "a.c"
    source.write_text(f"""
void f(float *restrict w, int n, float m)
{{
#pragma acc parallel loop independent copy(w[0:4*n])
    for (unsigned long i = 0; i < n; ++i) {{
{body}
    }}
}}
""")
    device = translate(str(source), Options(**({"method": "rbi"} | options))).device
    found = re.search(r"^static __global__ .*?^}", device, re.MULTILINE | re.DOTALL)
    assert found
    return found[0]


@pytest.mark.parametrize(
    ("body", "options", "expected"),
    [
        ("#pragma acc cache(w[4*i:4])\nfor (int k = 0; k < 4; ++k) w[4*i + k] = m;", {}, "i i_first i_width w_start"),
        ("#pragma acc cache(w[i:1])\nw[i] = m;", {}, "i i_first"),
        ("#pragma acc cache(w[i:2])\nw[i] += w[i + 1];", {"write": "through"}, "i i_first i_width w_start"),
        ("w[0] = m;", {}, "i"),
    ],
)
def test_only_what_is_needed_is_declared(body: str, options: dict[str, object], expected: str, tmp_path: Path) -> None:
    text = kernel(body, tmp_path, **options)
    declared = set(DECLARATION.findall(text)) - {"active"}
    assert declared == set(expected.split()), text


@pytest.mark.parametrize(
    ("declared", "directive"),
    [("const int from = 0;", "w[4*i + from:4]"), ("float *from = w + 4*i;", "from[0:4]")],
)
@pytest.mark.parametrize("method", ["rbi", "none", "auto"])
def test_what_a_directive_alone_names_is_not_declared(
    declared: str, directive: str, method: str, tmp_path: Path
) -> None:
    body = f"{declared}\n#pragma acc cache({directive})\nw[4*i] = m;"
    assert "from" not in kernel(body, tmp_path, method=method)


def test_an_array_of_the_gang_that_loops_have_copies_of_is_not_there(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("""
void f(int *a)
{
#pragma acc parallel copy(a[0:640])
    {
        int row[64];
#pragma acc loop gang private(row)
        for (int i = 0; i < 10; ++i) {
#pragma acc loop vector
            for (int j = 0; j < 64; ++j)
                row[j] = i + j;
#pragma acc loop vector
            for (int j = 0; j < 64; ++j)
                a[i*64 + j] += row[63 - j];
        }
    }
}
""")
    translation = translate(str(source), Options())
    assert translation.device.count("__shared__ int row") == 1
    assert translation.report.kernels[0].shared_bytes == 256


def test_counters_that_loops_have_for_themselves_are_not_there(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("""
void f(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:64*n])
    for (int i = 0; i < n; ++i) {
        int k = 0;
#pragma acc loop vector
        for (k = 0; k < 40; ++k)
            a[64*i + k] += 1;
#pragma acc loop vector
        for (k = 0; k < n; ++k)
            a[64*i + k] += 2;
    }
}
""")
    assert not re.search(r"^    int k\b", translate(str(source), Options()).device, re.MULTILINE)
