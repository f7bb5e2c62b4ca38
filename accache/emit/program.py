"""A translated program: host text and device text, and the two joined into one .cu file."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from accache.base.options import OPENACC_VERSION
from accache.base.resources import ATOMICS
from accache.base.text import Edit, Location, SourceFile, Span, splice
from accache.emit import templates
from accache.emit.expressions import ExpressionPrinter
from accache.emit.host.directives import DirectivePrinter
from accache.emit.host.host_copies import HostCopies
from accache.emit.host.sequential import DECLARATIONS, DEFER, SETTLE, Sequential, elements, fetched, results
from accache.emit.host.stub import StubPrinter
from accache.emit.kernels.atomics import Emulated, emulated_in, print_emulated
from accache.emit.kernels.kernel import KernelPrinter
from accache.emit.kernels.routines import RoutineText
from accache.emit.macros import beside_macros, without_macros
from accache.emit.printer import file_name
from accache.emit.residents import place_prototype, placing, print_resident
from accache.emit.sections import quoted
from accache.emit.spelling import COMPLEX, Dialect
from accache.emit.types import type_declarations, uses_complex
from accache.ir.builtins import LOADS_PAST_L1
from accache.ir.kernels.launch_plan import RegionPlan
from accache.ir.names import free_name
from accache.ir.openacc.regions import DataConstruct, Program, Region
from accache.ir.pins import Pin
from accache.ir.tree import Expr

_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b", re.M)
Respelling = Callable[[str], str]
OF_C = Dialect("_Bool")
UNUSED = "__attribute__((unused)) "
KERNELS = "\n// ---- The kernels and their launches ----\n\n"
RUNTIME = ("accache_device.cuh", "accache_present.cuh", "accache_runtime.cuh")
ROUTINES = ("openacc.h", "accache_routines.cuh", "accache_openacc.cuh")
"""What only programs carry that use openacc.h."""


class RegionText(Struct, frozen=True):
    """A region's stub, the texts of its kernels, and the atomic accesses in them that CUDA has no function for."""

    region: Region
    stub: StubPrinter
    kernels: tuple[str, ...]
    atomics: tuple[Emulated, ...] = ()

    @property
    def text(self) -> str:
        """Kernels and stub."""
        return "\n".join([*self.kernels, self.stub.print()])

    def prototype(self, dialect: Dialect) -> str:
        """The stub's declaration."""
        return self.stub.prototype(dialect)

    def call(self, home: ExpressionPrinter) -> str:
        """The stub's call."""
        return self.stub.call(home)

    @property
    def kept(self) -> KeptTexts | None:
        """What ``KeptRegion`` needs; None where the host's part has more of the plan in it than a call."""
        if self.region.execution.condition is not None:
            return None
        return KeptTexts(self.prototype(OF_C), self.call(_at_home(OF_C)), self.text, self.atomics)


class KeptTexts(Struct, frozen=True):
    """All that a program has of a region's plan: what C calls it by, its kernels and stub, and its atomic accesses."""

    prototype: str
    call: str
    text: str
    atomics: tuple[Emulated, ...]


class KeptRegion(Struct, frozen=True):
    """A region whose texts were made before, for a program of C and CUDA apart."""

    region: Region
    texts: KeptTexts

    @property
    def text(self) -> str:
        """Kernels and stub."""
        return self.texts.text

    @property
    def atomics(self) -> tuple[Emulated, ...]:
        """The atomic accesses that CUDA has no function for."""
        return self.texts.atomics

    def prototype(self, dialect: Dialect) -> str:
        """The stub's declaration."""
        assert dialect == OF_C
        return self.texts.prototype

    def call(self, home: ExpressionPrinter) -> str:
        """The stub's call."""
        assert home.dialect == _at_home(OF_C).dialect
        return self.texts.call


class ProgramPrinter(Struct, frozen=True):
    """Prints a program.

    ``pragmas`` are the spans of all acc pragmas, ``idle`` of those that mean nothing on the host; ``openacc`` says that
    it uses openacc.h, ``line`` asks for #line directives, ``carry`` for the run-time library. ``macros`` are the
    user's, ``pins`` those that stand above the program as they were when it was read. ``fast_math`` says that nvcc is
    to approximate.
    """

    source: SourceFile
    program: Program
    regions: tuple[RegionText | KeptRegion, ...]
    routines: tuple[RoutineText, ...]
    pragmas: tuple[Span, ...]
    openacc: bool
    line: bool
    carry: bool = True
    macros: frozenset[str] = frozenset()
    pins: tuple[Pin, ...] = ()
    fast_math: bool = False

    @property
    def data(self) -> tuple[DataConstruct, ...]:
        """The host's data directives."""
        return self.program.data

    def host(self) -> str:
        """Host C that calls the stubs."""
        return splice(self.source, (self._above(self._head()), *self._edits("extern ", OF_C)))

    def sequential(self) -> Sequential:
        """The program that runs its constructs on the host, one iteration after the other."""
        edits = self._edits("extern ", OF_C, is_sequential=True)
        host = splice(self.source, (self._above(self._head()), *edits))
        return Sequential(host, elements(self.program), results(self.program), fetched(self.program))

    def complex_numbers(self) -> list[Location]:
        """The constructs and routines that compute with complex numbers, which C++ spells and passes otherwise."""
        regions = [item.region.location for item in self.regions if uses_complex(item.region)]
        return regions + [item.location for item in self.program.routines if uses_complex(item)]

    def checked(self) -> str:
        """The same for a checker, whom stubs tell where arrays begin."""
        regions = []
        for item in self.regions:
            assert isinstance(item, RegionText)
            regions.append(replace(item, stub=replace(item.stub, begins=True)))
        return replace(self, regions=tuple(regions)).device()

    def device(self, banner: str | None = None) -> str:
        """Kernels and stubs with the types they use, and the runtime; ``banner`` may be at hand."""
        declarations = type_declarations(self.program)
        header = templates.read("runtime/accache_runtime.h")
        kernels = self._kernels()
        numbers = templates.read("runtime/accache_complex.cuh") if COMPLEX in declarations + kernels else ""
        parts = [header, numbers, declarations, KERNELS + kernels]
        banner = self.banner(joined=False) if banner is None else banner
        return banner + "\n".join(part for part in parts if part)

    def joined(self, host_edits: tuple[Edit, ...], respell: Respelling, above: str = "") -> str:
        """One file for nvcc: the program made C++, its kernels, the runtime; names of C as C++ has them.

        ``above`` are lines that the program needs above it.
        """
        head = self._above(self.banner(joined=True) + self._head(above))
        edits = self._edits('extern "C" ', Dialect(), respell=respell)
        text = splice(self.source, (head, *edits, *host_edits))
        own = type_declarations(self.program, beside_program=True)
        return text + ("" if text.endswith("\n") else "\n") + KERNELS + without_macros(self._kernels(own), self.macros)

    def banner(self, joined: bool) -> str:
        """What stands above all that CUDA's compiler reads."""
        return templates.render("cuda/banner.cu.jinja", name=self.source.title, joined=joined, fast_math=self.fast_math)

    def _above(self, text: str) -> Edit:
        """What puts a text above the program, behind its byte order mark."""
        start = int(self.source.text.startswith("\ufeff"))
        return Edit(Span(start, start), text)

    def _head(self, above: str = "") -> str:
        """What stands above the program: the version, and openacc.h, so that the compiler's own is not read."""
        header = templates.read("runtime/openacc.h") if self.openacc else ""
        pins = templates.render("cuda/pins.cu.jinja", pins=self.pins) if self.pins else ""
        return f"#define _OPENACC {OPENACC_VERSION}\n{header}{pins}{above}{self._line_directive(0)}"

    def _kernels(self, declarations: str = "") -> str:
        """Everything behind the program: the runtime stands last."""
        items: list[RoutineText | RegionText | KeptRegion] = [*self.routines, *self.regions]
        residents = "".join(f"{print_resident(item, self.source)}\n" for item in self.program.residents)
        atomics = sorted({found for item in items for found in item.atomics}, key=lambda found: found.name)
        line = f'#line 1 "{ATOMICS}"\n' if self.line and atomics else ""
        prototypes = "".join(item.declaration for item in self.routines)
        functions = [prototypes] if prototypes else []
        texts = residents + line + print_emulated(atomics) + "\n".join([*functions, *(item.text for item in items)])
        interface = ["accache_launch.cuh"] if self._places() else ["accache_runtime.h", "accache_launch.cuh"]
        interface += ["accache_reduce.cuh"] if "accache_reduce" in texts or "accache_combine" in texts else []
        interface += ["accache_bypass.cuh"] if LOADS_PAST_L1["no_allocate"] in texts else []
        interface += ["accache_private.cuh"] if "accache_private::" in texts else []
        own = [f"{declarations}\n"] if declarations else []
        carried = (*RUNTIME, *(ROUTINES if self.openacc else ())) if self.carry else ()
        parts = [*map(self._runtime, interface), *own, texts, *map(self._runtime, carried)]
        return "\n".join(parts)

    def _runtime(self, name: str) -> str:
        """A file of the runtime."""
        return (f'#line 1 "{name}"\n' if self.line else "") + templates.read(f"runtime/{name}")

    def _line_directive(self, offset: int) -> str:
        place = self.source.place(self.source.location(offset))
        return f"#line {place.line} {file_name(place.file)}\n" if self.line else ""

    def _edits(
        self, linkage: str, dialect: Dialect, *, is_sequential: bool = False, respell: Respelling = str
    ) -> tuple[Edit, ...]:
        """Prototypes before each function with a directive, and every directive replaced."""
        edits: list[Edit] = []
        for number, start in enumerate(self._places()):
            stubs = [item for item in self.regions if item.region.text.definition.start == start]
            header = (
                beside_macros(templates.read("runtime/accache_runtime.h"), self.macros) + "\n" if number == 0 else ""
            )
            header += DECLARATIONS if is_sequential and number == 0 else ""
            prototypes = "".join(f"{linkage}{stub.prototype(dialect)}\n" for stub in stubs)
            text = header + beside_macros(prototypes, self.macros) + "\n" + self._line_directive(start)
            edits.append(Edit(Span(start, start), text))
        replaced: list[Edit] = []
        home = _at_home(dialect)
        for item in self.regions:
            replaced += self._executed(item, home) if is_sequential else self._region_edits(item, home)
        for construct in self.data:
            replaced += self._data_edits(construct, linkage, home)
        edits += [Edit(edit.span, respell(edit.text)) for edit in replaced]
        edits += [Edit(self._own_line(span), "") for span in self.program.idle]
        edits += [Edit(Span(place, place), UNUSED) for place in self.program.unreferenced]
        return tuple(edits)

    def _places(self) -> list[int]:
        """Where the functions with directives start."""
        regions = {item.region.text.definition.start for item in self.regions}
        return sorted(regions | {construct.definition.start for construct in self.data})

    def _own_line(self, span: Span) -> Span:
        """A pragma's span with the rest of its line if nothing else stands there; line numbers may have to stay."""
        start, text = self._line_start(span.start), self.source.text
        end = text.find("\n", span.end) + 1
        if self.line or not end or (text[start : span.start] + text[span.end : end]).strip():
            return span
        return Span(start, end)

    def _region_edits(self, item: RegionText | KeptRegion, home: ExpressionPrinter) -> list[Edit]:
        """The call in the place of a compute construct; with an if clause, beside it."""
        region = item.region
        pragma = self._apart(region)
        indent = self._indent(region.text.span.start, region.text.statement.start) if pragma is None else ""
        edits = [] if pragma is None else [Edit(self._own_line(pragma), "")]
        calls = [*self._waits(region, region.execution.queue, home), item.call(home)]
        if region.execution.condition is None:
            text = calls[0] if len(calls) == 1 else f"{{ {' '.join(calls)} }}"
            replaced = region.text.span if pragma is None else region.text.statement
            kept = self._kept(region)
            return [*edits, Edit(replaced, indent + text + kept + self._padding(replaced, kept.count("\n")))]
        assert isinstance(item, RegionText)
        condition = home.expression(region.execution.condition)
        written = next(each for each in self.program.regions if each.text.span == region.text.span)
        copies = HostCopies(item.stub.plan, written, home, self._fresh)
        host = [*self._waits(region, None, home), *copies.declarations()]
        begin, end = ("{", self._lay_out(["", "}"], region.text.span.start, indent).lstrip(" ")) if host else ("", "")
        start = region.text.statement.start
        gap = Span(region.text.span.start if pragma is None else start, start)
        choice = f"if ({condition}) {{ {' '.join(calls)} }} else {begin}"
        head = (
            indent + self._lay_out([choice, *host, ""], region.text.span.start, indent) if host else f"{indent}{choice}"
        )
        head += self._padding(gap)
        behind = Span(region.text.statement.end, region.text.statement.end)
        edits += [Edit(gap, head), *self._blanked(region.text.statement), *([Edit(behind, end)] if end else [])]
        return edits

    def _executed(self, item: RegionText | KeptRegion, home: ExpressionPrinter) -> list[Edit]:
        """The call of a compute construct's stub, and then the construct, as if nobody had seen the directive."""
        region = item.region
        pragma = self._apart(region)
        calls = " ".join((*self._waits(region, region.execution.queue, home), item.call(home)))
        if region.execution.condition is not None:
            calls = f"if ({home.expression(region.execution.condition)}) {{ {calls} }}"
        gap = Span(
            region.text.span.start if pragma is None else region.text.statement.start, region.text.statement.start
        )
        behind = Span(region.text.statement.end, region.text.statement.end)
        return [
            *([] if pragma is None else [Edit(self._own_line(pragma), "")]),
            Edit(gap, f"{{ {DEFER} {calls} {self._padding(gap)}"),
            *self._blanked(region.text.statement),
            Edit(behind, f" {SETTLE} }}"),
        ]

    def _fresh(self, name: str) -> str:
        """A name that the program has nowhere."""
        return free_name(name, lambda name: re.search(rf"\b{name}\b", self.source.text) is not None)

    def _apart(self, region: Region) -> Span | None:
        """The pragma of a region where lines of the preprocessor, such as #endif, part it from its statement."""
        pragma = next(span for span in self.pragmas if span.start == region.text.span.start)
        between = self.source.text[pragma.end : region.text.statement.start]
        return pragma if _CONDITIONAL.search(between) else None

    def _waits(self, region: Region, queue: Expr | None, home: ExpressionPrinter) -> list[str]:
        """The statements that let a queue, or the host, wait for what a region's wait clauses name."""
        place = f"{quoted(region.location.file)}, {region.location.line}"
        return DirectivePrinter(home).waits(region.execution.waits, queue, place)

    def _indent(self, pragma: int, statement: int) -> str:
        """The blanks by which a statement is indented further than its pragma."""
        columns = [self.source.text[self._line_start(offset) : offset] for offset in (pragma, statement)]
        return columns[1].removeprefix(columns[0]) if all(not column.strip() for column in columns) else ""

    def _line_start(self, offset: int) -> int:
        return offset - self.source.location(offset).column + 1

    def _kept(self, region: Region) -> str:
        """The preprocessor's lines of a construct whose other text goes, and the end of the last where code follows."""
        text, end = self.source.text, region.text.statement.end
        behind = text[end : text.find("\n", end)]
        return "".join(f"\n{line}" for line in region.text.kept) + ("\n" if region.text.kept and behind.strip() else "")

    def _padding(self, span: Span, lines: int = 0) -> str:
        """With #line, the newlines the replaced text had but for some, so that later lines keep their numbers."""
        return "\n" * (self.source.text.count("\n", span.start, span.end) - lines) if self.line else ""

    def _blanked(self, span: Span) -> list[Edit]:
        """The pragmas inside a statement that stays as the host's version, taken out."""
        return [Edit(pragma, "") for pragma in self.pragmas if span.start <= pragma.start < span.end]

    def _data_edits(self, construct: DataConstruct, linkage: str, home: ExpressionPrinter) -> list[Edit]:
        """The calls in the place of a data directive; outside of functions a constructor makes them."""
        printer = DirectivePrinter(home)
        condition = home.expression(construct.condition) if construct.condition is not None else ""
        if construct.is_global:
            placed = [item for item in self.program.residents if item.location == construct.location]
            lines = [*printer.directive(construct), *(placing(item, self.source) for item in placed)]
            name = self._constructor(construct)
            text = f"__attribute__((constructor)) static void {name}(void) {{ {' '.join(lines)} }}" if lines else ""
            prototypes = "".join(f"{linkage}{place_prototype(item, self.source)} " for item in placed)
            return [Edit(construct.span, prototypes + text)]
        if construct.statement is None:
            lines = printer.directive(construct)
            if condition:
                lines = [f"if ({condition}) {{", *lines, "}"]
            return [Edit(construct.span, self._lay_out(lines, construct.span.start, ""))]
        indent = self._indent(construct.span.start, construct.statement.start)
        lines, after = printer.around(construct, condition)
        if construct.is_controlled:
            lines, after = ["{", *lines], [*after, "}"]
        before = self._lay_out(lines, construct.span.start, indent)
        end = self._lay_out(["", *after], construct.span.start, indent)
        end = end if not self.line else " " + end.strip()
        return [
            Edit(construct.span, indent + before.lstrip()),
            Edit(Span(construct.statement.end, construct.statement.end), end),
        ]

    def _constructor(self, construct: DataConstruct) -> str:
        """The name of the function that tells of what a directive declares: lines of headers have the same numbers."""
        line = construct.location.line
        alike = [item.span for item in self.data if item.is_global and item.location.line == line]
        number = alike.index(construct.span)
        return f"declare_L{line}" + (f"_{number + 1}" if number else "")

    def _lay_out(self, lines: list[str], offset: int, indent: str) -> str:
        """Statements on lines of their own; on one line where line numbers must stay."""
        if self.line:
            return " ".join(line for line in lines if line)
        column = self.source.text[self._line_start(offset) : offset]
        return ("\n" + (column if not column.strip() else "") + indent).join(lines)


def _at_home(dialect: Dialect) -> ExpressionPrinter:
    """What prints expressions that go into the user's functions."""
    return ExpressionPrinter({}, dialect=replace(dialect, at_home=True))


def print_region(plan: RegionPlan, line: bool) -> RegionText:
    """Print a region's kernels and stub; ``line`` asks for #line directives."""
    versions = [(version.kernel, launch) for launch in plan.launches for version in launch.versions]
    texts = (KernelPrinter(kernel, launch.parameters, plan.taken, line).print() for kernel, launch in versions)
    stub = StubPrinter(plan, line)
    return RegionText(plan.region, stub, tuple(texts), emulated_in(kernel.body for kernel, _ in versions))
