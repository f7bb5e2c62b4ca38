"""Calls that cross the end of a chunk of frames do not ask the system for memory each time."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource
from accache.base.frames import with_room_for_frames

def leaf(): pass

def down(levels):
    if levels:
        return down(levels - 1)
    for _ in range(CALLS):
        leaf()

def everywhere(): [down(levels) for levels in range(400)]

faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
before = faults()
DECORATED(everywhere)()
print(faults() - before)
"""
CALLS = 2000


def faults(decorated: str) -> int:
    """How many pages a program touches anew that makes calls from 400 depths."""
    program = PROGRAM.replace("CALLS", str(CALLS)).replace("DECORATED", decorated)
    return int(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames are objects of their own there")
def test_calls_map_no_memory() -> None:
    assert faults("with_room_for_frames") < CALLS / 2 < faults("")
