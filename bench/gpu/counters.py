"""What bench/cost predicts of launches, which needs no GPU, and stage 3: what Nsight Compute counts of them."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from cost.chips import chip_named
from cost.clocks import cost, wavefronts
from cost.launches import Failed as NotRun
from cost.measure import Counts, measure
from cost.programs import SAMPLES, all_programs
from cost.slots import issue_slots
from cost.table import Row
from cost.weights import weights

from gpu.cases import Case
from gpu.results import Record, Results
from gpu.targets import LIMIT, Failed
from gpu.workshop import Workshop, short

COLUMNS = ("default", "none", "peer", "rbi")
# what is predicted -> the counters of Nsight Compute that add up to it
METRICS: Mapping[str, tuple[str, ...]] = {
    "instructions": ("smsp__inst_executed.sum",),
    "sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
    "atomic_sectors": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    ),
    "local_sectors": (
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    ),
    "hit_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",),
    "turns": ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",),
    "l2_bytes": ("l1tex__m_xbar2l1tex_read_bytes.sum", "l1tex__m_l1tex2xbar_write_bytes.sum"),
    "registers": ("launch__registers_per_thread",),
    "nanoseconds": ("gpu__time_duration.sum",),
}


def cases(dry: bool) -> Iterator[Case]:
    """The programs of bench/cost as it calls them; dry only the samples without and with their directives."""
    for column in COLUMNS[:2] if dry else COLUMNS:
        for program in SAMPLES if dry else all_programs():
            if column != "peer" or program.peer:
                yield Case(program, column, (), program.arguments)


def predict(workshop: Workshop, only: tuple[str, ...]) -> None:
    """Predict all launches of all cases, or of some programs'."""
    results = Results(workshop.folder, "predictions")
    for case in cases(workshop.target.name == "cpu"):
        if workshop.time_is_up:
            return
        if results.has(case.key) or (only and case.program.name not in only):
            continue
        try:
            found = predicted(case)
        except NotRun as error:
            found = {"failed": str(error)}
        results.add(case.key, program=case.program.name, column=case.column, **found)
        print(f"{case.key}: {short(found)}", flush=True)


def predicted(case: Case) -> Record:
    """The clocks of a case's program, and of its launches what METRICS name; raises NotRun."""
    measured = measure(case.program, case.column)
    if measured.refused:
        return {"refused": measured.refused}
    units = Row(case.program, {case.column: measured}).units
    clocks = cost(measured.launches, units, chip_named("h100"), weights()).clocks
    return {"clocks": clocks, "launches": [of_launch(counts) for counts in measured.launches]}


def count(workshop: Workshop, only: tuple[str, ...]) -> None:
    """Count all launches of all cases, or of some programs', with executables that are not slowed by a timer."""
    profiler = shutil.which("ncu") if workshop.target.name != "cpu" else None

    def look(case: Case, executable: Path) -> Record:
        if profiler is None:
            return {"uncounted": "there is no Nsight Compute for it"}
        return {"launches": counted(profiler, executable, case.arguments)}

    chosen = [case for case in cases(workshop.target.name == "cpu") if not only or case.program.name in only]
    workshop.record(Results(workshop.folder, "counters"), chosen, look, timed=True)


def of_launch(counts: Counts) -> dict[str, object]:
    """What bench/cost says of a launch, by the names of METRICS."""
    return {
        "kernel": counts.kernel,
        "instructions": issue_slots(counts.arrivals, weights()),
        "sectors": counts.sectors,
        "atomic_sectors": counts.atomic_sectors,
        "local_sectors": counts.local_sectors,
        "hit_sectors": counts.hit_sectors,
        "turns": wavefronts(counts),
        "l2_bytes": counts.l2_bytes,
        "registers": counts.registers,
    }


def counted(profiler: str, executable: Path, arguments: tuple[str, ...]) -> list[dict[str, object]]:
    """The counters of each launch of a program; raises Failed where ncu does not give them."""
    names = ",".join(name for group in METRICS.values() for name in group)
    command = [profiler, "--csv", "--page", "raw", "--clock-control", "none", "--metrics", names, str(executable)]
    try:
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"ncu was not done after {LIMIT} seconds") from error
    if done.returncode:
        raise Failed(f"ncu ended with {done.returncode}: {(done.stderr or done.stdout)[-300:]}")
    return list(parse(done.stdout))


def parse(text: str) -> Iterator[dict[str, object]]:
    r"""The launches in what ncu prints: CSV with a row of units, between lines of its own and of the program.

    >>> list(parse('==PROF== x\n"ID","Kernel Name","launch__registers_per_thread"\n"","","register/thread"\n'
    ...            '"0","f(int *)","1,016"\n'))
    [{'kernel': 'f(int *)', 'registers': 1016.0}]
    """
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith('"ID"')]
    if not heads:
        return
    for row in csv.DictReader(lines[heads[0] :]):
        if not (row["ID"] or "").isdigit():
            continue
        found: dict[str, object] = {"kernel": row["Kernel Name"]}
        for name, group in METRICS.items():
            values = [row.get(metric) for metric in group]
            if all(values):
                found[name] = sum(float(value.replace(",", "")) for value in values if value)
        yield found
