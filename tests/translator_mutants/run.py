"""Plant each bug in turn and run the test that is to notice it.

    python tests/translator_mutants/run.py [--first N] [--jobs N] [--only TEXT] [--bug MODULE BEFORE AFTER TEST]

Prints what no test noticed, and ends with exit status 1 if there is any; ``--bug`` tries one that is not in the list.
Each bug has a process of its own, forked from one that has imported what the tests need of others' packages, and a
cache folder of its own: answers that a bug made must not be kept, nor kept ones hide it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from translator_mutants.hook import install
from translator_mutants.mutant import ROOT, Mutant
from translator_mutants.mutants import MUTANTS

SHARED = ("click", "hypothesis", "jinja2", "msgspec", "numpy", "pycparser.c_parser", "sympy")
"""What each of the processes would import."""
PLUGINS = ("xdist.plugin", "_hypothesis_pytestplugin")
"""Those that the tests of the list need; to load all that are installed takes longer than a test."""
OPTIONS = ("-n0", "-qx", "-pno:cacheprovider", "--hypothesis-seed=0", *(f"-p{name}" for name in PLUGINS))
FAILED, PASSED = int(pytest.ExitCode.TESTS_FAILED), int(pytest.ExitCode.OK)


@contextmanager
def templates() -> Iterator[Path]:
    """A cache folder with nothing but compiled templates, which no bug changes."""
    with tempfile.TemporaryDirectory() as folder:
        whole, kept = Path(folder) / "whole", Path(folder) / "kept"
        pid = os.fork()
        if not pid:
            os.environ["ACCACHE_CACHE_DIR"] = str(whole)
            translate = import_module("accache.driver").translate
            translate(str(ROOT / "samples" / "stencil.c"), import_module("accache.base.options").Options())
            os._exit(0)
        os.waitpid(pid, 0)
        kept.mkdir()
        if (whole / "templates").is_dir():
            shutil.copytree(whole / "templates", kept / "templates")
        yield kept


def _quietly(log: Path, tests: Sequence[str]) -> int:
    """The exit status of pytest, whose output goes to a file."""
    with log.open("w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        return int(pytest.main([*OPTIONS, *tests]))


def _child(mutant: Mutant | None, tests: Sequence[str], cache: Path, log: Path) -> NoReturn:
    """Run tests and end the process, whatever comes: it must not go on as its parent."""
    code = int(pytest.ExitCode.INTERNAL_ERROR)
    try:
        os.environ["ACCACHE_CACHE_DIR"] = str(cache)
        if mutant is not None:
            install(mutant, cache.parent)
        code = _quietly(log, tests)
    except (AssertionError, OSError) as error:
        log.write_text(f"{type(error).__name__}: {error}")
    finally:
        os._exit(code)


def outcome(mutant: Mutant | None, tests: Sequence[str], kept: Path) -> tuple[int, str]:
    """The exit status of some tests with a bug, or with none, and what pytest printed."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        shutil.copytree(kept, cache)
        log = Path(folder) / "log"
        pid = os.fork()
        if not pid:
            _child(mutant, tests, cache, log)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), log.read_text(errors="replace") if log.exists() else ""


def complaint(mutant: Mutant, kept: Path) -> str:
    """What is wrong with a mutant; '' if the test that it names fails, or if it is argued to change nothing."""
    if mutant.equivalent:
        return ""
    code, output = outcome(mutant, [mutant.test], kept)
    if code == FAILED:
        return ""
    return f"survives: {mutant}" if code == PASSED else f"exit status {code}: {mutant}\n{output[-600:]}"


def main() -> int:
    """Try the bugs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=len(MUTANTS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="of modules whose name has this text")
    parser.add_argument("--bug", nargs=4, metavar=("MODULE", "BEFORE", "AFTER", "TEST"))
    given = parser.parse_args()
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    for name in (*SHARED, *PLUGINS):
        import_module(name)
    chosen = [mutant for mutant in MUTANTS[: given.first] if given.only in mutant.module]
    chosen = [Mutant(*given.bug)] if given.bug else chosen
    with templates() as kept, ThreadPoolExecutor(given.jobs) as pool:
        wrong = [text for text in pool.map(lambda mutant: complaint(mutant, kept), chosen) if text]
    for text in wrong:
        print(text)
    equivalent = sum(bool(mutant.equivalent) for mutant in chosen)
    noticed = len(chosen) - equivalent - len(wrong)
    print(f"{len(chosen)} bugs: {noticed} noticed, {equivalent} change nothing, {len(wrong)} not noticed")
    where = Counter(mutant.module.partition("/")[0] for mutant in chosen)
    print(", ".join(f"{name} {count}" for name, count in sorted(where.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
