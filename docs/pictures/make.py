"""Make the pictures of the documents from pages of the samples: ``make pictures``; needs Chromium."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
COLOURS = 64
LARGEST = 200_000
"""Bytes that a picture may have."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Picture:
    """A picture: the page it shows, the line of the program that is pointed at, and what of the page it shows."""

    name: str
    words: tuple[str, ...]
    line: int
    part: str = ""
    step: int = 1
    size: tuple[int, int] = (1280, 900)


PICTURES = (
    Picture("page", ("-DRADIUS=30", "samples/stencil.c"), 30),
    Picture("steps", ("samples/transpose.c",), 0, ".steps", 10, (1180, 900)),
)


def main() -> None:
    """Write every picture beside this file."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit("no Chromium on this machine")
    with sync_playwright() as play, tempfile.TemporaryDirectory() as folder:
        chromium = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for picture in PICTURES:
            target = Path(folder) / "page.html"
            command = (sys.executable, "-m", "accache", "explain", "--html", target, *picture.words)
            subprocess.run(command, cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
            target.write_text(target.read_text().replace(str(target), "page.html"))  # the command that it tells
            width, height = picture.size
            page = chromium.new_page(viewport={"width": width, "height": height}, color_scheme="light")
            page.goto(target.as_uri())
            write(shown(page, picture), Path(__file__).parent / f"{picture.name}.png")


def shown(page: Page, picture: Picture) -> bytes:
    """What a picture shows of a page."""
    if picture.line:
        page.locator(f'#program [data-line="{picture.line}"]').first.hover()
    if not picture.part:
        return page.screenshot()
    part = page.locator(picture.part).first
    part.locator(".controls input").fill(str(picture.step))
    return part.screenshot()


def write(png: bytes, target: Path) -> None:
    """Write a picture with few colours."""
    Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
    if target.stat().st_size > LARGEST:
        raise SystemExit(f"{target} has more than {LARGEST} bytes")
    print(target.relative_to(ROOT), target.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
