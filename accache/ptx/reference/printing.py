"""printf of kernels in the reference machine."""

from __future__ import annotations

import re
import struct

from accache.ptx.reference.interpreted_memory import BlockMemory

_PIECE = re.compile(rb"%%|%([-+ #0]*\d*(?:\.\d*)?)((?:hh|h|ll|l|j|z|t|L)?)([diouxXeEfFgGaAcsp])|.", re.DOTALL)
_EIGHT = b"eEfFgGaAsp"


def formatted(space: BlockMemory, warp: int, lane: int, text: int, *, arguments: int) -> tuple[bytes, int]:
    """What a thread prints, and how many arguments it took.

    :raises Unreachable: a string or an argument is not in memory.
    """
    found, at, count = [], arguments, 0
    for piece in _PIECE.finditer(space.text_at(text, warp, lane)):
        if piece[3] is None:
            found.append(b"%" if piece[0] == b"%%" else piece[0])
            continue
        size = 8 if piece[3] in _EIGHT or piece[2] in (b"l", b"ll", b"j", b"z", b"t") else 4
        at = -(-at // size) * size
        word = space.word_at(at, size, warp, lane)
        known = space.text_at(int.from_bytes(word, "little"), warp, lane) if piece[3] == b"s" else b""
        found.append(_spelled(piece[1], piece[3], word, known))
        at += size
        count += 1
    return b"".join(found), count


def _spelled(flags: bytes, kind: bytes, word: bytes, text: bytes) -> bytes:
    number = int.from_bytes(word, "little", signed=kind in b"di")
    if kind == b"s":
        return (b"%" + flags + b"s") % text
    if kind == b"p":
        return (b"%" + flags + b"s") % hex(number).encode()
    if kind == b"c":
        return (b"%" + flags + b"c") % bytes([number & 255])
    if kind in b"eEfFgGaA":
        value: float = struct.unpack("<d", word)[0]
        if kind in b"aA":
            return _hexadecimal(value, kind)
        return bytes((b"%" + flags + kind) % value)
    return bytes((b"%" + flags + (b"d" if kind in b"iu" else kind)) % number)


def _hexadecimal(value: float, kind: bytes) -> bytes:
    """%a as C writes it: without zeros at the end."""
    sign, _, rest = value.hex().rpartition("0x")
    fraction, _, exponent = rest.partition("p")
    whole, _, digits = fraction.partition(".")
    digits = digits.rstrip("0")
    text = f"{sign}0x{whole}{'.' + digits if digits else ''}p{exponent}"
    return (text.upper() if kind == b"A" else text).encode()
