"""The language server: documents as editors change them, and what ``looks`` tells of them in the protocol's words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

from lsprotocol import types
from msgspec import Struct
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from accache import __version__
from accache.base.diagnostics import Diagnostic, FixIt, Severity
from accache.base.options import Options
from accache.base.text import Location, SourceFile
from accache.lsp.constructs import Constructs
from accache.lsp.looks import Look, look

PAUSE = 0.15
"""Seconds without a change before a text is looked at."""
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


class Server(LanguageServer):
    """A language server with options of a translation, and the last look at each document, done or under way."""

    def __init__(self, options: Options) -> None:
        super().__init__("accache", __version__)
        self.options = options
        self.constructs = Constructs()
        self.looks: dict[str, tuple[int | None, asyncio.Future[Look]]] = {}

    async def look_at(self, uri: str) -> tuple[Look, TextDocument] | None:
        """A look at an open document as it is now, and the document; None if it is not open, or was closed meanwhile.

        Who asks while a look is under way waits for the same one.
        """
        document = self._document(uri)
        if document is None:
            return None
        known = self.looks.get(uri)
        if known is None or known[0] != document.version:
            source = SourceFile(to_fs_path(uri) or uri, document.source)
            loop = asyncio.get_running_loop()
            known = document.version, loop.run_in_executor(None, look, source, self.options, self.constructs)
            self.looks[uri] = known
        found = await asyncio.shield(known[1])
        document = self._document(uri)
        return (found, document) if document is not None else None

    async def check(self, uri: str, pause: float = PAUSE) -> None:
        """Tell what is wrong with a document once nobody has changed it for a while."""
        version = self._version(uri)
        await asyncio.sleep(pause)
        if version is None or self._version(uri) != version:
            return
        looked = await self.look_at(uri)
        if looked is None or self._version(uri) != version:
            return
        found, document = looked
        told = [_diagnostic(document, each) for each in found.told.diagnostics]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told, version))

    def _document(self, uri: str) -> TextDocument | None:
        """An open document; pygls 2.1 knows it by its address without the quotes of, for one, spaces."""
        documents: Mapping[str, TextDocument] = self.workspace.text_documents
        return documents.get(uri) or documents.get(unquote(uri))

    def _version(self, uri: str) -> int | None:
        """The version of an open document."""
        document = self._document(uri)
        return document.version if document is not None else None


def make_server(options: Options) -> Server:
    """A server that translates with some options."""
    server = Server(options)
    for feature, handler in _FEATURES.items():
        server.feature(feature, *_REGISTERED.get(feature, ()))(handler)
    return server


async def _opened(server: Server, params: types.DidOpenTextDocumentParams) -> None:
    await server.check(params.text_document.uri, 0)


async def _changed(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    await server.check(params.text_document.uri)


async def _closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    server.looks.pop(params.text_document.uri, None)
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


async def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    looked = await server.look_at(params.text_document.uri)
    if looked is None:
        return None
    text = await asyncio.get_running_loop().run_in_executor(None, looked[0].paragraph, params.position.line + 1)
    return types.Hover(_shown(server, text)) if text else None


def _shown(server: Server, text: str) -> types.MarkupContent:
    """A text whose columns stay in line; editors that do not ask for Markdown would show its marks."""
    asked = server.client_capabilities.text_document
    formats = asked.hover.content_format if asked is not None and asked.hover is not None else None
    if types.MarkupKind.Markdown in (formats or ()):
        return types.MarkupContent(types.MarkupKind.Markdown, f"```text\n{text}\n```")
    return types.MarkupContent(types.MarkupKind.PlainText, text)


async def _hints(server: Server, params: types.InlayHintParams) -> list[types.InlayHint]:
    looked = await server.look_at(params.text_document.uri)
    if looked is None:
        return []
    found, document = looked
    wanted = range(params.range.start.line + 1, params.range.end.line + 2)
    return [
        types.InlayHint(_end_of(document, hint.location.line), f" {hint.text}", tooltip="accache", padding_left=True)
        for hint in found.hints
        if hint.location.line in wanted
    ]


async def _actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri = params.text_document.uri
    looked = await server.look_at(uri)
    if looked is None:
        return []
    found, document = looked
    lines = params.range.start.line + 1, params.range.end.line + 1
    fixes = await asyncio.get_running_loop().run_in_executor(None, found.fixes, *lines)
    return [
        types.CodeAction(
            title=fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[_diagnostic(document, told)],
            edit=types.WorkspaceEdit({uri: _edits(document, fix)}),
            is_preferred=True,
        )
        for told, fix in fixes
    ]


_FEATURES: dict[str, Callable[..., object]] = {
    types.TEXT_DOCUMENT_DID_OPEN: _opened,
    types.TEXT_DOCUMENT_DID_CHANGE: _changed,
    types.TEXT_DOCUMENT_DID_CLOSE: _closed,
    types.TEXT_DOCUMENT_HOVER: _hover,
    types.TEXT_DOCUMENT_INLAY_HINT: _hints,
    types.TEXT_DOCUMENT_CODE_ACTION: _actions,
}
_REGISTERED: dict[str, Sequence[object]] = {
    types.TEXT_DOCUMENT_CODE_ACTION: (types.CodeActionOptions([types.CodeActionKind.QuickFix]),),
}


class _Place(Struct, frozen=True):
    """A place of a file in lines and columns from 0 on, columns in characters."""

    line: int
    column: int

    def within(self, document: TextDocument) -> types.Position:
        """The place in the units of the client, at most at the end of its line."""
        lines = document.lines
        if self.line >= len(lines):
            return types.Position(len(lines), 0)
        column = min(self.column, len(lines[self.line].rstrip("\r\n")))
        return document.position_codec.position_to_client_units(lines, types.Position(self.line, column))


def _diagnostic(document: TextDocument, found: Diagnostic) -> types.Diagnostic:
    """A message at its place; what is told of another file stands at the first line, with the place in words."""
    place, message = found.location, found.message
    if place is None or place.file != (to_fs_path(document.uri) or document.uri):
        message = f"{place}: {message}" if place is not None else message
        place = Location("", 1, 1, 0)
    line, column = max(place.line - 1, 0), max(place.column - 1, 0)
    end = column + found.length if place.column else 1 << 20
    if found.hint:
        message += f" (hint: {found.hint})"
    return types.Diagnostic(
        types.Range(_Place(line, column).within(document), _Place(line, end).within(document)),
        message,
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source="accache",
    )


def _edits(document: TextDocument, fix: FixIt) -> list[types.TextEdit]:
    return [
        types.TextEdit(
            types.Range(
                _Place(change.start.line - 1, change.start.column - 1).within(document),
                _Place(change.end.line - 1, change.end.column - 1).within(document),
            ),
            change.text,
        )
        for change in fix.changes
    ]


def _end_of(document: TextDocument, line: int) -> types.Position:
    return _Place(line - 1, 1 << 20).within(document)
