"""The one place that loads and renders templates."""

from __future__ import annotations

import hashlib
from functools import cache
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
        made_with = hashlib.sha256(repr(sorted(options.items())).encode()).hexdigest()
        self.store = Store(cache_folder() / "templates" / made_with[:16])

    def load_bytecode(self, bucket: Bucket) -> None:
        data = self.store.get(bucket.key)
        if data is not None:
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.store.put(bucket.key, bucket.bytecode_to_string())


@cache
def environment() -> Environment:
    """The template environment of what compilers read."""
    return _environment(OPTIONS)


@cache
def html_environment() -> Environment:
    """The template environment of what browsers show."""
    return _environment(HTML_OPTIONS)


def _environment(options: dict[str, Any]) -> Environment:
    loader = FileSystemLoader(resources.templates())
    return Environment(loader=loader, bytecode_cache=_Compiled(options), auto_reload=False, **options)


@cache
def macros(name: str) -> Any:
    """The macros of a template file, as attributes."""
    return environment().get_template(name).module


def render(template: str, /, **view: object) -> str:
    """Render a template file."""
    return environment().get_template(template).render(**view)


def render_html(template: str, /, **view: object) -> str:
    """Render a template file of HTML."""
    return html_environment().get_template(template).render(**view)


@cache
def read(name: str) -> str:
    """The text of a file beside the templates."""
    return (resources.templates() / name).read_text()
