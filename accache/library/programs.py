"""The program that a caller means: C as text, or the path of a file."""

from __future__ import annotations

from os import PathLike

from accache.base.diagnostics import Reporter
from accache.base.options import OptionError
from accache.base.text import SourceFile, text_of
from accache.frontend.source.preprocess import read_source
from accache.library.inputs import is_encodable, path_of

TEXT = "<text>"
"""The name of a program that is given as text, in messages."""


def is_text(program: object) -> bool:
    """Whether a caller gives the text of a program, and no path: it has a line break."""
    return isinstance(program, str) and ("\n" in program or "\r" in program)


def source_of(program: str | PathLike[str], name: str = TEXT) -> SourceFile:
    """The program that a caller means: a text with a line break is C, any other text is a path, as path objects are.

    A text is called ``name`` in messages, and includes files from the folder of that name.

    Raises:
        CompileError: the file cannot be read, or is in another language.
        OptionError: the text or the name is none that a file could have.
    """
    if isinstance(program, str) and is_text(program):
        if not isinstance(name, str) or not name or set(name) & set("\n\r") or not is_encodable(name):
            raise OptionError(f"{name!r} is no name for a text", "name")
        try:
            return SourceFile(name, text_of(program.encode("utf-8", "surrogateescape")))
        except UnicodeEncodeError as error:
            raise OptionError(f"the text is none that a file could hold: {error}", "program") from error
    return read_source(path_of(program), Reporter())
