"""bench/costmodel: what it reads of a hub, what it makes of configurations, and how agreement is counted."""

from __future__ import annotations

import doctest
import gzip
import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from cost import measure  # the folder is on the path only now
from costmodel import estimate
from costmodel.hub import timed
from costmodel.kernels import KERNELS, Place, at_place, launch, outputs, places, source, without_shared
from costmodel.summary import Estimated, agreement, go

BENCH = Path(__file__).parents[2] / "bench"
# a small kernel of the hub's form: its parameters, the image, the copy to shared memory, and the sum
KERNEL = """
#define image_height 4096
#define image_width 4096
#define input_width (image_width + filter_width - 1)
#define LDG(x, y) x[y]
__constant__ float d_filter[33*33];
__global__ void convolution_kernel(float *output, float *input, float *filter) {
    int ty = threadIdx.y, tx = threadIdx.x;
    int by = blockIdx.y * block_size_y * tile_size_y, bx = blockIdx.x * block_size_x * tile_size_x;
    __shared__ float sh_input[block_size_y*tile_size_y+filter_height-1][block_size_x*tile_size_x+filter_width-1];
    //load all input data needed by this thread block into shared memory
    for (int i=ty; i<block_size_y*tile_size_y+filter_height-1; i+=block_size_y)
        for (int j=tx; j<block_size_x*tile_size_x+filter_width-1; j+=block_size_x)
            sh_input[i][j] = LDG(input, (by+i)*input_width + (bx+j));
    __syncthreads();
    for (int yi=0; yi<tile_size_y; yi++)
        for (int xi=0; xi<tile_size_x; xi++) {
            float sum = 0.0f;
            for (int i=0; i<filter_height; i++)
                for (int j=0; j<filter_width; j++)
                    sum += sh_input[ty+yi*block_size_y+i][tx+xi*block_size_x+j] * d_filter[i*filter_width+j];
            output[(by+ty+yi*block_size_y) * image_width + bx+tx+xi*block_size_x] = sum;
        }
}
"""
VALUES = {
    "block_size_x": 32, "block_size_y": 4, "tile_size_x": 1, "tile_size_y": 2, "read_only": 0, "use_padding": 0,
    "use_shmem": 1, "use_cmem": 1, "filter_height": 3, "filter_width": 3,
}  # fmt: skip


CONVERSIONS = "cvt.rzi.u32.f32", "cvt.rn.f32.u16"
BLOCKS = 1 << 20


def hub(folder: Path, times: dict[str, object]) -> Path:
    """A hub of one kernel whose configurations differ in ``use_shmem``, with these times on each GPU."""
    (folder / "kernels").mkdir()
    (folder / "kernels" / "convolution_milo.cu").write_text(KERNEL)
    (folder / "cachefiles" / "convolution_milo").mkdir(parents=True)
    cache = {name: {**VALUES, "use_shmem": int(name == "shared"), "time": time} for name, time in times.items()}
    record = {"device_name": "none", "tune_params_keys": list(VALUES), "cache": cache}
    for gpu in ("A100", "A4000", "A6000"):
        path = folder / "cachefiles" / "convolution_milo" / f"{gpu}.json.gz"
        path.write_bytes(gzip.compress(json.dumps(record).encode()))
    return folder


def test_configurations_that_failed_have_no_time(tmp_path: Path) -> None:
    found = timed(hub(tmp_path, {"shared": 1.5, "plain": "CompilationFailedConfig"}), "convolution", "a100")
    assert [(each.values["use_shmem"], each.milliseconds) for each in found] == [(1, 1.5)]


def test_loads_from_shared_memory_are_made_from_global_memory(tmp_path: Path) -> None:
    """The copy goes with its barrier, and so does the array; the sum reads what would have been copied."""
    text = without_shared(KERNEL)
    assert "sh_input" not in text
    assert "__syncthreads" not in text
    assert "sum += READ(ty+yi*block_size_y+i, tx+xi*block_size_x+j) * d_filter" in text
    folder = hub(tmp_path, {})
    assert "sh_input" in source(KERNELS[0], folder, VALUES)
    assert "#define tile_size_y 2\n" in source(KERNELS[0], folder, VALUES)
    assert "sh_input" not in source(KERNELS[0], folder, {**VALUES, "use_shmem": 0})


def test_a_text_with_both_branches_stays_as_it_was_timed(tmp_path: Path) -> None:
    """The repository of the hub's authors has it: ``use_shmem`` is the preprocessor's there."""
    folder = hub(tmp_path, {})
    path = folder / "kernels" / "convolution_milo.cu"
    path.write_text(
        KERNEL.replace("    __shared__", "#if use_shmem\n    __shared__").replace(
            "    for (int yi", "#endif\n    for (int yi", 1
        )
    )
    assert source(KERNELS[0], folder, {**VALUES, "use_shmem": 0}).endswith(path.read_text())


@pytest.mark.parametrize("name", ["estimate", "kernels"])
def test_examples_of_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"costmodel.{name}"))
    assert found.attempted > found.failed == 0


def test_blocks_of_each_kind_cover_the_whole_problem() -> None:
    assert outputs(VALUES) == 32 * 4 * 2
    assert places(KERNELS[0], VALUES) == (Place(0, 0, 128 * 512),)
    wide = {**VALUES, "block_size_x": 48, "block_size_y": 5}
    assert places(KERNELS[0], wide) == (
        Place(0, 0, 85 * 409), Place(85, 0, 409), Place(0, 409, 85), Place(85, 409, 1)
    )  # fmt: skip
    assert places(KERNELS[1], VALUES) == (Place(0, 0, 781 * 256), Place(781, 0, 256))
    assert places(KERNELS[0], {**VALUES, "tile_size_y": 2048}) == (Place(0, 0, 128),)


def test_a_block_at_the_edge_has_the_memory_that_it_reads_and_writes() -> None:
    """The last row of blocks of 3 x 8 rows begins at row 4080 of 4096."""
    values = {**VALUES, "block_size_y": 8, "tile_size_y": 3}
    first, last = (launch(KERNELS[0], "f", values, Place(0, row, 1)).memory for row in (0, 170))
    moved = [after.address - before.address for before, after in zip(first, last, strict=True)]
    assert moved == [4 * 4080 * 4096, 4 * 4080 * 4098, 0]
    ptx = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y;"
    assert at_place(ptx, Place(0, 0, 9)) == ptx
    assert at_place(ptx, Place(0, 170, 1)) == "mov.u32 %r1, %ctaid.x; mov.u32 %r2, 170;"


def counts_of(**given: object) -> measure.Counts:
    """What one block of 32 threads takes: nothing but what is given."""
    fields = dict.fromkeys(measure.Counts.__struct_fields__, 0)
    fields |= {"kernel": "f", "grid": (1, 1, 1), "block": (32, 1, 1), "registers": 32}
    return measure.Counts(**{**fields, "arrivals": {}, "loads": {}, "shared_loads": {}, **given})


def clocks_of(found: measure.Counts, gpu: str, rows: int = 1) -> float:
    """The clocks for many such blocks of dedispersion, in so many rows, on all multiprocessors."""
    values = {"block_size_y": 2048 // rows, "tile_size_x": 1, "tile_size_y": 1}
    return estimate.clocks(KERNELS[1], [estimate.Blocks(BLOCKS, found)], gpu, values, units=True)


def test_integers_become_floating_point_numbers_elsewhere_since_8_6() -> None:
    """A thousand conversions of each kind: two clocks a warp's on the units, but for I2FP."""
    to_integer, both = (dict.fromkeys(names, 1000) for names in (CONVERSIONS[:1], CONVERSIONS))
    a100, a6000 = (
        [clocks_of(counts_of(arrivals=each), gpu) for each in (to_integer, both)] for gpu in ("a100", "a6000")
    )
    assert a100[1] == pytest.approx(2 * a100[0])
    assert a6000[1] == a6000[0]


def test_transfers_wait_for_loads_and_for_each_other() -> None:
    loads, both = counts_of(loads={4: 1000}), counts_of(loads={4: 1000}, l2_bytes=1 << 16)
    chip = estimate.CHIPS["a6000"]
    more = (clocks_of(both, "a6000") - clocks_of(loads, "a6000")) / KERNELS[1].taken
    assert more == pytest.approx((1 << 16) / chip.l2_bytes * BLOCKS / chip.multiprocessors, rel=1e-3)


def test_an_input_comes_again_for_each_row_of_blocks_where_l2_does_not_hold_it() -> None:
    """39.4 MB: 64 rows of blocks for one, an A100 with 40 MB of L2 and an A6000 with 6, of 427 bytes a clock."""
    found = counts_of(loads={4: 1000})
    a100, a6000 = (clocks_of(found, gpu, rows=64) - clocks_of(found, gpu) for gpu in ("a100", "a6000"))
    assert a100 == 0
    assert a6000 == pytest.approx(63 * 1536 * 25650 / (768 / 1.8), rel=1e-3)


def test_agreement_tells_the_order_and_what_the_choice_costs() -> None:
    rows = [Estimated(clocks, time, None) for clocks, time in ((1, 4.0), (2, 3.0), (3, 9.0), (4, 12.0))]
    found = agreement(rows)
    assert found is not None
    assert (found.count, round(found.correlation, 2), found.share) == (4, 0.8, 75)
    assert agreement(rows[:2]) is None


def test_go_compares_the_best_of_both_kinds() -> None:
    rows = [Estimated(5, 2.0, True), Estimated(9, 8.0, True), Estimated(6, 1.0, False), Estimated(7, 9.0, False)]
    found = go(rows)
    assert found is not None
    assert (found.estimated, found.measured, found.ratio) == (True, False, 0.5)
    assert go(rows[:2]) is None


@pytest.mark.nvcc
@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_the_command_counts_and_estimates(tmp_path: Path) -> None:
    """A block of 4 warps, 2 outputs a thread: 2 x 9 shared loads a warp, or as many global ones without the copy."""
    folder = hub(tmp_path, {"shared": 2.0, "plain": 1.0})
    out = tmp_path / "out.json"
    command = [sys.executable, str(BENCH / "costmodel"), str(folder), "--kernel", "convolution", "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| a100 | as bench/cost has it | all: 2 |" not in done.stdout  # two have no order
    assert "convolution: 2 configurations, 0 that nvcc rejects" in done.stdout
    records = json.loads(out.read_text())
    assert len(records) == 2 * 3 * 2
    clocks = {row["use_shmem"]: row["clocks"] for row in records if row["gpu"] == "a6000" and "units" in row["model"]}
    assert clocks[1] > clocks[0] > 0


def test_counts_are_kept_by_what_counts_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A kept record of an older bench/cost has other fields."""
    monkeypatch.setattr(measure, "compiler", lambda: b"nvcc")
    kept = {measure.key_of("text"), measure.key_of("te", "xt")}
    for name in ("measure", "memory"):
        (tmp_path / f"{name}.py").write_text("changed")
    for path in Path(measure.__file__).parent.glob("*.py"):
        if not (tmp_path / path.name).exists():
            shutil.copy(path, tmp_path)
    monkeypatch.setattr(measure, "__file__", str(tmp_path / "measure.py"))
    assert len(kept | {measure.key_of("text")}) == 3
    assert estimate.key_of is measure.key_of
