"""``accache serve``: a playground in the browser."""

from __future__ import annotations

import os

import click

from accache.cli.common import needs


@click.command("serve")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; by default any that is free.")
@click.option("--allow-run", is_flag=True, help="Run programs, too, for pages with steps: with your rights, limited.")
def command(port: int, allow_run: bool) -> None:
    """Serve a playground to the browser on this machine, and to nobody else (docs/playground.md).

    A program is edited on the left; its messages, with mends to click, explanation, kernels and page stand on the
    right. Twelve exercises tell when they are solved. The address has a secret; whoever has it may use the playground.
    """
    if allow_run and os.getuid() == 0:
        raise click.UsageError("--allow-run is not for root, whom limits on processes do not hold")
    with needs("serve", "starlette and uvicorn", "accache serve"):
        from accache.serve.app import listening, new_settings, serve
        from accache.serve.worker import prepare
    if allow_run:
        prepare()
    try:
        listener = listening(port)
    except OSError as error:
        raise click.ClickException(f"port {port}: {error.strerror}") from error
    settings = new_settings(listener.getsockname()[1], allow_run)
    click.echo(settings.address)
    serve(settings, listener)
