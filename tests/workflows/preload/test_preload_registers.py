"""Copies that take so many registers that fewer blocks are resident are not made."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.diagnostics import Reporter
from accache.l1.gpus import gpu_named
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload import registers
from accache.workflows.preload.program import Preloaded, preload
from accache.workflows.resource_usage import Usage

KERNEL = """
__global__ void dots(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n)
{
    int i = blockIdx.x*blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; ++k)
        s += a[i*n + k]*b[i*n + k];
    o[i] = s;
}
void launch(float *a, float *b, float *o, int n) { dots<<<n/256, 256>>>(a, b, o, n); }
"""
FIRST, SECOND = "_Z4dotsPKfS0_Pfi", "_Z14dots_preloadedPKfS0_PfiS_"


def rewritten(folder: Path) -> Preloaded:
    path = folder / "dots.cu"
    path.write_text(KERNEL)
    return preload(Invocation(str(path)), gpu_named("a100"), 2.0, (256, 1, 1), reporter=Reporter())


@pytest.mark.parametrize(("count", "copied"), [(32, ["a", "b"]), (40, [])])
def test_as_many_blocks_stay_resident(
    count: int, copied: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = {FIRST: Usage(32, 0), SECOND: Usage(count, 18432)}
    monkeypatch.setattr(registers, "known_architectures", lambda: ("sm_75", "sm_80"))
    monkeypatch.setattr(registers, "resource_usage", lambda *_words, **_flags: usage)
    found = rewritten(tmp_path)
    (plan,) = found.plans
    assert sorted(tile.array for tile in plan.tiles) == copied
    assert (found.text == KERNEL) == (not copied)
    reasons = {item.array: item.reason for item in plan.decisions}
    if not copied:
        assert reasons["a"] == "6 in the place of 8 blocks would be resident, with 40 registers a thread"


def test_what_nvcc_does_not_know_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registers, "known_architectures", lambda: ())
    assert [tile.array for tile in rewritten(tmp_path).plans[0].tiles] == ["a", "b"]
