"""What a model, or a program, spends its time on."""

from __future__ import annotations

from pathlib import Path

import click

import cantik as C

from ._feeds import feeds_of, random_arrays
from ._models import LIBRARY_OPTION
from ._program import ScriptOrFileCommand, command as command_of, errors_as_lines, refuse_options_of_files
from ._reports import JSON_OPTION, write_json
from .run import run_script


@command_of(
    'cantik profile flowers.model --batch 64 --trace trace.json',
    ScriptOrFileCommand,
)
@click.argument('program', type=click.Path(exists=True, dir_okay=False), metavar='MODEL|SCRIPT')
@click.argument('arguments', nargs=-1, type=click.UNPROCESSED)
@click.option('--batch', type=click.IntRange(1), default=1, help='Samples of a run.', show_default=True)
@click.option('--length', type=click.IntRange(1), default=32, help='Steps of a sequence.', show_default=True)
@click.option('--runs', type=click.IntRange(1), default=100, help='How many runs.', show_default=True)
@click.option('--trace', type=click.Path(dir_okay=False), help='A file for chrome://tracing or Perfetto.')
@LIBRARY_OPTION
@JSON_OPTION
def command(
    program: str,
    arguments: tuple[str, ...],
    batch: int,
    length: int,
    runs: int,
    trace: str | None,
    as_json: bool,
) -> None:
    """Times the kernels of a MODEL on random data, or of all that a SCRIPT (.py) with its ARGUMENTS runs. The
    table goes to the standard output, after what the script writes."""
    recording = C.profile()
    try:
        if Path(program).suffix.lower() == '.py':
            refuse_options_of_files('batch', 'length', 'runs')
            with recording:
                run_script(program, arguments)
        else:
            if arguments:
                raise click.UsageError(f"arguments are for scripts: '{arguments[0]}'")
            with errors_as_lines():
                _run_model(program, batch, length, runs, recording)
    finally:
        recording.pause()
    with errors_as_lines():
        if trace:
            recording.save(trace)
    if as_json:
        rows = [{'kernel': r.name, 'calls': r.calls, 'nanoseconds': r.nanoseconds} for r in recording.rows]
        write_json({'kernels': rows, 'memory': recording.memory, 'kept': recording.kept})
    else:
        click.echo(recording.table())


def _run_model(path, batch, length, runs, recording):
    """The first run, which compiles, is not recorded."""
    network = C.load_model(path)
    feeds = feeds_of(random_arrays(network, batch, length))
    network.eval(feeds)
    with recording:
        for _ in range(runs):
            network.eval(feeds)
