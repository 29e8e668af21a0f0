"""Arrays, autograd and files of the MXNet layer; texts and figures are those of MXNet 1.9.1."""

import pickle
import struct

import numpy as np
import pytest

import cantik.mxnet as mx

nd, autograd = mx.nd, mx.autograd


def test_creation():
    x = nd.array([[1, 2.5]])
    assert (x.shape, x.dtype, x.size, x.ndim, x.stype, str(x.context)) == (
        (1, 2),
        np.float32,
        2,
        2,
        'default',
        'cpu(0)',
    )
    assert repr(x) == '\n[[1.  2.5]]\n<NDArray 1x2 @cpu(0)>'
    assert (
        nd.array(np.arange(3)).dtype == np.float32
        and nd.array(np.arange(3), dtype='int32').dtype == np.int32
        and nd.array(3).shape == (1,)
    )
    assert nd.array(nd.ones((2,), dtype='float64')).dtype == np.float64
    for made, wanted in [
        (nd.zeros((2, 3)), np.zeros((2, 3))),
        (nd.ones(2), np.ones(2)),
        (nd.full((2,), 7), [7, 7]),
        (nd.arange(3), [0, 1, 2]),
        (nd.arange(1, 4, 2, repeat=2), [1, 1, 3, 3]),
        (nd.eye(2, 3, 1), np.eye(2, 3, 1)),
        (nd.linspace(0, 1, 3), [0, 0.5, 1]),
        (nd.concatenate([nd.ones((1, 2)), nd.zeros((1, 2))]), [[1, 1], [0, 0]]),
        (nd.moveaxis(nd.zeros((2, 3, 4)), 0, 2), np.zeros((3, 4, 2))),
    ]:
        np.testing.assert_array_equal(made.asnumpy(), wanted)
    with pytest.raises(TypeError, match='source_array must be array like'):
        nd.array(object())
    with pytest.raises(TypeError):
        nd.zeros((2,), dtype='complex64')


def test_arithmetic():
    x, y = nd.array([[1, 2], [3, 4]]), nd.array([[2, 2], [2, 2]])
    a, b = x.asnumpy(), y.asnumpy()
    for made, wanted in [
        (x + y, a + b),
        (x - 1, a - 1),
        (1 - x, 1 - a),
        (x * y, a * b),
        (x / y, a / b),
        (1 / x, 1 / a),
        (x % 2, a % 2),
        (x**y, a**b),
        (2**x, 2**a),
        (-x, -a),
        (abs(-x), a),
        (x > 2, a > 2),
        (x == y, a == b),
        (x <= 2, a <= 2),
        (x != 2, a != 2),
        (3 > x, a < 3),
        (x + nd.array([[1, 0]]), a + [[1, 0]]),
        (x.T, a.T),
        (x.sum(axis=0), a.sum(0)),
        (x.reshape((-1,)), a.ravel()),
        (x.reshape(4, 1), a.reshape(4, 1)),
        (nd.dot(x, y), a @ b),
        (nd.maximum(x, 2), np.maximum(a, 2)),
        (nd.maximum(2, x), np.maximum(a, 2)),
        (nd.add(x, 1), a + 1),
        (x.exp(), np.exp(a)),
        (nd.concat(x, y, dim=1), np.concatenate([a, b], 1)),
        (nd.stack(x, y), np.stack([a, b])),
        (nd.add_n(x, y, x), a + b + a),
    ]:
        np.testing.assert_allclose(made.asnumpy(), wanted, rtol=1e-6)
        assert made.dtype == np.float32
    i = nd.array([5, -5], dtype='int32')
    np.testing.assert_array_equal((i / 2).asnumpy(), [2, -2])
    assert (i + 1).dtype == np.int32 and (i * 2.5).dtype == np.int32
    big = nd.array([2**30 + 1], dtype='int64')
    assert (big + big).asscalar() == 2**31 + 2
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
    for key in [
        1,
        slice(0, 1),
        (1, 2),
        (slice(None), 1),
        (slice(None), slice(1, 3)),
        (0, 1, 2),
        (Ellipsis, 1),
        (None, 0),
        (slice(None), slice(None), slice(None, None, -1)),
    ]:
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
    assert (
        (pickle.loads(pickle.dumps(x)).asnumpy() == 5).all()
        and x.astype('int32').dtype == np.int32
        and x.astype('float32', copy=False) is x
    )
    with pytest.raises(mx.MXNetError, match='shapes differ'):
        x.copyto(nd.zeros((3,)))
    out = nd.zeros((2, 2))
    assert nd.exp(x, out=out) is out and out.asnumpy()[0, 0] == np.exp(np.float32(5))


def test_out():
    """Functions that make arrays, and operators, fill the array that is given as `out`."""
    for make, wanted in [(nd.ones, 1), (nd.zeros, 0), (lambda shape, **k: nd.full(shape, 7, **k), 7)]:
        b = nd.array([5, 5])
        assert make((2,), out=b) is b and b.asnumpy().tolist() == [wanted] * 2
        whole = nd.array([5, 5], dtype='int32')
        assert (
            make((2,), dtype='int32', out=whole).dtype == np.int32
            and whole.asnumpy().tolist() == [wanted] * 2
        )
        with pytest.raises(
            mx.MXNetError, match=r'Shape inconsistent, Provided = \[3\], inferred shape=\[2\]'
        ):
            make((2,), out=nd.zeros((3,)))
    with pytest.raises(mx.MXNetError, match='Type inconsistent, Provided = int32, inferred type = float32'):
        nd.ones((2,), out=nd.zeros((2,), dtype='int32'))
    b = nd.zeros((2, 2))
    assert nd.eye(2, out=b) is b and b.asnumpy().tolist() == [[1, 0], [0, 1]]
    x = nd.array([[1, 2], [3, 4]])
    a = x.asnumpy()
    for call, wanted in [
        (lambda b: nd.exp(x, out=b), np.exp(a)),
        (lambda b: nd.dot(x, x, out=b), a @ a),
        (lambda b: nd.transpose(x, out=b), a.T),
        (lambda b: nd.zeros_like(x, out=b), 0 * a),
        (lambda b: nd.broadcast_add(x, x, out=b), a + a),
        (lambda b: nd.elemwise_mul(x, x, out=b), a * a),
        (lambda b: nd.clip(x, 2, 3, out=b), a.clip(2, 3)),
        (lambda b: nd.softmax(x, out=b), np.exp(a) / np.exp(a).sum(1, keepdims=True)),
        (lambda b: nd.concat(x[:1], x[1:], dim=0, out=b), a),
        (lambda b: nd.take(x, nd.array([1, 0]), out=b), a[::-1]),
        (lambda b: nd.linalg.gemm2(x, x, out=b), a @ a),
        (lambda b: nd.sgd_update(x, x, lr=0.5, out=b), a * 0.5),
    ]:
        b = nd.zeros((2, 2))
        assert call(b) is b
        np.testing.assert_allclose(b.asnumpy(), wanted, rtol=1e-6)
    first, second = nd.zeros((2, 1)), nd.zeros((2, 1))
    assert nd.split(x, num_outputs=2, out=[first, second]) == [
        first,
        second,
    ] and second.asnumpy().ravel().tolist() == [2, 4]
    drawn = nd.zeros((2, 2))
    assert nd.random.uniform(1, 2, out=drawn) is drawn and (drawn.asnumpy() >= 1).all()
    assert nd.exp(x, out=x) is x and abs(x.asnumpy()[0, 0] - np.e) < 1e-6  # into an operand
    with pytest.raises(mx.MXNetError, match=r'at 0-th output: expected \[2,2\], got \[3\]'):
        nd.exp(x, out=nd.zeros((3,)))
    with pytest.raises(mx.MXNetError, match='at 0-th output: expected float32, got float64'):
        nd.exp(x, out=nd.zeros((2, 2), dtype='float64'))
    with pytest.raises(mx.MXNetError, match='has 1 results, 2 arrays were given'):
        nd.exp(x, out=[nd.zeros((2, 2)), nd.zeros((2, 2))])
    with pytest.raises(TypeError, match='out is an NDArray'):
        nd.exp(x, out=np.zeros((2, 2)))


def test_states_are_changed_where_they_lie():
    w, g, m = nd.array([1.0]), nd.array([2.0]), nd.array([0.5])
    made = nd.sgd_mom_update(w, g, m, lr=0.1, momentum=0.9)
    assert (
        made.asscalar() == pytest.approx(1.25) and m.asscalar() == pytest.approx(0.25) and w.asscalar() == 1
    )


def test_assignments():
    b = nd.zeros((2, 3))
    for key, value, wanted in [
        (0, nd.array([1, 2, 3]), [[1, 2, 3], [0, 0, 0]]),
        (0, nd.array([[5]]), [[5, 5, 5], [0, 0, 0]]),
        (1, nd.array([[1, 2, 3]]), [[5, 5, 5], [1, 2, 3]]),
        (0, nd.array([1, 2, 3], dtype='float64'), [[1, 2, 3]] * 2),
        (slice(None), nd.array([[[1, 1, 2]]]), [[1, 1, 2]] * 2),
        (slice(None), np.ones(3), [[1, 1, 1]] * 2),
        ((slice(None), 1), nd.array([4, 5]), [[1, 4, 1], [1, 5, 1]]),
        ((0, 1), nd.array([9]), [[1, 9, 1], [1, 5, 1]]),
        (0, [7, 8, 9], [[7, 8, 9], [1, 5, 1]]),
        (nd.array([1]), nd.array([4, 4, 4]), [[7, 8, 9], [4, 4, 4]]),
        ((slice(1, None), slice(None, None, 2)), nd.array([[1, 2]]), [[7, 8, 9], [1, 4, 2]]),
        (slice(0, 0), 5, [[7, 8, 9], [1, 4, 2]]),
        (1, 3, [[7, 8, 9], [3, 3, 3]]),
        ((1, 2), np.float32(6), [[7, 8, 9], [3, 3, 6]]),
    ]:
        b[key] = value
        assert b.asnumpy().tolist() == wanted
    line = nd.zeros((3,))
    line[0] = nd.array([5.0])
    line[2] = nd.array([7])[0]
    assert line.asnumpy().tolist() == [5, 0, 7]
    for key, value, error in [
        (slice(None), nd.array([[1, 2], [3, 4]]), ValueError),
        (slice(None), nd.array([1, 2, 3, 4, 5, 6]), ValueError),
        (2, 0, IndexError),
        (0, 'a', TypeError),
        (0, None, TypeError),
        (0, object(), TypeError),
    ]:
        with pytest.raises(error):
            b[key] = value


def test_in_place_views():
    x = nd.arange(6).reshape((2, 3))
    view = x.expand_dims(0, inplace=True)
    view[:] = 5
    assert view.shape == (1, 2, 3) and (x.asnumpy() == 5).all()
    assert x.expand_dims(axis=1).shape == (2, 1, 3) and x.expand_dims(-1, inplace=True).shape == (2, 3, 1)
    assert (
        view.squeeze(0, inplace=True).shape == (2, 3)
        and nd.ones((1, 1)).squeeze(inplace=True).shape == (1,)
        and view.squeeze().shape == (2, 3)
    )
    assert nd.zeros((2, 3, 4)).flatten(inplace=True).shape == nd.zeros((2, 3, 4)).flatten().shape == (2, 12)
    with pytest.raises(AssertionError, match='Squeeze target axis 0 must be size 1, got 2'):
        x.squeeze(axis=0, inplace=True)
    with pytest.raises(AssertionError, match='out of range'):
        x.expand_dims(5, inplace=True)


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
    with pytest.raises(
        mx.MXNetError, match='Cannot differentiate node because it is not in a computational graph'
    ):
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
        a, _b = nd.split(x, num_outputs=2, axis=1)
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
            (x,) = self.saved_tensors
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


def test_gradients_of_whole_numbers_and_through_casts():
    """The program of the report, and its kind: of every element type, and of chains of casts."""
    for dtype in ('int32', 'int64', 'int8', 'uint8', 'float16', 'float32', 'float64'):
        a = nd.array([1, 2], dtype=dtype)
        a.attach_grad()
        with autograd.record():
            y = a * a
        y.backward()
        assert a.grad.dtype == np.dtype(dtype).type and a.grad.asnumpy().tolist() == [2, 4]
        x = nd.array([1.5, 2.5])
        x.attach_grad()
        with autograd.record():
            y = nd.cast(nd.cast(x, dtype=dtype) * 3, dtype='float32')
        y.backward()
        assert x.grad.asnumpy().tolist() == [3, 3]


# ---- files


def test_files_of_arrays(tmp_path):
    path = str(tmp_path / 'a.params')
    nd.save(path, {'arg:w': nd.array([[1, 2]]), 'aux:n': nd.array([3], dtype='int64')})
    assert open(path, 'rb').read() == (
        struct.pack('<QQQ', 0x112, 0, 2)
        + struct.pack('<IiI2qiii2f', 0xF993FAC9, 0, 2, 1, 2, 1, 0, 0, 1, 2)
        + struct.pack('<IiI', 0xF993FAC9, 0, 1)
        + struct.pack('<qiiiq', 1, 1, 0, 6, 3)
        + struct.pack('<QQ5sQ5s', 2, 5, b'arg:w', 5, b'aux:n')
    )
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
    """Any beginning of a file, and any changed byte of its head, is an error or a list of arrays; none asks
    for more memory than the file has."""
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


@pytest.mark.parametrize(
    'call, wanted',
    [
        (lambda x, y: nd.exp(x, y), np.exp([[1, 2], [3, 4]])),
        (lambda x, y: nd.elemwise_add(x, x, y), [[2, 4], [6, 8]]),
        (lambda x, y: nd.broadcast_mul(x, x, y), [[1, 4], [9, 16]]),
        (lambda x, y: nd.clip(x, 1.5, 2.5, y), [[1.5, 2], [2.5, 2.5]]),
        (lambda x, y: nd.clip(x, 1.5, 2.5, y, 'a name'), [[1.5, 2], [2.5, 2.5]]),
        (lambda x, y: nd.dot(x, x, False, True, None, y), [[5, 11], [11, 25]]),
        (lambda x, y: nd.transpose(x, (1, 0), y), [[1, 3], [2, 4]]),
        (lambda x, y: nd.sgd_update(x, x, 0.5, 0.0, 1.0, -1.0, True, y), [[0.5, 1], [1.5, 2]]),
    ],
)
def test_the_result_behind_operands_and_attributes(call, wanted):
    x, y = nd.array([[1, 2], [3, 4]]), nd.zeros((2, 2))
    assert call(x, y) is y
    np.testing.assert_allclose(y.asnumpy(), wanted, rtol=1e-6)


def test_operands_that_are_none_by_position():
    x = nd.array([[1, 2], [3, 4]])
    assert nd.FullyConnected(x, x, None, 2, True).asnumpy().tolist() == [[5, 11], [11, 25]]
    assert nd.sum(x, None, True).asnumpy().tolist() == [[10]]  # this one is an attribute


def test_more_arguments_than_there_are():
    x, y = nd.ones(2), nd.ones(2)
    for call in (lambda: nd.exp(x, y, 'a name', 3), lambda: nd.clip(x, 0, 1, y, 'a name', 3)):
        with pytest.raises(TypeError, match='arguments behind its operands'):
            call()


@pytest.mark.parametrize(
    'key',
    [
        ([0, 1], [1, 2]),
        (slice(None), [0, 2]),
        (0, [0, 2], slice(1, 3)),
        (Ellipsis, [0, 3]),
        (np.array([[0, 1], [1, 0]]), 1),
        (np.array([0, 1]), None, 2),
        (nd.array([0, 1]), nd.array([2, 0])),
    ],
)
def test_gradients_of_parts_that_arrays_name(key):
    numbers = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x = nd.array(numbers)
    x.attach_grad()
    with autograd.record():
        y = x[key]
        total = (y * y).sum()
    total.backward()
    plain = tuple(k.asnumpy().astype(int) if isinstance(k, nd.NDArray) else k for k in key)
    wanted = np.zeros_like(numbers)
    np.add.at(wanted, plain, 2 * numbers[plain])
    np.testing.assert_array_equal(y.asnumpy(), numbers[plain])
    np.testing.assert_array_equal(x.grad.asnumpy(), wanted)
