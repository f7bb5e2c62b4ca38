"""Reductions by every operator at every level of parallelism."""

from __future__ import annotations

import generate
import pytest
from families import some
from workshop import Workshop

from accache.base.options import Options
from accache.driver import translate

ADDRESSES = r"""
#include <stdio.h>
int main(void)
{
    long found[4] = {1, 2, 3, 4}, *sums = found;
#pragma acc data copy(sums[0:4])
#pragma acc host_data use_device(sums)
#pragma acc parallel loop deviceptr(sums) reduction(+ : sums[0:4])
    for (int i = 0; i < 1000; ++i)
        sums[i % 4] += i;
    for (int k = 0; k < 4; ++k)
        printf("%ld\n", found[k]);
    return 0;
}
"""
# the elements of an array are reduced as variables are, and some levels are much alike: make matrix tries all
SOME_LEVELS = ("unnamed", "worker_vector")
ALIKE = ("gang_vector", "gang", "in_serial", "seq", "gang_and_worker", "vector", "worker_vector")
OTHERS = [pytest.param(level, marks=pytest.mark.matrix) for level in ALIKE]


@pytest.mark.parametrize(
    "level",
    [pytest.param(level, marks=() if level in SOME_LEVELS else pytest.mark.matrix) for level in generate.LEVELS],
)
def test_every_operator_on_every_element(level: str, workshop: Workshop) -> None:
    source = workshop.folder / f"array_reductions_{level}.c"
    source.write_text(generate.reductions(level, section="[0:3]" if level in ("unnamed", "vector") else ""))
    workshop.same(source, Options(), seed=1)


@pytest.mark.parametrize("level", [*some((level for level in generate.LEVELS if level not in ALIKE), 2), *OTHERS])
def test_every_operator(level: str, workshop: Workshop) -> None:
    source = workshop.folder / f"reductions_{level}.c"
    source.write_text(generate.reductions(level))
    workshop.same(source, Options(), seed=1)


def test_elements_in_device_memory_are_combined_there(workshop: Workshop) -> None:
    """On a GPU the host cannot read what a device pointer leads to."""
    program = workshop.folder / "addresses.c"
    program.write_text(ADDRESSES)
    assert "accache_combine_on_device<accache_plus<long>>(sums, " in translate(str(program), Options()).device
    workshop.same(program, Options(), seed=1)
