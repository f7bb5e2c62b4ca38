"""CUDA C++ programs as they are written: the file, its own headers, and what of them a CPU cannot run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from accache.base.diagnostics import Reporter
from accache.base.text import SourceFile, Span, read_source_file, without_mark
from accache.cpu.assembly import ptx_statements
from accache.cpu.tokens import Token, tokenise
from accache.cpu.toolchain import INCLUDE

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"(?P<quoted>[^"\n]+)"|<(?P<angled>[^>\n]+)>)', re.M)
# Headers of CUDA that the run on a CPU lacks, by how their names begin, and what they are for.
_HEADERS = (
    (("cooperative_groups/",), "these cooperative groups"),
    (("thrust/",), "Thrust"),
    (("cub/",), "CUB"),
    (("cuda/", "nv/"), "this part of libcu++"),
    (("cublas", "cufft", "curand", "cusparse", "cusolver", "cudnn", "nccl", "npp"), "this library of CUDA"),
    (("mma.h",), "tensor cores"),
    (("cuda_fp8", "cuda_fp6", "cuda_fp4"), "this type of CUDA"),
    (("cuda_pipeline", "cuda_awbarrier"), "asynchronous copies"),
    (("cudaGL.h", "cuda_gl_interop.h", "cuda_egl", "cuda_vdpau"), "graphics"),
    (("nvrtc.h",), "compilation at run time"),
)
_NAMES = (
    (re.compile(r"texture|tex[123]D(?:fetch|Lod|Grad|Layered)?|tex1Dfetch"), "textures"),
    (re.compile(r"surface|surf[123]D(?:read|write)|cuda(?!Error)\w*Surface\w*"), "surfaces"),
    (re.compile(r"cuda(?!Error)\w*(?:Texture|Array)\w*"), "textures"),
    (re.compile(r"cudaGraph\w*|cudaStreamBeginCapture|cudaStreamEndCapture"), "graphs of launches"),
    (re.compile(r"cudaLaunchCooperativeKernelMultiDevice|cudaLaunchKernelEx\w*"), "this kind of launch"),
    (re.compile(r"cuModule\w+|cuLaunchKernel\w*|cuMem\w+|cuCtx\w+|cuInit"), "the driver's interface"),
    (re.compile(r"cudaIpc\w+|cudaImportExternal\w+"), "memory of other processes"),
    (re.compile(r"wmma|__cluster_dims__"), "this feature of newer GPUs"),
)
_WORD = re.compile(r"\w+")
_TEXTURE = ("texture", "surface")  # ordinary names, too: they are templates of CUDA before a <


@dataclass(frozen=True)
class CudaProgram:
    """A CUDA C++ file with the headers it includes from the user's folders, each by its absolute path."""

    path: Path
    source: SourceFile
    headers: tuple[tuple[Path, SourceFile], ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all files."""
        return (self.source.text, *(source.text for _, source in self.headers))


def read_program(source: SourceFile, folders: Sequence[Path]) -> CudaProgram:
    """A CUDA C++ program; ``folders`` are where the user looks for headers.

    Raises CompileError (ACC101) for a header that cannot be read.
    """
    source = without_mark(source)
    path = Path(source.name).absolute()
    found: dict[Path, SourceFile] = {}
    waiting = [(path, source)]
    while waiting:
        place, text = waiting.pop()
        for name, is_quoted in _included(text):
            header = _find(name, (*((place.parent,) if is_quoted else ()), *folders))
            if header and header != path and header not in found:
                found[header] = _read(header)
                waiting.append((header, found[header]))
    return CudaProgram(path, source, tuple(sorted(found.items())))


def report_lacking(program: CudaProgram, output: str, reporter: Reporter) -> None:
    """Report (ACC950) the headers of CUDA in a program that a run on a CPU does not have, and a name of each such kind.

    This tells why a compiler does not take it. If its ``output`` names none of them, nothing is reported: a program may
    define some itself, and where they stand in code that is left out they do no harm.
    """
    lacking = Reporter()
    is_named, told = False, set[str]()
    said = "\n".join(line for line in output.splitlines() if "error:" in line)  # the others quote the program
    words = set(_WORD.findall(said))
    for source in (program.source, *(header for _, header in program.headers)):
        for found in _INCLUDE.finditer(source.text):
            name = found["quoted"] or found["angled"]
            if (INCLUDE / name).is_file():
                continue
            for beginnings, what in _HEADERS:
                if name.startswith(beginnings):
                    is_named = is_named or name in said
                    lacking.report("ACC950", source.locate(Span(*found.span())), name=f"<{name}>", what=what)
        tokens = tokenise(source.text)
        for position, token in enumerate(tokens):
            what = _only_on_gpus(tokens, position) if token.is_name else ""
            is_named = is_named or (bool(what) and token.text in words)
            if what and what not in told:
                told.add(what)
                place = source.locate(Span(token.start, token.end))
                lacking.report("ACC950", place, name=token.text, what=what)
        for start, end, text in _unknown_assembly(source, tokens, output, has_errors=bool(said)):
            is_named = True
            lacking.report("ACC948", source.locate(Span(start, end)), text=text)
    reporter.include(lacking.diagnostics if is_named else ())


def _unknown_assembly(
    source: SourceFile, tokens: tuple[Token, ...], output: str, *, has_errors: bool
) -> list[tuple[int, int, str]]:
    """The assembly of a file that has no C++, and that a compiler's ``output`` is about.

    Assemblers say "Error:", and only where a compiler has no errors. What neither names is meant if the other has none.
    """
    name = re.escape(Path(source.name).name)
    lines = re.findall(rf"{name}:(\d+):.*\b[Ee]rror:", output)
    named: list[tuple[int, int, str]] = []
    unnamed: list[tuple[int, int, str]] = []
    for statement in ptx_statements(source.text, tokens):
        if statement.code is None:
            start, end = tokens[statement.first].start, tokens[statement.last].end
            first, last = (source.text.count("\n", 0, place) + 1 for place in (start, end))
            is_named = any(first <= int(line) <= last for line in lines)
            (named if is_named else unnamed).append((start, end, statement.text))
    return named if named or has_errors else unnamed


def _included(source: SourceFile) -> list[tuple[str, bool]]:
    """The headers a file names, and whether it does so in quotes."""
    return [(found["quoted"] or found["angled"], bool(found["quoted"])) for found in _INCLUDE.finditer(source.text)]


def _find(name: str, folders: Sequence[Path]) -> Path | None:
    for folder in folders:
        path = Path(folder).absolute() / name
        if path.is_file():
            return path
    return None


def _read(path: Path) -> SourceFile:
    try:
        return without_mark(read_source_file(str(path)))
    except OSError as error:
        raise Reporter().fail("ACC101", name=str(path), reason=error.strerror or error) from error


def _only_on_gpus(tokens: tuple[Token, ...], position: int) -> str:
    """What a name is for that only a GPU has; empty for all others."""
    name = tokens[position].text
    following = tokens[position + 1].text if position + 1 < len(tokens) else ""
    what = next((what for pattern, what in _NAMES if pattern.fullmatch(name)), "")
    if what and (name in _TEXTURE or name.startswith(("tex", "surf"))) and following not in ("<", "("):
        return ""
    return what
