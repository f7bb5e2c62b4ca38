"""Which copies to make: an exact 0/1 knapsack over all regions of a kernel, with one choice an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """One way to copy an array: the bytes that this saves, and the bytes of shared memory that it takes."""

    value: int
    weight: int


@dataclass(frozen=True)
class Candidate:
    """An array with its options, of which at most one is taken, and the ``phases`` in which its copy is alive.

    Copies that are alive in no common phase have the same shared memory.
    """

    options: tuple[Option, ...]
    phases: frozenset[int]


@dataclass(frozen=True)
class _State:
    value: int
    loads: tuple[int, ...]
    taken: tuple[int | None, ...]


def select(candidates: Sequence[Candidate], limit: int) -> tuple[int | None, ...]:
    """The option to take for each candidate, None for none, so that the value is greatest and each phase fits.

    Of equal values it is the one with the least shared memory. Options without value are never taken.
    """
    phases = sorted(frozenset[int]().union(*(candidate.phases for candidate in candidates)))
    states = [_State(0, (0,) * len(phases), ())]
    for candidate in candidates:
        alive = tuple(phase in candidate.phases for phase in phases)
        extended = [_State(state.value, state.loads, (*state.taken, None)) for state in states]
        for number, option in enumerate(candidate.options):
            if option.value > 0:
                extended += _with(states, number, option, alive, limit=limit)
        states = _best(extended)
    return states[0].taken


def _with(states: list[_State], number: int, option: Option, alive: tuple[bool, ...], *, limit: int) -> list[_State]:
    """The states in which an option fits, with it."""
    found = []
    for state in states:
        loads = tuple(load + option.weight * own for load, own in zip(state.loads, alive, strict=True))
        if max(loads, default=0) <= limit and option.weight <= limit:
            found.append(_State(state.value + option.value, loads, (*state.taken, number)))
    return found


def _best(states: list[_State]) -> list[_State]:
    """The states that no other one dominates, those of the greatest value first."""
    kept: list[_State] = []
    for state in sorted(states, key=lambda state: (-state.value, max(state.loads, default=0), sum(state.loads))):
        if not any(_fits_in(other.loads, state.loads) for other in kept):
            kept.append(state)
    return kept


def _fits_in(loads: tuple[int, ...], others: tuple[int, ...]) -> bool:
    return all(load <= other for load, other in zip(loads, others, strict=True))
