"""Reading C: the user's file, and what the C preprocessor makes of it, with the way back to raw lines."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from accache.base.diagnostics import CompileError, Reporter
from accache.base.environment import first_error, plain_english
from accache.base.options import OPENACC_VERSION
from accache.base.resources import headers
from accache.base.text import Location, SourceFile, Span, read_source_file
from accache.frontend.source.complaints import remedy
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.gnu import standardise
from accache.frontend.source.macros import loop_macros, pragma_macros
from accache.frontend.source.marks import (
    PRAGMA,
    Reader,
    expands_pragmas,
    inactive,
    place_in_file,
    with_marks,
    without_idle_markers,
)
from accache.frontend.source.system_headers import without_unused_declarations
from accache.frontend.source.tokens import DIRECTIVE, Token

LANGUAGES = (
    ((".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp"), "C++"),
    (
        (".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".F", ".FOR", ".F77", ".F90", ".F95", ".F03", ".F08"),
        "Fortran",
    ),
    ((".cu", ".cuh"), "CUDA"),
)
_FLAGS = ("-x", "c", "-std=gnu17", "-U_OPENACC", f"-D_OPENACC={OPENACC_VERSION}")
_INPUT = "/dev/stdin"  # as "-", gcc would search the current folder for "file.h" before the one of the source
_TAB = "-ftabstop=1"  # columns count characters
_TEXT_FLAGS = ("-fopenacc", "-dD", _TAB)  # expand macros in pragmas; show definitions

_MAY_ALIAS = re.compile(r"\b_*may_alias_*\b")
_CONDITIONAL = re.compile(r"#\s*(?:if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b")
_PROFILING = "acc_prof.h"
_UNIVERSAL = r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\\(?:U([0-9a-fA-F]{8})|u([0-9a-fA-F]{4}))"""


class PreprocessOptions(Struct, frozen=True):
    """The command that preprocesses, and the user's own options for it (``-I``, ``-D``, ...)."""

    compiler: tuple[str, ...] = ("cc",)
    arguments: tuple[str, ...] = ()


class Preprocessed(Struct, frozen=True):
    """A file after preprocessing.

    ``text`` is standard C with line markers and the file's pragmas. ``inactive`` holds the parts of
    the raw file that #if leaves out, in order. ``pragmas`` has raw line and macro-expanded text (what
    follows ``acc``) of each acc pragma of the file itself, in order; a pragma that a macro makes has
    the line of the macro's use. ``included_pragmas`` are acc pragmas of other files that are not
    system headers; ``entries`` are the lines of the #include directives that lead to them, and the
    headers these name. ``pragma_macros`` are the macros that expand to exactly one pragma; it is empty
    where every pragma stands in the raw text. ``loop_macros`` expand to the heads of loops. ``macros``
    are the names of all macros that are or were defined, in the file and in headers, as far as the
    preprocessor tells; ``constants`` those of them that need no arguments, ``own_macros`` those that
    only the user defines, at the end of the file.
    ``given`` are the macros of the command line, by name, as a #define spells them behind it; None for one that is
    undefined there. ``ambient`` are the names that the compiler, its headers or what comes before the file define,
    ``values`` what the object-like ones of the user stand for, ``headers`` the user's headers that were read.
    ``openacc`` says that <openacc.h> is included, ``strict_aliasing`` that nothing, an option or an attribute, suspends
    C's rules on what types memory may be used with. ``written`` is ``text`` as the compiler's preprocessor wrote it.
    """

    text: str
    inactive: tuple[Span, ...] = ()
    pragmas: tuple[tuple[int, str], ...] = ()
    included_pragmas: tuple[tuple[str, int], ...] = ()
    entries: tuple[tuple[int, str], ...] = ()
    pragma_macros: frozenset[str] = frozenset()
    loop_macros: frozenset[str] = frozenset()
    macros: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    own_macros: frozenset[str] = frozenset()
    given: tuple[tuple[str, str | None], ...] = ()
    ambient: frozenset[str] = frozenset()
    values: tuple[tuple[str, str], ...] = ()
    headers: tuple[str, ...] = ()
    openacc: bool = False
    written: str = ""
    strict_aliasing: bool = True


def read_source(name: str, reporter: Reporter) -> SourceFile:
    """Read a C file; ``-`` is standard input.

    :raises CompileError: the file cannot be read (ACC101), its suffix is another language's (ACC102), or its name has
        more than one line (ACC107).
    """
    if "\n" in name or "\r" in name:
        raise reporter.fail("ACC107", name=repr(name))
    path = Path(name)
    for suffixes, language in LANGUAGES:
        if path.suffix in suffixes:
            raise reporter.fail("ACC102", Location(name, 1), name=name, language=language)
    try:
        return read_source_file(name)
    except OSError as error:
        raise reporter.fail("ACC101", name=name, reason=error.strerror or str(error)) from error


def marked_output(source: SourceFile, options: PreprocessOptions, reporter: Reporter) -> str:
    """What the C preprocessor makes of a marked copy of a file.

    :raises CompileError: the preprocessor failed (ACC103).
    """
    tokens = active_tokens(source)
    return _run(source, with_marks(source, tokens, _groups(tokens)), options, reporter)


def _groups(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The conditional lines of a file."""
    return tuple(token for token in tokens if token.kind == DIRECTIVE and _CONDITIONAL.match(token.text))


def preprocess(
    source: SourceFile, options: PreprocessOptions, reporter: Reporter, output: str | None = None
) -> Preprocessed:
    """Run the C preprocessor once over a marked copy of the file, and read the marks back.

    The ``output`` is that of ``marked_output``, if it was asked for before.

    :raises CompileError: the preprocessor failed (ACC103).
    """
    tokens = active_tokens(source)
    groups = _groups(tokens)
    output = marked_output(source, options, reporter) if output is None else output
    if not expands_pragmas(output):
        output = _run(source, with_marks(source, tokens, groups, expand=True), options, reporter)
    reader = Reader(output, source)
    written = reader.text()
    used = without_idle_markers(without_unused_declarations(written))
    text = standardise(used)
    macros = frozenset[str]()
    if len(reader.pragmas) > sum(1 for token in tokens if _is_pragma(token)):
        macros = pragma_macros(reader.macros)
    return Preprocessed(
        text,
        inactive(source, groups, frozenset(reader.groups)),
        tuple(reader.pragmas),
        tuple(reader.included),
        entries=tuple(reader.entries),
        pragma_macros=macros,
        loop_macros=loop_macros(reader.macros),
        macros=frozenset(reader.macros) - {PRAGMA},
        constants=frozenset(reader.constants),
        own_macros=frozenset(reader.own - reader.theirs),
        given=tuple(reader.given.items()),
        ambient=frozenset(reader.theirs | reader.before),
        values=tuple((name, reader.macros[name]) for name in sorted(reader.own & reader.constants)),
        headers=tuple(reader.headers),
        openacc=reader.openacc,
        written=written,
        strict_aliasing=_is_strict((*options.compiler, *options.arguments)) and not _mentions_aliases(used),
    )


def _is_strict(flags: Sequence[str]) -> bool:
    """Whether the last flag that is about the rules of C on types of memory leaves them in force."""
    found = [flag for flag in flags if flag in ("-fstrict-aliasing", "-fno-strict-aliasing")]
    return not found or found[-1] == "-fstrict-aliasing"


def _mentions_aliases(text: str) -> bool:
    """Whether a text has the attribute that lets a type stand for any; few texts have its name."""
    return "may_alias" in text and _MAY_ALIAS.search(text) is not None


def _is_pragma(token: Token) -> bool:
    return token.text == "_Pragma" or (token.kind == DIRECTIVE and re.match(r"#\s*pragma\b", token.text) is not None)


def _run(source: SourceFile, marked: str, options: PreprocessOptions, reporter: Reporter) -> str:
    """The preprocessor's output."""
    try:
        result = _call(source, marked, options, "-E", optional=_TEXT_FLAGS)
    except OSError as error:
        reason = f"cannot run '{options.compiler[0]}': {error.strerror}"
        place = Location(source.name, 1)
        raise reporter.fail("ACC103", place, reason=reason, hint=remedy(reason, source.name)) from error
    if result.returncode:
        raise _failure(source, result.stderr.decode("utf-8", "replace"), reporter)
    output = result.stdout.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    return re.sub(_UNIVERSAL, _character, output) if "\\u" in output or "\\U" in output else output


def first_complaint(source: SourceFile, options: PreprocessOptions) -> tuple[Location, str] | None:
    """What the C compiler finds wrong with a file; None if it accepts it or cannot be run."""
    try:
        result = _call(
            source, with_marks(source, active_tokens(source), ()), options, "-fsyntax-only", optional=("-w", _TAB)
        )
    except OSError:
        return None
    found = first_error(result.stderr.decode("utf-8", "replace")) if result.returncode else None
    return (place_in_file(source, found[0]), found[1]) if found is not None else None


def make_rule(file: str, targets: Sequence[str], options: PreprocessOptions) -> str:
    """A rule for make: what is made from a file, the file, and the headers it includes but for those of the system.

    Raises CompileError if the C compiler cannot tell.
    """
    named = [word for target in targets for word in ("-MQ", target)]
    command = (*options.compiler, "-MM", "-MP", *named, *_FLAGS, "-isystem", str(headers()), *options.arguments, file)
    result = subprocess.run(command, capture_output=True, check=False, env=plain_english())
    if result.returncode:
        raise _failure(SourceFile(file, ""), result.stderr.decode("utf-8", "replace"), Reporter())
    return result.stdout.decode("utf-8", "surrogateescape")


def _call(
    source: SourceFile, text: str, options: PreprocessOptions, task: str, *, optional: tuple[str, ...]
) -> subprocess.CompletedProcess[bytes]:
    """Give the C compiler a text for a file; of the optional flags those are dropped that it does not know.

    :raises OSError: there is no such compiler.
    """
    own = ("-iquote", str(Path(source.name).parent), "-I", str(headers()))
    data = text.encode("utf-8", "surrogateescape")
    while True:
        command = (*options.compiler, task, *_FLAGS, *options.arguments, *own, *optional, _INPUT)
        result = subprocess.run(command, input=data, capture_output=True, check=False, env=plain_english())
        messages = result.stderr.decode("utf-8", "replace")
        known = tuple(flag for flag in optional if flag not in messages)
        if not result.returncode or known == optional:
            return result
        optional = known


def _character(found: re.Match[str]) -> str:
    """A letter that the preprocessor wrote as a universal character name; literals stay."""
    code = int(found[2] or found[3] or "0", 16)
    return found[1] or (chr(code) if code <= sys.maxunicode else found[0])


def _failure(source: SourceFile, messages: str, reporter: Reporter) -> CompileError:
    """The compiler's first error, at its own place."""
    found = first_error(messages)
    if found is None:
        lines = messages.strip().splitlines() or ["it gave no reason"]
        return reporter.fail("ACC103", Location(source.name, 1), reason=lines[0], hint=remedy(lines[0], source.name))
    if Path(found[0].file).name == _PROFILING:
        return reporter.fail("ACC222", _included(source, messages) or found[0], name=_PROFILING)
    return reporter.fail("ACC103", place_in_file(source, found[0]), reason=found[1], hint=remedy(found[1], source.name))


def _included(source: SourceFile, messages: str) -> Location | None:
    """The line of the #include in a file by which a header is read that the compiler complains of."""
    for name, line in re.findall(r"^(?:In file included| +)? from (.+?):(\d+)[:,]", messages, re.M):
        if name == source.name:
            return Location(name, int(line))
    return None
