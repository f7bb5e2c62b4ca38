"""Where a .cu text uses the name of a kernel: launches that may call a function of the same parameters, and others.

Before: ``k<<<grid, 64>>>(a, n); f = k;``. After: a site at the launch, and one at the second ``k`` with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from accache.cpu.definitions import angles_end, parameter_name
from accache.cpu.launches import launch_places
from accache.cpu.tokens import Token, closing, tokenise
from accache.cuda.items import Item
from accache.cuda.needed import macros, with_macros
from accache.cuda.text import Cuda
from accache.cuda.words import FUNCTION_NAMES

_ASKS = ("cudaFunc", "cudaOccupancy", "cuOccupancy", "sizeof", "decltype")
"""How functions begin that are handed a kernel and launch none."""
_BEHIND_DECLARED = frozenset(("=", ";", ",", ")", "[", "{", ":"))
_NO_TYPES = frozenset(("return", "else", "do", "case", "goto", "throw", "new", "delete", "co_return", "typename"))
_CALM = frozenset(
    ("dim3", "uint3", "sizeof", "alignof", "min", "max", "if", "int", "unsigned", "long", "short", "char", "size_t")
) | {"bool", "float", "double", "make_uint3"}
"""What may stand in front of a parenthesis and changes nothing."""
_CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast"))
_CHANGING = frozenset(("new", "delete", "throw", "co_await", "co_yield"))


class Site(Struct, frozen=True):
    """A use of a kernel's name: its token, and of a launch the first token, ``<<<``, ``>>>`` and the last parenthesis.

    ``reason`` tells why it is no launch that may call another function instead; '' if it is one.
    """

    name: int
    first: int = 0
    mark: int = 0
    end: int = 0
    close: int = 0
    reason: str = ""


class Family(Struct, frozen=True):
    """The kernels of one name that a file defines, and the declarations of them that stand alone.

    ``obstacle`` tells why launches of that name cannot be told apart; '' if nothing keeps them from it.
    """

    name: str
    kernels: tuple[Item, ...]
    declarations: tuple[Item, ...]
    obstacle: str


def family(cuda: Cuda, name: str) -> Family:
    """The kernels of a name, which overloads and namespaces may give to several."""
    kernels = tuple(item for item in cuda.kernels if item.name == name)
    declarations = tuple(item for item in cuda.items if item.name == name and _is_declaration(cuda, item))
    known = {_signature(cuda, item) for item in kernels}
    obstacle = ""
    if any(item.kind == "kernel" and item.name == name for file in cuda.files[1:] for item in file.items):
        obstacle = "a header defines a kernel of this name, too"
    elif any(_signature(cuda, item) not in known for item in declarations):
        obstacle = "a kernel of this name is defined in another file"
    elif any(_specialises(file, item, name) for file in cuda.files for item in file.items):
        obstacle = "an instance of the template has a definition of its own"
    elif len(kernels) > 1 and not all(_has_names(cuda, item) for item in kernels):
        obstacle = "another kernel of this name has parameters without names"
    return Family(name, kernels, declarations, obstacle)


def sites(cuda: Cuda, found: Family) -> Iterator[Site]:
    """The uses of a name of kernels outside of what declares them, but for functions that only ask about a kernel."""
    places = {}
    for first, mark, end in launch_places(cuda.tokens):
        name = name_of(cuda.tokens, first, mark)
        if name is not None and cuda.tokens[name].text == found.name:
            places[name] = Site(name, first, mark, end, closing(cuda.tokens, end + 1))
    own = (*found.kernels, *found.declarations)
    visible = _visible_from(cuda, found)
    for index, token in enumerate(cuda.tokens):
        if token.text != found.name or any(item.first <= index < item.end for item in own):
            continue
        around = next((item for item in cuda.items if item.first <= index < item.end), None)
        launch = places.get(index)
        if launch is not None:
            reason = found.obstacle or _obstacle(cuda, launch, around, is_declared=index >= visible)
            yield replace(launch, reason=reason)
        elif _is_value(cuda, index, around):
            yield Site(index, reason="the name is a value there, which may be launched elsewhere")


def using_declarations(cuda: Cuda, found: Family) -> Iterator[tuple[int, int]]:
    """The tokens of ``space::k`` in each ``using space::k;`` behind what declares the kernels, as half-open ranges."""
    for index in range(_visible_from(cuda, found), len(cuda.tokens) - 1):
        if cuda.tokens[index].text == found.name and cuda.tokens[index + 1].text == ";":
            first = index
            while first and (cuda.tokens[first - 1].text == "::" or cuda.tokens[first - 1].is_name):
                if cuda.tokens[first - 1].text == "using" and first < index:
                    yield first, index + 1
                    break
                first -= 1


def launches_in_macros(cuda: Cuda, name: str) -> Iterator[int]:
    """Where macros of a file launch a kernel by its name."""
    for span in cuda.directives:
        for found in re.finditer(
            rf"\b{re.escape(name)}\b(?=\s*(<[^;<>]*>\s*)?<<<)", cuda.source.text[span.start : span.end]
        ):
            yield span.start + found.start()


def is_in_order(cuda: Cuda, site: Site) -> bool:
    """Whether it makes no difference if a launch's configuration and its arguments are evaluated in any order."""
    words: dict[str, tuple[Token, ...]] = {}
    for name, definition in macros(cuda):
        words[name] = (*words.get(name, ()), *_replacement(definition))
    configuration, arguments = cuda.tokens[site.mark + 1 : site.end], cuda.tokens[site.end + 2 : site.close]
    if not (_may_change(configuration, words) or _may_change(arguments, words)):
        return True
    return not (_names_variables(configuration, words) and _names_variables(arguments, words))


def _bound_names(cuda: Cuda, site: Site) -> frozenset[str]:
    """The names of structured bindings in the function around a launch, which a lambda must not capture."""
    around = next((item for item in cuda.items if item.first <= site.name < item.end), None)
    found: set[str] = set()
    for index in range(around.first, site.name) if around is not None else ():
        if cuda.tokens[index].text == "auto":
            opening = index + 1
            while cuda.tokens[opening].text in ("&", "const"):
                opening += 1
            if cuda.tokens[opening].text == "[":
                close = closing(cuda.tokens, opening)
                found |= {token.text for token in cuda.tokens[opening:close] if token.is_name}
    return frozenset(found)


def _obstacle(cuda: Cuda, site: Site, around: Item | None, *, is_declared: bool) -> str:
    """Why a launch stays as it is; '' if nothing is in the way."""
    if around is not None and around.kind in ("kernel", "device"):
        return "the device launches it"
    if not is_declared:
        return "only a header declares the kernel before that"
    if around is not None and _may_be_variable(cuda, around, site):
        return "the name may be that of a variable there"
    if not is_in_order(cuda, site) and _stays(cuda, site):
        return "its arguments must be evaluated behind its configuration"
    return ""


def _stays(cuda: Cuda, site: Site) -> bool:
    """Whether arguments of a launch mean something else in a lambda, or its configuration cannot stand elsewhere."""
    first, last = cuda.tokens[site.mark].start, cuda.tokens[site.end].end
    has_lines = any(first <= span.start < last for span in cuda.directives)
    has_launch = any(token.text == "<<<" for token in cuda.tokens[site.mark + 1 : site.end])
    used = with_macros(cuda, {token.text for token in cuda.tokens[site.end + 2 : site.close]})
    return has_lines or has_launch or bool(used & (FUNCTION_NAMES | _bound_names(cuda, site)))


def _visible_from(cuda: Cuda, found: Family) -> int:
    """The token from which on a file's own text declares what is launched by the name."""
    in_header = any(
        item.name == found.name and _is_declaration(file, item) for file in cuda.files[1:] for item in file.items
    )
    if in_header:
        return max((item.end for item in found.kernels), default=0)
    return min((item.end for item in (*found.kernels, *found.declarations)), default=0)


def name_of(tokens: tuple[Token, ...], first: int, mark: int) -> int | None:
    """The last name of ``::space::kernel<T, 4>`` in front of a ``<<<``; None if something else stands there."""
    index = first + (tokens[first].text == "::")
    while index + 2 < mark and tokens[index].is_name and tokens[index + 1].text == "::":
        index += 2
    behind = index + 1
    if behind < mark and tokens[behind].text == "<":
        behind = angles_end(tokens, behind) + 1
    return index if tokens[index].is_name and behind == mark else None


def _is_declaration(cuda: Cuda, item: Item) -> bool:
    """Whether an item declares a kernel and does not define it."""
    opening = item.parameters[0][0] if item.parameters else item.end
    return item.kind == "other" and any(token.text == "__global__" for token in cuda.tokens[item.first : opening])


def _specialises(cuda: Cuda, item: Item, name: str) -> bool:
    """Whether an item is ``template <> __global__ void k<float>(...) { ... }``."""
    texts = [token.text for token in cuda.tokens[item.first : item.end]]
    return texts[:3] == ["template", "<", ">"] and "__global__" in texts and name in texts and "{" in texts


def _signature(cuda: Cuda, item: Item) -> tuple[object, ...]:
    """What tells a kernel from others of its name: the scopes around it, and the types of its parameters."""
    around: list[str] = []
    depth = 0
    for index in range(item.first - 1, -1, -1):
        text = cuda.tokens[index].text
        depth += (text == "}") - (text == "{")
        if depth < 0:
            depth, head = 0, index
            while head and cuda.tokens[head].text not in ("namespace", "extern", ";", "}"):
                head -= 1
            around += [token.text for token in cuda.tokens[head:index] if token.is_name and token.text != "extern"]
    return tuple(around), len(item.template), *(_type_of(cuda.tokens[a:b]) for a, b in item.parameters)


def _type_of(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """The words of a parameter's type, without its name, its default, and qualifiers that do not count."""
    texts = [token.text for token in tokens]
    texts = texts[: texts.index("=")] if "=" in texts else texts
    name = parameter_name(tokens)
    if name and texts and "[" not in texts and texts[-1] == name:
        texts.pop()
    texts = [text for text in texts if not text.startswith("__restrict")]
    while texts and texts[-1] == "const":
        texts.pop()
    return tuple(texts) if "*" in texts else tuple(text for text in texts if text != "const")


def _has_names(cuda: Cuda, item: Item) -> bool:
    parts = (cuda.tokens[first:end] for first, end in item.parameters)
    return all(parameter_name(tokens) or [token.text for token in tokens] == ["void"] for tokens in parts)


def _may_be_variable(cuda: Cuda, around: Item, site: Site) -> bool:
    """Whether a function may declare a variable, or take a parameter, of a kernel's name."""
    tokens, name = cuda.tokens, cuda.tokens[site.name].text
    if tokens[site.name - 1].text == "::":
        return False
    return any(
        tokens[index].text == name and _is_declared(tokens, index)
        for index in range(max(1, around.first), around.end - 1)
    )


def _is_declared(tokens: tuple[Token, ...], index: int) -> bool:
    before, behind = tokens[index - 1], tokens[index + 1]
    if behind.text not in _BEHIND_DECLARED:
        return False
    if before.is_name:
        return before.text not in _NO_TYPES
    if before.text in ("*", "&"):
        return before.text == "*" or tokens[index - 2].text not in ("(", ",", "=", "{")
    return before.text == ">"


def _is_value(cuda: Cuda, index: int, around: Item | None) -> bool:
    """Whether a kernel's name stands where its address is handed on, kept or compared, or in an operand's place."""
    tokens = cuda.tokens
    if around is None or around.kind in ("kernel", "device", "type") or not 0 < index < len(tokens) - 1:
        return False
    if any(
        _is_declared(tokens, k) for k in range(around.first + 1, around.end - 1) if tokens[k].text == tokens[index].text
    ):
        return False
    start = index
    while start >= 2 and tokens[start - 1].text == "::" and tokens[start - 2].is_name:
        start -= 2
    behind = index + 1
    if tokens[behind].text == "<" and tokens[behind + 1].text != "<":
        behind = angles_end(tokens, behind) + 1
    is_spaced = [token.text for token in tokens[behind : behind + 3]] == ["<", "<", "<"]
    if not is_spaced and (
        tokens[start - 1].text in (".", "::") or tokens[behind].text not in (",", ")", ";", "}", ":")
    ):
        return False
    return not any(word.startswith(_ASKS) for word in _called_around(tokens, around, start))


def _called_around(tokens: tuple[Token, ...], around: Item, index: int) -> Iterator[str]:
    """The names of functions in whose parentheses a token stands."""
    depth = 0
    for position in range(index - 1, around.first, -1):
        text = tokens[position].text
        depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
        if depth < 0:
            depth = 0
            if text == "(" and tokens[position - 1].is_name:
                yield tokens[position - 1].text
        if text == ";" and not depth:
            return


def _names_variables(tokens: tuple[Token, ...], words: Mapping[str, tuple[Token, ...]]) -> bool:
    """Whether an expression may have another value when something else has changed."""
    for token in tokens:
        if token.text in words:
            others = {name: made for name, made in words.items() if name != token.text}
            if _names_variables(words[token.text], others):
                return True
        elif token.is_name and token.text not in _CALM:
            return True
    return False


def _replacement(definition: str) -> tuple[Token, ...]:
    """The tokens of what a macro stands for."""
    tokens = tokenise(definition.partition("define")[2])
    behind = 1
    if len(tokens) > 1 and tokens[1].text == "(" and tokens[1].start == tokens[0].end:
        behind = closing(tokens, 1) + 1
    return tokens[behind:]


def _may_change(tokens: tuple[Token, ...], words: Mapping[str, tuple[Token, ...]]) -> bool:
    """Whether an expression may change something, or calls what may; ``words`` are what macros stand for."""
    for index, token in enumerate(tokens):
        is_twice = index + 1 < len(tokens) and token.end == tokens[index + 1].start
        behind = tokens[index + 1].text if is_twice else ""
        if token.text in _CHANGING or (token.text in ("+", "-") and behind == token.text):
            return True
        if token.text == "=" and behind != "=":
            before = tokens[index - 1] if index else None
            if before is None or before.text not in ("=", "!", "<", ">") or before.end != token.start:
                return True
        if token.text == "(" and index and _calls(tokens, index, words):
            return True
        if token.text in words:
            others = {name: made for name, made in words.items() if name != token.text}
            if _may_change(words[token.text], others):
                return True
    return False


def _calls(tokens: tuple[Token, ...], opening: int, words: Mapping[str, tuple[Token, ...]]) -> bool:
    """Whether a parenthesis is that of a call which may change something."""
    before = tokens[opening - 1]
    if before.text == ">":
        return not _CASTS & {token.text for token in tokens[:opening]}
    if before.text == ")":  # (int)(x), or a call of what stands in parentheses
        return any(
            token.is_name and token.text not in _CALM for token in tokens[_opening(tokens, opening - 1) : opening]
        )
    return (before.is_name and before.text not in _CALM and before.text not in words) or before.text == "]"


def _opening(tokens: tuple[Token, ...], close: int) -> int:
    """Where the parenthesis begins that ends at a token."""
    depth = 0
    for index in range(close, -1, -1):
        depth += (tokens[index].text == ")") - (tokens[index].text == "(")
        if not depth:
            return index
    return 0
