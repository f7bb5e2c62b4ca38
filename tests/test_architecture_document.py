"""docs/architecture.md names files and things that there are, and shows what passes make, in at most 200 lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import PASSES, dump_after, translate

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "architecture.md").read_text()
WORDS = re.findall(r"`([^`\n]+)`", re.sub(r"^    .*$", "", TEXT, flags=re.MULTILINE))
PATHS = sorted({word for word in WORDS if re.fullmatch(r"[\w.*-]+(/[\w.*-]*)+", word)})
NAMES = sorted({word for word in WORDS if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*", word)})
PLACES = {"CODE": "ACC201", "NAME": "rbi"}
"""What stands in the documents for any code, and any method."""


def source() -> str:
    """The text of everything that the document tells of."""
    files = (path for folder in ("accache", "tests", "templates") for path in (ROOT / folder).rglob("*"))
    texts = (path.read_text() for path in files if path.suffix in (".py", ".jinja", ".toml"))
    return "\n".join((*texts, *((ROOT / name).read_text() for name in ("setup.cfg", "Makefile"))))


SOURCE = source()


def test_it_is_short() -> None:
    assert TEXT.count("\n") <= 200


@pytest.mark.parametrize("path", PATHS)
def test_its_paths_are_there(path: str) -> None:
    for word, example in PLACES.items():
        path = path.replace(word, example)
    found = [
        place for base in (ROOT, ROOT / "accache") for end in ("", ".py") for place in base.glob(path.rstrip("/") + end)
    ]
    assert found, "no such file in the tree or in accache/"


@pytest.mark.parametrize("name", NAMES)
def test_its_names_are_there(name: str) -> None:
    is_module = (ROOT / "accache" / name.replace(".", "/")).with_suffix(".py").is_file()
    assert is_module or all(re.search(rf"\b{part}\b", SOURCE) for part in name.split("."))


def test_its_passes_are_those_of_the_driver() -> None:
    assert re.findall(r"^    \w+ +(?:\S+ +)+?(\w+): ", TEXT, re.MULTILINE) == list(PASSES)


def in_one_line(text: str) -> str:
    """A dump without line breaks, and without the commas that they bring; also an excerpt of one."""
    joined = re.sub(r"\s*\n\s*", " ", text)
    return re.sub(r",?\s*(?=[)\]}])", "", re.sub(r"(?<=[(\[{])\s+", "", joined))


def test_its_excerpts_are_what_the_passes_make(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    options, name = Options(coarsen="off", preprocessor=("-DRADIUS=30",)), "samples/stencil.c"
    way = TEXT.partition("## The way of one program")[2].partition("## ")[0]
    excerpts = re.findall(r"(?:^    .*\n)+", way, re.MULTILINE)
    made = [dump_after(name, options, each) for each in PASSES[1:]] + [translate(name, options).device]
    for excerpt, text in zip(excerpts, made, strict=True):
        rest = in_one_line(text)
        for part in filter(None, map(str.strip, in_one_line(excerpt).split("..."))):
            assert part in rest, f"{part!r} of {excerpt}"
            rest = rest.partition(part)[2]
