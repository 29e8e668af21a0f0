"""What compilers need to build operator libraries and programs with Cantik."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from .. import cantik_version
from ..installation import folders
from ._program import command as command_of

if TYPE_CHECKING:
    from .._types import PathLike


def flags(library: PathLike) -> list[str | Any]:
    """The words for a linker."""
    file = sorted(library.glob('libcantik.so*'), key=lambda p: len(p.name))[0].name
    return ['-L' + str(library), '-l:' + file, '-Wl,-rpath,' + str(library)]


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
        words += ['-std=c++20', '-O2', '-fPIC', '-fvisibility=hidden', '-I' + str(found['include'])]
    if libs:
        words += flags(found['library'])
    if include:
        words.append(str(found['include']))
    if cmake:
        words.append(str(found['cmake']))
    if not words:
        raise click.UsageError('say what is wanted: --cflags, --libs, --include, --cmake or --version')
    click.echo(' '.join(shlex.quote(w) for w in words))
