"""Stage 1: whether programs compute on the target what gcc's sequential ones do."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from math import isclose
from pathlib import Path

from cost.programs import SAMPLES, Program, all_programs

from accache.base.options import WRITES
from gpu.cases import CUDA_PROGRAMS, METHODS, OPENACC_PROGRAMS, Case, naive_programs, programs_of
from gpu.results import Record, Results
from gpu.targets import Failed, Finished, run_program
from gpu.workshop import Workshop

_NUMBER = re.compile(r"(?:checksum|mean) ([-+.e\d]+)$", re.M)
_EXPECTATION = re.compile(r"^ +expect\(", re.M)
_TOLERANCE = 1e-5  # where the order of additions is not fixed


def cases() -> Iterator[Case]:
    """All that is run: samples by all methods and ways to write, kernels, peers, and the programs of the tests."""
    for program in SAMPLES:
        for column in ("none", "default"):
            yield Case(program, column, (), program.arguments)
        for method in METHODS:
            for write in WRITES if method != "private" else ("auto",):
                yield Case(program, method, (("write", write),), program.arguments)
    for program in all_programs():
        columns = ("peer",) if program.is_sample else ("none", "default", "peer")
        yield from (Case(program, column, (), program.arguments) for column in columns)
    for program in programs_of("openacc", OPENACC_PROGRAMS):
        yield Case(program, "default")
        yield Case(program, "default", (("tune", "off"),))
    yield from (Case(program, "cuda") for program in programs_of("cuda", CUDA_PROGRAMS))
    yield from (Case(program, "preload") for program in naive_programs())


def check(workshop: Workshop, only: tuple[str, ...]) -> None:
    """Run all cases, or those of some programs, and write down whether they are right."""

    def look(case: Case, executable: Path) -> Record:
        done = workshop.target.run(executable, case.arguments)
        if case.column == "preload":
            plain = workshop.executable(Case(case.program, "cuda"), timed=False)
            reason = _different(done, workshop.target.run(plain, case.arguments))
        else:
            reason = wrong(case, done)
        return {"right": not reason, **({"reason": reason} if reason else {})}

    chosen = [case for case in cases() if not only or case.program.name in only]
    workshop.record(Results(workshop.folder, "correctness"), chosen, look, timed=False, alone=False)


def wrong(case: Case, done: Finished) -> str:
    """Why the end of a program is not the one it should have; nothing if it is."""
    if _checks_itself(case.program):
        return _unexpected(done)
    expected = Finished(0, "right\n", "") if case.column == "cuda" else sequential(case.program, case.arguments)
    return _different(done, expected, loosely=_loosely(case))


def _different(done: Finished, expected: Finished, *, loosely: bool = False) -> str:
    """How the end of a program is not the expected one; sums may be a little different if ``loosely``."""
    if done.status != expected.status:
        return f"exit status {done.status}, expected {expected.status}: {done.errors[-300:]}"
    if done.output == expected.output or (loosely and _near(done.output, expected.output)):
        return ""
    return f"printed {done.output[-200:]!r}, expected {expected.output[-200:]!r}"


def _checks_itself(program: Program) -> bool:
    """Whether a program of the tests says of each of its results if it is right: two memories differ, as they must."""
    if not program.name.startswith("openacc/"):
        return False
    text = program.path.read_text()
    return _EXPECTATION.search(text) is not None and "SHOW(" not in text  # what is shown is compared


def _unexpected(done: Finished) -> str:
    """What a program that checks itself did not expect."""
    lines = done.output.splitlines()
    failed = [line for line in lines if not line.endswith(" ok")]
    if done.status or failed or not lines:
        return f"exit status {done.status}, unexpected: {'; '.join(failed)[-200:]} {done.errors[-300:]}"
    return ""


@cache
def sequential(program: Program, arguments: tuple[str, ...]) -> Finished:
    """What gcc makes of a program without its directives; raises Failed if gcc cannot build it, or it breaks."""
    with tempfile.TemporaryDirectory(prefix="accache-gpu-") as folder:
        executable = Path(folder) / "sequential"
        flags = ("-std=gnu11", "-O1", "-ffp-contract=off", "-w", f"-I{program.path.parent}", *program.flags)
        command = ["gcc", *flags, str(program.path), "-lm", "-o", str(executable)]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        if built.returncode:
            raise Failed(f"gcc does not build {program.name} alone: {built.stderr[-300:]}")
        done = run_program([str(executable), *arguments])
        if done.status < 0:
            raise Failed(f"the sequential {program.name} ends with signal {-done.status}")
        return done


def _loosely(case: Case) -> bool:
    """Whether the program prints a sum that additions in another order may change a little."""
    return case.column == "peer" or (not case.program.is_sample and not case.program.name.startswith("openacc/"))


def _near(text: str, other: str) -> bool:
    found, expected = (_NUMBER.findall(each) for each in (text, other))
    return len(found) == len(expected) > 0 and all(
        isclose(float(one), float(two), rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
        for one, two in zip(found, expected, strict=True)
    )
