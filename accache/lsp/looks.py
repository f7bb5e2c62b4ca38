"""What there is to show of a text: its diagnostics, a paragraph for a line, hints and mends; nothing of protocols."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import CompileError, Diagnostic, FixIt, Reporter
from accache.base.options import Options
from accache.base.properties import cached_property
from accache.base.text import SourceFile
from accache.driver import mapped, tried, with_deep_stack
from accache.ir.openacc.regions import Region
from accache.lsp.constructs import Constructs, Hint, Told
from accache.reading import Read, read_program
from accache.report.text import kernel_paragraph, subarray_paragraph
from accache.workflows.fixes.offers import Outcome, with_offers


class Look(Struct, frozen=True, dict=True):
    """A text and what is told of it; what takes longer is made when it is first asked for.

    ``read`` is what the front end made of it, None where that failed.
    """

    source: SourceFile
    options: Options
    constructs: Constructs
    read: Read | None
    told: Told

    @cached_property
    def mended(self) -> tuple[Diagnostic, ...]:
        """The diagnostics with fix-its that were tried."""
        return with_offers(self.source, self.outcome, lambda text: look(text, self.options, self.constructs).outcome)

    @property
    def outcome(self) -> Outcome:
        """What was told, as fix-its want it."""
        return Outcome(self.told.diagnostics, self.told.decisions)

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What became of the subarrays of each directive in the text, in a few words."""
        return tuple(hint for hint in self.told.hints if hint.location.file == self.source.name)

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
        try:
            return with_deep_stack(lambda: "\n\n".join(self._paragraphs(line)), self.source.name)
        except CompileError:
            return ""

    def _paragraphs(self, line: int) -> Iterator[str]:
        if self.read is None:
            return
        for region in self.read.program.regions:
            if region.location.file == self.source.name and region.location.line <= line <= self._end(region):
                alone = replace(self.read, program=replace(self.read.program, regions=(region,)))
                kernels = tried(mapped(alone, Reporter()), self.options).kernels
                found = [subarray_paragraph(item) for each in kernels for item in each.subarrays if item.line == line]
                yield from found or (kernel_paragraph(each) for each in kernels if each.line == line)

    def _end(self, region: Region) -> int:
        """The last line of a construct of the text."""
        assert self.read is not None
        source = self.read.source
        return source.place(source.location(region.text.span.end - 1)).line


def look(source: SourceFile, options: Options, constructs: Constructs) -> Look:
    """Read a text, and plan the constructs in it of which ``constructs`` has not told yet."""
    try:
        return with_deep_stack(lambda: _look(source, options, constructs), source.name)
    except CompileError as error:
        return Look(source, options, constructs, None, Told(error.diagnostics))


def _look(source: SourceFile, options: Options, constructs: Constructs) -> Look:
    reporter = Reporter()
    read = read_program(source, options, reporter)
    told = constructs.told(read.program, source.name, options)
    reporter.include(told.diagnostics)
    return Look(source, options, constructs, read, replace(told, diagnostics=tuple(reporter.diagnostics)))
