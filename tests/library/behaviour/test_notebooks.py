"""What notebooks show: HTML that is whole, escaped and from nowhere else; and the notebooks among the samples run."""

from __future__ import annotations

import ast
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest

import accache

ROOT = Path(__file__).parents[3]
NOTEBOOKS = sorted((ROOT / "samples" / "notebooks").glob("*.ipynb"))
RACE = """
#include <stdio.h>
int main(void)
{
    int sum[2] = {0, 0};
#pragma acc parallel loop copy(sum)
    for (int i = 0; i < 8; ++i)
        sum[i / 4] += i;
    printf("a < b & c\\n");
    return 0;
}
"""


class Page(HTMLParser):
    """Looks whether all elements are closed in their order; holds the elements, attributes and texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def attributes(self, wanted: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == wanted]


def shown(result: Any) -> Page:
    """A result's HTML, which must be what every one of them has to be."""
    html = result._repr_html_()
    page = Page(html)
    tags = {tag for tag, _ in page.elements}
    assert not {"script", "link", "img", "iframe"} & tags
    assert not any({"src", "href", "onclick"} & set(attributes) for _, attributes in page.elements)
    assert "url(" not in html
    assert page.attributes("section")[0]["aria-label"]
    assert all(attributes["scope"] in ("row", "col") for attributes in page.attributes("th"))
    assert len(page.attributes("caption")) == len(page.attributes("table"))
    assert all(attributes["tabindex"] == "0" and attributes["aria-label"] for attributes in page.attributes("pre"))
    return page


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "launch.trace"
    path.write_text("blocksize: 64 1 1\n0 0 0 4\n0 0 8192 4\n0 0 0 4\n")
    return path


def test_a_report() -> None:
    page = shown(accache.explain(ROOT / "samples" / "gemm.c", method="rbi"))
    assert {"gemm_L24_kernel", "cache(a[i:1][l:TILE])", "rbi", "1,024", "Kernels", "Cache directives"} <= set(
        page.texts
    )
    assert "Messages" not in page.texts


def test_a_translation() -> None:
    page = shown(accache.translate(ROOT / "samples" / "gemm.c", method="rbi"))
    assert {"CUDA", "Host C", "rbi"} <= set(page.texts)
    assert any("__global__" in text for text in page.texts)


def test_a_run() -> None:
    page = shown(accache.run(RACE, name="<b>&.c"))
    assert {"race", "8", "Findings", "Accesses", "a < b & c\n"} <= set(page.texts)
    assert page.attributes("section")[0]["aria-label"] == "accache run <b>&.c"
    assert not page.attributes("b")


def test_a_run_without_findings() -> None:
    page = shown(accache.run("int main(void) { return 3; }\n"))
    assert ": exit status 3" in page.texts
    assert not page.attributes("table")


def test_a_model(trace: Path) -> None:
    page = shown(accache.model(trace=trace, gpu="h100"))
    assert {"hits", "compulsory", "33.33 %"} <= set(page.texts)
    assert ": L1 of h100, 3 requests, 66.67 % miss" in page.texts


def test_suggestions() -> None:
    found = accache.Suggestions("a.cu", "h100", 2.0, (), ())
    assert ": 0 of 0 arrays are worth a copy in shared memory on h100" in shown(found).texts


def test_bytes_that_are_no_text_are_shown() -> None:
    program = RACE.replace("a < b & c", "\udcff").encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    assert shown(accache.run(program)).texts


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Its cells one after the other, and the value of the last expression of each is shown."""
    notebook = json.loads(path.read_text())
    nbformat.validate(notebook)
    monkeypatch.chdir(path.parent)
    names: dict[str, Any] = {}
    pages = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None), "clear the outputs"
            value = executed("".join(cell["source"]), names)
            pages += [shown(value)] if value is not None else []
    assert len(pages) >= 2
    printed = capsys.readouterr().out
    assert "loads a block: 15616 without the directive, 316 with it" in printed
    assert "none: 246196 loads" in printed
    assert "__global__" in printed


def executed(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last statement if that is an expression."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if isinstance(last, ast.Expr) else None
