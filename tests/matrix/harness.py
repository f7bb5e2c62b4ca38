"""Translate, build and run: one build for each program and options, kept for all sizes and seeds."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from accache.cpu.build import Program as Executable
from accache.cpu.build import build
from accache.cpu.run import run
from accache.driver import Translation, translate
from accache.options import Options
from matrix.builder import Program

SEEDS = range(5)
TIMEOUT = 60


def choices(program: Program) -> list[Options]:
    """Every combination of options that can matter to a program."""
    if not program.cached:
        return [Options()]
    writes = ("auto", "back", "through") if program.writes else ("auto",)
    ways = [("auto", False), ("rbc", False), *([("rbi", True)] if program.in_range else [("rbi", False)])]
    found = [Options(method="none")]
    found += [
        Options(method="ehc", write=write, ehc_entries=entries, ehc_ways=ways)
        for write, (entries, ways) in product(writes, ((8, 1), (8, 2), (3, 3), (1, 1)))
    ]
    for (method, trust), write in product(ways, writes):
        base = Options(method=method, trust_range=trust, write=write)
        found.append(replace(base, sharing=False))
        widths, scopes = ("auto", "kernel-args", "sync", "fixed"), ("auto", "private", "communicating")
        found += [replace(base, width=width, scope=scope) for width, scope in product(widths, scopes)]
    return found


def label(options: Options) -> str:
    """What differs from the defaults, for test names."""
    plain = Options()
    parts = [str(value) for name, value in vars(options).items() if value != getattr(plain, name)]
    return "-".join(parts) or "default"


@dataclass
class Harness:
    """Builds in a folder, each distinct text once."""

    folder: Path
    built: dict[str, Executable] = field(default_factory=dict)
    expected: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)

    def translated(self, program: Program, options: Options) -> Translation:
        """The program's translation."""
        source = self.folder / f"{program.name}.c"
        if not source.exists():
            source.write_text(program.text)
        return translate(str(source), options)

    def executable(self, program: Program, options: Options, *, check: bool) -> Executable:
        """The translated program, built for this CPU."""
        translation = self.translated(program, options)
        key = hashlib.sha256(f"{translation.device}\0{translation.host}\0{check}".encode()).hexdigest()[:16]
        if key not in self.built:
            where = self.folder / f"{program.name}-{key}"
            self.built[key] = build(translation.device, translation.host, where, check=check, optimise="-O1")
        return self.built[key]

    def oracle(self, program: Program, arguments: tuple[str, ...]) -> str:
        """What the program prints as plain C."""
        plain = self.folder / f"{program.name}-plain"
        if not plain.exists():
            source = plain.with_suffix(".c")
            source.write_text(program.text)
            command = ["gcc", "-std=gnu11", "-O1", "-ffp-contract=off", "-w", source, "-o", plain, "-lm"]
            subprocess.run(command, check=True)
        if (program.name, arguments) not in self.expected:
            done = subprocess.run([plain, *arguments], capture_output=True, text=True, check=True, timeout=TIMEOUT)
            self.expected[program.name, arguments] = done.stdout
        return self.expected[program.name, arguments]

    def differences(self, program: Program, options: Options, *, check: bool = False) -> list[str]:
        """What went wrong in any of the program's runs; empty if all is well."""
        executable = self.executable(program, options, check=check)
        wrong: list[str] = []
        for number, sizes in enumerate(program.runs):
            arguments = (*map(str, sizes), str(number))
            result = run(executable, arguments, seed=number % len(SEEDS), timeout=TIMEOUT)
            where = " ".join(arguments)
            if result.returncode:
                wrong.append(f"{where}: exit status {result.returncode}: {result.stderr[-500:]}")
            elif not same(result.stdout, self.oracle(program, arguments)):
                wrong.append(f"{where}: printed\n{result.stdout}instead of\n{self.oracle(program, arguments)}")
            wrong += [f"{where}: {finding}" for finding in result.findings[:3]]
        return wrong

    def forget(self, executable: Executable) -> None:
        """Remove a build from the disk."""
        shutil.rmtree(executable.executable.parent, ignore_errors=True)


def same(printed: str, expected: str) -> bool:
    """Whether two outputs agree: bit by bit, or within the tolerance a line ``NAME value ~tolerance`` allows."""
    ours, theirs = printed.splitlines(), expected.splitlines()
    return len(ours) == len(theirs) and all(map(_same_line, ours, theirs))


def _same_line(ours: str, theirs: str) -> bool:
    if ours == theirs or "~" not in theirs:
        return ours == theirs
    name, value, tolerance = theirs.split()
    other_name, other_value, _ = ours.split()
    return name == other_name and abs(float(value) - float(other_value)) <= float(tolerance[1:])
