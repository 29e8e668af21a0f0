"""mx.libinfo: where this package keeps what programs in C++ need."""

from pathlib import Path

from ..commands.config import folders

__version__ = '1.9.1'


def _package():
    return Path(__file__).absolute().parents[1]


def find_include_path():
    """The folder of the headers: <cantik/mxnet/op.h> and those it needs."""
    folder = _package() / 'include'
    if not (folder / 'cantik' / 'op.h').exists():
        raise RuntimeError(
            'Cannot find the C++ headers of Cantik: there is no ' + str(folder / 'cantik' / 'op.h')
        )
    return str(folder)


def find_lib_path(prefix='libcantik'):
    """The shared library, as a list."""
    return [str(p) for p in sorted(folders()['library'].glob(prefix + '.so*'))]
