"""Statement expressions of GNU C, which the tree of a unit has but names for: read again, from the raw text."""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace
from pycparser import c_ast

from accache.cplusplus.calls import ARITHMETIC_OVERLOADS
from accache.cplusplus.output import Edits
from accache.frontend.source.alignment import Origin, Unit
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.gnu import STATEMENT_EXPRESSION
from accache.frontend.source.parser import UnreadableError, parse_c
from accache.frontend.source.preprocess import Preprocessed
from accache.frontend.source.tokens import DIRECTIVE, Token

_DEFINE = re.compile(r"#\s*define\b")
_OPENS_BLOCK = re.compile(r"\(\s*\{")
_CALL = re.compile(r"\b([a-z]\w*)\s*\(")


def with_blocks(unit: Unit, tree: Any, preprocessed: Preprocessed) -> tuple[Unit, dict[int, list[Any]]]:
    """The unit with the tokens of statement expressions behind its own, and the statements of each by its token.

    Those that macros make or that use macros are left out, and what pycparser cannot read.
    """
    types = [node.name for node in tree.ext if isinstance(node, c_ast.Typedef)] if tree is not None else []
    prelude = "".join(f"typedef int {name};" for name in dict.fromkeys(types)) + "void f(void)"
    tokens, origins = list(unit.tokens), list(unit.origins)
    blocks: dict[int, list[Any]] = {}
    for index, text in enumerate(unit.tokens):
        block = _block(unit, index, preprocessed) if text == STATEMENT_EXPRESSION and unit.is_main(index) else []
        words = [token.text for token in block]
        try:
            read = parse_c("\n" * (len(tokens) - 1) + prelude + "\n" + "\n".join(words)) if block else None
        except UnreadableError:
            continue
        if read is not None:
            blocks[index] = read.ext[-1].body.block_items or []
            tokens += words
            origins += [Origin(unit.source.name, unit.origins[index].line, False, token.span) for token in block]
    return replace(unit, tokens=tuple(tokens), origins=tuple(origins)), blocks


def refuse_hidden_calls(unit: Unit, preprocessed: Preprocessed, edits: Edits) -> None:
    """Refuse macros whose statement expressions call functions that C++ overloads: no argument is seen here."""
    for token in active_tokens(unit.source, preprocessed.inactive):
        if token.kind != DIRECTIVE or not _DEFINE.match(token.text) or not _OPENS_BLOCK.search(token.text):
            continue
        names = ARITHMETIC_OVERLOADS.intersection(found[1] for found in _CALL.finditer(token.text))
        for name in sorted(names)[:1]:
            edits.refuse_at("ACC508", token.span, name=f"a statement expression of a macro that calls {name}")


def _block(unit: Unit, index: int, preprocessed: Preprocessed) -> list[Token]:
    """The tokens from brace to brace, as they stand in the file; none where the preprocessor changes some."""
    span = unit.origins[index].span
    if span is None:
        return []
    found = [token for token in active_tokens(unit.source, preprocessed.inactive) if span.start <= token.span.start]
    found = [token for token in found if token.span.end <= span.end]
    changed = any(token.kind == DIRECTIVE or token.text in preprocessed.macros for token in found)
    return [] if changed or found[0].text != "(" else found[1:-1]
