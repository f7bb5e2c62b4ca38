"""The one place that loads and renders templates."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from accache.base import resources


@cache
def environment() -> Any:
    """The template environment of what compilers read."""
    environments = _environments()
    return environments.made(environments.OPTIONS)


@cache
def html_environment() -> Any:
    """The template environment of what browsers show."""
    environments = _environments()
    return environments.made(environments.HTML_OPTIONS)


def _environments() -> Any:
    """What makes environments: a program whose texts are kept needs none."""
    return import_module("accache.emit.environments")


@cache
def macros(name: str) -> Any:
    """The macros of a template file, as attributes."""
    return environment().get_template(name).module


def render(template: str, /, **view: object) -> str:
    """Render a template file."""
    text: str = environment().get_template(template).render(**view)
    return text


def render_html(template: str, /, **view: object) -> str:
    """Render a template file of HTML."""
    text: str = html_environment().get_template(template).render(**view)
    return text


@cache
def read(name: str) -> str:
    """The text of a file beside the templates."""
    return (resources.templates() / name).read_text()
