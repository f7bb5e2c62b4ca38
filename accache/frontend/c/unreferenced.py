"""Static functions that only kernels called: what is left of them in host code should get no warning."""

from __future__ import annotations

import re
from collections.abc import Collection

from accache.base.text import SourceFile, Span
from accache.frontend.source.definitions import definitions
from accache.ir.openacc.regions import Region


def unreferenced(
    source: SourceFile, inactive: tuple[Span, ...], regions: Collection[Region], routines: Collection[str]
) -> tuple[int, ...]:
    """Where the static functions among the routines begin that host code, without its regions, calls no more."""
    replaced = [region.text.span for region in regions if region.execution.condition is None]
    bodies = definitions(source, inactive)
    found = []
    for item in bodies:
        head = source.text[item.span.start : item.body.start]
        is_own = re.search(r"\bstatic\b", head) is not None and re.search(r"\binline\b", head) is None
        if item.name not in routines or not is_own:
            continue
        uses = [match.start() for match in re.finditer(rf"\b{item.name}\b", source.text)]
        left = [use for use in uses if not any(span.start <= use < span.end for span in replaced)]
        others = [other.body for other in bodies if other.name != item.name]
        if not any(body.start <= use < body.end for use in left for body in others):
            found.append(item.span.start)
    return tuple(found)
