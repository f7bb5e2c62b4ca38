"""Each fault in C with OpenACC is found, and nothing is told of a program without one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate
from accache.workflows.building import build_translation
from accache.workflows.comparison import run_beside
from planted.emitted import FAULTS as EMITTED
from planted.user import COMPARED, FAULTS, HEAD, MAIN, RIGHT, Body

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
SEEDS = (0, 1)
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "check.md"
_SECTION = re.compile(r"^##+ `?(\S+?)`?\n(.*?)(?=^##|\Z)", re.M | re.S)
_EXAMPLE = re.compile(r"^```c\n(.*?)^```", re.M | re.S)


def examples() -> list[Body]:
    """The examples of docs/check.md, each with the kind of its section."""
    return [
        Body(f"{kind} {number}", (COMPARED if kind == "--compare" else kind,), example)
        for kind, text in _SECTION.findall(DOCUMENT.read_text())
        for number, example in enumerate(_EXAMPLE.findall(text))
    ]


def whole(bodies: Sequence[Body]) -> str:
    """One program with some bodies; its argument is the number of one."""
    functions = [f"static void way_{k}(int n) /* {body.name} */\n{{\n{body.text}}}\n" for k, body in enumerate(bodies)]
    table = "static void (*const ways[])(int) = {" + ", ".join(f"way_{k}" for k in range(len(bodies))) + "};\n"
    return HEAD + "".join(functions) + table + MAIN


def told(bodies: Sequence[Body], folder: Path) -> dict[str, list[str]]:
    """The kinds of findings and codes of differences of each body, over all seeds."""
    source = folder / "user.c"
    source.write_text(whole(bodies))
    options = Options(line=True)
    translation = translate(str(source), options)
    assert translation.sequentially is not None
    sequential = translation.sequentially()
    program = build_translation(translation, options, folder, check=True, sequential=sequential.host).program
    found: dict[str, list[str]] = {}
    for number, body in enumerate(bodies):
        for seed in SEEDS:
            result, differences = run_beside(
                program, sequential, 0.0, [str(number)], seed=seed, capture=True, stdin="", timeout=60
            )
            here = found.setdefault(body.name, [])
            here += [finding.kind for finding in result.findings] + [item.code for item in differences]
    return found


def judge(faults: Sequence[Body], right: Sequence[Body], folder: Path) -> None:
    """Let all be run, and compare with what must be found."""
    found = told([*faults, *right], folder)
    missed = {body.name: found[body.name] for body in faults if not set(body.finds) & set(found[body.name])}
    assert missed == {}
    assert {body.name: found[body.name] for body in right if found[body.name]} == {}


@pytest.mark.planted
def test_every_fault_is_found(tmp_path: Path) -> None:
    judge(FAULTS, RIGHT, tmp_path)


def test_the_examples_of_the_document_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # one of them writes a file
    faults = examples()
    assert len(faults) == 15
    judge(faults, RIGHT, tmp_path)


def test_there_are_enough_of_them() -> None:
    assert len({body.name for body in FAULTS}) == len(FAULTS) >= 50
    counts = re.search(r"(\d+) in C and (\d+) in\nemitted CUDA", DOCUMENT.read_text())
    assert counts
    assert counts.groups() == (str(len(FAULTS)), str(len(EMITTED)))
