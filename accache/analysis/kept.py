"""Answers of sympy, kept by content in the user's cache folder: what was answered once never imports it again.

A key has all that an entry depends on: the question, the modules that answer it and the version of sympy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from accache.base.store import Store, cache_folder

LIMIT = 4 << 20
"""Bytes of kept answers of one kind, of some 100 each."""


def kept_answer(
    kind: str, question: bytes, made_by: tuple[str, ...], answer: Callable[[], bytes], *, fits: Callable[[bytes], bool]
) -> bytes:
    """The kept answer to a question if there is one that ``fits`` it, or a new one, which is kept.

    ``kind`` names the folder; ``made_by`` are the files of the modules that answer.
    """
    store = Store(cache_folder() / kind, LIMIT)
    key = hashlib.sha256(_made_with(made_by) + question).hexdigest()
    kept = store.get(key)
    if kept is not None and fits(kept):
        return kept
    found = answer()
    store.put(key, found)
    return found


@cache
def _made_with(made_by: tuple[str, ...]) -> bytes:
    """A digest of what answers: modules of accache and sympy's version, which its smallest module tells."""
    digest = hashlib.sha256()
    found = find_spec("sympy")
    release = Path(found.origin).with_name("release.py") if found is not None and found.origin else None
    for path in (*map(Path, made_by), release):
        digest.update(path.read_bytes() if path is not None and path.is_file() else b"")
    return digest.digest()
