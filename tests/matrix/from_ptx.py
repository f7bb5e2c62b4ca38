"""Programs of a batch made by nvcc: their launches executed again on the PTX machine, beside what the CPU's left."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from accache.base.text import SourceFile
from accache.cpu.build import build
from accache.cpu.captures import prepare_capture
from accache.cpu.run import run
from accache.ptx.replay.capture_file import read_captured
from accache.ptx.replay.replay import in_module, replay
from accache.ptx.text.parser import parse
from accache.workflows.cuda import compile_to_ptx
from accache.workflows.execution import silently
from matrix.harness import Batch, Case


def differences_from_ptx(cases: Sequence[Case], folder: Path) -> list[str]:
    """Where memory differs after a launch of any of these programs."""
    members = Batch(folder, cases)
    program = build(members.device_text(), None, folder, capture=True, objects=[members.host_object()])
    module = parse(SourceFile("batch.ptx", compile_to_ptx(program.device_source, folder, "sm_90", ())))
    wrong = []
    for place, member in enumerate(members.members):
        here = folder / f"run{place}"
        here.mkdir()
        captures, environment = prepare_capture(program, members.device_text(), here, launches=1000)
        sizes = map(str, member.case.program.runs[0])
        done = run(program, (str(place), *sizes, "0"), workers=1, environment=environment)
        assert done.returncode == 0, done.stderr
        for replayed in replay((in_module(found, module) for found in read_captured(captures)), module, silently):
            wrong += [f"{member.case}: {found}" for found in replayed.differences]
        shutil.rmtree(here)
    return wrong
