"""Where the preprocessor may make something else of a text than it does for its view, which then would be wrong.

nvcc predefines names that no C compiler does, and CUDA's headers define more. Parts of a text that depend on them, and
what views leave out, must not reach the kernel: ``#if __CUDA_ARCH__ >= 700`` around a macro that it uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from accache.base.text import Span
from accache.cpu.tokens import BLANK, HASH
from accache.cuda.items import Item
from accache.cuda.needed import macros, used_words
from accache.cuda.text import Cuda, NoViewError
from accache.cuda.words import FUNCTION_NAMES, POSITIONS
from accache.ir.pins import Pin

_CONDITIONAL = re.compile(rf"{HASH}(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b")
_DEFINING = re.compile(rf"{HASH}(?:define|undef){BLANK}(\w+)")
_SYSTEM = re.compile(rf"{HASH}include(?:_next)?[ \t]*<")
_NAMED = re.compile(rf"{HASH}include[ \t]*\"([^\"\n]+)\"")
_ONCE = re.compile(rf"{HASH}pragma{BLANK}once\b", re.MULTILINE)
_INCLUDE = re.compile(rf"{HASH}include(?:_next)?\b")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_GIVEN = re.compile(r"-[DU]\s*(\w+)")
_VALUE = re.compile(r"^-([DU])\s*(\w+)(\([^)]*\))?(?:=(.*))?$", re.MULTILINE)
_OWN = re.compile(r"__|_[A-Z]|true\b|false\b|(?:CU|NV|THRUST|CCCL|NCCL|MPI|OMPI)\w*VERSION|CUDART_|CUDA_VERSION")
"""Names that compilers, CUDA's headers or C++ may give a value."""
_PLATFORM = frozenset(
    (
        *("__CUDACC__", "__GNUC__", "__GNUC_MINOR__", "__linux__", "__linux", "__unix__", "__x86_64__", "__aarch64__"),
        *("_WIN32", "_WIN64", "__APPLE__", "__MACH__", "__MACOSX", "_MSC_VER", "__MINGW32__", "__CYGWIN__", "__LP64__"),
        *("__clang__", "__INTEL_COMPILER", "__HIPCC__", "__HIP_PLATFORM_AMD__", "__SYCL_DEVICE_ONLY__"),
    )
)
"""Those that a view's compiler answers as nvcc and its host compiler do."""
_PLACES = frozenset(
    ("__LINE__", "__builtin_LINE", "__COUNTER__", "__INCLUDE_LEVEL__", "__BASE_FILE__", "__PRETTY_FUNCTION__")
)
"""What has another value in a view, or in a second version's place."""

_TAKEN = frozenset(f"{name}_{axis}" for name in POSITIONS for axis in "xyz")

_REPLACED = frozenset((*POSITIONS, "__syncthreads", "warpSize", "nullptr", "bool", "true", "false"))
"""Words for which a view has others, before it is preprocessed."""


class _Group(Struct, frozen=True):
    """From an #if to its #endif, with the words of all conditions in it."""

    span: Span
    words: frozenset[str]


def expect_same_text(cuda: Cuda, kept: Sequence[Item], given: Sequence[str]) -> None:
    """See that what a view keeps of a text is what nvcc reads; ``given`` are the preprocessor's options.

    Raises:
        NoViewError: that may be something else.
    """
    used = used_words(cuda, kept)
    _expect_included_once(cuda, kept)
    groups = {id(file): tuple(_groups(file)) for file in cuda.files}
    own = _own_names(cuda, given, groups)
    ids = {id(item) for item in kept}
    for file in cuda.files:
        spans = [_span(file, item) for item in file.items if id(item) in ids]
        for span in file.directives:
            is_inside = any(place.start <= span.start < place.end for place in spans)
            if is_inside and _INCLUDE.match(file.source.text, span.start):
                raise _refusal(cuda, file, span, "it includes a file inside of a function or a type")
        reaching = [*spans, *(span for span, header in file.headers if _has(header, ids))]
        reaching += [span for span, name in _definitions(file) if name in used]
        for group in groups[id(file)]:
            word = min((word for word in group.words if own(word)), default="")
            if word and any(_meet(span, group.span) for span in reaching):
                raise _refusal(cuda, file, group.span, f"nvcc may read it otherwise, by the value of '{word}'")
    token = cuda.tokens[kept[0].first]
    here = Span(token.start, token.end)
    names_itself = used_words(cuda, kept[:1]) & FUNCTION_NAMES  # a second version has a name of its own
    for word in sorted((used & _PLACES) | names_itself):
        raise NoViewError(f"it uses '{word}'", here)
    for word in sorted(used & _REPLACED & {name for file in cuda.files for name in _own_definitions(file)}):
        raise NoViewError(f"the macro '{word}' changes what it is in CUDA", here)
    for word in sorted(used & _TAKEN):
        raise NoViewError(f"it has '{word}' of its own, which a view calls a position", here)


def _expect_included_once(cuda: Cuda, kept: Sequence[Item]) -> None:
    """See that a view has every header where nvcc reads it; it has each once, and none in what it leaves out."""
    ids = {id(item) for item in kept}
    for file in cuda.files:
        left_out = [_span(file, item) for item in file.items if id(item) not in ids]
        headers = dict(file.headers)
        for span in file.directives:
            text = file.source.text
            header = headers.get(span)
            if _INCLUDE.match(text, span.start) is None or (header is None and _SYSTEM.match(text, span.start)):
                continue
            if header is not None:
                if any(place.start <= span.start < place.end for place in left_out) and any(_has_macros(header)):
                    raise _refusal(cuda, file, span, "a header of macros is included inside of a function or a type")
                continue
            named = _NAMED.match(text, span.start)
            if named is None:
                raise _refusal(cuda, file, span, "a macro or a comment stands in front of the name of a header")
            again = (
                part for part in cuda.files if part is not cuda and Path(part.source.name).name == Path(named[1]).name
            )
            if any(any(_has_macros(part)) and not _is_guarded(part) for part in again):
                raise _refusal(cuda, file, span, "a header of macros is included again")


def _has_macros(header: Cuda) -> Iterator[str]:
    """The macros of a header and of its headers."""
    return (name for part in header.files for _, name in _definitions(part))


def _is_guarded(header: Cuda) -> bool:
    """Whether a header that is included again is empty."""
    if _ONCE.search(header.source.text):
        return True
    lines = [header.source.text[span.start : span.end] for span in header.directives[:2]]
    words = [_WORD.findall(line) for line in lines]
    return len(words) > 1 and words[0][:1] in (["ifndef"], ["if"]) and words[1] == ["define", words[0][-1]]


def _own_definitions(file: Cuda) -> Iterator[str]:
    """The macros of a text that nvcc may see: headers define words of CUDA for other compilers."""
    others = [group.span for group in _groups(file) if group.words & {"__CUDACC__", "__NVCC__"}]
    yield from (name for span, name in _definitions(file) if not any(_meet(span, place) for place in others))


def outside_names(cuda: Cuda, kept: Sequence[Item], given: Sequence[str]) -> tuple[Pin, ...]:
    """What a view takes from outside of its text: macros that it was given, and the absence of those it asks for.

    Whoever compiles what is made of the view may give other ones. Names that texts define as nothing guard headers.
    """
    values = _values(given)
    used, ids = used_words(cuda, kept), {id(item) for item in kept}
    empty = {name for name, text in macros(cuda) if text.rstrip().endswith(name)}
    asked = set[str]()
    for file in cuda.files:
        reaching = [_span(file, item) for item in file.items if id(item) in ids]
        reaching += [span for span, name in _definitions(file) if name in used]
        near = (group for group in _groups(file) if any(_meet(span, group.span) for span in reaching))
        asked |= {word for group in near for word in group.words}
    pins = [
        Pin(name, "value" if re.fullmatch(r" -?\d+", values[name]) else "text", values[name])
        for name in sorted(_with_those_behind(asked | used, values))
    ]
    absent = asked - values.keys() - empty
    return (*pins, *(Pin(name, "absent") for name in sorted(absent) if not _OWN.match(name)))


def _values(given: Sequence[str]) -> dict[str, str]:
    """What stands behind the names of macros of the command line, of which the last option counts."""
    values: dict[str, str] = {}
    for found in _VALUE.finditer("\n".join(given)):
        values.pop(found[2], None)
        if found[1] == "D":
            values[found[2]] = f"{found[3] or ''} {'1' if found[4] is None else found[4]}"
    return values


def _with_those_behind(names: set[str], values: Mapping[str, str]) -> set[str]:
    """Which macros of the command line a text names, or they name each other."""
    found, waiting = set[str](), names & values.keys()
    while waiting:
        found |= waiting
        waiting = {word for name in waiting for word in _words(values[name])} & values.keys() - found
    return found


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


class _OwnNames(Struct, frozen=True):
    """Which words of conditions compilers may answer in different ways."""

    defined: frozenset[str]
    tainted: frozenset[str]

    def __call__(self, word: str) -> bool:
        if word in self.tainted:
            return True
        return word not in self.defined and word not in _PLATFORM and _OWN.match(word) is not None


def _own_names(cuda: Cuda, given: Sequence[str], groups: Mapping[int, tuple[_Group, ...]]) -> _OwnNames:
    """These words: what no text defines, and what it defines by one of them, or where a condition asks for one."""
    definitions = tuple(macros(cuda))
    defined = frozenset({name for name, _ in definitions} | set(_GIVEN.findall(" ".join(given))))
    own = _OwnNames(defined, frozenset())
    while True:
        tainted = {name for name, text in definitions if any(map(own, _words(text) - {name}))}
        for file in cuda.files:
            for group in groups[id(file)]:
                if any(map(own, group.words)):
                    tainted |= set(_defined_in(file, group.span))
        if tainted <= own.tainted:
            return own
        own = _OwnNames(defined, own.tainted | tainted)


def _groups(file: Cuda) -> Iterator[_Group]:
    """The conditional groups of a text, inner ones first."""
    opened: list[tuple[int, set[str]]] = []
    text = file.source.text
    for span in file.directives:
        found = _CONDITIONAL.match(text, span.start, span.end)
        if found is None:
            continue
        if found[1] in ("if", "ifdef", "ifndef"):
            opened.append((span.start, set()))
        if opened and found[1] not in ("else", "endif"):
            opened[-1][1].update(_words(text[found.end() : span.end]) - {"defined"})
        if opened and found[1] == "endif":
            start, words = opened.pop()
            yield _Group(Span(start, span.end), frozenset(words))


def _defined_in(file: Cuda, place: Span) -> Iterator[str]:
    """The macros that are defined in a part of a text, or no longer are."""
    yield from (name for span, name in _definitions(file) if place.start <= span.start < place.end)
    for span, header in file.headers:
        if place.start <= span.start < place.end:
            yield from (name for part in header.files for _, name in _definitions(part))


def _definitions(file: Cuda) -> Iterator[tuple[Span, str]]:
    """Where a text defines macros, or takes definitions back."""
    for span in file.directives:
        found = _DEFINING.match(file.source.text, span.start, span.end)
        if found is not None:
            yield span, found[1]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(_COMMENT.sub(" ", text)))


def _has(file: Cuda, ids: set[int]) -> bool:
    return any(id(item) in ids for part in file.files for item in part.items)


def _span(file: Cuda, item: Item) -> Span:
    return Span(file.tokens[item.first].start, file.tokens[item.end - 1].end)


def _refusal(cuda: Cuda, file: Cuda, span: Span, reason: str) -> NoViewError:
    """A refusal at a directive; of one in a header, where that is included."""
    if file is cuda:
        return NoViewError(reason, span)
    place = next(place for place, header in cuda.headers if any(file is part for part in header.files))
    return NoViewError(f"{reason} in a header", place)
