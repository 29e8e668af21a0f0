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
    return compiled(
        tmp_path_factory.mktemp('nnvm') / 'operators.so',
        *[NNVM / (f + '.cc') for f in ('squared', 'shifted', 'shifted_compute')],
        flags=QUIET,
    )


def test_headers():
    folder = Path(mx.libinfo.find_include_path())
    assert (folder / 'cantik' / 'mxnet' / 'op.h').exists()


def test_called_by_name(library):
    """In a process of its own: operators that are loaded stay."""
    shown = run(
        '''
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
''',
        library,
    )
    assert shown.splitlines() == [
        '[[9.0, 0.0, 16.0]] [[-12.0, 0.0, 16.0]]',
        'True True',
        "['x'] ['a_output'] ([(2, 3)], [(2, 3)], [])",
        '[[16.0, 16.0, 16.0]]',
        '[[-8.0, -8.0, -8.0]]',
        "[[1.0, 2.5, 4.5]] ['x']",
    ]


def test_wrong_paths(tmp_path):
    with pytest.raises(mx.MXNetError, match='should be absolute path'):
        mx.library.load('operators.so')
    with pytest.raises(mx.MXNetError, match='does NOT exist'):
        mx.library.load(str(tmp_path / 'none.so'))
    (tmp_path / 'text.so').write_text('no library')
    with pytest.raises(Exception, match='text.so'):
        mx.library.load(str(tmp_path / 'text.so'))


def test_run_of_scripts(tmp_path):
    """`python -m cantik run`: import mxnet and import cntk are ours, under every name, and the same
    modules."""
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
        return subprocess.run(
            [sys.executable, '-m', 'cantik', 'run', *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=100,
            cwd=tmp_path,
            env={
                **__import__('os').environ,
                'PYTHONPATH': __import__('os').pathsep.join(p for p in sys.path if p),
            },
        )

    done = cantik_run(script, 'a', 'b')
    assert done.stdout.splitlines() == ["True True True True ['a', 'b'] 1.0 __main__", 'True', 'no gluon'], (
        done.stderr
    )
    assert cantik_run('none.py').returncode == 2 and 'there is no file' in cantik_run('none.py').stderr
    script.write_text('raise SystemExit(7)')
    assert cantik_run(script).returncode == 7


@pytest.fixture(scope='module')
def tree(tmp_path_factory):
    return compiled(
        tmp_path_factory.mktemp('tree') / 'operators.so',
        *[NNVM / (f + '.cc') for f in ('tree_quadratic', 'tree_rows', 'tree_elemwise')],
        flags=QUIET,
    )


def test_operators_as_in_mxnets_tree(tree):
    """Operators written with the macros and helpers of MXNet's own tree: values, gradients, shapes both ways,
    attributes."""
    shown = run(
        '''
import sys, numpy as np, cantik.mxnet as mx
mx.library.load(sys.argv[1], verbose=False)
t, nd = mx.test_utils, mx.nd
np.random.seed(1)
x, y = np.random.rand(3, 4), np.random.rand(3, 4) + 0.5
X, Y = mx.sym.Variable('x'), mx.sym.Variable('y')
for dtype, tight in (np.float64, 1e-6), (np.float32, 1e-2):
    eps = 1e-5 if dtype == np.float64 else 1e-2
    check = lambda s, at: t.check_numeric_gradient(s, at, numeric_eps=eps, rtol=tight, atol=tight, dtype=dtype)
    forward = lambda s, at, value: t.check_symbolic_forward(s, at, [value], rtol=1e-5, atol=1e-6, dtype=dtype)
    curve = mx.sym._internal._tree_curve(X, a=2, b=-1, c=0.5)
    forward(curve, [x], 2 * x * x - x + 0.5)
    check(curve, [x])
    check(mx.sym._internal._tree_curve(curve * X, a=1), [x])
    for more, f in ({}, lambda s: np.log(s)), ({'mode': 'sum'}, lambda s: s), ({'mode': 'sum', 'range': (5, 6.5), 'floor': 5.5}, lambda s: s.clip(5.5, 6.5)):
        rows = mx.sym._internal._tree_rows(X, Y, **more)
        forward(rows, [x, y[0]], f(np.exp(x * y[0]).sum(1)))
        if 'range' not in more:
            check(rows, [x, y[0]])
    bump = mx.sym._internal._tree_bump(X)
    forward(bump, [x], 1 / (1 + x * x))
    check(bump, [x])
    distance = mx.sym._internal._tree_squared_difference(X, Y)
    forward(distance, [x, y], (x - y) ** 2)
    check(distance, [x, y])
    forward(mx.sym._internal._tree_power_scalar(X, scalar=1.5), [x], x ** 1.5)
    t.check_symbolic_backward(mx.sym._internal._tree_power_scalar(X, scalar=1.5), [x], [x], [0 * x], dtype=dtype)
    forward(mx.sym._internal._tree_broadcast_sum(X, Y), [x[:, :1], y[:1]], x[:, :1] + y[:1])
    forward(mx.sym._internal._tree_broadcast_sum(X, Y), [x.reshape(3, 1, 4), y[:1].reshape(1, 1, 4)], (x + y[:1]).reshape(3, 1, 4))
rows = mx.sym._internal._tree_rows(X, name='r')
print(rows.list_arguments(), rows.infer_shape(x=(5, 4)), rows.attr_dict())
exe = mx.sym.LinearRegressionOutput(mx.sym._internal._tree_rows(mx.sym.FullyConnected(X, num_hidden=6, name='fc'), name='r'), name='l').simple_bind(mx.cpu(), x=(5, 4))
print({k: v.shape for k, v in exe.arg_dict.items()})
a = nd.array(x)
a.attach_grad()
with mx.autograd.record():
    b = nd._internal._tree_curve(a, a=1) + nd._internal._tree_bump(a)
b.backward()
t.assert_almost_equal(a.grad, 2 * x - 2 * x / (1 + x * x) ** 2, rtol=1e-4, atol=1e-5)
doc = nd._internal._tree_curve.__doc__
print('a x^2 + b x + c' in doc, 'Defined in' in doc, 'of the square' in doc, "{'logsum', 'sum'}" in nd._internal._tree_rows.__doc__, 'tuple of <float>' in nd._internal._tree_rows.__doc__)
for wrong in (lambda: nd._internal._tree_curve(a, a='x'), lambda: nd._internal._tree_curve(a, q=1), lambda: nd._internal._tree_rows(a, nd.ones((3,))), lambda: nd._internal._tree_rows(nd.ones((2,)), nd.ones((2,))),
              lambda: nd._internal._tree_rows(a, nd.ones((4,)), mode='mean'), lambda: nd._internal._tree_rows(a, nd.ones((4,)), range='(1, q)'), lambda: nd._internal._tree_power_scalar(a),
              lambda: nd._internal._tree_power_scalar(a, scalar='x'), lambda: nd._internal._tree_squared_difference(a, nd.ones((2, 2))), lambda: nd._internal._tree_broadcast_sum(a, nd.ones((2, 4))),
              lambda: nd._internal._tree_broadcast_sum(nd.ones((1,) * 6), nd.ones((1,) * 6)), lambda: mx.sym._internal._tree_rows(X, Y).infer_shape(x=(2, 3), y=(4,)), lambda: mx.sym._internal._tree_curve(X, a='x').infer_shape(x=(2,))):
    try:
        print(wrong())
    except mx.MXNetError as e:
        print(str(e).splitlines()[0])
''',
        tree,
    )
    lines = shown.splitlines()
    assert lines[:3] == [
        "['x', 'r_scale'] ([(5, 4), (4,)], [(5,)], []) {}",
        "{'x': (5, 4), 'fc_weight': (6, 4), 'fc_bias': (6,), 'r_scale': (6,), 'l_label': (5,)}",
        'True True True True True',
    ]
    wanted = [
        "Invalid Parameter format for a expect float but value='x'",
        "Cannot find argument 'q'",
        'Shape inconsistent, Provided = (3,), inferred shape=(4,)',
        'Check failed: data.ndim() == 2 (1 vs. 2) : data of rows and columns, not (2,)',
        "Invalid Input: 'mean', valid values are: {'logsum', 'sum'}",
        "Invalid Parameter format for range expect tuple of <float> but value='(1, q)'",
        'Required parameter scalar of float is not presented',
        "Invalid Parameter format for scalar expect float but value='x'",
        'Incompatible attr in node at 1-th input: expected (3,4), got (2,2)',
        'axis 0 has 3 and 2',
        'the operator takes from 1 to 5 axes, not 6',
        'Shape inconsistent, Provided = (4,), inferred shape=(3,)',
        "Invalid Parameter format for a expect float but value='x'",
    ]
    for line, text in zip(lines[3:], wanted):
        assert text in line, (line, text)


def test_training_mode(tree):
    """Operators see the mode that the run was asked for, with and without gradients."""
    shown = run(
        '''
import sys, cantik.mxnet as mx
mx.library.load(sys.argv[1], verbose=False)
x, mode = mx.nd.ones((1,)), mx.nd._internal._tree_mode
for _ in range(2):
    scopes = mx.autograd.record(), mx.autograd.record(train_mode=False), mx.autograd.train_mode(), mx.autograd.pause(), mx.autograd.predict_mode()
    print(int(mode(x).asscalar()), end=' ')
    for scope in scopes:
        with scope:
            print(int(mode(x).asscalar()), end=' ')
    x.attach_grad()
print()
for request in 'null', 'write', 'add':
    exe = mx.sym._internal._tree_mode(mx.sym.Variable('x')).simple_bind(mx.cpu(), x=(1,), grad_req=request)
    print([int(exe.forward(is_train=train)[0].asscalar()) for train in (True, False, True)], end=' ')
    exe.backward(mx.nd.ones((1,)))
''',
        tree,
    )
    assert shown.splitlines() == ['0 1 0 1 0 0 0 1 0 1 0 0 ', '[1, 0, 1] [1, 0, 1] [1, 0, 1] ']
