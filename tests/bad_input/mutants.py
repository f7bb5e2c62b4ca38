"""Broken programs, made from whole ones by small accidents; the same seed makes the same programs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\s+|[-+*/<>=!&|]{1,2}|.", re.S)
_LINES = (
    "acc parallel kernels serial loop cache data copy copyin present gang worker vector seq collapse reduction private",
    "if else for while switch case return goto break int float struct void const restrict static 0 1 -1 2147483648 n a",
    "0x 1e 'x' \"s\" ( ) [ ] { } ; : , . -> * & ++ -- + - / % = += == < << ? ! ~ # ## \\ @ $ ` /* */ // #pragma #if",
)
_WORDS = ("\n", *(word for line in _LINES for word in line.split()))
_KEYWORDS = frozenset(("for", "if", "else", "while", "return", "switch", "case", "pragma", "acc", "include", "define"))
_KINDS = tuple(map(re.compile, (r"[A-Za-z_]\w*", r"\d[\w.]*", r"[-+*/<>=!&|]{1,2}")))

Pieces = list[str]


def _drop(pieces: Pieces, chance: random.Random) -> None:
    del pieces[chance.randrange(len(pieces))]


def _double(pieces: Pieces, chance: random.Random) -> None:
    at = chance.randrange(len(pieces))
    pieces.insert(at, pieces[at])


def _swap(pieces: Pieces, chance: random.Random) -> None:
    first, second = (chance.randrange(len(pieces)) for _ in range(2))
    pieces[first], pieces[second] = pieces[second], pieces[first]


def _move(pieces: Pieces, chance: random.Random) -> None:
    piece = pieces.pop(chance.randrange(len(pieces)))
    pieces.insert(chance.randrange(len(pieces) + 1), piece)


def _replace(pieces: Pieces, chance: random.Random) -> None:
    pieces[chance.randrange(len(pieces))] = chance.choice(_WORDS)


def _insert(pieces: Pieces, chance: random.Random) -> None:
    pieces.insert(chance.randrange(len(pieces) + 1), chance.choice(_WORDS) + " ")


def _cut(pieces: Pieces, chance: random.Random) -> None:
    at = chance.randrange(len(pieces))
    del pieces[at : at + chance.randrange(1, 8)]


def _confuse(pieces: Pieces, chance: random.Random) -> None:
    """Put another token of the same kind in the place of one: this breaks meaning more often than syntax."""
    kind = chance.choice(_KINDS)
    places = [at for at, piece in enumerate(pieces) if kind.fullmatch(piece) and piece not in _KEYWORDS]
    if places:
        pieces[chance.choice(places)] = pieces[chance.choice(places)]


ACCIDENTS: tuple[Callable[[Pieces, random.Random], None], ...] = (_drop, _double, _swap, _move, _replace, _insert, _cut)
ACCIDENTS += (_confuse,) * 5


def mutants(text: str, seed: object) -> Iterator[str]:
    """Endless broken versions of a text: one to three accidents to tokens or lines each."""
    chance = random.Random(str(seed))
    lines = text.splitlines(keepends=True)
    tokens = _TOKEN.findall(text)
    while True:
        pieces = list(lines if chance.random() < 0.3 else tokens)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            if pieces:
                chance.choice(ACCIDENTS)(pieces, chance)
        yield "".join(pieces)
