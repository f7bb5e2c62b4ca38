"""The playground: exercises, who may ask, what a request may take, and the page in a browser."""

from __future__ import annotations

import asyncio
import html
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from accache.base.text import SourceFile
from accache.serve.exercises import EXERCISES, Exercise, attempted
from accache.serve.worker import refusal
from accache.workflows.fixes.offers import offered
from accache.workflows.fixes.places import with_fixes

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("uvicorn", reason="the extra serve is not installed")
serving = pytest.importorskip("accache.serve.app", reason="the extra serve is not installed")

SETTINGS = serving.Settings(4321, "a-secret", seconds=60)
HOME = "/a-secret/"
ASK = "/a-secret/ask"


def judge(exercise: Exercise, text: str) -> str:
    return exercise.judge(attempted(SourceFile("p.c", text), exercise.options))


def test_there_are_twelve() -> None:
    assert len(EXERCISES) == len({exercise.title for exercise in EXERCISES}) == 12


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.title)
def test_an_exercise_is_open_at_first_and_can_be_solved(exercise: Exercise) -> None:
    assert judge(exercise, exercise.start)
    assert judge(exercise, exercise.solution) == ""


@pytest.mark.parametrize("exercise", [item for item in EXERCISES if item.keeps_code], ids=lambda item: item.title)
def test_other_programs_are_no_answers(exercise: Exercise) -> None:
    other = exercise.solution.replace("i++", "i += 1")
    assert judge(exercise, other) == "Only directives may change here; the rest of the program must stay."


WRONG: tuple[tuple[str, str, str], ...] = (
    (
        "a[i-4:9]",
        "a[i-4:5]",
        "a[i-4:5] does not name all that the loop uses: where it stands for a[0:5], the loop uses a[6], too.",
    ),
    ("a[i:4]", "a[i:i+3]", "is a length"),
    ("a[i-1:3]", "a[i-1:i+2]", "a length"),
    ("a[i-1:3]", "a[i-200:401]", "A block still makes"),
    ("b[i-1:3][j-1:3]", "b[i-1:3][j-1:2]", "where it stands for b[0:3][0:2], the loop uses b[1][2], too."),
    ("#pragma acc cache(a[i-1:3])\n", "", "No cache directive names a."),
    ("parallel loop", "paralel loop", "unknown directive"),
    ("cache(b[i:1])", "cache(readonly: b[i:2])", "'b' is written in a region that caches it readonly"),
    ("first += 256", "first += 1024", "The loop computes something else than it did: b[0] is "),
    ("atomic update", "atomic read", "The program cannot be translated"),
    ("part[255 - x]", "part[x]", "The loop computes something else than it did: b[0] is 0, and should be 148."),
    ("        b[i] =", "#pragma acc cache(a[i-1:3])\n        b[i] =", "There is still a cache directive."),
)
"""For each exercise what makes its solution wrong: a piece of it, another in its place, and what is told then."""


@pytest.mark.parametrize("number", range(12), ids=[exercise.title for exercise in EXERCISES])
def test_wrong_answers_are_told_why(number: int) -> None:
    old, new, told = WRONG[number]
    wrong = EXERCISES[number].solution.replace(old, new)
    assert wrong != EXERCISES[number].solution
    assert told in judge(EXERCISES[number], wrong)


@pytest.mark.parametrize(
    ("number", "old", "new", "told"),
    [
        (0, "a[i-4:9]", "a[i:9]", "the loop uses a[0], too."),
        (
            1,
            "a[i:4]",
            "a[i]",
            "a[i] does not name all that the loop uses: where it stands for a[4:1], the loop uses a[5], too.",
        ),
        (1, "a[i:4]", "a[i:i+3]", "The second number of 'a[i:i+3]' is a length; the bounds look inclusive [ACC413]."),
        (0, "a[i-4:9]", "a", "a has no tile yet: a pointer without a subarray has no known length."),
        (4, "b[i-1:3][j-1:3]", "b[i-1:3]", "b has no tile yet: the subarray has 1 dimension, the array 2."),
        (
            8,
            "a[first:256]",
            "a[first:128]",
            "a[first:128] does not name all that the loop uses",
        ),
    ],
)
def test_wrong_answers_are_told_what_to_look_at(number: int, old: str, new: str, told: str) -> None:
    wrong = EXERCISES[number].solution.replace(old, new)
    assert wrong != EXERCISES[number].solution
    assert told in judge(EXERCISES[number], wrong)


OTHERWISE = "The loop computes something else than it did: "
FINDING = "A run of this has a finding. "
IDLE = "names more than the loop uses: nothing uses "
PARALLEL = "The device must still run the loop in parallel: "


@pytest.mark.parametrize(
    ("number", "old", "new", "told"),
    [
        (8, "sum += a[k] * (i + k);", "sum += a[k] * i;", OTHERWISE),
        (8, "sum += a[k] * (i + k);", "if (0) sum += a[k] * (i + k);", f"{OTHERWISE}b[0] is 0"),
        (8, "b[i] = sum;", "b[i] = sum; b[i] = 0;", f"{OTHERWISE}b[0] is 0"),
        (8, "#pragma acc cache(a[first:256])", "sum = 0;\n#pragma acc cache(a[first:256])", OTHERWISE),
        (8, "k < first + 256 && k < N", "k < first + 128 && k < N", OTHERWISE),
        (8, " && k < N", "", f"{FINDING}Line 10: a[60000] lies outside of a, which has 60000 elements."),
        (8, "copyin(a[0:N])", "copyin(a[0:9])", f"{FINDING}Line 10: a[9] is not on the device, which has a[0:9]."),
        (8, "void f(", "int g(void);\nvoid f(", "Only the loop and its directives may change here"),
        (8, "b[i] = sum;", "b[i] = *&sum;", "Write it more simply, with loops over numbers and arrays"),
        (10, "part[x] =", "part[x / 2] =", f"{FINDING}Line 9: two iterations of a parallel loop use part[0], and one"),
        (10, "part[256]", "part[128]", f"{FINDING}Line 9: part[128] lies outside of part, which has 128 elements."),
        (10, "part[x] =", "part[x - 256] =", f"{FINDING}Line 9: part[-256] lies outside of part"),
        (10, "= a[g * 256 + x]", "= a[g * 256]", OTHERWISE),
        (10, "part[255 - x]", "a[g * 256 + 255 - x]", "Threads no longer pass anything on in shared memory."),
        (9, "loop independent", "loop seq", PARALLEL),
        (11, "#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])\n", "", PARALLEL),
    ],
)
def test_answers_that_compute_something_else_are_none(number: int, old: str, new: str, told: str) -> None:
    wrong = EXERCISES[number].solution.replace(old, new)
    assert wrong != EXERCISES[number].solution
    assert judge(EXERCISES[number], wrong).startswith(told)


def test_a_tile_of_each_thread_is_no_answer_where_one_of_the_block_is_asked_for() -> None:
    own = """void f(int n, const int *restrict at, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(at[0:n], a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
        int start = at[i];
#pragma acc cache(a[start:8])
        for (int turn = 0; turn < 4; turn++)
            for (int k = start; k < start + 8; k++)
                b[i] += a[k];
    }
}
"""
    exercise = replace(EXERCISES[0], start=own, solution=own, values={"n": 300})
    assert judge(exercise, own).startswith("Threads do not share the tile: ")


def test_bank_conflicts_may_be_mended_by_odd_strides() -> None:
    start = EXERCISES[10].start
    other = start.replace("8 *", "9 *")
    assert judge(EXERCISES[10], other.replace("2048", "2304")) == ""
    assert judge(EXERCISES[10], other).startswith(f"{FINDING}Line 9: part[2052] lies outside of part")
    assert judge(EXERCISES[10], start.replace("8 *", "2 *")) == "A warp still takes 2 turns for its words."


def test_bank_conflicts_are_measured_where_no_formula_tells_them() -> None:
    start = EXERCISES[10].start
    wrapped = start.replace("8 * x]", "(8 * x) % 2047]").replace("8 * (255 - x)]", "(8 * (255 - x)) % 2047]")
    assert judge(EXERCISES[10], wrapped) == "A warp still takes 8 turns for its words."
    other = EXERCISES[10].solution.replace("part[x]", "part[x ^ 5]").replace("part[255 - x]", "part[(255 - x) ^ 5]")
    assert judge(EXERCISES[10], other) == ""


@pytest.mark.parametrize(
    ("number", "old", "new", "told"),
    [
        (0, "a[i-4:9]", "a[i-8:17]", "4 elements at its beginning and 4 at its end."),
        (1, "a[i:4]", "a[i:8]", "4 elements at its end."),
        (2, "a[i-1:3]", "a[i-1:4]", "1 element at its end."),
        (3, "a[i-1:3]", "a[i-2:5]", "1 element at its beginning and 1 at its end."),
        (4, "b[i-1:3][j-1:3]", "b[i-2:5][j-2:5]", "2 elements at its beginning and 2 at its end."),
        (5, "a[i-1:3]", "a[i-2:4]", "1 element at its beginning."),
    ],
)
def test_more_than_is_needed_is_no_answer(number: int, old: str, new: str, told: str) -> None:
    assert f"{new} {IDLE}{told}" in judge(EXERCISES[number], EXERCISES[number].solution.replace(old, new))


@pytest.mark.parametrize("chunk", [32, 64, 100, 128, 512, 1000])
def test_a_loop_may_be_cut_into_chunks_of_any_size(chunk: int) -> None:
    assert judge(EXERCISES[8], EXERCISES[8].solution.replace("256", str(chunk))) == ""


def asked(
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    settings: serving.Settings = SETTINGS,
) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(serving.make_app(settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:4321", timeout=120) as client:
            if body is None:
                return await client.get(path, headers=headers)
            return await client.post(
                path, headers={"content-type": "application/json", **(headers or {})}, content=body
            )

    return asyncio.run(ask())


def request(**fields: object) -> bytes:
    return json.dumps({"kind": "look", "text": EXERCISES[1].start, **fields}).encode()


def test_the_page_is_served_to_its_own_address_only() -> None:
    answer = asked(HOME)
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert all(exercise.title in html.unescape(answer.text) for exercise in EXERCISES)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (HOME, {"host": "evil.example:4321"}, 421),
        (HOME, {"host": "127.0.0.1:80"}, 421),
        (ASK, {"origin": "http://evil.example"}, 403),
        (ASK, {"origin": "null"}, 403),
        (ASK, {"content-type": "text/plain"}, 415),
        ("/another-secret/ask", {}, 403),
        ("/ask", {}, 403),
        ("/a-secre/ask", {}, 403),
        ("/a-secret/page/..%2f..%2f..%2fetc%2fpasswd", {}, 403),
        ("/a-secret/../../etc/passwd", {}, 403),
    ],
)
def test_strangers_are_refused(path: str, headers: dict[str, str], status: int) -> None:
    assert asked(path, headers=headers, body=request()).status_code == status


def test_the_editor_is_a_file_of_the_package() -> None:
    answer = asked("/a-secret/editor.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "editor.LICENSE" in answer.text.splitlines()[0]
    assert asked("/another/editor.js").status_code == 403


def test_there_is_nothing_else() -> None:
    assert asked("/a-secret/page/..%2f..%2fetc%2fpasswd").status_code in (403, 404)
    assert asked("/a-secret/page/none").status_code == 404
    assert asked("/").status_code == 403


def test_requests_that_are_none_are_refused() -> None:
    assert asked(ASK, body=request(text="x" * 10_000_000)).status_code == 413
    for body in (b"", b"[1]", b"{", b'{"text": "\xff"}', b'{"text": ' + b"[" * 100_000):
        assert asked(ASK, body=body).status_code == 400
    assert asked(ASK, body=request(run=True)).status_code == 403
    assert asked(ASK, body=request(run=1)).status_code == 403


def test_a_program_is_looked_at_and_mended() -> None:
    found = asked(ASK, body=request()).json()
    (told,) = [item for item in found["diagnostics"] if item["code"] == "ACC412"]
    assert told["fixes"][0]["title"] == "write a[i:4]"
    assert "kernel f_L3_kernel" in found["explanation"]
    assert "f_L3_kernel(" in found["cuda"]
    assert not {"#include", "#line"} & set(found["cuda"].split())


def test_an_endless_expansion_is_ended() -> None:
    levels = "".join(
        f"#define A{number} A{number - 1} A{number - 1} A{number - 1} A{number - 1}\n" for number in range(1, 40)
    )
    text = f"#define A0 1;\n{levels}void f(void)\n{{\n#pragma acc parallel\nA39\n}}\n"
    answer = asked(ASK, body=request(text=text), settings=serving.Settings(4321, "a-secret", seconds=1.5))
    assert answer.json() == {"error": "this took more than 1.5 seconds and was ended"}


@pytest.mark.parametrize(
    "text",
    [
        '#include "/etc/passwd"\n',
        "#include </etc/passwd>\n",
        "#include <../../etc/passwd>\n",
        "#define F </etc/passwd>\n#include F\n",
        '#inc\\\nlude "/etc/passwd"\n',
        '#inc\\ \nlude "/etc/passwd"\n',
        '# /* a comment \n */ include "/etc/passwd"\n',
        '%:include "/etc/passwd"\n',
        '??=include "/etc/passwd"\n',
        '#inc??/\nlude "/etc/passwd"\n',
        "#include_next <stdio.h>\n",
        '#embed "/etc/passwd"\n',
        'char *s = "/*";\n#include "/etc/passwd"\nchar *t = "*/";\n',
    ],
)
def test_no_file_but_headers_of_c_is_read(text: str) -> None:
    assert refusal(text)


def test_headers_of_c_are_read() -> None:
    assert refusal("#include <stdio.h>\n  #  include <math.h> // sqrt\n#include <stdlib.h> /* malloc */\n") == ""


BOMB = """
import subprocess, sys
from accache.serve.limits import limited
command = ["sh", "-c", sys.argv[1]]
print(limited(command, b"in", float(sys.argv[2]))[0])
"""


@pytest.mark.parametrize(
    ("script", "seconds", "status"),
    [
        ("for i in 1 2 3; do setsid sleep LONG & (sleep LONG &) ; done; sleep LONG", "0.5", 124),
        ("for i in $(seq 90); do sleep LONG & done; wait", "20", 125),
        ("while :; do :; done", "0.5", 124),
        ("setsid sleep LONG & exit 7", "20", 7),
    ],
)
def test_nothing_is_left_of_a_request(script: str, seconds: str, status: int) -> None:
    long = f"{os.getpid()}{status}"  # other tests run beside this one
    command = [sys.executable, "-c", BOMB, script.replace("LONG", long), seconds]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{status}\n"
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in lines if line.startswith(f"sleep\0{long}\0".encode())]


def test_memory_and_output_have_limits() -> None:
    script = "head -c 20000000 /dev/zero; echo"
    done = subprocess.run([sys.executable, "-c", BOMB, script, "20"], capture_output=True, text=True, check=True)
    assert int(done.stdout) != 0
    script = f"{sys.executable} -c 'bytearray(9 << 30)' 2> /dev/null"
    done = subprocess.run([sys.executable, "-c", BOMB, script, "20"], capture_output=True, text=True, check=True)
    assert int(done.stdout) != 0


def test_without_the_extra_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError('uvicorn')\n")
    done = subprocess.run(
        [sys.executable, "-m", "accache", "serve"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[3]}", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 1
    assert "pip install '.[serve]' in a checkout of accache" in done.stderr


BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCRIPT = """
import json, sys
from playwright.sync_api import sync_playwright, expect
with sync_playwright() as play:
    browser = play.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
    page = browser.new_page()
    told = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto(sys.argv[2])
    page.set_default_timeout(90000)
    expect.set_options(timeout=90000)
    drawn = page.frame_locator("#page")
    expect(drawn.locator(".verdict").first).to_contain_text("no cache directive")
    page.select_option("#exercise", "transpose")
    expect(page.locator("#program")).to_contain_text("cache(tile)")
    expect(drawn.locator(".verdict").first).to_contain_text("cache(tile) is the gang")
    page.uncheck("#live")
    page.select_option("#exercise", "1")
    page.click("#check")
    expect(page.locator("#verdict")).to_contain_text("is a length, not an end")
    page.locator("#messages button").first.click()
    expect(page.locator("#program")).to_contain_text("a[i:4]")
    page.click("#check")
    expect(page.locator("#verdict")).to_have_text("Solved.")
    expect(drawn.locator(".verdict").first).to_contain_text("cache(tile)")
    page.click("#draw")
    expect(drawn.locator(".verdict").first).to_contain_text("a[i:4]")
    page.fill("#program", "#pragma acc paralel loop\\n")
    expect(page.locator("#messages")).to_contain_text("unknown directive")
    expect(page.locator(".cm-lintRange-error")).to_have_count(1)
    page.select_option("#exercise", "3")
    expect(page.locator("#messages button")).to_have_count(1)
    page.locator(".cm-lintRange").first.hover()
    page.locator(".cm-diagnosticAction").first.click()
    expect(page.locator("#program")).to_contain_text("a[i-1:3]")
    page.locator("#program").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#program")).not_to_contain_text("a[i-1:3]")
    if len(sys.argv) > 3:
        page.screenshot(path=sys.argv[3], full_page=True)
    print(json.dumps(told))
    browser.close()
"""


def browse(*words: str, given: str = "") -> str:
    """What a script prints that has a Chromium look at a playground; it gets the browser and the address."""
    if BROWSER is None:
        pytest.skip("no Chromium on this machine")
    pytest.importorskip("playwright", reason="the playwright client is not installed")
    server = subprocess.Popen([sys.executable, "-m", "accache", "serve"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        command = [sys.executable, *words, BROWSER, address]
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=600)
    finally:
        server.terminate()
        server.wait()
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_browser_solves_an_exercise_by_clicks() -> None:
    assert json.loads(browse("-c", SCRIPT)) == []


def test_the_address_is_the_servers_when_it_is_printed() -> None:
    """Who opens it at once is answered, who leaves in the middle of a request disturbs nobody, and Ctrl-C ends it."""
    command = [sys.executable, "-m", "accache", "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            _, _, host, token, _ = server.stdout.readline().split("/")
            fields = f"Host: {host}\r\nContent-Type: application/json\r\nContent-Length: 9"
            half = f"POST /{token}/ask HTTP/1.1\r\n{fields}\r\n\r\n["
            with connected(host) as connection:
                connection.sendall(half.encode())
            with connected(host) as connection:
                connection.sendall(f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
                assert connection.recv(1000).startswith(b"HTTP/1.1 403")
        finally:
            server.send_signal(signal.SIGINT)
            told = server.communicate(timeout=60)[1]
    assert told == ""


def connected(host: str) -> socket.socket:
    name, port = host.split(":")
    return socket.create_connection((name, int(port)), timeout=60)


@pytest.mark.playground
def test_a_browser_solves_all_exercises_and_wrong_answers_are_refused() -> None:
    asked = [
        {"start": item.start, "answer": item.solution, "wrong": item.solution.replace(old, new)}
        for item, (old, new, _) in zip(EXERCISES, WRONG, strict=True)
    ]
    found = json.loads(browse(str(Path(__file__).parents[1] / "solving.py"), given=json.dumps(asked)))
    assert found["console"] == []
    for exercise, (_, _, told), what in zip(EXERCISES, WRONG, found["exercises"], strict=True):
        assert what["at_first"] != "Solved.", exercise.title
        assert told in what["wrong"], exercise.title
        assert what["answered"] == "Solved.", exercise.title
    for exercise, what in zip(EXERCISES, found["exercises"], strict=True):
        assert what["how"] == ("clicked" if is_mended_by_its_first_fix(exercise) else "typed"), exercise.title


def is_mended_by_its_first_fix(exercise: Exercise) -> bool:
    """Whether the first mend that is offered solves an exercise."""
    source = SourceFile("p.c", exercise.start)
    fixes = [fix for told in offered(source, exercise.options) for fix in told.fixes]
    return bool(fixes) and judge(exercise, with_fixes(source, fixes[:1])) == ""
