"""Which grids may need more blocks along y or z than a launch can have."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

LOOPS = """
void f({parameters}, const float *a, float *b)
{{
#pragma acc parallel loop collapse({depth}) deviceptr(a, b)
{loops}
                b[{element}] = a[{element}];
}}
"""


def sliced_axes(folder: Path, parameters: str, element: str, *bounds: str) -> set[str]:
    """The axes along which kernels are launched in slices."""
    loops = "\n".join(f"    for ({bound.format(v)}; ++{v})" for v, bound in zip("ijk", bounds, strict=False))
    path = folder / "a.c"
    path.write_text(LOOPS.format(parameters=parameters, depth=len(bounds), loops=loops, element=element))
    device = translate(str(path), Options()).device
    return {axis for axis in "xyz" if f"unsigned {axis}_start)" in device}


@pytest.mark.parametrize(
    ("parameters", "element", "bounds", "axes"),
    [
        ("int n, int m", "i*m + j", ("int {0} = 0; {0} < n", "int {0} = 0; {0} < m"), {"y"}),
        ("int n, int m", "i*m + j", ("short {0} = 0; {0} < n", "int {0} = 0; {0} < m"), set()),
        ("int n, int m", "i*m + j", ("int {0} = 0; {0} < 70", "int {0} = 0; {0} < m"), set()),
        ("int n", "i*n + j", ("int {0} = 1; {0} < n - 1", "int {0} = 0; {0} < n"), set()),
        ("long n", "i*n + j", ("long {0} = 1; {0} < n - 1", "long {0} = 0; {0} < n"), {"y"}),
        ("int n", "i*n + j", ("int {0} = 0; {0} < 2*n", "int {0} = 0; {0} < n"), set()),
        ("int n, int m", "i*n + j", ("int {0} = m; {0} < n", "int {0} = 0; {0} < n"), {"y"}),
        (
            "int n, int m",
            "(i*m + j)*m + k",
            ("int {0} = 0; {0} < n", "int {0} = 0; {0} < m", "int {0} = 0; {0} < m"),
            {"z"},
        ),
        (
            "int n, int m, float c[][2000]",
            "i*m + (int)c[0][i]",
            ("int {0} = 0; {0} < n", "int {0} = 0; {0} < m"),
            set(),
        ),
        ("int n, int m, float c[][9]", "i*m + (int)c[i][0]", ("int {0} = 0; {0} < n", "int {0} = 0; {0} < m"), {"y"}),
        ("int n", "i", ("int {0} = 0; {0} < n",), set()),
    ],
    ids=[
        "rows",
        "short",
        "constant",
        "square",
        "wide",
        "two squares",
        "from a variable",
        "solid",
        "columns",
        "rows of nine",
        "one loop",
    ],
)
def test_slices_are_made_where_an_axis_may_be_too_short(
    tmp_path: Path, parameters: str, element: str, bounds: tuple[str, ...], axes: set[str]
) -> None:
    assert sliced_axes(tmp_path, parameters, element, *bounds) == axes


def test_blocks_that_stride_over_rows_need_no_slices(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        "float f(int n, int m, const float *a)\n{\n    float s = 0;\n"
        "#pragma acc parallel loop collapse(2) deviceptr(a) reduction(+:s)\n"
        "    for (int i = 0; i < n; ++i)\n        for (int j = 0; j < m; ++j)\n            s += a[i*m + j];\n"
        "    return s;\n}\n"
    )
    device = translate(str(path), Options()).device
    assert "i += 8*gridDim.y" in device
    assert "y_start" not in device


def test_the_start_of_a_slice_and_that_of_a_tile_have_names_of_their_own(tmp_path: Path) -> None:
    """Of an array that is called like the axis."""
    path = tmp_path / "a.c"
    path.write_text("""
void f(int n, int m, const float *y, float *b)
{
#pragma acc parallel loop collapse(2) copyin(y[0:m + 8]) copy(b[0:n*m])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
#pragma acc cache(y[j:8])
            for (int k = 0; k < 8; ++k)
                b[i*m + j] += y[j + k]*y[5];
        }
}
""")
    kernel = translate(str(path), Options(method="rbc")).device.partition("_kernel(int")[2].partition("\n}")[0]
    assert "unsigned y_start2)" in kernel
    assert "int y_start = " in kernel
