"""Barriers of a block in the reference machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accache.ptx.reference.interpreted_warp import Warp


@dataclass(frozen=True)
class Waiting:
    """A lane at a barrier: how many threads it waits for (0: all), and its vote, if there is one."""

    threads: int
    vote: bool | None = None


class Barriers:
    """Who waits at which barrier; ``results`` holds votes and threads for those that were let go."""

    def __init__(self) -> None:
        self._waiting: dict[int, dict[tuple[Warp, int], Waiting]] = {}
        self._arrived: dict[int, int] = {}
        self.results: dict[tuple[Warp, int], tuple[int, int]] = {}

    def arrive(self, number: int, warp: Warp, lane: int, waiting: Waiting) -> None:
        """A lane comes and waits."""
        self._waiting.setdefault(number, {})[warp, lane] = waiting
        warp.waiting[lane] = True

    def pass_by(self, number: int) -> None:
        """A lane comes and goes on."""
        self._arrived[number] = self._arrived.get(number, 0) + 1

    def release(self, warps: Sequence[Warp]) -> bool:
        """Let those go whose barrier is complete; whether there were any."""
        everyone = sum(int(warp.alive.sum()) for warp in warps)
        any_released = False
        for number, lanes in list(self._waiting.items()):
            came = len(lanes) + self._arrived.get(number, 0)
            wanted = max((waiting.threads for waiting in lanes.values()), default=0) or everyone
            if not lanes or came < wanted:
                continue
            votes = sum(waiting.vote is True for waiting in lanes.values())
            for (warp, lane), waiting in lanes.items():
                warp.waiting[lane] = False
                if waiting.vote is not None:
                    self.results[warp, lane] = (votes, came)
            del self._waiting[number]
            self._arrived.pop(number, None)
            any_released = True
        return any_released
