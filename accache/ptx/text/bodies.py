"""Bodies of PTX functions: blocks, labels, and instructions with their operands."""

from __future__ import annotations

import re
from collections.abc import Mapping

from accache.base.text import Location, Span
from accache.ptx.text.cursor import Cursor
from accache.ptx.text.declarations import (
    parse_immediate,
    parse_offset,
    parse_parameters,
    parse_registers,
    parse_variables,
)
from accache.ptx.text.directives import parse_directive, parse_directives, parse_line, parse_section
from accache.ptx.text.syntax import (
    Address,
    Block,
    Group,
    Immediate,
    Instruction,
    Label,
    Name,
    Negated,
    Operand,
    Pair,
    Predicate,
    Prototype,
    SourceLine,
    Statement,
    Sum,
    TargetKind,
    Targets,
    Vector,
)
from accache.ptx.text.vocabulary import OPERANDS, is_modifier

_SPACES = (".global", ".const", ".shared", ".local", ".param")
_TARGETS: Mapping[str, TargetKind] = {".branchtargets": "branchtargets", ".calltargets": "calltargets"}
_MAX_DEPTH = 64
_USED_BYTES = re.compile(r'"used_bytes_mask (\w+)"')
"""What nvcc writes before a load that also takes bytes which nobody uses."""


def parse_body(cursor: Cursor) -> Block:
    """The body of a function, braces included."""
    return _Body(cursor).block()


class _Body:
    """Reads statements; knows which ``.loc`` is in force."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.line: SourceLine | None = None
        self.used_bytes = 0  # of the next instruction, if it is a load
        self.depth = 0

    def block(self) -> Block:
        cursor = self.cursor
        start = cursor.start
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise cursor.reporter.fail("ACC908", cursor.here, limit=_MAX_DEPTH)
        cursor.expect("{")
        statements: list[Statement] = []
        while not cursor.accept("}"):
            statements.extend(self._statement())
        self.depth -= 1
        return Block(tuple(statements), Span(start, cursor.previous_end))

    def _statement(self) -> tuple[Statement, ...]:
        cursor = self.cursor
        if cursor.kind == "word":
            return (self._labelled() if cursor.peek().text == ":" else self._instruction(),)
        if cursor.text == "@":
            return (self._instruction(),)
        if cursor.text == "{":
            return (self.block(),)
        if cursor.text == ";":  # an empty statement
            cursor.take()
            return ()
        if cursor.kind == "dotted":
            return self._directive()
        raise cursor.unexpected("an instruction")

    def _directive(self) -> tuple[Statement, ...]:
        cursor = self.cursor
        if cursor.text == ".loc":
            self.line = parse_line(cursor)
            return (self.line,)
        if cursor.text == ".reg":
            return (parse_registers(cursor),)
        if cursor.text in _SPACES:
            return parse_variables(cursor, cursor.start)
        if cursor.text == ".section":
            return (parse_section(cursor),)
        if cursor.text == ".pragma":
            directive = parse_directive(cursor)
            found = _USED_BYTES.fullmatch(" ".join(directive.words))
            self.used_bytes = int(found[1], 0) if found else self.used_bytes
            return (directive,)
        raise cursor.unexpected("an instruction")

    def _labelled(self) -> Statement:
        """A label, or a list of targets or a prototype with a name."""
        cursor = self.cursor
        start = cursor.start
        name = cursor.take().text
        cursor.expect(":")
        kind = _TARGETS.get(cursor.text)
        if kind is not None:
            cursor.take()
            targets = [cursor.word("a target")]
            while cursor.accept(","):
                targets.append(cursor.word("a target"))
            cursor.expect(";", "',' or ';'")
            return Targets(name, kind, tuple(targets), Span(start, cursor.previous_end))
        if cursor.accept(".callprototype"):
            return self._prototype(name, start)
        return Label(name, Span(start, cursor.previous_end))

    def _prototype(self, name: str, start: int) -> Prototype:
        cursor = self.cursor
        results = parse_parameters(cursor) if cursor.text == "(" else ()
        cursor.expect("_")
        parameters = parse_parameters(cursor) if cursor.text == "(" else ()
        directives = parse_directives(cursor)
        cursor.expect(";")
        return Prototype(name, results, parameters, tuple(directives), Span(start, cursor.previous_end))

    def _instruction(self) -> Instruction:
        cursor = self.cursor
        start = cursor.start
        with cursor.inside("an instruction"):
            predicate = None
            if cursor.accept("@"):
                negated = cursor.accept("!")
                predicate = Predicate(cursor.word("a predicate"), negated)
            if not cursor.text[:1].islower():
                raise cursor.unexpected("an opcode")
            place, name = cursor.start, cursor.word("an opcode")
            while cursor.kind == "dotted":
                name += cursor.take().text
            where = cursor.source.locate(Span(place, cursor.previous_end))
            operands: list[Operand] = []
            while not cursor.accept(";"):
                if operands and not (isinstance(operands[-1], Group) and len(operands) == 1):
                    cursor.expect(",", "',' or ';'")
                elif operands:
                    cursor.accept(",")
                operands.append(self._operand())
        opcode, *modifiers = name.split(".")
        found = Instruction(
            opcode,
            tuple(modifiers),
            tuple(operands),
            predicate,
            self.line,
            Span(start, cursor.previous_end),
            used_bytes=self.used_bytes,
        )
        self.used_bytes = 0
        self._check(found, where)
        return found

    def _check(self, instruction: Instruction, where: Location) -> None:
        """Report an opcode or a modifier that PTX does not have, and a wrong number of operands."""
        counts = OPERANDS.get(instruction.opcode)
        report = self.cursor.reporter.report
        if counts is None:
            report("ACC904", where, name=instruction.opcode)
            return
        for word in instruction.modifiers:
            if not is_modifier(word):
                report("ACC905", where, name=word, opcode=instruction.opcode)
        low, high = counts
        if not low <= len(instruction.operands) <= high:
            takes = str(low) if low == high else f"{low} to {high}"
            report("ACC906", where, opcode=instruction.opcode, takes=takes, count=len(instruction.operands))

    def _operand(self) -> Operand:
        cursor = self.cursor
        if cursor.text == "[":
            return self._address()
        if cursor.text == "{":
            return Vector(self._list("{", "}"))
        if cursor.text == "(":
            return Group(self._list("(", ")"))
        if cursor.accept("!"):
            return Negated(Name(cursor.word("a predicate")))
        if cursor.kind == "word":
            return self._named()
        if cursor.kind == "number" or cursor.text == "-":
            return parse_immediate(cursor)
        raise cursor.unexpected("an operand")

    def _named(self) -> Operand:
        cursor = self.cursor
        name = Name(cursor.take().text)
        if cursor.accept("|"):
            return Pair(name, Name(cursor.word("a register")))
        offset = parse_offset(cursor)
        return name if offset is None else Sum(name, offset)

    def _list(self, opening: str, closing: str) -> tuple[Operand, ...]:
        cursor = self.cursor
        found: list[Operand] = []
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise cursor.reporter.fail("ACC908", cursor.here, limit=_MAX_DEPTH)
        cursor.expect(opening)
        while not cursor.accept(closing):
            if found:
                cursor.expect(",", f"',' or '{closing}'")
            found.append(self._operand())
        self.depth -= 1
        return tuple(found)

    def _address(self) -> Address:
        cursor = self.cursor
        cursor.expect("[")
        base: Name | Immediate
        base = Name(cursor.take().text) if cursor.kind == "word" else parse_immediate(cursor)
        offset = parse_offset(cursor)
        coordinates: list[Operand] = []
        while cursor.accept(","):
            coordinates.append(self._operand())
        cursor.expect("]", "',' or ']'")
        return Address(base, offset, tuple(coordinates))
