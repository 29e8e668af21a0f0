"""Trainings: a script, or a file that describes one."""

from __future__ import annotations

import errno
import math
import os
import tempfile
from pathlib import Path
from typing import Any

import click

import cantik as C

from ._data import Stream, features_and_labels, is_sequential, source_of
from ._models import LIBRARY_OPTION, format_of, keep_training, save
from ._networks import network_of
from ._program import ScriptOrFileCommand, command as command_of, errors_as_lines, refuse_options_of_files
from ._recipe import Recipe
from ._reports import JSON_OPTION, write_json
from .run import run_script


@command_of(
    'cantik train flowers.toml --set training.epochs=40 --output flowers.model',
    ScriptOrFileCommand,
)
@click.argument('training', type=click.Path(exists=True, dir_okay=False))
@click.argument('arguments', nargs=-1, type=click.UNPROCESSED)
@click.option(
    '--output',
    type=click.Path(dir_okay=False),
    help='Where the model goes: .onnx, or CNTK v2: .model, .dnn, .cntk.',
)
@click.option('--set', 'changes', multiple=True, metavar='KEY=VALUE', help='Changes what the file says.')
@LIBRARY_OPTION
@JSON_OPTION
def command(
    training: str, arguments: tuple[str, ...], output: str | None, changes: tuple[str, ...], as_json: bool
) -> None:
    """Trains what TRAINING describes: a file .toml, .yaml or .json, of which the model is written; or a
    script .py, which runs as `cantik run` runs it, with the ARGUMENTS."""
    if Path(training).suffix.lower() == '.py':
        refuse_options_of_files('output', 'changes', 'as_json')
        run_script(training, arguments)
        return
    if arguments:
        raise click.UsageError(f"arguments are for scripts: '{arguments[0]}'")
    with errors_as_lines():
        _train(Recipe(training, changes), output, as_json)


def _train(recipe: Recipe, output: str | None, as_json: bool) -> None:
    """Trains and writes the model."""
    output = output or recipe.output
    if output is None:
        raise ValueError(
            f'{recipe.path} does not say where the model goes\n  remedy   output = "my.model", or --output'
        )
    format_of(output)  # errors come before the training
    _check_writable(output)
    facts = {name: recipe.data[name] for name in ('labels', 'features') if name in recipe.data}
    options = {'progress': False, **recipe.training}
    if 'seed' in options:
        C.set_seed(options['seed'])
    given = _sequential_data(recipe) if is_sequential(recipe.data['train']) else _table_data(recipe, facts)
    history = C.fit(*given.pop('arguments'), **given, **options, callbacks=() if as_json else _tell)
    keep_training(
        history.model, **facts, loss=options['loss'], metrics=options.get('metrics'), classes=history.classes
    )
    save(history.model, output)
    loss = history[-1].get('loss') if len(history) else None
    if isinstance(loss, float) and not math.isfinite(loss):
        click.echo(f'cantik: the loss is {loss}: the model is of no use; try a smaller rate', err=True)
    if as_json:
        found = {'output': output, 'classes': history.classes, 'best_epoch': history.best_epoch}
        write_json({**found, 'epochs': [dict(record) for record in history]})
    else:
        click.echo(f'wrote {output}')


def _check_writable(output: str) -> None:
    """Makes the folder of a file that will be written, and tries whether files can be made there."""
    folder = os.path.dirname(output) or '.'
    os.makedirs(folder, exist_ok=True)
    if os.path.isdir(output):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), output)
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=os.path.basename(output)):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, output) from None


def _tell(record: Any) -> None:
    """An epoch, in a line."""
    shown = (
        f'{name} {value:.6g}' if isinstance(value, float) else f'{name} {value}'
        for name, value in record.items()
    )
    click.echo('  '.join(shown))


def _network(recipe: Recipe, inputs: list[Any]) -> Any:
    """The network to train; layers are put on the inputs."""
    if 'file' in recipe.model:
        return C.load_model(recipe.place(recipe.model['file']))
    return network_of(recipe.model['layers'], name='output')(*inputs)


def _table_data(recipe: Recipe, facts: dict[str, Any]) -> dict[str, Any]:
    """What fit takes of a table. The order of the columns is kept with the model."""
    data = recipe.data
    if 'streams' in data:
        raise ValueError(f"{recipe.path}: streams are for text files of CNTK's")
    features, labels = features_and_labels(
        recipe.place(data['train']), data.get('labels'), data.get('features')
    )
    facts['features'] = list(features)
    given: dict[str, Any] = {'arguments': [_network(recipe, [_table_input(features)]), features, labels]}
    if 'validation' in data:
        path = recipe.place(data['validation'])
        given['validation_data'] = features_and_labels(path, data['labels'], facts['features'])
    if 'validation_split' in data:
        given['validation_split'] = data['validation_split']
    return given


def _table_input(features: dict[str, Any]) -> Any:
    """An input for the columns side by side; for the only column, of its name."""
    shapes = {name: column.shape[1:] for name, column in features.items()}
    if len(shapes) == 1:
        ((name, shape),) = shapes.items()
        return C.input_variable(shape or (1,), name=name)
    wide = [name for name, shape in shapes.items() if shape and len(shape) > 1]
    if wide:
        raise ValueError(
            f"the column '{wide[0]}' has several axes: take it alone, by features = [\"{wide[0]}\"]"
        )
    return C.input_variable(sum(shape[0] if shape else 1 for shape in shapes.values()), name='features')


def _sequential_data(recipe: Recipe) -> dict[str, Any]:
    """What fit takes of a file of CNTK's."""
    data = recipe.data
    for name in ('features', 'validation_split'):
        if name in data:
            raise ValueError(f"{recipe.path}: {name} is for tables, and {data['train']} is a file of CNTK's")
    streams = [Stream.of(f'{name}={size}') for name, size in data.get('streams', {}).items()]
    source = source_of(recipe.place(data['train']), streams, is_training=True)
    given = {'arguments': [_network(recipe, _inputs(source, streams, data.get('labels'))), source]}
    if 'labels' in data:
        given['arguments'].append(data['labels'])
    if 'validation' in data:
        given['validation_data'] = source_of(recipe.place(data['validation']), streams)
    return given


def _inputs(source: Any, streams: list[Stream], labels: str | None) -> list[Any]:
    """Inputs for the streams beside the labels."""
    steps = {stream.name for stream in streams if stream.is_sequence}
    infos = list(source.stream_infos())
    target = labels or infos[-1].name
    return [
        (C.sequence.input_variable if info.name in steps else C.input_variable)(
            tuple(info.sample_shape), is_sparse=info.storage_format == 'sparse', name=info.name
        )
        for info in infos
        if info.name != target
    ]
