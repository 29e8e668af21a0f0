"""Models in ONNX's files: what is written runs in ONNX Runtime with our numbers, and is read back with them;
files that are not what they say are refused."""

import io
import json
import pathlib

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
from onnx import TensorProto, helper, numpy_helper

ONNX = C.ModelFormat.ONNX


def bytes_of(network):
    to = io.BytesIO()
    network.save(to, format=ONNX)
    return to.getvalue()


def stored(network):
    """Through a file of CNTK's format."""
    to = io.BytesIO()
    network.save(to)
    return C.load_model(to.getvalue())


def in_onnx(variable, value):
    """[batch, steps, ...] is [steps, batch, ...] there."""
    if len(variable.dynamic_axes) == 2:
        return np.ascontiguousarray(np.swapaxes(value, 0, 1))
    return value


def evaluated(network, feeds):
    """All results as arrays in our order of axes."""
    made = network.eval(feeds)
    made = made if isinstance(made, dict) else {network.outputs[0]: made}
    return [np.asarray(made[v]) for v in network.outputs]


def exchange(network, *values, rtol=1e-5, atol=1e-6):
    """Written, checked, run by ONNX Runtime, read again: the same numbers everywhere, also after models were
    kept in CNTK's format."""
    arguments = network.arguments
    ours = evaluated(network, dict(zip(arguments, values)))
    data = bytes_of(network)
    onnx.checker.check_model(onnx.load_model_from_string(data), full_check=True)
    again = C.load_model(data)
    for written in (data, bytes_of(stored(network)), bytes_of(stored(again))):
        session = onnxruntime.InferenceSession(written, providers=['CPUExecutionProvider'])
        names = {i.name for i in session.get_inputs()}
        assert names == {v.name for v in arguments}
        theirs = session.run(None, {v.name: in_onnx(v, x) for v, x in zip(arguments, values)})
        for variable, x, y in zip(network.outputs, ours, theirs):
            np.testing.assert_allclose(in_onnx(variable, x), y, rtol=rtol, atol=atol)
    types = [{v.name: (v.shape, len(v.dynamic_axes)) for v in f.arguments} for f in (network, again)]
    assert types[0] == types[1]
    given = {v.name: x for v, x in zip(arguments, values)}
    back = evaluated(again, {v: given[v.name] for v in again.arguments})
    for was, x, now, y in zip(network.outputs, ours, again.outputs, back):
        np.testing.assert_allclose(in_onnx(was, x), in_onnx(now, y), rtol=rtol, atol=atol)
    return again


def numbers(*shape, low=-1.0, high=1.0, seed=1):
    return np.random.RandomState(seed).uniform(low, high, shape).astype(np.float32)


# ---- networks


def test_a_perceptron():
    x = C.input_variable(4, name='x')
    network = C.layers.Sequential([C.layers.Dense(5, activation=C.relu), C.layers.Dense(3), C.softmax])(x)
    again = exchange(network, numbers(7, 4))
    assert {p.shape for p in again.parameters} == {p.shape for p in network.parameters}


def test_a_convolutional_network():
    x = C.input_variable((3, 12, 12), name='image')
    network = C.layers.Sequential(
        [
            C.layers.Convolution2D((3, 3), 4, pad=True, activation=C.relu),
            C.layers.MaxPooling((2, 2), (2, 2)),
            C.layers.BatchNormalization(map_rank=1),
            C.layers.Convolution2D((3, 3), 5, strides=2),
            C.layers.AveragePooling((2, 2)),
            C.layers.Dense(4),
        ]
    )(x)
    exchange(network, numbers(2, 3, 12, 12), rtol=1e-4)


def test_a_clone_of_a_loaded_model_is_written():
    network = C.softmax(C.reduce_mean(C.input_variable((2, 3, 4), name='x'), axis=(1, 2)) / 2, axis=0)
    exchange(stored(network).clone('freeze'), numbers(4, 2, 3, 4))


def test_the_model_goes_on_learning_after_it_is_read():
    x, y = C.input_variable(4, name='x'), C.input_variable(3)
    again = C.load_model(bytes_of(C.layers.Dense(3)(x)))
    loss = C.squared_error(again, y)
    trainer = C.Trainer(again, loss, C.sgd(again.parameters, C.learning_parameter_schedule(0.1)))
    feeds = {again.arguments[0]: numbers(5, 4), y: numbers(5, 3, seed=2)}
    first = loss.eval(feeds).mean()
    for _ in range(5):
        trainer.train_minibatch(feeds)
    assert loss.eval(feeds).mean() < first


# ---- sequences: [steps, batch, ...]

RECURRENCES = {
    'lstm': lambda: C.layers.Recurrence(C.layers.LSTM(5)),
    'gru': lambda: C.layers.Recurrence(C.layers.GRU(5)),
    'rnn': lambda: C.layers.Recurrence(C.layers.RNNStep(5)),
    'backwards': lambda: C.layers.Recurrence(C.layers.LSTM(5), go_backwards=True),
    'last': lambda: C.layers.Fold(C.layers.LSTM(5)),
    'two': lambda: C.layers.Sequential(
        [C.layers.Recurrence(C.layers.LSTM(5)), C.layers.Recurrence(C.layers.GRU(3))]
    ),
    'stable': lambda: C.layers.Recurrence(C.layers.LSTM(5, enable_self_stabilization=True)),
    'both_ways': lambda: (
        lambda s: C.splice(
            C.layers.Recurrence(C.layers.LSTM(5))(s),
            C.layers.Recurrence(C.layers.LSTM(5), go_backwards=True)(s),
        )
    ),
    'own': lambda: C.layers.Recurrence(
        lambda state, x: C.tanh(0.5 * state + C.reduce_mean(x)), initial_state=0.25
    ),
}


@pytest.mark.parametrize('name', RECURRENCES)
def test_recurrences(name):
    s = C.sequence.input_variable(4, name='s')
    exchange(RECURRENCES[name]()(s), numbers(3, 6, 4), rtol=1e-4)


SEQUENCES = {
    'first': C.sequence.first,
    'last': C.sequence.last,
    'slice': lambda s: C.sequence.slice(s, 1, -1),
    'past': lambda s: C.sequence.past_value(s),
    'past_2': lambda s: C.sequence.past_value(s, 0.5, 2),
    'past_beyond': lambda s: C.sequence.past_value(s, 0.5, 9),
    'future': lambda s: C.sequence.future_value(s, 0.5, 2),
    'sum': C.sequence.reduce_sum,
    'max': C.sequence.reduce_max,
    'softmax': C.sequence.softmax,
    'broadcast': lambda s: C.sequence.broadcast_as(C.sequence.last(s), s) + s,
    'is_first': C.sequence.is_first,
    'is_last': C.sequence.is_last,
    'unpack': lambda s: C.sequence.unpack(s, 0, True),
    'dense': lambda s: C.layers.Dense(3, activation=C.sigmoid)(s),
}


@pytest.mark.parametrize('name', SEQUENCES)
def test_sequence_operators(name):
    s = C.sequence.input_variable(4, name='s')
    exchange(SEQUENCES[name](s), numbers(3, 5, 4), rtol=1e-4)


# ---- operators

ONE = {
    name: getattr(C, name)
    for name in (
        'abs acos asin asinh atan atanh ceil cos cosh elu exp floor hardmax negate relu selu sigmoid sin '
        'sinh softplus softsign square tan tanh log_softmax softmax reciprocal element_not'
    ).split()
}
ONE.update(
    {
        'leaky_relu': lambda x: C.leaky_relu(x, 0.3),
        'hard_sigmoid': lambda x: C.hard_sigmoid(x, 0.3, 0.4),
        'clip': lambda x: C.clip(x, -0.25, 0.5),
        'reduce_all': lambda x: C.reduce_sum(x),
        'reduce_mean': lambda x: C.reduce_mean(x, 1),
        'reduce_max': lambda x: C.reduce_max(x, -1),
        'reduce_min': lambda x: C.reduce_min(x, [0, 1]),
        'reduce_prod': lambda x: C.reduce_prod(x, 0),
        'reduce_log_sum_exp': lambda x: C.reduce_log_sum_exp(x, 0),
        'reduce_l1': lambda x: C.reduce_l1(x, 0),
        'reduce_l2': lambda x: C.reduce_l2(x, 0),
        'reduce_sum_square': lambda x: C.reduce_sum_square(x, 0),
        'reduce_without_axis': lambda x: C.reduce_sum(x, 0, keepdims=False),
        'argmax': lambda x: C.argmax(x, 0),
        'argmin': lambda x: C.argmin(x, 1),
        'reshape': lambda x: C.reshape(x, (3, 2)),
        'flatten': lambda x: C.flatten(x),
        'squeeze': lambda x: C.squeeze(C.reduce_sum(x, 0)),
        'expand_dims': lambda x: C.expand_dims(x, 0),
        'transpose': lambda x: C.transpose(x, (1, 0)),
        'swapaxes': lambda x: C.swapaxes(x, 0, 1),
        'slice': lambda x: C.slice(x, 1, 0, 2),
        'slice_backwards': lambda x: C.slice(x, 1, 0, 3, -1),
        'slices': lambda x: C.slice(x, (0, 1), (0, 1), (1, 3)),
        'splice': lambda x: C.splice(x, x, axis=0),
        'pad': lambda x: C.pad(x, [(1, 0), (0, 2)], constant_value=1.5),
        'pad_mirrored': lambda x: C.pad(x, [(1, 0), (0, 2)], mode=1),
        'one_hot': lambda x: C.one_hot(C.floor(C.abs(x) * 3), 4),
        'top_k': lambda x: C.top_k(x, 2),
        'cast': lambda x: C.cast(C.cast(x, np.float64) * 2.0, np.float32),
        'dropout': lambda x: C.dropout(x, 0.5),
        'constant': lambda x: C.ones_like(x) + x,
        'softmax_axis': lambda x: C.softmax(x, 0),
        'log_softmax_axis': lambda x: C.log_softmax(x, 0),
        'pow': lambda x: C.pow(C.abs(x), 1.5),
        'log': lambda x: C.log(C.abs(x) + 0.1),
        'sqrt': lambda x: C.sqrt(C.abs(x)),
        'round': C.round,
        'mean_variance': lambda x: C.mean_variance_normalization(x),
        'layer_normalization': lambda x: C.layers.LayerNormalization()(x),
        'identity': lambda x: C.alias(x),
        'stop_gradient': lambda x: C.stop_gradient(x),
        'gather': lambda x: C.gather(C.constant(np.arange(12).reshape(4, 3)), C.floor(C.abs(x) * 3)),
        'batch': lambda x: C.to_batch(C.unpack_batch(x)) * 2,
        'gelu': lambda x: x * 0.5 * (1 + C.tanh(x)),
    }
)


@pytest.mark.parametrize('name', ONE)
def test_operators_of_one_operand(name):
    low = {'reciprocal': 0.3}.get(name, -0.9)
    value = numbers(4, 2, 3, low=low, high=0.9)
    if name == 'element_not':
        value = (value > 0).astype(np.float32)
    exchange(ONE[name](C.input_variable((2, 3), name='x')), value)


TWO = {
    name: getattr(C, name)
    for name in (
        'plus minus element_times element_divide element_max element_min greater greater_equal less '
        'less_equal equal not_equal log_add_exp'
    ).split()
}
SHAPES = [((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((), (2, 3))]


@pytest.mark.parametrize('name', TWO)
@pytest.mark.parametrize('shapes', SHAPES, ids=str)
def test_operators_of_two_operands(name, shapes):
    left, right = (C.input_variable(s, name=n) for s, n in zip(shapes, 'ab'))
    x, y = (numbers(4, *s, low=0.2, high=0.9, seed=i) for i, s in enumerate(shapes))
    exchange(TWO[name](left, right), x, y)
    constant = C.constant(numbers(*shapes[1], low=0.2, high=0.9))
    exchange(TWO[name](left, constant), x)


@pytest.mark.parametrize('name', ['element_and', 'element_or', 'element_xor'])
def test_truth_values(name):
    a, b = C.input_variable((2, 3), name='a'), C.input_variable(3, name='b')
    x, y = numbers(4, 2, 3) > 0, numbers(4, 3, seed=2) > 0
    exchange(getattr(C, name)(a, b), x.astype(np.float32), y.astype(np.float32))


def test_choices():
    a, b = C.input_variable((2, 3), name='a'), C.input_variable(3, name='b')
    exchange(C.element_select(C.greater(a, 0), a, b), numbers(4, 2, 3), numbers(4, 3, seed=2))


PRODUCTS = [
    ((3,), (3, 4), 1),
    ((2, 3), (3, 4), 1),
    ((2, 3), (2, 3, 4), 1),
    ((3,), (3, 2, 4), 2),
]


@pytest.mark.parametrize('left, right, kept', PRODUCTS, ids=str)
def test_products(left, right, kept):
    x = C.input_variable(left, name='x')
    w = C.parameter(right, init=numbers(*right))
    exchange(C.times(x, w, output_rank=kept), numbers(4, *left))
    y = C.input_variable(right, name='y')
    exchange(C.times(x, y, output_rank=kept), numbers(4, *left), numbers(4, *right, seed=3))
    exchange(C.times(C.constant(numbers(*left)), y, output_rank=kept), numbers(4, *right))


CONVOLUTIONS = {
    'valid': {'pad': False},
    'same': {'pad': True},
    'strides': {'pad': True, 'strides': 2},
    'strides_valid': {'strides': (2, 1)},
    'dilation': {'dilation': 2},
    'no_bias': {'bias': False},
}


@pytest.mark.parametrize('name', CONVOLUTIONS)
def test_convolutions(name):
    x = C.input_variable((4, 7, 9), name='x')
    layer = C.layers.Convolution2D((3, 3), 6, init_bias=0.3, **CONVOLUTIONS[name])
    exchange(layer(x), numbers(2, 4, 7, 9), rtol=1e-4)


@pytest.mark.parametrize('groups', [2, 4])
def test_convolutions_in_groups(groups):
    x = C.input_variable((4, 7, 9), name='x')
    w = C.parameter((8, 4 // groups, 3, 3), init=numbers(8, 4 // groups, 3, 3))
    exchange(
        C.convolution(w, x, auto_padding=[False, True, True], groups=groups), numbers(2, 4, 7, 9), rtol=1e-4
    )


def test_convolutions_of_one_and_three_axes():
    exchange(C.layers.Convolution1D(3, 4, pad=True)(C.input_variable((2, 8), name='x')), numbers(2, 2, 8))
    x = C.input_variable((2, 5, 6, 7), name='x')
    exchange(C.layers.Convolution3D((2, 3, 3), 4)(x), numbers(2, 2, 5, 6, 7), rtol=1e-4)


@pytest.mark.parametrize('options', [{}, {'strides': 2}, {'strides': 2, 'pad': True}], ids=str)
def test_transposed_convolutions(options):
    x = C.input_variable((3, 5, 6), name='x')
    exchange(C.layers.ConvolutionTranspose2D((3, 3), 4, **options)(x), numbers(2, 3, 5, 6), rtol=1e-4)


@pytest.mark.parametrize('layer', [C.layers.MaxPooling, C.layers.AveragePooling])
@pytest.mark.parametrize('options', [{}, {'strides': 2}, {'strides': 2, 'pad': True}], ids=str)
def test_pooling(layer, options):
    exchange(layer((3, 3), **options)(C.input_variable((2, 7, 8), name='x')), numbers(2, 2, 7, 8))


@pytest.mark.parametrize('layer', [C.layers.GlobalMaxPooling, C.layers.GlobalAveragePooling])
def test_global_pooling(layer):
    exchange(layer()(C.input_variable((2, 7, 8), name='x')), numbers(2, 2, 7, 8))


@pytest.mark.parametrize('layer', [C.layers.GlobalMaxPooling, C.layers.GlobalAveragePooling])
@pytest.mark.parametrize('pixels', [(C.FreeDimension, C.FreeDimension), (C.FreeDimension, 8)], ids=str)
def test_global_pooling_over_open_sizes(layer, pixels):
    network = layer()(C.input_variable((2, *pixels), name='x'))
    exchange(network, numbers(2, 2, 7, 8))
    (node,) = onnx.load_model_from_string(bytes_of(network)).graph.node
    assert (node.op_type, len(node.attribute)) == (layer.__name__.removesuffix('ing'), 0)


def test_batch_normalization_of_elements():
    exchange(C.layers.BatchNormalization()(C.input_variable((2, 3), name='x')), numbers(4, 2, 3))


LOSSES = {
    'cross_entropy': C.cross_entropy_with_softmax,
    'classification_error': C.classification_error,
    'squared_error': C.squared_error,
    'binary_cross_entropy': lambda z, t: C.binary_cross_entropy(C.sigmoid(z), t),
    'cosine': C.cosine_distance,
    'transposed': lambda z, t: C.times_transpose(z, t),
}


@pytest.mark.parametrize('name', LOSSES)
def test_losses(name):
    z, t = C.input_variable(4, name='z'), C.input_variable(4, name='t')
    exchange(LOSSES[name](z, t), numbers(3, 4), np.eye(4, dtype=np.float32)[:3])


IMAGES = {
    'residual': lambda x: C.layers.ResNetBlock(C.layers.Convolution2D((3, 3), 4, pad=True))(x),
    'even': lambda x: C.layers.Convolution2D((4, 4), 2, pad=True, strides=2)(x),
    'response': lambda x: C.local_response_normalization(x, 1, 1.0, 0.5, 0.75),
    'scaler': lambda x: C.image_scaler(x, 2.0, [1, 2, 3, 4]),
    'crop': lambda x: C.crop_manual(x, C.constant(np.ones((4, 3, 2), np.float32)), 1, 2),
    'to_space': lambda x: C.depth_to_space(x, 2),
    'to_depth': lambda x: C.space_to_depth(x, 2),
    'ceil': lambda x: C.pooling(x, C.MAX_POOLING, (3, 3), (2, 2), ceil_out_dim=True),
    'padding_counts': lambda x: C.pooling(x, C.AVG_POOLING, (3, 3), (2, 2), [True], include_pad=True),
    'any_size': lambda x: C.layers.Convolution2D((3, 3), 2, pad=True)(
        C.input_variable((4, C.FreeDimension, C.FreeDimension), name='x')
    ),
}


@pytest.mark.parametrize('name', IMAGES)
def test_images(name):
    exchange(IMAGES[name](C.input_variable((4, 8, 6), name='x')), numbers(2, 4, 8, 6), rtol=1e-4)


def test_values_without_a_batch():
    exchange(C.relu(C.input_variable((2, 3), dynamic_axes=[], name='x')) * 2, numbers(2, 3))


def test_the_sum_over_a_batch():
    x = C.input_variable(4, name='x')
    exchange(C.reduce_sum(x, C.Axis.default_batch_axis()), numbers(2, 4))


def test_operands_side_by_side_that_broadcast():
    x, y = C.input_variable((2, 3), name='x'), C.input_variable((2, 1), name='y')
    constant = C.constant(numbers(1, 3))
    exchange(C.splice(x, constant, axis=0), numbers(4, 2, 3))
    exchange(C.splice(constant, x, y, axis=0), numbers(4, 2, 3), numbers(4, 2, 1))
    s = C.sequence.input_variable(3, name='s')
    exchange(C.splice(s, C.constant(numbers(2))), numbers(2, 5, 3))


def test_unit_matrices():
    x = C.input_variable((3, 4), dynamic_axes=[], name='x')
    exchange(C.eye_like(x, sparse_output=False) + x, numbers(3, 4))


def test_a_table_of_each_sample():
    x = C.input_variable((3, 4), name='x')
    places = C.constant(np.array([0, 2], np.float32))
    exchange(C.gather(x, places), numbers(2, 3, 4))
    exchange(C.gather(x, places, axis=1), numbers(2, 3, 4))


def test_several_outputs():
    x = C.input_variable(3, name='x')
    exchange(C.combine([C.relu(x), C.exp(x), C.reduce_sum(x)]), numbers(4, 3))


def test_numbers_of_two_sizes():
    x = C.input_variable(3, dtype=np.float64, name='x')
    exchange(C.exp(x) * 2 + 1, numbers(4, 3).astype(np.float64))


# ---- files


def test_parameters_in_a_second_file(tmp_path):
    x = C.input_variable(40, name='x')
    network = C.layers.Dense(30)(x)
    path = tmp_path / 'm.onnx'
    network.save(path, format=ONNX, use_external_files_to_store_parameters=True)
    assert (tmp_path / 'm.onnx.data').stat().st_size >= 40 * 30 * 4 > path.stat().st_size
    value = numbers(2, 40)
    np.testing.assert_array_equal(C.load_model(path).eval(value), network.eval(value))
    session = onnxruntime.InferenceSession(str(path), providers=['CPUExecutionProvider'])
    np.testing.assert_allclose(session.run(None, {'x': value})[0], network.eval(value), rtol=1e-5, atol=1e-6)
    with pytest.raises(
        C.errors.UnsupportedError if hasattr(C, 'errors') else Exception, match='another file'
    ):
        C.load_model(path.read_bytes())
    with pytest.raises(ValueError, match='second file'):
        network.save(io.BytesIO(), format=ONNX, use_external_files_to_store_parameters=True)


@pytest.mark.parametrize('name', ['../secret', '/etc/hostname', 'sub/../../secret', ''])
def test_no_other_file_is_read(tmp_path, name):
    (tmp_path / 'secret').write_bytes(bytes(16))
    folder = tmp_path / 'model'
    folder.mkdir()
    tensor = numpy_helper.from_array(np.zeros(4, np.float32), 'w')
    tensor.ClearField('raw_data')
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key='location', value=name)
    path = folder / 'm.onnx'
    path.write_bytes(simple('Add', ['x', 'w'], [tensor]).SerializeToString())
    with pytest.raises(RuntimeError, match="folder|names no file"):
        C.load_model(path)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / 'secret').write_bytes(bytes(16))
    folder = tmp_path / 'model'
    folder.mkdir()
    (folder / 'w').symlink_to(tmp_path / 'secret')
    tensor = numpy_helper.from_array(np.zeros(4, np.float32), 'w')
    tensor.ClearField('raw_data')
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key='location', value='w')
    path = folder / 'm.onnx'
    path.write_bytes(simple('Add', ['x', 'w'], [tensor]).SerializeToString())
    with pytest.raises(RuntimeError, match='folder'):
        C.load_model(path)


def simple(op, inputs, initializers=(), shape=('N', 4), version=17, outputs=('y',), **attributes):
    graph = helper.make_graph(
        [helper.make_node(op, inputs, list(outputs), **attributes)],
        'g',
        [helper.make_tensor_value_info('x', TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs],
        list(initializers),
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid('', version)], ir_version=8)


def loaded(model):
    return C.load_model(model.SerializeToString())


def test_what_the_first_axis_is():
    batch, fixed = loaded(simple('Relu', ['x'])), loaded(simple('Relu', ['x'], shape=(2, 4)))
    assert (batch.arguments[0].shape, len(batch.arguments[0].dynamic_axes)) == ((4,), 1)
    assert (fixed.arguments[0].shape, len(fixed.arguments[0].dynamic_axes)) == ((2, 4), 0)
    free = loaded(simple('Relu', ['x'], shape=('N', 'T', 4)))
    assert free.arguments[0].shape == (C.FreeDimension, 4)
    np.testing.assert_array_equal(free.eval(numbers(2, 5, 4)), np.maximum(numbers(2, 5, 4), 0))


WRONG = {
    'another operator': (lambda: simple('Bogus', ['x']), 'Bogus'),
    'another domain': (lambda: simple('Relu', ['x'], domain='com.example'), 'com.example'),
    'a missing input': (lambda: simple('Add', ['x', 'nowhere']), 'nowhere'),
    'an old version': (lambda: simple('Relu', ['x'], version=3), 'version 3'),
    'a version to come': (lambda: simple('Relu', ['x'], version=99), 'version 99'),
    'a negative size': (lambda: simple('Relu', ['x'], shape=(2, -4)), 'negative'),
    'a huge size': (lambda: simple('Flatten', ['x'], shape=(1 << 62, 1 << 62)), ''),
    'too many axes to reduce': (
        lambda: simple('ReduceSum', ['x'], [numpy_helper.from_array(np.array([7]), 'a')]),
        None,
    ),
    'texts': (
        lambda: simple('Add', ['x', 't'], [helper.make_tensor('t', TensorProto.STRING, [1], [b'a'])]),
        'text',
    ),
}


@pytest.mark.parametrize('name', [n for n in WRONG if WRONG[n][1]])
def test_what_cannot_be_read_is_refused_by_name(name):
    make, text = WRONG[name]
    with pytest.raises((RuntimeError, ValueError, NotImplementedError), match=text):
        loaded(make())


def test_a_graph_that_goes_round_in_a_circle():
    nodes = [helper.make_node('Add', ['x', 'b'], ['a']), helper.make_node('Relu', ['a'], ['b'])]
    graph = helper.make_graph(
        nodes,
        'g',
        [helper.make_tensor_value_info('x', TensorProto.FLOAT, ['N', 4])],
        [helper.make_tensor_value_info('b', TensorProto.FLOAT, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)])
    with pytest.raises(ValueError, match='no node before it'):
        loaded(model)


def test_a_tensor_with_other_numbers_than_its_shape_says():
    tensor = numpy_helper.from_array(np.zeros(4, np.float32), 'w')
    for dims in ([5], [-4], [1 << 40, 1 << 40], [2, 3]):
        del tensor.dims[:]
        tensor.dims.extend(dims)
        with pytest.raises(RuntimeError, match='broken'):
            loaded(simple('Add', ['x', 'w'], [tensor]))


def test_attributes_that_are_no_text():
    # Bytes in an attribute are ONNX's; only an operator that reads them needs a text.
    model = simple('Relu', ['x'], [])
    model.graph.node[0].attribute.append(helper.make_attribute('settings', b'\x82\xff'))
    x = np.array([[-1, 2, -3, 4]], np.float32)
    np.testing.assert_array_equal(loaded(model).eval([x]), np.maximum(x, 0))
    model = simple('Gelu', ['x'], [], version=20, approximate=b'\x82\xff')
    with pytest.raises(NotImplementedError, match='the attribute approximate is of a kind that is not read'):
        loaded(model)


@pytest.mark.parametrize(
    ('sizes', 'kind', 'text'),
    [
        ([1 << 25], np.float32, 'its shape is far too large'),
        ([1 << 24] * 5, np.float32, 'far too many numbers that it does not hold'),
        ([65535] * 1100, np.int64, 'far too many numbers that it does not hold'),
    ],
)
def test_a_few_bytes_do_not_fill_the_memory(sizes, kind, text):
    number = numpy_helper.from_array(np.zeros(1, kind))
    weights = [numpy_helper.from_array(np.array([n]), f's{i}') for i, n in enumerate(sizes)]
    nodes = [helper.make_node('ConstantOfShape', [w.name], ['c' + w.name], value=number) for w in weights]
    graph = helper.make_graph(
        [*nodes, helper.make_node('Relu', ['x'], ['y'])],
        'g',
        [helper.make_tensor_value_info('x', TensorProto.FLOAT, ['N', 1])],
        [helper.make_tensor_value_info('y', TensorProto.FLOAT, None)],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)
    assert len(model.SerializeToString()) < 100 * len(sizes) + 100
    with pytest.raises((ValueError, NotImplementedError), match=text):
        loaded(model)


CORPUS = pathlib.Path(__file__).resolve().parent.parent / 'fuzz' / 'corpus' / 'onnx'
KEPT = sorted(p for p in CORPUS.iterdir() if p.is_file())


FOUND = {
    'sizes_of_nan': 'input 1 has numbers that are no whole ones',
    'step_of_a_slice': 'a loop over steps of which only a run knows how many there are',
}


@pytest.mark.parametrize('name', sorted(p.name for p in (CORPUS / 'found').iterdir()))
def test_what_fuzzers_found_is_refused(name):
    with pytest.raises(RuntimeError, match=FOUND[name]):
        C.load_model((CORPUS / 'found' / name).read_bytes(), format=ONNX)


@pytest.mark.parametrize('path', KEPT, ids=lambda p: p.name)
def test_bytes_that_are_cut_or_changed(path):
    data = path.read_bytes()
    C.load_model(data, format=ONNX)
    for end in range(0, len(data) // 2, 5):  # behind the graph little is needed
        with pytest.raises((RuntimeError, ValueError, NotImplementedError)):
            C.load_model(data[:end], format=ONNX)
    random = np.random.RandomState(3)
    for _ in range(200):
        changed = bytearray(data)
        for at in random.randint(0, len(data), 3):
            changed[at] = random.randint(256)
        try:
            str(C.load_model(bytes(changed), format=ONNX))
        except (RuntimeError, ValueError, NotImplementedError, TypeError, KeyError) as error:
            assert not isinstance(error, UnicodeError)


def test_what_cannot_be_written_is_refused_by_name():
    x = C.input_variable(3, name='x')
    y = C.input_variable(3, name='y')
    with pytest.raises((RuntimeError, NotImplementedError), match='edit_distance_error'):
        s = C.sequence.input_variable(3)
        C.edit_distance_error(s, s).save(io.BytesIO(), format=ONNX)
    with pytest.raises((RuntimeError, ValueError), match='placeholder'):
        (C.placeholder() + 1).save(io.BytesIO(), format=ONNX)
    with pytest.raises((TypeError, ValueError)):
        (x + y).save(io.BytesIO(), format='ONNX')


@pytest.mark.parametrize('version', range(13, 22))
def test_older_and_newer_versions_of_the_operators(version):
    x, s = C.input_variable((3, 4), name='x'), C.sequence.input_variable(4, name='s')
    network = C.combine(
        [
            C.softmax(C.reduce_mean(x, 0), 0),
            C.squeeze(C.reduce_sum(C.expand_dims(C.abs(x), 0), 0)),
            C.pad(C.slice(x, 1, 1, 3), [(1, 0), (0, 1)]),
            C.layers.Fold(C.layers.GRU(3))(s),
            C.sequence.reduce_max(s),
        ]
    )
    data = network._to_onnx(version)
    onnx.checker.check_model(onnx.load_model_from_string(data), full_check=True)
    session = onnxruntime.InferenceSession(data, providers=['CPUExecutionProvider'])
    feeds = {'x': numbers(2, 3, 4), 's': numbers(2, 5, 4)}
    theirs = session.run(None, {'x': feeds['x'], 's': np.swapaxes(feeds['s'], 0, 1).copy()})
    for f in (network, C.load_model(data)):
        for y, ours in zip(theirs, evaluated(f, {v: feeds[v.name] for v in f.arguments})):
            np.testing.assert_allclose(ours, y, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize('version', [6, 12, 22])
def test_versions_that_are_not_written(version):
    with pytest.raises(ValueError, match='versions 13 to 21'):
        C.relu(C.input_variable(3))._to_onnx(version)


def test_formats_are_known_by_their_contents(tmp_path):
    network = C.layers.Dense(3)(C.input_variable(4, name='x'))
    value = numbers(2, 4)
    for i, format in enumerate((C.ModelFormat.CNTKv2, ONNX)):
        path = pathlib.Path(tmp_path / str(i))
        network.save(path, format=format)
        np.testing.assert_array_equal(C.load_model(path).eval(value), network.eval(value))


def test_what_users_keep_with_a_network_is_in_the_metadata(tmp_path):
    kept = {
        'text': 'größer "quoted"\n',
        'whole': 5,
        'large': 2**63 - 1,
        'negative': -7,
        'real': 2.0,
        'small': 1e-300,
        'yes': True,
        'nothing': None,
        'list': [1, 'two', [3.5, False], {}],
        'inside': {'classes': ['iris', 'rose']},
    }
    network = C.layers.Dense(2)(C.input_variable(3))
    network.custom_attributes = kept
    again = C.load_model(bytes_of(network))
    assert again.custom_attributes == kept
    assert {name: type(value) for name, value in again.custom_attributes.items()} == {
        name: type(value) for name, value in kept.items()
    }
    assert dict(C.load_model(bytes_of(again)).custom_attributes) == kept
    meta = onnxruntime.InferenceSession(bytes_of(network)).get_modelmeta().custom_metadata_map
    assert json.loads(meta['cantik.custom_attributes']) == kept
    record = onnx.load_from_string(bytes_of(network))
    record.metadata_props.add(key='author', value='{"not": "ours"}')  # of other programs
    assert dict(C.load_model(record.SerializeToString()).custom_attributes) == kept
    for wrong in ('{', '[1]', '{"a": nan}', '{"a": 1} ', '{"a":' * 100 + '1' + '}' * 100):
        record.metadata_props[0].value = wrong
        if wrong.endswith('} '):
            assert C.load_model(record.SerializeToString()).custom_attributes == {'a': 1}
            continue
        with pytest.raises(RuntimeError, match='(?s)metadata +cantik.custom_attributes'):
            C.load_model(record.SerializeToString())
    network.custom_attributes = {'mean': np.zeros(2, np.float32)}
    with pytest.raises(ValueError, match='(?s)form for a tensor.*key +mean.*remedy.*custom_attributes'):
        network.save(tmp_path / 'm.onnx')


def test_a_file_that_ends_too_early(tmp_path):
    path = tmp_path / 'm.onnx'
    path.write_bytes(bytes_of(C.layers.Dense(20)(C.input_variable(30)))[:200])
    with pytest.raises(RuntimeError, match='(?s)model of ONNX.*damaged.*m.onnx'):
        C.load_model(path)


def test_columns_of_a_table_are_known_after_a_file(tmp_path):
    random = np.random.RandomState(0)
    table = {'a': random.randn(50), 'b': random.randn(50)}
    labels = (table['a'] > table['b']).astype(int)
    options = dict(loss='cross_entropy', metrics='accuracy')
    history = C.fit(C.layers.Dense(2), table, labels, rate=0.1, epochs=20, **options)
    history.model.save(tmp_path / 'table.onnx')
    read = C.load_model(tmp_path / 'table.onnx')
    swapped = {name: table[name] for name in ('b', 'a')}
    assert C.score(read, swapped, labels, **options).accuracy == history[-1].accuracy > 0.9
    with pytest.raises(ValueError, match='(?s)expected a, b.*got +a, c'):
        C.predict(read, {'a': table['a'], 'c': table['b']})
