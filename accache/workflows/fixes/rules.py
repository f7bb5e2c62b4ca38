"""Which mend a mistake might have, by the code of its diagnostic; ``offers`` tries each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accache.base.diagnostics import Diagnostic, FixIt
from accache.base.text import Edit, SourceFile, Span
from accache.caching.decisions import Decision
from accache.frontend.grammar import DIRECTIVES
from accache.frontend.openacc.hints import Mend, closed, parenthesised
from accache.frontend.source.tokens import OPENING
from accache.workflows.fixes.brackets import bracketed
from accache.workflows.fixes.loops import chunked, moved
from accache.workflows.fixes.places import Pragma, fix_of, pragma_at, sections_of, spelled
from accache.workflows.fixes.repeats import repeated

Rule = Callable[[SourceFile, Pragma, Diagnostic, Sequence[Decision]], FixIt | None]


def proposal(source: SourceFile, found: Diagnostic, decisions: Sequence[Decision]) -> FixIt | None:
    """A mend for what a diagnostic tells, not yet tried; None where accache knows none."""
    pragma = pragma_at(source, found.location) if found.location is not None else None
    rules = RULES.get(found.code)
    if pragma is None or rules is None:
        return None
    made = (rule(source, pragma, found, decisions) for rule in (_once, *rules))
    return next((fix for fix in made if fix is not None), None)


def _loop_for_for(source: SourceFile, pragma: Pragma, found: Diagnostic, decisions: Sequence[Decision]) -> FixIt | None:
    """``parallel for``, as OpenMP has it: ``parallel loop``."""
    words = [word.text for word in pragma.words]
    if words[:2] != ["pragma", "acc"] or words[3:4] != ["for"] or f"{words[2]} loop" not in DIRECTIVES:
        return None
    return fix_of(source, f"write '{words[2]} loop'", (Edit(pragma.words[3].span, "loop"),))


def _all_references(
    source: SourceFile, pragma: Pragma, found: Diagnostic, decisions: Sequence[Decision]
) -> FixIt | None:
    """The subarray that holds all references of the region: a length for an end, a halo that was forgotten."""
    assert found.location is not None
    before = [item for item in decisions if item.location.file == source.name and not found.location < item.location]
    decision = max(before, key=lambda item: item.location, default=None)
    if decision is None or not decision.instead:
        return None
    start = source.offset(decision.location.line, decision.location.column)
    item = next((item for item in pragma.items if item and item[0].span.start == start), None)
    if item is None or "".join(token.text for token in item) != "".join(decision.text.split()):
        return None
    sections = sections_of(item)
    if len(sections) != len(decision.instead):
        return None
    parts = (new or spelled(old) for new, old in zip(decision.instead, sections, strict=True))
    text = item[0].text + "".join(parts)
    return fix_of(source, f"write {text}", (Edit(Span(start, item[-1].span.end), text),))


def _in_brackets(source: SourceFile, pragma: Pragma, found: Diagnostic, decisions: Sequence[Decision]) -> FixIt | None:
    """The subarray in brackets that stands in Fortran's parentheses."""
    assert found.location is not None
    return bracketed(source, pragma, source.offset(found.location.line, found.location.column))


def _parenthesised(
    source: SourceFile, pragma: Pragma, found: Diagnostic, decisions: Sequence[Decision]
) -> FixIt | None:
    """Parentheses around what stands behind a clause's name without them."""
    number = _word_at(source, pragma, found)
    mend = parenthesised(pragma.words, number) if number is not None else None
    return _mended(source, pragma, mend) if mend is not None and mend.text else None


def _closed(source: SourceFile, pragma: Pragma, found: Diagnostic, decisions: Sequence[Decision]) -> FixIt | None:
    """The partner of a bracket."""
    number = _word_at(source, pragma, found)
    if number is None or pragma.words[number].text not in OPENING:
        return None
    return _mended(source, pragma, closed(pragma.words, number))


def _word_at(source: SourceFile, pragma: Pragma, found: Diagnostic) -> int | None:
    """The word of a directive that a diagnostic is about; None where a macro stands for it."""
    assert found.location is not None
    offset = source.offset(found.location.line, found.location.column)
    return next((number for number, word in enumerate(pragma.words) if word.span.start == offset), None)


def _mended(source: SourceFile, pragma: Pragma, mend: Mend) -> FixIt:
    words = pragma.words
    start = words[mend.first].span.start if mend.first < mend.last else words[mend.first - 1].span.end
    return fix_of(source, mend.hint, (Edit(Span(start, words[mend.last - 1].span.end), mend.text),))


def _once(source: SourceFile, pragma: Pragma, found: Diagnostic, decisions: Sequence[Decision]) -> FixIt | None:
    """The list without a subarray that stands at the same place already."""
    assert found.location is not None
    return repeated(source, pragma, source.offset(found.location.line, found.location.column))


def _inside(source: SourceFile, pragma: Pragma, found: Diagnostic, decisions: Sequence[Decision]) -> FixIt | None:
    """The directive in the loop that it is about."""
    return moved(source, pragma)


def _in_chunks(source: SourceFile, pragma: Pragma, found: Diagnostic, decisions: Sequence[Decision]) -> FixIt | None:
    """The loop behind the directive in chunks that fit."""
    return chunked(source, pragma)


RULES: dict[str, tuple[Rule, ...]] = {
    "ACC203": (_parenthesised,),
    "ACC212": (_loop_for_for,),
    "ACC219": (_closed,),
    "ACC225": (_in_brackets,),
    "ACC302": (_inside,),
    "ACC402": (_all_references, _inside),
    "ACC408": (_all_references,),
    "ACC409": (_all_references,),
    "ACC411": (_inside,),
    "ACC412": (_all_references,),
    "ACC413": (_all_references,),
    "ACC416": (_in_chunks,),
    "ACC419": (),
    "ACC423": (_all_references,),
}
"""The mends that are tried for each code, the first that there is; before them, that what stands twice goes."""
