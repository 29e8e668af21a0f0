"""Arrays, autograd and files of the MXNet layer; texts and figures are those of MXNet 1.9.1."""
import pickle
import struct

import numpy as np
import pytest

import cantik.mxnet as mx

nd, autograd = mx.nd, mx.autograd


def test_creation():
    x = nd.array([[1, 2.5]])
    assert (x.shape, x.dtype, x.size, x.ndim, x.stype, str(x.context)) == ((1, 2), np.float32, 2, 2, 'default', 'cpu(0)')
    assert repr(x) == '\n[[1.  2.5]]\n<NDArray 1x2 @cpu(0)>'
    assert nd.array(np.arange(3)).dtype == np.float32 and nd.array(np.arange(3), dtype='int32').dtype == np.int32 and nd.array(3).shape == (1,)
    assert nd.array(nd.ones((2,), dtype='float64')).dtype == np.float64
    for made, wanted in [(nd.zeros((2, 3)), np.zeros((2, 3))), (nd.ones(2), np.ones(2)), (nd.full((2,), 7), [7, 7]), (nd.arange(3), [0, 1, 2]),
                         (nd.arange(1, 4, 2, repeat=2), [1, 1, 3, 3]), (nd.eye(2, 3, 1), np.eye(2, 3, 1)), (nd.linspace(0, 1, 3), [0, 0.5, 1]),
                         (nd.concatenate([nd.ones((1, 2)), nd.zeros((1, 2))]), [[1, 1], [0, 0]]), (nd.moveaxis(nd.zeros((2, 3, 4)), 0, 2), np.zeros((3, 4, 2)))]:
        np.testing.assert_array_equal(made.asnumpy(), wanted)
    with pytest.raises(TypeError, match='source_array must be array like'):
        nd.array(object())
    with pytest.raises(TypeError):
        nd.zeros((2,), dtype='complex64')


def test_arithmetic():
    x, y = nd.array([[1, 2], [3, 4]]), nd.array([[2, 2], [2, 2]])
    a, b = x.asnumpy(), y.asnumpy()
    for made, wanted in [(x + y, a + b), (x - 1, a - 1), (1 - x, 1 - a), (x * y, a * b), (x / y, a / b), (1 / x, 1 / a), (x % 2, a % 2), (x ** y, a ** b), (2 ** x, 2 ** a),
                         (-x, -a), (abs(-x), a), (x > 2, a > 2), (x == y, a == b), (x <= 2, a <= 2), (x != 2, a != 2), (3 > x, a < 3), (x + nd.array([[1, 0]]), a + [[1, 0]]),
                         (x.T, a.T), (x.sum(axis=0), a.sum(0)), (x.reshape((-1,)), a.ravel()), (x.reshape(4, 1), a.reshape(4, 1)), (nd.dot(x, y), a @ b),
                         (nd.maximum(x, 2), np.maximum(a, 2)), (nd.maximum(2, x), np.maximum(a, 2)), (nd.add(x, 1), a + 1), (x.exp(), np.exp(a)),
                         (nd.concat(x, y, dim=1), np.concatenate([a, b], 1)), (nd.stack(x, y), np.stack([a, b])), (nd.add_n(x, y, x), a + b + a)]:
        np.testing.assert_allclose(made.asnumpy(), wanted, rtol=1e-6)
        assert made.dtype == np.float32
    i = nd.array([5, -5], dtype='int32')
    np.testing.assert_array_equal((i / 2).asnumpy(), [2, -2])
    assert (i + 1).dtype == np.int32 and (i * 2.5).dtype == np.int32
    big = nd.array([2 ** 30 + 1], dtype='int64')
    assert (big + big).asscalar() == 2 ** 31 + 2
    x += 1
    np.testing.assert_array_equal(x.asnumpy(), a + 1)
    x *= y
    np.testing.assert_array_equal(x.asnumpy(), (a + 1) * 2)
    assert x.sum().shape == (1,) and x.sum().asscalar() == 28 and float(x.sum()) == 28
    with pytest.raises(ValueError, match='The current array is not a scalar'):
        x.asscalar()
    with pytest.raises(ValueError, match='truth value of an NDArray with multiple elements is ambiguous'):
        bool(x)
    with pytest.raises(AttributeError, match="'NDArray' object has no attribute 'nosuch'"):
        x.nosuch


def test_division_is_as_processors_have_it():
    x = nd.array([1, -1, 0])
    np.testing.assert_array_equal((x / 0).asnumpy(), [np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(nd.log(nd.array([0, -1])).asnumpy(), [-np.inf, np.nan])
    assert np.isnan(nd.sqrt(nd.array([-1])).asscalar())


def test_parts():
    x = nd.arange(24).reshape((2, 3, 4))
    a = x.asnumpy()
    for key in [1, slice(0, 1), (1, 2), (slice(None), 1), (slice(None), slice(1, 3)), (0, 1, 2), (Ellipsis, 1), (None, 0), (slice(None), slice(None), slice(None, None, -1))]:
        wanted = a[key]
        np.testing.assert_array_equal(x[key].asnumpy(), np.reshape(wanted, wanted.shape or (1,)))
    np.testing.assert_array_equal(x[nd.array([1, 0, 1])].asnumpy(), a[[1, 0, 1]])
    np.testing.assert_array_equal(x[[0, 1], [2, 0]].asnumpy(), a[[0, 1], [2, 0]])
    x[1][:] = 7
    assert (x.asnumpy()[1] == 7).all()  # what lies side by side shares the memory
    x[:, 1] = nd.array([-1, -2, -3, -4])
    np.testing.assert_array_equal(x.asnumpy()[:, 1], [[-1, -2, -3, -4]] * 2)
    x[:] = 3
    assert (x.asnumpy() == 3).all() and len(x) == 2 and [p.shape for p in x] == [(3, 4)] * 2
    with pytest.raises(IndexError, match='index 5 is out of bounds for axis 0 with size 2'):
        x[5]
    with pytest.raises(ValueError, match='could not|cannot|operands'):
        nd.ones((2, 3))[:] = nd.ones((3, 3))


def test_copies():
    x = nd.ones((2, 2))
    y, z = x.copy(), nd.zeros((2, 2))
    x.copyto(z)
    x[:] = 5
    assert (y.asnumpy() == 1).all() and (z.asnumpy() == 1).all() and x.as_in_context(mx.cpu()) is x
    n = x.asnumpy()
    n[:] = 0
    assert (x.asnumpy() == 5).all()
    assert (pickle.loads(pickle.dumps(x)).asnumpy() == 5).all() and x.astype('int32').dtype == np.int32 and x.astype('float32', copy=False) is x
    with pytest.raises(mx.MXNetError, match='shapes differ'):
        x.copyto(nd.zeros((3,)))
    out = nd.zeros((2, 2))
    assert nd.exp(x, out=out) is out and out.asnumpy()[0, 0] == np.exp(np.float32(5))


def test_contexts():
    assert mx.cpu() == mx.cpu(0) and str(mx.gpu(1)) == 'gpu(1)' and mx.num_gpus() == 0
    with mx.Context('cpu', 3):
        assert nd.ones((1,)).context == mx.cpu(3)
    assert mx.current_context() == mx.cpu(0)
    with pytest.raises(mx.MXNetError, match='GPU support is disabled'):
        nd.array([1], ctx=mx.gpu())


# ---- autograd

def test_gradients():
    x = nd.array([1, 2, 3])
    x.attach_grad()
    with autograd.record():
        assert autograd.is_recording() and autograd.is_training()
        y = x * x
        z = (y * nd.array([1, 10, 100])).sum() + x[1] * 5
    assert not autograd.is_recording()
    z.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [2, 45, 600])
    with pytest.raises(mx.MXNetError, match='Cannot differentiate node because it is not in a computational graph'):
        z.backward()
    with pytest.raises(mx.MXNetError, match='Cannot differentiate node'):
        nd.ones((1,)).backward()
    with autograd.record():
        y = x * 2
    y.backward(nd.array([1, 2, 3]), retain_graph=True)
    y.backward(nd.array([1, 1, 1]))
    np.testing.assert_array_equal(x.grad.asnumpy(), [2, 2, 2])


def test_requests_of_gradients():
    x = nd.array([1, 2])
    x.attach_grad('add')
    for _ in range(3):
        with autograd.record():
            y = x * x
        y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [6, 12])
    y = nd.array([1.0])
    grad = nd.zeros((1,))
    autograd.mark_variables([y], [grad])
    with autograd.record():
        z = nd.exp(y) * y.detach()
    z.backward()
    np.testing.assert_allclose(grad.asnumpy(), np.e, rtol=1e-6)
    with pytest.raises(ValueError, match="grad_req is 'write', 'add' or 'null'"):
        x.attach_grad('often')


def test_what_is_not_recorded():
    x = nd.array([3.0])
    x.attach_grad()
    with autograd.record(train_mode=False):
        assert not autograd.is_training()
        y = x * x
        with autograd.pause():
            assert not autograd.is_recording()
            z = y * 100
        w = y + z + nd.BlockGrad(y)
    w.backward()
    assert x.grad.asscalar() == 6
    with autograd.record():
        y = x * 1
        with pytest.raises(mx.MXNetError, match='Inplace operations'):
            y += 1
        with pytest.raises(mx.MXNetError, match='Inplace operations'):
            y[:] = 1


def test_grad_of_several():
    x, y = nd.array([2.0]), nd.array([3.0])
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z, w = x * y, x + y
    dx, dy = autograd.grad([z, w], [x, y], head_grads=[nd.array([1.0]), nd.array([10.0])])
    assert dx.asscalar() == 13 and dy.asscalar() == 12 and x.grad.asscalar() == 0
    with pytest.raises(mx.MXNetError, match='create_graph'):
        autograd.grad(z, x, create_graph=True)
    with pytest.raises(mx.MXNetError, match='attach_grad'):
        autograd.grad(z, nd.ones((1,)))


def test_several_results_and_parts():
    x = nd.array([[1, 2, 3, 4]])
    x.attach_grad()
    with autograd.record():
        a, b = nd.split(x, num_outputs=2, axis=1)
        y = (a * a).sum() + x[0, 1:3].sum() * 10 + x.reshape((2, 2))[1, 0] * 100
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [[2, 14, 110, 0]])
    with autograd.record():
        y = nd.take(x[0], nd.array([0, 0, 3])).sum()
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [[2, 0, 0, 1]])


def test_function_of_ones_own():
    class Cube(autograd.Function):
        def forward(self, x, y):
            assert not autograd.is_recording()
            self.save_for_backward(x)
            return x * x * x, y * 1

        def backward(self, dx, dy):
            x, = self.saved_tensors
            return 3 * x * x * dx, dy * 7

    x, y = nd.array([2.0]), nd.array([1.0])
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        f = Cube()
        a, b = f(x * 2, y)
        z = a + b
    z.backward()
    assert x.grad.asscalar() == 96 and y.grad.asscalar() == 7
    with pytest.raises(mx.MXNetError, match='can only be called once'):
        f(x, y)


# ---- files

def test_files_of_arrays(tmp_path):
    path = str(tmp_path / 'a.params')
    nd.save(path, {'arg:w': nd.array([[1, 2]]), 'aux:n': nd.array([3], dtype='int64')})
    assert open(path, 'rb').read() == (
        struct.pack('<QQQ', 0x112, 0, 2) + struct.pack('<IiI2qiii2f', 0xF993FAC9, 0, 2, 1, 2, 1, 0, 0, 1, 2) + struct.pack('<IiI', 0xF993FAC9, 0, 1)
        + struct.pack('<qiiiq', 1, 1, 0, 6, 3) + struct.pack('<QQ5sQ5s', 2, 5, b'arg:w', 5, b'aux:n'))
    loaded = nd.load(path)
    assert sorted(loaded) == ['arg:w', 'aux:n'] and loaded['aux:n'].dtype == np.int64
    np.testing.assert_array_equal(loaded['arg:w'].asnumpy(), [[1, 2]])
    nd.save(path, [nd.ones((2, 3), dtype='float16'), nd.zeros((1,), dtype='uint8')])
    a, b = nd.load(path)
    assert (a.shape, a.dtype, b.dtype) == ((2, 3), np.float16, np.uint8)
    with pytest.raises(mx.MXNetError, match='cannot read'):
        nd.load(str(tmp_path / 'none'))
    with pytest.raises(TypeError, match='save only accept'):
        nd.save(path, {'a': 3})


def test_broken_files(tmp_path):
    """Any beginning of a file, and any changed byte of its head, is an error or a list of arrays; none asks for more memory than the file has."""
    path = str(tmp_path / 'a.params')
    nd.save(path, {'w': nd.array([[1, 2]])})
    content = open(path, 'rb').read()
    for n in range(len(content)):
        with pytest.raises(mx.MXNetError):
            nd.load_frombuffer(content[:n])
    rs = np.random.RandomState(0)
    for _ in range(300):
        changed = bytearray(content)
        changed[rs.randint(len(content))] = rs.randint(256)
        try:
            nd.load_frombuffer(bytes(changed))
        except (mx.MXNetError, UnicodeDecodeError, ValueError):
            pass
