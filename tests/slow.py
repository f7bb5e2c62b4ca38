"""Which tests are slow: ``make slow`` runs them, ``make test`` all others, and ``make check`` both.

    make test slow PYTEST_ADDOPTS='--durations=0 --durations-min=0.05' | tee build/durations.txt
    python tests/slow.py build/durations.txt      # writes tests/slow_tests.txt anew

The list names functions, whatever their parameters: those whose tests take longer than SECONDS in the mean.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

SECONDS = 0.5
LIST = Path(__file__).with_name("slow_tests.txt")
_LINE = re.compile(r"([\d.]+)s (?:call|setup|teardown)\s+(\S+?)::(\w+)(.*)")


def slow_tests(lines: Iterable[str]) -> list[str]:
    """The functions that are slow by the durations that pytest prints.

    >>> slow_tests(["0.80s call     tests/test_a.py::test_b[c d]", "0.10s setup    tests/test_a.py::test_b[e]"])
    []
    >>> slow_tests(["0.90s call     tests/test_a.py::test_b[c d]"])
    ['tests/test_a.py::test_b']
    """
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, set[str]] = defaultdict(set)
    for found in filter(None, map(_LINE.match, lines)):
        name = f"{found[2]}::{found[3]}"
        seconds[name] += float(found[1])
        tests[name].add(found[4])
    return sorted(name for name in seconds if seconds[name] / len(tests[name]) > SECONDS)


def listed() -> frozenset[str]:
    """The functions in the list."""
    return frozenset(LIST.read_text().split())


if __name__ == "__main__":
    LIST.write_text("".join(f"{name}\n" for name in slow_tests(Path(sys.argv[1]).read_text().splitlines())))
