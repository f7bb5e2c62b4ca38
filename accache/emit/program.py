"""A translated program: host text and device text, and the two joined into one .cu file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from accache.emit import templates
from accache.emit.data import DataPrinter
from accache.emit.printer import Printer
from accache.emit.stub import StubPrinter
from accache.emit.types import type_declarations
from accache.ir.regions import DataConstruct, Region
from accache.text import Edit, SourceFile, Span, splice

BANNER = "/* Made by accache from {name}. What accache emits may be used and shipped under any terms. */"


@dataclass(frozen=True)
class RegionText:
    """A region's stub and the texts of its kernels."""

    region: Region
    stub: StubPrinter
    kernels: tuple[str, ...]

    @property
    def text(self) -> str:
        """Kernels and stub."""
        return "\n".join([*self.kernels, self.stub.print()])


@dataclass(frozen=True)
class ProgramPrinter:
    """Prints a program. ``pragmas`` are the spans of all acc pragmas; ``line`` asks for #line directives."""

    source: SourceFile
    regions: tuple[RegionText, ...]
    data: tuple[DataConstruct, ...]
    pragmas: tuple[Span, ...]
    line: bool

    def host(self) -> str:
        """Host C that calls the stubs."""
        return splice(self.source, self._edits(lambda item: f"extern {item.stub.prototype()}\n"))

    def device(self) -> str:
        """Kernels and stubs with the types they use, and the runtime."""
        declarations = type_declarations(tuple(item.region for item in self.regions))
        parts = [BANNER.format(name=self.source.name), "#include <math.h>", self._runtime_header(), declarations]
        parts += [item.text for item in self.regions]
        return "\n".join(part for part in parts if part) + "\n" + self._runtime()

    def joined(self, host_edits: tuple[Edit, ...]) -> str:
        """One file for nvcc: host text made C++, kernels before the functions that launch them, the runtime last."""
        edits = self._edits(lambda item: item.text + "\n") + host_edits
        return (
            splice(self.source, edits)
            + ("" if not self.source.text or self.source.text.endswith("\n") else "\n")
            + self._runtime()
        )

    def _runtime_header(self) -> str:
        return templates.read("runtime/accache_runtime.h")

    def _runtime(self) -> str:
        return "\n" + templates.read("runtime/accache_runtime.cuh")

    def _edits(self, before: Callable[[RegionText], str]) -> tuple[Edit, ...]:
        """The header before the first function with a directive, ``before`` each, and the directives replaced."""
        edits: list[Edit] = []
        places = [item.region.definition.start for item in self.regions] + [item.definition.start for item in self.data]
        starts = sorted(set(places))
        for number, start in enumerate(starts):
            texts = [before(item) for item in self.regions if item.region.definition.start == start]
            header = self._runtime_header() + "\n" if number == 0 else ""
            line = f'#line {self.source.location(start).line} "{self.source.name}"\n' if self.line else ""
            edits.append(Edit(Span(start, start), header + "".join(texts) + line))
        for item in self.regions:
            edits += self._region_edits(item)
        for construct in self.data:
            edits += self._data_edits(construct)
        return tuple(edits)

    def _region_edits(self, item: RegionText) -> list[Edit]:
        region = item.region
        call = item.stub.call()
        if region.condition is None:
            return [Edit(region.span, call + self._padding(region.span))]
        condition = Printer({}).expression(region.condition)
        head = Edit(Span(region.span.start, region.statement.start), f"if ({condition}) {{ {call} }} else ")
        return [head, *self._blanked(region.statement)]

    def _padding(self, span: Span) -> str:
        """With #line, the newlines the replaced text had, so that later lines keep their numbers."""
        return "\n" * self.source.text.count("\n", span.start, span.end) if self.line else ""

    def _blanked(self, span: Span) -> list[Edit]:
        """The pragmas inside a statement that stays as the host's version, taken out."""
        return [Edit(pragma, "") for pragma in self.pragmas if span.start <= pragma.start < span.end]

    def _data_edits(self, construct: DataConstruct) -> list[Edit]:
        lines = DataPrinter(Printer({})).directive(construct)
        condition = Printer({}).expression(construct.condition) if construct.condition is not None else ""
        if construct.statement is None:
            text = " ".join(lines)
            body = f"if ({condition}) {{ {text} }}" if condition else f"{{ {text} }}"
            return [Edit(construct.span, body)]
        begin, maps = lines[0], " ".join(lines[1:])
        if condition:
            maps = f"if ({condition}) {{ {maps} }}"
        return [
            Edit(construct.span, f"{{ {begin} {maps}".rstrip()),
            Edit(Span(construct.statement.end, construct.statement.end), " accache_data_end(); }"),
        ]
