"""The macros of a program, as far as what stands in its kernels can be told from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from accache.cpu.tokens import HASH, tokenise
from accache.cuda.text import Cuda
from accache.workflows.private_lines.declared import Macro
from accache.workflows.private_lines.words import KEYWORDS, merged

_DEFINE = re.compile(rf"{HASH}(define|undef)\b(?:\s|/\*.*?\*/)*(\w+)(\([^)]*\))?(.*)", re.S)
_SPLICE = re.compile(r"\\\r?\n")


def macros_of(
    files: Sequence[Cuda], defines: Iterable[tuple[str, str]]
) -> tuple[dict[str, Macro | None], frozenset[str]]:
    """The macros, and those that may stand for declarations. One that is undefined behind its definition is unclear."""
    found: dict[str, Macro | None] = {}
    hiding: set[str] = set()

    def add(name: str, parameters: str | None, replacement: str) -> None:
        names = None if parameters is None else tuple(re.findall(r"[\w.]+", parameters))
        macro = Macro(names, merged(tokenise(replacement)))
        if not {word.text for word in macro.words}.isdisjoint(("#", "{", ";")):
            hiding.add(name)
        known = found.get(name, macro)
        is_same = known is not None and known.parameters == names and _texts(known) == _texts(macro)
        found[name] = macro if is_same else None

    for name, value in defines:
        add(name, None, value)
    lines = (_SPLICE.sub("", file.source.text[span.start : span.end]) for file in files for span in file.directives)
    for match in filter(None, map(_DEFINE.match, lines)):
        if match[1] == "define":
            add(match[2], match[3], match[4])
        elif match[2] in found:
            found[match[2]] = None
    return found, frozenset(hiding)


def _texts(macro: Macro) -> list[str]:
    return [word.text for word in macro.words]


def hidden_keyword(macros: Mapping[str, Macro | None]) -> str:
    """The reason nothing can be told of a program, if a macro has the name of a keyword; else ''."""
    return next((f"the macro {name} hides a keyword" for name in macros if name in KEYWORDS), "")


def is_named(macros: Mapping[str, Macro | None], name: str) -> bool:
    """Whether some macro stands for a name, among other words."""
    return any(macro is not None and name in {word.text for word in macro.words} for macro in macros.values())
