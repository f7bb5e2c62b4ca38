"""All executables that the stages run, built ahead: a lent GPU need not wait for compilers."""

from __future__ import annotations

from gpu import correctness, counters, microbenchmarks, times
from gpu.targets import Failed
from gpu.workshop import Workshop


def build(workshop: Workshop, only: tuple[str, ...]) -> None:
    """Build what is not there yet, or what concerns some programs; print what cannot be built, and why."""
    dry = workshop.target.name == "cpu"
    exact, timed = correctness.cases(), (*times.cases(dry), *counters.cases(dry))
    for cases, is_timed in ((exact, False), (timed, True)):
        workshop.build([case for case in cases if not only or case.program.name in only], timed=is_timed)
    for each in microbenchmarks.measurements(dry):
        if not workshop.time_is_up and (not only or any(word in each.name for word in only)):
            try:
                microbenchmarks.executable(workshop, each)
            except Failed as error:
                print(f"{each.name}: {error}", flush=True)
    if not dry:
        times.build_peaks(workshop)
