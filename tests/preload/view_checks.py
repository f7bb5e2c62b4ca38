"""Check views of CUDA kernels: printed as CUDA again, they must compile to the same code or leave the same memory.

nvcc compiles the program and the program of its views. Kernels whose PTX is the same but for the names of registers
need no run. Of the others the first launch of a run is executed on the PTX machine from both.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from msgspec import Struct
from printed_views import with_printed_views

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.base.text import SourceFile, read_source_file
from accache.cuda.instances import launched_instances
from accache.cuda.kernel import KernelView
from accache.cuda.text import Cuda, NoViewError, read_cuda
from accache.cuda.view import view
from accache.frontend.source.preprocess import PreprocessOptions
from accache.ptx.execute import execute
from accache.ptx.replay.names import plain_name
from accache.ptx.replay.replay import in_module
from accache.ptx.text.parser import parse
from accache.workflows.building import build_cuda
from accache.workflows.bypass.running import Invocation
from accache.workflows.cuda import compile_to_ptx
from accache.workflows.suggest.launches import run_once
from accache.workflows.views import include_folders

_FUNCTION = re.compile(r"^(?:\.visible |\.weak )*\.(entry|func) [^{;]*?\b([\w$]+)\([^{;]*\{(.*?)^\}", re.M | re.S)
_UNSEEN = re.compile(r"//.*|^\s*\.(?:loc|reg|file|section)\b.*|^\s*$", re.M)
_UNROLLED = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+unroll[^\n]*", re.M)
"""Hints that views do not have: without them nvcc makes the same of both."""
_NUMBERED = re.compile(r"%[a-z]+\d+|\$L_\w+|\bretval\d+|\bparam\d+")


class Checked(Struct, frozen=True):
    """How a kernel and its printed view compare: ``same code``, ``same memory``, or what stands in the way."""

    kernel: str
    outcome: str

    @property
    def is_wrong(self) -> bool:
        """Whether the view says something else than the kernel."""
        return self.outcome == "other memory"


def check_views(invocation: Invocation, arch: str = "sm_80", *, runs: bool = True) -> tuple[Checked, ...]:
    """Compare the kernels of a program that have views with what their views say; without ``runs`` code alone.

    Raises:
        CompileError: the program cannot be read, or nvcc is missing or rejects it.
    """
    path = Path(invocation.name)
    cuda = read_cuda(read_source_file(invocation.name), include_folders(invocation))
    views = tuple(_views(cuda, invocation.flags))
    if not views:
        return ()
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        flags = (*invocation.flags, f"-I{path.absolute().parent}")
        texts = []
        for text in (cuda.source.text, with_printed_views(cuda, views)):
            copy = Path(folder) / path.name
            copy.write_text(_UNROLLED.sub("", text), encoding="utf-8", errors="surrogateescape")
            try:
                texts.append(compile_to_ptx(copy, Path(folder), arch, flags))
            except CompileError as error:
                if not texts:
                    raise
                return tuple(Checked(each.name, f"nvcc rejects it: {error.diagnostics[0].message}") for each in views)
    usual, other = map(_functions, texts)
    names = {each.name for each in views}
    differ = [name for name in usual if plain_name(name) in names and usual[name] != other.get(name)]
    ran = _ran(invocation, texts, {plain_name(name) for name in differ}) if differ and runs else {}
    outcomes = {plain_name(name): ran.get(plain_name(name), "other code, not run") for name in differ}
    return tuple(Checked(each.name, outcomes.get(each.name, "same code")) for each in views)


def _views(cuda: Cuda, flags: Sequence[str]) -> Iterator[KernelView]:
    """The views that there are, of all instances of templates."""
    options = PreprocessOptions(("cc",), tuple(flag for flag in flags if not flag.startswith("-std=")))
    for item in cuda.kernels:
        try:
            yield from [
                view(cuda, item, arguments, options, as_written=True) for arguments in launched_instances(cuda, item)
            ]
        except NoViewError:
            continue


def _functions(text: str) -> dict[str, str]:
    """The functions of a PTX text by name, with registers and labels numbered in the order of their uses.

    A kernel comes with the functions that it names, and they with those that they name.
    """
    bodies = {found[2]: found[3] for found in _FUNCTION.finditer(text)}
    kernels = {found[2] for found in _FUNCTION.finditer(text) if found[1] == "entry"}
    return {name: "\n".join(_reached(name, bodies)) for name in kernels}


def _reached(name: str, bodies: dict[str, str]) -> Iterator[str]:
    seen, waiting = {name}, [name]
    while waiting:
        body = bodies[waiting.pop()]
        yield _numbered(body)
        found = [word for word in dict.fromkeys(re.findall(r"[\w$]+", body)) if word in bodies and word not in seen]
        seen.update(found)
        waiting += found


def _numbered(body: str) -> str:
    numbers = count()
    known: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        return known.setdefault(found[0], f"{found[0].rstrip('0123456789')}#{next(numbers)}")

    text = _UNSEEN.sub("", body).replace("barrier.sync", "bar.sync")
    return "\n".join(line.strip() for line in _NUMBERED.sub(name, text).splitlines() if line.strip())


def _ran(invocation: Invocation, texts: Sequence[str], kernels: set[str]) -> dict[str, str]:
    """What the first launch of each kernel leaves in memory by both texts."""
    modules = [parse(SourceFile(f"{invocation.name} as PTX", text)) for text in texts]
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        built = build_cuda(invocation.name, Options(preprocessor=invocation.flags), Path(folder), capture=True)
        for kernel in sorted(kernels):
            captured = run_once(built, invocation, kernel).captured
            if captured is None:
                continue
            try:
                usual, other = (execute(module, in_module(captured, module).launch) for module in modules)
            except CompileError as error:
                found[kernel] = f"it does not run: {error.diagnostics[0].message}"
                continue
            is_same = [each.data for each in usual] == [each.data for each in other]
            found[kernel] = "same memory" if is_same else "other memory"
    return found
