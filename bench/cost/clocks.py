"""From counts to clocks of one multiprocessor, as a roofline has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from cost.chips import ISSUED, SECTORS, Chip, occupancy
from cost.measure import Counts
from cost.slots import issue_slots

WARP = 32


@dataclass(frozen=True)
class Cost:
    """What 32 units of work cost, and by which launch.

    ``clocks`` are those of one multiprocessor: of each launch the largest of its ``limits`` counts, and launches add
    up. ``slots`` are its issue slots. ``bound`` is the limit of the launch that takes most of the clocks, ``launch``
    that launch; ``occupancy`` and ``fill`` are parts of the threads that the chip holds: what the multiprocessors
    could hold of this kernel, and what the launch has.
    """

    clocks: float
    slots: float
    bound: str
    launch: Counts
    occupancy: float
    fill: float


def limits(counts: Counts, chip: Chip, weights: Mapping[str, float]) -> dict[str, float]:
    """The clocks that a launch takes at least, for each thing that it needs of one multiprocessor."""
    return {
        "issue": issue_slots(counts.arrivals, weights) / ISSUED,
        "L1": (counts.sectors + counts.atomic_sectors + counts.local_sectors) / SECTORS,
        "shared": float(wavefronts(counts)),
        "L2": counts.l2_bytes / chip.l2_bytes,
    }


def wavefronts(counts: Counts) -> int:
    """The clocks in which a launch has the pipe of shared memory: turns of its banks, and shuffles, a clock a warp.

    Source: CUDA C++ Programming Guide, arithmetic throughput (warp shuffles: 32 lanes a clock).
    """
    return counts.turns + sum(count for name, count in counts.arrivals.items() if name.startswith("shfl"))


def cost(launches: Sequence[Counts], units: int, chip: Chip, weights: Mapping[str, float]) -> Cost:
    """What 32 of a number of units cost that launches do together."""
    clocks = [max(limits(each, chip, weights).values()) for each in launches]
    main = launches[max(range(len(clocks)), key=clocks.__getitem__)]
    bounds = limits(main, chip, weights)
    slots = sum(issue_slots(each.arrivals, weights) for each in launches)
    return Cost(
        sum(clocks) * WARP / units,
        slots * WARP / units,
        max(bounds, key=bounds.__getitem__),
        main,
        occupancy(chip, prod(main.block), main.registers, main.shared_bytes),
        min(1.0, main.threads / (chip.multiprocessors * chip.threads)),
    )
