"""Read the file of launches that a run on a CPU has written; docs/ptx.md describes the format."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from accache.base.diagnostics import CompileError, Reporter
from accache.ptx.machine.launch import Allocation, Array, Captured, Launch

VERSION = 1
_HEAD = struct.Struct("<cQ")
_NUMBER = struct.Struct("<Q")
_NO_NAMES: Mapping[str, Sequence[str]] = MappingProxyType({})
_HEAP = 2  # what malloc in kernels gave: its addresses depend on the order of threads


def read_captured(path: Path, parameters: Mapping[str, Sequence[str]] = _NO_NAMES) -> Iterator[Captured]:
    """The launches in a file, in their order; kernels and variables have their names in the linker's table.

    ``parameters`` names those of kernels, by the kernel's name without namespace and template arguments.

    A launch that did not end, because it ended the program, is left out.
    Raises CompileError (ACC940) if this is no such file, or not a whole one.
    """
    try:
        with path.open("rb") as stream:
            yield from _Reader(path, stream, parameters).captured()
    except OSError as error:
        raise Reporter().fail("ACC101", name=str(path), reason=error.strerror or error) from error


@dataclass
class _Memory:
    """An allocation while it changes; ``frozen`` is its content, until it changes again."""

    data: bytearray
    kind: int
    symbol: str
    frozen: bytes | None = None


@dataclass
class _Payload:
    """What is left of a record."""

    data: bytes
    position: int = 0

    def number(self) -> int:
        self.position += _NUMBER.size
        return int(_NUMBER.unpack_from(self.data, self.position - _NUMBER.size)[0])

    def numbers(self) -> tuple[int, int, int]:
        return self.number(), self.number(), self.number()

    def string(self) -> bytes:
        count = self.number()
        self.position += count
        if self.position > len(self.data):
            raise ValueError("a text reaches past its record")
        return self.data[self.position - count : self.position]

    def sized(self) -> tuple[bytes, int, int]:
        return self.string(), self.number(), self.number()

    def text(self) -> str:
        return self.string().decode("utf-8", "replace")


@dataclass
class _Reader:
    path: Path
    stream: BinaryIO
    parameters: Mapping[str, Sequence[str]]
    memory: dict[int, _Memory] = field(default_factory=dict)
    labels: dict[int, Array] = field(default_factory=dict)

    def captured(self) -> Iterator[Captured]:
        begun: Captured | None = None
        ended: Captured | None = None
        for kind, payload in self._records():
            try:
                if kind == "R" and ended:
                    ended = replace(ended, reordered=_changed(ended.reordered or ended.after, payload))
                    continue
                if ended:
                    yield ended
                    ended = None
                if kind == "K":
                    begun = self._launch(payload)
                elif kind == "E" and begun:
                    ended, begun = replace(begun, after=self._snapshot(heap=False)), None
                else:
                    self._change(kind, payload)
            except (struct.error, ValueError, KeyError) as error:
                raise self._broken(f"a record '{kind}' makes no sense ({error})") from error
        if ended:
            yield ended

    def _records(self) -> Iterator[tuple[str, _Payload]]:
        while head := self.stream.read(_HEAD.size):
            if len(head) < _HEAD.size:
                raise self._broken("it ends inside of a record")
            kind, length = _HEAD.unpack(head)
            data = self.stream.read(length) if length < 1 << 48 else b""
            if len(data) < length:
                raise self._broken("it ends inside of a record")
            yield kind.decode("latin-1"), _Payload(data)

    def _change(self, kind: str, payload: _Payload) -> None:
        """Take a record that tells of memory."""
        address = payload.number()
        if kind == "A":
            size, allocated, symbol = payload.number(), payload.number(), payload.text()
            self.memory[address] = _Memory(bytearray(b"\xff") * size, allocated, symbol)
        elif kind == "F":
            del self.memory[address]
            self.labels.pop(address, None)
        elif kind == "P":
            start, memory = self._holding(address)
            data = payload.string()
            if address - start + len(data) > len(memory.data):
                raise ValueError("a change reaches past its memory")
            memory.data[address - start : address - start + len(data)] = data
            memory.frozen = None
        elif kind == "N":
            size, element_bytes = payload.number(), payload.number()
            self.labels[address] = Array(address, size, payload.text(), element_bytes)
        elif kind == "V":
            if address != VERSION:
                raise self._broken(f"its version is {address}, not {VERSION}")
        else:
            raise self._broken(f"it has a record '{kind}'")

    def _holding(self, address: int) -> tuple[int, _Memory]:
        start = address if address in self.memory else max(a for a in self.memory if a <= address)
        return start, self.memory[start]

    def _launch(self, payload: _Payload) -> Captured:
        number, name, symbol = payload.number(), payload.text(), payload.text()
        grid, block, shared = payload.numbers(), payload.numbers(), payload.number()
        names = self.parameters.get(re.split(r"::", name.partition("<")[0])[-1].strip(), ())
        arguments, arrays = [], []
        for position in range(payload.number()):
            value, element_bytes, is_float, padding = *payload.sized(), payload.string()
            arguments.append(value)
            called = names[position] if position < len(names) and names[position] else f"argument {position + 1}"
            array = (
                self._argument(called, value, element_bytes, padding, is_float=bool(is_float))
                if element_bytes
                else None
            )
            arrays += [array] if array else []
        launch = Launch(symbol or name, grid, block, shared, tuple(arguments), self._snapshot(heap=True))
        return Captured(launch, (), number, tuple(arrays))

    def _argument(
        self, called: str, value: bytes, element_bytes: int, padding: bytes, *, is_float: bool
    ) -> Array | None:
        """What an argument points to; None where that is not device memory."""
        address = _NUMBER.unpack(value)[0]
        for start, memory in self.memory.items():
            if start <= address < start + len(memory.data):
                left = start + len(memory.data) - address
                label = self.labels.get(address)
                name = label.name if label else called
                return Array(address, left, memory.symbol or name, element_bytes, padding, is_float)
        return None

    def _snapshot(self, *, heap: bool) -> tuple[Allocation, ...]:
        """All memory as it is now, without what kernels allocated unless they are to find it there."""
        found = []
        for address, memory in sorted(self.memory.items()):
            if memory.frozen is None:
                memory.frozen = bytes(memory.data)
            if heap or memory.kind != _HEAP:
                found.append(Allocation(address, memory.frozen, memory.symbol))
        return tuple(found)

    def _broken(self, reason: str) -> CompileError:
        return Reporter().fail("ACC940", name=str(self.path), reason=reason)


def _changed(memory: tuple[Allocation, ...], payload: _Payload) -> tuple[Allocation, ...]:
    """The allocations with the change of a record."""
    address, data = payload.number(), payload.string()

    def changed(part: Allocation) -> Allocation:
        start = address - part.address
        if not 0 <= start < len(part.data):
            return part
        return replace(part, data=part.data[:start] + data + part.data[start + len(data) :])

    return tuple(map(changed, memory))
