"""The operators of a library: their signatures, or a stub for editors and type checkers."""

from __future__ import annotations

import argparse
import inspect
import sys
from typing import TYPE_CHECKING

import cantik
from cantik.ops.libraries import function_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog='cantik operators',
        description=__doc__,
        epilog='cantik operators my_operators.so --stub > my_operators.pyi',
    )
    parser.add_argument('library', nargs='?', help='its path; without one, the operators that are built in')
    parser.add_argument('--stub', action='store_true', help='the text of a .pyi file')
    options = parser.parse_args(arguments)
    if options.library:
        try:
            library = cantik.load_operators(options.library)
        except (OSError, RuntimeError, ValueError) as error:  # no such file, or no such library
            print(f'cantik operators: {error}', file=sys.stderr)
            return 1
    else:
        library = cantik.OperatorLibrary(
            'Cantik', sorted(op['name'] for op in cantik._cantik.operators() if not op['hidden'])
        )
    if options.stub:
        print(library.stub())
    else:
        for name in library:
            print(
                '{}{}\n    {}'.format(
                    name,
                    inspect.signature(function_of(name)).replace(return_annotation=inspect.Signature.empty),
                    cantik._cantik.operator(name)['doc'].split('\n')[0],
                )
            )
    return 0
