"""Manual pages and completions: they are those of the commands as they are, and they work."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from accache.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]


def test_pages_and_completions_are_those_of_the_commands(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "docs" / "manual.py", tmp_path], check=True)
    for folder in ("man", "completion"):
        made = {path.name: path.read_text() for path in (tmp_path / folder).iterdir()}
        kept = {path.name: path.read_text() for path in (ROOT / "docs" / folder).iterdir()}
        assert made == kept, "make manual writes them anew"
    assert {f"accache-{name}.1" for name in COMMANDS} < {path.name for path in (ROOT / "docs" / "man").iterdir()}


def test_man_shows_a_page() -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    page = ROOT / "docs" / "man" / "accache-explain.1"
    command = ["groff", "-man", "-Tascii", "-ww", "-P-c", page]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "--html" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_and_choices() -> None:
    script = ROOT / "docs" / "completion" / "accache"
    for typed, expected in (
        ("tra", "translate"),
        ("translate --coa", "--coarsen"),
        ("run --method eh", "ehc"),
        ("run --arch sm_9", "sm_90"),
    ):
        words = ["accache", *typed.split()]
        asked = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _accache_completion accache"
        code = f'source {script}; {asked}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert done.stdout.split() == [expected], done.stderr
