"""The L1 cache of a kernel is that of the GPU its PTX is written for."""

from __future__ import annotations

import pytest

from accache.base.text import SourceFile
from accache.ptx.text.parser import parse
from accache.workflows.kernel_caches import gpu_of


@pytest.mark.parametrize(
    ("target", "gpu"),
    [
        ("sm_52", "fermi-16k"),
        ("sm_70", "v100"),
        ("sm_75", "v100"),
        ("sm_89", "a100"),
        ("sm_90a", "h100"),
        ("sm_121", "h100"),
    ],
)
def test_the_newest_preset_that_is_no_newer_is_taken(target: str, gpu: str) -> None:
    module = parse(SourceFile("a.ptx", f".version 8.0\n.target {target}\n.address_size 64\n"))
    assert gpu_of(module).name == gpu
