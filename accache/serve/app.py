"""The server of the playground: who may ask, and for what. Programs are worked out in processes of their own."""

from __future__ import annotations

import asyncio
import secrets
import socket
import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import uvicorn
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from accache.base.resources import samples, templates
from accache.emit.templates import render_html
from accache.serve.exercises import EXERCISES
from accache.serve.limits import IN_MEMORY, TOO_LARGE, TOO_LONG, TOO_MANY

HOST = "127.0.0.1"
LONGEST = 200_000
"""Bytes of a request; a program of 4,000 lines has fewer."""
SECONDS = 20.0
"""How long a request is worked on."""
RUN_SECONDS = 10.0
"""How long a program may run."""
AT_ONE_TIME = 2
CONNECTIONS = 32
KEPT_PAGES = 8
_PLAYGROUND = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src 'self'; frame-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; sandbox allow-scripts"
)
_HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
Handler = Callable[[Request], Awaitable[Response]]


class Settings(Struct, frozen=True):
    """Where the server listens, the secret in its address, and whether programs are run."""

    port: int
    token: str
    allows_runs: bool = False
    seconds: float = SECONDS
    run_seconds: float = RUN_SECONDS

    @property
    def address(self) -> str:
        """What to open."""
        return f"http://{HOST}:{self.port}/{self.token}/"


def new_settings(port: int, allows_runs: bool) -> Settings:
    """Settings with a secret that nobody can guess."""
    return Settings(port, secrets.token_urlsafe(24), allows_runs)


class _Playground:
    """Answers requests; keeps the last pages, for the frame that shows them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pages: OrderedDict[str, str] = OrderedDict()
        self.free = asyncio.Semaphore(AT_ONE_TIME)

    async def home(self, request: Request) -> Response:
        nonce = secrets.token_urlsafe(16)
        text = render_html(
            "html/playground.html.jinja",
            nonce=nonce,
            exercises=EXERCISES,
            samples=[path.stem for path in _samples()],
            allows_runs=self.settings.allows_runs,
            starts=msgspec.json.encode(_texts()).decode().replace("<", "\\u003c"),
        )
        return HTMLResponse(text, headers={"Content-Security-Policy": _PLAYGROUND.format(nonce=nonce)})

    async def editor(self, request: Request) -> Response:
        text = (templates() / "html" / "editor.js").read_text(encoding="utf-8")
        return Response(text, media_type="text/javascript")

    async def page(self, request: Request) -> Response:
        text = self.pages.get(request.path_params["name"])
        if text is None:
            return _refused(404, "there is no such page any more")
        return HTMLResponse(text, headers={"Content-Security-Policy": _PAGE})

    async def ask(self, request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return _refused(415, "requests are JSON")
        body = bytearray()
        with suppress(ClientDisconnect):  # nobody reads the answer then
            async for part in request.stream():
                body += part
                if len(body) > LONGEST:
                    return _refused(413, f"a request has at most {LONGEST:,} bytes")
        try:
            asked = msgspec.json.decode(bytes(body), type=dict[str, object])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return _refused(400, f"this is no request: {error}")
        if asked.get("run") and not self.settings.allows_runs:
            return _refused(403, "programs are run only by accache serve --allow-run")
        async with self.free:
            status, told = await self.work(
                msgspec.json.encode(asked), self.settings.run_seconds if asked.get("run") else 0
            )
        return self.answered(status, told)

    async def work(self, body: bytes, run_seconds: float) -> tuple[int, bytes]:
        """Let processes work a request out that end with it; a program runs for so many seconds at most."""
        words = (sys.executable, "-m", "accache.serve.limits", str(self.settings.seconds), str(run_seconds))
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, start_new_session=True
        )
        told, _ = await process.communicate(body)
        return process.returncode or 0, told

    def answered(self, status: int, told: bytes) -> Response:
        """What a worker said as an answer; a page is kept, and its name given."""
        passed = {
            TOO_LONG: f"more than {self.settings.seconds:g} seconds",
            TOO_MANY: "too many processes",
            TOO_LARGE: f"more than {IN_MEMORY >> 30} GiB of memory",
        }
        if status in passed:
            return JSONResponse({"error": f"this took {passed[status]} and was ended"})
        try:
            found = msgspec.json.decode(told, type=dict[str, object])
        except msgspec.DecodeError:
            return JSONResponse(
                {"error": "this took more memory than there is for a request, or could not be worked out"}
            )
        if "page" in found:
            name = secrets.token_urlsafe(16)
            self.pages[name] = str(found.pop("page"))
            found["page_name"] = name
            while len(self.pages) > KEPT_PAGES:
                self.pages.popitem(last=False)
        return JSONResponse(found)


def _samples() -> list[Path]:
    return sorted(samples().glob("*.c"))


def _texts() -> dict[str, str]:
    """The programs to choose from, by the values of their options: numbers of exercises, and names of samples."""
    exercises = {str(number): item.start for number, item in enumerate(EXERCISES)}
    return exercises | {path.stem: path.read_text(encoding="utf-8") for path in _samples()}


def _guarded(settings: Settings, handler: Handler) -> Handler:
    """A handler that only the page of this server reaches: by its own names, from itself, and with the secret."""
    names = {f"{name}:{settings.port}" for name in (HOST, "localhost")}

    async def guard(request: Request) -> Response:
        token = request.path_params.get("token", "")
        origin = request.headers.get("origin")
        if request.headers.get("host") not in names:
            answer = _refused(421, "this host is not served")
        elif origin is not None and origin not in {f"http://{name}" for name in names}:
            answer = _refused(403, "other pages may not ask")
        elif not secrets.compare_digest(token.encode(), settings.token.encode()):
            answer = _refused(403, "the address lacks the secret that accache serve printed")
        else:
            answer = await handler(request)
        answer.headers.update(_HEADERS)
        return answer

    return guard


def _refused(status: int, words: str) -> Response:
    return JSONResponse({"error": words}, status)


def make_app(settings: Settings) -> Starlette:
    """The application."""
    playground = _Playground(settings)

    async def elsewhere(request: Request) -> Response:
        return _refused(404, "there is nothing here")

    return Starlette(
        routes=[
            Route("/{token}/", _guarded(settings, playground.home)),
            Route("/{token}/editor.js", _guarded(settings, playground.editor)),
            Route("/{token}/page/{name}", _guarded(settings, playground.page)),
            Route("/{token}/ask", _guarded(settings, playground.ask), methods=["POST"]),
            Route("/{token:path}", _guarded(settings, elsewhere), methods=["GET", "POST", "PUT", "DELETE", "HEAD"]),
        ]
    )


def listening(port: int) -> socket.socket:
    """A socket that takes connections from this machine; port 0 is any that is free.

    Raises OSError where there is none.
    """
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(CONNECTIONS)
    except OSError:
        listener.close()
        raise
    return listener


def serve(settings: Settings, listener: socket.socket) -> None:
    """Serve those who connect until the user ends it."""
    config = uvicorn.Config(
        make_app(settings), log_level="warning", access_log=False, server_header=False, limit_concurrency=CONNECTIONS
    )
    with listener, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
