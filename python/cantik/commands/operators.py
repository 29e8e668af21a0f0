"""The operators of a library: their signatures, or a stub for editors and type checkers."""

from __future__ import annotations

import inspect

import click

import cantik
from cantik.ops.libraries import function_of

from ._program import command as command_of
from ._reports import JSON_OPTION, write_json


@command_of('cantik operators my_operators.so --stub > my_operators.pyi')
@click.argument('library', required=False, type=click.Path(exists=True, dir_okay=False))
@click.option('--stub', is_flag=True, help='The text of a .pyi file.')
@JSON_OPTION
def command(library: str | None, stub: bool, as_json: bool) -> None:
    """Lists the operators of a LIBRARY; without one, those that are built in."""
    if library:
        found = cantik.load_operators(library)
    else:
        found = cantik.OperatorLibrary(
            'Cantik', sorted(op['name'] for op in cantik._cantik.operators() if not op['hidden'])
        )
    if stub:
        click.echo(found.stub())
        return
    rows = [(name + _signature(name), cantik._cantik.operator(name)['doc'].split('\n')[0]) for name in found]
    if as_json:
        names = zip(found, rows)
        write_json([{'name': name, 'signature': call, 'doc': doc} for name, (call, doc) in names])
        return
    for call, doc in rows:
        click.echo(f'{call}\n    {doc}')


def _signature(name):
    signature = inspect.signature(function_of(name))
    return str(signature.replace(return_annotation=inspect.Signature.empty))
