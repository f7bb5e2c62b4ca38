"""Tokens of PTX to its tree: modules, variables and functions."""

from __future__ import annotations

from accache.base.text import SourceFile, Span
from accache.ptx.text.bodies import parse_body
from accache.ptx.text.cursor import Cursor
from accache.ptx.text.declarations import parse_parameters, parse_variables
from accache.ptx.text.directives import parse_directive, parse_directives, parse_file, parse_line, parse_section
from accache.ptx.text.syntax import Function, Module, ModuleStatement, Variable

_LINKAGE = (".visible", ".extern", ".weak", ".common")
_SPACES = (".global", ".const", ".shared", ".local", ".param", ".reg", ".tex")
_FIRST = ("version", "target")


def parse(source: SourceFile) -> Module:
    """The tree of a PTX text.

    :raises CompileError: the text is not PTX of a version up to 9; with all unknown opcodes and modifiers, and all
        wrong numbers of operands, if there are such.
    """
    cursor = Cursor(source)
    statements: list[ModuleStatement] = []
    for name in _FIRST:
        directive = parse_directive(cursor) if cursor.text == f".{name}" else None
        if directive is None:
            raise cursor.unexpected(f"'.{name}'")
        statements.append(directive)
    while cursor.kind != "end":
        statements.extend(_module_statement(cursor))
    cursor.reporter.stop_on_errors()
    return Module(source, tuple(statements))


def _module_statement(cursor: Cursor) -> tuple[ModuleStatement, ...]:
    text = cursor.text
    if text == ".file":
        return (parse_file(cursor),)
    if text == ".loc":
        return (parse_line(cursor),)
    if text == ".section":
        return (parse_section(cursor),)
    start = cursor.start
    linkage = _linkage(cursor)
    if cursor.text in (".entry", ".func"):
        return (_function(cursor, start, linkage),)
    if cursor.text in _SPACES:
        return parse_variables(cursor, start, linkage)
    if linkage or cursor.kind != "dotted":
        raise cursor.unexpected("a directive of a module" if not linkage else "a variable or function")
    return (parse_directive(cursor),)


def _linkage(cursor: Cursor) -> tuple[str, ...]:
    words = []
    while cursor.text in _LINKAGE:
        words.append(cursor.take().text[1:])
    return tuple(words)


def _function(cursor: Cursor, start: int, linkage: tuple[str, ...]) -> Function:
    is_entry = cursor.take().text == ".entry"
    with cursor.inside("a function"):
        before = parse_directives(cursor)  # .attribute(...), .noreturn and the like may stand beside the name
        results = parse_parameters(cursor) if cursor.text == "(" else ()
        name = cursor.word("a function's name")
        parameters: tuple[Variable, ...] | None = parse_parameters(cursor) if cursor.text == "(" else None
        directives = [*before, *parse_directives(cursor)]
        body = parse_body(cursor) if cursor.text == "{" else None
        if body is None:
            cursor.expect(";", "'{' or ';'")
    span = Span(start, cursor.previous_end)
    return Function(
        name, is_entry, parameters, results, linkage=linkage, directives=tuple(directives), body=body, span=span
    )
