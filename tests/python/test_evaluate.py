"""eval, grad, forward and backward: what they take, what they give, what they refuse."""

import numpy as np
import pytest
import scipy.sparse as sp

import cantik as C

DATA = np.random.RandomState(5).randn(4, 3).astype(np.float32)


def linear():
    x = C.input_variable(3, needs_gradient=True, name='x')
    w = C.parameter((3, 2), init=np.random.RandomState(6).randn(3, 2).astype(np.float32), name='w')
    return x, w, C.times(x, w, name='f')


def test_keys_of_feeds():
    x, w, f = linear()
    want = DATA @ w.value
    assert np.allclose(f.eval({x: DATA}), want, atol=1e-6)
    assert np.allclose(f.eval(DATA), want, atol=1e-6)  # the only argument


@pytest.mark.parametrize(
    'form',
    [
        lambda d: d,
        lambda d: d.tolist(),
        lambda d: list(d),
        lambda d: d.astype(np.float64),
        lambda d: np.asfortranarray(d),
        lambda d: C.Value(d),
        lambda d: C.NDArrayView.from_dense(d),
    ],
    ids=['array', 'lists', 'list of arrays', 'float64', 'fortran', 'Value', 'NDArrayView'],
)
def test_forms_of_data(form):
    x, w, f = linear()
    assert np.allclose(f.eval({x: form(DATA)}), DATA @ w.value, atol=1e-5)


def test_result_owns_its_memory():
    x, _w, f = linear()
    first = f.eval({x: DATA})
    kept = first.copy()
    f.eval({x: DATA + 1})
    assert np.array_equal(first, kept) and first.flags.writeable


def test_as_numpy_false():
    x, _w, f = linear()
    value = f.eval({x: DATA}, as_numpy=False)
    assert isinstance(value, C.Value) and value.shape == (4, 2)


def test_chosen_outputs():
    x, _w, f = linear()
    g = C.relu(f, name='g')
    _, values = g.forward({x: DATA}, [f.output, g.output])
    assert set(values) == {f.output, g.output}
    assert np.array_equal(values[g.output], np.maximum(values[f.output], 0))


def test_grad():
    x, w, f = linear()
    assert np.allclose(f.grad({x: DATA}, [w]), np.repeat(DATA.sum(0)[:, None], 2, 1), atol=1e-5)
    both = f.grad({x: DATA}, [x, w])
    assert np.allclose(both[x], np.repeat(w.value.sum(1)[None], 4, 0), atol=1e-5)
    gradient, value = f.grad({x: DATA}, [w], outputs=[f.output])
    assert gradient.shape == (3, 2) and np.allclose(value, DATA @ w.value, atol=1e-6)
    assert np.allclose(f.grad({x: DATA}), both[x])


def test_forward_and_backward():
    x, w, f = linear()
    state, values = f.forward({x: DATA}, [f.output], {f.output})
    root = np.arange(8, dtype=np.float32).reshape(4, 2)
    gradients = f.backward(state, {f.output: root}, {x, w})
    assert np.allclose(gradients[w], DATA.T @ root, atol=1e-4) and np.allclose(
        gradients[x], root @ w.value.T, atol=1e-4
    )
    assert np.allclose(values[f.output], DATA @ w.value, atol=1e-6)


def test_batch_of_none():
    x, _w, f = linear()
    assert f.eval({x: np.zeros((0, 3), np.float32)}).shape == (0, 2)


def test_every_batch_size_gives_the_same_rows():
    x, _w, f = linear()
    g = C.softmax(C.tanh(f))
    whole = g.eval({x: DATA})
    for i in range(4):
        assert np.array_equal(g.eval({x: DATA[i : i + 1]}), whole[i : i + 1])


def test_sparse_gradient_of_an_embedding():
    x = C.input_variable(5, is_sparse=True)
    e = C.parameter((5, 2), init=1)
    f = C.times(x, e)
    rows = sp.csr_matrix(np.eye(5, dtype=np.float32)[[1, 1, 3]])
    g = f.grad({x: rows}, [e])
    g = g.toarray() if sp.issparse(g) else np.asarray(g)
    assert g.tolist() == [[0, 0], [2, 2], [0, 0], [1, 1], [0, 0]]


def test_missing_feed():
    _x, _w, f = linear()
    with pytest.raises(ValueError, match='give data for x'):
        f.eval({})


def test_wrong_shape_of_a_feed():
    x, _w, f = linear()
    with pytest.raises(
        ValueError, match=r"do not match the Variable 'Input\('x', \[#\], \[3\]\)' shape '\[3\]'"
    ):
        f.eval({x: np.zeros((2, 4), np.float32)})


def test_different_numbers_of_samples():
    a, b = C.input_variable(1, name='a'), C.input_variable(1, name='b')
    with pytest.raises((ValueError, RuntimeError)):
        (a + b).eval({a: [[1], [2]], b: [[1], [2], [3]]})


def test_gradient_of_a_stranger():
    x, _w, f = linear()
    with pytest.raises(ValueError, match='not part of the function'):
        f.grad({x: DATA}, [C.parameter(2)])


def test_dense_data_for_a_sparse_input():
    x = C.input_variable(3, is_sparse=True)
    with pytest.raises(ValueError, match='sparse input'):
        C.times(x, np.eye(3, dtype=np.float32)).eval({x: DATA})


def test_errors_name_the_users_line():
    x = C.input_variable(3, name='x')
    with pytest.raises(C.ShapeError) as caught:
        C.times(x, C.parameter((4, 2), name='w'))
    error = caught.value
    assert isinstance(error, ValueError) and isinstance(error, RuntimeError)
    text = str(error)
    assert (
        'the inner dimensions differ, 3 and 4' in text
        and 'test_evaluate.py:' in text
        and 'x : float32[#, 3], w : float32[4, 2]' in text
        and 'remedy' in text
    )


def test_variables():
    x = C.input_variable((2, 3), np.float64, name='x')
    assert (x.shape, x.dtype, x.name, x.is_input, x.is_sparse, x.needs_gradient) == (
        (2, 3),
        np.float64,
        'x',
        True,
        False,
        False,
    )
    assert x.dynamic_axes == (C.Axis.default_batch_axis(),) and x.uid.startswith('Input')
    w = C.parameter((2, 2), init=C.glorot_uniform(seed=3), name='w')
    again = C.parameter((2, 2), init=C.glorot_uniform(seed=3))
    assert np.array_equal(w.value, again.value) and w.is_parameter
    w.value = [[1, 2], [3, 4]]
    assert w.value.tolist() == [[1, 2], [3, 4]]
    with pytest.raises((ValueError, RuntimeError)):
        w.value = np.zeros(3)
    with pytest.raises(TypeError):
        x.as_parameter()
    assert len({x, w, x}) == 2


def test_shapes_are_inferred():
    w = C.parameter((C.InferredDimension, 4), init=C.glorot_uniform())
    C.times(C.input_variable(7), w)
    assert w.shape == (7, 4) and w.value.shape == (7, 4)


def test_threads_run_one_function():
    from concurrent.futures import ThreadPoolExecutor

    x, _w, f = linear()
    want = f.eval({x: DATA})
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(lambda _: f.eval({x: DATA}), range(50)):
            assert np.array_equal(got, want)


def test_the_gradient_of_a_root_is_what_came_in():
    # A sum over an axis of size 1 leaves its operand as it is: the seed itself is the gradient.
    x = C.input_variable((1, 1), needs_gradient=True)
    f = C.reduce_sum(x, 0)
    data = np.ones((2, 1, 1), np.float32)
    state, _ = f.forward({x: data}, [f.output], {f.output})
    assert (f.backward(state, {f.output: 7 * data}, {x})[x] == 7).all()


def test_gradients_far_out():
    x = C.input_variable(2, needs_gradient=True)
    data = np.array([[-1000, 1000]], np.float32)
    assert C.elu(x).grad({x: data}).tolist() == [[0, 1]]
    assert np.allclose(C.selu(x).grad({x: data}), [[0, 1.0507009]])


def test_errors_in_a_run_keep_their_class():
    with pytest.raises(ValueError, match='negative'):
        C.random_sample(C.constant([1, -1]), 1, True).eval()
    with pytest.raises(ValueError, match='negative number -1'):
        C.random_sample_inclusion_frequency(C.constant([1, -1]), 1, True).eval()


def test_check_nan_names_the_first_operator():
    x = C.input_variable(2, needs_gradient=True)
    w = C.parameter((2, 2), init=1)
    z = C.times(C.exp(C.asin(x * 2) + 1), w) + 1  # also within a chain that is fused otherwise
    good, bad = np.array([[0.1, 0.2]], np.float32), np.array([[0.1, 0.9]], np.float32)
    assert np.isnan(z.eval({x: bad})).all()  # nothing is said unless asked for
    assert not np.isnan(z.eval({x: good}, check_nan=True)).any()
    for run in (
        lambda: z.eval({x: bad}, check_nan=True),
        lambda: z.grad({x: bad}, [w], check_nan=True),
        lambda: C.Trainer(z, C.reduce_sum(z), [C.sgd([w], 0.1)]).train_minibatch({x: bad}, check_nan=True),
    ):
        with pytest.raises(RuntimeError, match=r'made a NaN, in row 0(.|\n)*asin') as error:
            run()
        assert 'test_evaluate.py' in str(error.value)


def test_gradient_of_to_batch_has_the_shape_of_its_operand():
    a, x = C.parameter((4, 2, 3), init=1), C.input_variable((2, 3))
    data = np.arange(24, dtype=np.float32).reshape(4, 2, 3)
    assert np.array_equal((x * C.to_batch(a)).grad({x: data}, [a]), data)
    assert np.array_equal(C.to_batch(a).grad({}, [a]), np.ones((4, 2, 3), np.float32))


def test_axes_as_a_range():
    x = C.input_variable((2, 3, 4))
    assert C.reduce_sum(x, axis=range(2)).shape == C.reduce_sum(x, axis=[0, 1]).shape
    assert C.transpose(x, range(2, -1, -1)).shape == (4, 3, 2)


def test_an_axis_becomes_the_batch_and_an_axis_again():
    """The batch that an axis became has that axis's size, where nothing with a batch is fed."""
    x = C.input_variable((4, 3), dynamic_axes=[], needs_gradient=True)
    numbers = np.arange(12, dtype=np.float32).reshape(4, 3)
    y = C.unpack_batch(C.to_batch(x) * 2)
    np.testing.assert_array_equal(y.eval({x: numbers}), numbers * 2)
    z = C.reduce_sum(C.square(C.reshape(y, (4, 3))), axis=0)
    np.testing.assert_array_equal(np.reshape(z.grad({x: numbers}, [x]), (4, 3)), numbers * 8)


def test_what_is_asked_for_twice_is_one_result():
    """CNTK gives the result itself where there is one only, however often it is named."""
    x, w, f = linear()
    once = f.eval({x: DATA})
    for found in (
        C.combine([f, f]).eval({x: DATA}),
        f.eval({x: DATA}, outputs=[f.output, f.output]),
        f.eval({x: DATA}, outputs=[f, f.output]),
        C.combine([f, f]).eval({x: DATA}, as_numpy=False).asarray(),
        *C.combine([f, f])(DATA),
    ):
        assert np.array_equal(found, once)
    z = C.reduce_sum(f)
    slope = z.grad({x: DATA}, wrt=[w])
    assert np.array_equal(z.grad({x: DATA}, wrt=[w, w]), slope)
    twice, outputs = z.grad({x: DATA}, wrt=[w, w], outputs=[z.output, z.output])
    assert np.array_equal(twice, slope) and np.array_equal(outputs, z.eval({x: DATA}))
    assert z.grad({x: DATA}, wrt=[w], outputs=[])[1] == {}
    g = f * 2
    assert set(C.combine([f, g]).eval({x: DATA}, outputs=[f.output, g.output])) == {f.output, g.output}
