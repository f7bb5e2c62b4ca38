"""Solve the exercises of a playground in a Chromium: ``solving.py CHROMIUM ADDRESS`` reads JSON and prints JSON.

For each exercise it reads its start, an answer and a wrong one. It chooses the exercise, checks what stands there,
types the wrong answer and checks that, begins anew, and clicks the mend that is offered, or types the answer.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Response, expect, sync_playwright

LONG = 90_000  # milliseconds


def main() -> None:
    """Solve what is asked for."""
    asked = json.load(sys.stdin)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=sys.argv[1], args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        page.set_default_timeout(LONG)
        expect.set_options(timeout=LONG)
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.goto(sys.argv[2])
        found = [solve(page, str(number), item) for number, item in enumerate(asked)]
        print(json.dumps({"console": told, "exercises": found}))
        browser.close()


def solve(page: Page, number: str, item: dict[str, str]) -> dict[str, str]:
    """What is said of an exercise as it stands, of the wrong answer and of the right one; how that was given."""
    begin(page, number)
    at_first = verdict(page)
    retype(page, item["start"], item["wrong"])
    wrong = verdict(page)
    begin(page, number)
    mends = page.locator("#messages button")
    if mends.count():
        mends.first.click()
        answered = verdict(page)
        if answered == "Solved.":
            return {"at_first": at_first, "wrong": wrong, "answered": answered, "how": "clicked"}
        begin(page, number)
    retype(page, item["start"], item["answer"])
    return {"at_first": at_first, "wrong": wrong, "answered": verdict(page), "how": "typed"}


def begin(page: Page, number: str) -> None:
    """Choose an exercise anew, and wait for what is said of it."""
    page.select_option("#exercise", "")
    with looked(page, exercise=int(number)):
        page.select_option("#exercise", number)


@contextmanager
def looked(page: Page, **request: object) -> Iterator[None]:
    """What happens makes the page ask for a look with these parts of a request, and show its answer.

    A text counts without its spaces. The page looks some time after the last change: what it showed before that is of
    an earlier text, and gives way while somebody clicks on it.
    """

    def is_meant(answer: Response) -> bool:
        asked = answer.request.post_data_json or {} if answer.request.method == "POST" else {}
        asked = {**asked, "text": "".join(str(asked.get("text")).split())}
        return asked.get("kind") == "look" and all(asked.get(key) == value for key, value in request.items())

    with page.expect_response(is_meant):
        yield
    expect(page.locator("#state")).to_have_text("")


def verdict(page: Page) -> str:
    """What a click on Check tells."""
    page.click("#check")
    expect(page.locator("#verdict")).not_to_have_text("checking …")
    return page.locator("#verdict").inner_text()


def retype(page: Page, old: str, new: str) -> None:
    """Make one text of another by keys, as a person would: lines that differ are typed anew, from the last one on."""
    before, after = old.splitlines(), new.splitlines()
    changes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    with looked(page, text="".join(new.split())):
        for kind, first, end, new_first, new_end in reversed(changes):
            if kind == "equal":
                continue
            page.locator("#program").focus()
            page.keyboard.press("Control+Home")
            for _ in range(first):
                page.keyboard.press("ArrowDown")
            for _ in range(first, end):
                page.keyboard.press("Shift+ArrowDown")
            if end > first:
                page.keyboard.press("Delete")
            for line in after[new_first:new_end]:
                page.keyboard.type(line.strip())
                page.keyboard.press("Enter")


if __name__ == "__main__":
    main()
