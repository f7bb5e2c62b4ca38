"""What the launch of a kernel finds out and hands on where threads have lines of their own (method private)."""

from __future__ import annotations

from msgspec import Struct

from accache.emit.kernel import KernelText
from accache.emit.views import words_needed


class LinePrinter(Struct, frozen=True):
    """Prints it for a kernel with blocks of so many ``threads``.

    ``name`` holds the number of a thread's lines, ``grid`` the grid's extents.
    """

    text: KernelText
    threads: int
    name: str
    grid: str

    def declaration(self) -> list[str]:
        """The statement that finds room for lines; none for other kernels."""
        lines, own = self.text.lines, self.text.shared_bytes
        if lines is None:
            return []
        sizes = f"{self.threads}, {lines.arrays}, {lines.bytes}" + (f", {own}" if own else "")
        if not lines.streams:
            return [f"const int {self.name} = accache_private::lines_per_thread({self.text.name}, {sizes});"]
        launch = f"{self.text.name}, {lines.streams}, {self.grid}"
        return [f"const int {self.name} = accache_private::lines_that_pay({launch}, {sizes});"]

    def tests(self) -> list[str]:
        """Whether there is room for a line."""
        return [f"{self.name} > 0"] if self.text.lines is not None else []

    def arguments(self) -> list[str]:
        """The kernel's last argument."""
        return [self.name] if self.text.lines is not None else []

    def shared_bytes(self) -> str:
        """The shared memory that the launch asks for, in bytes."""
        lines, own = self.text.lines, self.text.shared_bytes
        if lines is None:
            return str(own)
        size = f"4 * {words_needed(lines, self.name, str(self.threads))}"
        return f"{own} + {size}" if own else size
