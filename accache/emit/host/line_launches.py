"""What the launch of a kernel finds out and hands on where threads have lines of their own (method private)."""

from __future__ import annotations

from msgspec import Struct

from accache.emit.kernels.line_views import words_needed
from accache.emit.sections import quoted
from accache.ir.kernels.launch_plan import KernelPlan


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
        told = f"{quoted(self.kernel.name)}, {self.name}, {lines.slots}, {lines.shortest}, {lines.calls}, {asks}"
        tell = f"accache_private::tell({told});"
        if not lines.launch_decides:
            return [f"const int {self.name} = accache_private::lines_per_thread({self.kernel.name}, {sizes});", tell]
        launch = f"{self.kernel.name}, {self.plain.name}, {lines.streams}, {self.grid}"
        return [f"const int {self.name} = accache_private::lines_that_pay({launch}, {sizes});", tell]

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
