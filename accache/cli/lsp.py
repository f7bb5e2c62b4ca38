"""``accache lsp``: a language server, for editors."""

from __future__ import annotations

from typing import Any

import click

from accache.cli.common import CompilerCommand, needs, options_from, translation_options


@click.command("lsp", cls=CompilerCommand)
@translation_options
def command(**values: Any) -> None:
    """Serve an editor by the Language Server Protocol, on standard input and output (docs/editors.md).

    It tells what is wrong while a C file is typed, mends it, and shows at each cache directive what becomes of it. The
    options are those of its translations.
    """
    options, _ = options_from(values)
    with needs("lsp", "pygls", "accache lsp"):
        from accache.lsp.server import make_server
    make_server(options).start_io()
