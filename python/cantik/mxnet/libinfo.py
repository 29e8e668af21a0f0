"""mx.libinfo: where this package keeps what programs in C++ need."""
import os

__version__ = '1.9.1'


def find_include_path():
    """The folder of the headers: <cantik/mxnet/op.h> and those it needs."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (os.path.join(package, 'include'), os.path.join(os.path.dirname(os.path.dirname(package)), 'include')):
        if os.path.exists(os.path.join(folder, 'cantik', 'op.h')):
            return folder
    real = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    folder = os.path.join(os.path.dirname(os.path.dirname(real)), 'include')
    if os.path.exists(os.path.join(folder, 'cantik', 'op.h')):
        return folder
    raise RuntimeError('Cannot find the C++ headers of Cantik: this installation is the Python package alone')


def find_lib_path(prefix='libcantik'):
    """The shared library, as a list."""
    from .. import _cantik
    return [os.path.abspath(_cantik.__file__)]
