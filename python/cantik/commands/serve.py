"""The server of models, a program of its own."""

from __future__ import annotations

import os
import shutil

import click

from ..installation import folders
from ._program import command as command_of

PROGRAM = 'cantik-serve'


def program_path() -> str | None:
    """The server: in the package's folder `bin`, beside the library, or on PATH."""
    library = folders()['library']
    near = [folders()['include'].parent / 'bin', library, library.parent / 'bin', library / 'serve']
    for folder in near:
        path = folder / PROGRAM
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return shutil.which(PROGRAM)


@command_of(
    'cantik serve --help', ignore_unknown_options=True, allow_interspersed_args=False, help_option_names=[]
)
@click.argument('arguments', nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Serves models over HTTP and gRPC: starts the program cantik-serve with these ARGUMENTS."""
    path = program_path()
    if path is None:
        raise click.ClickException(
            f'the program {PROGRAM} is not installed\n'
            '  remedy   install the Debian package cantik-serve, or build the target cantik-serve with CMake'
        )
    os.execv(path, [path, *arguments])
