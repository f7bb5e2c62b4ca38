"""Translate a program, and tell what became of its cache directives."""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING

from msgspec import Struct

from accache.base.diagnostics import CompileError, Diagnostic
from accache.base.text import SourceFile
from accache.driver import Translation as Made
from accache.library.inputs import TranslationOptions, options_of
from accache.library.programs import TEXT, source_of
from accache.report.text import Report
from accache.workflows.fixes.offers import translated

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Translation(Struct, frozen=True):
    """A translated program: C for the host's compiler, and CUDA C for nvcc; both belong together.

    ``host`` and ``cuda`` are the texts of two files. ``diagnostics`` are warnings and notes, ``source`` is the program.
    """

    source: SourceFile
    host: str
    cuda: str
    diagnostics: tuple[Diagnostic, ...]
    _made: Made

    @property
    def joined(self) -> str | None:
        """The same program as one .cu, for nvcc alone; None where its host C cannot be C++."""
        return self._made.joined

    @property
    def refusals(self) -> tuple[Diagnostic, ...]:
        """Why the program cannot be one .cu; empty if it can."""
        return self._made.refusals

    @property
    def report(self) -> Report:
        """What became of each cache directive, and why. It is made when it is first asked for."""
        return self._made.report

    def __repr__(self) -> str:
        return f"<Translation of {self.source.name!r}, diagnostics: {len(self.diagnostics)}>"

    def _repr_html_(self) -> str:
        """For notebooks."""
        return str(import_module("accache.library.html").of_translation(self))


def translate(program: str | PathLike[str], *, name: str = TEXT, **options: Unpack[TranslationOptions]) -> Translation:
    """Translate C with OpenACC directives to CUDA C.

    ``program`` is C, if it is a str with a line break; any other str, or a path object, is the path of a file. A text
    is called ``name`` in messages. The options are those of ``accache translate``.

    Raises:
        CompileError: the program cannot be translated; ``diagnostics`` tell why.
        OptionError: there is no such option, or it has no such value.
    """
    chosen = options_of(options, TranslationOptions.__annotations__)
    source = source_of(program, name)
    made = translated(source, chosen)
    return Translation(source, made.host, made.device, made.diagnostics, made)


def explain(program: str | PathLike[str], *, name: str = TEXT, **options: Unpack[TranslationOptions]) -> Report:
    """What becomes of each cache directive of a program, and why: ``translate(...).report``.

    ``str`` makes the text of ``accache explain`` of it, and ``to_dict`` what ``--json`` prints. Raises what
    ``translate`` does.
    """
    return translate(program, name=name, **options).report


__all__ = ["CompileError", "Translation", "explain", "translate"]
