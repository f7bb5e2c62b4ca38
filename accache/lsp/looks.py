"""What there is to show of a text: its diagnostics, a paragraph for a line, hints and mends; nothing of protocols."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from accache.base.diagnostics import CompileError, Diagnostic, FixIt
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import Translation, translate
from accache.report.records import SubarrayReport
from accache.report.text import kernel_paragraph, subarray_paragraph
from accache.workflows.fixes.offers import Outcome, with_offers


class Hint(Struct, frozen=True):
    """A few words that stand behind a line."""

    line: int
    text: str


class Look(Struct, frozen=True, dict=True):
    """A text and what its translation gave; what takes longer is made when it is first asked for."""

    source: SourceFile
    options: Options
    diagnostics: tuple[Diagnostic, ...]
    translation: Translation | None

    @cached_property
    def mended(self) -> tuple[Diagnostic, ...]:
        """The diagnostics with fix-its that were tried."""
        decisions = self.translation.decisions if self.translation is not None else ()
        return with_offers(self.source, self.options, Outcome(self.diagnostics, decisions))

    def fixes(self, first: int, last: int) -> tuple[tuple[Diagnostic, FixIt], ...]:
        """The fix-its of what is told of some lines, both ends included."""
        return tuple(
            (found, fix)
            for found in self.mended
            if found.location is not None and first <= found.location.line <= last
            for fix in found.fixes
        )

    def paragraph(self, line: int) -> str:
        """What explain tells of the directives or the kernel at a line; '' where neither is."""
        if self.translation is None:
            return ""
        kernels = self.translation.report.kernels
        found = [subarray_paragraph(item) for kernel in kernels for item in kernel.subarrays if item.line == line]
        return "\n\n".join(found or [kernel_paragraph(kernel) for kernel in kernels if kernel.line == line])

    def hints(self) -> tuple[Hint, ...]:
        """What became of the subarrays of each directive, in a few words."""
        words: dict[int, list[str]] = {}
        for kernel in self.translation.report.kernels if self.translation is not None else ():
            for item in kernel.subarrays:
                words.setdefault(item.line, []).append(_short(item))
        return tuple(Hint(line, "; ".join(dict.fromkeys(found))) for line, found in sorted(words.items()))


def look(source: SourceFile, options: Options) -> Look:
    """Translate a text, and keep what is told of it."""
    try:
        made = translate(source, options)
    except CompileError as error:
        return Look(source, options, error.diagnostics, None)
    return Look(source, options, made.diagnostics, made)


def _short(item: SubarrayReport) -> str:
    """The method and the bytes of a subarray."""
    if item.shared_bytes:
        return f"{item.method}, {item.shared_bytes:,} bytes"
    return {"none": "not cached", "register": "in registers", "local": "a thread's own", "off": "off"}.get(
        item.method, item.method
    )
