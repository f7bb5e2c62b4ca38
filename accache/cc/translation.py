"""Translate a C file into its pair, or take the pair from the cache."""

from __future__ import annotations

import hashlib
import json
from importlib import import_module
from typing import Any

from msgspec import Struct, convert, to_builtins

from accache.base.diagnostics import Diagnostic
from accache.base.imports import quick_imports
from accache.base.options import Options
from accache.base.store import Store, cache_folder
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


def marked(name: str, data: bytes, options: Options) -> Source | None:
    """A C file as the front end has it preprocessed; None if that leaves no directive, or fails.

    So a file with directives, of which none is kept, is preprocessed once.
    """
    found = _slow("accache.reading").marked(name, options)
    output = found.output.encode("utf-8", "surrogateescape") if found is not None else b""
    return Source(name, data, output, marked=found) if found is not None else None


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
    pair = _translate(source, options, Store(cache_folder() / "constructs") if settings.cache else None)
    if settings.cache:
        store.put(key, _encoded(pair))
    return pair


def _translate(source: Source, options: Options, constructs: Store | None) -> Pair:
    """Translate a file, with what is kept of its constructs if there is a store for them."""
    if constructs is None:
        made = _slow("accache.driver").translate(source.name, options)
    else:
        incremental = _slow("accache.incremental")
        made = incremental.translate(source.name, options, incremental.Keeping(constructs, digest), source.marked)
    return Pair(made.host, made.device, made.diagnostics, made.maps_parts)


def _slow(name: str) -> Any:
    """A module that is slow to import, and that most calls of a compiler do without."""
    with quick_imports():
        return import_module(name)


def _encoded(pair: Pair) -> bytes:
    return json.dumps([pair.host, pair.device, to_builtins(pair.diagnostics), pair.maps_parts]).encode()


def _decoded(data: bytes) -> Pair:
    host, device, diagnostics, maps_parts = json.loads(data)
    return Pair(host, device, convert(diagnostics, tuple[Diagnostic, ...]), maps_parts)
