"""The language server, by a client that speaks to it through pipes."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.base.text import SourceFile
from accache.lsp.constructs import Constructs
from accache.lsp.looks import look

pytest_lsp = pytest.importorskip("pytest_lsp", reason="pytest-lsp is not installed")
types = pytest.importorskip("lsprotocol.types")  # comes with it
workspace = pytest.importorskip("pygls.workspace")
server = pytest.importorskip("accache.lsp.server")  # imports pygls

URI = "file:///nowhere/halo.c"
TEXT = """/* \U0001f600 */ void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 1; i < n - 1; i++) {
/* \U0001f600 */
#pragma acc cache(a[i-1:i+1])
        b[i] = a[i - 1] + a[i + 1];
    }
}
"""
DIRECTIVE = 5


def talk(
    use: Callable[[pytest_lsp.LanguageClient], Awaitable[None]], *options: str, formats: tuple[str, ...] = ()
) -> None:
    """Start a server, greet it, use it, and let it end; the client shows what it is told in the formats."""

    async def whole() -> None:
        client = pytest_lsp.make_test_lsp_client()
        await client.start_io(sys.executable, "-m", "accache", "lsp", *options)
        hover = types.HoverClientCapabilities(content_format=[types.MarkupKind(name) for name in formats] or None)
        capabilities = types.ClientCapabilities(text_document=types.TextDocumentClientCapabilities(hover=hover))
        await client.initialize_session(types.InitializeParams(capabilities))
        await use(client)
        await client.shutdown_session()
        await client.stop()

    asyncio.run(asyncio.wait_for(whole(), 120))


def opened(client: pytest_lsp.LanguageClient, text: str, uri: str = URI) -> None:
    item = types.TextDocumentItem(uri, "c", 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))


def replaced(text: str, edits: list[types.TextEdit]) -> str:
    """The text with edits, whose columns count units of UTF-16."""
    lines = text.splitlines(keepends=True)

    def offset(place: types.Position) -> int:
        line = lines[place.line].encode("utf-16-le")[: 2 * place.character]
        return len("".join(lines[: place.line])) + len(line.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda edit: offset(edit.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


@pytest.mark.parametrize("formats", [(), ("plaintext",), ("markdown", "plaintext")])
def test_marks_of_markdown_are_for_editors_that_know_it(formats: tuple[str, ...]) -> None:
    async def use(client: pytest_lsp.LanguageClient) -> None:
        opened(client, TEXT)
        where = types.TextDocumentIdentifier(URI)
        hover = await client.text_document_hover_async(types.HoverParams(where, types.Position(DIRECTIVE, 3)))
        assert hover.contents.kind == (formats[0] if formats else "plaintext")
        assert ("```" in hover.contents.value) == ("markdown" in formats)
        assert "cache(a[i-1:i+1])" in hover.contents.value

    talk(use, formats=formats)


def test_an_editor_is_told_of_a_mistake_and_mends_it() -> None:
    async def use(client: pytest_lsp.LanguageClient) -> None:
        opened(client, TEXT)
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        told = client.diagnostics[URI]
        assert "ACC413" in [found.code for found in told]
        found = next(found for found in told if found.code == "ACC413")
        assert (found.range.start.line, found.range.start.character, found.range.end.character) == (DIRECTIVE, 24, 27)
        where = types.TextDocumentIdentifier(URI)
        context = types.CodeActionContext([])
        (action,) = await client.text_document_code_action_async(types.CodeActionParams(where, found.range, context))
        assert action.title == "write a[i-1:3]"
        mended = replaced(TEXT, action.edit.changes[URI])
        assert mended == TEXT.replace("a[i-1:i+1]", "a[i-1:3]")
        version = types.VersionedTextDocumentIdentifier(2, URI)
        change = types.TextDocumentContentChangeWholeDocument(mended)
        client.text_document_did_change(types.DidChangeTextDocumentParams(version, [change]))
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        assert not client.diagnostics[URI]
        hover = await client.text_document_hover_async(types.HoverParams(where, types.Position(DIRECTIVE, 3)))
        assert "method    rbi: asked for" in hover.contents.value
        assert "T0 -> 0 to 2" in hover.contents.value
        assert await client.text_document_hover_async(types.HoverParams(where, types.Position(0, 3))) is None
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        (hint,) = await client.text_document_inlay_hint_async(types.InlayHintParams(where, whole))
        assert (hint.position.line, hint.label) == (DIRECTIVE, " rbi, 1,032 bytes")
        client.text_document_did_close(types.DidCloseTextDocumentParams(where))
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)

    talk(use, "--method", "rbi", "--coarsen", "off")


@pytest.mark.parametrize("name", ["two words (1).c", "h\u00e4lfte.c", "50%25.c", "a#b+c@d.c"])
def test_names_of_files_may_have_what_addresses_quote(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "my folder"
    folder.mkdir()
    (folder / "far.h").write_text("#define FAR 1\n")
    uri = (folder / name).as_uri()
    assert "%" in uri

    async def use(client: pytest_lsp.LanguageClient) -> None:
        opened(client, f'#include "far.h"\n{TEXT}'.replace("i + 1]", "i + FAR]"), uri)
        await asyncio.wait_for(client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS), 30)
        assert "ACC413" in [found.code for found in client.diagnostics[uri]]
        where = types.TextDocumentIdentifier(uri)
        hover = await client.text_document_hover_async(types.HoverParams(where, types.Position(DIRECTIVE + 1, 3)))
        assert "cache(a[i-1:i+1])" in hover.contents.value
        version = types.VersionedTextDocumentIdentifier(2, uri)
        change = types.TextDocumentContentChangeWholeDocument("int x;\n")
        client.text_document_did_change(types.DidChangeTextDocumentParams(version, [change]))
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        assert not client.diagnostics[uri]

    talk(use)


def test_a_text_that_cannot_be_translated_is_told_of_without_an_end() -> None:
    async def use(client: pytest_lsp.LanguageClient) -> None:
        opened(client, TEXT.replace("parallel loop", "paralel loop"))
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        (found,) = client.diagnostics[URI]
        assert (found.code, found.severity) == ("ACC201", types.DiagnosticSeverity.Error)
        where = types.TextDocumentIdentifier(URI)
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        assert await client.text_document_inlay_hint_async(types.InlayHintParams(where, whole)) == ()

    talk(use)


HOST = "".join(f"int h{number}(int x)\n{{\n    int y = x;\n    return y;\n}}\n" for number in range(180))
KERNEL = """void k{0}(int n, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 4; i < n - 4; i++) {{
#pragma acc cache(a[i-4:9])
        float sum = 0;
        for (int j = i - 4; j <= i + 4; ++j)
            sum += a[j];
        b[i] = sum + {0};
    }}
}}
"""


def test_a_line_typed_costs_a_construct_not_the_file() -> None:
    """A line of one kernel of ten is typed in again and again; held against the whole file, looked at beside it."""
    text = HOST + "".join(map(KERNEL.format, range(10)))
    constructs = Constructs()
    look(SourceFile("t.c", text), Options(), constructs)
    typed, whole = [], []
    for number in range(2, 5):
        changed = SourceFile("t.c", text.replace("sum + 0;", f"sum + {number};"))
        start = time.process_time()
        found = look(changed, Options(), constructs)
        typed.append(time.process_time() - start)
        assert len(found.hints) == 10
        start = time.process_time()
        look(changed, Options(), Constructs())
        whole.append(time.process_time() - start)
    print(f"1,000 lines, 10 kernels: a line {min(typed):.2f} s of CPU, the file {min(whole):.2f} s")
    assert constructs.planned == 10 + 3
    assert min(typed) < min(whole) / 2


def test_the_server_ends_in_silence() -> None:
    asked = ({"id": 1, "method": "initialize", "params": {"capabilities": {}}}, {"id": 2, "method": "shutdown"})
    texts = [json.dumps({"jsonrpc": "2.0", **each}) for each in (*asked, {"method": "exit"})]
    spoken = "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in texts)
    command = [sys.executable, "-m", "accache", "lsp"]
    done = subprocess.run(command, input=spoken, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_is_told_of_documents_that_are_not_open() -> None:
    """Editors ask for hints of what they have just closed; an unsaved one is in no file."""

    async def use(client: pytest_lsp.LanguageClient) -> None:
        where = types.TextDocumentIdentifier(URI)
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        hover = types.HoverParams(where, types.Position(DIRECTIVE, 3))
        actions = types.CodeActionParams(where, whole, types.CodeActionContext([]))
        assert await client.text_document_hover_async(hover) is None
        assert not await client.text_document_code_action_async(actions)
        assert not await client.text_document_inlay_hint_async(types.InlayHintParams(where, whole))

    talk(use)


def test_a_document_closed_during_its_look_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = workspace.Workspace(None)
    monkeypatch.setattr(server.Server, "workspace", documents)

    async def close() -> object:
        documents.put_text_document(types.TextDocumentItem(URI, "c", 1, TEXT))
        asked = asyncio.ensure_future(server.make_server(Options()).look_at(URI))
        await asyncio.sleep(0)
        documents.remove_text_document(URI)
        return await asked

    assert asyncio.run(close()) is None


def test_without_the_extra_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError('pygls')\n")
    done = subprocess.run(
        [sys.executable, "-m", "accache", "lsp"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 1
    assert "accache lsp needs pygls, not installed here [ACC811]" in done.stderr
    assert "pip install '.[lsp]' in a checkout of accache" in done.stderr


def test_the_problem_matcher_of_the_document_reads_messages(tmp_path: Path) -> None:
    document = (Path(__file__).parents[2] / "docs" / "editors.md").read_text()
    tasks = json.loads(document.split("```json\n")[1].split("```")[0])
    pattern = tasks["tasks"][0]["problemMatcher"]["pattern"]
    path = tmp_path / "a.c"
    path.write_text(TEXT)
    done = subprocess.run(
        [sys.executable, "-m", "accache", "translate", "-o", "/dev/null", str(path)], capture_output=True, text=True
    )
    found = next(filter(None, (re.match(pattern["regexp"], line) for line in done.stderr.splitlines())))
    parts = [found[pattern[part]] for part in ("file", "line", "column", "severity", "code")]
    assert parts == [str(path), "6", "25", "warning", "ACC413"]
