"""What a model is made of, and what it costs."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

import cantik as C
from cantik._files import write_whole
from cantik._states import tensors_of

from ._models import LIBRARY_OPTION, MODEL, training_of
from ._program import command as command_of
from ._reports import JSON_OPTION, bytes_shown, shown, table, write_json

_PICTURES = ('svg', 'png', 'pdf')


@command_of('cantik inspect flowers.model\ncantik inspect flowers.model --graph mermaid > flowers.mmd')
@MODEL
@click.option(
    '--graph',
    type=click.Choice(['text', 'dot', 'mermaid', *_PICTURES]),
    help='Print the network instead. svg, png and pdf need Graphviz, and --output.',
)
@click.option('--output', type=click.Path(dir_okay=False), help='Where the graph goes.')
@click.option('--parameters', is_flag=True, help='List the parameters instead.')
@LIBRARY_OPTION
@JSON_OPTION
def command(model: str, graph: str | None, output: str | None, parameters: bool, as_json: bool) -> None:
    """Shows what a MODEL is made of (CNTK v2 or ONNX): functions and shapes, operators with their operations,
    memory; or its graph. Operations and bytes of values are those of a forward run, for each sample, or for
    each step where there are sequences."""
    if output and not graph:
        raise click.UsageError('--output is for --graph')
    if graph in _PICTURES and not output:
        raise click.UsageError(f'--graph {graph} needs --output FILE.{graph}')
    network = C.load_model(model)
    if graph:
        _draw(network, graph, output)
    elif parameters:
        rows = _parameters(network)
        if as_json:
            write_json(rows)
        else:
            click.echo(table(list(rows[0]), [_cells(row) for row in rows]) if rows else 'no parameters')
    elif as_json:
        write_json(_facts(network))
    else:
        _tell(network)


def _cells(row):
    return [' x '.join(map(str, cell)) if isinstance(cell, list) else cell for cell in row.values()]


def _draw(network, graph, output):
    if graph in _PICTURES:
        if not output.lower().endswith('.' + graph):
            raise click.UsageError(f'--output must end with .{graph}')
        C.logging.plot(network, output)
        return
    draw = {'text': C._cantik.plot_text, 'dot': C._cantik.plot_dot, 'mermaid': C._cantik.plot_mermaid}[graph]
    text = draw(network).rstrip('\n') + '\n'
    if output is None:
        click.echo(text, nl=False)
        return
    write_whole(output, text)


def _ends(variables):
    return [
        {
            'name': v.name or v.uid,
            'shape': list(v.shape),
            'axes': [axis.name for axis in v.dynamic_axes],
            'type': v.dtype.__name__,
            'sparse': v.is_sparse,
        }
        for v in variables
    ]


def _parameters(network):
    """Under the names that state_dict gives them."""
    return [
        {'name': name, 'shape': list(v.shape), 'type': v.dtype.__name__, 'numbers': int(np.prod(v.shape))}
        for name, v in tensors_of(network).items()
    ]


def _facts(network: Any) -> dict[str, Any]:
    """All that is printed, as tables."""
    operators, operations, parameter_bytes, value_bytes = C._cantik.cost(network)
    found = C.summary(network)
    return {
        'inputs': _ends(network.arguments),
        'outputs': _ends(network.outputs),
        'functions': [
            {'name': name, 'operator': op, 'outputs': [list(s) for s in shapes], 'parameters': count}
            for name, op, shapes, count in found.rows
        ],
        'operators': [
            {'operator': op, 'functions': count, 'operations': work} for op, count, work in operators
        ],
        'parameters': found.parameters,
        'tensors': found.tensors,
        'operations': operations,
        'parameter_bytes': parameter_bytes,
        'value_bytes': value_bytes,
        'training': training_of(network),
    }


def _tell(network):
    facts = _facts(network)
    click.echo(str(C.summary(network)) + '\n')
    for what in ('inputs', 'outputs'):
        for end in facts[what]:
            sizes = ', '.join(
                [
                    *('#' if axis == 'defaultBatchAxis' else '*' for axis in end['axes']),
                    *map(str, end['shape']),
                ]
            )
            kind = ' sparse' if end['sparse'] else ''
            click.echo(f"{what[:-1]} {end['name']}: [{sizes}] {end['type']}{kind}")
    rows = [[row['operator'], row['functions'], row['operations']] for row in facts['operators']]
    click.echo('\n' + table(['operator', 'functions', 'operations'], rows) + '\n')
    click.echo(f"{shown(facts['operations'])} operations for each row")
    click.echo(
        f"{bytes_shown(facts['parameter_bytes'])} of parameters, "
        f"{bytes_shown(facts['value_bytes'])} of values for each row"
    )
    for name, value in facts['training'].items():
        click.echo(f'trained with {name}: {", ".join(map(str, value)) if isinstance(value, list) else value}')
