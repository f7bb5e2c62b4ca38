"""Build a program once, and take down the first launch of each of its kernels, and the blocks of all launches."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from accache.base.architectures import KEPLER
from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options
from accache.cpu.captures import Block, launched_blocks, prepare_capture
from accache.cpu.definitions import parameter_names
from accache.cpu.run import run
from accache.l1.gpus import Gpu
from accache.ptx.loads.embedding import compile_to_ptx
from accache.ptx.machine.launch import Captured
from accache.ptx.replay.capture_file import read_captured
from accache.ptx.replay.names import plain_name
from accache.ptx.replay.replay import in_module
from accache.ptx.text.syntax import Module
from accache.workflows.building import Built, build_cuda
from accache.workflows.bypass.commands import read_compiled, read_input
from accache.workflows.bypass.running import Invocation, ended
from accache.workflows.bypass.translating import translated
from accache.workflows.cuda import kernels_alone, known_architectures
from accache.workflows.resource_usage import Usage, resource_usage

PURPOSE = "accache suggest"
_LANGUAGES = {"cpp": "C++", "cc": "C++", "cxx": "C++", "f90": "Fortran", "f": "Fortran", "ptx": "PTX"}
_RELOCATABLE = "requires separate compilation mode"
"""What nvcc says of a kernel that launches others."""
_TEXTURES = "-DACCACHE_CPU_TEXTURES"
"""Gives a run textures of which reads are zeros (cpu/runtime/include/accache_cpu/textures.h)."""
_NAMES_ARCHITECTURE = ("-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code")


@dataclass(frozen=True, eq=False)
class Launched:
    """The first launch of a kernel in a run of a program, with the PTX that the kernel is in, and what it needs."""

    name: str
    module: Module
    captured: Captured
    usage: Usage


@contextmanager
def launched(invocation: Invocation, kernel: str, gpu: Gpu, reporter: Reporter) -> Iterator[Iterator[Launched]]:
    """The first launch of each kernel that a run launches, or of the one that is asked for; C is translated first.

    Kernels are compiled for ``gpu``, unless the user's words for nvcc name an architecture.
    Cache directives in C are not obeyed: it is them that suggestions are compared with. Kernels that are not launched
    are left out with a warning.

    Raises:
        CompileError: the program cannot be read, translated, compiled or run, or it launches no such kernel.
    """
    name = invocation.name
    suffix = Path(name).suffix.removeprefix(".")
    if suffix not in ("c", "cu"):
        raise reporter.fail("ACC977", name=name, language=_LANGUAGES.get(suffix, "of no known language"))
    read_input(name, reporter)
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        directory = Path(folder)
        path, flags, words = (
            name,
            invocation.flags,
            (*_for_gpu(gpu, invocation.compiling, reporter), *invocation.compiling),
        )
        if suffix == "c":
            made, words, translation = translated(name, directory, flags, words, options=Options(method="none"))
            path, flags = str(made), (*(flag for flag in flags if not flag.startswith("-std=")), words[-1])
            reporter.include(_worth_telling(translation.diagnostics))
        compiled = directory / "program.ptx"
        more = _compiled(path, words, compiled)
        module = read_compiled(compiled, name)
        built = built_for_launches(path, flags, directory, reporter)
        usages = _usages(compiled, module, directory, more)
        yield _each(_Run(module, built, usages, replace(invocation, gpu=gpu)), kernel, reporter)


def _compiled(path: str, words: tuple[str, ...], target: Path) -> tuple[str, ...]:
    """Compile a program to PTX, and tell what nvcc was told beside its ``words``: kernels may launch others."""
    arguments = [path, *kernels_alone(path), *words]
    try:
        compile_to_ptx(arguments, target, PURPOSE)
    except CompileError as error:
        if not any(_RELOCATABLE in found.message for found in error.diagnostics):
            raise
        compile_to_ptx([*arguments, "-rdc=true"], target, PURPOSE)
        return ("-rdc=true",)
    return ()


def built_for_launches(path: str, flags: tuple[str, ...], directory: Path, reporter: Reporter) -> Built:
    """Build a program to take its launches down on this CPU, without textures (ACC996) where it uses some.

    Raises:
        CompileError: it cannot be built.
    """
    try:
        return build_cuda(path, Options(preprocessor=flags), directory, capture=True)
    except CompileError as error:
        lacking = next((found for found in error.diagnostics if found.code == "ACC950"), None)
        if lacking is None:
            raise
        try:
            built = build_cuda(path, Options(preprocessor=(*flags, _TEXTURES)), directory, capture=True)
        except CompileError:
            raise error from None
        reporter.report("ACC996", lacking.location)
        return built


def _for_gpu(gpu: Gpu, words: Sequence[str], reporter: Reporter) -> tuple[str, ...]:
    """The architecture of a GPU in nvcc's words; the lowest that nvcc knows for one that it has left behind.

    The registers that kernels are said to take are those of this architecture.
    """
    known = known_architectures()
    if not known or any(word.startswith(_NAMES_ARCHITECTURE) for word in words):
        return ()
    own = (gpu.unified.architecture if gpu.unified is not None else KEPLER).name
    if own not in known:
        reporter.report("ACC993", gpu=gpu.name, own=own, taken=known[0])
    return (f"-arch={own if own in known else known[0]}",)


@dataclass(frozen=True, eq=False)
class _Run:
    module: Module
    built: Built
    usages: dict[str, Usage]
    invocation: Invocation

    @property
    def name(self) -> str:
        return self.invocation.name


def _worth_telling(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """All but that directives are not obeyed, which nobody asked for."""
    return tuple(found for found in diagnostics if found.code != "ACC406")


def _each(program: _Run, kernel: str, reporter: Reporter) -> Iterator[Launched]:
    wanted = plain_name(kernel)
    names = dict.fromkeys(plain_name(function.name) for function in program.module.kernels)
    if wanted and wanted not in names:
        known = ", ".join(names) or "none"
        raise reporter.fail("ACC910", name=kernel, known=known)
    missing: list[str] = []
    begun: list[str] = []
    status = ""
    for name in [wanted] if wanted else names:
        done = run_once(program.built, program.invocation, name)
        status = status or done.end
        if done.captured is None:
            (begun if name in done.blocks else missing).append(name)
        else:
            launch = in_module(done.captured, program.module)
            tell_of_blocks(name, done.blocks.get(name, ()), reporter)
            yield Launched(program.name, program.module, launch, program.usages.get(launch.launch.kernel, Usage()))
    if len(missing) + len(begun) == (1 if wanted else len(names)):
        what = f"kernel '{wanted}'" if wanted else "any kernel"
        if status:
            what = f"the first launch of kernel '{begun[0]}' ended" if begun else f"it launched {what}"
            raise reporter.fail("ACC979", name=program.name, status=status, what=what)
        raise reporter.fail("ACC972", name=program.name, what=f"no {what.removeprefix('any ')}")
    if status:
        reporter.report("ACC973", name=program.name, status=status)
    for name in missing:
        reporter.report("ACC978", kernel=name, reason="this run does not launch it")
    for name in begun:
        reporter.report("ACC978", kernel=name, reason="its first launch ended the run")


@dataclass(frozen=True, eq=False)
class Ran:
    """What a run tells: the first launch of a kernel, and the blocks of all launches by kernel, the first one's first.

    ``end`` is the exit status, with what is known of why, if that is not 0.
    """

    captured: Captured | None
    blocks: Mapping[str, tuple[Block, ...]]
    end: str


def run_once(built: Built, invocation: Invocation, kernel: str = "") -> Ran:
    """Run a program that was built to capture; without ``kernel`` no launch is taken down, only blocks.

    What the program prints is dropped.
    """
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        launches = 1 if kernel else 0
        file, environment = prepare_capture(built.program, built.device_text, Path(folder), launches, kernel=kernel)
        environment = {**environment, **invocation.device, "ACCACHE_CPU_SKIP_CHILDREN": "1"}
        done = run(built.program, invocation.arguments, workers=1, environment=environment)
        names = parameter_names(built.device_text)
        captured = next(read_captured(file, names), None) if file.exists() else None
        end = ended(done.returncode, done.complaint) if done.returncode else ""
        return Ran(captured, launched_blocks(file), end)


def tell_of_blocks(kernel: str, blocks: Sequence[Block], reporter: Reporter) -> None:
    """Say so (ACC985) where launches of a kernel have different blocks, of which the first is taken."""
    if len(blocks) > 1:
        texts = [" x ".join(map(str, block)) for block in blocks]
        reporter.report("ACC985", kernel=kernel, blocks=", ".join(texts), first=texts[0])


def _usages(ptx: Path, module: Module, directory: Path, more: tuple[str, ...]) -> dict[str, Usage]:
    """What ptxas says that each kernel needs; nothing where it does not take the PTX alone."""
    target = next((word for word in module.target if word.startswith("sm_")), "")
    try:
        return resource_usage(ptx, directory, target, PURPOSE, flags=more)
    except CompileError:
        return {}
