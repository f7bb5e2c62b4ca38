"""What a compiler's command line asks for: how far to go, with which files, to which result."""

from __future__ import annotations

import re
from pathlib import PurePath

from msgspec import Struct

from accache.base.properties import cached_property
from accache.cc.words import Role, Word

_STAGES = {"-E": "preprocess", "-M": "preprocess", "-MM": "preprocess", "-fsyntax-only": "check", "-S": "assemble",
           "-c": "compile"}  # fmt: skip
_C_LANGUAGES = {"c": ".c", "cpp-output": ".i"}
_SOURCES = (".c", ".i")
_OTHER_SOURCES = (".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii", ".cu", ".s", ".S", ".sx", ".m", ".f", ".F")
# gcc's own OpenACC: accache does it instead.
_REPLACED = ("-fopenacc", "-foffload", "-fno-openacc")


class Command(Struct, frozen=True, dict=True):
    """A command line; ``words`` keep their order."""

    words: tuple[Word, ...]

    @cached_property
    def stage(self) -> str:
        """How far to go: preprocess, check, assemble, compile or link; the least of what is asked for."""
        modes = {word.texts[0] for word in self.words if word.role is Role.MODE}
        return next((stage for flag, stage in _STAGES.items() if flag in modes), "link")

    @cached_property
    def inputs(self) -> tuple[Word, ...]:
        """The files to compile and link."""
        return tuple(word for word in self.words if word.role is Role.INPUT)

    @cached_property
    def output(self) -> str | None:
        """The argument of the last -o."""
        return next((word.value for word in reversed(self.words) if word.role is Role.OUTPUT), None)

    @cached_property
    def compile_flags(self) -> tuple[str, ...]:
        """The options for compiling, without files, modes and what to write where."""
        return tuple(
            text
            for word in self.words
            if word.role is Role.COMPILE and not word.texts[0].startswith(_REPLACED)
            for text in word.texts
        )

    def dependencies(self, source: Word) -> tuple[tuple[str, ...], str]:
        """The options that make an input's dependency file, without its name, and the name; empty if nobody asks."""
        flags: list[str] = []
        file, default = self._dependency_file(source)
        for word in self.words:
            through = re.fullmatch(r"-Wp,(-MM?D),([^,]*)", word.texts[0])
            if word.role is not Role.DEPENDENCY or word.texts[0] == "-MG":
                continue
            if through:
                flags.append(through[1])
                file = through[2]
            elif word.name == "-MF":
                file = word.value
            else:
                flags += word.texts
        if not any(flag in ("-MD", "-MMD") for flag in flags):
            return (), ""
        target = any(flag.startswith(("-MT", "-MQ")) for flag in flags)
        return (*flags, *(() if target else ("-MQ", default))), file

    def has(self, *flags: str) -> bool:
        """Whether one of these options without argument is there."""
        return any(word.texts[0] in flags for word in self.words)

    def object_of(self, source: Word) -> str:
        """Where the object file of an input goes (with -S: its assembly)."""
        if self.output is not None and self.stage in ("compile", "assemble"):
            return self.output
        name = PurePath(source.value).stem if source.value != "-" else "-"
        return name + (".s" if self.stage == "assemble" else ".o")

    def _dependency_file(self, source: Word) -> tuple[str, str]:
        """The file for an input's dependencies and the target it names, as gcc chooses where nobody says."""
        stem = PurePath(source.value).stem
        if self.stage != "link":
            target = self.object_of(source)
            return str(PurePath(target).with_suffix(".d")) if self.output else stem + ".d", target
        if self.output is None:
            return f"a-{stem}.d", stem + ".o"
        if sum(1 for word in self.inputs if is_source(word)) == 1:
            return str(PurePath(self.output).with_suffix(".d")), self.output
        return f"{PurePath(self.output).with_suffix('')}-{stem}.d", stem + ".o"


def is_c(word: Word) -> bool:
    """Whether an input is C, by its -x or its suffix."""
    return word.language in _C_LANGUAGES if word.language else PurePath(word.value).suffix in _SOURCES


def is_source(word: Word) -> bool:
    """Whether an input is compiled, and not only linked."""
    return bool(word.language) or PurePath(word.value).suffix in (*_SOURCES, *_OTHER_SOURCES)


def host_words(words: tuple[Word, ...], *, ends_with_files: bool = False) -> list[str]:
    """Words as the host compiler reads them: without accache's own, each file behind its language.

    ``ends_with_files`` says that others follow, whose suffixes shall count again.
    """
    texts: list[str] = []
    language = ""
    for word in words:
        if word.role in (Role.OWN, Role.LANGUAGE) or word.texts[0].startswith(_REPLACED):
            continue
        if word.role is Role.INPUT and word.language != language:
            language = word.language
            texts += ["-x", language or "none"]
        texts += word.texts
    return [*texts, "-x", "none"] if ends_with_files and language else texts
