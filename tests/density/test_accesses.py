"""Indices that come from memory are told from those that positions give."""

from __future__ import annotations

import numpy as np

from accache.density.accesses import is_regular

THREAD = np.repeat(np.arange(512, dtype=np.uint32), 8)
STEP = np.tile(np.arange(8, dtype=np.uint32), 512)


def test_positions_are_regular_and_data_is_not() -> None:
    y, x = np.divmod(THREAD.astype(np.uint64), 16)
    assert is_regular(THREAD, STEP, 4 * (100 * y + x + STEP))
    assert is_regular(THREAD, STEP, 4 * STEP.astype(np.uint64))
    random = np.random.default_rng(1).integers(0, 1000, 512).astype(np.uint64)
    assert not is_regular(THREAD, STEP, 4 * (random[THREAD] + STEP))
    assert is_regular(THREAD[:8], STEP[:8], 4 * random[:8])
