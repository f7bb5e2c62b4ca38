"""Which types have another size or layout than C gives them: attributes and ``#pragma pack`` say so."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Any

from msgspec import Struct

from accache.base.properties import cached_property
from accache.frontend.source.alignment import Unit
from accache.frontend.source.gnu import MEANING, alignment_of_mark

_PACK = re.compile(r"#\s*pragma\s+pack\s*\((?P<words>[^)]*)\)")
_ORDER = re.compile(r"#\s*pragma\s+scalar_storage_order\s+(?P<order>[\w-]+)")
_RECORD_BEFORE = frozenset({"struct", "union", "}"})
_TAGGED = frozenset({"struct", "union", "enum"})


class Layouts(Struct, frozen=True, dict=True):
    """Looks at the tokens around pycparser's nodes, which know nothing of attributes."""

    unit: Unit

    def is_altered(self, node: Any) -> bool:
        """Whether the structure, union or enumeration that a node defines differs from what its members say."""
        opening = self.unit.tokens.index("{", node.coord.line - 1)
        keyword = next(k for k in range(opening - 1, -1, -1) if self.unit.tokens[k] in _TAGGED)
        close = self.unit.pairs.get(opening, opening)
        is_aligned = any(getattr(member, "align", None) for member in getattr(node, "decls", None) or ())
        return is_aligned or self._marked(keyword + 1, close + 1) or self._is_packed(opening)

    def alignment(self, node: Any) -> int:
        """The bytes that an attribute aligns the structure or union to that a node defines; 0 without one."""
        opening = self.unit.tokens.index("{", node.coord.line - 1)
        around = (opening - (node.name is not None), self.unit.pairs.get(opening, opening) + 1)
        return max((alignment_of_mark(mark) for index, mark in self.unit.marks if index in around), default=0)

    def is_altered_name(self, node: Any) -> bool:
        """Whether an attribute of a typedef makes another type of the one that is written."""
        return bool(self.unit.marks) and self._marked(*self._declaration(node))

    def has_other_meaning(self, node: Any) -> bool:
        """Whether an attribute of a variable makes another type of the one that is written."""
        if not any(kind == MEANING for _, kind in self.unit.marks) or node.coord is None:
            return False
        return self._marked(*self._declaration(node), MEANING)

    def _declaration(self, node: Any) -> tuple[int, int]:
        """The tokens from a declaration's first specifier to the one behind the declarator of a name."""
        name = node.coord.line - 1
        return self.unit.declaration_start(name), self.unit.end(name) + 1

    def _marked(self, first: int, last: int, kind: str = "") -> bool:
        """Whether a mark stands before one of some tokens."""
        marks = self.unit.marks
        found = marks[bisect_left(marks, (first, "")) : bisect_left(marks, (last + 1, ""))]
        return any((not kind or mark == kind) and not self._aligns_record(index, mark) for index, mark in found)

    def _aligns_record(self, index: int, mark: str) -> bool:
        """Whether a mark before a token aligns a structure or union as a whole: it stands before its tag, or behind."""
        return alignment_of_mark(mark) > 0 and self.unit.tokens[index - 1] in _RECORD_BEFORE

    def _is_packed(self, index: int) -> bool:
        """Whether a pragma packs the structure that starts at a token, or turns its bytes around."""
        position = bisect_left(self._pragmas, (index, False))
        return position > 0 and self._pragmas[position - 1][1]

    @cached_property
    def _pragmas(self) -> tuple[tuple[int, bool], ...]:
        """The tokens from which on structures are packed or not."""
        found: list[tuple[int, bool]] = []
        now, earlier, turned = False, [], False
        for index, text in enumerate(self.unit.tokens):
            if not text.startswith("#"):
                continue
            if (pack := _PACK.match(text)) is not None:
                words = re.findall(r"\w+", pack["words"])
                if "push" in words:
                    earlier.append(now)
                if "pop" in words:
                    now = earlier.pop() if earlier else False
                elif not words or words[-1] != "push":
                    now = bool(words)
            elif (order := _ORDER.match(text)) is not None:
                turned = order["order"] != "default"
            found.append((index, now or turned))
        return tuple(found)
