"""Functions that are saved before they are applied: loaded and applied they give what the function itself
gives."""

import io

import numpy as np
import pytest

import cantik as C

R = np.random.RandomState(0)
X = R.randn(2, 3, 4).astype(np.float32)
SEQUENCES = [R.randn(3, 4).astype(np.float32), R.randn(2, 4).astype(np.float32)]
W = R.randn(4, 4).astype(np.float32)


def attention(query, keys, values):
    """Scaled products, a softmax along the keys, a weighted sum."""
    scores = C.times_transpose(query, keys) / 2
    return C.times(C.softmax(scores, axis=-1), values)


# Functions of one operand of shape (3, 4). Their inside is spelled out with other operators, which may want
# to know the shape.
STATIC = {
    'softmax 0': lambda x: C.softmax(x, axis=0),
    'softmax -1': lambda x: C.softmax(x, axis=-1),
    'softmax': C.softmax,
    'log_softmax 0': lambda x: C.log_softmax(x, axis=0),
    'log_softmax': C.log_softmax,
    'hardmax': C.hardmax,
    'argmax': lambda x: C.argmax(x, axis=0),
    'flatten': C.flatten,
    'flatten 1': lambda x: C.flatten(x, 1),
    'flatten 2': lambda x: C.flatten(x, 2),
    'flatten -1': lambda x: C.flatten(x, -1),
    **{
        f'{name} {axis} {keep}': lambda x, f=getattr(C, name), axis=axis, keep=keep: f(
            x, axis=axis, keepdims=keep
        )
        for name in (
            'reduce_sum',
            'reduce_mean',
            'reduce_max',
            'reduce_min',
            'reduce_log_sum_exp',
            'reduce_l1',
            'reduce_l2',
            'reduce_sum_square',
        )
        for axis in (0, -1, (0, 1), None)
        for keep in (True, False)
    },
    'top_k': lambda x: C.top_k(x, 2)[0],
    'top_k 0': lambda x: C.top_k(x, 2, axis=0)[0],
    'places 0': lambda x: C.top_k(x, 2, axis=0)[1],
    'leaky_relu': C.leaky_relu,
    'elu': C.elu,
    'selu': C.selu,
    'softplus': C.softplus,
    'steep softplus': lambda x: C.softplus(x, 2),
    'softsign': C.softsign,
    'hard_sigmoid': lambda x: C.hard_sigmoid(x, 0.1, 0.2),
    'element_not': C.element_not,
    'round': C.round,
    'clip': lambda x: C.clip(x, -1, 1),
    'numbers': lambda x: 2 * x - 1,
    'mean': lambda x: C.mean(x, x, x),
    'transpose': lambda x: C.transpose(x, (1, 0)),
    'swapaxes': C.swapaxes,
    'slice': lambda x: x[1:, ...],
    'index': lambda x: x[0],
    'splice': lambda x: C.splice(x, x, axis=0),
    'expand_dims': lambda x: C.expand_dims(x, 0),
    'reshape': lambda x: C.reshape(x, (2, 6)),
    'pad': lambda x: C.pad(x, [(1, 1), (0, 0)]),
    'block': lambda x: C.softmax(C.times(x, W), axis=0) @ W,
}
# Of sequences of vectors.
ALONG = {
    'past_value': C.sequence.past_value,
    'future_value': C.sequence.future_value,
    'first': C.sequence.first,
    'last': C.sequence.last,
    'is_first': C.sequence.is_first,
    'is_last': C.sequence.is_last,
    'slice': lambda s: C.sequence.slice(s, 0, 1),
    'softmax': C.sequence.softmax,
    'reduce_sum': C.sequence.reduce_sum,
    'reduce_max': C.sequence.reduce_max,
    'delay': lambda s: C.sequence.delay(s, time_step=-1),
}
# Of two operands of shape (3, 4), the second of ones and zeros.
LOSSES = {
    'cross_entropy 0': lambda z, y: C.cross_entropy_with_softmax(z, y, axis=0),
    'error 0': lambda z, y: C.classification_error(z, y, axis=0),
    'squared_error': C.squared_error,
    'binary': lambda z, y: C.binary_cross_entropy(C.sigmoid(z), y),
    'fmeasure': lambda z, y: C.fmeasure(C.sigmoid(z), y),
    'element_and': C.element_and,
    'element_or': C.element_or,
    'element_xor': C.element_xor,
}


def kept(function):
    """The function of the file that it is saved in."""
    buffer = io.BytesIO()
    function.save(buffer)
    return C.load_model(buffer.getvalue())


def values(result):
    return result if isinstance(result, list) else [result]


def same(function, inputs, data):
    arguments = ['a', 'b', 'c'][: len(inputs)]
    traced = C.Function(
        eval('lambda {0}: function({0})'.format(', '.join(arguments)), {'function': function})
    )
    expected = values(traced(*inputs).eval(dict(zip(inputs, data))))
    again = kept(traced)
    assert len(again.placeholders) == len(inputs)
    found = values(again(*inputs).eval(dict(zip(inputs, data))))
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=2e-7)  # the same graph may run in another form


@pytest.mark.parametrize('name', list(STATIC))
def test_static_axes(name):
    same(STATIC[name], [C.input_variable((3, 4))], [X])


@pytest.mark.parametrize('name', list(ALONG))
def test_sequences(name):
    same(ALONG[name], [C.sequence.input_variable(4)], [SEQUENCES])


@pytest.mark.parametrize('name', list(LOSSES))
def test_two_operands(name):
    ones = np.eye(3, 4, dtype=np.float32)[None].repeat(2, 0)
    same(LOSSES[name], [C.input_variable((3, 4)), C.input_variable((3, 4))], [X, ones])


def test_attention():
    inputs = [C.input_variable((3, 4)), C.input_variable((5, 4)), C.input_variable((5, 2))]
    same(attention, inputs, [X, R.randn(2, 5, 4).astype(np.float32), R.randn(2, 5, 2).astype(np.float32)])


def test_the_saved_function_is_as_it_was():
    f = C.Function(lambda x: C.leaky_relu(x))
    kept(f)
    x = C.input_variable(
        2, dtype=np.float64
    )  # what the file says of the number's type holds in the file alone
    assert f(x).dtype == np.float64


def test_what_has_to_know_a_shape_says_so():
    f = C.Function(lambda x: C.mean_variance_normalization(x))
    with pytest.raises(NotImplementedError) as caught:
        f.save(io.BytesIO())
    assert 'mean_variance_normalization' in str(
        caught.value
    ) and 'apply the function to input variables' in str(caught.value)


# ---- files and file objects


def test_buffers(tmp_path):
    z = C.layers.Dense(2)(C.input_variable(3))
    x = np.ones((1, 3), np.float32)
    buffer = io.BytesIO()
    z.save(buffer)
    buffer.seek(0)
    models = [
        C.load_model(buffer),
        C.load_model(buffer.getvalue()),
        C.load_model(bytearray(buffer.getvalue())),
        C.load_model(memoryview(buffer.getvalue())),
    ]
    path = tmp_path / 'z.model'
    with open(path, 'wb') as file:
        z.save(file)
    with open(path, 'rb') as file:
        models.append(C.Function.load(file))
    models += [C.load_model(path), C.load_model(str(path))]
    for model in models:
        np.testing.assert_array_equal(model(x), z(x))
    assert sorted(p.name for p in tmp_path.iterdir()) == ['z.model']


def test_what_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    z = C.layers.Dense(2)(C.input_variable(3))
    for wrong in (None, 3, [], object()):
        with pytest.raises(TypeError):
            z.save(wrong)
        with pytest.raises(TypeError):
            C.load_model(wrong)
    with pytest.raises(TypeError, match='mode "rb"'):
        C.load_model(io.StringIO('text'))
    assert list(tmp_path.iterdir()) == []


def test_layers_are_one_list():
    first, second = C.layers.Dense(3), C.layers.Dense(2)
    with pytest.raises(TypeError, match=r'Sequential\(\[a, b\]\)'):
        C.layers.Sequential(first, second)
    assert C.layers.Sequential([first, second], 'both')(C.input_variable(4)).shape == (2,)
