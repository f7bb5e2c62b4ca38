"""The environments of templates: the one module that imports jinja2, which takes a while."""

from __future__ import annotations

import hashlib
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket

from accache.base import resources
from accache.base.store import Store, cache_folder

OPTIONS: dict[str, Any] = {
    "undefined": StrictUndefined,
    "autoescape": False,
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
}
"""Undefined names are errors, text is printed as it stands."""
HTML_OPTIONS: dict[str, Any] = {**OPTIONS, "autoescape": True}
"""In HTML, text is escaped."""


class _Compiled(BytecodeCache):
    """Compiled templates, kept for the next run; jinja2 looks whether they belong to the text they are wanted for."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.made_with = hashlib.sha256(repr(sorted(options.items())).encode()).hexdigest()

    @property
    def store(self) -> Store:
        """Where they are kept now: a process may change folders."""
        return Store(cache_folder() / "templates" / self.made_with[:16])

    def load_bytecode(self, bucket: Bucket) -> None:
        data = self.store.get(bucket.key)
        if data is not None:
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.store.put(bucket.key, bucket.bytecode_to_string())


def made(options: dict[str, Any]) -> Environment:
    """An environment with some options."""
    loader = FileSystemLoader(resources.templates())
    return Environment(loader=loader, bytecode_cache=_Compiled(options), auto_reload=False, **options)
