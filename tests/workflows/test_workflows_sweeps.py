"""What a page's sliders show: each point is what accache makes of the changed line with the command beside it."""

from __future__ import annotations

import json
import shlex
from math import prod
from pathlib import Path

import pytest
from click.testing import CliRunner
from families import some

from accache.base.options import Options
from accache.base.text import SourceFile
from accache.cli.main import main
from accache.driver import translate
from accache.report.sweep import Sweep
from accache.workflows.sweeps import ASKED, SIZES, sweeps_of

ROWS = """void f(int n, const float b[restrict 512][512], float a[restrict 512][512])
{
#pragma acc parallel loop collapse(2) copyin(b[0:512]) copyout(a[0:512])
    for (int i = 1; i < 511; i++)
        for (int j = 1; j < 511; j++) {
#pragma acc cache(b[i-1:3][j-1:3])
            a[i][j] = b[i - 1][j] + b[i][j - 1] + b[i][j] + b[i][j + 1] + b[i + 1][j];
        }
}
"""


def swept(text: str, **options: str) -> tuple[Sweep, ...]:
    source = SourceFile("prog.c", text)
    chosen = Options(**options)
    return sweeps_of(source, chosen, translate(source, chosen).report)


@pytest.mark.parametrize(("method", "threads"), some([("rbi", 64), ("rbc", 512), ("ehc", 32), ("none", 128)], 2))
def test_a_point_is_made_again_by_its_line_and_command(
    method: str, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sweep,) = swept(ROWS, arch="sm_80")
    assert (sweep.sizes, sweep.methods) == (SIZES, ASKED)
    monkeypatch.chdir(tmp_path)
    lines = ROWS.splitlines()
    lines[sweep.line - 1] = next(line.text for line in sweep.lines if line.threads == threads)
    Path("prog.c").write_text("\n".join(lines) + "\n")
    words = shlex.split(sweep.command.replace("METHOD", method))[1:]
    done = CliRunner().invoke(main, [*words, "--json", "-q"])
    (kernel,) = json.loads(done.stdout)["kernels"]
    (item,) = kernel["subarrays"]
    point = next(each for each in sweep.points if (each.method, each.threads) == (method, threads))
    assert list(point.block) == kernel["block"]
    assert point.tiles == f"{item['tile']}{''.join(f'[{extent}]' for extent in item['extents'])}"
    assert point.shared_bytes == kernel["shared_bytes"]
    assert point.occupancy == kernel["occupancy"]["percent"]
    assert point.each_after == round(kernel["block_loads"]["after"]["value"] / kernel["threads"], 3)
    assert (point.clocks is None) == (method == "ehc")
    assert [point.clocks] * (method != "ehc") == [each["clocks"] for each in kernel["candidates"]]


def test_what_lines_load_only_a_run_knows() -> None:
    source = (Path(__file__).parents[2] / "samples/records.c").read_text()
    (sweep,) = swept(source)
    assert {(point.after == "", point.clocks is None) for point in sweep.points if point.method == "private"} == {
        (True, True)
    }
    assert all(point.after and point.clocks for point in sweep.points if point.method == "none")


def test_halos_shrink_as_blocks_grow() -> None:
    (sweep,) = swept(ROWS)
    tiles = {point.threads: point for point in sweep.points if point.method == "rbi"}
    assert (tiles[256].held, tiles[256].halo) == (18 * 18, 18 * 18 - 16 * 16)
    shares = [tiles[size].halo / tiles[size].held for size in SIZES]
    assert shares == sorted(shares, reverse=True)


def test_tiles_that_nobody_shares_have_no_halo() -> None:
    (sweep,) = swept(
        "void f(int n, const int *restrict at, const float *restrict a, float *restrict b)\n{\n"
        "#pragma acc parallel loop copyin(at[0:n], a[0:n]) copyout(b[0:n])\n    for (int i = 0; i < n; i++) {\n"
        "        int start = at[i];\n#pragma acc cache(a[start:8])\n        float sum = 0;\n"
        "        for (int k = start; k < start + 8; k++)\n            sum += a[k];\n        b[i] = sum;\n    }\n}\n"
    )
    point = next(each for each in sweep.points if (each.method, each.threads) == ("rbi", 64))
    assert (point.held, point.halo) == (8 * 64, 0)


def test_iterations_are_those_of_the_candidates() -> None:
    (sweep,) = swept(ROWS)
    (kernel,) = translate(SourceFile("prog.c", ROWS), Options()).report.kernels
    best = {item.iterations: item.clocks for item in reversed(kernel.candidates) if not item.subarrays}
    assert {each.iterations: each.clocks for each in sweep.several} == {
        " x ".join(map(str, iterations)) or "1": clocks for iterations, clocks in best.items()
    }
    (asked,) = swept(ROWS, method="rbi")
    assert asked.several == sweep.several


@pytest.mark.parametrize("iterations", some(["2 x 1", "8 x 1", "4 x 2", "8 x 4"], 2))
def test_a_larger_tile_is_made_again_by_its_command(
    iterations: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sweep,) = swept(ROWS, arch="sm_80")
    larger = next(each for each in sweep.larger if each.iterations == iterations)
    point = larger.point
    monkeypatch.chdir(tmp_path)
    Path("prog.c").write_text(ROWS)
    command = sweep.command.replace("METHOD", point.method).replace("--coarsen off", f"--coarsen {larger.coarsen}")
    done = CliRunner().invoke(main, [*shlex.split(command)[1:], "--json", "-q"])
    (kernel,) = json.loads(done.stdout)["kernels"]
    (item,) = kernel["subarrays"]
    assert point.tiles == f"{item['tile']}{''.join(f'[{extent}]' for extent in item['extents'])}"
    assert (list(point.block), point.shared_bytes) == (kernel["block"], kernel["shared_bytes"])
    assert " x ".join(map(str, kernel["iterations"])) == iterations
    covered = kernel["threads"] * prod(kernel["iterations"])
    assert point.each_after == round(kernel["block_loads"]["after"]["value"] / covered, 3)
    assert point.clocks == next(each["clocks"] for each in kernel["candidates"] if each["chosen"])


def test_larger_tiles_have_less_halo() -> None:
    (sweep,) = swept(ROWS)
    points = {each.iterations: each.point for each in sweep.larger}
    assert {name: point.tiles for name, point in points.items() if name.endswith(" x 1")} == {
        "2 x 1": "b_tile[10][34]",
        "4 x 1": "b_tile[18][34]",
        "8 x 1": "b_tile[34][34]",
    }
    assert (points["8 x 1"].held, points["8 x 1"].halo) == (34 * 34, 34 * 34 - 32 * 32)
    assert [point.held for point in points.values()] == sorted(point.held for point in points.values())
    rows = [points[name] for name in ("2 x 1", "4 x 1", "8 x 1")]
    shares = [point.halo / point.held for point in rows]
    assert shares == sorted(shares, reverse=True)
    loads = [point.each_after for point in rows if point.each_after is not None]
    assert len(loads) == 3
    assert loads == sorted(loads, reverse=True)


def test_a_kernel_whose_tiles_are_written_has_no_larger_ones() -> None:
    source = (Path(__file__).parents[2] / "samples/write_dense.c").read_text()
    (sweep,) = swept(source)
    assert sweep.larger == ()


def test_blocks_that_the_program_asks_for_stay() -> None:
    (sweep,) = swept(ROWS.replace("collapse(2)", "collapse(2) vector_length(64)"))
    assert sweep.sizes == (64,)
    assert sweep.lines == ()
    assert {point.method for point in sweep.points} == set(ASKED)


def test_a_subarray_without_a_tile_says_why() -> None:
    (sweep,) = swept(ROWS.replace("b[i-1:3][j-1:3]", "b[i-1:n][j-1:3]"))
    point = next(each for each in sweep.points if each.method == "rbi")
    assert point.tiles == ""
    assert "constant" in point.reason
