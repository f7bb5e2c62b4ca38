"""The instances of a kernel's template that a file launches.

Before: ``template <class T> void run(T *a) { scale<T, 4><<<1, 32>>>(a); }``, called as ``run<float>(p)``, and with a
``double *q`` as ``run(q)``. After: ``scale`` is launched as ``scale<float, 4>`` and as ``scale<double, 4>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from accache.base.text import Span
from accache.cpu.definitions import angles_end, parameter_name, separated
from accache.cpu.launches import launch_places
from accache.cpu.tokens import BLANK, HASH, Token, closing
from accache.cuda.declared_types import declared_type
from accache.cuda.items import Item, enclosed, value_parameters
from accache.cuda.launch_sites import name_of
from accache.cuda.text import Cuda, NoViewError
from accache.cuda.words import CASTS

MOST_INSTANCES = 48
"""The most instances of one template that are read."""
_DEFINING = re.compile(rf"{HASH}(?:define|undef){BLANK}(\w+)")
_INTEGER = re.compile(r"0|[1-9]\d{0,8}")
_FLOATING = re.compile(r"(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?[fF]?")
_BEHIND_TYPE = frozenset(("const", "__restrict__", "__restrict", "volatile"))


class Site(Struct, frozen=True):
    """Where a template's function is called or launched: its name's token, and what it is handed."""

    cuda: Cuda
    item: Item | None
    first: int
    arguments: tuple[tuple[int, int], ...]


def launched_instances(cuda: Cuda, kernel: Item) -> tuple[dict[str, str], ...]:
    """What the parameters of a template stand for in each instance that a file launches; one ``{}`` for other kernels.

    Raises:
        NoViewError: launches leave arguments open that no declaration tells, or there are none, or too many instances.
    """
    if not kernel.is_template:
        return ({},)
    found = tuple(_Finder(cuda).instances(kernel, ()))
    if not found or len(found) > MOST_INSTANCES:
        many = f"a template of more than {MOST_INSTANCES} instances"
        raise _refusal(cuda, kernel, many if found else "a template that no launch in the file names")
    return found


def arguments_of(kernel: Item, arguments: Mapping[str, str]) -> str:
    """The arguments of one instance as they stand between angle brackets."""
    return ", ".join(arguments[name] for name in kernel.template)


class _Finder(Struct, frozen=True):
    """Finds the instances of templates by the places that call or launch them."""

    cuda: Cuda

    def instances(self, item: Item, around: tuple[str, ...]) -> list[dict[str, str]]:
        """The instances of a template; ``around`` are the templates whose instances are being found."""
        if item.name in around:
            raise _refusal(self.cuda, item, "a template whose instances depend on themselves")
        found: list[dict[str, str]] = []
        for site in self.sites(item):
            outer: list[dict[str, str]] = [{}]
            if site.item is not None and site.item.is_template:
                outer = self.instances(site.item, (*around, item.name))
            for known in outer:
                made = self.at(item, site, known)
                if made not in found:
                    found.append(made)
        return found

    def sites(self, item: Item) -> Iterator[Site]:
        """The launches of a kernel, or the calls of a function, in the file and its headers."""
        for file in self.cuda.files:
            if item.kind == "kernel":
                launches = ((name_of(file.tokens, first, mark), end) for first, mark, end in launch_places(file.tokens))
                named = ((name, end) for name, end in launches if name is not None)
                places = ((name, end + 1) for name, end in named if file.tokens[name].text == item.name)
            else:
                places = ((k, end) for k, end in _calls(file.tokens, item.name))
            for first, opening in places:
                around = next((each for each in file.items if each.first <= first < each.end), None)
                if around is not item and not _is_no_use(around, item):
                    close = closing(file.tokens, opening)
                    yield Site(file, around, first, tuple(separated(file.tokens, opening + 1, close)))

    def at(self, item: Item, site: Site, known: Mapping[str, str]) -> dict[str, str]:
        """What a template's parameters stand for at one place, around which others have ``known`` values."""
        tokens, values = site.cuda.tokens, value_parameters(self.owner(item).tokens, item)
        made: dict[str, str] = {}
        if tokens[site.first + 1].text == "<":
            close = angles_end(tokens, site.first + 1)
            parts = list(separated(tokens, site.first + 2, close))
            for first, end in parts:
                self.expect_known(item, site, first, end, known=known)
            for name, (first, end) in zip(item.template, parts, strict=False):
                made[name] = " ".join(known.get(token.text, token.text) for token in tokens[first:end])
        for name in item.template:
            value = made.get(name) or self.deduced(item, name, site, known) or self.usual(item, name)
            if not value:
                raise _refusal(self.cuda, item, f"a template of whose launches one leaves '{name}' open")
            made[name] = enclosed(value, values[name]) if name in values else value
        return made

    def expect_known(self, item: Item, site: Site, first: int, end: int, *, known: Mapping[str, str]) -> None:
        """See that arguments mean at a template's place what they mean where they stand.

        Raises:
            NoViewError: one is declared around them, or a macro that is defined between.
        """
        tokens = site.cuda.tokens
        names = {token.text for token in tokens[first:end] if token.is_name} - known.keys()
        around = range(site.item.first + 1, min(first, site.item.end)) if site.item is not None else range(0)
        local = {
            tokens[k].text
            for k in around
            if tokens[k + 1].text in ("=", ";", "{", "(", ",", ")")
            and tokens[k - 1].is_name
            and tokens[k].text in names
        }
        start = self.owner(item).tokens[item.first].start if self.owner(item) is site.cuda else 0
        passed = (span for span in site.cuda.directives if start < span.start < tokens[first].start)
        words = (_DEFINING.match(site.cuda.source.text, span.start) for span in passed)
        word = min(local | (names & {found[1] for found in words if found}), default="")
        if word:
            raise _refusal(self.cuda, item, f"a template with the argument '{word}', which may be another one there")

    def deduced(self, item: Item, name: str, site: Site, known: Mapping[str, str]) -> str:
        """A type as the declaration of what is handed on tells it; '' if it does not."""
        owner = self.owner(item)
        found = set()
        for (first, end), (start, stop) in zip(item.parameters, site.arguments, strict=False):
            words = [token.text for token in owner.tokens[first:end] if token.text not in _BEHIND_TYPE]
            own = parameter_name(owner.tokens[first:end])
            stars = words.count("*")
            if words != [name, *["*"] * stars, own] or site.item is None:
                continue
            declared = _type_of(site.cuda, site.item, start, stop)
            if declared is None:
                continue
            if declared[1] != stars:
                return ""
            found.add(" ".join(known.get(word, word) for word in declared[0]))
        return found.pop() if len(found) == 1 else ""

    def usual(self, item: Item, name: str) -> str:
        """The default of a template's parameter; '' if it has none that is a number or a word."""
        owner = self.owner(item)
        close = angles_end(owner.tokens, item.first + 1)
        for first, end in separated(owner.tokens, item.first + 2, close):
            words = [token.text for token in owner.tokens[first:end]]
            if name in words and "=" in words and words.index("=") == len(words) - 2:
                return words[-1]
        return ""

    def owner(self, item: Item) -> Cuda:
        """The file that an item stands in."""
        return next(file for file in self.cuda.files if any(item is each for each in file.items))


def _type_of(cuda: Cuda, around: Item, first: int, end: int) -> tuple[tuple[str, ...], int] | None:
    """The words of the type of what is handed on, and its stars: a variable, a number, or a pointer that is computed.

    Of ``p + 4``, ``&p[4]`` and ``(T *)p`` the types are known, too; None of anything else.
    """
    tokens = cuda.tokens
    words = [token.text for token in tokens[first:end]]
    if end - first == 1:
        return _type_of_number(words[0]) or declared_type(cuda, around, words[0])
    if words[0] in CASTS and words[1] == "<" and tokens[end - 1].text == ")":
        close = angles_end(tokens, first + 1)
        return _written_type(words[2 : close - first]) if closing(tokens, close + 1) == end - 1 else None
    if words[0] == "(":
        close = closing(tokens, first)
        is_one = close + 2 == end and tokens[end - 1].is_name
        return _written_type(words[1 : close - first]) if is_one else None
    is_element = words[0] == "&" and "[" in words[2:3] and closing(tokens, first + 2) == end - 1
    if is_element or (tokens[first].is_name and words[1] == "+"):
        found = declared_type(cuda, around, words[1] if is_element else words[0])
        return found if found is not None and found[1] else None
    return None


def _written_type(words: list[str]) -> tuple[tuple[str, ...], int] | None:
    """A pointer's type as a cast has it."""
    kept = [word for word in words if word not in _BEHIND_TYPE]
    stars = kept.count("*")
    plain = kept[: len(kept) - stars]
    return (tuple(plain), stars) if stars and plain and "*" not in plain and all(map(str.isidentifier, plain)) else None


def _type_of_number(word: str) -> tuple[tuple[str, ...], int] | None:
    """The type of a number as it stands there; None for one with other endings than f."""
    if _INTEGER.fullmatch(word):
        return ("int",), 0
    return (("float" if word[-1] in "fF" else "double",), 0) if _FLOATING.fullmatch(word) else None


def _is_no_use(around: Item | None, item: Item) -> bool:
    """Whether a place declares the template itself, or is device code, which calls no function of the host."""
    if around is None:
        return False
    is_declaration = around.name == item.name and around.is_template
    return is_declaration or (item.kind == "host" and around.kind in ("kernel", "device"))


def _calls(tokens: tuple[Token, ...], name: str) -> Iterator[tuple[int, int]]:
    """Where a function is called by its name: that token, and the parenthesis of its arguments."""
    for index, token in enumerate(tokens[:-2]):
        if token.text != name or (index and tokens[index - 1].text in (".", "->")):
            continue
        opening = index + 1
        if tokens[opening].text == "<":
            opening = angles_end(tokens, opening) + 1
        if opening < len(tokens) and tokens[opening].text == "(":
            yield index, opening


def _refusal(cuda: Cuda, kernel: Item, what: str) -> NoViewError:
    owner = next((file for file in cuda.files if any(kernel is each for each in file.items)), cuda)
    if owner is not cuda:
        return NoViewError(f"it is {what}", Span(0, 0))
    token = cuda.tokens[kernel.first]
    return NoViewError(f"it is {what}", Span(token.start, token.end))
