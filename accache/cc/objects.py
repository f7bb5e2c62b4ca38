"""Make one object file of host C and of the kernels that belong to it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePath

from msgspec import Struct

from accache.base.store import Store
from accache.cc.command import Command
from accache.cc.settings import Settings
from accache.cc.sources import HostError, openacc_flags, run
from accache.cc.targets import shared_flags, target_of
from accache.cc.translation import Pair, digest

# What only kernels use looks unused in the host's part. Link-time optimisation cannot see into a joined object.
_OVERRULED = (
    "-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-parameter", "-Wno-unused-function",
    "-Wno-unused-label", "-fno-lto",
)  # fmt: skip
# Options that write files named after the object file.
_SIDE_FILES = re.compile(
    r"--coverage|-ftest-coverage|-fstack-usage|-gsplit-dwarf|-save-temps.*|-fdump-.*|-fcallgraph.*"
)

# What a link without accache cc does not find, so that the linker's message names the remedy.
_REMEDY = """
extern const char link_this_program_with_accache_cc;
static const char *const accache_remedy __attribute__((used)) = &link_this_program_with_accache_cc;
"""
_LARGE_MODEL = re.compile(r"-mcmodel=(?:medium|large)")
_SYMBOL_WORDS = 8  # of a symbol's line of readelf: number, value, size, type, binding, visibility, section, name
_NO_LARGE_DATA = f"-mlarge-data-threshold={2**31 - 1}"


class Task(Struct, frozen=True):
    """One C file on its way to an object file; ``folder`` is for files that nobody shall see.

    ``aside`` is what the names of other files begin with that the compiler writes, folder included.
    """

    command: Command
    source: str
    pair: Pair
    settings: Settings
    folder: Path
    output: str
    aside: str = ""

    @property
    def name(self) -> str:
        """The file's name without folder and suffix."""
        return PurePath(self.source).stem if self.source != "-" else "stdin"


def compile_host(task: Task, flag: str, target: Path) -> int:
    """Compile the host's part with -c or -S; the C compiler's exit status."""
    status = _compile_host(task, flag, target)
    if not status and flag == "-c" and _has_large_common(task, target):
        status = _compile_host(task, flag, target, "-w", _NO_LARGE_DATA)
    return status


def _compile_host(task: Task, flag: str, target: Path, *more: str) -> int:
    path = task.folder / f"{task.name}.c"
    path.write_text(
        task.pair.host + (_REMEDY if task.pair.device else ""), encoding="utf-8", errors="surrogateescape", newline=""
    )
    place = str(PurePath(task.source).parent)
    command = [
        *task.settings.compiler, *openacc_flags(), "-iquote", place, *task.command.compile_flags, *_OVERRULED,
        f"-fdebug-prefix-map={task.folder}={place}", *_side_files(task), *_colours(task), *more,
        flag, str(path), "-o", str(target),
    ]  # fmt: skip
    return run(command, None).returncode


def _colours(task: Task) -> tuple[str, ...]:
    """What gives messages the colours that they would have if they were not recorded."""
    chosen = any("diagnostics-color" in flag for flag in task.command.compile_flags)
    return ("-fdiagnostics-color=always",) if task.settings.colour and not chosen else ()


def _has_large_common(task: Task, path: Path) -> bool:
    """Whether an object file has common symbols of x86's large section, which ``ld -r`` of GNU makes unusable."""
    is_large = any(_LARGE_MODEL.fullmatch(flag) for flag in task.command.compile_flags)
    return is_large and "LARGE_COM" in _call(["readelf", "-sW", str(path)])


def _side_files(task: Task) -> tuple[str, ...]:
    output = PurePath(task.output)
    return side_files(task.command, task.aside or f"{output.parent}/", f"{output.stem}.c")


def side_files(command: Command, aside: str, name: str) -> tuple[str, ...]:
    """Where the compiler writes other files of a source called ``name``, if it does: as ``aside``, then the name."""
    if not any(_SIDE_FILES.fullmatch(flag) for flag in command.compile_flags):
        return ()
    return ("-dumpdir", aside, "-dumpbase", name, "-dumpbase-ext", ".c")


def compile_device(task: Task, store: Store) -> Path:
    """The object file of the kernels, kept from the last time if nothing it depends on has changed.

    Raises CompileError if a tool is missing or, by a fault of ours, refuses the text.
    """
    settings, target = task.settings, target_of(task.settings)
    bounds = target.bounds if task.pair.maps_parts and not settings.check else ()
    flags = (*shared_flags(task.command.compile_flags), *bounds)
    tools = [_identity(tool) for tool in target.tools()]
    place = str(Path.cwd()) if any(flag.startswith("-g") for flag in flags) else ""  # debug information names it
    about = (settings.target, settings.arch, str(settings.check), task.source, place, *flags, "", *tools)
    key = digest("object", "\0".join(about), task.pair.device)
    kept = store.get(key) if settings.cache else None
    if kept is not None:
        path = task.folder / "device.o"
        path.write_bytes(kept)
        return path
    # nvcc makes names from the file's, which must be the file's own in a program
    path = target.compile(task.pair.device, f"{task.name}_{key[:8]}.cu", task.folder, flags, settings=settings)
    if settings.cache:
        store.put(key, path.read_bytes())
    return path


def join(task: Task, host: Path, device: Path) -> bytes:
    """Both parts as one object file. The stubs between them become its own: another file may have the same names."""
    joined, names = task.folder / "joined.o", task.folder / "stubs"
    of_host, of_device = _global_symbols(host, device)
    wanted = {name for _, section, name in of_host if section == "UND"}
    own = {name for kind, section, name in of_device if kind == "FUNC" and section != "UND"} & wanted
    names.write_text("".join(f"{name}\n" for name in sorted(own)))
    _call(["ld", "-r", str(host), str(device), "-o", str(joined)])
    if own:
        _call(["objcopy", f"--localize-symbols={names}", str(joined)])
    return joined.read_bytes()


def _global_symbols(*paths: Path) -> list[list[tuple[str, str, str]]]:
    """Type, section and name of each global symbol of some files, by readelf: nm first loads plugins of linkers."""
    _, *tables = re.split(r"^File: ", _call(["readelf", "-sW", *map(str, paths)]), flags=re.M)
    lines = [[line.split() for line in table.splitlines()] for table in tables]
    return [
        [(words[3], words[6], words[7]) for words in table if len(words) == _SYMBOL_WORDS and words[4] == "GLOBAL"]
        for table in lines
    ]


def _call(command: Sequence[str]) -> str:
    """Run one of the tools that come with a compiler; raises HostError if it is missing or fails."""
    done = run(command, None, capture=True)
    if done.returncode:
        raise HostError(f"{command[0]} fails: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout.decode("utf-8", "surrogateescape")


def _identity(tool: str) -> str:
    """A name for the very program behind a command: its place, size and time."""
    path = shutil.which(tool)
    if path is None:
        return tool
    status = Path(path).stat()
    return f"{os.path.realpath(path)} {status.st_size} {status.st_mtime_ns}"
