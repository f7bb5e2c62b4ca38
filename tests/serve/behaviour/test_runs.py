"""The playground that runs programs, as a user who is not root: what hostile ones come to, and what is left of them."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.cli.main import main
from accache.cpu.kept import runtime_objects

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("starlette", reason="the extra serve is not installed")
pytest.importorskip("uvicorn", reason="the extra serve is not installed")
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

USER = "nobody"
SERVER = """
import sys
from accache.serve.app import Settings, listening, serve
from accache.serve.worker import prepare
prepare()
serve(Settings(int(sys.argv[1]), "a-secret", True, 30, 2.0), listening(int(sys.argv[1])))
"""
PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int fork(void), setsid(void), kill(int, int), getppid(void);
unsigned sleep(unsigned);
void *mmap(void *, unsigned long, int, int, int, long);
int main(void)
{
    float a[64];
    BEFORE
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 64; i++)
        a[i] = i;
    AFTER
    return 0;
}
"""


BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
STEPPING = """
import json, sys
from playwright.sync_api import expect, sync_playwright
with sync_playwright() as play:
    browser = play.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
    page = browser.new_page()
    told = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.set_default_timeout(60000)
    expect.set_options(timeout=60000)
    page.goto(sys.argv[2])
    page.select_option("#exercise", "transpose")
    drawn = page.frame_locator("#page")
    expect(drawn.locator(".verdict").first).to_contain_text("cache(tile)")
    page.check("#run")
    page.click("#draw")
    status = drawn.locator(".steps .status").first
    expect(status).to_contain_text("Step 1 of")
    found = []
    for button in ("last", "back", "forward", "first"):
        drawn.locator(f'[data-go="{button}"]').first.click()
        found.append(status.inner_text())
    print(json.dumps([found, told]))
    browser.close()
"""


@dataclass(frozen=True)
class Server:
    """A playground that runs programs: where it is, and the folder that is its user's."""

    address: str
    folder: Path

    def ask(self, text: str) -> str:
        """What becomes of a program: what is told of the request, or of the run on the page; "steps" if it has any."""
        asked = {"kind": "page", "text": text, "run": True}
        answer = httpx.post(f"{self.address}ask", json=asked, timeout=120).json()
        if "page_name" not in answer:
            return str(answer["error"])
        page = httpx.get(f"{self.address}page/{answer['page_name']}").text
        return "steps" if 'class="steps"' in page else str(page.partition("No steps are shown. ")[2].partition("<")[0])

    def left(self) -> list[str]:
        """The processes and files that requests have left: each works in a folder of its own in ours."""
        marker = f"TMPDIR={self.folder}/accache-".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                found += [str(path)] if marker in path.read_bytes() else []
        return found + [path.name for path in self.folder.iterdir() if path.name != ".cache"]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    python = sys.executable
    words: tuple[str, ...] = ()
    with tempfile.TemporaryDirectory(prefix="playground-", dir="/tmp") as name:  # pytest's own folders are root's alone
        folder = Path(name)
        made = runtime_objects(check=True)  # else each run of the tests would build it anew
        shutil.copytree(made, folder / ".cache" / "accache" / "cpu" / made.name)
        environment = {
            **{key: value for key, value in os.environ.items() if key not in ("XDG_CACHE_HOME", "ACCACHE_CACHE_DIR")},
            "HOME": name,
            "TMPDIR": name,
            "PYTHONPATH": os.pathsep.join((str(Path(__file__).parents[3]), *filter(None, sys.path))),
        }
        if os.getuid() == 0:
            python, words = as_user(folder, environment)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        process = subprocess.Popen((*words, python, "-c", SERVER, str(port)), env=environment, cwd=name)
        try:
            wait(process, port)
            yield Server(f"http://127.0.0.1:{port}/a-secret/", folder)
        finally:
            process.terminate()
            process.wait()


def as_user(folder: Path, environment: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """A Python that another user can run, and the words that make a command that user's; skips where there is none."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("we are root, and there is no setpriv to become somebody else")
    try:
        user = pwd.getpwnam(USER)
    except KeyError:
        pytest.skip(f"we are root, and there is no user {USER}")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)
    words = (setpriv, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        if can_run(words, python, environment):
            return python, words
    pytest.skip(f"we are root, and {USER} cannot run accache here")


def can_run(words: tuple[str, ...], python: str, environment: dict[str, str]) -> bool:
    """Whether that user's Python finds accache, and can start itself again, as the server does."""
    script = (
        "import subprocess, sys, accache.serve.app; sys.exit(subprocess.run([sys.executable, '-c', '']).returncode)"
    )
    done = subprocess.run((*words, python, "-c", script), env=environment, cwd="/", stderr=subprocess.DEVNULL)
    return done.returncode == 0


def wait(process: subprocess.Popen[bytes], port: int) -> None:
    """Until the server answers; the first run of all builds the run-time library."""
    for _ in range(3000):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        assert process.poll() is None
        time.sleep(0.1)
    raise AssertionError("the server does not answer")


def program(before: str = "", after: str = "") -> str:
    return PROGRAM.replace("BEFORE", before).replace("AFTER", after)


TAKE = "mmap(0, 1 << 28, 3, 0x8022, -1, 0);"  # private, of no file, and there at once
FORKS = f"for (int i = 0; i < 20; i++) if (fork() == 0) {{ {TAKE} sleep(99); }}"
ENDED = "The program took longer than 2 seconds and was ended."
HOSTILE: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "an endless loop": (program("for (;;);"), ENDED),
    "an endless kernel": (
        program().replace("a[i] = i;", "for (volatile int go = 1; go;) a[i] = i;"),
        ENDED,
    ),
    "a fork bomb": (program("for (;;) fork();"), "this took too many processes and was ended"),
    "more memory than there is": (
        program(f"for (;;) {{ {TAKE} }}"),
        ("this took more than 2 GiB of memory and was ended", ENDED),  # on a busy machine time comes first
    ),
    "memory of many processes": (program(f"{FORKS} sleep(99);"), "this took more than 2 GiB of memory and was ended"),
    "endless output": (
        program('for (;;) puts("----------------------------------------------------------------");'),
        ENDED,
    ),
    "a large file": (
        program('FILE *f = fopen("large", "w"); for (int i = 0; i < 9 << 20; i++) putc(0, f); fclose(f);'),
        "The run ended with status -25 and launched no kernel.",
    ),
    "a process that stays": (program(after="if (fork() == 0) { setsid(); if (fork() == 0) sleep(999); }"), "steps"),
    "the end of its parent": (program("kill(getppid(), 9); sleep(999);"), "this took more memory than"),
}


def test_a_program_runs_and_has_steps(server: Server) -> None:
    assert server.ask(program()) == "steps"
    assert server.left() == []


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_a_browser_steps_through_the_first_block(server: Server) -> None:
    pytest.importorskip("playwright", reason="the playwright client is not installed")
    command = [sys.executable, "-c", STEPPING, str(BROWSER), server.address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (last, back, forward, first), told = json.loads(done.stdout)
    assert told == []
    assert last == forward != back
    steps = [text.partition(":")[0] for text in (first, back, last)]
    assert steps == ["Step 1 of 17", "Step 16 of 17", "Step 17 of 17"]  # one of them the barrier
    assert "32 threads write global b" in last
    assert server.left() == []


@pytest.mark.parametrize(
    "name",
    [name if name == "an endless loop" else pytest.param(name, marks=pytest.mark.playground) for name in HOSTILE],
)
def test_a_hostile_program_is_ended_and_leaves_nothing(server: Server, name: str) -> None:
    text, told = HOSTILE[name]
    assert server.ask(text).startswith(told)
    assert server.left() == []


def test_files_cannot_be_included(server: Server) -> None:
    assert server.ask(f'#include "/etc/passwd"\n{program()}').startswith("only headers of C and openacc.h may")


def test_root_runs_no_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    done = CliRunner().invoke(main, ["serve", "--allow-run"])
    assert done.exit_code == 2
    assert "--allow-run is not for root" in done.output
