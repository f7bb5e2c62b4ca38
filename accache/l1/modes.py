"""What is open in the model: where the published program leaves the paper, and what the paper's tables assume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Conventions:
    """One answer to each open question.

    ``edge_hits``: a reuse distance that equals the number of ways is reported as a hit.
    ``hits_first``: of what takes effect in one tick hits come first; else all in the order issued (section 4.2).
    ``arrivals_first``: a tick's arrivals come before its lookup; else after it.
    ``clips``: a miss on a line in flight takes effect when that line arrives (section 4.2).
    ``merges``: a miss on a line in flight needs no register of its own (section 4.4).
    ``every_lane``: a miss needs a register to be free, whichever lane makes it (section 4.4), and a warp has a limit of
    its own (section 5.2). Else only an instruction's first request does, and only if it is that of the warp's first
    lane; a warp has no limit, and the cancelled miss has used up its random number.
    ``counts_now``: registers are counted when the miss is made, so that there are never more in use than there are, as
    measured in section 5.2; else when the tick begins, before the warp modifies the stack (section 4.4).
    ``waits``: a warp waits for the slowest of its requests (section 4.5).
    ``farewell``: a finished warp takes one more turn.
    ``rate_of_latency``: the miss rate counts latency misses (section 6.1 does not).
    """

    edge_hits: bool = False
    hits_first: bool = False
    arrivals_first: bool = False
    clips: bool = True
    merges: bool = True
    every_lane: bool = True
    counts_now: bool = False
    waits: bool = True
    farewell: bool = False
    rate_of_latency: bool = False


PAPER = Conventions()
REFERENCE = Conventions(
    edge_hits=True,
    hits_first=True,
    clips=False,
    merges=False,
    every_lane=False,
    farewell=True,
    rate_of_latency=True,
)
Mode: TypeAlias = Literal["reference", "paper"]
MODES: dict[Mode, Conventions] = {"reference": REFERENCE, "paper": PAPER}
