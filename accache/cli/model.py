"""``accache model``: what the L1 cache of a GPU does with a launch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from accache.cli.common import talk_from, talk_options
from accache.diagnostics import CompileError, Reporter
from accache.l1.gpus import GPUS, gpu_named
from accache.l1.latencies import MAX_SEED
from accache.l1.model import predict_file
from accache.l1.modes import MODES
from accache.l1.report import as_record, as_text
from accache.l1.setups import ABLATIONS
from accache.l1.tools import PLAIN, compiled_tools


@click.command("model")
@click.option("--trace", metavar="FILE", required=True, help="The memory trace of a launch, as text or as .npz.")
@click.option(
    "--gpu",
    type=click.Choice([gpu.name for gpu in GPUS]),
    default=GPUS[0].name,
    show_default=True,
    help="The cache to model.",
)
@click.option(
    "--mode",
    type=click.Choice(list(MODES)),
    default="paper",
    show_default=True,
    help="As the paper describes the model, or as its published program computes it.",
)
@click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), default=1, show_default=True, help="The start of the random latencies."
)
@click.option(
    "--without", type=click.Choice(ABLATIONS), multiple=True, help="Leave a part of the model out; may be repeated."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@talk_options
def command(trace: str, gpu: str, mode: str, seed: int, without: tuple[str, ...], as_json: bool, **values: Any) -> None:
    """Predict what the L1 cache of one multiprocessor does with a launch: hits, and misses by their causes.

    The model is that of Nugteren et al., "A Detailed GPU Cache Model Based on Reuse Distance Theory", 2014.
    """
    talk = talk_from(values)
    tools, reporter = compiled_tools(), Reporter()
    if tools is None:
        reporter.report("ACC808")
    try:
        counts = predict_file(Path(trace), gpu_named(gpu), MODES[mode], seed, without, tools or PLAIN)
    except CompileError as error:
        raise talk.fail(error) from error
    talk.tell(tuple(reporter.diagnostics))
    record = as_record(counts, gpu, mode, seed, without)
    click.echo(json.dumps(record, indent=2) if as_json else as_text(record), nl=as_json)
