"""What accache itself is told, by options of its own and by the environment."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import PurePath
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from accache.base.architectures import architecture
from accache.base.choices import TARGETS, TargetName
from accache.base.diagnostic_formats import FORMATS
from accache.base.environment import NESTED
from accache.base.options import CHOICES, COUNTS, Options, is_count, range_of
from accache.cc.words import Role, Word

_Word = TypeVar("_Word", bound=str)
_CHOICES = {**{name.replace("_", "-"): values for name, values in CHOICES.items()}, "sharing": ("on", "off")}
_COUNTS = tuple(name.replace("_", "-") for name in COUNTS)
_DECIMAL = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII)
_ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d+[a-z]?)")


class Settings(Struct, frozen=True):
    """How to translate and for what.

    compiler: the command of the host's C compiler. options: those of the translation.
    arch: what nvcc's -arch gets. check: make programs for the checker. cache: whether to keep and use results.
    keep: write the two files beside the object. colour: let the host compiler's messages have colours.
    """

    compiler: tuple[str, ...] = ("cc",)
    target: TargetName = "cpu"
    arch: str = "sm_90"
    check: bool = False
    cache: bool = True
    keep: bool = False
    diagnostics: str = "text"
    quiet: bool = False
    colour: bool = False
    options: Options = field(default_factory=lambda: Options(line=True, runtime=False))


class UsageError(Exception):
    """An option of accache is wrong."""


def read_settings(words: tuple[Word, ...], environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that accache's own words and the environment make.

    Raises:
        UsageError: an option is unknown or its value is.
    """
    settings = Settings(
        compiler=host_compiler(environment),
        target=_choice("ACCACHE_TARGET", environment.get("ACCACHE_TARGET") or "cpu", TARGETS),
        cache=environment.get("ACCACHE_NO_CACHE", "0") in ("", "0"),
        quiet=any(word.texts[0] == "-w" for word in words),
    )
    for word in words:
        if word.role is Role.OWN:
            settings = _apply(settings, word)
    if settings.check and settings.target != "cpu":
        raise UsageError("--check needs --target cpu")
    if settings.options.fast_math and settings.target != "cuda":
        raise UsageError("--accache-fast-math needs --target cuda: a CPU computes exactly")
    options = replace(settings.options, cc=shlex.join(settings.compiler))
    return replace(settings, options=options)


def host_compiler(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The command of the C compiler: ACCACHE_CC, else CC unless that is accache itself, else cc.

    Where accache is called by the compiler that it has called, what it was told to call is a script that calls it.
    """
    level = environment.get(NESTED, "")
    if level.isdecimal() and int(level) > 1:
        raise UsageError("the C compiler that accache cc calls is accache again: name another one in ACCACHE_CC")
    if level:
        return ("cc",)
    for name in ("ACCACHE_CC", "CC"):
        try:
            words = tuple(shlex.split(environment.get(name, "")))
        except ValueError as error:
            raise UsageError(f"{name} is no command: {environment[name]!r}: {error}") from error
        is_accache = any("accache" in PurePath(word).name for word in words)
        if is_accache and name == "ACCACHE_CC":
            raise UsageError(f"ACCACHE_CC names accache itself: '{shlex.join(words)}'")
        if words and not is_accache:
            return words
    return ("cc",)


def _apply(settings: Settings, word: Word) -> Settings:
    name = word.texts[0].removeprefix("--accache-").partition("=")[0]
    value = word.value
    if word.texts[0] == "--check":
        return replace(settings, check=True)
    if name == "--target":
        return replace(settings, target=_choice(name, value, TARGETS))
    if name == "-arch":
        return _with_architecture(settings, value)
    if name in _CHOICES:
        chosen: object = _choice(name, value, _CHOICES[name])
        if (name, chosen) == ("tune", "measure"):
            raise UsageError(
                "--accache-tune=measure is for accache translate and run: it needs a whole program to measure"
            )
        return _with_option(settings, name.replace("-", "_"), chosen == "on" if name == "sharing" else chosen)
    if name in _COUNTS:
        return _with_option(settings, name.replace("-", "_"), _count(name, value))
    if name == "density":
        return _with_option(settings, name, _decimal(name, value))
    if name == "diagnostics":
        return replace(settings, diagnostics=_choice(name, value, tuple(FORMATS)))
    return _apply_switch(settings, name, word)


def _apply_switch(settings: Settings, name: str, word: Word) -> Settings:
    if "=" not in word.texts[0]:
        if name in ("trust-range", "auto-cache", "fast-math", "split-slices"):
            return _with_option(settings, name.replace("-", "_"), True)
        if name == "no-cache":
            return replace(settings, cache=False)
        if name == "keep":
            return replace(settings, keep=True)
        if name == "quiet":
            return replace(settings, quiet=True)
    raise UsageError(f"unknown option '{word.texts[0]}'")


def _with_option(settings: Settings, name: str, value: object) -> Settings:
    return replace(settings, options=replace(settings.options, **{name: value}))


def _with_architecture(settings: Settings, value: str) -> Settings:
    """Give nvcc the name as it is; the planner knows GPUs, and not what nvcc calls native or all."""
    found = _ARCHITECTURE.fullmatch(value)
    if found:
        name = f"sm_{found[1]}"
        try:
            architecture(name)
        except ValueError as error:
            raise UsageError(str(error)) from error
        settings = _with_option(settings, "arch", name)
    return replace(settings, arch=value)


def _choice(name: str, value: str, values: tuple[_Word, ...]) -> _Word:
    for word in values:
        if word == value:
            return word
    raise UsageError(f"'{value}' is not a value of {name}: {', '.join(values)}")


def _decimal(name: str, value: str) -> float:
    if not _DECIMAL.fullmatch(value):
        raise UsageError(f"'{value}' is not a value of {name}: a number from 0 on")
    return float(value)


def _count(name: str, value: str) -> int:
    option = name.replace("-", "_")
    if not value.isdecimal() or not is_count(option, int(value)):
        raise UsageError(f"'{value}' is not a value of {name}: a number {range_of(option)}")
    return int(value)
