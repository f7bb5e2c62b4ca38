"""The edits that make words of CUDA C++ those of C, one rule a method."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from accache.base.text import Edit, Span
from accache.cpu.definitions import angles_end, separated
from accache.cpu.tokens import Token, closing
from accache.cuda.items import declared_names
from accache.cuda.text import Cuda, NoViewError
from accache.cuda.words import (
    BARRIER,
    BASIC,
    CASTS,
    DROPPED,
    FETCHES,
    GROUP_TYPES,
    OPAQUE,
    POSITIONS,
    REFUSED,
    SPELLED,
    UNKNOWN_CHOICE,
    WITH_ARGUMENTS,
)

_WORD = re.compile(r"\w+")
_DECLARED = frozenset((*BASIC, "const", "unsigned", "signed", "static", "struct", "void"))

_POSTFIX = frozenset(("[", ".", "-", "->", "+", "++", "--"))
"""What binds, or may begin what binds, closer than a cast does."""
_NO_TYPE = frozenset(("return", "else", "case", "sizeof", "goto", "do"))

Made = tuple[list[Edit], int]
"""The edits for what stands at a token, and the token behind it."""


class WordEdits(Struct, frozen=True):
    """Makes the edits of words; notes the arrays in ``shared`` memory, and variables that stand for thread ``blocks``.

    ``dynamic_shared`` are the arrays whose length only the launch knows. ``arguments`` are what parameters of the
    template around stand for. ``pointed`` are parameters that have become pointers, ``references`` the numbers of those
    of each function, ``instances`` the templates that are called, ``overloads`` what overloaded functions give for how
    many arguments, ``deduced`` what stands for words of declarations with auto, by their offsets. ``of_cuda`` are those
    of ``READERS`` that are CUDA's own, and of which only what they read has to be known.
    """

    cuda: Cuda
    shared: set[str]
    dynamic_shared: set[str]
    blocks: set[str]
    references: Mapping[str, frozenset[int]]
    instances: Mapping[str, Mapping[str, str]]
    arguments: Mapping[str, str]
    pointed: frozenset[str]
    overloads: Mapping[str, Mapping[int, str]]
    deduced: Mapping[int, str]
    of_cuda: frozenset[str]

    def span(self, first: int, end: int) -> Span:
        """The place of a half-open range of tokens."""
        return Span(self.cuda.tokens[first].start, self.cuda.tokens[end - 1].end)

    def tokens(self, first: int, end: int) -> list[Edit]:
        """The edits for the words in a half-open range of tokens."""
        edits, index = list[Edit](), first
        while index < end:
            made, index = self.word(index)
            edits += made
        return edits

    def word(self, index: int) -> Made:
        """The edits for what stands at a token: by the first rule that knows it, else none."""
        tokens = self.cuda.tokens
        text, after = tokens[index].text, tokens[index + 1].text if index + 1 < len(tokens) else ""
        for rule in (self.deduction, self.qualifier, self.using, self.waiting, self.group, self.linkage, *self.calls()):
            made = rule(index, text, after)
            if made is not None:
                return made
        self.refuse(index, text, after)
        if not tokens[index].is_name:
            return [], index + 1
        for rule in (self.argument, self.declared, self.cast, self.position, self.conversion, self.spelled):
            made = rule(index, text, after)
            if made is not None:
                return made
        return [], index + 1

    def deduction(self, index: int, text: str, after: str) -> Made | None:
        """``auto`` becomes a type."""
        made = self.deduced.get(self.cuda.tokens[index].start)
        return None if made is None else ([Edit(self.span(index, index + 1), made)], index + 1)

    def calls(self) -> tuple[Callable[[int, str, str], Made | None], ...]:
        """The rules for names of functions, and for parameters that have become pointers."""
        return self.reference, self.fetch, self.overloaded, self.instance, self.reader

    def qualifier(self, index: int, text: str, after: str) -> Made | None:
        """``std::``, ``::`` and the names of the program's own namespaces go; other namespaces are not known."""
        tokens = self.cuda.tokens
        if text == "::" or after == "::":
            self.expect_unhidden(index + 1 if text == "::" else index + 2)
        if after == "::" and any(text in path for path in self.cuda.namespaces):
            return [Edit(self.span(index, index + 2), " ")], index + 2
        if text != "::" and not (text == "std" and after == "::"):
            return None
        if text == "::" and index and tokens[index - 1].is_name and tokens[index - 1].text != "std":
            raise NoViewError(f"it uses '{tokens[index - 1].text}::'", self.span(index - 1, index + 1))
        return [Edit(self.span(index, index + 1), " " * len(text))], index + 1

    def expect_unhidden(self, index: int) -> None:
        """See that a name that loses its namespace is not that of something local, or of a template's parameter.

        Raises:
            NoViewError: it is.
        """
        name, tokens = self.cuda.tokens[index].text, self.cuda.tokens
        item = next((each for each in self.cuda.items if each.first <= index < each.end), None)
        if item is None or tokens[index + 1].text == "::":
            return
        if name in self.arguments or any(
            self.may_declare(k) for k in range(item.first, index) if tokens[k].text == name
        ):
            raise NoViewError(
                f"it has a '{name}' of its own beside the one of a namespace", self.span(index, index + 1)
            )

    def may_declare(self, index: int) -> bool:
        """Whether the name at a token may be declared there, in a function: a type stands in front of it."""
        before, after = (self.cuda.tokens[k] for k in (index - 1, index + 1))
        if after.text not in ("=", ";", "[", ",", ")", "{", "(", ":"):
            return False
        is_typed = before.is_name and before.text not in _NO_TYPE
        return is_typed or (before.text in ("*", "&", ",", ">", "{") and after.text != "(")

    def waiting(self, index: int, text: str, after: str) -> Made | None:
        """``cooperative_groups::this_thread_block().sync()`` becomes a barrier."""
        if text not in self.cuda.group_names:
            return None
        start = index + 2 if after == "::" else index
        words = [token.text for token in self.cuda.tokens[start : start + 5]]
        is_barrier = words == ["this_thread_block", "(", ")", ".", "sync"]
        return ([Edit(self.span(index, start + 5), BARRIER)], start + 5) if is_barrier else None

    def group(self, index: int, text: str, after: str) -> Made | None:
        """Cooperative groups: of the block's, of which only the barrier is known."""
        tokens = self.cuda.tokens
        if text in self.blocks and after == ".":
            if tokens[index + 2].text == "sync":
                return [Edit(self.span(index, index + 3), BARRIER)], index + 3
            raise NoViewError("it uses cooperative groups", self.span(index, index + 1))
        names = self.cuda.group_names
        argument = tokens[index + 2].text if after == "(" else ""
        if text == "sync" and argument in self.blocks:
            return self.barrier(index, index + 1)
        if text in names and after == "::" and tokens[index + 2].text == "sync":
            return self.barrier(index, index + 3)
        if text == "auto" or (text in names and (after == "::" or text in GROUP_TYPES)):
            return self.group_declaration(index)
        return None

    def barrier(self, index: int, opening: int) -> Made:
        """A function that waits for the group in the parentheses becomes a barrier."""
        close = closing(self.cuda.tokens, opening)
        return [Edit(self.span(index, close + 1), f"{BARRIER}()")], close + 1

    def group_declaration(self, index: int) -> Made | None:
        """``auto g = this_thread_block();`` goes, and is remembered; of other groups nothing is known."""
        tokens = self.cuda.tokens
        end = next((k for k in range(index, len(tokens)) if tokens[k].text == ";"), index)
        words = [token.text for token in tokens[index:end]]
        if not self.cuda.group_names.intersection(words):
            return None
        place = words.index("=") if "=" in words else 0
        is_block = words[place + 1 :][-3:] == ["this_thread_block", "(", ")"] and len(words) - place in (4, 6)
        if place > 1 and is_block and words[place - 2] in ("thread_block", "auto"):
            self.blocks.add(words[place - 1])
            return [Edit(self.span(index, end), " ")], end
        raise NoViewError("it uses cooperative groups", self.span(index, index + 1))

    def alias(self, first: int, end: int, *, is_template: bool = False) -> list[Edit]:
        """``using T = int;`` becomes a typedef, and other declarations with ``using`` go, as namespaces do."""
        tokens = self.cuda.tokens
        if tokens[first + 2].text != "=":
            return [Edit(self.span(first, end), " ")]
        if is_template or any(token.text in ("(", "[", "typename") for token in tokens[first:end]):
            raise NoViewError("it uses 'using' for a type that is no plain one", self.span(first, first + 1))
        edits = [Edit(self.span(first, first + 3), "typedef "), *self.tokens(first + 3, end - 1)]
        return [*edits, Edit(self.span(end - 1, end), f" {tokens[first + 1].text};")]

    def using(self, index: int, text: str, after: str) -> Made | None:
        """The same inside of a function."""
        if text != "using":
            return None
        end = next((k for k in range(index, len(self.cuda.tokens)) if self.cuda.tokens[k].text == ";"), index) + 1
        return self.alias(index, end), end

    def linkage(self, index: int, text: str, after: str) -> Made | None:
        """``extern "C"`` goes."""
        if text != "extern" or not after.startswith('"'):
            return None
        return [Edit(self.span(index, index + 2), " ")], index + 2

    def reference(self, index: int, text: str, after: str) -> Made | None:
        """Calls hand on addresses of what their functions refer to, and there ``x`` becomes ``(*x)``."""
        if any(item.parameters and item.parameters[0][0] - 2 == index for item in self.cuda.items):
            return None
        if text in self.references and after == "(":
            return self.addresses(text, index + 1), index + 1
        if text in self.references and after != "<" and self.is_function(index):
            raise NoViewError(
                f"it calls '{text}', which takes a reference, in another way", self.span(index, index + 1)
            )
        if text in self.pointed:
            return [Edit(self.span(index, index + 1), f"(*{text})")], index + 1
        return None

    def is_function(self, index: int) -> bool:
        """Whether the name of a function at a token may be that function, and no member."""
        return index == 0 or self.cuda.tokens[index - 1].text not in (".", ">", "->")

    def addresses(self, name: str, opening: int) -> list[Edit]:
        """Addresses of the arguments that a call of a function hands on by reference."""
        tokens = self.cuda.tokens
        if name not in self.references or tokens[opening].text != "(":
            return []
        edits = []
        for number, (first, end) in enumerate(separated(tokens, opening + 1, closing(tokens, opening))):
            if number in self.references[name]:
                start, stop = tokens[first].start, tokens[end - 1].end
                edits += [Edit(Span(start, start), "&("), Edit(Span(stop, stop), ")")]
        return edits

    def fetch(self, index: int, text: str, after: str) -> Made | None:
        """``tex2D<float4>(t, x, y)`` becomes a call of which the type of its value is known."""
        if text not in FETCHES or after not in ("<", "("):
            return None
        if after == "(":
            raise NoViewError("it uses textures", self.span(index, index + 1))
        tokens = self.cuda.tokens
        close = angles_end(tokens, index + 1)
        kind = " ".join(self.arguments.get(token.text, token.text) for token in tokens[index + 2 : close])
        if tokens[close + 1].text != "(":
            return None
        made = f'{OPAQUE}("{text}<{kind}>", {kind}, '
        return [Edit(self.span(index, close + 2), made)], close + 2

    def overloaded(self, index: int, text: str, after: str) -> Made | None:
        """A call of an overloaded function becomes one of which the type of its value is known."""
        if text not in self.overloads or after != "(":
            return None
        tokens = self.cuda.tokens
        close = closing(tokens, index + 1)
        number = len(list(separated(tokens, index + 2, close)))
        kind = self.overloads[text].get(number)
        if kind is None:
            return None
        return [Edit(self.span(index, index + 2), f'{OPAQUE}("{text}", {kind}{", " if number else ""}')], index + 2

    def instance(self, index: int, text: str, after: str) -> Made | None:
        """A template has one instance, whose name needs no arguments."""
        if text not in self.instances or after != "<":
            return None
        close = angles_end(self.cuda.tokens, index + 1)
        return [Edit(self.span(index + 1, close + 1), ""), *self.addresses(text, close + 1)], close + 1

    def reader(self, index: int, text: str, after: str) -> Made | None:
        """``__ldg(&a[i])`` becomes ``(a[i])``, and ``max(a[i], b)`` a sum that nothing is known of.

        Macros for them would hold what they read, and read it twice.
        """
        if text not in self.of_cuda or after != "(":
            return None
        tokens = self.cuda.tokens
        close = closing(tokens, index + 1)
        if text == "__ldg":
            is_element = tokens[index + 2].text == "&" and is_place(tokens, index + 3, close)
            return ([Edit(self.span(index, index + 3), "(")], index + 3) if is_element else None
        parts = list(separated(tokens, index + 2, close))
        if len(parts) != 2 or not any(token.text == "[" for token in tokens[index:close]):
            return None
        comma = self.span(parts[0][1], parts[0][1] + 1)
        edits = [Edit(self.span(index, index + 2), "(("), Edit(comma, ") + (")]
        return [*edits, Edit(self.span(close, close + 1), f") + {UNKNOWN_CHOICE})")], index + 2

    def refuse(self, index: int, text: str, after: str) -> None:
        """Refuse what has no counterpart in C."""
        here = self.span(index, index + 1)
        if text in REFUSED:
            raise NoViewError(f"it uses {REFUSED[text]}", here)
        if text == "<<<":
            raise NoViewError("it launches kernels", here)
        if text == "sizeof" and after == "(":
            close = closing(self.cuda.tokens, index + 1)
            if any(token.text in ("true", "false", "nullptr") for token in self.cuda.tokens[index:close]):
                raise NoViewError("it uses the size of a character or a truth value", here)
        if text == "[" and after in ("&", "=", "]") and self.is_lambda(index):
            raise NoViewError("it uses a lambda", here)

    def is_lambda(self, index: int) -> bool:
        """Whether a bracket begins a lambda and no subscript."""
        tokens = self.cuda.tokens
        close = closing(tokens, index)
        return (
            close + 1 < len(tokens)
            and tokens[close + 1].text in ("(", "{")
            and tokens[index - 1].text in ("=", "(", ",")
        )

    def argument(self, index: int, text: str, after: str) -> Made | None:
        """A parameter of a template becomes what it stands for."""
        if text not in self.arguments or (index and self.cuda.tokens[index - 1].text in (".", "->")):
            return None
        value = _WORD.sub(lambda found: SPELLED.get(found[0], found[0]), self.arguments[text])
        is_cast = after == "(" and self.arguments[text].split()[-1] in BASIC
        return [Edit(self.span(index, index + 1), f"({value})" if is_cast else value)], index + 1

    def declared(self, index: int, text: str, after: str) -> Made | None:
        """Words in front of declarations: those with arguments go, and arrays in shared memory have a length."""
        tokens = self.cuda.tokens
        if text in WITH_ARGUMENTS and after == "(":
            close = closing(tokens, index + 1)
            return [Edit(self.span(index, close + 1), " ")], close + 1
        if text == "__shared__":
            end = next((k for k in range(index, len(tokens)) if tokens[k].text == ";"), index)
            self.shared.update(declared_names(tokens, index + 1, end))
        here = self.span(index, index + 1)
        if text == "extern" and any(token.text == "__shared__" for token in tokens[index : index + 4]):
            return [Edit(here, " "), *self.dynamic(index)], index + 1
        if text == "auto":
            raise NoViewError("it uses auto", here)
        return None

    def dynamic(self, index: int) -> list[Edit]:
        """A length for a shared array whose size only the launch knows."""
        tokens = self.cuda.tokens
        for position in range(index, min(index + 12, len(tokens) - 1)):
            if tokens[position].text == "[" and tokens[position + 1].text == "]":
                self.dynamic_shared.add(tokens[position - 1].text)
                place = tokens[position].end
                return [Edit(Span(place, place), "1 << 16")]
        return []

    def cast(self, index: int, text: str, after: str) -> Made | None:
        """``static_cast<T>(x)`` becomes ``(T)(x)``; with parentheses around it where an operator follows it."""
        if text not in CASTS or after != "<":
            return None
        tokens = self.cuda.tokens
        close = angles_end(tokens, index + 1)
        end = closing(tokens, close + 1)
        binds = tokens[end + 1].text in _POSTFIX
        edits = [Edit(self.span(index, index + 2), "((" if binds else "("), Edit(self.span(close, close + 1), ")")]
        if binds:
            edits.append(Edit(Span(tokens[end].end, tokens[end].end), ")"))
        return edits + self.tokens(index + 2, close), close + 1

    def position(self, index: int, text: str, after: str) -> Made | None:
        """``threadIdx.x`` becomes the variable ``threadIdx_x``."""
        if text not in POSITIONS:
            return None
        axis = self.cuda.tokens[index + 2].text if after == "." else ""
        if axis in ("x", "y", "z"):
            return [Edit(self.span(index, index + 3), f"{text}_{axis}")], index + 3
        raise NoViewError(f"it uses '{text}' as a whole", self.span(index, index + 1))

    def conversion(self, index: int, text: str, after: str) -> Made | None:
        """``float(x)`` becomes ``(float)(x)``."""
        tokens = self.cuda.tokens
        if text not in BASIC or after != "(" or tokens[index + 2].text in ("*", ")"):
            return None
        if index and tokens[index - 1].text in _DECLARED:
            return None
        return [Edit(self.span(index, index + 1), f"({SPELLED.get(text, text)})")], index + 1

    def spelled(self, index: int, text: str, after: str) -> Made | None:
        """Words that C does not have go, or are other words there."""
        if text in DROPPED:
            is_const = text == "constexpr" and self.cuda.tokens[index - 1].text != "if"
            return [Edit(self.span(index, index + 1), "const" if is_const else " ")], index + 1
        if text in SPELLED:
            return [Edit(self.span(index, index + 1), SPELLED[text])], index + 1
        return None


def is_place(tokens: tuple[Token, ...], first: int, end: int) -> bool:
    """Whether tokens are a name with nothing but subscripts and members behind it: ``a[i].x``."""
    index = first + 1
    while index < end:
        if tokens[index].text == "[":
            index = closing(tokens, index) + 1
        elif tokens[index].text in (".", "->"):
            index += 2
        else:
            return False
    return tokens[first].is_name and index == end
