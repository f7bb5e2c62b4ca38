"""Execute the launches of a program's variant on the PTX machine, and count what they take; counts are kept."""

from __future__ import annotations

import hashlib
import re
import tempfile
from math import prod
from pathlib import Path

import msgspec
import numpy as np

import accache
from accache.base.diagnostics import CompileError
from accache.base.store import Store, cache_folder
from accache.ptx.execute import run
from accache.ptx.machine.launch import Launch
from accache.ptx.machine.link import link
from accache.ptx.machine.program import Barrier, Load
from accache.ptx.machine.trace import Trace
from accache.ptx.text.syntax import Module
from cost.elements import CHOICE, choices
from cost.launches import ARCH, Run, Variant, compiler, nvcc_words, run_variant, variant
from cost.memory import asked
from cost.programs import KERNELS, PEERS, Program
from cost.ptxas import Resources, resources
from cost.slots import arrivals_by_kind
from cost.weights import ENTRY

_NUMBERS = re.compile(r"^(checksum|units) (\S+)|mean (\S+)", re.M)
# what counts depend on beside the program itself
_OWN = ("elements", "launches", "measure", "memory", "ptxas", "slots")
_PARTS, _SOURCES = ("ptx", "l1"), (".py", ".h")


class Counts(msgspec.Struct, frozen=True):
    """What one launch takes, by its warps.

    ``arrivals`` are warps that came to instructions, by ``slots.kind``; ``barriers`` how often a warp waits at one, on
    the average. ``loads`` are those of global and ``shared_loads`` those of shared memory that warps execute, by the
    bytes that a lane gets. What ``sectors`` to ``hit_sectors`` are is told of ``memory.Asked``; there are none of local
    memory where ptxas keeps all of it in registers.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arrivals: dict[str, int]
    sectors: int
    atomic_sectors: int
    local_sectors: int
    turns: int
    l2_bytes: int
    hit_sectors: int
    barriers: float
    loads: dict[int, int]
    shared_loads: dict[int, int]
    registers: int
    shared_bytes: int
    spilled: int

    @property
    def threads(self) -> int:
        """The threads of the launch."""
        return prod(self.grid) * prod(self.block)


class Measured(msgspec.Struct, frozen=True):
    """What a program's launches take, and what it printed: a checksum, and its units of work (0: it does not say)."""

    launches: tuple[Counts, ...]
    checksum: float
    units: int = 0
    refused: str = ""


def measure(program: Program, column: str) -> Measured:
    """Measure a column of the table; ``refused`` tells why there is nothing to measure.

    Raises ``launches.Failed`` if the program does not run to its end.
    """
    with tempfile.TemporaryDirectory(prefix="accache-cost-") as name:
        folder = Path(name)
        try:
            chosen = variant(program, column, folder)
        except CompileError as error:
            return Measured((), 0, 0, str(error.diagnostics[0].message) if error.diagnostics else str(error))
        return measure_variant(chosen, folder)


def measure_variant(chosen: Variant, folder: Path) -> Measured:
    """Measure a program that is translated, or give what is kept of it; ``folder`` is for what is built."""
    store, key = Store(cache_folder() / "cost"), _key(chosen)
    if (kept := store.get(key)) is not None:
        return msgspec.msgpack.decode(kept, type=Measured)
    found = measure_run(run_variant(chosen, folder), folder)
    store.put(key, msgspec.msgpack.encode(found))
    return found


def _key(chosen: Variant) -> str:
    """A name for what a variant's counts depend on."""
    headers = [*KERNELS.glob("*.h"), *(PEERS.glob("*.h") if chosen.path.parent == PEERS else ())]
    flags = (flag for flag in nvcc_words(chosen.options) if not flag.startswith("-I"))
    read = (path.read_text() for path in sorted(headers))
    return key_of(chosen.device, chosen.host, *chosen.arguments, "", *flags, "", *read)


def key_of(*texts: str) -> str:
    """A name for the counts of these texts: it depends on what counts, and on the compiler, too."""
    here, package = Path(__file__).parent, Path(accache.__file__).parent
    files = [here / f"{name}.py" for name in _OWN]
    files += [path for part in _PARTS for path in sorted((package / part).rglob("*")) if path.suffix in _SOURCES]
    digest = hashlib.sha256(compiler())
    for content in (*(path.read_bytes() for path in files), *map(str.encode, texts)):
        digest.update(content + b"\0")
    return digest.hexdigest()


def measure_run(done: Run, folder: Path) -> Measured:
    """Count what the launches of a run take."""
    known = resources(done.ptx, ARCH, folder)
    counts = tuple(
        count_launch(done.module, captured.launch, known[captured.launch.kernel]) for captured in done.launches()
    )
    numbers = {match[1] or "mean": match[2] or match[3] for match in _NUMBERS.finditer(done.printed)}
    return Measured(counts, float(numbers.get("mean") or numbers["checksum"]), int(numbers.get("units", 0)))


def count_launch(module: Module, launch: Launch, known: Resources, *, interpreter: bool = False) -> Counts:
    """Execute a launch, and count; ``interpreter`` is quicker for a few warps of a long kernel, and counts the same."""
    recorder = Trace(shared=True)
    _, outcome = run(module, launch, interpreter=interpreter, trace=recorder, cores=1)
    program = link(module, launch.kernel)
    warps = prod(launch.grid) * -(-prod(launch.block) // 32)
    found = asked(recorder.records(), outcome.arrivals, program, module, launch=launch, registers=known.registers)
    waits = np.array([isinstance(step.action, Barrier) for step in program.steps], bool)
    loads: dict[str, dict[int, int]] = {"global": {}, "shared": {}}
    for step, count in zip(program.steps, outcome.arrivals.tolist(), strict=True):
        if isinstance(step.action, Load) and count and step.action.place.space in loads:
            size, sums = step.action.type.bytes * len(step.action.results), loads[step.action.place.space]
            sums[size] = sums.get(size, 0) + count
    arrivals = {ENTRY: warps, **arrivals_by_kind(program, outcome.arrivals)}
    if not known.frame and (chosen := choices(program, outcome.arrivals)):
        arrivals[CHOICE] = chosen
    return Counts(
        launch.kernel,
        launch.grid,
        launch.block,
        arrivals,
        found.sectors,
        found.atomic_sectors,
        found.local_sectors if known.frame else 0,
        found.turns,
        found.l2_bytes,
        found.hit_sectors,
        float(outcome.arrivals[waits].sum()) / warps,
        loads["global"],
        loads["shared"],
        known.registers,
        known.shared + launch.shared_bytes,
        known.spilled,
    )
