"""What this machine has of the tools that accache can use, and what each of them makes possible."""

from __future__ import annotations

import platform
import re
import shlex
import shutil
import subprocess
from importlib import metadata

from msgspec import Struct

from accache.base.environment import plain_english
from accache.base.store import advice_against, cache_folder

TIMEOUT = 20  # seconds a tool may take to tell its version


class Finding(Struct, frozen=True):
    """One tool: what it enables, and its version and place or, where it is missing, how to get it."""

    name: str
    enables: str
    found: bool
    detail: str
    required: bool = False


# name on PyPI, what it enables
EXTRAS = (
    ("nvidia-cuda-nvrtc", "compile kernels to PTX where there is no nvcc"),
    ("nvidia-cuda-nvcc", "compile for an NVIDIA GPU without the CUDA toolkit"),
    ("nvidia-cuda-cuobjdump", "look at the machine code of compiled kernels"),
)


def examine(cc: str = "cc", cxx: str = "g++") -> tuple[Finding, ...]:
    """Look at this machine, most needed tool first; ``cc`` and ``cxx`` are commands, flags allowed."""
    python = f"{platform.python_version()}, {platform.system()} {platform.machine()}"
    return (
        Finding("Python", "run accache", True, python, True),
        _tool("C compiler", cc, "read C, and compile host code", "install gcc, or set CC", required=True),
        _tool("C++ compiler", cxx, "run translated programs on this CPU, checked", "install g++"),
        _tool(
            "nvcc",
            "nvcc",
            "compile for an NVIDIA GPU, and to PTX for run --ptx",
            "install the CUDA toolkit; --target cpu does without",
        ),
        _gpu(),
        _cache(),
        *(_extra(name, enables) for name, enables in EXTRAS),
    )


def healthy(findings: tuple[Finding, ...]) -> bool:
    """Whether everything is there that accache cannot do without."""
    return all(finding.found for finding in findings if finding.required)


def as_text(findings: tuple[Finding, ...]) -> str:
    """A line a tool: yes or no, the name, what was found; below it what the tool is for."""
    width = max(len(finding.name) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{'yes' if finding.found else 'no':>3}  {finding.name:<{width}}  {finding.detail}")
        lines.append(f"{'':{width + 7}}to {finding.enables}")
    return "\n".join(lines) + "\n"


def _tool(name: str, command: str, enables: str, advice: str, *, required: bool = False) -> Finding:
    try:
        words = shlex.split(command)
    except ValueError:  # half a quotation
        words = []
    path = shutil.which(words[0]) if words else None
    version = _output(path, *words[1:], "--version") if path else None
    if path is None or version is None:
        return Finding(name, enables, False, f"'{command}' not found: {advice}", required)
    return Finding(name, enables, True, f"{_version(version)} ({path})", required)


def _gpu() -> Finding:
    listing = _output("nvidia-smi", "--query-gpu=name,compute_cap", "--format=csv,noheader")
    gpus = [line.strip() for line in (listing or "").splitlines() if line.strip()]
    detail = "; ".join(gpus) or "none found: accache run --target cpu does without"
    return Finding("NVIDIA GPU", "run translated programs at full speed", bool(gpus), detail)


def _cache() -> Finding:
    folder = cache_folder()
    advice = advice_against(folder)
    enables = "keep what was compiled for the next call; accache cache tells how much that is"
    return Finding("cache folder", enables, advice is None, advice or str(folder))


def _extra(name: str, enables: str) -> Finding:
    try:
        return Finding(name, enables, True, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Finding(name, enables, False, f"optional: pip install {name}")


def _output(*command: str) -> str | None:
    """What a command prints; None where it cannot be run or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT, env=plain_english())
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def _version(text: str) -> str:
    """The line of a --version text that has the version in it."""
    lines = [line.strip() for line in text.splitlines() if re.search(r"\d+\.\d+", line)]
    release = [line for line in lines if "release" in line]
    return (release or lines or ["version unknown"])[0]
