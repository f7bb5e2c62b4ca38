"""Names and keywords of C that C++ and CUDA read otherwise: renamed, spelled the C++ way, or refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pycparser import c_ast

from accache.base.text import Edit, Location, SourceFile, Span, splice
from accache.cplusplus.output import Edits, knows_cplusplus
from accache.frontend.source.alignment import Unit, first_token
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.gnu import IMAGINARY
from accache.frontend.source.preprocess import Preprocessed
from accache.frontend.source.tokens import DIRECTIVE, IDENTIFIER, Token, matching, tokenise
from accache.ir.keywords import KEYWORDS, replacement
from accache.ir.names import free_name
from accache.ir.taken_names import is_cuda_name, is_cuda_type, is_library_name
from accache.ir.types import INTEGER_RANKS

RESPELLED = {
    "restrict": "__restrict__",
    "_Bool": "bool",
    "_Static_assert": "static_assert",
    "_Alignof": "alignof",
    "_Thread_local": "thread_local",
    "_Noreturn": "__attribute__((noreturn))",
    "typeof": "__typeof__",
    "__auto_type": "auto",
}
_CHARACTERS = frozenset({"wchar_t", "char16_t", "char32_t"})  # types of C's headers
REFUSED = frozenset({"_Generic", "_Atomic", "_Imaginary"})
HEADERS = frozenset({"complex.h", "tgmath.h", "stdatomic.h"})
_DEFINE = re.compile(r"#\s*define\b")
_INCLUDE = re.compile(r'#\s*include\s*[<"](?:.*/)?(?P<name>[^>"/]+)[>"]')


def choose_renames(unit: Unit, preprocessed: Preprocessed, tree: Any, edits: Edits) -> dict[str, str]:
    """New names for identifiers that C++ or CUDA has taken; those that cannot change are refused."""
    used = {text for index, text in enumerate(unit.tokens) if text in KEYWORDS and not unit.origins[index].system}
    declared = dict(_file_scope(unit, tree))
    taken = {*unit.tokens, *(token.text for token, _ in _words(unit.source, preprocessed))}
    renames: dict[str, str] = {}
    wanted = {name for name in used if any(map(unit.is_main, _places(unit, name)))} | _defined(unit, preprocessed)
    wanted -= {name for name in _CHARACTERS & wanted - declared.keys() if name in _system_tokens(unit)}
    for name in sorted(wanted | {name for name, node in declared.items() if _is_taken(name, node)}):
        node = declared.get(name)
        if node is not None and _is_external(node) and not _is_overload(node):
            code = "ACC503" if name in KEYWORDS else "ACC526"
            edits.refuse(code, first_token(node) if name not in unit.tokens else _places(unit, name)[0], name=name)
        elif node is None or not _is_external(node):
            renames[name] = free_name(f"{name}_", taken.__contains__)
    _follow_kernels(unit, preprocessed, tree, renames, edits=edits)
    for name in sorted(used):
        for index in _places(unit, name):
            if not unit.is_main(index):
                edits.refuse("ACC502", index, text=name)
                renames.pop(name, None)
    return renames


def _follow_kernels(
    unit: Unit, preprocessed: Preprocessed, tree: Any, renames: dict[str, str], *, edits: Edits
) -> None:
    """Call what kernels name, too, as they do: all but variables, which kernels get as parameters."""
    others = _named_otherwise(tree) & renames.keys() if renames and edits.skip else set()
    renames |= {name: replacement(name) for name in others & KEYWORDS}
    told: set[str] = set()
    for token, _ in _words(unit.source, preprocessed) if others - KEYWORDS else ():
        if token.text in others - KEYWORDS - told and edits.skips(token.span.start):
            edits.reporter.report("ACC504", unit.source.locate(token.span), name=token.text)
            told.add(token.text)


def _is_taken(name: str, node: Any) -> bool:
    """Whether what a file declares meets another declaration of its name in the headers that nvcc reads."""
    is_static = isinstance(node, c_ast.Decl) and node.name is not None and "static" in node.storage
    is_own = is_static or isinstance(node, (c_ast.Typedef, c_ast.Enumerator))
    return is_cuda_name(name) or (is_own and is_library_name(name))


def _system_tokens(unit: Unit) -> set[str]:
    return {text for index, text in enumerate(unit.tokens) if unit.origins[index].system}


def edit_names(unit: Unit, preprocessed: Preprocessed, renames: dict[str, str], edits: Edits) -> None:
    """Rename, respell and refuse identifiers of the raw text, in macro definitions too."""
    defines = {token.text for token, directive in _words(unit.source, preprocessed) if directive == "name"}
    for token, directive in _words(unit.source, preprocessed):
        if unit.source.text[max(token.span.start - 1, 0)] in ('"', "'"):  # C++ would read a suffix of the literal
            edits.insert(token.span.start, " ")
        if token.text in renames:
            _rename(unit, token, renames[token.text], edits)
        elif token.text in RESPELLED and token.text not in defines:
            edits.replace_at(token.span, RESPELLED[token.text])
        elif token.text == "auto" and token.text not in defines:  # what it says of C's variables goes without saying
            end = token.span.end + unit.source.text[token.span.end :].startswith(" ")
            edits.replace_at(Span(token.span.start, end), "")
        elif token.text in REFUSED and directive != "name":
            edits.refuse_at("ACC508", token.span, name=token.text)
    for index, text in enumerate(unit.tokens[:-1]):
        if text.startswith(IMAGINARY) or text == "_Complex_I":
            edits.refuse("ACC512", index, name="an imaginary constant")
        if text == ":" and unit.tokens[index + 1] == "}":  # a label at the end of a block
            edits.wrap(index, index, "", ";")
    _alignments(unit.source, preprocessed, edits)
    _includes(unit, preprocessed, edits)


def renamed(text: str, renames: Mapping[str, str]) -> str:
    """A piece of C with other names.

    >>> renamed('f("new", new, p->new);', {"new": "new_"})
    'f("new", new_, p->new_);'
    """
    source = SourceFile("", text)
    words = (token for token in tokenise(source) if token.kind == IDENTIFIER and token.text in renames)
    return splice(source, tuple(Edit(token.span, renames[token.text]) for token in words))


def _named_otherwise(tree: Any) -> set[str]:
    """The names of all that is no variable: functions, types, their tags and members, enumerators, labels."""
    found: set[str] = set()
    left = [tree] if tree is not None else []
    while left:
        node = left.pop()
        left += [child for _, child in node.children()]
        if isinstance(node, (c_ast.Struct, c_ast.Union)):
            found |= {node.name, *(member.name for member in node.decls or () if isinstance(member, c_ast.Decl))}
        elif isinstance(node, (c_ast.Enum, c_ast.Enumerator, c_ast.Typedef, c_ast.Label)) or (
            isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl)
        ):
            found.add(node.name)
    return found - {None}


def _rename(unit: Unit, token: Token, new: str, edits: Edits) -> None:
    word = re.compile(rf"\b{re.escape(token.text)}\b")
    for index in range(len(unit.tokens)):
        span = unit.origins[index].span
        inside = span is not None and span.start <= token.span.start < span.end
        if inside and unit.tokens[index].startswith('"') and word.search(unit.tokens[index]):
            edits.refuse_at("ACC501", token.span, text=new)
            return
    edits.replace_at(token.span, new)


def _places(unit: Unit, name: str) -> list[int]:
    return [index for index, text in enumerate(unit.tokens) if text == name and not unit.origins[index].system]


def _words(source: SourceFile, preprocessed: Preprocessed) -> Iterator[tuple[Token, str]]:
    """The identifiers of the active text; those of a macro definition with "name" or "body"."""
    for token in active_tokens(source, preprocessed.inactive):
        if token.kind == IDENTIFIER:
            yield token, ""
        elif token.kind == DIRECTIVE and (found := _DEFINE.match(token.text)) is not None:
            role = "name"
            for inner in tokenise(source, token.span.start + found.end(), token.span.end):
                if inner.kind == IDENTIFIER:
                    yield inner, role
                role = "body"


def _defined(unit: Unit, preprocessed: Preprocessed) -> set[str]:
    """The C++ keywords that the file defines as macros."""
    names = {token.text for token, role in _words(unit.source, preprocessed) if role == "name"}
    return names & KEYWORDS


def _file_scope(unit: Unit, tree: Any) -> Iterator[tuple[str, Any]]:
    """What the user's file declares at file scope, by name; of several declarations a static one counts."""
    static: set[str] = set()
    for node in tree.ext if tree is not None else ():
        declaration = node.decl if isinstance(node, c_ast.FuncDef) else node
        if not isinstance(declaration, (c_ast.Decl, c_ast.Typedef)) or not unit.is_main(
            max(first_token(declaration), 0)
        ):
            continue
        yield from _inside(declaration)
        if isinstance(declaration, c_ast.Decl) and declaration.name is None:
            tag = getattr(declaration.type, "name", None)
            if tag and tag not in static:
                yield tag, declaration
        elif declaration.name not in static:
            yield declaration.name, declaration
        if "static" in (declaration.storage or []):
            static.add(declaration.name)


def _inside(node: Any) -> Iterator[tuple[str, Any]]:
    """The types and constants that a declaration defines beside its own name."""
    for _, child in node.children():
        is_type = isinstance(child, (c_ast.Struct, c_ast.Union, c_ast.Enum)) and is_cuda_type(child.name or "")
        if is_type or isinstance(child, c_ast.Enumerator):
            yield child.name, child
        yield from _inside(child)


def _is_external(node: Any) -> bool:
    """Whether a file-scope declaration has external linkage."""
    return isinstance(node, c_ast.Decl) and node.name is not None and "static" not in node.storage


def _is_overload(node: Any) -> bool:
    """Whether CUDA's overloads leave room for a function: ``int min(int, int)``, ``any(int *)`` and their like."""
    if not isinstance(node.type, c_ast.FuncDecl):
        return False
    if node.name not in ("min", "max"):
        return node.name in ("all", "any", "ballot")
    parameters = node.type.args.params if node.type.args else []
    names = [getattr(getattr(item.type, "type", None), "names", ["?"]) for item in parameters]
    return all(set(words) <= {*INTEGER_RANKS, "signed"} for words in names)


def _alignments(source: SourceFile, preprocessed: Preprocessed, edits: Edits) -> None:
    """``_Alignas(16)`` may stand among specifiers, where C++ allows only the GNU attribute."""
    tokens = active_tokens(source, preprocessed.inactive)
    for index, token in enumerate(tokens):
        close = matching(tokens, index + 1) if token.text == "_Alignas" and index + 1 < len(tokens) else None
        if close is None:
            continue
        inside = Span(tokens[index + 1].span.end, tokens[close].span.start)
        text = source.text[inside.start : inside.end].strip()
        is_value = re.match(r"[\d(]|(?:sizeof|_Alignof|alignof)\b", text) is not None
        opening, closing = (
            ("__attribute__((aligned(", ")))") if is_value else ("__attribute__((aligned(alignof(", "))))")
        )
        edits.replace_at(Span(token.span.start, inside.start), opening)
        edits.replace_at(Span(inside.end, tokens[close].span.end), closing)


def _includes(unit: Unit, preprocessed: Preprocessed, edits: Edits) -> None:
    """Headers that C++ has no counterpart for, and user headers with C-only words."""
    for token in active_tokens(unit.source, preprocessed.inactive):
        if token.kind == DIRECTIVE and (found := _INCLUDE.match(token.text)) is not None and found["name"] in HEADERS:
            edits.refuse_at("ACC527", token.span, name=found["name"])
    seen: set[str] = set()
    for index, text in enumerate(unit.tokens):
        origin = unit.origins[index]
        key = f"{origin.file}:{text}"
        if origin.system or key in seen or unit.is_main(index) or text not in RESPELLED.keys() | REFUSED | {"_Alignas"}:
            continue
        seen.add(key)
        if knows_cplusplus(origin.file) or not _spells(edits, origin.file, origin.line, text):
            continue
        if text in RESPELLED:
            edits.words.add(text)
        else:
            edits.reporter.report("ACC502", Location(origin.file, origin.line), text=text)


def _spells(edits: Edits, file: str, line: int, word: str) -> bool:
    """Whether a line of a header has the word itself, not one of its GNU spellings."""
    try:
        lines = Path(file).read_text(errors="replace").split("\n")
    except OSError:
        return False
    return line <= len(lines) and re.search(rf"\b{word}\b", lines[line - 1]) is not None
