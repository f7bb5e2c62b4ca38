"""What a kernel needs of a .cu text, by name, and what is known of the functions among that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from accache.base.text import Span
from accache.cpu.definitions import angles_end, separated
from accache.cpu.tokens import BLANK, HASH
from accache.cuda.items import Item, declared_names, enclosed, value_parameters
from accache.cuda.text import Cuda, NoViewError

_DEFINED = re.compile(rf"{HASH}define{BLANK}(\w+)")
_WORD = re.compile(r"\w+")


def macros(cuda: Cuda) -> Iterator[tuple[str, str]]:
    """The macros that a text and its headers define, and the text of each definition."""
    for file in cuda.files:
        for span in file.directives:
            found = _DEFINED.match(file.source.text, span.start, span.end)
            if found is not None:
                yield found[1], file.source.text[span.start : span.end]


def needed(cuda: Cuda, kernel: Item) -> list[Item]:
    """The kernel, the device functions, types, constants and variables that it needs, by name."""
    by_name: dict[str, list[tuple[Cuda, Item]]] = {}
    for file in cuda.files:
        for item in file.items:
            if item.kind in ("device", "type", "constant", "memory", "host"):
                for name in _names(file, item):
                    by_name.setdefault(name, []).append((file, item))
    named: dict[str, set[str]] = {}
    for name, definition in macros(cuda):
        named.setdefault(name, set()).update(_WORD.findall(definition))
    kept, waiting, seen = [kernel], [_words(cuda, kernel)], set[str]()
    while waiting:
        for word in waiting.pop() - seen:
            seen.add(word)
            waiting += [named[word]] if word in named else []
            for file, item in by_name.get(word, ()):
                if not any(item is other for other in kept):
                    kept.append(item)
                    waiting.append(_words(file, item))
    return kept


def used_words(cuda: Cuda, kept: Sequence[Item]) -> set[str]:
    """The words of some items, and those of the macros that they use."""
    wanted = {id(item) for item in kept}
    words = {word for file in cuda.files for item in file.items if id(item) in wanted for word in _words(file, item)}
    return with_macros(cuda, words)


def with_macros(cuda: Cuda, words: set[str]) -> set[str]:
    """Some words, and those of the macros among them."""
    waiting, definitions = words, dict[str, set[str]]()
    for name, text in macros(cuda):
        definitions.setdefault(name, set()).update(_WORD.findall(text))
    found = set[str]()
    while waiting:
        found |= waiting
        waiting = {word for name in waiting for word in definitions.get(name, ())} - found
    return found


def references(cuda: Cuda, kept: Sequence[Item]) -> dict[str, frozenset[int]]:
    """Of each device function the parameters that are references to what is not const."""
    wanted = {id(item) for item in kept}
    found = {}
    for file in cuda.files:
        for item in file.items:
            if item.kind not in ("device", "host") or id(item) not in wanted:
                continue
            texts = [[token.text for token in file.tokens[first:end]] for first, end in item.parameters]
            numbers = frozenset(k for k, words in enumerate(texts) if "&" in words and "const" not in words)
            if numbers:
                found[item.name] = numbers
    return found


def instances(cuda: Cuda, kept: Sequence[Item], arguments: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """What the parameters of templates stand for that are called with the same arguments wherever they are."""
    templates = {item.name: item for item in kept if item.is_template and item.kind == "device"}
    found: dict[str, set[tuple[str, ...]]] = {name: set() for name in templates}
    for index, token in enumerate(cuda.tokens[:-1] if templates else ()):
        inside = any(item.first <= index < item.end for item in kept if item.kind in ("kernel", "device"))
        if inside and token.text in templates and cuda.tokens[index + 1].text == "<":
            close = angles_end(cuda.tokens, index + 1)
            parts = separated(cuda.tokens, index + 2, close)
            words = (" ".join(arguments.get(t.text, t.text) for t in cuda.tokens[a:b]) for a, b in parts)
            found[token.text].add(tuple(words))
    known = {
        name: dict(zip(templates[name].template, next(iter(each)), strict=False))
        for name, each in found.items()
        if len(each) == 1 and len(next(iter(each))) == len(templates[name].template)
    }
    for file in cuda.files:
        for item in file.items:
            if any(item is template for name, template in templates.items() if name in known):
                own = known[item.name]
                own.update(
                    {name: enclosed(own[name], kind) for name, kind in value_parameters(file.tokens, item).items()}
                )
    return known


def expect_one_scope(cuda: Cuda, kept: Sequence[Item]) -> None:
    """See that each name of what a view keeps is declared in one namespace; the view has none.

    Raises:
        NoViewError: one is declared in several.
    """
    wanted, scopes = {id(item) for item in kept}, dict[str, set[tuple[str, ...]]]()
    for file in cuda.files:
        for item in file.items:
            if id(item) in wanted and item.name and item.kind in ("constant", "memory", "type"):
                for name in {item.name} if item.kind == "type" else _names(file, item):
                    scopes.setdefault(name, set()).add(file.scope(item.first))
    word = min((name for name, found in scopes.items() if len(found) > 1), default="")
    if word:
        token = cuda.tokens[kept[0].first]
        raise NoViewError(f"'{word}' is declared in several namespaces", Span(token.start, token.end))


def expect_calls_in_text(cuda: Cuda, kept: Sequence[Item]) -> None:
    """See that no macro calls a function that takes a reference: a view hands on an address, and macros stay.

    Raises:
        NoViewError: one does.
    """
    used, functions = used_words(cuda, kept), references(cuda, kept).keys()
    for name, text in macros(cuda):
        if name in used and functions & set(_WORD.findall(text)[2:]):
            token = cuda.tokens[kept[0].first]
            raise NoViewError(f"the macro '{name}' calls what takes a reference", Span(token.start, token.end))


def _words(cuda: Cuda, item: Item) -> set[str]:
    return {token.text for token in cuda.tokens[item.first : item.end] if token.is_name}


def _names(cuda: Cuda, item: Item) -> set[str]:
    """The names by which a kernel may need an item."""
    if item.kind in ("constant", "memory"):
        return {item.name, *declared_names(cuda.tokens, item.first, item.end - 1)}
    return {item.name} | (_names_of_type(cuda, item) if item.kind == "type" else set())


def _names_of_type(cuda: Cuda, item: Item) -> set[str]:
    """The names that a declaration of types declares: tags, typedef names, enumerators."""
    tokens = cuda.tokens[item.first : item.end]
    found = {
        tokens[k + 1].text for k in range(len(tokens) - 1) if tokens[k].text in ("struct", "union", "enum", "using")
    }
    if tokens[0].text == "typedef":
        found |= {tokens[k].text for k in range(len(tokens) - 1) if tokens[k + 1].text in (";", "[", ",", ")")}
    if any(token.text == "enum" for token in tokens):
        found |= {token.text for token in tokens if token.is_name}
    return found
