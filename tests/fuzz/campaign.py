"""Run random programs, unit by unit: sequentially by gcc, and translated in several ways under the checker.

    python tests/fuzz/campaign.py --programs 20000 --folder build/fuzz [--compare] [--ptx]

With ``--compare`` each run is held against the sequential program at every data exit, update and result, too. With
``--ptx`` nvcc makes their kernels, too, and all launches are executed again on the PTX machine: it shows what a
compiler for GPUs takes for granted and one for CPUs does not.

A folder holds what was done: the same command goes on where it stopped. Every mismatch is written to the folder as it
was found and as small as it gets.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from matrix.bare import SUFFIX, bare, bare_cases
from matrix.builder import Program
from matrix.from_ptx import differences_from_ptx
from matrix.harness import Batch, Case, choices, label

from accache.base.progress import CLEARED, counted
from fuzz.choices import Choices
from fuzz.grammar import program
from fuzz.minimise import smaller

UNIT = 50
OPTIONS = 2
"""Ways of translation tried with each program, chosen at random."""
BARE = 0.25
"""The part of programs with cache directives that are tried without them, too, under --auto-cache."""


@dataclass(frozen=True)
class Against:
    """What runs are held against beside what the plain program prints.

    ``compare``: its values at every data exit, update and result; ``ptx``: launches executed again from PTX.
    """

    compare: bool = False
    ptx: bool = False


PRINTED = Against()


@dataclass(frozen=True)
class Unit:
    """Some programs with their cases, all from one seed."""

    seed: int
    number: int

    @property
    def name(self) -> str:
        """Names the unit in the notes."""
        return f"{self.seed}.{self.number}"

    def decisions(self) -> Iterator[tuple[str, str]]:
        """The name of each program and the seed of its choices."""
        for k in range(UNIT):
            yield f"fuzz{k}", f"{self.name}.{k}"

    def cases(self) -> list[Case]:
        """All cases."""
        chance = random.Random(self.name)
        return [case for name, seed in self.decisions() for case in some_cases(program(name, Choices(seed)), chance)]


def some_cases(made: Program, chance: random.Random) -> list[Case]:
    """A program with a few of the options that can matter to it; auto in half of them."""
    found = choices(made)
    picked = chance.sample(found, min(OPTIONS, len(found)))
    by_default = [option for option in found if option.method == "auto"]
    if by_default and chance.random() < 0.5:
        picked[0] = by_default[0]
    cases = [Case(made, option) for option in dict.fromkeys(picked)]
    return [*cases, chance.choice(bare_cases(made))] if made.cached and chance.random() < BARE else cases


def wrong_of(cases: Sequence[Case], folder: Path, against: Against = PRINTED) -> list[str]:
    """What differs from the sequential programs, what the checker finds, or what differs in PTX, by the case.

    What accache itself fails at with a traceback is told of the case for which it does, or of all of them if it does so
    for none alone.
    """
    try:
        found = Batch(folder, cases, comparing=against.compare).differences(check=True)
    except Exception as error:  # noqa: BLE001  one unit's bug of any kind must not end the campaign
        told = f"{cases[0]}: {type(error).__name__}: {error}"
        alone = enumerate(cases) if len(cases) > 1 else ()
        found = [text for number, case in alone for text in wrong_of([case], folder / f"{number}", against)]
        return found or [told + (f" ({len(cases)} cases together)" if len(cases) > 1 else "")]
    if against.ptx:
        (folder / "ptx").mkdir()
        found += differences_from_ptx(cases, folder / "ptx")
    return found


def run_unit(unit: Unit, folder: Path, against: Against = PRINTED) -> dict[str, Any]:
    """Run a unit; its note: the programs, what they cover, what was wrong."""
    cases = unit.cases()
    place = Path(tempfile.mkdtemp(prefix=f"unit-{unit.name}-", dir=folder))
    wrong = wrong_of(cases, place, against)
    shutil.rmtree(place)
    failing = [case for case in cases if any(text.startswith(str(case)) for text in wrong)]
    for case in failing[:3]:
        keep_smallest(unit, case, folder, against)
    made = dict.fromkeys(case.program for case in cases if not case.program.name.endswith(SUFFIX))
    covered = Counter(f"{kind}: {value}" for item in made for kind, value in item.features)
    covered.update(
        f"method: {method}" for item in made for method in {c.options.method for c in cases if c.program == item}
    )
    return {"unit": unit.name, "programs": len(made), "wrong": wrong[:20], "covered": covered}


def keep_smallest(unit: Unit, case: Case, folder: Path, against: Against) -> None:
    """Write a failing program, and the smallest like it that fails too."""
    name = case.program.name.removesuffix(SUFFIX)
    made = Choices(dict(unit.decisions())[name])
    original = program(name, made)

    def fails(candidate: Program) -> bool:
        place = Path(tempfile.mkdtemp(dir=folder))
        tried = bare(candidate) if name != case.program.name else candidate
        try:
            return bool(wrong_of([Case(tried, case.options)], place, against))
        finally:
            shutil.rmtree(place)

    small = smaller(name, made.made, fails)
    head = f"/* {unit.name}, {label(case.options)}; run with {original.runs} */\n"
    for kind, item in (("found", original), ("small", small)):
        (folder / f"{unit.name}-{case.program.name}-{kind}.c").write_text(head + item.text)


def table(notes: Sequence[dict[str, Any]]) -> str:
    """How many programs have what."""
    total = sum(note["programs"] for note in notes)
    covered: Counter[str] = Counter()
    for note in notes:
        covered.update(note["covered"])
    lines = [f"{total} programs, {sum(bool(note['wrong']) for note in notes)} units with a mismatch"]
    lines += [f"{name:32}{count:8}  {100 * count / max(total, 1):5.1f} %" for name, count in sorted(covered.items())]
    return "\n".join(lines)


def main() -> int:
    """Run what is left of a campaign, then print its table; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000, help="how many programs the campaign has")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other programs")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="where notes and mismatches go")
    parser.add_argument("--jobs", type=int, default=None, help="units at a time; all processors by default")
    parser.add_argument("--compare", action="store_true", help="compare values with the sequential program's, too")
    parser.add_argument("--ptx", action="store_true", help="compile kernels by nvcc, too, and execute their PTX")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / "notes.jsonl"
    notes = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {note["unit"] for note in notes}
    units = [Unit(options.seed, number) for number in range(-(-options.programs // UNIT))]
    left = [unit for unit in units if unit.name not in done]
    against = Against(options.compare, options.ptx)
    silent = {"initializer": os.environ.__setitem__, "initargs": ("TERM", "dumb")}  # of progress, which is told here
    with ProcessPoolExecutor(options.jobs, **silent) as pool, path.open("a") as file:
        running = [pool.submit(run_unit, unit, options.folder, against) for unit in left]
        for future in counted("units of the campaign", as_completed(running), len(running)):
            note = future.result()
            notes.append(note)
            file.write(json.dumps(note) + "\n")
            file.flush()
            for text in note["wrong"]:
                print(f"{CLEARED if sys.stdout.isatty() else ''}unit {note['unit']}: {text}", flush=True)
    wanted = {unit.name for unit in units}
    mine = [note for note in notes if note["unit"] in wanted]
    print(table(mine))
    return int(any(note["wrong"] for note in mine))


if __name__ == "__main__":
    sys.exit(main())
