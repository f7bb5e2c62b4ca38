"""The table: a line for each program and column, and geometric means over the programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, isclose, log

from cost.chips import Chip
from cost.clocks import Cost, cost
from cost.launches import ALL_COLUMNS
from cost.measure import Measured
from cost.programs import Program

HEAD = (
    f"{'program':<20}{'column':<8}{'clocks':>9}{'slots':>9} {'bound':<7}{'threads':>8}{'fill':>6}"
    f"{'regs':>5}{'shared':>7}{'occ':>5}{'spill':>6}{'bar':>6} {'LDG':<8}{'LDS':<8}"
)

_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Row:
    """What was measured of a program, by column."""

    program: Program
    measured: Mapping[str, Measured]

    def costs(self, chip: Chip, weights: Mapping[str, float]) -> dict[str, Cost]:
        """The cost of each column that could be measured."""
        return {
            column: cost(found.launches, self.units, chip, weights)
            for column, found in self.measured.items()
            if found.launches
        }

    @property
    def units(self) -> int:
        """The units of work, as the table of programs or the program itself has them."""
        return self.program.units or next(found.units for found in self.measured.values() if found.units)

    def disagreements(self) -> Iterator[str]:
        """What columns print another checksum than the first; rounding may differ, and the order of sums."""
        known = [(column, found.checksum) for column, found in self.measured.items() if found.launches]
        for column, checksum in known[1:]:
            if not isclose(checksum, known[0][1], rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
                yield f"{column} has the checksum {checksum:.9g}, {known[0][0]} has {known[0][1]:.9g}"


def lines(row: Row, costs: Mapping[str, Cost]) -> Iterator[str]:
    """The lines of one program: ``=`` and the name of an earlier column where this one is the same program."""
    seen: list[tuple[Measured, str]] = []
    for column in ALL_COLUMNS:
        found = row.measured.get(column)
        if found is None:
            continue
        name = f"{row.program.name:<20}{column:<8}"
        same = next((earlier for known, earlier in seen if known == found), "")
        seen.append((found, column))
        if same:
            yield f"{name}{'= ' + same:>9}"
        elif column in costs:
            yield name + _cells(costs[column])
        else:
            yield f"{name}{'-':>9}  {found.refused}"


def _cells(cost: Cost) -> str:
    launch = cost.launch
    return (
        f"{cost.clocks:>9.2f}{cost.slots:>9.2f} {cost.bound:<7}{launch.threads:>8}{100 * cost.fill:>5.0f}%"
        f"{launch.registers:>5}{launch.shared_bytes:>7}{100 * cost.occupancy:>4.0f}%{launch.spilled:>6}"
        f"{launch.barriers:>6.1f} {_widths(launch.loads):<8}{_widths(launch.shared_loads):<8}"
    )


def _widths(loads: Mapping[int, int]) -> str:
    """The bytes that a lane gets of a load, for those that make up a tenth of all or more."""
    total = sum(loads.values())
    return "/".join(str(size) for size, count in sorted(loads.items()) if 10 * count >= total) or "-"


def means(all_costs: Sequence[Mapping[str, Cost]]) -> Iterator[str]:
    """Geometric means of the clocks of default in parts of those of programs without directives and of peers."""
    for other, name in (("none", "no directive"), ("plain", "no directive, one iteration a thread"), ("peer", "peer")):
        ratios = [
            costs["default"].clocks / costs[other].clocks for costs in all_costs if {other, "default"} <= set(costs)
        ]
        if ratios:
            mean = exp(sum(map(log, ratios)) / len(ratios))
            yield f"default / {name}: {mean:.2f} (geometric mean of the clocks of {len(ratios)} programs)"


def starved(all_costs: Mapping[str, Mapping[str, Cost]]) -> Iterator[str]:
    """The programs whose default launch has so few threads that its clocks tell little of a whole chip."""
    names = [
        name
        for name, costs in all_costs.items()
        if {"default", "peer"} <= set(costs) and 4 * costs["default"].launch.threads < costs["peer"].launch.threads
    ]
    if names:
        yield f"with less than a quarter of the peer's threads: {', '.join(names)}"
