"""A place in the tokens of a PTX text, and what is said when another token was expected there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from accache.base.diagnostics import CompileError, Reporter
from accache.base.text import Location, SourceFile, Span
from accache.ptx.text.lexer import Token, tokens


class Cursor:
    """Moves through the tokens of a text; collects what is wrong with single instructions."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.reporter = Reporter()
        self._tokens = tokens(source)
        self._position = 0
        self._inside: list[tuple[str, int]] = []
        self._read()

    def _read(self) -> None:
        token = self._tokens[self._position]
        self.kind, self.text, self.start = token

    @property
    def previous_end(self) -> int:
        """The offset behind the token taken last."""
        return self._tokens[self._position - 1].end

    def take(self) -> Token:
        """The token here; the cursor moves behind it."""
        token = self._tokens[self._position]
        if token.kind == "end":
            raise self.unexpected("more")
        self._position += 1
        self._read()
        return token

    def peek(self) -> Token:
        """The token behind the one here."""
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def accept(self, text: str) -> bool:
        """Take the token here if it has this text."""
        if self.text != text or self.kind == "end":
            return False
        self.take()
        return True

    def expect(self, text: str, expected: str = "") -> Token:
        """Take the token here, which must have this text."""
        if self.text != text or self.kind == "end":
            raise self.unexpected(expected or f"'{text}'")
        return self.take()

    def word(self, expected: str) -> str:
        """Take a word."""
        if self.kind != "word":
            raise self.unexpected(expected)
        return self.take().text

    def integer(self, expected: str = "an integer") -> int:
        """Take an integer without sign."""
        if self.kind != "number":
            raise self.unexpected(expected)
        try:
            value = int(self.text.rstrip("Uu"), 0)
        except ValueError:
            raise self.unexpected(expected) from None
        self.take()
        return value

    @contextmanager
    def inside(self, what: str) -> Iterator[None]:
        """Name what the text must not end in."""
        self._inside.append((what, self.start))
        yield
        self._inside.pop()

    def unexpected(self, expected: str) -> CompileError:
        """The error that another token stands here; the caller raises it."""
        if self.kind == "end":
            what = self._inside[-1][0] if self._inside else "the module"
            return self.reporter.fail("ACC903", self.source.location(self.start), what=what, expected=expected)
        return self.reporter.fail("ACC902", self.here, expected=expected, found=f"'{self.text}'")

    @property
    def here(self) -> Location:
        """Where the token here stands."""
        return self.source.locate(Span(self.start, self.start + len(self.text)))
