"""mx.library.load: operators in C++ outside the tree, called as mx.nd.name and mx.sym.name."""
import subprocess
import sys
from pathlib import Path

import pytest

import cantik.mxnet as mx
from building import SOURCES, compiled, needs_compiler, run

pytestmark = needs_compiler
NNVM = SOURCES / 'nnvm'
QUIET = ['-Wno-unused-parameter']


@pytest.fixture(scope='module')
def library(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp('nnvm') / 'operators.so', *[NNVM / (f + '.cc') for f in ('squared', 'shifted', 'shifted_compute')], flags=QUIET)


def test_headers():
    folder = Path(mx.libinfo.find_include_path())
    assert (folder / 'cantik' / 'mxnet' / 'op.h').exists()


def test_called_by_name(library):
    """In a process of its own: operators that are loaded stay."""
    shown = run('''
import sys, numpy as np, cantik.mxnet as mx
mx.library.load(sys.argv[1], verbose=False)
x = mx.nd.array([[-1.5, 0, 2]])
x.attach_grad()
with mx.autograd.record():
    y = mx.nd.squared(x * 2)
y.backward()
print(y.asnumpy().tolist(), x.grad.asnumpy().tolist())
print('Each number times itself' in mx.nd.squared.__doc__, 'x : NDArray' in mx.nd.squared.__doc__)
s = mx.sym.squared(mx.sym.Variable('x'), name='a')
print(s.list_arguments(), s.list_outputs(), s.infer_shape(x=(2, 3)))
exe = s.simple_bind(mx.cpu(), x=(1, 3))
exe.arg_dict['x'][:] = -4
print(exe.forward(is_train=True)[0].asnumpy().tolist())
exe.backward([mx.nd.ones((1, 3))])
print(exe.grad_dict['x'].asnumpy().tolist())
print(mx.nd.shifted(x, by=2.5).asnumpy().tolist(), mx.sym.load_json(mx.sym.shifted(mx.sym.Variable('x'), by=2).tojson()).list_arguments())
''', library)
    assert shown.splitlines() == [
        '[[9.0, 0.0, 16.0]] [[-12.0, 0.0, 16.0]]', 'True True', "['x'] ['a_output'] ([(2, 3)], [(2, 3)], [])", '[[16.0, 16.0, 16.0]]', '[[-8.0, -8.0, -8.0]]',
        "[[1.0, 2.5, 4.5]] ['x']"]


def test_wrong_paths(tmp_path):
    with pytest.raises(mx.MXNetError, match='should be absolute path'):
        mx.library.load('operators.so')
    with pytest.raises(mx.MXNetError, match='does NOT exist'):
        mx.library.load(str(tmp_path / 'none.so'))
    (tmp_path / 'text.so').write_text('no library')
    with pytest.raises(Exception, match='text.so'):
        mx.library.load(str(tmp_path / 'text.so'))


def test_run_of_scripts(tmp_path):
    """`python -m cantik run`: import mxnet and import cntk are ours, under every name, and the same modules."""
    (tmp_path / 'helper.py').write_text('import mxnet\nvalue = mxnet.nd.ones((1,)).asscalar()\n')
    script = tmp_path / 'script.py'
    script.write_text('''
import sys
import mxnet as mx, cntk as C, cantik, cantik.mxnet
import mxnet.symbol, mxnet.io
from mxnet import nd, autograd
from mxnet.module import Module
import helper
print(mx is cantik.mxnet, mxnet.symbol is cantik.mxnet.symbol, Module is cantik.mxnet.mod.Module, mx.MXNetError is cantik.mxnet.MXNetError, sys.argv[1:], helper.value, __name__)
print(C.relu is cantik.relu)
try:
    import mxnet.gluon
except ImportError as e:
    print('no gluon')
''')

    def cantik_run(*arguments):
        return subprocess.run([sys.executable, '-m', 'cantik', 'run', *map(str, arguments)], capture_output=True, text=True, timeout=100, cwd=tmp_path,
                              env={**__import__('os').environ, 'PYTHONPATH': __import__('os').pathsep.join(p for p in sys.path if p)})
    done = cantik_run(script, 'a', 'b')
    assert done.stdout.splitlines() == ["True True True True ['a', 'b'] 1.0 __main__", 'True', 'no gluon'], done.stderr
    assert cantik_run('none.py').returncode == 2 and 'there is no file' in cantik_run('none.py').stderr
    script.write_text('raise SystemExit(7)')
    assert cantik_run(script).returncode == 7
