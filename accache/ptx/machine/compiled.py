"""Programs of the machine as machine code, compiled by the C compiler on first use and kept in the user's cache."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from accache.base import resources
from accache.base.environment import plain_english
from accache.base.store import cache_folder, kept_folder
from accache.ptx.machine.failures import Failure
from accache.ptx.machine.launch import Launch
from accache.ptx.machine.layout import aligned
from accache.ptx.machine.memory import DeviceMemory
from accache.ptx.machine.program import Program
from accache.ptx.machine.to_c import block_leaders, to_c
from accache.ptx.machine.trace import Trace

# Overflow of integers wraps around, one float operation is one rounding, and memory has no types.
_FLAGS = (
    *("-std=gnu11", "-O2", "-march=native", "-ftree-vectorize", "-fvect-cost-model=dynamic", "-fwrapv"),
    *("-fno-strict-aliasing", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-fPIC", "-shared", "-w"),
)
# Larger programs and smaller launches do not repay the C compiler's effort.
_LARGE = 4000  # steps
_SMALL = 1 << 15  # threads
_QUICK = ("-O1", "-fno-tree-vectorize")
# Each of the machine's files needs those before it.
_MACHINE = ("records", "traces", "memory", "lanes", "cuda_functions", "blocks")


class NoCompiler(Exception):
    """There is no C compiler here."""


class _Range(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("begin", "end", "data", "writable")]


class _Launch(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint64 * 3),
        ("block", ctypes.c_uint64 * 3),
        ("blocks", ctypes.c_uint64),
        ("next_block", ctypes.c_uint64),
        ("stop", ctypes.c_uint64),
        ("static_shared", ctypes.c_uint64),
        ("shared_bytes", ctypes.c_uint64),
        ("ranges", ctypes.POINTER(_Range)),
        ("range_count", ctypes.c_uint64),
        ("params", ctypes.c_char_p),
        ("param_bytes", ctypes.c_uint64),
        ("trace_first", ctypes.c_uint64),
        ("trace_end", ctypes.c_uint64),
        ("trace_every", ctypes.c_uint64),
        ("trace_shared", ctypes.c_uint64),
        ("heap_begin", ctypes.c_uint64),
        ("heap_end", ctypes.c_uint64),
        ("heap_next", ctypes.c_uint64),
    ]


class _Report(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("error", "pc", "block", "thread", "address", "bytes")),
        *((name, ctypes.c_uint64) for name in ("instructions", "warp_instructions")),
        ("trace", ctypes.c_void_p),
        ("trace_count", ctypes.c_uint64),
        ("output", ctypes.c_void_p),
        ("output_count", ctypes.c_uint64),
        ("arrivals", ctypes.c_void_p),
    ]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a launch: what it printed, how many instructions its threads executed, and why it failed if so.

    ``arrivals`` has the number of warps that came to each step of the program, with however many lanes: what an
    instruction takes of a GPU's issue slots does not depend on how many of them are busy.
    """

    output: bytes
    instructions: int
    failure: Failure | None
    arrivals: NDArray[np.uint64]


def run_compiled(
    program: Program, launch: Launch, params: bytes, memory: DeviceMemory, *, trace: Trace | None, cores: int
) -> Outcome:
    """Execute a launch with machine code, blocks on several cores; memory is changed.

    :raises NoCompiler: no machine code can be made here.
    """
    library = ctypes.CDLL(str(_library(program, _flags(program, launch))))
    library.accache_ptx_work.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.accache_ptx_free.argtypes = [ctypes.c_void_p]
    ranges = (_Range * max(1, len(memory.regions)))(
        *(
            _Range(region.address, region.end, region.data.ctypes.data, int(region.is_writable))
            for region in memory.regions
        )
    )
    shared = launch_shared(program, launch)
    grid, block = launch.grid, launch.block
    heap = (memory.heap.address, memory.heap.end, memory.heap.address) if memory.heap else (0, 0, 0)
    blocks = prod(grid)
    traced = (0, 0, 1, 0)
    if trace is not None:
        traced = (trace.first, blocks if trace.end is None else trace.end, trace.every, int(trace.shared))
    state = _Launch(
        (ctypes.c_uint64 * 3)(*grid),
        (ctypes.c_uint64 * 3)(*block),
        *(blocks, 0, 0, program.shared_bytes, shared, ranges, len(memory.regions), params, len(params)),
        *traced,
        *heap,
    )
    workers = max(1, min(cores, blocks))
    counters = np.zeros((workers, len(program.steps)), np.uint64)
    reports = [_Report(arrivals=row.ctypes.data) for row in counters]
    with ThreadPoolExecutor(len(reports)) as pool:
        list(pool.map(lambda report: library.accache_ptx_work(ctypes.byref(state), ctypes.byref(report)), reports))
    words = tuple(_taken(library, report.trace, report.trace_count * 8).view(np.uint64) for report in reports)
    output = b"".join(sorted_output([_taken(library, r.output, r.output_count).tobytes() for r in reports]))
    instructions = sum(report.instructions for report in reports)
    if trace is not None:
        trace.words, trace.instructions = words, instructions
    failed = min((report for report in reports if report.error), key=lambda report: report.block, default=None)
    arrivals = _of_all_steps(counters.sum(axis=0, dtype=np.uint64), program)
    return Outcome(output, instructions, None if failed is None else _failure(failed), arrivals)


def _of_all_steps(arrivals: NDArray[np.uint64], program: Program) -> NDArray[np.uint64]:
    """The warps that came to each step, from those that came to the first steps of blocks."""
    leaders = [routine.first_pc + index for routine in program.routines for index in block_leaders(routine)]
    return np.repeat(arrivals[leaders], np.diff(leaders, append=len(arrivals)))


def _failure(report: _Report) -> Failure:
    return Failure(report.error, report.pc, report.block, report.thread, report.address, report.bytes)


def launch_shared(program: Program, launch: Launch) -> int:
    """Shared memory of a block: what the program declares, then what the launch asks for."""
    return aligned(program.shared_bytes, 16) + launch.shared_bytes if launch.shared_bytes else program.shared_bytes


def sorted_output(streams: Sequence[bytes]) -> list[bytes]:
    """What blocks printed, by block: each stream consists of a block's number, a length, and the bytes."""
    found: list[tuple[int, bytes]] = []
    for stream in streams:
        position = 0
        while position < len(stream):
            block = int.from_bytes(stream[position : position + 8], "little")
            length = int.from_bytes(stream[position + 8 : position + 16], "little")
            found.append((block, stream[position + 16 : position + 16 + length]))
            position += 16 + length
    return [text for _, text in sorted(found)]


def _taken(library: ctypes.CDLL, address: int | None, size: int) -> NDArray[np.uint8]:
    """A copy of bytes that the machine code made; theirs are freed."""
    if not address:
        return np.empty(0, np.uint8)
    found = np.frombuffer(ctypes.string_at(address, size), np.uint8)
    library.accache_ptx_free(address)
    return found


def _flags(program: Program, launch: Launch) -> tuple[str, ...]:
    """How a program is compiled for a launch."""
    threads = prod(launch.grid) * prod(launch.block)
    return (*_FLAGS, *(_QUICK if len(program.steps) > _LARGE or threads < _SMALL else ()))


@lru_cache(maxsize=64)
def _library(program: Program, flags: tuple[str, ...]) -> Path:
    """The shared library of a program."""
    text = to_c(program, _runtime("lane_functions"), _runtime(*_MACHINE))
    digest = hashlib.sha256("\0".join((text, _compiler(), *flags)).encode()).hexdigest()[:24]

    def make(folder: Path) -> None:
        (folder / "kernel.c").write_text(text)
        _call((_cc(), *flags, str(folder / "kernel.c"), "-o", str(folder / "kernel.so"), "-lm"))

    return kept_folder(cache_folder() / "ptx" / digest, make) / "kernel.so"


@lru_cache(maxsize=2)
def _runtime(*names: str) -> str:
    folder = resources.ptx_runtime()
    return "".join((folder / f"{name}.h").read_text() for name in names)


@lru_cache(maxsize=1)
def _compiler() -> str:
    """The compiler, and the machine it compiles for."""
    return _call((_cc(), "--version")) + _call((_cc(), "-march=native", "-Q", "--help=target"))


def _cc() -> str:
    return os.environ.get("CC", "cc")


def _call(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=plain_english())
    except OSError as missing:
        raise NoCompiler(f"{command[0]}: {missing}") from missing
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr[:2000]}")  # a bug: our own text does not compile
    return done.stdout
