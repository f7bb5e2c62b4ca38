"""Count what ptxas makes of each PTX instruction, over all programs: ``python bench/cost --calibrate``."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from accache.base.diagnostics import CompileError
from accache.base.text import SourceFile
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Function, Module
from cost.disassembly import Sass, disassemble
from cost.launches import ARCH, FAST, METHODS, nvcc_words, ptx_of, variant
from cost.programs import Program
from cost.ptxas import resources
from cost.slots import issue_slots, kind
from cost.weights import ENTRY, Counted

COLUMNS = ("none", "default", *METHODS, FAST)
_MEMORY = ("LDG", "STG", "LDS", "STS", "LDL", "STL", "ATOMG", "ATOMS", "RED", "BAR")


@dataclass(frozen=True)
class Kernel:
    """One kernel: its PTX instructions and the SASS instructions made of them, by kind, and whether both are alike.

    Of a kernel with ``copies`` ptxas has written parts several times, as it does to unroll loops.
    """

    name: str
    ptx: Mapping[str, int]
    sass: Mapping[str, int]
    copies: bool

    @property
    def sass_count(self) -> int:
        """All its SASS instructions."""
        return sum(self.sass.values())

    def slots(self, weights: Mapping[str, float]) -> float:
        """What weights predict for the number of SASS instructions."""
        return issue_slots(self.ptx, weights)


def kernels_of(ptx: str, tool: Path, folder: Path) -> tuple[Kernel, ...]:
    """The kernels of a PTX text; ``folder`` is for what compilers make."""
    resources(ptx, ARCH, folder)
    module = parse(SourceFile("cost.ptx", ptx))
    by_name: defaultdict[str, list[Sass]] = defaultdict(list)
    for sass in disassemble(folder / "cost.cubin", tool):
        by_name[sass.kernel].append(sass)
    return tuple(_kernel(module, function, by_name[function.name]) for function in module.kernels)


def _kernel(module: Module, function: Function, code: Sequence[Sass]) -> Kernel:
    kinds = {module.location(each.span).line: kind(each) for each in function.instructions}
    made = Counter(kinds.get(sass.line, ENTRY) for sass in code)
    accesses = Counter(sass.line for sass in code if sass.opcode in _MEMORY)
    copies = any(count > 1 for line, count in accesses.items() if line in kinds)
    return Kernel(function.name, {**Counter(kinds.values()), ENTRY: 1}, made, copies)


def kernels_of_program(program: Program, tool: Path) -> tuple[Kernel, ...]:
    """The kernels of a program in all forms that accache gives it, and of its peer; equal ones count once."""
    found: dict[str, tuple[Kernel, ...]] = {}
    for column in (*COLUMNS, *(("peer",) if program.peer else ())):
        with tempfile.TemporaryDirectory(prefix="accache-cost-") as name:
            folder = Path(name)
            try:
                chosen = variant(program, column, folder)
            except CompileError:
                continue
            if chosen.device not in found:
                source = chosen.path
                if source.suffix != ".cu":
                    source = folder / "device.cu"
                    source.write_text(chosen.device)
                ptx = ptx_of(source, nvcc_words(chosen.options), folder)
                found[chosen.device] = kernels_of(ptx, tool, folder)
    different: list[Kernel] = []
    for kernel in (kernel for kernels in found.values() for kernel in kernels):
        if kernel not in different:
            different.append(kernel)
    return tuple(different)


def calibrated(programs: Iterable[Program], tool: Path, pool: Executor) -> tuple[Kernel, ...]:
    """The kernels of all programs."""
    programs = tuple(programs)
    found = pool.map(kernels_of_program, programs, [tool] * len(programs))
    return tuple(kernel for kernels in found for kernel in kernels)


def counts_of(kernels: Iterable[Kernel]) -> dict[str, Counted]:
    """The counts by kind, over all kernels that ptxas has not written twice in part."""
    sass: Counter[str] = Counter()
    ptx: Counter[str] = Counter()
    for kernel in kernels:
        if not kernel.copies:
            sass.update(kernel.sass)
            ptx.update(kernel.ptx)
    return {name: Counted(sass[name], count) for name, count in ptx.items()}
