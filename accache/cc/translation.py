"""Translate a C file into its pair, or take the pair from the cache."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from accache.cc.settings import Settings
from accache.cc.sources import Source
from accache.diagnostics import Diagnostic, Severity
from accache.options import Options
from accache.resources import fingerprint
from accache.store import Store
from accache.text import Location


@dataclass(frozen=True)
class Pair:
    """Host C and CUDA that belong together; ``device`` is empty where no directive asks for a kernel or for data."""

    host: str
    device: str
    diagnostics: tuple[Diagnostic, ...]


def digest(*parts: str | bytes) -> str:
    """A key for everything the parts tell."""
    found = hashlib.sha256(fingerprint().encode())
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
    driver = import_module("accache.driver")  # slow to import, and most calls of a compiler do without
    translation = driver.translate(source.name, options)
    return Pair(translation.host, translation.device, translation.diagnostics)


def _encoded(pair: Pair) -> bytes:
    diagnostics = [{**asdict(found), "severity": found.severity.value} for found in pair.diagnostics]
    return json.dumps([pair.host, pair.device, diagnostics]).encode()


def _decoded(data: bytes) -> Pair:
    host, device, diagnostics = json.loads(data)
    return Pair(host, device, tuple(map(_diagnostic, diagnostics)))


def _diagnostic(record: dict[str, Any]) -> Diagnostic:
    place = record.pop("location")
    severity = Severity(record.pop("severity"))
    return Diagnostic(severity=severity, location=Location(**place) if place else None, **record)
