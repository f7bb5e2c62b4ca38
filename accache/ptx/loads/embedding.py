"""Compile CUDA programs with nvcc's own steps, and change the PTX between two of them."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import Template

from accache.base.compilers import rejected
from accache.base.diagnostics import CompileError, Reporter
from accache.base.environment import plain_english
from accache.base.progress import working
from accache.base.text import Location

Edit = Callable[[Path], None]
_STEP = re.compile(r"^#\$ (.*)$", re.M)
_SETTING = re.compile(r"(\w+)=(.*)")
_ERROR = re.compile(r"^(.+?)\((\d+)\): error:? (.*)$", re.M)


def compile_to_ptx(arguments: Sequence[str], target: Path, purpose: str) -> None:
    """Let nvcc write the PTX of a program with the lines of its source; ``arguments`` are nvcc's, without -o.

    Raises:
        CompileError: nvcc is not there (``purpose`` needs it), or rejects the program.
    """
    _run([_nvcc(purpose), "-ptx", "-lineinfo", *arguments, "-o", str(target)])


def compile_to_cubin(arguments: Sequence[str], target: Path, purpose: str) -> None:
    """Let nvcc write the machine code of a program or of PTX, with the lines of its source; raises as above."""
    _run([_nvcc(purpose), "-cubin", "-lineinfo", *arguments, "-o", str(target)])


def rebuild(arguments: Sequence[str], target: Path, edit: Edit, purpose: str) -> int:
    """Compile and link a program as nvcc does, and let ``edit`` change each file of PTX once it is written.

    ``arguments`` are those of nvcc, without -o and with any number of architectures. nvcc tells its steps without
    taking them, and they are taken here. Returns how many files of PTX there were.

    Raises:
        CompileError: nvcc is not there (``purpose`` needs it), it or one of its steps rejects the program, or there is
            no PTX on the way, or its steps cannot be told from each other; also what ``edit`` raises.
    """
    for word in (*arguments, str(target)):
        if "\n" in word or ('"' in word and not word.startswith("-")):  # nvcc does not quote these
            raise Reporter().fail("ACC606", name=repr(word))
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        keep = ["--keep", "--keep-dir", folder, "--dryrun", "-lineinfo"]
        plan = _run([_nvcc(purpose), *keep, *arguments, "-o", str(target)])
        return _replay(_STEP.findall(plan), edit)


def _replay(steps: Sequence[str], edit: Edit) -> int:
    """Take the steps of nvcc; returns how many of them wrote PTX.

    A step sets a variable for later ones, removes a file, which does no harm to leave out, or is a command, in which a
    shell would find no more than words: names of files may have anything else in them.
    """
    environment = plain_english()
    edited = 0
    for step in steps:
        if setting := _SETTING.fullmatch(step):
            environment[setting[1]] = setting[2].strip()
        elif not step.startswith("rm "):
            words = _words(step, environment)
            _take(words, environment)
            if words[-2:-1] == ["-o"] and words[-1].endswith(".ptx"):
                edit(Path(words[-1]))
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
    with working("waiting for nvcc"):
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, env=plain_english()
        )
    if done.returncode:
        raise _rejected(done.stderr or done.stdout)
    return done.stderr


def _words(step: str, environment: Mapping[str, str]) -> list[str]:
    """The words of a command as nvcc quotes them; only the name of the tool has variables.

    >>> _words('"$PLACE/cicc" --std "a $(b).cu" -o "a $(b).ptx" ', {"PLACE": "/nvvm/bin"})
    ['/nvvm/bin/cicc', '--std', 'a $(b).cu', '-o', 'a $(b).ptx']
    """
    try:
        tool, *words = shlex.split(step)
    except ValueError as error:
        raise Reporter().fail("ACC606", name=step) from error
    return [Template(tool).safe_substitute(environment), *words]


def _take(command: Sequence[str], environment: Mapping[str, str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, env=dict(environment)
        )
    except OSError as error:
        raise _rejected(f"error: {command[0]}: {error.strerror}") from error
    if done.returncode:
        raise _rejected(done.stderr or done.stdout)
