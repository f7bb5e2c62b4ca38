"""Results, a line of JSON a case, written as soon as it is known; a run that was cut off goes on where it stopped."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cost.programs import ROOT

Record = dict[str, Any]


class Results:
    """The results of one stage, in ``folder/STAGE.jsonl``."""

    def __init__(self, folder: Path, stage: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{stage}.jsonl"
        self._known = {record["case"] for record in read(folder, stage)}

    def has(self, case: str) -> bool:
        """Whether there is a result of a case."""
        return case in self._known

    def add(self, case: str, **found: Any) -> None:
        """Write what was found of a case."""
        self._known.add(case)
        with self.path.open("a") as file:
            file.write(json.dumps({"case": case, **found}) + "\n")


def read(folder: Path, stage: str) -> Iterator[Record]:
    """The records of a stage; a last line that was cut off is none."""
    path = folder / f"{stage}.jsonl"
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def describe_machine(target: str, gpu: str) -> Record:
    """What results depend on beside the programs: the date, the GPU with its driver, compilers, and our commit."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "target": target,
        "gpu": gpu,
        "nvcc": said("nvcc", "--version").rpartition("\n")[2],
        "gcc": said("gcc", "--version").partition("\n")[0],
        "host": platform.platform(),
        "commit": said("git", "-C", str(ROOT), "rev-parse", "HEAD") or "unknown",
    }


def said(*command: str) -> str:
    """What a command prints; nothing if there is no such command, or if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
