"""Random numbers in ONNX's files: their distributions, read and written; each run draws others."""

import io

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
from onnx import TensorProto, helper

from onnx_models import info

MANY = 20000


def loaded(op, made=TensorProto.FLOAT, size=MANY, **attributes):
    alone = 'shape' in attributes
    node = helper.make_node(op, [] if alone else ['x'], ['y'], **attributes)
    given = [] if alone else [info('x', ['N', size])]
    graph = helper.make_graph(
        [node], 'g', given, [info('y', list(attributes['shape']) if alone else ['N', None], made)]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)
    onnx.checker.check_model(model)
    return C.load_model(model.SerializeToString())


def drawn(network, x=None):
    return np.asarray(network.eval(dict.fromkeys(network.arguments, x)))


LIKE = {
    'uniform': ('RandomUniformLike', {'low': -1.0, 'high': 3.0}, 1.0, np.sqrt(4 / 3)),
    'normal': ('RandomNormalLike', {'mean': 2.0, 'scale': 0.5}, 2.0, 0.5),
}


@pytest.mark.parametrize('name', LIKE)
def test_numbers_in_the_shape_of_another_value(name):
    op, attributes, mean, deviation = LIKE[name]
    network = loaded(op, **attributes)
    x = np.zeros((3, MANY), np.float32)
    one, two = drawn(network, x), drawn(network, x)
    assert one.shape == x.shape
    assert not np.array_equal(one, two)
    assert abs(one.mean() - mean) < 5 * deviation / np.sqrt(one.size)
    assert abs(one.std() - deviation) < 0.02 * deviation


@pytest.mark.parametrize('name', LIKE)
def test_numbers_of_a_shape(name):
    op, attributes, mean, deviation = LIKE[name]
    network = loaded(op.removesuffix('Like'), shape=[2, MANY], **attributes)
    assert network.shape == (2, MANY)
    y = drawn(network)
    assert abs(y.mean() - mean) < 5 * deviation / np.sqrt(y.size)
    assert abs(y.std() - deviation) < 0.02 * deviation


def test_a_seed_of_a_file_gives_the_same_numbers_each_time_it_is_read():
    x = np.zeros((1, MANY), np.float32)
    one, two, other = (drawn(loaded('RandomNormalLike', seed=s), x) for s in (3.0, 3.0, 4.0))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_numbers_of_another_element_type():
    network = loaded('RandomNormalLike', TensorProto.DOUBLE, dtype=TensorProto.DOUBLE)
    assert network.dtype == np.float64
    assert drawn(network, np.zeros((1, MANY), np.float32)).dtype == np.float64


def test_bernoulli_draws_each_number_by_its_own_probability():
    p = np.repeat(np.array([[0.1], [0.5], [1.0], [0.0]], np.float32), MANY, 1)
    y = drawn(loaded('Bernoulli'), p)
    assert set(np.unique(y)) == {0, 1}
    np.testing.assert_allclose(y.mean(1), [0.1, 0.5, 1, 0], atol=0.02)


def test_multinomial_draws_classes_by_their_weights():
    p = np.array([[0.5, 0.25, 0.25], [0.1, 0.9, 0.0]], np.float32)
    with np.errstate(divide='ignore'):
        logits = np.log(p)
    network = loaded('Multinomial', TensorProto.INT32, 3, sample_size=MANY)
    y = drawn(network, logits)
    assert y.shape == (2, MANY)
    for row, due in zip(y, p):
        np.testing.assert_allclose([np.mean(row == k) for k in range(3)], due, atol=0.02)


@pytest.mark.parametrize(
    'make, mean, deviation',
    [
        (lambda x: C.random.uniform_like(x, -1, 3), 1, np.sqrt(4 / 3)),
        (lambda x: C.random.normal_like(x, 2, 0.5), 2, 0.5),
        (lambda x: C.random.bernoulli_like(x, 0.25), 0.25, np.sqrt(0.25 * 0.75)),
        (lambda x: C.random.gumbel_like(x, 1, 2), 1 + 2 * np.euler_gamma, 2 * np.pi / np.sqrt(6)),
        (lambda x: C.random.normal((2, MANY), mean=2, scale=0.5) + 0 * x, 2, 0.5),
        (lambda x: C.random.bernoulli((2, MANY), mean=0.25) + 0 * x, 0.25, np.sqrt(0.25 * 0.75)),
    ],
)
def test_random_numbers_are_written(make, mean, deviation):
    x = C.input_variable((2, MANY), name='x')
    to = io.BytesIO()
    make(x).save(to, format=C.ModelFormat.ONNX)
    onnx.checker.check_model(onnx.load_model_from_string(to.getvalue()), full_check=True)
    session = onnxruntime.InferenceSession(to.getvalue(), providers=['CPUExecutionProvider'])
    value = np.zeros((1, 2, MANY), np.float32)
    for y in (session.run(None, {'x': value})[0], drawn(C.load_model(to.getvalue()), value)):
        assert y.shape == value.shape
        assert abs(y.mean() - mean) < 6 * deviation / np.sqrt(y.size)
        assert abs(y.std() - deviation) < 0.03 * deviation


WRONG = {
    'whole numbers': (('RandomNormalLike',), {'dtype': TensorProto.INT64}, 'whole numbers'),
    'a seed': (('RandomNormalLike',), {'seed': -1.0}, 'seed'),
    'a deviation': (('RandomNormalLike',), {'scale': -1.0}, 'must be non-negative'),
    'far too many': (('RandomUniform', 0), {'shape': [1 << 40, 1 << 20]}, 'too many'),
    'no sizes': (('RandomUniform', 0), {'shape': [-1]}, 'how many'),
    'no classes': (('Multinomial',), {'sample_size': 0}, 'no classes'),
}


@pytest.mark.parametrize('name', WRONG)
def test_wrong_random_numbers_are_refused(name):
    (op, *inputs), attributes, text = WRONG[name]
    node = helper.make_node(op, ['x'] if not inputs else [], ['y'], **attributes)
    graph = helper.make_graph([node], 'g', [] if inputs else [info('x', ['N', 3])], [info('y', None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)
    with pytest.raises((ValueError, RuntimeError, NotImplementedError), match=text):
        C.load_model(model.SerializeToString())
