"""Models, data and weights from one format to another."""

from __future__ import annotations

from pathlib import Path

import click

import cantik as C

from ._data import BINARIES, TEXTS, Stream, deserializer_of, kind_of
from ._models import LIBRARY_OPTION, format_of, save
from ._program import command as command_of

_WEIGHTS = '.safetensors'


@command_of(
    'cantik convert flowers.model flowers.onnx\ncantik convert words.ctf words.cbf --stream word=5:sparse'
)
@click.argument('source', type=click.Path(exists=True, dir_okay=False))
@click.argument('target', type=click.Path(dir_okay=False))
@click.option(
    '--stream',
    'streams',
    multiple=True,
    metavar='NAME=SIZE[:sparse]',
    help="A stream of a text file of CNTK's; once for each.",
)
@click.option('--into', type=click.Path(exists=True, dir_okay=False), help='The model that gets the weights.')
@LIBRARY_OPTION
def command(source: str, target: str, streams: tuple[str, ...], into: str | None) -> None:
    """Writes SOURCE as TARGET, whose ending says the format. Models: .onnx, or .model, .dnn and .cntk of
    CNTK v2 (the format of SOURCE is known by what is in the file). Data: .ctf or .txt, and .cbf or .bin.
    Weights: a model to .safetensors; and from there, --into MODEL, to a model."""
    kinds = kind_of(source), kind_of(target)
    is_data = [kind in (*TEXTS, *BINARIES) for kind in kinds]
    if any(is_data):
        if not all(is_data):
            raise click.UsageError(
                f"data become data, and models become models: '{kinds[0]}' to '{kinds[1]}'"
            )
        if into:
            raise click.UsageError('--into is for weights')
        _convert_data(source, target, [Stream.of(s) for s in streams])
        return
    if streams:
        raise click.UsageError('--stream is for data')
    if (kinds[0] == _WEIGHTS) != (into is not None):
        raise click.UsageError(
            '--into MODEL goes with a SOURCE .safetensors: the model that gets the weights'
        )
    if kinds[1] != _WEIGHTS:
        format_of(target)  # an error comes before the work
    network = C.load_model(into or source)
    if into:
        C.load_weights(source, network)
    if kinds[1] == _WEIGHTS:
        C.save_weights(network, target)
    else:
        save(network, target)


def _convert_data(source, target, streams):
    if Path(source).resolve() == Path(target).resolve():
        raise ValueError(f'{target} is the file itself')
    write = C.io.write_cbf if kind_of(target) in BINARIES else C.io.write_ctf
    write(target, deserializer_of(source, streams))
