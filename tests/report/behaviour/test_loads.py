"""The global loads that explain predicts against those counted while the program runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from families import some
from formula_values import evaluate
from sample_reports import report_of, translation

from accache.cpu.findings import KernelCounters

Runner = Callable[[str, str, tuple[int, ...]], Mapping[str, KernelCounters]]

# Arguments of the program, its values as formulas name them, launches of each kernel. Partial blocks where nothing
# is clipped: then the predictions hold for any size.
RUNS = (
    ("stencil", (514, 2), {"n": 514}, 2),
    ("stencil", (700, 1), {"n": 700}, 1),
    ("stencil", (258, 1), {"n": 258}, 1),
    ("jacobi", (34, 50, 2), {"n": 34, "m": 50}, 2),
    ("jacobi", (41, 29, 1), {"n": 41, "m": 29}, 1),
    ("gemm", (48,), {"n": 48}, 1),
    ("nbody", (512, 2), {"n": 512}, 2),
    ("strided", (600,), {"n": 600}, 1),
    ("histogram", (3000,), {"n": 3000, "chunks": 3}, 1),
    ("transpose", (64, 96), {"n": 64, "m": 96}, 1),
)
FEWER = {"stencil": (514, 1), "jacobi": (34, 50, 1), "gemm": (48,), "nbody": (512, 1)}
BOUNDED = (
    ("gemm", (50,), {"n": 50}),
    ("nbody", (300, 1), {"n": 300}),
    ("lookup", (500, 100), {"n": 500}),
    ("write_dense", (600, 3), {"n": 600, "iterations": 3}),
    ("write_sparse", (600, 70), {"n": 600, "iterations": 70}),
    ("transpose", (33, 65), {"n": 33, "m": 65}),
)


@pytest.mark.parametrize(("name", "arguments", "values", "launches"), some(RUNS, 2))
def test_loads_with_cache(
    name: str, arguments: tuple[int, ...], values: dict[str, int], launches: int, counted: Runner
) -> None:
    counters = counted(name, "auto", arguments)
    for kernel in report_of(name).kernels:
        found = counters[kernel.name]
        assert found.launches == launches
        assert found.total.global_loads == launches * evaluate(kernel.launch_loads.after.formula, values)
        assert found.copying.global_loads == launches * evaluate(kernel.launch_fetches.formula, values)


@pytest.mark.parametrize(("name", "arguments", "values", "launches"), some((run for run in RUNS if run[0] in FEWER), 2))
def test_loads_without_cache(
    name: str, arguments: tuple[int, ...], values: dict[str, int], launches: int, counted: Runner
) -> None:
    counters = counted(name, "none", arguments)
    for kernel in report_of(name).kernels:
        expected = launches * evaluate(kernel.launch_loads.before.formula, values)
        assert counters[kernel.name].total.global_loads == expected


@pytest.mark.parametrize("name", FEWER)
def test_the_cache_saves_loads(name: str, counted: Runner) -> None:
    first = report_of(name).kernels[0].name
    cached, plain = (counted(name, method, FEWER[name])[first].total.global_loads for method in ("auto", "none"))
    assert cached < plain / 2


@pytest.mark.parametrize(("name", "arguments", "values"), BOUNDED)
def test_bounds_hold_where_loads_depend_on_data(
    name: str, arguments: tuple[int, ...], values: dict[str, int], counted: Runner
) -> None:
    counters = counted(name, "auto", arguments)
    for kernel in report_of(name).kernels:
        after, found = kernel.launch_loads.after, counters[kernel.name].total.global_loads
        predicted = evaluate(after.formula, values)
        assert found == predicted if after.bound == "exact" else found <= predicted


SIZES = {
    "backwards": {"n": 300},
    "few_gangs": {"n": 300},
    "rows": {"n": 7, "m": 50},
    "points": {"n": 300},
    "triangle": {"n": 300},
    "blocks": {"n": 60},
}


@pytest.mark.parametrize("method", ["auto", "none"])
def test_every_way_of_mapping_loops(method: str, counted: Runner) -> None:
    counters = counted("mappings", method, ())
    report = translation("mappings", method).report
    assert {kernel.function for kernel in report.kernels} == set(SIZES)
    for kernel in report.kernels:
        values, found = SIZES[kernel.function], counters[kernel.name]
        assert evaluate(kernel.launch_loads.after.formula, values) == found.total.global_loads
        assert evaluate(kernel.launch_fetches.formula, values) == found.copying.global_loads
        if method == "none":
            assert evaluate(kernel.launch_loads.before.formula, values) == found.total.global_loads


@pytest.mark.parametrize(
    ("name", "arguments", "values"),
    [
        ("stencil", (258, 1), {}),
        ("jacobi", (18, 18, 1), {}),
        ("gemm", (16,), {"n": 16}),
        ("nbody", (256, 1), {"n": 256}),
        ("strided", (256,), {}),
    ],
)
def test_a_full_block(name: str, arguments: tuple[int, ...], values: dict[str, int], counted: Runner) -> None:
    kernel = report_of(name).kernels[0]
    found = counted(name, "auto", arguments)[kernel.name].total.global_loads
    assert found == evaluate(kernel.block_loads.after.formula, values)
