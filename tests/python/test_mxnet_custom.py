"""CustomOp and CustomOpProp of the MXNet layer: what is called when and with what, as MXNet 1.9.1 does it."""

import re
import runpy
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import cantik.mxnet as mx
from documents import mended

ROOT = Path(__file__).resolve().parents[2]
log = []


class Twice(mx.operator.CustomOp):
    """2 x; counts its calls in an auxiliary state."""

    def forward(self, is_train, req, in_data, out_data, aux):
        log.append(
            (
                'forward',
                is_train,
                list(req),
                [x.shape for x in in_data],
                [x.shape for x in out_data],
                mx.autograd.is_recording(),
                mx.autograd.is_training(),
            )
        )
        self.assign(out_data[0], req[0], in_data[0] * 2)
        for state in aux:
            state[:] = state + 1

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        log.append(
            (
                'backward',
                list(req),
                [x.shape for x in out_grad],
                [x.shape for x in in_data],
                [x.shape for x in out_data],
                len(in_grad),
                out_grad[0].asnumpy().tolist(),
            )
        )
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


@mx.operator.register('test_twice')
class TwiceProp(mx.operator.CustomOpProp):
    def __init__(self, k='1', **more):
        super().__init__(need_top_grad=True)
        log.append(('init', k, more))

    def list_arguments(self):
        return ['data', 'label']

    def list_auxiliary_states(self):
        return ['count']

    def infer_shape(self, in_shape):
        return [in_shape[0], (in_shape[0][0],)], [in_shape[0]], [(1,)]

    def infer_type(self, in_type):
        return [in_type[0]] * 2, [in_type[0]], [in_type[0]]

    def create_operator(self, ctx, shapes, dtypes):
        log.append(('create', str(ctx), shapes, dtypes))
        return Twice()


def said(kind=None):
    found = [entry for entry in log if kind is None or entry[0] == kind]
    log.clear()
    return found


def test_symbol():
    said()
    s = mx.sym.Custom(mx.sym.Variable('x'), name='c', op_type='test_twice', k=3, foo=(1, 2))
    assert said()[0] == ('init', '3', {'foo': '(1, 2)'})  # keywords are texts
    assert (s.list_arguments(), s.list_outputs(), s.list_auxiliary_states()) == (
        ['x', 'c_label'],
        ['c_output'],
        ['c_count'],
    )
    assert s.attr_dict()['c'] == {'foo': '(1, 2)', 'k': '3', 'op_type': 'test_twice'}
    assert s.infer_shape(x=(2, 3)) == ([(2, 3), (2,)], [(2, 3)], [(1,)])
    assert s.infer_type(x=np.float64) == ([np.float64] * 2, [np.float64], [np.float64])
    assert mx.sym.load_json(s.tojson()).tojson() == s.tojson()
    assert '"inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 1]]' in s.tojson()
    assert 'test_twice' in mx.operator.get_all_registered_operators()


def test_executor():
    s = mx.sym.Custom(mx.sym.Variable('x'), name='c', op_type='test_twice')
    exe = s.simple_bind(mx.cpu(), x=(2, 3), grad_req={'x': 'add', 'c_label': 'null'})
    exe.arg_dict['x'][:] = 1
    said()
    np.testing.assert_array_equal(exe.forward(is_train=True)[0].asnumpy(), np.full((2, 3), 2))
    assert said() == [
        ('create', 'cpu(0)', [[2, 3], [2], [1]], [0, 0, 0]),
        ('forward', 1, ['write'], [(2, 3), (2,)], [(2, 3)], False, True),
    ]
    exe.backward([mx.nd.ones((2, 3)) * 3])
    assert said() == [('backward', ['add', 'null'], [(2, 3)], [(2, 3), (2,)], [(2, 3)], 2, [[3.0] * 3] * 2)]
    exe.backward([mx.nd.ones((2, 3))])
    np.testing.assert_array_equal(exe.grad_dict['x'].asnumpy(), np.full((2, 3), 8))
    exe.forward()
    assert said('forward') == [('forward', 0, ['write'], [(2, 3), (2,)], [(2, 3)], False, False)]
    assert exe.aux_dict['c_count'].asscalar() == 2  # states are those of the executor


@pytest.mark.parametrize('request_', ['null', 'write', 'add'])
def test_is_train_is_what_forward_says(request_):
    """Whether gradients are wanted or not; and the operator's code runs once for each forward, and once for
    each backward."""
    s = mx.sym.Custom(mx.sym.Variable('x'), name='c', op_type='test_twice')
    exe = s.simple_bind(mx.cpu(), x=(2, 3), grad_req=request_)
    for train in (True, False):
        said()
        exe.forward(is_train=train)
        assert [(e[1], e[2], e[6]) for e in said('forward')] == [(int(train), ['write'], train)]
        exe.backward([mx.nd.ones((2, 3))])
        assert [e[0] for e in said() if e[0] in ('forward', 'backward')] == (
            [] if request_ == 'null' else ['backward']
        )
    assert exe.aux_dict['c_count'].asscalar() == 2
    x, label, count = mx.nd.ones((2, 3)), mx.nd.ones((2,)), mx.nd.zeros((1,))
    for scope, train in [
        (mx.autograd.record(), 1),
        (mx.autograd.record(train_mode=False), 0),
        (mx.autograd.train_mode(), 1),
        (mx.autograd.pause(train_mode=True), 1),
        (mx.autograd.pause(), 0),
    ]:
        said()
        with scope:
            mx.nd.Custom(x, label, count, op_type='test_twice')
        assert [e[1] for e in said('forward')] == [train]


def test_arrays():
    x, count = mx.nd.ones((2, 3)), mx.nd.zeros((1,))
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Custom(x, mx.nd.ones((2,)), count, op_type='test_twice')
        z = y * y
    z.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full((2, 3), 8))
    assert count.asscalar() == 1
    np.testing.assert_array_equal(
        mx.nd.Custom(label=mx.nd.ones((2,)), data=x, count=count, op_type='test_twice').asnumpy(),
        np.full((2, 3), 2),
    )
    assert count.asscalar() == 2


def test_states_of_calls():
    """What an operator keeps from forward belongs to its own call."""

    @mx.operator.register('test_keeps')
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            class Keeps(mx.operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    self.kept = in_data[0].asnumpy() * 3
                    self.assign(out_data[0], req[0], in_data[0] * in_data[0])

                def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
                    self.assign(in_grad[0], req[0], mx.nd.array(self.kept))

            return Keeps()

    x = mx.nd.array([1, 2])
    x.attach_grad()
    with mx.autograd.record():
        a = mx.nd.Custom(x, op_type='test_keeps')
        b = mx.nd.Custom(a, op_type='test_keeps')
    b.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [3, 6])


def test_several_outputs_and_what_backward_reads():
    seen = []

    @mx.operator.register('test_parts')
    class Prop(mx.operator.CustomOpProp):
        def __init__(self, reads='all'):
            super().__init__()
            self.reads = reads

        def list_outputs(self):
            return ['sum', 'product']

        def list_arguments(self):
            return ['a', 'b']

        def infer_shape(self, in_shape):  # two lists: no states
            return in_shape, [in_shape[0], in_shape[0]]

        def declare_backward_dependency(self, out_grad, in_data, out_data):
            seen.append((out_grad, in_data, out_data))
            return (
                super().declare_backward_dependency(out_grad, in_data, out_data)
                if self.reads == 'all'
                else [*out_grad, *in_data]
            )

        def create_operator(self, ctx, shapes, dtypes):
            class Parts(mx.operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    self.assign(out_data[0], req[0], in_data[0] + in_data[1])
                    self.assign(out_data[1], req[1], in_data[0] * in_data[1])

                def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
                    ds, dp = out_grad
                    self.assign(in_grad[0], req[0], ds + dp * in_data[1])
                    self.assign(in_grad[1], req[1], ds + dp * in_data[0])

            return Parts()

    for reads in ('all', 'inputs'):
        s = mx.sym.Custom(
            mx.sym.Variable('a'), mx.sym.Variable('b'), op_type='test_parts', reads=reads, name='p'
        )
        assert s.list_outputs() == ['p_sum', 'p_product']
        y = s[0] + s[1] * s[1]
        exe = y.simple_bind(mx.cpu(), a=(3,), b=(3,))
        exe.arg_dict['a'][:], exe.arg_dict['b'][:] = np.array([1, 2, 3]), np.array([4, 5, 6])
        np.testing.assert_array_equal(exe.forward(is_train=True)[0].asnumpy(), [5 + 16, 7 + 100, 9 + 324])
        exe.backward(mx.nd.ones((3,)))
        np.testing.assert_array_equal(
            exe.grad_dict['a'].asnumpy(), [1 + 2 * 4 * 4, 1 + 2 * 10 * 5, 1 + 2 * 18 * 6]
        )
    assert seen[-1] == ([0, 1], [2, 3], [4, 5])


def test_assign():
    op = mx.operator.CustomOp()
    for req, wanted in [('null', 1), ('write', 3), ('inplace', 3), ('add', 4)]:
        array = mx.nd.ones((2,))
        op.assign(array, req, mx.nd.ones((2,)) * 3)
        assert (array.asnumpy() == wanted).all(), req
    op.assign(array, 'write', 0)
    assert (array.asnumpy() == 0).all()


def test_defaults():
    prop = mx.operator.CustomOpProp()
    assert (prop.list_arguments(), prop.list_outputs(), prop.list_auxiliary_states()) == (
        ['data'],
        ['output'],
        [],
    )
    assert prop.infer_shape([(1, 2)]) == ([(1, 2)], ((1, 2),), ())
    assert prop.infer_type([np.float32]) == ([np.float32], [np.float32], [])
    assert prop.infer_storage_type(['default']) == (['default'], ['default'], [])
    assert prop.declare_backward_dependency([1], [2], [3]) == [1, 2, 3]
    assert mx.operator.CustomOpProp(need_top_grad=False).declare_backward_dependency([1], [2], [3]) == [2, 3]
    assert isinstance(prop.create_operator(None, None, None), mx.operator.CustomOp)


def failing(name, **methods):
    """Registers an operator whose methods are these."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0])

    op = type(
        'Op',
        (mx.operator.CustomOp,),
        {
            'forward': methods.pop('forward', forward),
            'backward': methods.pop('backward', mx.operator.CustomOp.backward),
        },
    )
    mx.operator.register(name)(
        type(
            'Prop',
            (mx.operator.CustomOpProp,),
            {'create_operator': lambda self, ctx, shapes, dtypes: op(), **methods},
        )
    )
    return name


def boo(*args, **kwargs):
    raise ValueError('boo')


def test_errors():
    one = mx.nd.ones((2,))
    with pytest.raises(mx.MXNetError, match='Cannot find custom operator nope'):
        mx.sym.Custom(mx.sym.Variable('x'), op_type='nope')
    with pytest.raises(mx.MXNetError, match='Required argument `op_type` is missing'):
        mx.nd.Custom(one)
    with pytest.raises(
        mx.MXNetError, match=r'(?s)Error in CustomOp.forward: Traceback.*ValueError: boo'
    ) as caught:
        mx.nd.Custom(one, op_type=failing('test_raises', forward=boo))
    assert isinstance(caught.value.__cause__, ValueError)
    exe = mx.sym.Custom(mx.sym.Variable('x'), op_type=failing('test_raises_back', backward=boo)).simple_bind(
        mx.cpu(), x=(2,)
    )
    exe.forward(is_train=True)
    with pytest.raises(mx.MXNetError, match=r'(?s)Error in CustomOp.backward: Traceback.*ValueError: boo'):
        exe.backward(one)
    np.testing.assert_array_equal(exe.forward(is_train=True, x=one)[0].asnumpy(), [1, 1])  # it goes on
    with pytest.raises(mx.MXNetError, match='infer_shape must return 2 or 3 lists'):
        mx.nd.Custom(one, op_type=failing('test_one_list', infer_shape=lambda self, s: s))
    with pytest.raises(mx.MXNetError, match=r'(?s)Error in test_no_shape.infer_shape: .*ValueError: boo'):
        mx.nd.Custom(one, op_type=failing('test_no_shape', infer_shape=boo))
    with pytest.raises(mx.MXNetError, match='expecting 1 entries in returned output shapes, got 2'):
        mx.nd.Custom(
            one, op_type=failing('test_two_shapes', infer_shape=lambda self, s: (s, [s[0], s[0]], []))
        )
    with pytest.raises(
        mx.MXNetError,
        match=r"(?s)Error in test_constructor.__init__: .*missing 1 required positional argument: 'k'",
    ):
        mx.nd.Custom(one, op_type=failing('test_constructor', __init__=lambda self, k: None))
    with pytest.raises(mx.MXNetError, match='expects 1 inputs, but got 2'):
        mx.nd.Custom(one, one, op_type='test_raises')
    with pytest.raises(mx.MXNetError, match="has no operand 'other'"):
        mx.nd.Custom(one, other=one, op_type='test_raises')
    with pytest.raises(mx.MXNetError, match='sparse storage'):
        mx.nd.Custom(
            one, op_type=failing('test_sparse', infer_storage_type=lambda self, s: (['csr'], ['default'], []))
        )
    with pytest.raises(AssertionError, match='can only register subclass of CustomOpProp'):
        mx.operator.register('q')(int)
    with pytest.raises(AttributeError, match='NumpyOp is not there'):
        mx.operator.NumpyOp


def test_types():
    """Operands and results in the types that infer_type says, float64 and whole numbers too."""
    types = []

    @mx.operator.register('test_types')
    class Prop(mx.operator.CustomOpProp):
        def list_arguments(self):
            return ['data', 'place']

        def infer_shape(self, in_shape):
            return [in_shape[0], (in_shape[0][0],)], [(in_shape[0][0],)], []

        def infer_type(self, in_type):
            return [in_type[0], np.int32], [in_type[0]], []

        def create_operator(self, ctx, shapes, dtypes):
            class Pick(mx.operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    types.append([x.dtype for x in in_data + out_data])
                    x, at = (d.asnumpy() for d in in_data)
                    self.assign(out_data[0], req[0], mx.nd.array(x[np.arange(len(at)), at], dtype=x.dtype))

                def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
                    x, at = (d.asnumpy() for d in in_data)
                    d = np.zeros_like(x)
                    d[np.arange(len(at)), at] = out_grad[0].asnumpy()
                    self.assign(in_grad[0], req[0], mx.nd.array(d, dtype=x.dtype))

            return Pick()

    for dtype in ('float32', 'float64'):
        x, at = mx.nd.array([[1, 2], [3, 4]], dtype=dtype), mx.nd.array([1, 0], dtype='int32')
        x.attach_grad()
        with mx.autograd.record():
            y = mx.nd.Custom(x, at, op_type='test_types')
        y.backward(mx.nd.array([10, 20], dtype=dtype))
        assert (
            types.pop() == [np.dtype(dtype).type, np.int32, np.dtype(dtype).type]
            and y.dtype == np.dtype(dtype).type
        )
        np.testing.assert_array_equal(y.asnumpy(), [2, 3])
        np.testing.assert_array_equal(x.grad.asnumpy(), [[0, 10], [20, 0]])


def test_in_the_middle_of_a_network():
    """Between layers, its gradients against those of the operator that is built in."""

    @mx.operator.register('test_tanh')
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            class Tanh(mx.operator.CustomOp):
                def forward(self, is_train, req, in_data, out_data, aux):
                    self.assign(out_data[0], req[0], mx.nd.tanh(in_data[0]))

                def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
                    self.assign(in_grad[0], req[0], out_grad[0] * (1 - out_data[0] * out_data[0]))

            return Tanh()

    def network(activation):
        data = mx.sym.Variable('data')
        c = activation(mx.sym.Convolution(data, kernel=(3, 3), num_filter=3, name='c'))
        f = activation(
            mx.sym.FullyConnected(
                mx.sym.Flatten(mx.sym.Pooling(c, kernel=(2, 2), stride=(2, 2), pool_type='max')),
                num_hidden=4,
                name='f',
            )
        )
        return mx.sym.SoftmaxOutput(f, name='softmax')

    found = []
    for activation in (lambda x: mx.sym.Custom(x, op_type='test_tanh'), lambda x: mx.sym.tanh(x)):
        exe = network(activation).simple_bind(mx.cpu(), data=(2, 1, 6, 6))
        rs = np.random.RandomState(0)
        for a in exe.arg_arrays:
            a[:] = rs.uniform(-1, 1, a.shape)
        exe.arg_dict['softmax_label'][:] = np.array([1, 3])
        exe.forward(is_train=True)
        exe.backward()
        found.append([exe.outputs[0].asnumpy()] + [g.asnumpy() for g in exe.grad_arrays])
    for a, b in zip(*found):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_threads():
    """Several threads call operators with states of their own."""
    errors = []

    def work(k):
        try:
            x, count = mx.nd.ones((2, 3)) * k, mx.nd.zeros((1,))
            x.attach_grad()
            for _ in range(30):
                with mx.autograd.record():
                    y = mx.nd.Custom(x, mx.nd.ones((2,)), count, op_type='test_twice')
                y.backward()
                assert (y.asnumpy() == 2 * k).all() and (x.grad.asnumpy() == 2).all()
            assert count.asscalar() == 30
        except Exception as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not errors and not any(t.is_alive() for t in threads)


# ---- the document

DRIVER = ROOT / 'tests' / 'documents' / 'mxnet_softmax.py'
LINES = (
    'Epoch[0] Batch [0-200]',
    'Epoch[0] Batch [200-400]',
    'Epoch[0] Train-accuracy',
    'Epoch[0] Validation-accuracy',
)
# What MXNet 1.9.1 logs of it: as it is, and where its first weights are larger by a ten-millionth. The last
# minibatches go one way or the other by the rounding of a sum.
FIGURES = ((0.792040, 0.926300, 0.886500, 0.923400), (0.792040, 0.925550, 0.887300, 0.940200))


@pytest.fixture
def softmax(monkeypatch):
    """The names of tests/documents/mxnet_softmax.py."""
    monkeypatch.setitem(sys.modules, 'mxnet', mx)
    return runpy.run_path(str(DRIVER))


def test_the_documents_example(softmax, tmp_path):
    """The complete program, in a file and a process of its own, by `cantik run`: `import mxnet` is ours."""
    script = tmp_path / 'softmax.py'
    script.write_text(mended(DRIVER.read_text(), ('run(program(), globals())\n', softmax['program']())))
    run = subprocess.run(
        [sys.executable, '-m', 'cantik', 'run', str(script), str(ROOT / 'examples' / 'data' / 'mnist'), '1'],
        capture_output=True,
        text=True,
        timeout=300,
        env={**__import__('os').environ, 'PYTHONPATH': __import__('os').pathsep.join(sys.path)},
    )
    assert run.returncode == 0, run.stderr
    found = []
    for name in LINES:
        line = next(x for x in run.stdout.splitlines() if name in x)
        assert line.startswith('INFO:root:' + name), line
        found.append(float(re.search(r'accuracy=([\d.]+)', line)[1]))
    assert any(np.allclose(found, due, rtol=0, atol=0.003) for due in FIGURES), found


def test_the_documents_operator(softmax):
    """Its Softmax, against figures of MXNet 1.9.1, by symbol and by arrays."""
    assert softmax['network']().list_arguments() == [
        'data',
        'fc1_weight',
        'fc1_bias',
        'fc2_weight',
        'fc2_bias',
        'fc3_weight',
        'fc3_bias',
        'softmax_label',
    ]
    assert softmax['network']().list_outputs() == ['softmax_output']
    assert softmax['network']().infer_shape(data=(100, 784))[0][-1] == (100,)
    x = mx.nd.array([[1, 2, 3], [0, -1, 1]])
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Custom(data=x, label=mx.nd.array([2, 0]), op_type='softmax')
    y.backward()
    np.testing.assert_allclose(
        y.asnumpy(), [[0.09003057, 0.24472848, 0.66524094], [0.24472848, 0.09003057, 0.66524094]], rtol=1e-6
    )
    np.testing.assert_allclose(
        x.grad.asnumpy(),
        [[0.09003057, 0.24472848, -0.33475906], [-0.75527155, 0.09003057, 0.66524094]],
        rtol=1e-5,
    )
