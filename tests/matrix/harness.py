"""Translate, build and run; many programs go into one executable, since most of a build is the same for all."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

from msgspec.structs import asdict, replace

from accache.base.diagnostics import CompileError, Diagnostic
from accache.base.options import Options
from accache.cpu.build import Program as Executable
from accache.cpu.build import build
from accache.cpu.kept import library_sources
from accache.cpu.run import RunResult, run
from accache.cpu.toolchain import ToolError, call
from accache.driver import translate, translate_pairs
from accache.emit.host.sequential import Sequential
from accache.workflows.comparison import run_beside
from matrix.builder import Program

SEEDS = 5
TIMEOUT = 120
FLAGS = ("-std=gnu11", "-O1", "-fno-ivopts", "-ffp-contract=off", "-w")
"""With its choice of induction variables gcc 12 finds no store in ``a[300 + 2*i] -= a[297 - 2*i]``, and drops calls."""
BOUND = 1e-6
"""How far floating-point numbers may be from those of the sequential program, where sums are in another order."""
LIBRARY = tuple(path.read_text() for path in library_sources())
MAIN = """
int main(int argc, char **argv)
{{
    static int (*const programs[])(int, char **) = {{ {0} }};
    return programs[atoi(argv[1])](argc - 1, argv + 1);
}}
"""


@dataclass(frozen=True)
class Case:
    """A program and the options to translate it with."""

    program: Program
    options: Options

    def __str__(self) -> str:
        return f"{self.program.name} ({label(self.options)})"


def choices(program: Program) -> list[Options]:
    """Every combination of options that can matter to a program."""
    ways = (("2", "on"), ("4x2", "off"), ("2x4", "on"), ("4x1x1", "off"))
    coarse = [Options(method="none", coarsen=factors, wide=wide) for factors, wide in ways]
    if not program.cached:
        return [Options(), *coarse]
    writes = ("auto", "back", "through") if program.writes else ("auto",)
    found = [Options(tune="off", method="none"), *coarse]
    lines = (("auto", 2), ("16", 5), ("32", 1), ("16", 0))
    found += [Options(method="private", private_line=line, private_calls=calls) for line, calls in lines]
    found.append(Options(method="private", private_line="16", private_calls=5, split_slices=True))
    if program.by_lines:
        return found
    found += [
        Options(tune="off", method="ehc", write=write, ehc_entries=entries, ehc_ways=ways)
        for write, (entries, ways) in product(writes, ((8, 1), (8, 2), (3, 3), (1, 1)))
    ]
    found += [Options(tune="off", method="registers", write=write) for write in writes]
    shared = (("4", "on"), ("2x2", "on"), ("2x4", "off"), ("8", "auto"))  # tiles for all iterations of a block
    found += [Options(method="rbi", coarsen=factors, wide=wide) for factors, wide in shared]
    found += [Options(), *(Options(tune="off", method="auto", write=write) for write in writes)]
    # auto leaves out tiles that save nothing, so every way of sharing is tried with methods that are asked for
    tiles = [("rbc", False), ("rbi", False), *([("rbi", True)] if program.in_range else [])]
    for (method, trust), write in product(tiles, writes):
        base = Options(tune="off", method=method, trust_range=trust, write=write)
        found.append(replace(base, sharing=False))
        widths, scopes = ("auto", "kernel-args", "sync", "fixed"), ("auto", "private", "communicating")
        found += [replace(base, width=width, scope=scope) for width, scope in product(widths, scopes)]
    return found


def label(options: Options) -> str:
    """What differs from the defaults, as on the command line."""
    plain = Options()
    parts = [f"{name}={value}" for name, value in asdict(options).items() if value != getattr(plain, name)]
    return " ".join(parts) or "default"


@dataclass(frozen=True)
class Translated:
    """A case and its translation, its names made unique in a batch; the run-time library stands apart.

    ``sequential`` is what to compare it with while it runs, if that was asked for.
    """

    case: Case
    device: str
    host: str
    library: str
    sequential: Sequential | None = None


class Batch:
    """Cases in one executable, beside another one that holds the same programs as plain C."""

    def __init__(self, folder: Path, cases: Sequence[Case], *, distinct: bool = False, comparing: bool = False) -> None:
        """Translate the cases; those with a message instead of a translation are in ``failures``.

        ``distinct`` leaves out what is translated to the same text as a case before it. ``comparing`` makes each run
        under --compare, too.
        """
        self.folder = folder
        self.comparing = comparing
        self.failures: list[str] = []
        self.members: list[Translated] = []
        self.outputs: dict[tuple[str, int], str] = {}
        self.hosts: dict[str, Path] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for program in dict.fromkeys(case.program for case in cases):
            self._translate(program, [case for case in cases if case.program == program], distinct)

    def _translate(self, program: Program, cases: Sequence[Case], distinct: bool) -> None:
        source = self.folder / f"{program.name}.c"
        source.write_text(program.text)
        seen: set[tuple[str, str]] = set()
        for number, (case, pair) in enumerate(zip(cases, self._pairs(source, cases), strict=True)):
            if isinstance(pair, CompileError):
                self.failures.append(f"{case}: {pair}")
            elif not distinct or pair not in seen:
                seen.add(pair)
                sequential = _sequential(source, case.options) if self.comparing else None
                self.members.append(_renamed(case, *pair, f"{program.name}v{number}", sequential))

    def _pairs(self, source: Path, cases: Sequence[Case]) -> Sequence[tuple[str, str] | CompileError]:
        try:
            return translate_pairs(str(source), [case.options for case in cases])
        except CompileError as error:
            return [error] * len(cases)

    def device_text(self) -> str:
        """The kernels of all members as one .cu text."""
        return _device_text(self.members)

    def differences(self, *, check: bool = False) -> list[str]:
        """What went wrong in any run of any member, if ``check`` under the checker; empty if all is well."""
        if not self.members:
            return list(self.failures)
        try:
            executable = self._build(self.members, check)
        except ToolError as error:
            return self.failures + (self._one_by_one(check) or [f"only all together: {error.output[:800]}"])
        wrong = list(self.failures)
        for number, member in enumerate(self.members):
            wrong += self._runs(executable, number, member)
        return wrong

    def host_object(self) -> Path:
        """The host's code of all members: its first argument is the number of the member to run."""
        return self._host(self.members)

    def _build(self, members: Sequence[Translated], check: bool) -> Executable:
        device = _device_text(members)
        if not self.comparing:
            return build(device, None, self.folder, check=check, optimise="-O1", objects=[self._host(members)])
        return build(
            device,
            _joined([member.host for member in members]),
            self.folder,
            check=check,
            optimise="-O1",
            host_flags=FLAGS,
            sequential_text=_joined([member.sequential.host for member in members if member.sequential is not None]),
        )

    def _host(self, members: Sequence[Translated]) -> Path:
        """The host's code, compiled once for a run and a check."""
        text = _joined([member.host for member in members])
        if text not in self.hosts:
            source = self.folder / f"host{len(self.hosts)}.c"
            source.write_text(text)
            self.hosts[text] = source.with_suffix(".o")
            call(("gcc", *FLAGS, "-fno-pie", "-c", source, "-o", self.hosts[text]))
        return self.hosts[text]

    def _one_by_one(self, check: bool) -> list[str]:
        """Which members a compiler refuses."""
        wrong = []
        for member in self.members:
            try:
                self._build([member], check)
            except ToolError as error:
                wrong.append(f"{member.case}: {error.output[:800]}")
        return wrong

    @cached_property
    def _plain(self) -> tuple[Path, dict[str, int]]:
        """The programs without OpenACC in one executable, and the number of each."""
        programs = list(dict.fromkeys(member.case.program for member in self.members))
        texts = [_rename_main(program.text, program.name) for program in programs]
        source, target = self.folder / "plain.c", self.folder / "plain"
        source.write_text("\n".join([*texts, MAIN.format(", ".join(f"{program.name}_main" for program in programs))]))
        call(("gcc", *FLAGS, source, "-o", target, "-lm"))
        return target, {program.name: number for number, program in enumerate(programs)}

    def _expected(self, program: Program, seed: int) -> str:
        if (program.name, seed) not in self.outputs:
            plain, numbers = self._plain
            command = [plain, str(numbers[program.name]), *map(str, program.runs[seed]), str(seed)]
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT)
            self.outputs[program.name, seed] = done.stdout
        return self.outputs[program.name, seed]

    def _runs(self, executable: Executable, number: int, member: Translated) -> list[str]:
        """Run one member with every size, each with another seed for data and for the order of threads."""
        case = member.case
        wrong = []
        for seed, sizes in enumerate(case.program.runs):
            arguments = (*map(str, sizes), str(seed))
            where = f"{case}, arguments {' '.join(arguments)}"
            try:
                result, differences = _run(executable, member, (str(number), *arguments), seed % SEEDS)
            except subprocess.TimeoutExpired:
                wrong.append(f"{where}: does not end")
                break
            expected = self._expected(case.program, seed)
            if result.returncode not in (0, 3):
                wrong.append(f"{where}: exit status {result.returncode}: {result.stderr[-400:]}")
            elif not same(result.stdout, expected):
                wrong.append(f"{where}: printed\n{result.stdout[:600]}instead of\n{expected[:600]}")
            wrong += [f"{where}: {finding}" for finding in (*result.findings[:2], *differences)]
        return wrong


def _sequential(source: Path, options: Options) -> Sequential:
    """What a translation is compared with while it runs."""
    made = translate(str(source), options).sequentially
    assert made is not None, "it has no directives"
    return made()


def _run(
    executable: Executable, member: Translated, arguments: Sequence[str], seed: int
) -> tuple[RunResult, tuple[Diagnostic, ...]]:
    """Run one member of a batch, beside the sequential program if there is one; how it ended, and how it differs."""
    if member.sequential is None:
        return run(executable, arguments, seed=seed, timeout=TIMEOUT), ()
    bound = BOUND if "~" in member.case.program.text else 0.0
    return run_beside(
        executable, member.sequential, bound, arguments, seed=seed, capture=True, stdin="", timeout=TIMEOUT
    )


def _joined(hosts: Sequence[str]) -> str:
    """The host's code of several members: its first argument is the number of the one to run."""
    return "\n".join([*hosts, MAIN.format(", ".join(_main_of(host) for host in hosts))])


def _device_text(members: Sequence[Translated]) -> str:
    """The kernels of some members, and the run-time library once."""
    libraries = {member.library for member in members}
    assert len(libraries) == 1
    return "\n".join([*(member.device for member in members), *libraries])


def _renamed(case: Case, host: str, device: str, name: str, sequential: Sequential | None = None) -> Translated:
    """The translation under another name, so that several of one program go into one file."""
    pattern = re.compile(rf"\b{case.program.name}(?![0-9A-Za-z])")

    def renamed_host(text: str) -> str:
        return _rename_main(pattern.sub(name, text), name)

    # each file defines for itself what its atomic updates need
    start = min(device.index(part) for part in LIBRARY if part in device)
    kernels = re.sub(r"\baccache_(atomic_\w+|bits)\b", rf"accache_\1_{name}", device[:start])
    beside = replace(sequential, host=renamed_host(sequential.host)) if sequential is not None else None
    return Translated(case, pattern.sub(name, kernels), renamed_host(host), device[start:], beside)


def _rename_main(text: str, name: str) -> str:
    return text.replace("int main(", f"int {name}_main(")


def _main_of(host: str) -> str:
    found = re.search(r"\w+_main(?=\()", host)
    assert found
    return found.group()


def same(printed: str, expected: str) -> bool:
    """Whether two outputs agree: bit by bit, or within the tolerance that a line ``NAME value ~tolerance`` allows."""
    ours, theirs = printed.splitlines(), expected.splitlines()
    return len(ours) == len(theirs) and all(map(_same_line, ours, theirs))


def _same_line(ours: str, theirs: str) -> bool:
    if ours == theirs or "~" not in theirs:
        return ours == theirs
    name, value, tolerance = theirs.split()
    other_name, other_value, _ = ours.split()
    return name == other_name and abs(float(value) - float(other_value)) <= float(tolerance[1:])
