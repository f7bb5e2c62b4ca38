"""The types of variables that are declared with auto, as C's rules have them: the front end tells.

Before: ``const auto i = blockIdx.x * blockDim.x + threadIdx.x;``. Tried, with all behind it left out::

    (blockIdx_x * blockDim_x + threadIdx_x);

which is an unsigned int, and so is ``i``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from accache.base.text import SourceFile, Span
from accache.cpu.definitions import separated
from accache.cpu.tokens import Token, closing
from accache.cuda.items import Item, code, items
from accache.cuda.kernel import KernelView
from accache.cuda.text import Cuda, NoViewError
from accache.ir.names import user_name
from accache.ir.tree import Binary, Conditional, Evaluate, Expr, Unary
from accache.ir.types import Arithmetic, Array, CType, Enum, Named, Pointer, Record, Void
from accache.ir.walk import nodes_of

_QUALIFIERS = ("const", "constexpr", "static", "volatile")
_TRUTHS = frozenset(("<", ">", "<=", ">=", "==", "!=", "&&", "||"))
Reading = Callable[[Cuda, Item], KernelView]
"""Reads a kernel of a text that has no auto."""


class _Auto(Struct, frozen=True):
    """A declaration with auto: its tokens from the first to the semicolon, those of the mark and of the first value."""

    function: Item
    first: int
    word: int
    mark: str
    value: tuple[int, int]
    is_only: bool


def deduced(cuda: Cuda, kernel: Item, kept: list[Item], read: Reading) -> dict[int, str]:
    """What stands in the place of words, by their offsets, in a kernel and the device functions that it calls.

    Raises:
        NoViewError: the type of a value is not known.
    """
    found: dict[int, str] = {}
    wanted = {id(item) for item in kept}
    for item in cuda.items:
        if item is kernel or (item.kind == "device" and id(item) in wanted):
            for declaration in _declarations(cuda, item):
                found |= _words(cuda, declaration, _value(cuda, kernel, declaration, found, read=read))
    return found


def _declarations(cuda: Cuda, item: Item) -> Iterator[_Auto]:
    tokens = cuda.tokens
    for index in range(item.body, item.end if item.body else item.body):
        if tokens[index].text != "auto":
            continue
        end = next((k for k in range(index, item.end) if tokens[k].text == ";"), index)
        words = [token.text for token in tokens[index:end]]
        if cuda.group_names.intersection(words):
            continue
        equals = index + next((k for k, word in enumerate(words) if word in ("=", "{")), 0)
        mark = "".join(words[1 : equals - index - 1])
        if tokens[end].text != ";" or equals == index or mark not in ("", "*", "&", "*const"):
            raise NoViewError("it uses auto", Span(tokens[index].start, tokens[index].end))
        if tokens[equals + 1].text == "[":
            raise NoViewError("it uses a lambda", Span(tokens[equals + 1].start, tokens[equals + 1].end))
        parts = list(separated(tokens, equals + 1, end if tokens[equals].text == "=" else closing(tokens, equals)))
        first = index
        while tokens[first - 1].text in _QUALIFIERS:
            first -= 1
        yield _Auto(item, first, index, mark[:1], parts[0], len(parts) == 1)


def _value(cuda: Cuda, kernel: Item, found: _Auto, known: Mapping[int, str], *, read: Reading) -> Expr:
    """The value of a declaration as the front end reads it, by a text that ends with it."""
    tokens, text = cuda.tokens, cuda.source.text
    cut, closers = _cut(tokens, found)
    before, value = (_known(text[a:b], a, known, tokens) for a, b in ((0, cut), _span(tokens, found)))
    made = f"{before}({value});{closers}{text[tokens[found.function.end - 1].end :]}"
    source = SourceFile(cuda.source.name, made)
    again = code(made)
    probe = Cuda(source, again, tuple(items(again)), tuple(each for each in cuda.headers if each[0].end <= cut))
    place = cuda.items.index(kernel)
    view = read(probe, probe.items[place])
    name = found.function.name
    body = view.body if found.function is kernel else next(each.body for each in view.routines if each.name == name)
    evaluated = list(nodes_of(body, Evaluate)) if body is not None else []
    values = [node.expr for node in evaluated if view.near(node.expr.location) >= len(before)]
    if len(values) != 1:
        raise NoViewError("it uses auto", Span(tokens[found.word].start, tokens[found.word].end))
    return values[0]


def _span(tokens: tuple[Token, ...], found: _Auto) -> tuple[int, int]:
    return tokens[found.value[0]].start, tokens[found.value[1] - 1].end


def _known(text: str, start: int, known: Mapping[int, str], tokens: tuple[Token, ...]) -> str:
    """A part of the text with what is known of its words."""
    ends = {token.start: token.end for token in tokens if token.start in known}
    made, place = "", 0
    for offset in sorted(ends):
        if start <= offset < start + len(text):
            made += text[place : offset - start] + known[offset]
            place = ends[offset] - start
    return made + text[place:]


def _cut(tokens: tuple[Token, ...], found: _Auto) -> tuple[int, str]:
    """Where the text ends before a declaration, and what closes the blocks around it."""
    opened: list[int] = []
    for index in range(found.function.body, found.first):
        if tokens[index].text in ("(", "{", "["):
            opened.append(index)
        elif tokens[index].text in (")", "}", "]"):
            opened.pop()
    first = found.first
    if tokens[opened[-1]].text == "(":  # the head of a loop
        first = opened.pop() - 1
    closers = (" } while (0);" if tokens[index - 1].text == "do" else " }" for index in reversed(opened))
    return tokens[first].start, "".join(closers)


def _words(cuda: Cuda, found: _Auto, value: Expr) -> dict[int, str]:
    """What stands for the words of a declaration."""
    tokens = cuda.tokens
    here = Span(tokens[found.word].start, tokens[found.word].end)
    written = [token.text for token in tokens[slice(*found.value)]]
    ctype = value.type
    if isinstance(ctype, Array):
        ctype = Pointer(ctype.element)
    if found.mark == "*":
        if not isinstance(ctype, Pointer):
            raise NoViewError("it uses auto", here)
        ctype = ctype.target
    elif found.mark != "&":
        ctype = _unqualified(ctype)
    spelled = _spelled(ctype)
    if not found.mark and (_is_truth(value) or written in (["true"], ["false"])):
        spelled = "_Bool"
    elif not spelled or {"true", "false"} & set(written) or any(word.startswith("'") for word in written):
        raise NoViewError("it uses auto", here)
    is_pointer = "*" in spelled
    if is_pointer and not found.is_only:
        raise NoViewError("it uses auto", here)
    is_const = is_pointer and any(token.text == "const" for token in tokens[found.first : found.word])
    made = {here.start: f"{spelled}const" if is_const else spelled}
    for token in tokens[found.first : found.word]:
        if is_const and token.text in ("const", "constexpr"):
            made[token.start] = " "
    return made


def _unqualified(ctype: CType) -> CType:
    is_qualified = isinstance(ctype, Arithmetic | Pointer | Record | Enum | Named) and ctype.const
    ctype = replace(ctype, const=False) if is_qualified else ctype
    return replace(ctype, volatile=False) if isinstance(ctype, Arithmetic) else ctype


def _is_truth(value: Expr) -> bool:
    """Whether C++ has a bool where C has an int."""
    if isinstance(value, Conditional):
        return _is_truth(value.then) and _is_truth(value.otherwise)
    is_compared = isinstance(value, Binary) and value.op in _TRUTHS
    return is_compared or (isinstance(value, Unary) and value.op == "!")


def _spelled(ctype: CType) -> str:
    """A type as it stands in front of a name; '' for one that has no such spelling."""
    if isinstance(ctype, Pointer):
        target = _spelled(ctype.target)
        return f"{target} *" if target else ""
    const = "const " if getattr(ctype, "const", False) else ""
    if isinstance(ctype, Void):
        return f"{const}void"
    if isinstance(ctype, Arithmetic):
        volatile = "volatile " if ctype.volatile else ""
        sign = "unsigned " if ctype.unsigned and ctype.name != "_Bool" else "signed " if ctype.signed_char else ""
        return f"{const}{volatile}{sign}{ctype.name}"
    if isinstance(ctype, Named):
        return f"{const}{user_name(ctype.name)}"
    if isinstance(ctype, Record) and ctype.tag:
        return f"{const}{ctype.keyword} {user_name(ctype.tag)}"
    return ""
