"""Compile CUDA programs with nvcc's own steps, and change the PTX between two of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from accache.compilers import rejected
from accache.diagnostics import CompileError, Reporter
from accache.environment import plain_english
from accache.text import Location

Edit = Callable[[Path], None]
_STEP = re.compile(r"^#\$ (.*)$", re.M)
_SETTING = re.compile(r"(\w+)=(.*)")
_ERROR = re.compile(r"^(.+?)\((\d+)\): error:? (.*)$", re.M)
_PTX = re.compile(r'\s-o\s+"?([^"]+\.ptx)"?\s*$')


def compile_to_ptx(arguments: Sequence[str], target: Path, purpose: str) -> None:
    """Let nvcc write the PTX of a program with the lines of its source; ``arguments`` are nvcc's, without -o.

    Raises:
        CompileError: nvcc is not there (``purpose`` needs it), or rejects the program.
    """
    _run([_nvcc(purpose), "-ptx", "-lineinfo", *arguments, "-o", str(target)])


def rebuild(arguments: Sequence[str], target: Path, edit: Edit, purpose: str) -> int:
    """Compile and link a program as nvcc does, and let ``edit`` change each file of PTX once it is written.

    ``arguments`` are those of nvcc, without -o and with any number of architectures. nvcc tells its steps without
    taking them, and they are taken here. Returns how many files of PTX there were.

    Raises:
        CompileError: nvcc is not there (``purpose`` needs it), it or one of its steps rejects the program, or there is
            no PTX on the way; also what ``edit`` raises.
    """
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        keep = ["--keep", "--keep-dir", folder, "--dryrun", "-lineinfo"]
        plan = _run([_nvcc(purpose), *keep, *arguments, "-o", str(target)])
        return _replay(_STEP.findall(plan), edit)


def _replay(steps: Sequence[str], edit: Edit) -> int:
    """Take the steps of nvcc; returns how many of them wrote PTX.

    A step sets a variable for later ones, removes a file, which does no harm to leave out, or is a command for a shell.
    """
    environment = plain_english()
    edited = 0
    for step in steps:
        if setting := _SETTING.fullmatch(step):
            environment[setting[1]] = setting[2].strip()
        elif not step.startswith("rm "):
            _shell(step, environment)
            if written := _PTX.search(step):
                edit(Path(written[1]))
                edited += 1
    if not edited:
        raise Reporter().fail("ACC962")
    return edited


def _nvcc(purpose: str) -> str:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise Reporter().fail("ACC601", tool="nvcc", purpose=purpose)
    return nvcc


def _rejected(output: str) -> CompileError:
    """What nvcc, or a tool that it calls, has against a program."""
    if found := _ERROR.search(output):
        return Reporter().fail("ACC602", Location(found[1], int(found[2]), 0), reason=found[3], hint="")
    return rejected(output)


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env=plain_english())
    if done.returncode:
        raise _rejected(done.stderr or done.stdout)
    return done.stderr


def _shell(command: str, environment: dict[str, str]) -> None:
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, errors="replace", check=False, env=environment
    )
    if done.returncode:
        raise _rejected(done.stderr or done.stdout)
