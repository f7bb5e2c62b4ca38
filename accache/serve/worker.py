"""What a request asks for: a program's messages and explanation, its page, or whether an exercise is solved.

Reads one JSON object, and prints one; its argument is for how many seconds a program may run.
"""

from __future__ import annotations

import re
import sys
from typing import Literal

import msgspec
from msgspec.structs import replace

from accache.base.diagnostic_formats import DiagnosticRecord, record
from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.report.listings import cuda_lines
from accache.serve.exercises import EXERCISES, attempted
from accache.workflows.fixes.offers import translated
from accache.workflows.pages import Running, page_of

NAME = "program.c"
HEADERS = frozenset(
    (
        "assert",
        "complex",
        "ctype",
        "errno",
        "float",
        "inttypes",
        "limits",
        "locale",
        "math",
        "setjmp",
        "signal",
        "stdalign",
        "stdarg",
        "stdbool",
        "stddef",
        "stdint",
        "stdio",
        "stdlib",
        "string",
        "tgmath",
        "time",
        "wchar",
        "wctype",
        "openacc",
    )
)
"""The headers that a program may include: no other file is read."""
_FIRST = """int main(void)
{
    int a[1];
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 1; i++)
        a[i] = i;
}
"""
_JOINED = re.compile(r"\\[ \t\v\f]*\r?\n")
_READING = re.compile(r"(?:#|%:|\?\?=)(?:\s|/\*.*?\*/)*(include\w*|import|embed)\b(?:[ \t]|/\*.*?\*/)*([^\n]*)", re.S)
_WANTED = re.compile(r"<(\w+)\.h>\s*(?://.*|/\*.*\*/\s*)?")


class Request(msgspec.Struct, forbid_unknown_fields=True):
    """What is asked about a text: ``kind`` is look, page or exercise; ``exercise`` numbers the one it answers."""

    kind: Literal["look", "page", "exercise"]
    text: str
    exercise: int | None = None
    run: bool = False


class Answer(msgspec.Struct, omit_defaults=True):
    """What is answered; fields that were not asked for are left out."""

    diagnostics: tuple[DiagnosticRecord, ...] = ()
    explanation: str = ""
    cuda: str = ""
    page: str = ""
    solved: bool = False
    words: str = ""
    error: str = ""


def answer(request: Request, run_seconds: float) -> Answer:
    """Work a request out; a program runs for so many seconds at most."""
    refused = refusal(request.text)
    if refused:
        return Answer(error=refused)
    source = SourceFile(NAME, request.text.replace("\r\n", "\n").replace("\r", "\n"))
    number = request.exercise
    if (number is None and request.kind == "exercise") or (number is not None and not 0 <= number < len(EXERCISES)):
        return Answer(error="there is no such exercise")
    options = replace(Options() if number is None else EXERCISES[number].options, line=True)
    if request.kind == "page":
        return _page(source, options, Running(request.run, seconds=run_seconds))
    if number is None or request.kind != "exercise":
        return _look(source, options)
    words = EXERCISES[number].judge(attempted(source, options))
    return Answer(solved=not words, words=words or "Solved.")


def refusal(text: str) -> str:
    """Reason a text is refused, or '': it would read files, or looks as if it did."""
    if "??/" in text:
        return "the trigraph for a backslash is not taken here"
    for found in _READING.finditer(_JOINED.sub("", text)):
        wanted = _WANTED.fullmatch(found[2].strip())
        if found[1] != "include" or wanted is None or wanted[1] not in HEADERS:
            return f"only headers of C and openacc.h may be included here, not {found[2].strip()[:60] or found[1]}"
    return ""


def _look(source: SourceFile, options: Options) -> Answer:
    try:
        made = translated(source, options)
    except CompileError as error:
        return Answer(tuple(map(record, error.diagnostics)))
    cuda = "\n".join(line.text for line in cuda_lines(made.device, NAME))
    return Answer(tuple(map(record, made.diagnostics)), str(made.report), cuda)


def _page(source: SourceFile, options: Options, running: Running) -> Answer:
    try:
        again = f"accache explain --html page.html {NAME}"
        page, told = page_of(source, options, running, again)
    except CompileError as error:
        return Answer(tuple(map(record, error.diagnostics)), error="the program cannot be translated")
    return Answer(tuple(map(record, told)), page=page.html())


def prepare() -> None:
    """Run a program once, so that what all runs share is built: a request has no time for that."""
    page_of(SourceFile(NAME, _FIRST), Options(), Running(), "")


def main() -> None:
    """Answer one request."""
    try:
        request = msgspec.json.decode(sys.stdin.buffer.read(), type=Request)
    except msgspec.DecodeError as error:
        found = Answer(error=f"this is no request: {error}")
    else:
        found = answer(request, float(sys.argv[1]))
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
