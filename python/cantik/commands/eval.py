"""The loss and the metrics of a model over data in a file."""

from __future__ import annotations

from typing import Any

import click

import cantik as C
from cantik.fitting.prediction import metrics_of, record_of
from cantik.fitting.preparation import of_source
from cantik.variables import Record

from ._data import Stream, data_options, features_and_labels, is_sequential, names_in, source_of
from ._models import LIBRARY_OPTION, MODEL, text_in, texts_in, training_of
from ._program import command as command_of
from ._reports import JSON_OPTION, shown, write_json


@command_of('cantik eval flowers.model test.csv --metrics accuracy,f1')
@MODEL
@click.argument('data', type=click.Path(exists=True, dir_okay=False))
@data_options
@click.option('--loss', help="As for `fit`: cross_entropy, binary_cross_entropy, mse, mae, huber.")
@click.option('--metrics', metavar='A,B,...', help='As for `fit`: accuracy, f1, auc, mae, r2, ...')
@click.option('--classes', metavar='A,B,...', help='The names of the classes in the order of the outputs.')
@click.option(
    '--batch-size', type=click.IntRange(1), default=256, help='Samples at a time.', show_default=True
)
@LIBRARY_OPTION
@JSON_OPTION
def command(
    model: str,
    data: str,
    labels: str | None,
    features: str | None,
    streams: tuple[str, ...],
    loss: str | None,
    metrics: str | None,
    classes: str | None,
    batch_size: int,
    as_json: bool,
) -> None:
    """Measures a MODEL over DATA: a table (.csv, .tsv, .npz, .parquet, .arrow), or a text or binary file of
    CNTK's (.ctf, .txt, .cbf, .bin). Options that are left out are as `cantik train` noted them in the
    model."""
    network = C.load_model(model)
    facts = training_of(network)
    labels = labels or text_in(facts, 'labels')
    loss = loss or text_in(facts, 'loss')
    if loss is None:
        raise click.UsageError(f'{model} does not say what its loss was: give --loss')
    wanted = names_in(metrics) or texts_in(facts, 'metrics') or []
    if is_sequential(data):
        found = _of_source(
            network, source_of(data, [Stream.of(s) for s in streams]), labels, loss, wanted, batch_size
        )
    else:
        columns = _columns(names_in(features), texts_in(facts, 'features'))
        given = features_and_labels(data, labels, columns)
        names = names_in(classes) or texts_in(facts, 'classes')
        if names and len(set(names)) < len(names):
            raise click.UsageError('--classes names a class twice')
        found = C.score(network, given, loss=loss, metrics=wanted, classes=names, batch_size=batch_size)
    if as_json:
        write_json(dict(found))
    else:
        click.echo('\n'.join(f'{name} {shown(value)}' for name, value in found.items()))


def _columns(given: list[str] | None, trained: list[str] | None) -> list[str] | None:
    """The columns of the features, in the order in which the model was trained with them."""
    if given and trained and given != trained and sorted(given) == sorted(trained):
        raise click.UsageError(f"the model was trained with the features in the order {','.join(trained)}")
    return given or trained


def _of_source(
    network: Any, source: Any, labels: Any, loss: str, metrics: list[str], batch_size: int
) -> Record:
    """The same as `score` does of arrays, minibatch by minibatch."""
    task, data = of_source(network, source, labels, loss, metrics, None, again=False)
    return Record(**record_of(task, data.minibatches(batch_size), metrics_of(task, metrics)))
