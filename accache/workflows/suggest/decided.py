"""What the planner decides of a C program's directives, written and unwritten: what explain and --auto-cache tell.

A trace tells bytes, and the planner clocks; suggestions show both, and suggest nothing that the planner would refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accache.base.options import Options
from accache.base.text import SourceFile
from accache.caching.estimates.candidates import PLAIN
from accache.caching.estimates.cost import in_words
from accache.driver import translate
from accache.report.records import KernelReport, SubarrayReport
from accache.workflows.suggest.directives import advice_for
from accache.workflows.suggest.records import Directive
from accache.workflows.without_directives import without_cache_directives

_WORSE = 0.95
"""The part of the clocks with written directives that others must leave at most, to be worth a note."""


@dataclass(frozen=True)
class Decided:
    """The directives of a kernel; the arrays of which they keep nothing, with the rule; and those behind tiled loops.

    ``kept`` are arrays that directives keep, were there no written ones; ``advised`` those that directives could name
    if a loop were tiled.
    """

    directives: tuple[Directive, ...]
    kept: frozenset[str] = frozenset()
    advised: frozenset[str] = frozenset()

    def rule(self, array: str) -> str:
        """The rule against copies of an array, however many bytes they save; '' if there is none."""
        own = [item for item in self.directives if item.array == array]
        if array in self.advised or any(item.is_kept for item in own):
            return ""
        if own:
            return "refused"
        return "" if array in self.kept else "unproved"

    def directive(self, array: str) -> Directive | None:
        """The directive that keeps an array in the emitted kernel, if one does."""
        return next((item for item in self.directives if item.array == array and item.is_kept), None)


def planned(source: SourceFile, options: Options) -> dict[str, Decided]:
    """What the planner decides of each kernel of a program, and what it would if nobody had written directives.

    Raises:
        CompileError: the program cannot be translated.
    """
    written = translate(source, options).report.kernels
    text = without_cache_directives(source.text)
    bare_source = source if text == source.text else SourceFile(source.name, text)
    bare = written if bare_source is source else translate(bare_source, options).report.kernels
    bare = bare if len(bare) == len(written) else written
    advised = _advised(bare_source, options, written)
    return {
        kernel.name: Decided(
            tuple(_directive(item, kernel, other) for item in kernel.subarrays),
            frozenset(_array(item) for item in other.subarrays if item.is_kept),
            advised.get(kernel.name, frozenset()),
        )
        for kernel, other in zip(written, bare, strict=True)
    }


def _directive(item: SubarrayReport, kernel: KernelReport, other: KernelReport) -> Directive:
    """A directive of a kernel, beside what ``other`` has, the kernel without written ones."""
    chosen, plain = _chosen(kernel)
    better, then = ("", "") if item.density else _better(kernel, other)
    same = {each.text: _array(each) for each in other.subarrays if each.is_kept}
    is_worse = better and item.text not in same and (_array(item) in same.values() or item.is_kept)
    return Directive(
        item.line,
        item.column,
        item.written,
        _array(item),
        is_written=not item.density,
        is_kept=item.is_kept,
        method=item.method,
        reason=item.reason,
        shared=item.shared_bytes,
        clocks=chosen,
        clocks_without=plain,
        better=better if is_worse else "",
        clocks_then=then if is_worse else "",
    )


def _chosen(kernel: KernelReport) -> tuple[str, str]:
    """What a warp takes in the emitted kernel and in one without tiles, in words; '' where nothing was estimated."""
    chosen = next((in_words(item.clocks, item.bound) for item in kernel.candidates if item.chosen), "")
    plain = next((in_words(item.clocks, item.bound) for item in kernel.candidates if item.name == PLAIN), "")
    return chosen, plain


def _array(item: SubarrayReport) -> str:
    return item.written.partition("[")[0].strip()


def _advised(source: SourceFile, options: Options, kernels: Sequence[KernelReport]) -> dict[str, frozenset[str]]:
    """The arrays that directives could name if a loop were tiled, by the kernel that the loop is in."""
    found: dict[str, frozenset[str]] = {}
    for chunk in advice_for(source, options):
        kernel = max((each for each in kernels if each.line <= chunk.loop.line), key=lambda each: each.line)
        arrays = frozenset(text.partition("[")[0].strip() for text in chunk.texts)
        found[kernel.name] = found.get(kernel.name, frozenset()) | arrays
    return found


def _better(kernel: KernelReport, other: KernelReport) -> tuple[str, str]:
    """Directives that nobody wrote with which a kernel would be quicker than with its own, and what it takes then."""
    better = [item for item in other.subarrays if item.is_kept]
    now, then = (next((item for item in each.candidates if item.chosen), None) for each in (kernel, other))
    if not better or now is None or then is None or then.clocks > _WORSE * now.clocks:
        return "", ""
    return ", ".join(dict.fromkeys(item.written for item in better)), in_words(then.clocks, then.bound)
