"""Broken programs of all kinds: accache translates them or says what is wrong; it neither breaks nor hangs.

ACCACHE_FUZZ sets the number of programs, ACCACHE_FUZZ_SEED the seed. An input that fails is kept in the test's
folder and named in the output.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from mutants import mutants
from trial import accache, assert_orderly, options_in

HERE = Path(__file__).parent
SEEDS = sorted([*HERE.glob("codes/*.c"), *HERE.parents[1].glob("samples/*.c"), *HERE.parent.glob("wild/programs/*.c")])
LONGEST = 10
OPTIONS = (
    (), (), (), ("--method", "rbc"), ("--method", "ehc"), ("--write", "back"), ("--sharing", "off"), ("--line",),
    ("--width", "sync", "--scope", "communicating"), ("--diagnostics", "text", "-q"),
)  # fmt: skip


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in what takes longer."""

    def ring(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"no answer after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(count: int, seed: str, folder: Path) -> None:
    """Try broken programs."""
    chance = random.Random(seed)
    texts = [(path, path.read_text()) for path in SEEDS]
    programs = [(path, options_in(text), mutants(text, (seed, path.name))) for path, text in texts]
    for number in range(count):
        origin, own, broken = chance.choice(programs)
        text, options = next(broken), chance.choice(OPTIONS)
        source = folder / f"broken{number}.c"
        source.write_text(text.replace('"show.h"', f'"{HERE.parent / "wild" / "programs" / "show.h"}"'))
        print(f"{source}: from {origin.name}, options {options}")
        with at_most(LONGEST):
            assert_orderly(accache("translate", str(source), *own, *options))
        source.unlink()


def test_broken_programs(tmp_path: Path) -> None:
    run(int(os.environ.get("ACCACHE_FUZZ", "80")), os.environ.get("ACCACHE_FUZZ_SEED", "1"), tmp_path)


@pytest.mark.matrix
@pytest.mark.parametrize("part", range(4))
def test_many_broken_programs(part: int, tmp_path: Path) -> None:
    seed = os.environ.get("ACCACHE_FUZZ_SEED", "1")
    run(int(os.environ.get("ACCACHE_FUZZ", "2000")), f"{seed}.{part}", tmp_path)
