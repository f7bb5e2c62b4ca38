"""Take a compiler's command line apart, do accache's part, and hand the rest to the host compiler."""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import CompileError, Reporter
from accache.base.output import recorded_errors, write_binary
from accache.base.properties import cached_property
from accache.base.text import Location, standard_input
from accache.cc.command import Command, host_words, is_c, is_source
from accache.cc.compilation import compile_file, tell, translate, translation_options
from accache.cc.objects import side_files
from accache.cc.reuse import is_alone, keep
from accache.cc.settings import Settings, UsageError, read_settings
from accache.cc.sources import HostError, Source, is_expanded, mentions_directives, openacc_flags, preprocess, read, run
from accache.cc.targets import LinkWords, shared_flags, target_of
from accache.cc.translation import marked
from accache.cc.words import Role, Word, read_words, response_line

_SHARED_LIBRARY = re.compile(r".*\.so(\.\d+)*")

USAGE_ERROR = 2
_LONGEST = 100_000  # characters of a command; what is longer goes into a response file
_CPLUSPLUS = (".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii")


def main(arguments: Sequence[str]) -> int:
    """Do what a compiler's command line asks for; its exit status."""
    try:
        line, environment = launched(list(arguments), os.environ)
        words = read_words(line)
        settings = read_settings(words, environment)
        with tempfile.TemporaryDirectory(prefix="accache-") as folder:
            return _kept(arguments, _Job(Command(words), settings, Path(folder)))
    except UsageError as error:
        return _complain(str(error), USAGE_ERROR)
    except (HostError, ValueError) as error:
        return _complain(str(error), 1)
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error), 1)


def _kept(arguments: Sequence[str], job: _Job) -> int:
    """Do a job and keep its results, if it makes one object file, so that the same call can give them back."""
    if not is_alone(arguments, os.environ) or sys.stderr is not sys.__stderr__:
        return job.run()
    began = time.time_ns()
    job = replace(job, settings=replace(job.settings, colour=shows_colours(os.environ)))
    with recorded_errors() as messages:
        status = job.run()
    if status == 0 and len(job.command.inputs) == 1:
        for position, source in job.with_directives.items():
            word = job.command.words[position]
            _, dependencies = job.command.dependencies(word)
            outputs = [job.command.object_of(word), *([dependencies] if dependencies else [])]
            keep(arguments, os.environ, source.preprocessed, outputs, messages="".join(messages), began=began)
    return status


def shows_colours(environment: Mapping[str, str]) -> bool:
    """Whether gcc would show its messages in colours."""
    return os.isatty(2) and environment.get("TERM", "dumb") != "dumb" and environment.get("GCC_COLORS", "on") != ""


def launched(arguments: list[str], environment: Mapping[str, str]) -> tuple[list[str], Mapping[str, str]]:
    """The words of a call as a launcher, ``--accache-launch [OPTION]... COMPILER [WORD]...``, in the usual order.

    >>> launched(["--accache-launch", "--target=cpu", "gcc", "-c", "a.c"], {})
    (['--target=cpu', '-c', 'a.c'], {'ACCACHE_CC': 'gcc'})
    """
    if arguments[:1] != ["--accache-launch"]:
        return arguments, environment
    for position, word in enumerate(arguments[1:], 1):
        if not word.startswith("-"):
            words = [*arguments[1:position], *arguments[position + 1 :]]
            return words, {**environment, "ACCACHE_CC": shlex.quote(word)}
    raise UsageError("--accache-launch needs a compiler's command behind it")


def _complain(text: str, status: int) -> int:
    print(f"accache cc: error: {text}", file=sys.stderr)
    return status


class _Job(Struct, frozen=True, dict=True):
    """One call of the compiler; files are known by their position among the words."""

    command: Command
    settings: Settings
    folder: Path

    def run(self) -> int:
        sources = [word for word in self.command.inputs if is_source(word)]
        stage = self.command.stage
        one_output = self.command.output is not None and stage in ("compile", "assemble")
        if not self.command.inputs or stage == "preprocess" or (one_output and len(sources) > 1):
            return self._host(self.command.words)
        if not self._other_languages_are_free_of_directives():
            return 1
        steps = {"link": self._link, "check": self._check}
        return steps.get(stage, self._compile)(self.with_directives)

    @cached_property
    def with_directives(self) -> dict[int, Source]:
        """The inputs that hold directives, by their positions among the words."""
        found = {}
        for position, word in enumerate(self.command.words):
            if word.role is not Role.INPUT or not is_c(word):
                continue
            data = read(word, self._stdin)
            source = self._preprocessed(position, data) if data is not None else None
            if source is not None and source.has_directives:
                found[position] = source
        return found

    def _preprocessed(self, position: int, data: bytes) -> Source | None:
        """An input, preprocessed for the translation if nobody asks for a dependency file; None if it cannot be."""
        word = self.command.words[position]
        flags, name = self.command.dependencies(word)
        if self.settings.cache and not name and word.value != "-" and not is_expanded(word):
            found = mentions_directives(data) and marked(
                word.value, data, translation_options(self.command, self.settings)
            )
            if found:
                return found
        dependencies = (*flags, "-MF", str(self._dependency_file(position))) if name else ()
        return preprocess(self.command, word, data, self.settings.compiler, dependencies=dependencies)

    def _other_languages_are_free_of_directives(self) -> bool:
        """Whether no C++ file has directives, which would be ignored; prints the error."""
        reporter = Reporter()
        for word in self.command.inputs:
            if word.language == "c++" or (not word.language and PurePath(word.value).suffix in _CPLUSPLUS):
                data = read(word, self._stdin)
                if data and mentions_directives(data):
                    reporter.report("ACC102", Location(word.value, 1), name=word.value, language="C++")
        tell(reporter.diagnostics, self.settings)
        return not reporter.diagnostics

    def _compile(self, found: dict[int, Source]) -> int:
        """Files with directives here, all others by one call of the host compiler."""
        words = self.command.words
        statuses = [self._compile_one(position, self.command.object_of(words[position]), found) for position in found]
        others = tuple(word for position, word in enumerate(words) if position not in found)
        if not found or any(word.role is Role.INPUT and is_source(word) for word in others):
            statuses.append(self._host(others))
        return max(statuses)

    def _check(self, found: dict[int, Source]) -> int:
        pairs = [translate(self.command, source, self.settings) for source in found.values()]
        status = self._host(self.command.words, ("-Wno-unknown-pragmas",) if found else ())
        return status or int(None in pairs)

    def _link(self, found: dict[int, Source]) -> int:
        """Compile the files with directives, and link their objects in their places."""
        words = list(self.command.words)
        apart = set(found) if self._is_all_c else {i for i, word in enumerate(words) if _is_c_input(word)}
        for position in sorted(apart):
            folder = self.folder / f"object{position}"
            folder.mkdir()
            target = str(folder / f"{PurePath(words[position].value).stem}.o")
            status = self._compile_one(position, target, found, self._aside)
            if status:
                return status
            words[position] = Word(Role.INPUT, (target,), target)
        try:
            needed = link_words(Command(tuple(words)), self.settings, self.folder)
        except CompileError as error:
            tell(error.diagnostics, self.settings)
            return 1
        status = self._host(tuple(words), needed.first, needed.last)
        if status == 0:
            target_of(self.settings).finish(Path(self.command.output or "a.out"), self.folder, self.settings)
        return status

    @property
    def _aside(self) -> str:
        """What gcc begins the names of other files with that it writes while it compiles and links."""
        output = PurePath(self.command.output or "a.out")
        stem = output.stem if output.suffix in (".out", ".exe") else output.name
        return f"{output.parent}/{stem}-"

    def _compile_one(self, position: int, output: str, found: dict[int, Source], aside: str = "") -> int:
        word = self.command.words[position]
        if position not in found:
            apart = side_files(self.command, aside, PurePath(word.value).name) if aside else ()
            file = (*apart, *host_words((word,)), "-o", output)
            return self._run_host([*openacc_flags(), *self.command.compile_flags, "-c", *file])
        folder = self.folder / f"file{position}"
        folder.mkdir()
        _, dependencies = self.command.dependencies(word)
        status = compile_file(self.command, found[position], self.settings, folder, output=output, aside=aside)
        if status == 0 and dependencies:
            write_binary(dependencies, self._dependency_file(position).read_bytes())
        return status

    def _dependency_file(self, position: int) -> Path:
        return self.folder / f"{position}.d"

    @cached_property
    def _is_all_c(self) -> bool:
        return all(is_c(word) for word in self.command.inputs if is_source(word))

    @cached_property
    def _stdin(self) -> bytes | None:
        """Standard input, if it is an input: it can be read but once."""
        return standard_input() if any(word.value == "-" for word in self.command.inputs) else None

    def _host(self, words: tuple[Word, ...], first: Sequence[str] = (), last: Sequence[str] = ()) -> int:
        """Call the host compiler with words of ours around the user's."""
        flags = openacc_flags() if self._is_all_c and any(map(is_c, self.command.inputs)) else ()
        middle = host_words(words, ends_with_files=bool(last))
        return self._run_host([*flags, *first, *middle, *last])

    def _run_host(self, words: Sequence[str]) -> int:
        line = list(words)
        if sum(map(len, line)) > _LONGEST:
            path = self.folder / "words"
            path.write_text(response_line(line), encoding="utf-8", errors="surrogateescape")
            line = [f"@{path}"]
        data = self._stdin if self.command.stage != "preprocess" else None
        status = run([*self.settings.compiler, *line], data).returncode
        return status if status >= 0 else 128 - status


def _is_c_input(word: Word) -> bool:
    return word.role is Role.INPUT and is_c(word)


def link_words(command: Command, settings: Settings, folder: Path) -> LinkWords:
    """What the link of a command needs besides its own words; nothing where the user links without libraries.

    Raises CompileError if the runtime cannot be made on this machine.
    """
    if command.has("-r", "-nostdlib", "-nodefaultlibs"):
        return LinkWords()
    if settings.check and command.has("-shared"):
        raise UsageError("--check makes programs, and no shared libraries")
    inputs = [text for word in command.words if _may_hold_kernels(word) for text in word.texts]
    return target_of(settings).link(inputs, folder, shared_flags(command.compile_flags), settings)


def _may_hold_kernels(word: Word) -> bool:
    """Whether the link's device part must see a word: object files, archives, and where to look for them."""
    if word.role is Role.INPUT:
        return not is_source(word) and _SHARED_LIBRARY.fullmatch(word.value) is None
    return word.texts[0].startswith(("-l", "-L"))
