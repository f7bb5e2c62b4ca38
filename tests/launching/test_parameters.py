"""What launch stubs take."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

ROWS = """
void f(int n, const float *a, float *b)
{{
    int q{init};
{directive}
    for (int i = 0; i < n; ++i) {{
        {body}
    }}
}}
"""
PRIVATE = """
        q = i % 9;
#pragma acc loop vector
        for (int j = 0; j < q; ++j)
            b[9 * i + j] = a[9 * i + j];"""
INNER = """
#pragma acc loop vector
        for (int j = 0; j < q; ++j)
            b[9 * i + j] = a[9 * i + j];
#pragma acc loop vector private(q)
        for (int j = 0; j < 9; ++j) {
            q = j % 3;
            b[9 * i + j] += q;
        }"""
DATA = "copyin(a[0:9*n]) copy(b[0:9*n])"


def stub(source: Path) -> str:
    """The head of a program's launch stub."""
    device = translate(str(source), Options(runtime=False)).device
    return device[device.index('extern "C" void f_L') :].partition("\n")[0]


@pytest.mark.parametrize(
    "directive",
    [
        f"#pragma acc parallel loop gang private(q) {DATA}",
        f"#pragma acc parallel private(q) {DATA}\n#pragma acc loop gang",
    ],
    ids=["loop", "construct"],
)
def test_a_private_variable_has_no_value_that_a_launch_takes(directive: str, tmp_path: Path) -> None:
    """The host's variable may have none: nvcc warns of what is used before it is set."""
    source = tmp_path / "a.c"
    source.write_text(ROWS.format(directive=directive, body=PRIVATE, init=""))
    assert "int q" not in stub(source)


def test_a_variable_that_is_private_elsewhere_is_taken(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(ROWS.format(directive=f"#pragma acc parallel loop gang {DATA}", body=INNER, init=" = n / 2"))
    assert "int q" in stub(source)
