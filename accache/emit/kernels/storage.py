"""Where a kernel's shared arrays lie: declared one by one, or in one pool sized at the launch when they pass 48 KB."""

from __future__ import annotations

from msgspec import Struct

from accache.emit import templates


class SharedStorage(Struct, frozen=True):
    """Declares shared arrays; ``pool`` names the launch-sized pool of so many ``bytes``, '' for arrays of their own."""

    pool: str
    offsets: dict[str, int]
    bytes: int

    def __call__(self, ctype: str, name: str, shape: str) -> str:
        """The declaration of one array of a type and shape, such as ``float``, ``a_tile``, ``[18][18]``."""
        macros = templates.macros("cuda/statements.cu.jinja")
        if not self.pool:
            gap = "" if ctype.endswith("*") else " "
            return str(macros.shared(f"{ctype}{gap}{name}{shape}")).strip()
        return str(macros.dynamic(ctype, name, shape, self.pool, self.offsets[name])).strip()

    def words(self, name: str) -> str:
        """The declaration of the memory behind all arrays, whose size only the launch knows."""
        macros = templates.macros("cuda/statements.cu.jinja")
        text = macros.words_behind(name, self.pool, self.bytes) if self.pool else macros.dynamic_words(name)
        return str(text).strip()

    @property
    def declaration(self) -> list[str]:
        """The pool's own declaration."""
        return [str(templates.macros("cuda/statements.cu.jinja").dynamic_pool(self.pool)).strip()] if self.pool else []
