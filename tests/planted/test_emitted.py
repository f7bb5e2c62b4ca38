"""Each fault in emitted CUDA is found; the same kernels without one are not complained about."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from accache.base.diagnostics import Diagnostic
from accache.cpu.findings import Finding
from accache.workflows.comparison import run_beside
from planted.emitted import FAULTS, FREE_KINDS, Fault
from planted.versions import CHOICE, OPTIONS, build_versions, translation_of

SEEDS = (0, 1)

needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


class Trial:
    """Versions of one program, built once."""

    def __init__(self, program: str, faults: Sequence[Fault], folder: Path) -> None:
        self.translation = translation_of(program)
        self.program = build_versions(self.translation, OPTIONS[program], faults, folder)

    def run(self, version: int, seed: int, patch: pytest.MonkeyPatch) -> tuple[list[Finding], list[Diagnostic]]:
        """What the checker finds in a run of one version, and the comparison."""
        patch.setenv(CHOICE, str(version))
        assert self.translation.sequentially is not None
        sequential = self.translation.sequentially()
        result, differences = run_beside(
            self.program, sequential, 0.0, (), seed=seed, capture=True, stdin="", timeout=60
        )
        return list(result.findings), list(differences)


def missed(program: str, faults: Sequence[Fault], folder: Path, patch: pytest.MonkeyPatch) -> list[str]:
    """The faults that nothing finds; kinds that only a comparison can be sure of must be found by that."""
    trial = Trial(program, faults, folder)
    found: list[str] = []
    assert [trial.run(0, seed, patch) for seed in SEEDS] == [([], [])] * len(SEEDS)
    for number, fault in enumerate(faults, 1):
        told = [trial.run(number, seed, patch) for seed in SEEDS]
        compared = any(differences for _, differences in told)
        if not compared and (fault.kind in FREE_KINDS or not any(findings for findings, _ in told)):
            found.append(f"{fault.name} ({fault.kind})")
    return found


@needs_compiler
def test_a_comparison_finds_what_checks_cannot_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = {fault.kind: fault for fault in reversed(FAULTS) if fault.kind in FREE_KINDS and fault.program != "matrix"}
    chosen = [fault for fault in free.values() if fault.program == "stencil"]
    assert len(chosen) == len(FREE_KINDS) - 1  # the pitch is another program's
    assert missed("stencil", chosen, tmp_path, monkeypatch) == []


@needs_compiler
@pytest.mark.planted
@pytest.mark.parametrize("program", OPTIONS)
def test_every_fault_is_found(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [fault for fault in FAULTS if fault.program == program]
    assert missed(program, chosen, tmp_path, monkeypatch) == []


def test_there_are_enough_of_them() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len(FAULTS) >= 50
    assert {fault.kind for fault in FAULTS} >= set(FREE_KINDS)
