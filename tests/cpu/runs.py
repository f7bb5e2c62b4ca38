"""What the run_cu fixture is."""

from __future__ import annotations

from collections.abc import Callable

from accache.cpu.run import RunResult

Runner = Callable[..., RunResult]
