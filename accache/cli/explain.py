"""``accache explain``: what was decided for each cache directive, and why."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import OptionError, Options
from accache.base.progress import working
from accache.cli.common import (
    FILE_NAME,
    CompilerCommand,
    Talk,
    arguments_option,
    command_again,
    options_from,
    page_option,
    translation_options,
    usage_error,
    write_page,
)
from accache.frontend.source.preprocess import read_source
from accache.workflows.fixes.offers import translated_file

if TYPE_CHECKING:
    from accache.base.text import SourceFile
    from accache.driver import Translation
    from accache.report.page import Page
    from accache.report.text import Report

GPU = "h100"
"""The GPU whose L1 is modelled."""


@click.command("explain", cls=CompilerCommand)
@click.argument("file", type=FILE_NAME)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--registers", is_flag=True, help="Let occupancy count the registers of a thread; needs nvcc.")
@page_option("Write a page with pictures; FILE is run, and its first blocks recorded.")
@arguments_option("With --html: the arguments the program is called with.")
@click.option("--no-run", is_flag=True, help="With --html: do not run the program.")
@click.option("--l1", is_flag=True, help="With --html: model the L1 cache, too, which needs nvcc and takes a while.")
@click.option("--ptx", is_flag=True, help="With --html: show PTX, and SASS if nvdisasm is there, too; needs nvcc.")
@translation_options
def command(file: str, as_json: bool, registers: bool, html: str | None, **values: Any) -> None:
    """Tell what accache decides for each cache directive of FILE, and why; - is standard input."""
    wanted = Wanted(not values.pop("no_run"), values.pop("arguments"), values.pop("l1"), values.pop("ptx"))
    if not html and wanted != Wanted(True, (), False, False):
        raise click.UsageError("--args, --no-run, --l1 and --ptx are for --html")
    options, talk = options_from(values)
    try:
        if html:
            _page(file, html, wanted, options, talk=talk)
            if not as_json:
                return
        translation = translated_file(file, options)
        report = _counted(translation, options) if registers else translation.report
    except CompileError as error:
        raise talk.fail(error) from error
    if not html:
        talk.tell(translation.diagnostics)
    click.echo(json.dumps(report.to_dict(), indent=2) if as_json else str(report))


def _counted(translation: Translation, options: Options) -> Report:
    """The report with the registers that ptxas gives kernels."""
    # what starts nvcc takes longer to load than most reports take
    from accache.workflows.resource_usage import with_registers

    return with_registers(translation.report, translation.device, options)


class Wanted(Struct, frozen=True):
    """What a page is made of besides the report: a run with arguments, a model of L1, and PTX and SASS."""

    is_run: bool
    arguments: tuple[str, ...]
    l1: bool
    ptx: bool


def _page(file: str, path: str, wanted: Wanted, options: Options, *, talk: Talk) -> None:
    """Write the page."""
    # what runs and models programs takes longer to load than most translations take
    from accache.workflows.pages import Running, page_of

    running = Running(wanted.is_run, wanted.arguments, with_ptx=wanted.ptx)
    source = read_source(file, Reporter())
    with working("making the page" + ", for which the program is run" * wanted.is_run):
        page, told = page_of(source, options, running, command_again())
    talk.tell(told)
    if wanted.l1:
        page = _with_l1(page, source, file, wanted.arguments, options=options)
    write_page(path, page.html())


def _with_l1(page: Page, source: SourceFile, file: str, arguments: tuple[str, ...], *, options: Options) -> Page:
    """A page with what the model says of the first launch, without directives and with them."""
    from accache.library.modelling import model
    from accache.report.page import with_l1

    asked = ("--directives", "--by", "line", "--traffic", "--method", options.method)
    words = ["accache", "model", "--gpu", GPU, *asked, file]
    words += ["--args", shlex.join(arguments)] if arguments else []
    words += ["--", *options.preprocessor] if options.preprocessor else []
    try:
        found = model(
            file,
            gpu=GPU,
            directives=True,
            by="line",
            traffic=True,
            method=options.method,
            arguments=arguments,
            compiling=options.preprocessor,
        )
    except OptionError as error:
        raise usage_error(error) from error
    return with_l1(page, source, found.to_dict(), str(found), command=shlex.join(words))
