"""The parts of the model that exist twice: plain ones, which define it, and compiled ones, which are fast."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from accache.l1.engine import prepare
from accache.l1.requests import Coalescer, Order, Requests, coalesce, stable_order
from accache.l1.setups import Distances, Setup
from accache.l1.text_traces import Parser


@dataclass(frozen=True)
class Tools:
    """One set of them; both give the same results.

    ``parse`` reads lines of text quickly, if there is such a thing, ``order`` sorts accesses by thread, ``coalesce`` makes
    requests of them, and ``prepare`` makes of requests what runs them through a cache.
    """

    parse: Parser | None
    order: Order
    coalesce: Coalescer
    prepare: Callable[[Requests], Callable[[Setup, int], Distances]]


PLAIN = Tools(None, stable_order, coalesce, prepare)


def compiled_tools() -> Tools | None:
    """The compiled ones, None where numba is not installed; loading them takes most of a second."""
    try:
        import_module("numba")
    except ImportError:
        return None
    text, requests, engine = _module("fast_text"), _module("fast_requests"), _module("fast_engine")
    return Tools(text.parse_lines, requests.stable_order, requests.coalesce_fast, engine.prepare_fast)


def _module(name: str) -> ModuleType:
    return import_module(f"accache.l1.{name}")
