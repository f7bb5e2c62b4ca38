"""Collects the edits and refusals that make a C file C++, and finds their places in the raw text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from msgspec import Struct, field

from accache.base.diagnostics import Reporter
from accache.base.text import Edit, Location, SourceFile, Span
from accache.frontend.source.alignment import Unit


class Edits(Struct, dict=True):
    """The edits and refusals of one file: those in ``skip`` and in system headers are dropped.

    ``words`` are those of C that headers of the program use; ``forgotten`` are the first calls of functions of the C
    library that nothing declares.
    """

    source: SourceFile
    unit: Unit
    skip: tuple[Span, ...]
    reporter: Reporter
    found: list[tuple[tuple[int, int, int], Edit]] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    forgotten: dict[str, Location] = field(default_factory=dict)

    def skips(self, offset: int) -> bool:
        """Whether a raw offset lies in text that is replaced anyway."""
        return any(span.start <= offset < span.end for span in self.skip)

    def forget(self, function: str, index: int) -> None:
        """Note the call at a token of a function of the C library that nothing declares."""
        origin = self.unit.origins[index]
        if not origin.system and not (origin.span is not None and self.skips(origin.span.start)):
            place = self.source.locate(origin.span or self._line(origin.line)) if self.unit.is_main(index) else None
            self.forgotten.setdefault(function, place or Location(origin.file, origin.line))

    def refuse(self, code: str, index: int, **values: object) -> None:
        """Report that the construct at a token has no C++ form."""
        origin = self.unit.origins[index]
        if origin.system or (origin.span is not None and self.skips(origin.span.start)):
            return
        if self.unit.is_main(index):
            self.refuse_at(code, origin.span or self._line(origin.line), **values)
        elif not knows_cplusplus(origin.file):
            self.reporter.report(code, Location(origin.file, origin.line), **values)

    def refuse_at(self, code: str, span: Span, **values: object) -> None:
        """Report that the construct in a raw span has no C++ form."""
        if not self.skips(span.start):
            self.reporter.report(code, self.source.locate(span), **values)

    def _line(self, line: int) -> Span:
        start = self.source.offset(line)
        return Span(start, start + len(self.source.line_text(line)))

    def wrap(self, first: int, last: int, prefix: str, suffix: str = "", *, optional: bool = False) -> None:
        """Put text before and after the tokens ``first`` to ``last``; ``optional`` text may find no place."""
        span = self._place(first, last, (prefix + suffix).strip(), optional)
        if span is not None and self.source.text[span.start : span.end] != "NULL":
            self.insert(span.start, prefix, span.end)
            if suffix:
                self.found.append(((span.end, 0, span.start), Edit(Span(span.end, span.end), suffix)))

    def insert(self, offset: int, text: str, until: int = 0) -> None:
        """Insert at a raw offset; what reaches further goes first."""
        if not self.skips(offset):
            self.found.append(((offset, 1, -until), Edit(Span(offset, offset), text)))

    def replace(self, first: int, last: int, text: str) -> None:
        """Replace the tokens ``first`` to ``last``."""
        span = self._place(first, last, text)
        if span is not None:
            self.replace_at(span, text)

    def replace_at(self, span: Span, text: str) -> None:
        """Replace a raw span."""
        if not self.skips(span.start):
            self.found.append(((span.start, 2, 0), Edit(span, text)))

    def _place(self, first: int, last: int, text: str, optional: bool = False) -> Span | None:
        origin = self.unit.origins[first]
        if origin.system or (origin.span is not None and self.skips(origin.span.start)):
            return None
        if not self.unit.is_main(first):
            if not optional:
                self.refuse("ACC502", first, text=text)
            return None
        span = self.unit.raw(first, last)
        if span is None and not optional:
            self.refuse("ACC501", first, text=text)
        return span

    def sorted(self) -> tuple[Edit, ...]:
        """Every edit once, in the order in which they are spliced; what a replacement covers is dropped."""
        kept: list[Edit] = []
        end = 0
        for _, edit in dict.fromkeys(sorted(self.found, key=lambda pair: pair[0])):
            if edit.span.start >= end:
                kept.append(edit)
                end = max(end, edit.span.end)
        return tuple(kept)


@cache
def knows_cplusplus(file: str) -> bool:
    """Whether a header tests for C++, so that C++ sees other text than C."""
    try:
        return "__cplusplus" in Path(file).read_text(errors="replace")
    except OSError:
        return False
