"""``--auto-cache``: directives that nobody wrote, found in the kernels, against those that the samples have."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from families import some
from matrix.bare import kernels

from accache.base.options import Options
from accache.driver import translate
from accache.workflows.without_directives import without_cache_directives

SAMPLES = Path(__file__).parents[3] / "samples"
FOUND = {
    "stencil": ["a[i-1:3]"],
    "jacobi": ["b[i-1:3][j-1:3]"],
    "gemm": ["a[i:1][l:16]", "b[l:16][j:1]"],
    "nbody": ["x[t:256]", "y[t:256]", "z[t:256]", "m[t:256]"],
    "strided": ["a[3*i+4:5]"],
    "transpose": [],
    "lookup": [],
}
"""The subarrays that are proposed where a sample's directives are deleted."""
SAME = ("stencil", "jacobi", "gemm", "nbody", "strided", "transpose")


def bare(name: str, folder: Path) -> str:
    """The path of a sample without its cache directives."""
    path = folder / f"{name}.c"
    path.write_text(without_cache_directives((SAMPLES / f"{name}.c").read_text()))
    return str(path)


@pytest.mark.parametrize(
    ("name", "coarsen", "tune"),
    [
        *some(product(SAME, ["auto"], ["model"]), 2),
        *some(product(SAME, ["off"], ["off"]), 4, 3),
        *some(product(SAME, ["off"], ["model"]), 4),
        *some(product(SAME, ["auto"], ["off"]), 4, 1),
    ],
)
def test_a_sample_without_directives_gets_the_kernels_that_it_has_with_them(
    name: str, coarsen: str, tune: str, tmp_path: Path
) -> None:
    options = Options(coarsen=coarsen, tune=tune)
    written = kernels(str(SAMPLES / f"{name}.c"), options)
    assert kernels(bare(name, tmp_path), Options(coarsen=coarsen, tune=tune, auto_cache=True)) == written


@pytest.mark.parametrize("name", some(FOUND, 2))
def test_the_subarrays_of_the_samples_are_found(name: str, tmp_path: Path) -> None:
    report = translate(bare(name, tmp_path), Options(auto_cache=True)).report
    found = [item for kernel in report.kernels for item in kernel.subarrays]
    assert [item.written for item in found] == FOUND[name]
    assert all(item.density > 0 for item in found)


FORMS = {
    "guard": ("a[0:n]", "for (int i = 0; i < n; ++i) if (c[i]) b[i] = a[i-1] + a[i] + a[i+1];", "a[i-1:3]"),
    "records": ("a[0:3*n]", "for (int i = 0; i < n; ++i) b[i] = a[3*i] + a[3*i+1] + a[3*i+2];", "a[3*i:3]"),
    "down": ("a[0:n]", "for (int i = n - 2; i >= 1; --i) b[i] = a[i-1] + a[i] + a[i+1];", "a[i-1:3]"),
    "size_t": ("a[0:n]", "for (size_t i = 1; i < n - 1; ++i) b[i] = a[i-1] + a[i] + a[i+1];", "a[i-1:3]"),
    "counter": ("a[0:n]", "for (i = 1; i < n - 1; ++i) b[i] = a[i-1] + a[i] + a[i+1];", "a[i-1:3]"),
    "late name": (
        "a[0:n]",
        "for (int i = 1; i < n - 1; ++i) { int k = i - 1; b[i] = a[k] + a[k+1] + a[k+2]; }",
        "a[i-1:3]",
    ),
    "hidden name": (
        "a[0:n]",
        "for (int i = 1; i < n - 1; ++i) { int n = 0; for (int j = i; j < i + 3; ++j) n += a[j-1]; b[i] = n; }",
        "a[i-1:3]",
    ),
    "written": ("a[0:n]", "for (int i = 1; i < n - 1; ++i) { b[i] = a[i-1] + a[i] + a[i+1]; a[n] = 0; }", ""),
    "gathered": ("a[0:n]", "for (int i = 0; i < n; ++i) { int k = c[i]; b[i] = a[k] + a[k+1] + a[k+2]; }", ""),
    "sparse rows": (
        "a[0:n]",
        "for (int i = 0; i < n; ++i) { float s = 0; for (int k = c[i]; k < c[i+1]; ++k) s += a[k] * a[c[k]];"
        " b[i] = s; }",
        "",
    ),
    "divergent": (
        "a[0:n]",
        "for (int i = 0; i < n; ++i) { float s = 0; for (int k = 0; k < c[i]; ++k)"
        " for (int l = 16 * k; l < 16 * k + 16; ++l) s += a[l]; b[i] = s; }",
        "",
    ),
    "address": (
        "a[0:n]",
        "for (int i = 1; i < n - 1; ++i) { const float *p = a + i; b[i] = p[-1] + p[0] + p[1]; }",
        "a[i-1:3]",
    ),
    "coalesced": ("a[0:n]", "for (int i = 0; i < n; ++i) b[i] = 2 * a[i];", ""),
    "too large": (
        "a[0:n]",
        "for (int i = 0; i < n; ++i) { float s = 0; for (int k = 0; k < 99999; ++k) s += a[k]; b[i] = s; }",
        "a[k:1]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_loops(name: str, tmp_path: Path) -> None:
    data, loop, expected = FORMS[name]
    path = tmp_path / "f.c"
    path.write_text(
        "#include <stddef.h>\nvoid f(float *restrict a, const int *restrict c, float *restrict b, int n)\n{\n"
        f"    int i;\n#pragma acc parallel loop copyin({data}, c[0:n]) copy(b[0:n])\n    {loop}\n}}\n"
    )
    report = translate(str(path), Options(auto_cache=True, tune="off", coarsen="off")).report
    assert [item.written for item in report.kernels[0].subarrays] == ([expected] if expected else [])


def test_without_the_option_nothing_is_proposed(tmp_path: Path) -> None:
    report = translate(bare("gemm", tmp_path), Options()).report
    assert not any(kernel.subarrays for kernel in report.kernels)
