"""Programs in several forms, built once each, and what their launches ask for."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cost.chips import chip_named, occupancy
from cost.launches import ARCH, METHODS, Run, ptx_of
from cost.memory import global_records
from cost.ptxas import Resources, resources

from accache.base.options import Options
from accache.base.resources import headers
from accache.cpu.build import build
from accache.cpu.captures import prepare_capture
from accache.cpu.run import run
from accache.driver import translate
from accache.l1.gpus import gpu_named, with_blocks_of
from accache.l1.tables import movement
from accache.l1.tools import PLAIN, compiled_tools
from accache.ptx import execute
from accache.ptx.machine.launch import Captured
from accache.ptx.machine.link import link
from accache.ptx.machine.program import Barrier, Load
from accache.ptx.machine.trace import Trace
from accache.ptx.text.syntax import Module
from accache.workflows.building import Built, build_translation
from accache.workflows.tracing import trace_of_records
from accache.workflows.without_directives import without_cache_directives

SAMPLES = Path(__file__).parents[2] / "samples"
sys.path.insert(0, str(Path(__file__).parents[1]))  # the statements of Table 2 are counted there
LAUNCHES = 4
GPU = "h100"
HAND = "cuda"
"""The form written by hand, samples/cuda/NAME.cu."""
SEVERAL = "several"
"""The form that ``auto`` takes in launches that fill a GPU; those here are smaller, so that it is asked for."""
_SEVERAL = {
    "gemm": {"method": "rbi", "coarsen": "8x4"},
    "nbody": {"coarsen": "2"},
    "jacobi": {"coarsen": "4x4"},
    "stencil": {"method": "none", "coarsen": "4"},
}
FORMS = ("none", "rbc", "rbi", "ehc", "auto", SEVERAL, HAND)


@dataclass(frozen=True)
class Work:
    """What the launches of a run ask for together.

    ``instructions`` are those of threads, ``barriers`` those that warps wait at. ``loads`` of global memory are warps'
    instructions, ``sectors`` of 32 bytes what they ask for, ``stored`` the sectors of stores, and ``from_l2`` the bytes
    that L1 of ``GPU`` gets. ``registers``, ``shared`` and ``occupancy`` are those of the launch with most instructions.
    """

    instructions: int
    barriers: int
    loads: int
    sectors: int
    stored: int
    from_l2: int
    registers: int
    shared: int
    occupancy: float


class Form:
    """One form of a sample: built at the first run, and run with any arguments."""

    def __init__(self, sample: str, form: str, folder: Path, **options: str) -> None:
        """``form`` is one of FORMS, ``options`` further ones of accache; ``folder`` is for what is built."""
        self.sample, self.form = sample, form
        self.folder = folder / "-".join((sample, form, *options.values()))
        self.options = options

    @cached_property
    def built(self) -> Built:
        """The program for this CPU. Raises CompileError where accache refuses it."""
        self.folder.mkdir(parents=True)
        source = SAMPLES / f"{self.sample}.c"
        if self.form == HAND:
            return self._by_hand(source.read_text())
        if self.form == "none":
            plain = self.folder / source.name
            plain.write_text(without_cache_directives(source.read_text()))
            source = plain
        chosen = {"method": self.form if self.form in METHODS else "auto"}
        if self.form == SEVERAL:
            chosen |= _SEVERAL[self.sample]
        elif self.form != "auto":
            chosen |= {"coarsen": "off", "wide": "off"}
        options = Options(preprocessor=("-DRADIUS=30",), **{**chosen, **self.options})
        return build_translation(translate(str(source), options), options, self.folder, capture=True)

    def _by_hand(self, text: str) -> Built:
        from count_statements import function

        own = function(self.sample, text)
        host = text.replace(own, own.partition("{")[0].strip() + ";")
        device = (SAMPLES / "cuda" / f"{self.sample}.cu").read_text()
        flags = ("-std=gnu11", "-DRADIUS=30", "-I", str(headers()))
        program = build(device, host, self.folder, capture=True, host_flags=flags, device_flags=("-DRADIUS=30",))
        return Built(program, device, program.device_source, ())

    @cached_property
    def ptx(self) -> str:
        """What nvcc makes of its kernels."""
        return ptx_of(self.built.device_file, ("-DRADIUS=30",), self.folder)

    @cached_property
    def resources(self) -> dict[str, Resources]:
        """What ptxas says of them."""
        return resources(self.ptx, ARCH, self.folder)

    def work(self, *arguments: int) -> Work:
        """Run it, execute its launches, and count."""
        built = self.built
        with tempfile.TemporaryDirectory(dir=self.folder) as own:
            file, environment = prepare_capture(built.program, built.device_text, Path(own), LAUNCHES)
            done = run(built.program, tuple(map(str, arguments)), workers=1, environment=environment)
            if done.returncode:
                raise RuntimeError(f"{self.folder.name} {arguments} ended with {done.returncode}: {done.stderr[-500:]}")
            ran = Run(self.ptx, done.stdout, file, built.device_text)
            found = [self._counted(ran.module, captured) for captured in ran.launches()]
        most = max(found, key=lambda each: each.instructions)
        sums = (sum(getattr(each, name) for each in found) for name in list(Work.__annotations__)[:6])
        return Work(*sums, most.registers, most.shared, most.occupancy)

    def _counted(self, module: Module, captured: Captured) -> Work:
        launch, program = captured.launch, link(module, captured.launch.kernel)
        recorder = Trace(shared=True)
        _, outcome = execute.run(module, launch, trace=recorder, cores=1)
        known = self.resources[launch.kernel]
        shared = known.shared + launch.shared_bytes
        threads = launch.block[0] * launch.block[1] * launch.block[2]
        trace = trace_of_records(global_records(recorder.records()), program, module, launch.block)
        moved = movement(
            trace, with_blocks_of(gpu_named(GPU), shared, threads), compiled_tools(own_process=True) or PLAIN
        )
        steps = list(zip(program.steps, outcome.arrivals.tolist(), strict=True))
        return Work(
            outcome.instructions,
            sum(count for step, count in steps if isinstance(step.action, Barrier)),
            sum(
                count for step, count in steps if isinstance(step.action, Load) and step.action.place.space == "global"
            ),
            moved.total.asked // 32,
            moved.total.stored // 32,
            moved.total.from_l2,
            known.registers,
            shared,
            occupancy(chip_named(GPU), threads, known.registers, shared),
        )
