"""What has a golden file: a program, the options it is translated with, and the sizes that test it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accache.base.options import Options
from accache.driver import Translation, translate
from accache.emit import templates
from accache.emit.program import KERNELS, RUNTIME

HERE = Path(__file__).resolve().parent
INPUTS = HERE / "inputs"
SAMPLES = HERE.parents[1] / "samples"


@dataclass(frozen=True)
class Emission:
    """One golden file. ``runs`` are command lines whose sizes lie around the edges of blocks."""

    name: str
    source: Path
    options: Options
    runs: tuple[str, ...]

    @property
    def golden(self) -> Path:
        """Where the emitted kernels are kept."""
        return HERE / f"{self.name}.cu"

    def translation(self) -> Translation:
        """The translated program."""
        return translate(str(self.source), self.options)

    def kernels(self) -> str:
        """The kernels and launches as they are emitted now."""
        return split_device(self.translation().device)[1].replace(f'"{self.source}"', f'"{self.source.name}"')


def split_device(device: str) -> tuple[str, str, str]:
    """Device text as what stands before the kernels, the kernels with their launches, and the run-time library."""
    before, mark, rest = device.partition(KERNELS)
    interface = templates.read("runtime/accache_launch.cuh")
    library = "\n".join(templates.read(f"runtime/{name}") for name in RUNTIME)
    assert mark
    assert rest.startswith(interface)
    assert rest.endswith(library)
    for name in ("accache_reduce.cuh", "accache_private.cuh"):
        part = templates.read(f"runtime/{name}")
        if rest.removeprefix(interface).lstrip("\n").startswith(part):
            interface = rest[: rest.index(part) + len(part)]
    return before + mark + interface, rest[len(interface) : -len(library)], library


# 256 threads a block: none, one, all but one, all, one more, two blocks and a rest
ROW = ("0", "1", "2", "3", "255", "256", "257", "258", "259", "600")
# 16 x 16 threads a block
PLANE = ("1 1", "3 3", "17 18", "18 17", "18 18", "19 20", "35 40", "50 19")


def _sample(name: str, *runs: str, method: str = "auto") -> Emission:
    return Emission(name, SAMPLES / f"{name}.c", Options(method=method, tune="off"), runs)


def _inputs() -> Iterator[Emission]:
    def row(name: str, source: str, runs: tuple[str, ...] = ROW, **options: Any) -> Emission:
        return Emission(name, INPUTS / f"{source}.c", Options(**{"tune": "off", **options}), runs)

    yield row("taps_sync_width", "taps", width="sync")
    yield row("taps_communicating", "taps", scope="communicating")
    yield row("taps_thread_private", "taps", method="rbi", sharing=False)
    yield row("taps_rbc", "taps", method="rbc")
    yield row("repeats_ehc", "repeats", ("1 1", "2 5", "255 30", "257 9"), method="ehc", ehc_ways=2)
    yield row("chunks_rbc_back", "chunks", method="rbc", write="back")
    yield row("chunks_rbc_through", "chunks", method="rbc", write="through")
    yield row("rows_thread_private_back", "rows", sharing=False, write="back")
    yield row("rows_ehc_direct", "rows", method="ehc", write="back")
    yield row("rows_ehc_two_way", "rows", method="ehc", write="back", ehc_ways=2)
    yield row("rows_ehc_fully", "rows", method="ehc", write="back", ehc_ways=8)
    yield row("rows_ehc_through", "rows", method="ehc", write="through")
    yield row("grid_ehc", "grid", method="ehc", write="back", ehc_entries=6, ehc_ways=2)
    yield row("decreasing", "decreasing")
    yield row("plane_back", "plane", PLANE, write="back")
    yield row("plane_communicating_sync", "plane", PLANE, scope="communicating", width="sync")
    yield row("solid", "solid", ("1 1 1", "2 2 3", "3 9 34", "4 5 35", "5 10 40", "9 3 70"))
    yield row("gang_tile", "gang_tile", ("0", "1", "2", "5"), write="back")
    yield row("scratch", "scratch", ("0", "1", "2", "5"))
    yield row("reductions", "reductions", ("1 1", "2 95", "3 96", "1 97", "3 128", "7 300"))
    yield row("moving", "moving", ("1 0", "1 1", "255 40", "256 41", "257 39", "300 120"))
    yield row("collapsed", "collapsed", PLANE, method="rbi")
    yield row("owner_back", "owner", write="back")
    yield row("together_back", "together", (*ROW, "3 300", "300 9"), method="rbi", write="back")
    yield row(
        "together_communicating",
        "together",
        (*ROW, "3 300", "300 9"),
        method="rbi",
        write="back",
        scope="communicating",
        width="sync",
    )
    yield row("together_thread_private", "together", (*ROW, "3 300", "300 9"), method="rbi", sharing=False)
    yield row("unsigned_index", "unsigned_index", ("0", "1", "2", "511", "512", "513", "1100"), method="rbi")
    yield row("brute_back", "brute", write="back")
    yield row("brute_thread_private", "brute", write="back", sharing=False)
    yield row("nests", "nests")
    yield row("edges", "edges", (*ROW, "3 300", "300 9"))
    yield row("edges_plane", "edges_plane", (*PLANE, "3 5 20", "18 17 1"))
    yield row("aliased", "aliased", (*ROW, "1 1", "257 1"))
    yield row("contrary", "contrary", ("1 1", "15 16", "16 17", "17 15", "33 40"))
    yield row("assumed", "assumed", (*ROW[1:], "3 1", "258 1", "258 2", "600 2"))
    yield row("atomics", "atomics", ("0", "1", "99", "100", "101", "600"))
    yield row("wide", "wide", ("0", "1", "63", "64", "65", "130"))
    yield row("large", "large", ("0", "1", "255", "256", "257", "300"), method="rbi")
    yield row("products", "products", ("1", "7", "63", "64", "65", "68", "132"), method="rbi", coarsen="2x2", wide="on")
    yield row("phases", "phases", ("0 1", "1 0", "3 2", "255 1", "257 2", "600 3"), method="rbi")


EMISSIONS = (
    _sample("gemm", "1", "15", "16", "17", "33"),
    _sample("histogram", "1", "1023", "1024", "1025", "3000"),
    _sample("jacobi", "1 1 2", "3 3 1", "17 18 2", "18 17 2", "18 18 3", "19 20 2", "35 40 2"),
    _sample("lookup", "1 1", "255 9", "256 300", "257 1000", "600 20", method="rbi"),
    _sample("nbody", "1", "255", "256", "257", "300"),
    _sample("records", "1 1", "1 150", "3 149", "256 130", "257 3", "300 131", method="private"),
    _sample("stencil", "1", "2", "3", "257", "258", "259", "600"),
    _sample("strided", "1", "255", "256", "257", "600"),
    _sample("transpose", "1 1", "32 32", "31 33", "33 31", "70 40"),
    _sample("write_dense", "1", "257 0", "3", "257", "258", "259", "600", method="rbi"),
    _sample("write_sparse", "1", "3", "257", "258", "259", "600"),
    *_inputs(),
)
