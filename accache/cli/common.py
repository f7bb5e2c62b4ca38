"""What the commands share: options of a translation, preprocessor flags, diagnostics, exit statuses."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from accache.base.architectures import ARCHITECTURES, architecture
from accache.base.colours import are_wanted
from accache.base.diagnostic_formats import FORMATS, render
from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import CHOICES, MOST, OptionError, Options, default_compiler
from accache.base.output import write_files
from accache.base.text import SourceFile

if TYPE_CHECKING:
    from accache.driver import Translation

COMPILE_ERROR = 1
FINDINGS = 3

Function = Callable[..., Any]
Decorator = Callable[[Function], Function]

FILE_NAME = click.Path(readable=False)
"""The name of a file, which shells complete; whether it can be read is told of later, in the form asked for."""

_DEFAULT = Options()
_READ = ("file", "files", "program", "trace", "measured")
_WRITTEN = ("html", "diagnostics_file")
"""The options and arguments that name what a command reads, and what it writes besides its result."""
_SOURCES = frozenset((".c", ".h", ".cu", ".cuh", ".cpp", ".ptx"))
_PREPROCESSOR_FLAG = re.compile(r"-([IDU])(.*)|-std=.+", re.DOTALL)


class Talk(Struct, frozen=True):
    """How the user wants to hear of diagnostics."""

    form: str
    quiet: bool
    path: str = ""

    def tell(self, diagnostics: tuple[Diagnostic, ...], sources: tuple[SourceFile, ...] = ()) -> None:
        """Print diagnostics to standard error, or write them; JSON and SARIF also when there are none.

        ``sources`` are read from no file.
        """
        has_colours = not self.path and are_wanted(sys.stderr)
        text = render(diagnostics, self.form, self.quiet, sources, has_colours=has_colours)
        if not self.path:
            click.echo(text, err=True, nl=False, color=True if has_colours else None)
            return
        try:
            write_files(((self.path, text),))
        except OSError as error:
            raise click.FileError(self.path, error.strerror) from error

    def summarise(self, translation: Translation) -> None:
        """Print what became of each cache directive; nothing where stderr must stay JSON or SARIF."""
        if self.form == "text" and not self.quiet and not self.path and (short := translation.report.short()):
            click.echo(short, err=True)

    def conclude(self, text: str) -> None:
        """Print a closing line; nothing where stderr must stay JSON or SARIF."""
        if self.form == "text" and not self.quiet and not self.path:
            click.echo(f"accache: {text}", err=True)

    def fail(self, error: CompileError) -> click.exceptions.Exit:
        """Print what stopped a translation; the caller raises the result."""
        self.tell(error.diagnostics)
        return click.exceptions.Exit(COMPILE_ERROR)


def page_option(text: str) -> Decorator:
    """The option --html of a command that writes a page."""
    return click.option("--html", metavar="PATH", type=FILE_NAME, callback=_page_path, help=text)


def _page_path(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value in ("", "-"):
        raise click.BadParameter("a page goes into a file (standard output is /dev/stdout)")
    if value is not None and Path(value).suffix in _SOURCES:
        page = Path(value).with_suffix(".html")
        raise click.BadParameter(
            f"the page would overwrite the program '{value}'; name the page first: --html {page} {value}"
        )
    return value


def write_page(path: str, text: str) -> None:
    """Write a page; a file that cannot be written ends the command."""
    try:
        write_files(((path, text),))
    except OSError as error:
        raise click.FileError(path, error.strerror) from error


@contextmanager
def needs(extra: str, library: str, purpose: str) -> Iterator[None]:
    """Import what an extra brings; without it the command ends with what to install (ACC811)."""
    try:
        yield
    except ModuleNotFoundError as error:
        reporter = Reporter()
        found = reporter.fail("ACC811", library=library, option=purpose, extra=extra)
        raise Talk("text", False).fail(found) from error


def _names(value: object) -> Iterator[str]:
    """The names of files in the value of an option or argument."""
    yield from (name for name in (value if isinstance(value, tuple) else (value,)) if isinstance(name, str) and name)


class RepeatableCommand(click.Command):
    """A command that knows its words, for pages that tell what makes them again."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words, then parse them."""
        ctx.meta.setdefault("accache.words", tuple(args))
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Obey, if no page or list of messages would take the place of what is read."""
        read = [name for option in _READ for name in _names(ctx.params.get(option))]
        for option in _WRITTEN:
            for path in _names(ctx.params.get(option)):
                if any(Path(path).resolve() == Path(name).resolve() for name in read if name != "-"):
                    raise click.UsageError(f"--{option.replace('_', '-')} would overwrite '{path}'", ctx)
        return super().invoke(ctx)


def command_again() -> str:
    """The command line that is being obeyed, of a RepeatableCommand."""
    context = click.get_current_context()
    return shlex.join(("accache", str(context.info_name), *context.meta["accache.words"]))


class CompilerCommand(RepeatableCommand):
    """A command that takes a C compiler's -I, -D, -U and -std= as well, and keeps their order."""

    flags = _PREPROCESSOR_FLAG
    descriptions: tuple[tuple[str, str], ...] = (
        ("-I DIR", "Look for included files in DIR too."),
        ("-D NAME[=VALUE]", "Define a macro."),
        ("-U NAME", "Undefine a macro."),
        ("-std=STANDARD", "The C standard, as the C compiler names it."),
    )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the compiler's flags out of the arguments, then parse the others."""
        ctx.meta["accache.words"] = tuple(args)
        flags, others = split_flags(args, self.flags)
        ctx.meta["accache.preprocessor"] = tuple(flag for flag in flags if _PREPROCESSOR_FLAG.fullmatch(flag))
        ctx.meta["accache.libraries"] = tuple(flag for flag in flags if not _PREPROCESSOR_FLAG.fullmatch(flag))
        return super().parse_args(ctx, others)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command's own options, then the compiler's."""
        super().format_options(ctx, formatter)
        with formatter.section("Compiler options"):
            formatter.write_dl(list(self.descriptions))


class ProgramCommand(CompilerCommand):
    """A command that links a program, too, and takes -l, -L and -fopenmp."""

    flags = re.compile(rf"{_PREPROCESSOR_FLAG.pattern}|-([lL])(.*)|-fopenmp", re.DOTALL)
    descriptions = (
        *CompilerCommand.descriptions,
        ("-l NAME", "Link a library."),
        ("-L DIR", "Look for libraries in DIR too."),
        ("-fopenmp", "Compile host code with OpenMP."),
    )


def split_words(ctx: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """The words of an option's value, as a shell reads them; a quotation without an end is wrong usage."""
    try:
        return tuple(shlex.split(value))
    except ValueError as error:
        raise click.BadParameter(f"{value!r}: {error}") from error


def arguments_option(text: str = "The arguments PROGRAM is called with.", name: str = "arguments") -> Decorator:
    """The option ``--args`` of the commands that run a program."""
    return click.option("--args", name, default="", metavar="WORDS", callback=split_words, help=text)


def split_flags(args: list[str], wanted: re.Pattern[str] = _PREPROCESSOR_FLAG) -> tuple[tuple[str, ...], list[str]]:
    """The compiler's flags, each one word and in their order, and the other arguments.

    Raises:
        click.UsageError: a flag at the end lacks its value.

    >>> split_flags(["-D", "N=3", "a.c", "-Iinclude", "--", "-Dx"])
    (('-DN=3', '-Iinclude'), ['a.c', '--', '-Dx'])
    """
    flags: list[str] = []
    others: list[str] = []
    words = iter(args)
    for word in words:
        found = wanted.fullmatch(word)
        if word == "--":
            others += [word, *words]
        elif found is None:
            others.append(word)
        elif "" in found.groups():  # an option of one letter, without its value
            value = next(words, None)
            if value is None:
                raise click.UsageError(f"option '{word}' requires an argument")
            flags.append(word + value)
        else:
            flags.append(word)
    return tuple(flags), others


def preprocessor_flags(args: Iterable[str]) -> tuple[str, ...]:
    """The compiler's flags, where nothing else may stand.

    Raises:
        click.UsageError: something else does.
    """
    flags, others = split_flags(list(args))
    if others:
        raise click.UsageError(f"'{others[0]}' is none of -I, -D, -U and -std=")
    return flags


def joined(args: Iterable[str]) -> tuple[str, ...]:
    """A compiler's words with each -I, -D and -U in one word with its value.

    >>> joined(("-O3", "-D", "N=3"))
    ('-O3', '-DN=3')
    """
    found: list[str] = []
    for word in args:
        if found and found[-1] in ("-I", "-D", "-U"):
            found[-1] += word
        else:
            found.append(word)
    return tuple(found)


def usage_error(error: OptionError) -> click.UsageError:
    """What the library refuses, as wrong usage of the option that it names."""
    names = {"program": "'PROGRAM'", "compiling": "'ARGUMENTS'", "arguments": "'--args'", "over": "'--sweep'"}
    hint = names.get(error.option, f"'--{error.option.replace('_', '-')}'")
    return click.BadParameter(str(error), param_hint=hint)


def translation_options(function: Function) -> Function:
    """The options of every command that translates; ``options_from`` reads their values."""
    for decorate in reversed((*_METHOD_OPTIONS, *_TALK_OPTIONS)):
        function = decorate(function)
    return function


def talk_options(function: Function) -> Function:
    """The options about diagnostics alone; ``talk_from`` reads their values."""
    for decorate in reversed(_TALK_OPTIONS):
        function = decorate(function)
    return function


def talk_from(values: dict[str, Any]) -> Talk:
    """How to talk of diagnostics; the values are taken out of ``values``."""
    return Talk(values.pop("diagnostics"), values.pop("quiet"), values.pop("diagnostics_file") or "")


def options_from(values: dict[str, Any]) -> tuple[Options, Talk]:
    """What the values of ``translation_options`` stand for, and how to talk of diagnostics."""
    talk = talk_from(values)
    sharing = values.pop("sharing") == "on"
    cc = values.pop("cpp") or default_compiler()
    meta = click.get_current_context().meta
    flags, libraries = meta["accache.preprocessor"], meta["accache.libraries"]
    try:
        return Options(sharing=sharing, cc=cc, preprocessor=flags, libraries=libraries, **values), talk
    except OptionError as error:
        raise click.UsageError(f"{error}: see --cpp, and CC in the environment") from error


def _choice(name: str, text: str) -> Decorator:
    option = name.replace("-", "_")
    default, values = getattr(_DEFAULT, option), CHOICES[option]
    return click.option(f"--{name}", type=click.Choice(values), default=default, show_default=True, help=text)


def _architecture(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    try:
        architecture(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    return value


_METHOD_OPTIONS: tuple[Decorator, ...] = (
    _choice("method", "How cached data is kept."),
    _choice("write", "When a write to cached data reaches memory."),
    _choice("width", "How a block learns how many of its threads share."),
    _choice("scope", "How threads agree on the range they share."),
    _choice(
        "tune",
        "What decides on forms of kernels: an estimate, the loads saved, or times kept beside FILE.",
    ),
    _choice("coarsen", "How many iterations of parallel loops a thread has: rows, rows x columns, or planes (8x1x1)."),
    _choice("wide", "Whether threads with several iterations access neighbouring elements at once."),
    click.option(
        "--sharing",
        type=click.Choice(("on", "off")),
        default="on",
        show_default=True,
        help="Whether the threads of a block share one copy.",
    ),
    click.option(
        "--auto-cache",
        is_flag=True,
        help="Cache what is worth it in kernels without cache directives, as if these were written.",
    ),
    click.option(
        "--density",
        type=click.FloatRange(min=0),
        default=_DEFAULT.density,
        show_default=True,
        help="With --auto-cache: the thread density from which on a subarray may be cached.",
    ),
    click.option("--cpp", metavar="COMMAND", help="The C compiler that preprocesses; else CC, else cc."),
    click.option("--trust-range", is_flag=True, help="All references lie in the directive's range: do not check."),
    click.option(
        "--fast-math",
        is_flag=True,
        help="Kernels are for nvcc -use_fast_math: a GPU approximates divisions, roots and functions of floats.",
    ),
    click.option(
        "--arch",
        default=_DEFAULT.arch,
        show_default=True,
        callback=_architecture,
        shell_complete=lambda ctx, parameter, begun: [row.name for row in ARCHITECTURES if row.name.startswith(begun)],
        help="The GPU to plan for.",
    ),
    click.option(
        "--ehc-entries",
        type=click.IntRange(min=1),
        default=_DEFAULT.ehc_entries,
        show_default=True,
        help="Elements in the emulated hardware cache.",
    ),
    click.option(
        "--ehc-ways",
        type=click.IntRange(min=1),
        default=_DEFAULT.ehc_ways,
        show_default=True,
        help="Associativity of the emulated hardware cache.",
    ),
    _choice("private-line", "Bytes of the lines that method private gives each thread."),
    click.option(
        "--private-calls",
        type=click.IntRange(min=0, max=MOST["private_calls"]),
        default=_DEFAULT.private_calls,
        show_default=True,
        help="Accesses after which threads know which of these lines pay; 0: none if the references tell, else 300.",
    ),
    click.option(
        "--split-slices",
        is_flag=True,
        help="Give a loop that threads monitor for these lines a second copy for the rest: for measuring only.",
    ),
    click.option("--line", is_flag=True, help="Write #line directives that point to the C file."),
)

_TALK_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--diagnostics",
        type=click.Choice(tuple(FORMATS)),
        default="text",
        show_default=True,
        help="How to print errors and warnings.",
    ),
    click.option(
        "--diagnostics-file", metavar="PATH", type=FILE_NAME, help="Write them to PATH, not to standard error."
    ),
    click.option("-q", "-w", "--quiet", is_flag=True, help="Print errors only."),
)
