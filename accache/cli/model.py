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
from accache.l1.sweeps import SWEPT, as_csv, parse_sweep, variants
from accache.l1.tools import PLAIN, compiled_tools

Sweep = tuple[str, tuple[int, ...]]


def _sweeps(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[Sweep, ...]:
    try:
        return tuple(parse_sweep(text) for text in value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


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
@click.option(
    "--sweep",
    "sweeps",
    metavar="NAME=VALUE,...",
    multiple=True,
    callback=_sweeps,
    help=f"Model caches with other values of {', '.join(SWEPT)}; may be repeated, for all combinations.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, or for a sweep a list of them.")
@talk_options
def command(
    trace: str,
    gpu: str,
    mode: str,
    seed: int,
    without: tuple[str, ...],
    sweeps: tuple[Sweep, ...],
    as_json: bool,
    **values: Any,
) -> None:
    """Predict what the L1 cache of one multiprocessor does with a launch: hits, and misses by their causes.

    The model is that of Nugteren et al., "A Detailed GPU Cache Model Based on Reuse Distance Theory", 2014.
    A sweep prints comma-separated values, one line a cache.
    """
    talk = talk_from(values)
    try:
        gpus = variants(gpu_named(gpu), sweeps)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--sweep'") from error
    tools, reporter = compiled_tools(), Reporter()
    if tools is None:
        reporter.report("ACC808")
    try:
        counts = predict_file(Path(trace), gpus, MODES[mode], seed, without, tools or PLAIN)
    except CompileError as error:
        raise talk.fail(error) from error
    talk.tell(tuple(reporter.diagnostics))
    records = [as_record(*pair, mode, seed, without) for pair in zip(counts, gpus, strict=True)]
    if as_json:
        click.echo(json.dumps(records if sweeps else records[0], indent=2))
    else:
        click.echo(as_csv(records) if sweeps else as_text(records[0]), nl=False)
