"""What the launch of a kernel finds out and hands on where threads have lines of their own (method private)."""

from __future__ import annotations

from msgspec import Struct

from accache.emit.kernels.line_views import words_needed
from accache.emit.sections import quoted
from accache.ir.kernels.launch_plan import KernelPlan
from accache.ir.names import user_name


class LinePrinter(Struct, frozen=True):
    """Prints it for a kernel with blocks of so many ``threads``; ``plain`` is its version without lines.

    ``name`` holds the number of a thread's lines, ``grid`` the grid's extents.
    """

    kernel: KernelPlan
    plain: KernelPlan
    threads: int
    name: str
    grid: str

    def declaration(self) -> list[str]:
        """The statements that find room for lines, and tell of it; none for other kernels."""
        lines, own = self.kernel.lines, self.kernel.layout.dynamic_bytes
        if lines is None:
            return []
        sizes = f"{self.threads}, {lines.slots}, {lines.shortest}" + (f", {own}" if own else "")
        asks = str(lines.launch_decides).lower()
        sought = f"{self.name}, {lines.shortest}, {lines.wide:#x}, {lines.calls}, {asks}"
        tell = f"accache_private::tell({quoted(self.kernel.name)}, {{{self.names()}}}, {sought});"
        if not lines.launch_decides:
            return [f"const int {self.name} = accache_private::lines_per_thread({self.kernel.name}, {sizes});", tell]
        launch = f"{self.kernel.name}, {self.plain.name}, {lines.streams}, {self.grid}"
        return [f"const int {self.name} = accache_private::lines_that_pay({launch}, {sizes});", tell]

    def names(self) -> str:
        """The names of the arrays, in the order of their numbers."""
        having = [(tile.lines.number, tile.array) for tile in self.kernel.tiles if tile.lines is not None]
        return ", ".join(quoted(user_name(array)) for _, array in sorted(having))

    def noted(self, launch: list[str], grid: str, stream: str) -> list[str]:
        """A launch with what tells of its blocks' choices, if they choose."""
        if self.kernel.lines is None or not self.kernel.lines.calls:
            return launch
        told = f"{quoted(self.kernel.name)}, {{{self.names()}}}, {grid}" + (f", {stream}" if stream else "")
        return [
            f"accache_private::note_choices({stream});",
            *launch,
            f"accache_private::tell_choices({told});",
        ]

    def tests(self) -> list[str]:
        """Whether there is room for a line."""
        return [f"{self.name} > 0"] if self.kernel.lines is not None else []

    def arguments(self) -> list[str]:
        """The kernel's last argument."""
        return [self.name] if self.kernel.lines is not None else []

    def shared_bytes(self) -> str:
        """The shared memory that the launch asks for, in bytes."""
        lines, own = self.kernel.lines, self.kernel.layout.dynamic_bytes
        if lines is None:
            return str(own)
        size = f"4 * {words_needed(lines, self.name, str(self.threads))}"
        return f"{own} + {size}" if own else size
