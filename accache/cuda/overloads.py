"""Overloaded functions that only compute: of a call of one a view knows the type of what it gives, and nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from accache.cpu.definitions import separated
from accache.cpu.tokens import Token, closing
from accache.cuda.items import Item
from accache.cuda.needed import needed
from accache.cuda.text import Cuda
from accache.cuda.words import DROPPED

_GONE = DROPPED | {"static", "extern", "const"}


def overloads(cuda: Cuda, kept: Sequence[Item]) -> dict[str, dict[int, str]]:
    """Of each function with several definitions, what it gives for how many arguments.

    Left out are functions of which a definition does more than compute from what it is handed, and gives that with its
    only statement; and those that give different types for equally many arguments.
    """
    wanted = {id(item) for item in kept if item.kind in ("device", "host")}
    by_name: dict[str, list[tuple[Cuda, Item]]] = {}
    for file in cuda.files:
        for item in file.items:
            if id(item) in wanted:
                by_name.setdefault(item.name, []).append((file, item))
    several = {name: found for name, found in by_name.items() if len(found) > 1}
    results = {name: _results(found, by_name) for name, found in several.items()}
    return {name: found for name, found in results.items() if found}


def writing_operators(cuda: Cuda) -> bool:
    """Whether an operator of the device may write to more than what it assigns to: a view has no call of it."""
    return any(
        item.kind == "operator" and (_may_write(file, item) or _has_variables(cuda, file, item))
        for file in cuda.files
        for item in file.items
    )


def _has_variables(cuda: Cuda, file: Cuda, item: Item) -> bool:
    """Whether an operator of the device, or what it calls, names variables of the file that it may change."""
    if not any(token.text in file.device_words for token in file.tokens[item.first : item.end]):
        return False
    names = {each.name for each in needed(file, item) if each.kind == "memory"}
    parts = (part.tokens[each.first : each.end] for part in cuda.files for each in part.items if each.name in names)
    return any(token.text in {*file.device_words, "__managed__"} for tokens in parts for token in tokens)


def operates_on_enumerations(cuda: Cuda, kept: Sequence[Item]) -> bool:
    """Whether the program has operators of its own that may take enumerations of a view, which adds ints there."""
    wanted, names = {id(item) for item in kept}, set[str]()
    for file in cuda.files:
        for item in file.items:
            texts = {token.text for token in file.tokens[item.first : item.end]}
            if id(item) in wanted and item.kind == "type" and "enum" in texts:
                names |= texts
    operators = (item for file in cuda.files for item in _operators(file, names) if names)
    return any(True for _ in operators)


def _operators(file: Cuda, names: set[str]) -> Iterator[Item]:
    """The operators of a text that are templates, or name one of some types."""
    for item in file.items:
        texts = [token.text for token in file.tokens[item.first : item.end]]
        head = texts[: texts.index("{")] if "{" in texts else texts
        is_conversion = not item.is_template and not names.intersection(head) - {"int", "const", "inline", "unsigned"}
        if item.kind == "operator" and not is_conversion:
            yield item


def _may_write(file: Cuda, item: Item) -> bool:
    """Whether an operator of the device has parameters through which it may write, other than what it assigns to."""
    tokens = file.tokens[item.first : item.end]
    texts = [token.text for token in tokens]
    opening = texts.index("(", texts.index("operator") + 2) if texts.count("(") else 0
    is_of_device = not file.device_words.isdisjoint(texts[:opening])
    if not is_of_device or not opening or _only_makes(texts[closing(tokens, opening) + 1 :]):
        return False
    symbol = "".join(texts[texts.index("operator") + 1 : opening])
    parameters = list(separated(tokens, opening + 1, closing(tokens, opening)))
    is_assignment = symbol in ("++", "--") or (symbol.endswith("=") and symbol not in ("==", "!=", "<=", ">="))
    for first, end in parameters[1 if is_assignment else 0 :]:
        words = texts[first:end]
        if "*" in words or ("&" in words and "const" not in words):
            return True
    return False


def _only_makes(body: Sequence[str]) -> bool:
    """Whether a body is ``{ return make_float2(-a.x, -a.y); }`` or alike: it calls nothing but what makes a vector."""
    inner = body[1:-1]
    if inner[:1] != ["return"] or inner.count(";") != 1 or _changes(inner):
        return False
    called = [name for name, after in itertools.pairwise(inner) if after == "(" and name.isidentifier()]
    return all(name.startswith("make_") for name in called if name != "return")


def _results(
    definitions: Sequence[tuple[Cuda, Item]], by_name: Mapping[str, Sequence[tuple[Cuda, Item]]]
) -> dict[int, str]:
    """What the definitions of one function give by the number of arguments; nothing if that is not told by it."""
    found: dict[int, str] = {}
    for file, item in definitions:
        if not _only_computes(file, item, by_name, ()):
            return {}
        result = " ".join(token.text for token in _head(file, item) if token.text not in _GONE)
        usual = sum(1 for first, end in item.parameters if any(t.text == "=" for t in file.tokens[first:end]))
        for number in range(len(item.parameters) - usual, len(item.parameters) + 1):
            if found.setdefault(number, result) != result:
                return {}
    return found


def _head(file: Cuda, item: Item) -> tuple[Token, ...]:
    """What stands in front of a function's name."""
    name = next(k for k in range(item.first, item.body) if file.tokens[k].text == item.name)
    return file.tokens[item.first : name]


def _only_computes(
    file: Cuda, item: Item, by_name: Mapping[str, Sequence[tuple[Cuda, Item]]], around: tuple[str, ...]
) -> bool:
    """Whether a function is ``return value;`` of its parameters, with calls of such functions alone."""
    if item.is_template or item.name in around:
        return False
    for first, end in item.parameters:
        words = [token.text for token in file.tokens[first:end]]
        if "*" in words or "[" in words or ("&" in words and "const" not in words):
            return False
    body = file.tokens[item.body + 1 : item.end - 1]
    texts = [token.text for token in body]
    if not texts or texts[0] != "return" or texts.count(";") != 1 or texts[-1] != ";" or _changes(texts):
        return False
    called = [texts[k] for k in range(len(texts) - 1) if body[k].is_name and texts[k + 1] == "("]
    return all(
        _only_computes(other, each, by_name, (*around, item.name))
        for name in called
        if name != item.name
        for other, each in by_name.get(name, ())
    )


def _changes(texts: Sequence[str]) -> bool:
    """Whether an expression may assign, step a variable, or be read in another way than it is written."""
    for before, text, after in zip(["", *texts], texts, [*texts[1:], ""], strict=False):
        if text == "=" and before not in ("=", "<", ">", "!") and after != "=":
            return True
        if text in ("+", "-") and after == text:
            return True
        if text in ("[", "{") or (text == "<" and before == "<") or text.startswith(("atomic", "__shfl")):
            return True
    return False
