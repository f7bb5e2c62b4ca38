"""``bench/selections.py``: no other rule's copies save more than those of suggest, but for resident blocks."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from families import some

ROOT = Path(__file__).resolve().parents[2]
NAIVE = sorted(path.stem for path in (ROOT / "samples" / "cuda" / "naive").glob("*.cu"))
COSTS_BLOCKS = {("covariance", "kepler")}
"""Where PPCG's rule saves more, by shared memory that fewer resident blocks have."""


def selections() -> ModuleType:
    spec = importlib.util.spec_from_file_location("selections", ROOT / "bench" / "selections.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
@pytest.mark.parametrize(
    ("name", "gpu"), some([(name, gpu) for gpu in ("kepler", "v100", "h100") for name in NAIVE], 5, NAIVE.index("mvt"))
)
def test_no_rule_saves_more(name: str, gpu: str) -> None:
    bench = selections()
    rows = bench.compared(str(ROOT / "samples" / "cuda" / "naive" / f"{name}.cu"), gpu, 2)
    assert rows
    assert all(own >= greedy for _, own, greedy, _ in rows)
    assert bool(list(bench.worse(rows))) == ((name, gpu) in COSTS_BLOCKS)
    if (name, gpu) == ("mvt", "kepler"):  # greedily, a vector leaves no room for the matrix
        assert any(own > greedy for _, own, greedy, _ in rows)
