"""Fix-its that were tried: the mended text is translated, and must do what the directive meant.

A cache directive changes where data lies and never what a program computes, so a mend of its list is right if all
references of its region are served; what changes loops is made so that iterations stay the same, in their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import CompileError, Diagnostic, FixIt, Reporter, Severity
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.caching.decisions import Decision
from accache.driver import Translation, translate
from accache.frontend.source.preprocess import read_source
from accache.workflows.fixes.places import edits_of, overlap, with_fixes
from accache.workflows.fixes.rules import proposal

ABOUT_COST = frozenset(("ACC419", "ACC420", "ACC422"))
"""What a directive may still be told once it means what it should: that it does not pay, and what it takes."""
MOST = 20
"""Mends that are tried of a file; each takes a translation."""
IN_A_ROW = 3
"""How many mends may be needed one behind the other: a directive is moved, and then its subarray mended.

The first error of a directive hides those behind it.
"""


class Outcome(Struct, frozen=True):
    """What a translation told, and decided if it went to its end."""

    diagnostics: tuple[Diagnostic, ...]
    decisions: tuple[Decision, ...] = ()

    @property
    def has_errors(self) -> bool:
        """Whether the text cannot be translated."""
        return any(found.severity is Severity.ERROR for found in self.diagnostics)


class Fixed(Struct, frozen=True):
    """A text with all mends applied, the fix-its that made it, and what is told of the result."""

    text: str
    fixes: tuple[FixIt, ...]
    diagnostics: tuple[Diagnostic, ...]


def translated_file(path: str, options: Options) -> Translation:
    """Translate a file, ``-`` for standard input, as ``translated`` does."""
    return translated(read_source(path, Reporter()), options)


def translated(source: SourceFile, options: Options) -> Translation:
    """Translate a program; its diagnostics have fix-its, also those of a CompileError."""
    try:
        made = translate(source, options)
    except CompileError as error:
        raise CompileError(with_offers(source, Outcome(error.diagnostics), _by(options))) from error
    return replace(made, diagnostics=with_offers(source, Outcome(made.diagnostics, made.decisions), _by(options)))


def with_offers(
    source: SourceFile, told: Outcome, outcome_of: Callable[[SourceFile], Outcome], depth: int = IN_A_ROW
) -> tuple[Diagnostic, ...]:
    """What was told, with a fix-it where the mended text was tried, by ``outcome_of``, and is right.

    What a mended text is told of may need up to ``depth - 1`` other mends, which are tried, too.
    """
    proposed = [(number, proposal(source, found, told.decisions)) for number, found in enumerate(told.diagnostics)]
    fixes = [(number, fix) for number, fix in proposed if fix is not None][:MOST]
    needed = [fix for number, fix in fixes if told.diagnostics[number].severity is Severity.ERROR]
    diagnostics = list(told.diagnostics)
    offered: list[FixIt] = []
    for number, fix in fixes:
        if fix not in offered and _holds(
            source, outcome_of, told, told.diagnostics[number], fix=fix, needed=needed, depth=depth
        ):
            diagnostics[number] = replace(diagnostics[number], fixes=(fix,))
            offered.append(fix)
    return tuple(diagnostics)


def _holds(
    source: SourceFile,
    outcome_of: Callable[[SourceFile], Outcome],
    told: Outcome,
    found: Diagnostic,
    *,
    fix: FixIt,
    needed: Sequence[FixIt],
    depth: int,
) -> bool:
    """Whether the text with a mend translates, is told of the mistake no more, and of nothing new that has no mend.

    Other errors may stand in the way of a look at the result: ``needed`` mends these.
    """
    others = [other for other in needed if other != fix and not _meet(source, other, fix)]
    mended = SourceFile(source.name, with_fixes(source, (fix, *others)))
    now = outcome_of(mended)
    before, after = _codes(told.diagnostics), _codes(now.diagnostics)
    if now.has_errors:
        is_gone = found not in now.diagnostics and found.severity is Severity.ERROR
        return is_gone and _have_mends(mended, now, _errors(now), outcome_of, depth=depth)
    if told.has_errors:  # what comes behind the errors was not told before
        return True
    if after[found.code] >= before[found.code] + (found.code in ABOUT_COST):
        return False
    new = (after - before).keys() - ABOUT_COST
    return not new or _have_mends(mended, now, new, outcome_of, depth=depth)


def _have_mends(
    source: SourceFile,
    told: Outcome,
    codes: Collection[str],
    outcome_of: Callable[[SourceFile], Outcome],
    *,
    depth: int,
) -> bool:
    """Whether all that is told under some codes has mends, which are tried ``depth - 1`` deep."""
    offers = with_offers(source, told, outcome_of, depth - 1) if depth > 1 else ()
    return bool(offers) and all(found.fixes for found in offers if found.code in codes)


def _errors(now: Outcome) -> frozenset[str]:
    return frozenset(found.code for found in now.diagnostics if found.severity is Severity.ERROR)


def _codes(diagnostics: Sequence[Diagnostic]) -> Counter[str]:
    """How often each warning or error is told."""
    return Counter(found.code for found in diagnostics if found.severity is not Severity.NOTE)


def _meet(source: SourceFile, first: FixIt, second: FixIt) -> bool:
    return overlap(edits_of(source, first), edits_of(source, second))


def offered(source: SourceFile, options: Options) -> tuple[Diagnostic, ...]:
    """What is told of a program, with fix-its."""
    return with_offers(source, outcome(source, options), _by(options))


def _by(options: Options) -> Callable[[SourceFile], Outcome]:
    """What is told of texts by whole translations."""
    return lambda source: outcome(source, options)


def outcome(source: SourceFile, options: Options) -> Outcome:
    """What is told of a text."""
    try:
        made = translate(source, options)
    except CompileError as error:
        return Outcome(error.diagnostics)
    return Outcome(made.diagnostics, made.decisions)


def fixed(source: SourceFile, options: Options) -> Fixed:
    """The text with the mends for all that has one; mending one mistake may show another, so it is looked at again."""
    text, applied = source, list[FixIt]()
    while True:
        diagnostics = offered(text, options)
        chosen: list[FixIt] = []
        for fix in (fix for found in diagnostics for fix in found.fixes):
            if not any(_meet(text, fix, other) for other in chosen):
                chosen.append(fix)
        if not chosen or len(applied) >= MOST:
            return Fixed(text.text, tuple(applied), diagnostics)
        text = SourceFile(source.name, with_fixes(text, chosen))
        applied += chosen
