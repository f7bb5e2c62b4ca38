"""Programs whose kernels run in loops over the threads of a block, from barrier to barrier, give what others give."""

from __future__ import annotations

import pytest
from families import some
from test_constructs_run import LIKE_SEQUENTIAL, SELF_CHECKING, source_of
from workshop import Workshop

from accache.base.options import Options
from accache.cpu.run import run

SEEDS = (None, 3)  # in order, and in an order that changes at each barrier


@pytest.mark.parametrize("name", some(LIKE_SEQUENTIAL, 16))
def test_the_result_is_the_sequential_one(name: str, workshop: Workshop) -> None:
    arguments = LIKE_SEQUENTIAL[name][:1]
    program = workshop.program(source_of(name), Options(), check=False)
    expected = workshop.sequential(source_of(name), arguments)
    for seed in SEEDS:
        result = run(program, arguments, seed=seed, timeout=120)
        assert (result.stdout, result.returncode) == (expected, 0), result.stderr


@pytest.mark.parametrize("name", some(SELF_CHECKING, 4))
def test_host_and_device_hold_what_they_must(name: str, workshop: Workshop) -> None:
    program = workshop.program(source_of(name), Options(), check=False)
    for seed in SEEDS:
        result = run(program, seed=seed, timeout=120)
        assert [line for line in result.stdout.splitlines() if not line.endswith(" ok")] == []
        assert result.returncode == 0, result.stderr
