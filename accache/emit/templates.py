"""The one place that loads and renders templates."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from accache import resources


@cache
def environment() -> Environment:
    """The template environment: undefined names are errors, text is printed as it stands."""
    return Environment(
        loader=FileSystemLoader(resources.templates()),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def macros(name: str) -> Any:
    """The macros of a template file, as attributes."""
    return environment().get_template(name).module


def render(template: str, /, **view: object) -> str:
    """Render a template file."""
    return environment().get_template(template).render(**view)


def read(name: str) -> str:
    """The text of a file beside the templates."""
    return (resources.templates() / name).read_text()
