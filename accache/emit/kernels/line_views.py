"""What the template of threads' own lines sees of the lines of one array."""

from __future__ import annotations

from accache.emit.kernels.views import TileView
from accache.ir.kernels.tiles import CALLS, Lines


def words_needed(lines: Lines, number: str, threads: str) -> str:
    """How many words of shared memory a block needs for so many lines a thread."""
    monitors = "" if lines.calls else ", false"
    return f"accache_private::words_needed({lines.arrays}, {number}, {threads}, {lines.shortest}{monitors})"


class LinesView(TileView, frozen=True):
    """The texts of the line that each thread has for an array."""

    own_lines: Lines

    @property
    def number(self) -> int:
        """The array's number among those of the cache."""
        return self.own_lines.number

    @property
    def is_first(self) -> bool:
        """Whether it is the first array of the cache."""
        return self.number == 0

    @property
    def arrays(self) -> int:
        """How many arrays the cache has."""
        return self.own_lines.arrays

    @property
    def named_arrays(self) -> str:
        """How many in words."""
        return "one array" if self.arrays == 1 else f"{self.arrays} arrays"

    @property
    def monitors(self) -> bool:
        """Whether the block decides later which arrays have lines."""
        return bool(self.own_lines.calls)

    @property
    def undecided(self) -> str:
        """What the block decides later, or how it is decided."""
        if not self.monitors:
            return "if there are fewer lines, the first have them" if self.arrays > 1 else "it has the line"
        return "the block has not decided yet " + ("whether it has a line" if self.arrays == 1 else "which have lines")

    @property
    def line(self) -> int:
        """The bytes of the shortest lines of the cache."""
        return self.own_lines.shortest

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return self.spec.threads

    @property
    def cache_type(self) -> str:
        """The type of a thread's cache; the number of calls that it monitors is told where it is not the usual one."""
        calls = f", {self.own_lines.calls}" if self.own_lines.calls != CALLS else ""
        wide = f", {self.own_lines.wide:#x}" if self.own_lines.wide else ""
        return f"accache_private::cache<{self.arrays}, {self.line}, true{calls}{wide}>"

    @property
    def cache(self) -> str:
        """The cache of a thread."""
        return self.printer.name("@cache")

    @property
    def lines(self) -> str:
        """How many lines each thread has."""
        return self.printer.name("@lines")

    @property
    def words(self) -> str:
        """The shared memory of all lines."""
        return self.printer.name("@words")

    @property
    def declared_words(self) -> str:
        """The declaration of that memory."""
        return self.shared.words(self.words)

    @property
    def decision(self) -> str:
        """Its last words, by which the block decides."""
        return self.printer.name("@decision")

    @property
    def votes(self) -> int:
        """How many these are."""
        return self.arrays + 2

    @property
    def words_used(self) -> str:
        """How many words there are."""
        return words_needed(self.own_lines, self.lines, str(self.threads))

    @property
    def bound(self) -> str:
        """The call that says where the array lies."""
        begin, end = (self.printer.name(f"{self.spec.array}@{role}") for role in ("begin", "end"))
        size = f"({end} - {begin})*sizeof({self.type})"
        is_read_only = "false" if self.writes else "true"
        return f"{self.cache}.bind<{self.number}>({self.first_element} + {begin}, {size}, {is_read_only})"
