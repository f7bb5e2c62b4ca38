"""What the template of the emulated hardware cache sees of one."""

from __future__ import annotations

from accache.emit.kernels.views import TileView, is_routine_name
from accache.ir.kernels.tiles import EmulatedCache


class EmulatedCacheView(TileView, frozen=True):
    """The texts of an emulated cache."""

    emulated: EmulatedCache

    @property
    def array(self) -> str:
        """The array as a parameter of an emulated cache's routines, whose other names it leaves alone."""
        return f"{self.real_array}_array" if is_routine_name(self.real_array) else self.real_array

    @property
    def tags(self) -> str:
        """Which elements an emulated cache's entries hold, counted from the array's first one."""
        return self.printer.name(f"{self.tile}@tags")

    @property
    def entries(self) -> int:
        """The entries of a thread's emulated cache."""
        return self.emulated.entries

    @property
    def ways(self) -> int:
        """The entries of a set."""
        return self.emulated.ways

    @property
    def associative(self) -> bool:
        """Whether a set has several entries."""
        return self.ways > 1

    @property
    def direct_entry(self) -> str:
        """The only entry for an index, where sets have one."""
        return f"(unsigned long long)index % {self.entries}"

    @property
    def first_of_set(self) -> str:
        """The first entry of the set an index belongs to."""
        if self.ways in (0, self.entries):
            return "0"
        return f"(unsigned long long)index % {self.entries // self.ways} * {self.ways}"

    @property
    def entry_shape(self) -> str:
        """The shape of an emulated cache and its tags."""
        return f"[{self.entries}][{self.spec.threads}]"

    @property
    def tags_parameter(self) -> str:
        """The tags as a parameter."""
        return f"long long (&{self.tags}){self.entry_shape}"

    @property
    def comma_mask_parameter(self) -> str:
        """The mask of an emulated cache as a parameter, a comma before it."""
        return f", bool (&{self.mask}){self.entry_shape}" if self.mask else ""

    @property
    def comma_mask_argument(self) -> str:
        """The mask as an argument, a comma before it."""
        return f", {self.mask}" if self.mask else ""

    @property
    def all_parameters(self) -> str:
        """An emulated cache and its array as parameters."""
        element = self.type if self.writes else self.constant_type
        return (
            f"{self.type} (&{self.tile}){self.entry_shape}, {self.tags_parameter}{self.comma_mask_parameter}, "
            f"{element} *{self.array}"
        )

    @property
    def all_arguments(self) -> str:
        """An emulated cache and its array as arguments in the kernel."""
        return f"{self.tile}, {self.tags}{self.comma_mask_argument}, {self.first_element}"

    @property
    def inner_arguments(self) -> str:
        """An emulated cache and its array as arguments in one of its routines."""
        return f"{self.tile}, {self.tags}{self.comma_mask_argument}, {self.array}"
