"""mx.libinfo: where this package keeps what programs in C++ need."""

from __future__ import annotations

from pathlib import Path

from ..installation import folders

__version__ = '1.9.1'


def _package():
    return Path(__file__).absolute().parents[1]


def find_include_path() -> str:
    """The folder of the headers: <cantik/mxnet/op.h> and those it needs."""
    folder = _package() / 'include'
    if not (folder / 'cantik' / 'op.h').exists():
        raise RuntimeError(
            'Cannot find the C++ headers of Cantik: there is no ' + str(folder / 'cantik' / 'op.h')
        )
    return str(folder)


def find_lib_path(prefix: str = 'libcantik') -> list[str]:
    """The shared library, as a list."""
    return [str(p) for p in sorted(folders()['library'].glob(prefix + '.so*'))]
