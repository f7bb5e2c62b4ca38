"""``accache preload --private``: kernels of a .cu text with versions whose threads have lines, and launches of these.

Each kernel stays as it is. Its second version follows it; launches in the file take that where a line finds room.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.resources import headers
from accache.base.text import BYTE_ORDER_MARK, Edit, SourceFile, Span, read_source_file, splice
from accache.cpu.definitions import kernel_definitions, parameter_name
from accache.cpu.tokens import HASH
from accache.cuda.items import Item
from accache.cuda.launch_sites import Family, family, launches_in_macros, sites
from accache.cuda.needed import macros
from accache.cuda.text import Cuda, read_cuda
from accache.emit import templates
from accache.emit.macros import beside_macros
from accache.emit.preload.launches import before_all, calls, spliced
from accache.emit.preload.version import declared_launcher, with_defaults
from accache.emit.sections import quoted
from accache.workflows.private_lines.kernels import Kernel, Program, Refusals, with_lines
from accache.workflows.private_lines.scan import conditions, declared

_HEADER = "accache_private.cuh"
_QUOTED = re.compile(rf'{HASH}include[ \t]*"([^"\n]+)"')
_CUDA = ("cuda", "device_", "cooperative_groups", "math_constants", "vector_", "stdio", "stdlib", "math.h", "accache_")


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
    cuda = read_cuda(source, folders)
    known = declared(cuda.files, defines)
    lacking = _lacking(cuda)
    if lacking:
        known = replace(known, unclear=f"the header {lacking} is not found")
    program = Program(cuda, known, conditions(cuda))
    names = [item.name for item in cuda.kernels]
    edits: list[Edit] = []
    done: list[Item] = []
    for item in cuda.kernels:
        told = Refusals([])
        kernel = None
        if names.count(item.name) == 1:
            kernel = with_lines(program, item, lines.parameters, told)
        else:
            told.add("", "another kernel has its name", cuda.tokens[item.body])
        made = tuple(_edits(program, kernel, lines, told, reporter=reporter)) if kernel is not None else ()
        for name, reason, token in told.found:
            place = cuda.source.locate(Span(token.start, token.end))
            if name:
                reporter.report("ACC987", place, kernel=item.name, name=name, reason=reason)
            else:
                reporter.report("ACC986", place, kernel=item.name, reason=reason)
        edits += made
        done += [item] if made else []
    for definition in kernel_definitions(cuda.tokens):
        if definition.name not in names:
            body = cuda.source.location(cuda.tokens[definition.body].start)
            reporter.report("ACC986", body, kernel=definition.name, reason="it stands in brackets that do not match")
    if done:
        header = (headers() / _HEADER).read_text(encoding="utf-8")
        met = frozenset(name for name, _ in (*macros(cuda), *defines))
        edits.insert(0, before_all(cuda, done, beside_macros(header, met)))
    for name in dict.fromkeys(lines.parameters):
        if name not in _pointers(cuda):
            reporter.report("ACC994", name=name)
    mark = BYTE_ORDER_MARK if source.text.startswith(BYTE_ORDER_MARK) else ""
    return mark + spliced(cuda, edits), tuple(item.name for item in done)


def _pointers(cuda: Cuda) -> set[str]:
    """The names of the pointer parameters of kernels."""
    parts = (cuda.tokens[first:end] for item in cuda.kernels for first, end in item.parameters)
    return {parameter_name(part) for part in parts if any(token.text == "*" for token in part)}


def _lacking(cuda: Cuda) -> str:
    """A header in quotes that is neither there nor one of CUDA's; '' if there is none."""
    seen = {Path(file.source.name).name for file in cuda.files}
    texts = (file.source.text[span.start : span.end] for file in cuda.files for span in file.directives)
    quoted = (found[1] for found in map(_QUOTED.match, texts) if found is not None)
    return next((name for name in quoted if Path(name).name not in seen and not name.startswith(_CUDA)), "")


def _edits(program: Program, kernel: Kernel, lines: Lines, told: Refusals, *, reporter: Reporter) -> Iterator[Edit]:
    """The second version of a kernel, what launches either, and calls of that; none if no launch may call it."""
    cuda, item = program.cuda, kernel.item
    found = family(cuda, item.name)
    uses = tuple(sites(cuda, found))
    left = [(cuda.tokens[site.name].start, site.reason) for site in uses if site.reason]
    left += [(place, "a macro holds the launch") for place in launches_in_macros(cuda, item.name)]
    for place, reason in sorted(left):
        reporter.report(
            "ACC992", cuda.source.locate(Span(place, place + len(item.name))), kernel=item.name, reason=reason
        )
    if all(site.reason for site in uses):
        told.add("", "no launch of it in this file can take another version", cuda.tokens[item.body])
        return
    launch = f"{item.name}_lines"
    end = cuda.tokens[item.end - 1].end
    yield Edit(Span(end, end), _version(cuda, kernel, lines) + _launcher(cuda, kernel, lines))
    yield from _declared(cuda, found, launch)
    yield from calls(cuda, found, launch)


def _declared(cuda: Cuda, found: Family, launch: str) -> Iterator[Edit]:
    """What launches the kernel is declared wherever the kernel is."""
    for item in found.declarations:
        place = cuda.tokens[item.end - 1].end
        yield Edit(Span(place, place), declared_launcher(cuda, item, launch))


def _version(cuda: Cuda, kernel: Kernel, lines: Lines) -> str:
    """The second version of a kernel, as it follows the first one."""
    tokens, item = cuda.tokens, kernel.item
    first = item.first + (2 if tokens[item.first].text == "extern" else 0)
    opening = next(k for k in range(first, item.body) if tokens[k].text == "(" and tokens[k - 1].text == item.name)
    name, body = tokens[opening - 1], tokens[item.body]
    render = templates.macros("cuda/private/kernel.cu.jinja")
    added = "".join(f"accache_private::extent {array.name}_extent, " for array in kernel.arrays)
    entry = str(render.entry(kernel.arrays, lines, str(kernel.apart).lower()))
    edits = [
        *kernel.edits,
        Edit(Span(name.end, name.end), "_private"),
        Edit(Span(tokens[opening].end, tokens[opening].end), f"int accache_lines, int accache_first, {added}"),
        Edit(Span(body.end, body.end), f"\n{entry}"),
    ]
    start = tokens[first].start
    moved = tuple(Edit(Span(edit.span.start - start, edit.span.end - start), edit.text) for edit in edits)
    remark = f"// {item.name} with lines of its threads' own, as many as the launch finds room for."
    is_static = any(token.text == "static" for token in tokens[first:opening])
    text = splice(SourceFile("", cuda.spelled(first, item.end)), moved)
    return f"\n\n{remark}\n{'' if is_static else 'static '}{text}"


def _launcher(cuda: Cuda, kernel: Kernel, lines: Lines) -> str:
    """The function that launches the kernel or its second version."""
    item = kernel.item
    names = [parameter_name(cuda.tokens[first:end]) for first, end in item.parameters]
    return templates.render(
        "cuda/private/launcher.cu.jinja",
        kernel=item.name,
        parameters=with_defaults(cuda, item),
        arguments=", ".join(names),
        extents="".join(f"accache_private::extent_of({array.name}), " for array in kernel.arrays),
        arrays=len(kernel.arrays),
        names=", ".join(quoted(array.name) for array in kernel.arrays),
        line=lines.bytes,
        calls=lines.calls,
    )
