"""Where a kernel's shared arrays lie: declared one by one, or in one pool, sized at the launch when it passes 48 KB."""

from __future__ import annotations

from msgspec import Struct

from accache.emit import templates

STATEMENTS = "cuda/statements.cu.jinja"
REUSE = "// tiles that are never in use at the same time lie in one place"


class SharedStorage(Struct, frozen=True):
    """Declares shared arrays; ``pool`` names that of so many ``bytes``, '' for arrays of their own.

    The launch sizes one that ``is_dynamic``. In one that ``has_reuse`` some arrays lie where others do.
    """

    pool: str
    offsets: dict[str, int]
    bytes: int
    is_dynamic: bool
    has_reuse: bool

    def __call__(self, ctype: str, name: str, shape: str, alignment: int = 0) -> str:
        """The declaration of one array of a type and shape, such as ``float``, ``a_tile``, ``[18][18]``.

        It is aligned to so many bytes, if not to those of its type.
        """
        macros = templates.macros(STATEMENTS)
        if not self.pool:
            gap = "" if ctype.endswith("*") else " "
            return str(macros.shared(f"{ctype}{gap}{name}{shape}", alignment)).strip()
        return str(macros.dynamic(ctype, name, shape, self.pool, self.offsets[name])).strip()

    def words(self, name: str) -> str:
        """The declaration of the memory behind all arrays, whose size only the launch knows."""
        macros = templates.macros(STATEMENTS)
        is_behind = bool(self.pool) and self.is_dynamic
        text = macros.words_behind(name, self.pool, self.bytes) if is_behind else macros.dynamic_words(name)
        return str(text).strip()

    @property
    def declaration(self) -> list[str]:
        """The pool's own declaration."""
        macros = templates.macros(STATEMENTS)
        if not self.pool:
            return []
        text = macros.dynamic_pool(self.pool) if self.is_dynamic else macros.static_pool(self.pool, self.bytes)
        return [*([REUSE] if self.has_reuse else []), str(text).strip()]
