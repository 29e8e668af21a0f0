"""Group normalization: the operator and the layer, against the formula in NumPy."""

import numpy as np
import pytest

import cantik as C


def expected(x, groups, epsilon=1e-5):
    parts = x.reshape(len(x), groups, -1)
    centred = parts - parts.mean(2, keepdims=True)
    normal = centred / np.sqrt((centred**2).mean(2, keepdims=True) + epsilon)
    return normal.reshape(x.shape)


@pytest.mark.parametrize(
    'shape, groups', [((8, 3, 4), 2), ((6, 5), 3), ((6, 5), 6), ((6, 2, 2, 2), 1), ((4,), 2)]
)
def test_layer_is_the_formula(shape, groups):
    data = np.random.RandomState(1).randn(5, *shape)
    x = C.input_variable(shape, dtype=np.float64)
    with C.default_options(dtype=np.float64):
        layer = C.layers.GroupNormalization(groups, spatial_rank=len(shape) - 1, name='normal')
    z = layer(x)
    ones = (1,) * (len(shape) - 1)
    assert z.scale.shape == z.bias.shape == (shape[0], *ones)
    np.testing.assert_allclose(z.eval(data), expected(data, groups), rtol=1e-12, atol=1e-12)
    scale = np.random.RandomState(2).rand(*z.scale.shape)
    z.scale.value, z.bias.value = scale, -scale
    np.testing.assert_allclose(z.eval(data), expected(data, groups) * scale - scale, rtol=1e-12, atol=1e-12)
    assert C.checking.check_gradient(C.reduce_sum(z * z * z), {x: data[:2]})


def test_it_does_not_see_the_minibatch():
    x = C.input_variable((4, 3, 3))
    z = C.layers.GroupNormalization(2)(x)
    data = np.random.RandomState(3).randn(6, 4, 3, 3).astype(np.float32)
    all_of_them = z.eval(data)
    assert all((z.eval(data[i : i + 1])[0] == all_of_them[i]).all() for i in range(6))


def test_saved_and_loaded(tmp_path):
    x = C.input_variable((4, 3, 3))
    z = C.layers.GroupNormalization(2)(x)
    data = np.random.RandomState(4).randn(2, 4, 3, 3).astype(np.float32)
    z.save(str(tmp_path / 'm'))
    assert (C.load_model(str(tmp_path / 'm')).eval(data) == z.eval(data)).all()


def test_options_in_a_scope():
    with C.default_options(epsilon=0.5):
        z = C.layers.GroupNormalization(1)(C.input_variable((2, 1, 1)))
    y = z.eval(np.array([[[[1.0]], [[3.0]]]], np.float32)).ravel()
    np.testing.assert_allclose(y, np.array([-1, 1]) / np.sqrt(1.5), rtol=1e-6)


def test_what_is_refused():
    with pytest.raises(ValueError, match='has no 3 groups of channels'):
        C.layers.GroupNormalization(3)(C.input_variable((4, 2, 2)))
    with pytest.raises(ValueError, match='GroupNormalization: groups must be at least 1, and is 0'):
        C.layers.GroupNormalization(0)
    with pytest.raises(ValueError, match='epsilon must be at least 0'):
        C.layers.GroupNormalization(1, epsilon=-1)
    with pytest.raises(TypeError, match='groups must be a whole number'):
        C.layers.GroupNormalization('two')
