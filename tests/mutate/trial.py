"""Try mutants: build them with the checker, run them at every size and seed, compare with the plain C program.

Mutants of one emission share a program, as most of the time goes into what surrounds the kernels:
each stands in a namespace of its own, and an environment variable chooses one.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from golden.emissions import Emission, split_device

from accache.cpu.build import Program, build
from accache.cpu.run import RunResult, run
from accache.driver import Translation
from mutate.mutants import Mutant, skip_the_cache

SEEDS = range(5)
TIMEOUT = 20
FLAGS = ("-std=gnu11", "-O1", "-ffp-contract=off", "-w")
STUB = re.compile(r'^extern "C" (void (\w+)\((.*)\))$', re.MULTILINE)
PARAMETER = re.compile(r"\(\*\w*\s*(\w+)\)|(\w+)(?:\[[^\]]*\])*$")
CHOICE = "ACCACHE_TEST_MUTANT"
DISPATCHER = """extern "C" {head}
{{
    static decltype(&version_0::{name}) const versions[] = {{{versions}}};
    versions[atoi(getenv("{choice}"))]({arguments});
}}
"""


@dataclass(frozen=True)
class Outcome:
    """What a run printed and did."""

    result: RunResult | None

    @property
    def traffic(self) -> tuple[int, int]:
        """Global loads and stores of all kernels."""
        totals = [counters.total for counters in self.result.counters] if self.result else []
        return sum(total.global_loads for total in totals), sum(total.global_stores for total in totals)

    def fault(self, expected: str, traffic: tuple[int, int]) -> str:
        """What is wrong, '' if nothing is."""
        if self.result is None:
            return "no end"
        if self.result.findings:
            return self.result.findings[0].kind
        if self.result.returncode < 0:
            return "crash"
        if self.result.returncode or self.result.stdout != expected:
            return "wrong result"
        return "traffic" if self.traffic != traffic else ""


@dataclass
class Trial:
    """An emission, and a folder for its programs."""

    emission: Emission
    folder: Path

    @cached_property
    def translation(self) -> Translation:
        """The translated program."""
        return self.emission.translation()

    @cached_property
    def surroundings(self) -> tuple[str, str]:
        """The device text before and behind the kernels."""
        before, _, behind = split_device(self.translation.device)
        return before, behind

    @cached_property
    def host(self) -> Path:
        """The host's object file."""
        text = self.folder / "host.c"
        text.write_text(self.translation.host)
        target = text.with_suffix(".o")
        source = self.emission.source
        command = ["gcc", *FLAGS, "-fno-pie", "-iquote", source.parent, "-c", text, "-o", target]
        subprocess.run(command, check=True)
        return target

    @cached_property
    def expected(self) -> dict[str, str]:
        """What the program prints as plain C, by arguments."""
        plain = self.folder / "plain"
        subprocess.run(["gcc", *FLAGS, self.emission.source, "-o", plain, "-lm"], check=True)
        return {
            arguments: subprocess.run([plain, *arguments.split()], capture_output=True, text=True, check=True).stdout
            for arguments in self.emission.runs
        }

    def catch(self, mutants: Sequence[Mutant]) -> Iterator[tuple[Mutant, str]]:
        """Each mutant with what catches it, '' if nothing does; raises AssertionError if the emission itself fails."""
        kernels = self.emission.golden.read_text()
        originals = [kernels, skip_the_cache(kernels)]
        program = self.built([*originals, *(mutant.apply(kernels) for mutant in mutants)])
        traffic: dict[tuple[int, str], tuple[int, int]] = {}
        for number, _ in enumerate(originals):
            for arguments in self.emission.runs:
                traffic[number, arguments] = self.sound(program, number, arguments, 0)
        for number, mutant in enumerate(mutants):
            yield mutant, self.caught(program, number + len(originals), traffic, int(mutant.is_uncached))

    def caught(
        self, program: Program, number: int, traffic: dict[tuple[int, str], tuple[int, int]], original: int
    ) -> str:
        """What catches one version, and where; that it only loads or stores more than needed is the last to tell."""
        slow = ""
        for seed in SEEDS:
            for arguments in self.emission.runs:
                outcome = self.outcome(program, number, arguments, seed)
                fault = outcome.fault(self.expected[arguments], traffic[original, arguments])
                place = f"{fault} (arguments {arguments}, seed {seed})"
                if fault and fault != "traffic":
                    self.sound(program, original, arguments, seed)
                    return place
                slow = slow or (place if fault else "")
        return slow

    def sound(self, program: Program, original: int, arguments: str, seed: int) -> tuple[int, int]:
        """The traffic of an emission without a planted bug, which nothing may catch."""
        outcome = self.outcome(program, original, arguments, seed)
        fault = outcome.fault(self.expected[arguments], outcome.traffic)
        assert not fault, f"{self.emission.name} {arguments}, seed {seed}, without a planted bug: {fault}"
        return outcome.traffic

    def outcome(self, program: Program, number: int, arguments: str, seed: int) -> Outcome:
        """One run of one version."""
        try:
            return Outcome(
                run(program, arguments.split(), seed=seed, timeout=TIMEOUT, environment={CHOICE: str(number)})
            )
        except subprocess.TimeoutExpired:
            return Outcome(None)

    def built(self, versions: Sequence[str]) -> Program:
        """A program with several versions of the kernels."""
        before, behind = self.surroundings
        local = (STUB.sub(r"static \1", text) for text in versions)
        spaces = [f"namespace version_{number} {{\n{text}\n}}\n" for number, text in enumerate(local)]
        stubs = [dispatcher(*match.groups(), len(versions)) for match in STUB.finditer(versions[0])]
        text = "\n".join([before, *spaces, *stubs, behind])
        return build(text, None, self.folder, check=True, objects=[self.host])


def dispatcher(head: str, name: str, parameters: str, count: int) -> str:
    """A stub that calls the chosen version's."""
    names = [PARAMETER.search(parameter.strip()) for parameter in parameters.split(",") if parameter != "void"]
    arguments = ", ".join(match[1] or match[2] for match in names if match)
    versions = ", ".join(f"version_{number}::{name}" for number in range(count))
    return DISPATCHER.format(head=head, name=name, versions=versions, arguments=arguments, choice=CHOICE)
