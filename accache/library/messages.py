"""Diagnostics as callers want to read them."""

from __future__ import annotations

from collections.abc import Iterable

from accache.base.diagnostic_formats import FORMATS
from accache.base.diagnostic_formats import render as rendered
from accache.base.diagnostics import Diagnostic
from accache.base.options import refuse_other
from accache.base.text import SourceFile


def render(diagnostics: Iterable[Diagnostic], form: str = "text", *, sources: Iterable[SourceFile] = ()) -> str:
    """Diagnostics as the command line prints them: as ``text``, with the lines they are about, ``json`` or ``sarif``.

    Lines are read from the files, except those of ``sources``, programs that are no files (``Translation.source``).

    Raises:
        OptionError: there is no such form.
    """
    refuse_other("form", form, tuple(FORMATS))
    return rendered(tuple(diagnostics), form, sources=tuple(sources))
