"""What compilers need to build operator libraries and programs with Cantik."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cantik

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._types import PathLike


def folders() -> dict[str, Any]:
    """{name: folder} of the headers, the library and the CMake package: in the installed package, or of the
    tree that this is the build of."""
    package = Path(cantik.__file__).absolute().parent  # not resolved: a build folder links to the sources
    library = package if list(package.glob('libcantik.so*')) else package.parents[1] / 'src'
    return {'include': package / 'include', 'library': library, 'cmake': package / 'cmake'}


def flags(library: PathLike) -> list[str | Any]:
    """The words for a linker."""
    file = sorted(library.glob('libcantik.so*'), key=lambda p: len(p.name))[0].name
    return ['-L' + str(library), '-l:' + file, '-Wl,-rpath,' + str(library)]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog='cantik config',
        description=__doc__,
        epilog='c++ $(cantik config --cflags) -shared my_operators.cc -o my_operators.so',
    )
    parser.add_argument('--cflags', action='store_true', help='for the compiler')
    parser.add_argument(
        '--libs',
        action='store_true',
        help='for the linker of a program that uses Cantik; libraries of operators need none',
    )
    parser.add_argument('--include', action='store_true', help='the folder of the headers')
    parser.add_argument('--cmake', action='store_true', help='the folder for CMAKE_PREFIX_PATH')
    parser.add_argument('--version', action='store_true', help='of Cantik')
    options = parser.parse_args(arguments)
    found = folders()
    words = []
    if options.version:
        words.append(cantik.cantik_version)
    if options.cflags:
        words += ['-std=c++20', '-O2', '-fPIC', '-fvisibility=hidden', '-I' + str(found['include'])]
    if options.libs:
        words += flags(found['library'])
    if options.include:
        words.append(str(found['include']))
    if options.cmake:
        words.append(str(found['cmake']))
    if not words:
        parser.print_help()
        return 2
    print(' '.join(shlex.quote(w) for w in words))
    return 0
