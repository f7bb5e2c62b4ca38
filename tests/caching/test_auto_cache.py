"""``--auto-cache``: directives that nobody wrote, found in the kernels, against those that the samples have."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix.bare import kernels, without_directives

from accache.base.options import Options
from accache.driver import translate

SAMPLES = Path(__file__).parents[2] / "samples"
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


def bare(name: str, folder: Path) -> str:
    """The path of a sample without its cache directives."""
    path = folder / f"{name}.c"
    path.write_text(without_directives((SAMPLES / f"{name}.c").read_text()))
    return str(path)


@pytest.mark.parametrize("tune", ["model", "off"])
@pytest.mark.parametrize("coarsen", ["auto", "off"])
@pytest.mark.parametrize("name", ["stencil", "jacobi", "gemm", "nbody", "strided", "transpose"])
def test_a_sample_without_directives_gets_the_kernels_that_it_has_with_them(
    name: str, coarsen: str, tune: str, tmp_path: Path
) -> None:
    options = Options(coarsen=coarsen, tune=tune)
    written = kernels(str(SAMPLES / f"{name}.c"), options)
    assert kernels(bare(name, tmp_path), Options(coarsen=coarsen, tune=tune, auto_cache=True)) == written


@pytest.mark.parametrize("name", FOUND)
def test_the_subarrays_of_the_samples_are_found(name: str, tmp_path: Path) -> None:
    report = translate(bare(name, tmp_path), Options(auto_cache=True)).report
    found = [item for kernel in report.kernels for item in kernel.subarrays]
    assert [item.written for item in found] == FOUND[name]
    assert all(item.density > 0 for item in found)


def test_without_the_option_nothing_is_proposed(tmp_path: Path) -> None:
    report = translate(bare("gemm", tmp_path), Options()).report
    assert not any(kernel.subarrays for kernel in report.kernels)
