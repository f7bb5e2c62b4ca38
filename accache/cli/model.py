"""``accache model``: what the L1 cache of a GPU does with a launch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from accache.base.choices import METHODS
from accache.base.diagnostics import CompileError
from accache.base.options import OptionError
from accache.base.text import read_source_file
from accache.cli.common import (
    FILE_NAME,
    RepeatableCommand,
    Talk,
    arguments_option,
    command_again,
    joined,
    page_option,
    talk_from,
    talk_options,
    usage_error,
    write_page,
)
from accache.l1.carving import MAX_FETCHED
from accache.l1.gpus import GPUS
from accache.l1.latencies import MAX_SEED
from accache.l1.modes import MODES
from accache.l1.optional import answers_of_cluster, plotter
from accache.l1.policies import POLICIES, WRITES
from accache.l1.report import as_text
from accache.l1.setups import ABLATIONS
from accache.l1.sweeps import PAPER, SWEPT, Sweep, as_csv, parse_bytes, parse_sweep
from accache.l1.tables import GROUPINGS
from accache.l1.tools import compiled_tools
from accache.library.counted import compare
from accache.library.modelling import Study, study


def _sweeps(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[Sweep, ...]:
    try:
        return tuple(parse_sweep(text) for text in value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _bytes(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    try:
        return None if value is None else parse_bytes(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _policies(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    pairs = tuple(text.rpartition("=") for text in value)
    for load, _, policy in pairs:
        if not load or policy not in POLICIES:
            raise click.BadParameter(f"'{load}={policy}' is not of the form LOAD=POLICY, one of {', '.join(POLICIES)}")
    return {load: policy for load, _, policy in pairs}


def _tiles(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[tuple[str, int, int], ...]:
    tiles = []
    for text in value:
        array, _, sizes = text.rpartition("=")
        fetched, _, shared = sizes.partition(":")
        try:
            tiles.append((array, parse_bytes(fetched, MAX_FETCHED), parse_bytes(shared)))
        except ValueError as error:
            raise click.BadParameter(f"'{text}' is not of the form ARRAY=FETCHED:SHARED: {error}") from error
    return tuple(tiles)


@click.command("model", cls=RepeatableCommand)
@click.argument("program", required=False, type=FILE_NAME)
@click.argument("compiling", metavar="[ARGUMENTS]...", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--trace",
    metavar="FILE",
    type=FILE_NAME,
    help="The memory trace of a launch, as text, also packed by gzip, or as .npz.",
)
@click.option("--kernel", default="", metavar="NAME", help="The kernel of PROGRAM to model; else the first launched.")
@arguments_option()
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
    help=f"Model caches with other values of {', '.join(SWEPT)}; may be repeated, for all combinations. "
    "'paper' changes ways, size, line and mshrs by 1/4 to 4, one at a time.",
)
@click.option("--plot", metavar="FILE.png", help="Draw the miss rates of a sweep.")
@click.option("--dask", metavar="ADDRESS", help="Let the workers of a Dask scheduler model a sweep's caches.")
@click.option("--shared", metavar="BYTES", callback=_bytes, help="Carve this much shared memory out of L1; k is 1024.")
@click.option(
    "--shared-per-block", metavar="BYTES", callback=_bytes, help="Carve out what blocks with this much of it need."
)
@click.option(
    "--multiprocessors",
    type=click.IntRange(1),
    metavar="N",
    help="Deal the blocks of PROGRAM out to so many, and model some; else as many as --gpu has.",
)
@click.option(
    "--registers",
    type=click.IntRange(1, 255),
    metavar="N",
    help="A thread's registers, which limit the blocks that are active together; else those that ptxas tells.",
)
@click.option("--writes", type=click.Choice(WRITES), help="What stores do to L1, in --traffic and --by.")
@click.option(
    "--policy",
    "policies",
    metavar="LOAD=POLICY",
    multiple=True,
    callback=_policies,
    help=f"Make the loads of a name, array or FILE:LINE in another way, in --traffic and --by: {', '.join(POLICIES)}.",
)
@click.option("--traffic", is_flag=True, help="Print the bytes that move between L1, L2 and memory.")
@click.option("--by", type=click.Choice(GROUPINGS), help="Print them for each load, array or line of the source.")
@click.option(
    "--tile",
    "tiles",
    metavar="ARRAY=FETCHED:SHARED",
    multiple=True,
    callback=_tiles,
    help="Tell whether a cache directive pays that fetches so many bytes, into so much shared memory a block.",
)
@click.option(
    "--directives", is_flag=True, help="Tell for each cache directive of a C PROGRAM whether it pays: go or no-go."
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default=METHODS[0],
    show_default=True,
    help="How --directives keep their data, as for accache translate.",
)
@click.option(
    "--measured",
    metavar="FILE.csv",
    help="Hold the model against what ncu --csv counted of PROGRAM's kernels: predicted, measured, error.",
)
@click.option("--distances", is_flag=True, help="Print the histogram of reuse distances, and hits of all ways.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, or for a sweep a list of them.")
@page_option("Write a page, too: hits at the lines of the source, misses by causes; of a sweep, those of all caches.")
@talk_options
def command(
    *,
    program: str | None,
    trace: str | None,
    sweeps: tuple[Sweep, ...],
    as_json: bool,
    html: str | None,
    measured: str | None,
    **values: Any,
) -> None:
    """Predict what the L1 caches of multiprocessors do with a launch: hits, and misses by their causes.

    The launch is that of a trace, or the first of a kernel in a run of PROGRAM on this CPU. PROGRAM is CUDA (.cu) or C
    with OpenACC (.c), which nvcc compiles with ARGUMENTS that stand after --; or PTX (.ptx), which names the loads of a
    trace.

    The model is that of Nugteren et al., "A Detailed GPU Cache Model Based on Reuse Distance Theory", 2014.
    A sweep prints comma-separated values, one line a cache.
    """
    talk = talk_from(values)
    if not sweeps and (values["plot"] or values["dask"]):
        raise click.UsageError("--plot and --dask need a --sweep")
    if sweeps and not as_json and (values["by"] or values["distances"]):
        raise click.UsageError("the tables of --by and --distances for each cache of a sweep need --json")
    if html and not sweeps and values["by"] not in (None, "line"):
        raise click.UsageError("--html shows lines: without --by, or with --by line")
    if measured and (sweeps or html or values["by"] or values["tiles"] or values["directives"]):
        raise click.UsageError("--measured compares kernels: without --sweep, --html, --by, --tile and --directives")
    values["by"] = "line" if html and not sweeps else values["by"]
    plot, dask = values.pop("plot"), values.pop("dask")
    values["compiling"] = joined(values["compiling"])
    compiled_tools(own_process=True)
    if measured:
        _compare(talk, program, trace, measured, values=values, as_json=as_json)
        return
    try:
        draw = plotter() if plot else None
        made = study(program, trace, sweeps, values)
        records = made.records(partial(answers_of_cluster, dask) if dask else None)
    except CompileError as error:
        raise talk.fail(error) from error
    except OptionError as error:
        raise usage_error(error) from error
    talk.tell(made.diagnostics)
    if draw:
        try:
            title = f"{Path(made.question.name).name}, L1 of {values['gpu']}, {values['mode']} mode"
            draw(plot, title, made.points, records)
        except OSError as error:
            raise click.FileError(plot, error.strerror) from error
    if html:
        _write_page(html, made, program, records)
    if as_json:
        click.echo(json.dumps(records if sweeps else records[0], indent=2))
    else:
        swept = [name for name, _ in sweeps if name != PAPER]
        click.echo(as_csv(records, swept) if sweeps else as_text(records[0]), nl=False)


def _compare(
    talk: Talk, program: str | None, trace: str | None, measured: str, *, values: dict[str, Any], as_json: bool
) -> None:
    """Print predicted and measured quantities of the kernels in a file."""
    try:
        found = compare(program, trace, measured, values)
    except CompileError as error:
        raise talk.fail(error) from error
    except OptionError as error:
        raise usage_error(error) from error
    talk.tell(found.diagnostics)
    click.echo(json.dumps(found.to_dict(), indent=2) if as_json else str(found), nl=as_json)


def _write_page(path: str, made: Study, program: str | None, records: Sequence[dict[str, object]]) -> None:
    """Write what a cache does as a page, with the lines of a program if there is one; or what those of a sweep do."""
    from accache.report.result_page import model_page, sweep_page

    name, told, again = Path(made.question.name).name, made.diagnostics, command_again()
    if made.points[0].axis:
        labels = [f"{point.series}: {point.label}" for point in made.points]
        write_page(path, sweep_page(name, labels, records, axis=made.points[0].axis, told=told, command=again).html())
        return
    record = records[0]
    source = read_source_file(program) if program is not None and Path(program).suffix in (".c", ".cu") else None
    write_page(path, model_page(name, source, record, as_text(record), told=told, command=again).html())
