"""Which numbers softmax and hardmax take together when no axis is given: those of a sample, and of a value
without dynamic axes those of each line along its last axis (seen on CNTK 2.7)."""

import numpy as np
import pytest

import cantik as C

SHAPES = [(4,), (2, 3), (3, 2, 4)]
MAKERS = {
    'parameter': lambda x: (C.parameter(init=x), {}),
    'constant': lambda x: (C.constant(x), {}),
    'input without axes': lambda x: fed(x, []),
    'function': lambda x: (C.parameter(init=x / 2) * 2, {}),
}


def fed(value, axes):
    x = C.input_variable(value.shape, dynamic_axes=axes, needs_gradient=True)
    return x, {x: value}


def numbers(shape):
    return np.random.RandomState(len(shape)).uniform(-2, 2, shape).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def hardmax(x):
    return (np.arange(x.shape[-1]) == x.argmax(axis=-1)[..., None]).astype(np.float32)


@pytest.mark.parametrize('shape', SHAPES)
@pytest.mark.parametrize('maker', MAKERS)
def test_lines_of_values_without_dynamic_axes(maker, shape):
    value = numbers(shape)
    x, feeds = MAKERS[maker](value)
    np.testing.assert_allclose(C.softmax(x).eval(feeds), softmax(value), rtol=1e-5)
    np.testing.assert_array_equal(C.hardmax(x).eval(feeds), hardmax(value))


@pytest.mark.parametrize('shape', SHAPES)
def test_samples_of_batches_are_whole(shape):
    value = numbers((5, *shape))
    flat = value.reshape(5, -1)
    x = C.input_variable(shape)
    np.testing.assert_allclose(C.softmax(x).eval({x: value}), softmax(flat).reshape(value.shape), rtol=1e-5)
    np.testing.assert_array_equal(C.hardmax(x).eval({x: value}), hardmax(flat).reshape(value.shape))


def test_gradients_stay_in_their_lines():
    value, weight = numbers((2, 3)), np.array([[1, -2, 3], [0, 5, 1]], np.float32)
    x = C.parameter(init=value)
    y = C.reduce_sum(C.softmax(x) * weight)
    p = softmax(value)
    want = p * (weight - (p * weight).sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(y.grad({}, wrt=[x]), want, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize('name', ['softmax', 'hardmax'])
def test_onnx_keeps_the_lines(name, tmp_path):
    x, feeds = fed(numbers((2, 3)), [])
    y = getattr(C, name)(x)
    y.save(str(tmp_path / 'y.onnx'), format=C.ModelFormat.ONNX)
    read = C.Function.load(str(tmp_path / 'y.onnx'), format=C.ModelFormat.ONNX)
    np.testing.assert_allclose(read.eval({read.arguments[0]: feeds[x]}), y.eval(feeds), rtol=1e-6)


@pytest.mark.parametrize('shape', [(2, 3), ()])
def test_all_static_axes_are_no_axis(shape):
    x = C.input_variable(shape)
    data = np.random.RandomState(0).randn(2, *shape).astype('f')
    together = C.softmax(x, axis=C.Axis.all_static_axes()).eval({x: data})
    np.testing.assert_array_equal(together, C.softmax(x).eval({x: data}))
