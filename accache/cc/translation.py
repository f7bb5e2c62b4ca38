"""Translate a C file into its pair, or take the pair from the cache."""

from __future__ import annotations

import hashlib
import json
from importlib import import_module

from msgspec import Struct, convert, to_builtins

from accache.base.diagnostics import Diagnostic
from accache.base.imports import quick_imports
from accache.base.options import Options
from accache.base.store import Store
from accache.cc.reuse import own_state
from accache.cc.settings import Settings
from accache.cc.sources import Source


class Pair(Struct, frozen=True):
    """Host C and CUDA that belong together; ``device`` is empty where no directive asks for a kernel or for data.

    It ``maps_parts`` if some array may be on the device without its first elements.
    """

    host: str
    device: str
    diagnostics: tuple[Diagnostic, ...]
    maps_parts: bool = False


def digest(*parts: str | bytes) -> str:
    """A key for everything the parts tell."""
    found = hashlib.sha256(own_state().encode())
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        found.update(b"%d:" % len(data) + data)
    return found.hexdigest()


def translated(source: Source, options: Options, settings: Settings, store: Store) -> Pair:
    """The pair of a C file; raises CompileError for what cannot be translated."""
    key = digest("translation", source.name, source.data, source.preprocessed, repr(options))
    kept = store.get(key) if settings.cache else None
    if kept is not None:
        return _decoded(kept)
    pair = _translate(source, options)
    if settings.cache:
        store.put(key, _encoded(pair))
    return pair


def _translate(source: Source, options: Options) -> Pair:
    with quick_imports():
        driver = import_module("accache.driver")  # slow to import, and most calls of a compiler do without
    translation = driver.translate(source.name, options)
    return Pair(translation.host, translation.device, translation.diagnostics, translation.maps_parts)


def _encoded(pair: Pair) -> bytes:
    return json.dumps([pair.host, pair.device, to_builtins(pair.diagnostics), pair.maps_parts]).encode()


def _decoded(data: bytes) -> Pair:
    host, device, diagnostics, maps_parts = json.loads(data)
    return Pair(host, device, convert(diagnostics, tuple[Diagnostic, ...]), maps_parts)
