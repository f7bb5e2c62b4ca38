"""What method private moves from L2 to L1 for each byte that threads use: ``python bench/private.py``.

Each thread of one multiprocessor scans records of its own in some streams. The PTX machine traces the launch, and the
model of the L1 cache counts: with L1 alone, and with lines of 16 and of 32 bytes, whose shared memory is carved out of
L1. Before that samples/records.c, loads and stores. Needs nvcc and g++.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from cost.launches import ARCH, ptx_of
from cost.memory import asked, shared_accesses
from cost.ptxas import resources
from msgspec.structs import replace

from accache.base.options import Options
from accache.base.text import SourceFile
from accache.caching.methods.private import line_bytes
from accache.cpu.captures import prepare_capture
from accache.cpu.definitions import parameter_names
from accache.cpu.run import run
from accache.driver import Translation, translate
from accache.l1.gpus import Gpu, gpu_named, with_blocks_of
from accache.l1.tables import movement
from accache.l1.tools import PLAIN, compiled_tools
from accache.ptx import execute
from accache.ptx.machine.launch import Captured
from accache.ptx.machine.link import link
from accache.ptx.machine.trace import Trace
from accache.ptx.replay.capture_file import read_captured
from accache.ptx.replay.replay import in_module
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module
from accache.workflows.building import Built, build_translation
from accache.workflows.tracing import trace_launch

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "samples" / "records.c"
TYPES = {1: "char", 2: "short", 4: "int", 8: "long long"}
RECORDS = {1: 384, 2: 192, 4: 96, 8: 48}  # three of L1's lines, an odd number: threads' records spread over its sets
BLOCK = 256
APART = re.compile(r"(accache_private::cache<\d+, \d+, )true")
WARP_RECORDS = 512 // 32 * 256  # of samples/records.c: warps times records of a thread
SCAN = """
static void scan_{streams}_{size}({parameters}, long long *restrict out, int threads, int records)
{{
#pragma acc parallel loop vector_length({block}) copyin({arrays}) copyout(out[0:threads])
    for (int t = 0; t < threads; ++t) {{
        long long sum = 0;
#pragma acc loop seq
#pragma acc cache({names})
        for (int i = t * records; i < (t + 1) * records; ++i)
            sum += {terms};
        out[t] = sum;
    }}
}}
"""
MAIN = """
int main(int argc, char **argv)
{{
    int streams = atoi(argv[1]), size = atoi(argv[2]), threads = atoi(argv[3]), records = atoi(argv[4]);
    void *s[{most}];
    for (int k = 0; k < streams; ++k)
        s[k] = calloc((size_t)threads * records, size);
    long long *out = malloc(threads * sizeof *out);
    {calls}
    return 0;
}}
"""


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--streams", type=_numbers, default=(1, 2, 4, 8), help="how many arrays a thread scans")
    options.add_argument("--bytes", type=_numbers, default=(1, 4, 8), help="of a record")
    options.add_argument("--threads", type=_numbers, default=(256, 512, 1024, 2048), help="of the multiprocessor")
    options.add_argument("--gpu", default="h100", help="whose L1 is modelled")
    options.add_argument("--no-sample", action="store_true", help="without samples/records.c")
    options.add_argument("--costs", action="store_true", help="what samples/records.c costs beside, alone")
    options.add_argument("--probed", action="store_true", help="with --costs: all lines are probed")
    options.add_argument("--plot", metavar="FILE", help="draw the table of streams as PNG, too")
    arguments = options.parse_args()
    gpu = gpu_named(arguments.gpu)
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        if arguments.costs:
            costs(Path(folder), probed=arguments.probed)
            return
        if not arguments.no_sample:
            sample(Path(folder), gpu)
        columns = [f"{threads} threads" for threads in arguments.threads]
        _row("streams", "bytes", *columns)
        _row(*("---" for _ in range(2 + len(columns))))
        source = Path(folder, "scan.c")
        source.write_text(program(arguments.streams, arguments.bytes))
        kernels = [Kernel(source, options, Path(folder, f"scan, {name}")) for name, options in ways(())]
        found = []
        for size in arguments.bytes:
            for streams in arguments.streams:
                cells = [scanned(kernels, streams, size, threads, gpu=gpu) for threads in arguments.threads]
                _row(str(streams), str(size), *map(str, cells))
                found += cells
    if arguments.plot:
        draw(arguments.plot, found, arguments.gpu)


class Cell(NamedTuple):
    """Bytes from L2 to L1 for each that is asked for: by L1 alone, by lines of 16 and of 32 bytes.

    ``takes_lines`` says what ``auto`` would do for so many threads of each multiprocessor.
    """

    streams: int
    size: int
    threads: int
    moved: tuple[float, ...]
    takes_lines: bool

    def __str__(self) -> str:
        """As the table has it, with a star where ``auto`` takes lines."""
        return " / ".join(f"{part:.1f}" for part in self.moved) + " *" * self.takes_lines


def scanned(kernels: Sequence[Kernel], streams: int, size: int, threads: int, *, gpu: Gpu) -> Cell:
    """A cell of the table, by the programs that were made in each way."""
    words = (str(streams), str(size), str(threads), str(RECORDS[size]))
    moved = tuple(kernel.traffic(words, gpu).loads for kernel in kernels)
    assert gpu.unified is not None
    chip = gpu.unified.architecture
    least = chip.threads_that_fill_l1(streams, line_bytes(Options(arch=chip.name), streams))
    return Cell(streams, size, threads, moved, threads >= least)


def ways(calls: Sequence[int]) -> Iterator[tuple[str, Options]]:
    """L1 alone, and lines of both sizes; those again with so many calls monitored."""
    yield "L1 alone", Options(method="none")
    for monitored in (0, *calls):
        for line in ("16", "32"):
            told = f", {monitored} calls monitored" if monitored else ""
            yield f"{line}-byte lines{told}", Options(method="private", private_line=line, private_calls=monitored)


def _sample_ways() -> Iterator[tuple[str, Options]]:
    """The ways for samples/records.c, and lines of both sizes in one kernel, which nothing monitors."""
    plain, narrow, wide, *monitored = ways((300,))
    yield from (plain, narrow)
    yield "16-byte lines, of written arrays 32", Options(method="private", private_line="mixed", private_calls=0)
    yield from (wide, *monitored)


def program(streams: Sequence[int], sizes: Sequence[int]) -> str:
    """A program whose threads scan as many streams of records, of as many bytes, as its arguments say."""
    pairs = [(many, size) for size in sizes for many in streams]
    calls = (
        f"if (streams == {many} && size == {size}) scan_{many}_{size}("
        f"{', '.join(f's[{k}]' for k in range(many))}, out, threads, records);"
        for many, size in pairs
    )
    main = MAIN.format(most=max(streams), calls="\n    ".join(calls))
    return "#include <stdlib.h>\n" + "".join(_scan(many, size) for many, size in pairs) + main


def _scan(streams: int, size: int) -> str:
    names = [f"s{number}" for number in range(streams)]
    return SCAN.format(
        streams=streams,
        size=size,
        parameters=", ".join(f"const {TYPES[size]} *restrict {name}" for name in names),
        arrays=", ".join(f"{name}[0:threads*records]" for name in names),
        names=", ".join(names),
        terms=" + ".join(f"{name}[i]" for name in names),
        block=BLOCK,
    )


class Moved(NamedTuple):
    """Bytes from L2 to L1 and from L1 to L2, for each byte of sectors that threads load and store."""

    loads: float
    stores: float


@dataclass(frozen=True)
class Kernel:
    """A program whose runs launch one kernel each, translated and built once in a folder of its own."""

    source: Path
    options: Options
    folder: Path
    probed: bool = False

    @cached_property
    def built(self) -> Built:
        """The program for this CPU."""
        self.folder.mkdir()
        made = translate(str(self.source), self.options)
        return build_translation(_probed(made) if self.probed else made, self.options, self.folder, capture=True)

    @cached_property
    def ptx(self) -> str:
        """What nvcc makes of its kernels."""
        return ptx_of(self.built.device_file, (), self.folder)

    @cached_property
    def module(self) -> Module:
        """The tree of the PTX."""
        return parse(SourceFile("kernels.ptx", self.ptx))

    def captured(self, words: tuple[str, ...]) -> Captured:
        """Its first launch by a run with these arguments."""
        built = self.built
        own = Path(tempfile.mkdtemp(dir=self.folder))
        file, environment = prepare_capture(built.program, built.device_text, own, 1)
        done = run(built.program, words, workers=1, environment=environment)
        if done.returncode:
            raise RuntimeError(f"{self.source.name} ended with {done.returncode}: {done.stderr[-500:]}")
        return in_module(next(read_captured(file, parameter_names(built.device_text))), self.module)

    def traffic(self, words: tuple[str, ...], gpu: Gpu) -> Moved:
        """What the launch moves; its shared memory is carved out of L1."""
        launch = self.captured(words).launch
        trace = trace_launch(self.module, launch)
        left = with_blocks_of(gpu, launch.shared_bytes, trace.block_threads) if launch.shared_bytes else gpu
        found = movement(trace, left, compiled_tools(own_process=True) or PLAIN)
        return Moved(found.total.from_l2 / found.total.first, found.total.stored / (found.written or 1))


def _probed(made: Translation) -> Translation:
    """The same with caches that are not told that the arrays share no bytes."""
    return replace(made, device=APART.sub(r"\1false", made.device))


def sample(folder: Path, gpu: Gpu) -> None:
    """Print what samples/records.c moves by L1 alone, by lines, and by lines that threads monitor first."""
    _row("samples/records.c", "loads, L2 to L1", "stores")
    _row("---", "---", "---")
    for name, options in _sample_ways():
        moved = Kernel(SAMPLE, options, folder / name).traffic((), gpu)
        _row(name, f"{moved.loads:.1f}", f"{moved.stores:.1f}")


def costs(folder: Path, *, probed: bool = False) -> None:
    """Print what samples/records.c costs a thread beside its traffic: instructions, turns of the banks, registers."""
    _row("samples/records.c", "instructions a record", "shared accesses a record", "turns each", "registers", "spilled")
    _row(*("---" for _ in range(6)))
    plain = None
    split = (
        (f"{name}, two copies", replace(found, split_slices=True))
        for name, found in ways((300,))
        if found.private_calls
    )
    for name, options in (*_sample_ways(), *split):
        kernel = Kernel(SAMPLE, options, folder / name, probed)
        launch = kernel.captured(()).launch
        recorder = Trace(shared=True)
        _, outcome = execute.run(kernel.module, launch, trace=recorder, cores=1)
        records, linked = recorder.records(), link(kernel.module, launch.kernel)
        shared = shared_accesses(records)
        turns = asked(records, outcome.arrivals, linked, kernel.module, launch=launch).turns
        each = int(outcome.arrivals.sum()) / WARP_RECORDS
        plain = plain or each
        known = resources(kernel.ptx, ARCH, kernel.folder)[launch.kernel]
        _row(
            name,
            f"{each:.1f} ({each / plain:.2f} x)",
            f"{shared / WARP_RECORDS:.2f}",
            f"{turns / shared:.2f}" if shared else "",
            str(known.registers),
            str(known.spilled),
        )


def draw(path: str, cells: Sequence[Cell], gpu: str) -> None:
    """Bars of what is moved for each byte, a panel for each size of records, in the manner of the paper's figures."""
    from matplotlib.figure import Figure

    sizes = sorted({cell.size for cell in cells})
    figure = Figure(figsize=(11, 2.6 * len(sizes)), dpi=80, layout="constrained")
    panels = figure.subplots(len(sizes), squeeze=False)[:, 0]
    for size, axes in zip(sizes, panels, strict=True):
        own = sorted(cell for cell in cells if cell.size == size)
        for number, name in enumerate(("L1 alone", "16-byte lines", "32-byte lines")):
            places = [place + 0.27 * (number - 1) for place in range(len(own))]
            axes.bar(places, [cell.moved[number] for cell in own], width=0.25, label=name)
        axes.set_xticks(range(len(own)), [f"{cell.streams} x {cell.threads}" for cell in own], fontsize="small")
        axes.set_yscale("log", base=2)
        axes.set_ylabel("bytes moved a byte")
        axes.set_title(f"records of {size} bytes, L1 of {gpu}: streams x threads", fontsize="medium")
        axes.grid(axis="y", alpha=0.4)
        axes.legend(fontsize="small")
    figure.savefig(path, format="png")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
