"""What compilers need to build operator libraries and programs with Cantik."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from .. import cantik_version
from ..installation import folders
from ._program import command as command_of

if TYPE_CHECKING:
    from pathlib import Path

    from .._types import PathLike


def flags(library: PathLike) -> list[str | Any]:
    """The words for a linker."""
    files = sorted(library.glob('libcantik.so*'), key=lambda p: len(p.name))
    if not files:
        raise absent('libraries', library)
    return ['-L' + str(library), '-l:' + files[0].name, '-Wl,-rpath,' + str(library)]


def absent(what: str, folder: PathLike) -> click.ClickException:
    """That a part of the installation is not where this package is."""
    return click.ClickException(
        f'there are no {what} in {folder}\n'
        '  remedy   run the cantik of the package that pip installed, or of a build'
    )


def present(what: str, folder: Path) -> str:
    """The folder of a part of the installation, if it is there."""
    if not folder.is_dir():
        raise absent(what, folder)
    return str(folder)


@command_of('c++ $(cantik config --cflags) -shared my_operators.cc -o my_operators.so')
@click.option('--cflags', is_flag=True, help='For the compiler.')
@click.option('--libs', is_flag=True, help='For the linker of a program; libraries of operators need none.')
@click.option('--include', is_flag=True, help='The folder of the headers.')
@click.option('--cmake', is_flag=True, help='The folder for CMAKE_PREFIX_PATH.')
@click.option('--version', 'wants_version', is_flag=True, help='The version of Cantik.')
def command(cflags: bool, libs: bool, include: bool, cmake: bool, wants_version: bool) -> None:
    """Tells compilers and CMake where the library is."""
    found = folders()
    words = [cantik_version] if wants_version else []
    if cflags:
        include_folder = present('headers', found['include'])
        words += ['-std=c++20', '-O2', '-fPIC', '-fvisibility=hidden', '-I' + include_folder]
    if libs:
        words += flags(found['library'])
    if include:
        words.append(present('headers', found['include']))
    if cmake:
        words.append(present('files for CMake', found['cmake']))
    if not words:
        raise click.UsageError('say what is wanted: --cflags, --libs, --include, --cmake or --version')
    click.echo(' '.join(shlex.quote(w) for w in words))
