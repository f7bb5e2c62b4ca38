"""Where a kernel's shared arrays lie: declared one by one, or in one pool sized at the launch when they pass 48 KB."""

from __future__ import annotations

from msgspec import Struct, field

from accache.emit import templates

ALIGNMENT = 16


class SharedStorage(Struct, dict=True):
    """Declares shared arrays; ``pool`` names the launch-sized pool, '' for arrays of their own."""

    pool: str
    sizes: dict[str, int]
    offset: int = 0
    lines: list[str] = field(default_factory=list)

    def __call__(self, ctype: str, name: str, shape: str) -> str:
        """The declaration of one array of a type and shape, such as ``float``, ``a_tile``, ``[18][18]``."""
        macros = templates.macros("cuda/statements.cu.jinja")
        if not self.pool:
            gap = "" if ctype.endswith("*") else " "
            return str(macros.shared(f"{ctype}{gap}{name}{shape}")).strip()
        text = str(macros.dynamic(ctype, name, shape, self.pool, self.offset)).strip()
        self.offset += -(-self.sizes[name] // ALIGNMENT) * ALIGNMENT
        return text

    def words(self, name: str) -> str:
        """The declaration of the memory behind all arrays, whose size only the launch knows."""
        macros = templates.macros("cuda/statements.cu.jinja")
        text = macros.words_behind(name, self.pool, self.offset) if self.pool else macros.dynamic_words(name)
        return str(text).strip()

    @property
    def declaration(self) -> list[str]:
        """The pool's own declaration."""
        return [str(templates.macros("cuda/statements.cu.jinja").dynamic_pool(self.pool)).strip()] if self.pool else []
