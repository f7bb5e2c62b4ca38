"""``accache preload --private``: kernels of a .cu text with versions whose threads have lines, and launches of these.

Each kernel stays as it is. Its second version follows it; launches in the file take that where a line finds room.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.resources import headers
from accache.base.text import Edit, SourceFile, Span, read_source_file, splice
from accache.cpu.definitions import KernelDefinition, kernel_definitions, parameter_name, separated
from accache.cpu.launches import launch_places
from accache.cpu.sources import CudaProgram, read_program
from accache.cpu.tokens import Token, closing, tokenise
from accache.emit.templates import environment
from accache.workflows.private_lines.kernels import Kernel, Program, Refusals, with_lines
from accache.workflows.private_lines.scan import DIRECTIVE, blanked, declared

_HEADER = "accache_private.cuh"
_PRAGMA = re.compile(r"[ \t]*#[ \t]*pragma\b")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*\n", re.M)
_QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
_CUDA = ("cuda", "device_", "cooperative_groups", "math_constants", "vector_", "stdio", "stdlib", "math.h", "accache_")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|endif)", re.M)


class Lines(Struct, frozen=True):
    """What the user asks for: bytes of a line, calls that are monitored, and parameters; none for all that can."""

    bytes: int = 16
    calls: int = 300
    parameters: tuple[str, ...] = ()


def give_lines(program: str, flags: Sequence[str], lines: Lines, reporter: Reporter) -> tuple[str, tuple[str, ...]]:
    """The same for a file; ``flags`` are the user's -I, -D, -U and -std=.

    Raises:
        CompileError: it is no CUDA (ACC983), or cannot be read (ACC101).
    """
    if Path(program).suffix not in (".cu", ".cuh"):
        raise reporter.fail("ACC983", name=program)
    try:
        source = read_source_file(program)
    except OSError as error:
        raise reporter.fail("ACC101", name=program, reason=error.strerror or error) from error
    folders = tuple(Path(flag[2:]) for flag in flags if flag.startswith("-I"))
    defines = tuple((name, value if is_set else "1") for name, is_set, value in map(_defined, flags) if name)
    return rewrite(source, folders, lines, reporter, defines=defines)


def _defined(flag: str) -> tuple[str, str, str]:
    """``-DNAME=value`` in parts."""
    return flag[2:].partition("=") if flag.startswith("-D") else ("", "", "")


def rewrite(
    source: SourceFile,
    folders: Sequence[Path],
    lines: Lines,
    reporter: Reporter,
    *,
    defines: Sequence[tuple[str, str]] = (),
) -> tuple[str, tuple[str, ...]]:
    """The text with such versions, and the kernels that have one.

    ``folders`` are where headers are looked for, ``defines`` macros of the command line.

    Reports (ACC986, ACC987) what has no lines, and why.
    """
    program = _program(source, folders, defines)
    known = list(kernel_definitions(program.tokens))
    names = [definition.name for definition in known]
    edits: list[Edit] = []
    done: list[Kernel] = []
    for definition in known:
        told = Refusals([])
        kernel = None
        if names.count(definition.name) == 1:
            kernel = with_lines(program, definition, lines.parameters, told)
        else:
            told.add("", "another kernel has its name", program.tokens[definition.body])
        launched = tuple(_launches(program, kernel, lines, told)) if kernel is not None else ()
        for name, reason, token in told.found:
            place = source.locate(Span(token.start, token.end))
            if name:
                reporter.report("ACC987", place, kernel=definition.name, name=name, reason=reason)
            else:
                reporter.report("ACC986", place, kernel=definition.name, reason=reason)
        if kernel is None:
            continue
        if not launched:
            where = program.tokens[definition.body]
            reason = "no launch of it in this file can take another version"
            reporter.report(
                "ACC986", source.locate(Span(where.start, where.end)), kernel=definition.name, reason=reason
            )
            continue
        end = program.tokens[kernel.end - 1].end
        edits += [*launched, Edit(Span(end, end), _version(source.text, program.tokens, kernel, lines))]
        done.append(kernel)
    if done:
        edits.append(_included(source, program.tokens[done[0].first].start))
    for name in dict.fromkeys(lines.parameters):
        if name not in _pointers(program, known):
            reporter.report("ACC994", name=name)
    return splice(source, tuple(edits)), tuple(kernel.definition.name for kernel in done)


def _pointers(program: Program, known: Sequence[KernelDefinition]) -> set[str]:
    """The names of the pointer parameters of kernels."""
    parts = (program.tokens[first:end] for each in known for first, end in each.parameters)
    return {parameter_name(part) for part in parts if any(token.text == "*" for token in part)}


def _lacking(files: CudaProgram) -> str:
    """A header in quotes that is neither there nor one of CUDA's; '' if there is none."""
    seen = {path.name for path, _ in files.headers}
    quoted = (name for text in files.texts for name in _QUOTED.findall(text))
    return next((name for name in quoted if Path(name).name not in seen and not name.startswith(_CUDA)), "")


def _program(source: SourceFile, folders: Sequence[Path], defines: Sequence[tuple[str, str]]) -> Program:
    """The text as tokens, without directives; what it declares also of the user's headers."""
    text = blanked(source.text)
    files = read_program(source, folders)
    known = declared(files.texts, defines)
    lacking = _lacking(files)
    if lacking:
        known = replace(known, unclear=f"the header {lacking} is not found")
    directives = tuple(found.start() for found in DIRECTIVE.finditer(source.text) if not _PRAGMA.match(found[0]))
    return Program(text, tokenise(text), known, directives)


def _version(text: str, tokens: tuple[Token, ...], kernel: Kernel, lines: Lines) -> str:
    """The second version of a kernel, as it follows the first one."""
    start, end = tokens[kernel.first].start, tokens[kernel.end - 1].end
    body = tokens[kernel.definition.body]
    name = next(
        index for index in range(kernel.definition.body, -1, -1) if tokens[index].text == kernel.definition.name
    )
    render: Any = environment().get_template("cuda/private/kernel.cu.jinja").module
    entry = str(render.entry(kernel.arrays, lines, str(kernel.apart).lower()))
    added = "".join(f"accache_private::extent {array.name}_extent, " for array in kernel.arrays)
    edits = [
        *kernel.edits,
        Edit(Span(tokens[name].end, tokens[name].end), "_private"),
        Edit(Span(tokens[name + 1].end, tokens[name + 1].end), f"int accache_lines, int accache_first, {added}"),
        Edit(Span(body.end, body.end), f"\n{entry}"),
    ]
    moved = tuple(Edit(Span(edit.span.start - start, edit.span.end - start), edit.text) for edit in edits)
    remark = f"// {kernel.definition.name} with lines of its threads' own, as many as the launch finds room for."
    has_type = any(token.text == "void" for token in tokens[kernel.first : name])
    head = "static" if has_type else "static void"  # void __global__ f
    return f"\n\n{remark}\n{head} {splice(SourceFile('', text[start:end]), moved)}"


def _launches(program: Program, kernel: Kernel, lines: Lines, told: Refusals) -> Iterator[Edit]:
    """The edits of the launches of a kernel that can take its second version."""
    tokens, text = program.tokens, program.text
    for first, opening, end in launch_places(tokens):
        if tokens[opening - 1].text != kernel.definition.name:
            continue
        last = closing(tokens, end + 1)
        reason = _unfit(tokens, first, opening, end, last=last, kernel=kernel)
        if reason:
            told.add("", reason, tokens[first])
            continue
        parts = [_text(text, tokens, part) for part in separated(tokens, opening + 1, end)]
        arguments = [_text(text, tokens, part) for part in separated(tokens, end + 2, last)]
        once = [(item.place, arguments[item.place]) for item in kernel.arrays]
        for place, _ in once:
            arguments[place] = f"accache_argument_{place}"
        view = {
            "once": sorted(once),
            "kernel": kernel.definition.name,
            "grid": parts[0],
            "block": parts[1],
            "dynamic": parts[2] if len(parts) > 2 else "0",
            "stream": f", {parts[3]}" if len(parts) > 3 else "",
            "arguments": ", ".join(arguments),
            "extents": "".join(f"accache_private::extent_of({arguments[item.place]}), " for item in kernel.arrays),
            "arrays": len(kernel.arrays),
            "line": lines.bytes,
            "calls": lines.calls,
        }
        render: Any = environment().get_template("cuda/private/kernel.cu.jinja").module
        column = text[text.rfind("\n", 0, tokens[first].start) + 1 : tokens[first].start]
        indent = column if not column.strip() else ""
        launch = str(render.launch(view)).replace("\n", f"\n{indent}")
        yield Edit(Span(tokens[first].start, tokens[last + 1].end), launch)


def _unfit(tokens: tuple[Token, ...], first: int, opening: int, end: int, *, last: int, kernel: Kernel) -> str:
    """Why a launch cannot choose between two versions; '' if it can."""
    if (
        first != opening - 1
        or tokens[first - 1].text not in (";", "{", "}", ")", "else")
        or tokens[last + 1].text != ";"
    ):
        return "a launch of it is no statement of its own"
    if first < kernel.end:
        return "a launch of it stands in front of its body"
    if len(list(separated(tokens, end + 2, last))) != len(kernel.definition.parameters):
        return "a launch leaves arguments to their defaults"
    words = [token.text for token in tokens[opening:last]]
    changes = any(one == two and one in "+-" for one, two in pairwise(words))
    changes = changes or any(word == "=" for word in words)
    return "a launch changes variables in its arguments" if changes else ""


def _text(text: str, tokens: tuple[Token, ...], part: tuple[int, int]) -> str:
    return text[tokens[part[0]].start : tokens[part[1] - 1].end]


def _included(source: SourceFile, before: int) -> Edit:
    """The header behind the last unconditional #include before a place, else in front of all."""
    place = 0
    for found in _INCLUDE.finditer(source.text, 0, before):
        conditions = [item[1] for item in _CONDITION.finditer(source.text, 0, found.start())]
        if conditions.count("if") == conditions.count("endif"):
            place = found.end()
    line = source.text.count("\n", 0, place) + 1
    header = (headers() / _HEADER).read_text(encoding="utf-8")
    name = source.name.replace("\\", "\\\\").replace('"', '\\"')
    return Edit(Span(place, place), f'{header}#line {line} "{name}"\n')
