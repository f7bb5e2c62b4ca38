"""Manual pages and completions: they are those of the commands as they are, and they work."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import accache

from accache.cli.main import COMMANDS

ROOT = Path(__file__).parents[3]


def test_pages_and_completions_are_those_of_the_commands(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "docs" / "manual.py", tmp_path], check=True)
    for folder in ("man", "completion"):
        made = {path.name: path.read_text() for path in (tmp_path / folder).iterdir()}
        kept = {path.name: path.read_text() for path in (ROOT / "docs" / folder).iterdir()}
        assert made == kept, "make manual writes them anew"
    assert {f"accache-{name}.1" for name in COMMANDS} < {path.name for path in (ROOT / "docs" / "man").iterdir()}


@pytest.mark.parametrize(("command", "option"), [("explain", "--html"), ("cc", "--accache-private-line=N")])
def test_man_shows_a_page(command: str, option: str) -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    page = ROOT / "docs" / "man" / f"accache-{command}.1"
    groff = ["groff", "-man", "-Tascii", "-ww", "-P-cbu", page]
    done = subprocess.run(groff, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert option in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_and_choices() -> None:
    script = ROOT / "docs" / "completion" / "accache"
    for typed, expected in (
        ("tra", "translate"),
        ("translate --coa", "--coarsen"),
        ("run --method eh", "ehc"),
        ("run --arch sm_9", "sm_90"),
        ("cc --accache-k", "--accache-keep"),
    ):
        words = ["accache", *typed.split()]
        asked = f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _accache_completion accache"
        code = f'source {script}; {asked}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, env={**os.environ, "PATH": path})
        assert done.stdout.split() == [expected], done.stderr


@pytest.mark.parametrize(
    "typed",
    [
        *(
            f"{name} go"
            for name in ("bypass", "cc -c", "explain", "fix", "model", "preload", "run", "suggest", "translate")
        ),
        "explain --html pa",
        "translate -o go",
        "translate --diagnostics-file go",
        "model --trace tr",
    ],
)
def test_shells_complete_the_names_of_files(typed: str) -> None:
    words = ["accache", *typed.split()]
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1), "_ACCACHE_COMPLETE": "bash_complete"}
    done = accache(environment={**os.environ, **asked})
    assert done.stdout.split() == [f"file,{words[-1]}"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes_commands() -> None:
    code = f"source {ROOT / 'docs' / 'completion' / 'accache.fish'}; complete -C 'accache tra'"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(["fish", "-c", code], capture_output=True, text=True, env={**os.environ, "PATH": path})
    assert done.stdout.split()[:1] == ["translate"], done.stderr


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_finds_the_completion_behind_compinit(tmp_path: Path) -> None:
    folder = ROOT / "docs" / "completion"
    for before in (f"fpath=({folder} $fpath); autoload -U compinit; compinit -D", "autoload -U compinit; compinit -D"):
        code = f"{before}; source {folder / '_accache'}; print -r -- $_comps[accache]"
        env = {**os.environ, "HOME": str(tmp_path), "ZDOTDIR": str(tmp_path)}
        done = subprocess.run(["zsh", "-f", "-c", code], capture_output=True, text=True, env=env)
        assert done.stdout.split() in (["_accache"], ["_accache_completion"]), done.stderr
