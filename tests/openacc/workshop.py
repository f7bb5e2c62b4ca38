"""Translates, builds and runs whole C programs, each once a session however many tests look at it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace

from accache.base.options import Options
from accache.cpu.build import Program, build
from accache.cpu.run import RunResult, run
from accache.driver import Translation, translate, translate_pairs

# the folder of the header all programs share
_INCLUDE = f"-I{Path(__file__).parent / 'programs'}"
_EXPECTED = re.compile(r"/[/*]\s*auto:\s*([^*\n]*)")


@dataclass(frozen=True)
class Expected:
    """What must become of a subarray, by the comment beside it; ``scope`` and ``code`` may be empty."""

    line: int
    method: str
    scope: str = ""
    code: str = ""
    text: str = ""


@dataclass
class Workshop:
    """Keeps what was made of each program; ``folder`` is for this session only.

    With ``tune`` off, tiles that save loads are taken whether they pay or not, and threads have one iteration each.
    """

    folder: Path
    tune: str = "off"
    made: dict[object, object] = field(default_factory=dict)

    def translation(self, source: Path, options: Options) -> Translation:
        """What accache makes of a program."""
        key = ("translation", source, options)
        if key not in self.made:
            flags = (_INCLUDE, *options.preprocessor)
            self.made[key] = translate(str(source), replace(options, preprocessor=flags, tune=self.tune))
        found = self.made[key]
        assert isinstance(found, Translation)
        return found

    def distinct(self, source: Path, choices: Sequence[Options]) -> list[Options]:
        """One choice for each different emission of a program."""
        pairs = translate_pairs(str(source), [replace(item, preprocessor=(_INCLUDE,), tune="off") for item in choices])
        return list(dict(zip(pairs, choices, strict=True)).values())

    def program(self, source: Path, options: Options, *, check: bool) -> Program:
        """The translated program, built for the CPU."""
        key = ("program", source, options, check)
        if key not in self.made:
            translation = self.translation(source, options)
            directory = self.folder / f"{len(self.made)}-{source.stem}"
            flags = ("-std=gnu11", _INCLUDE, *options.preprocessor)
            pair = translation.device, translation.host
            self.made[key] = build(*pair, directory, check=check, optimise="-O1", host_flags=flags)
        found = self.made[key]
        assert isinstance(found, Program)
        return found

    def run(
        self, source: Path, options: Options, arguments: tuple[str, ...] = (), *, check: bool = True, seed: int = 0
    ) -> RunResult:
        """Run a translated program."""
        return run(self.program(source, options, check=check), arguments, seed=seed, workers=2, timeout=120)

    def notices(self, source: Path, options: Options, arguments: tuple[str, ...] = ()) -> list[str]:
        """What ACCACHE_NOTIFY=1 says of a run."""
        program = self.program(source, options, check=True)
        done = run(program, arguments, environment={"ACCACHE_NOTIFY": "1"}, timeout=120)
        return done.stderr.splitlines()

    def sequential(self, source: Path, arguments: tuple[str, ...] = ()) -> str:
        """What the program prints when a C compiler ignores its directives."""
        executable = self.folder / f"{source.stem}.sequential"
        if source not in self.made:
            flags = ("-std=gnu11", "-O0", "-ffp-contract=off", "-w", _INCLUDE)
            subprocess.run(["gcc", *flags, source, "-o", executable, "-lm"], check=True)
            self.made[source] = executable
        done = subprocess.run([executable, *arguments], capture_output=True, text=True, check=True, timeout=120)
        return done.stdout

    def same(self, source: Path, options: Options, arguments: tuple[str, ...] = (), *, seed: int = 0) -> None:
        """Assert that a translated program ends well, prints what the sequential one prints, and has no findings."""
        result = self.run(source, options, arguments, seed=seed)
        assert result.stdout.splitlines() == self.sequential(source, arguments).splitlines(), result.stderr
        assert result.returncode == 0, result.stderr
        assert [str(found) for found in result.findings] == []


def expectations(source: Path) -> list[Expected]:
    """The ``auto: METHOD SCOPE CODE TEXT, ...`` comments of a program, in order."""
    found = []
    for number, line in enumerate(source.read_text().splitlines(), 1):
        for match in _EXPECTED.finditer(line):
            for item in match[1].strip().split(", "):
                method, *rest = item.split()
                scope = rest.pop(0) if rest and rest[0] in ("block", "thread") else ""
                code = rest.pop(0) if rest and rest[0].startswith("ACC") else ""
                found.append(Expected(number, method, scope, code, " ".join(rest)))
    return found


def make_workshop(factory: pytest.TempPathFactory, tune: str = "off") -> Workshop:
    """A workshop, or a skipped test where there is no compiler."""
    if not shutil.which("g++") or not shutil.which("gcc"):
        pytest.skip("needs gcc and g++")
    return Workshop(factory.mktemp("programs"), tune)
