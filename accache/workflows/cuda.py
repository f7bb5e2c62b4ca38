"""Compile and link translated programs with nvcc, and run them on a GPU."""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from accache.base.compilers import rejected
from accache.base.diagnostics import Reporter
from accache.base.environment import is_notified, plain_english
from accache.base.options import OPENMP, Options
from accache.base.progress import working
from accache.base.resources import headers, templates
from accache.base.store import cache_folder, kept_folder
from accache.cpu.kept import library_sources, without_library

# Kernels may call device routines of other files: -rdc=true, and a device link at the end.
_DEVICE_FLAGS = ("-rdc=true", "-w")
_ARCHIVE = "libaccache.a"
_WRAPPED = ("__cudaRegisterFunction", "__cudaGetKernel", "__cudaLaunchKernel")
TIMER_FLAGS = ("-Xlinker", ",".join(f"--wrap={name}" for name in _WRAPPED))
"""What nvcc needs beside the object file of the launch timer."""
_FAST_MATH = "-use_fast_math"
_LIBRARIES = ("-lcudadevrt", "-lcudart_static", "-lrt", "-ldl")


def build_and_run(
    host: str, device: str, directory: Path, options: Options, *, flags: Sequence[str], arguments: Sequence[str]
) -> int:
    """Compile host C with the C compiler and the rest with nvcc, link, run; the program's exit status.

    Raises CompileError if there is no nvcc, or if a compiler rejects the program.
    """
    program = _build(host, device, directory, options, flags=flags, words=_noting())
    return subprocess.run([program, *arguments], check=False).returncode


def build_timed(host: str, device: str, directory: Path, options: Options, *, flags: Sequence[str]) -> Path:
    """The same program with a timer of launches between it and CUDA's runtime library (``templates/timer``)."""
    timer = directory / "launch_timer.o"
    source = templates() / "timer" / "launch_timer.cu"
    _call([_nvcc("--tune measure"), "-O3", f"-arch={options.arch}", "-c", str(source), "-o", str(timer)], directory)
    return _build(host, device, directory, options, flags=flags, words=(str(timer), *TIMER_FLAGS))


def _build(
    host: str, device: str, directory: Path, options: Options, *, flags: Sequence[str], words: Sequence[str]
) -> Path:
    """Compile and link; ``words`` are further ones for nvcc."""
    nvcc = _nvcc()
    _write(directory / "host.c", host)
    _write(directory / "device.cu", device)
    compiler = shlex.split(options.cc)
    _call([*compiler, "-O2", *flags, "-c", "host.c", "-o", "host.o"], directory)
    libraries = ("-lm", *_as_nvcc_links(options.libraries))
    command = [nvcc, "-O2", f"-arch={options.arch}", *fast_math(options)]
    _call([*command, "device.cu", "host.o", *words, *libraries, "-o", "program"], directory)
    return directory / "program"


def build_and_run_whole(path: Path, directory: Path, options: Options, arguments: Sequence[str]) -> int:
    """Compile a CUDA C++ program as it is, and run it: its exit status. Raises CompileError as the others do."""
    program = directory / "program"
    flags = (*options.preprocessor, str(path), *_as_nvcc_links(options.libraries))
    command = [_nvcc(), "-O2", f"-arch={options.arch}", *fast_math(options), *_noting()]
    _call([*command, *flags, "-o", str(program)], None)
    return subprocess.run([program, *arguments], check=False).returncode


def _noting() -> tuple[str, ...]:
    """Nvcc's word by which blocks of the program note which arrays get lines, if launches are to be told of."""
    return ("-DACCACHE_PRIVATE_NOTIFY",) if is_notified() else ()


def fast_math(options: Options) -> tuple[str, ...]:
    """Nvcc's word for --fast-math, if that is asked for."""
    return (_FAST_MATH,) if options.fast_math else ()


def compile_to_ptx(path: Path, directory: Path, arch: str, flags: Sequence[str]) -> str:
    """The PTX of a CUDA C++ file, with the lines of its source, and with products and sums not contracted.

    Host code may use what older versions of CUDA had: it is not compiled. ``flags`` are the user's own -I, -D, -U and
    -std.
    """
    target = directory / "kernels.ptx"
    removed = templates() / "ptx" / "accache_removed.cuh"
    options = (
        "-ptx",
        f"-arch={arch}",
        "-lineinfo",
        "-fmad=false",
        "-w",
        "--extended-lambda",
        "-include",
        str(removed),
        *kernels_alone(path),
        *flags,
    )
    _call([_nvcc("run --ptx"), *options, str(path), "-o", str(target)], None)
    return target.read_text(encoding="utf-8", errors="surrogateescape")


def kernels_alone(path: str | Path) -> tuple[str, ...]:
    """Options by which nvcc passes over the run-time library that a translated .cu ends with, for half of its time.

    The PTX is the same: kernels need nothing of it. A file without it, or with that of another version, needs none.
    """
    text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    return tuple(f"-D{part.stem.upper()}_CUH" for part in library_sources()) if without_library(text) != text else ()


def known_architectures() -> tuple[str, ...]:
    """The architectures that nvcc makes code for, as ``sm_90``, the lowest first; none if there is no nvcc."""
    nvcc = shutil.which("nvcc")
    told = _call([nvcc, "--list-gpu-code"], None) if nvcc is not None else ""
    return tuple(sorted(re.findall(r"\bsm_\d+\b", told), key=lambda name: int(name.removeprefix("sm_"))))


def compile_verbosely(source: Path, directory: Path, arch: str, purpose: str, *, flags: Sequence[str]) -> str:
    """What ptxas tells of each kernel in a file of PTX or CUDA, for an architecture; ``purpose`` needs nvcc."""
    options = ("-cubin", f"-arch={arch}", "-w", "-Xptxas", "-v", *flags)
    command = [_nvcc(purpose), *options, str(source), "-o", str(directory / "kernels.cubin")]
    return _call(command, None, errors=True)


def reads(path: Path, arch: str, flags: Sequence[str]) -> bool:
    """Whether there is an nvcc that takes a CUDA C++ file; ``flags`` are as for :func:`compile_to_ptx`."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        return False
    command = [nvcc, "-ptx", f"-arch={arch}", "-w", "--extended-lambda", *flags, str(path), "-o", "/dev/null"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def compile_kernels(
    text: str, name: str, directory: Path, flags: Sequence[str], *, arch: str, options: Options
) -> Path:
    """The object file of a .cu text, which messages call ``name``; its kernels await a device link.

    ``flags`` are a C compiler's own -O, -g, -f and -m options, ``options`` those of the translation.
    """
    _write(directory / name, text)
    target = directory / "device.o"
    words = (*_DEVICE_FLAGS, f"-arch={arch}", *fast_math(options), *_as_nvcc_takes(flags))
    _call([_nvcc(), *words, "-c", name, "-o", str(target)], directory)
    return target


def device_link(inputs: Sequence[str], directory: Path, flags: Sequence[str], arch: str) -> Path:
    """The object file that joins the device code of object files and libraries, for the front of the host's link."""
    target = directory / "device_link.o"
    _call([_nvcc(), "-dlink", f"-arch={arch}", *_as_nvcc_takes(flags), *inputs, "-o", str(target)], None)
    return target


def openacc_archive() -> Path:
    """The archive with the run-time library of OpenACC, for kernels that do not carry it; compiled on first use."""
    source, nvcc = headers() / "accache_runtime.cu", _nvcc()
    digest = hashlib.sha256(_call([nvcc, "--version"], None).encode())
    for path in sorted(headers().iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())

    def fill(folder: Path) -> None:
        flags = ("-O2", "-w", "-Xcompiler", "-fPIC", f"-I{headers()}")
        _call([nvcc, *flags, "-c", str(source), "-o", "accache_runtime.o"], folder)
        _call(["ar", "rcsD", _ARCHIVE, "accache_runtime.o"], folder)

    return kept_folder(cache_folder() / "cuda" / digest.hexdigest()[:20], fill) / _ARCHIVE


def libraries() -> tuple[str, ...]:
    """The linker's options for CUDA's runtime library."""
    found = re.search(r"^#\$ LIBRARIES=(.*)$", _call([_nvcc(), "--dryrun", "x.o"], None, errors=True), re.M)
    return (*shlex.split(found[1] if found else ""), *_LIBRARIES)


def _nvcc(purpose: str = "--target cuda") -> str:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise Reporter().fail("ACC601", tool="nvcc", purpose=purpose)
    return nvcc


def _as_nvcc_links(libraries: Sequence[str]) -> tuple[str, ...]:
    """The user's -l and -L for nvcc, which hands -fopenmp on."""
    return tuple(word for flag in libraries for word in (("-Xcompiler", flag) if flag == OPENMP else (flag,)))


def _as_nvcc_takes(flags: Sequence[str]) -> tuple[str, ...]:
    """A C compiler's options in nvcc's words; what nvcc does not know goes to its host compiler."""
    taken: list[str] = []
    for flag in flags:
        if re.fullmatch(r"-O[0-3]|-D.+", flag):
            taken.append(flag)
        elif flag.startswith("-g"):
            taken += ["-g", "-lineinfo"] if flag != "-g0" else []
        else:
            taken += ["-Xcompiler", flag]
    return tuple(taken)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="surrogateescape")


def _call(command: Sequence[str], directory: Path | None, *, errors: bool = False) -> str:
    """Run a tool; what it wrote to standard output or, with ``errors``, to standard error."""
    with working("waiting for nvcc"):
        done = subprocess.run(
            command, cwd=directory, capture_output=True, text=True, errors="replace", check=False, env=plain_english()
        )
    if done.returncode:
        raise rejected(done.stderr)
    return done.stderr if errors else done.stdout
