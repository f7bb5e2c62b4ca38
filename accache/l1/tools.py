"""The parts of the model that exist twice: plain ones, which define it, and compiled ones, which are fast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from accache.base.imports import quick_imports
from accache.l1 import hierarchy
from accache.l1.engine import prepare
from accache.l1.hierarchy import Flow, Hierarchy
from accache.l1.requests import Coalescer, Integers, Order, Requests, coalesce, stable_order
from accache.l1.setups import Distances, Setup
from accache.l1.streams import Stream
from accache.l1.text_traces import Parser

# (lines in the order of requests, the set of each) -> how many requests have each distance, how many an infinite one
Measure = Callable[[Integers, Integers], tuple[Integers, int]]


def measure(line: Integers, index: Integers) -> tuple[Integers, int]:
    """The reuse distances of requests, each in its set: the count of each distance, and of infinite ones.

    In a set managed by LRU, a request hits with w ways exactly if fewer than w other lines of the set were asked for
    since its own was (Mattson et al., 1970). So one pass gives the hits of all associativities, and more ways never
    lose any.
    """
    stacks: dict[int, list[int]] = {}
    found: Counter[int] = Counter()
    for wanted, own in zip(line.tolist(), index.tolist(), strict=True):
        stack = stacks.setdefault(own, [])
        distance = stack.index(wanted) if wanted in stack else -1
        if distance >= 0:
            stack.remove(wanted)
        stack.insert(0, wanted)
        found[distance] += 1
    never = found.pop(-1, 0)
    counts = np.zeros(max(found, default=-1) + 1, np.int64)
    for distance, count in found.items():
        counts[distance] = count
    return counts, never


@dataclass(frozen=True)
class Tools:
    """One set of them; both give the same results.

    ``parse`` reads lines of text quickly, if there is such a thing, ``order`` sorts accesses by thread, ``coalesce``
    makes requests of them, ``prepare`` makes of requests what runs them through the timed cache, and
    ``prepare_hierarchy`` of requests in a fixed order what sends them through two caches, of which ``measure`` finds
    the reuse distances. Those that run ``in_threads`` let several threads work at a time.
    """

    parse: Parser | None
    order: Order
    coalesce: Coalescer
    prepare: Callable[[Requests], Callable[[Setup, int], Distances]]
    prepare_hierarchy: Callable[[Stream], Callable[[Hierarchy, NDArray[np.int8]], Flow]]
    measure: Measure
    in_threads: bool = False


PLAIN = Tools(None, stable_order, coalesce, prepare, hierarchy.prepare, measure)


def compiled_tools(*, own_process: bool = False) -> Tools | None:
    """The compiled ones, None where numba is not installed; loading them takes half a second.

    In a process of its own accache keeps numba from loading scipy, where that is installed.
    """
    try:
        with quick_imports("scipy") if own_process else nullcontext():
            import_module("numba")
            with suppress(ImportError):
                import_module("numba.np.arraymath")
    except ImportError:
        return None
    text, requests, engine = _module("text"), _module("requests"), _module("engine")
    flows, distances = _module("hierarchy"), _module("distances")
    return Tools(
        text.parse_lines,
        requests.stable_order,
        requests.coalesce_fast,
        engine.prepare_fast,
        flows.prepare_fast,
        distances.measure_fast,
        in_threads=True,
    )


def _module(name: str) -> ModuleType:
    return import_module(f"accache.l1.compiled.{name}")
