"""`load_model(path, format=ModelFormat.ONNX)`, the call of CNTK's programs: every axis of the file is a
static axis, as in CNTK 2.7; without `format` the batch is an axis of its own."""

import pathlib

import numpy as np
import pytest

import cantik as C

ONNX = C.ModelFormat.ONNX


@pytest.fixture
def both(tmp_path):
    """Writes a network, and reads it as CNTK's programs do and as ours do."""

    def write_and_read(network):
        path = str(tmp_path / 'f.onnx')
        network.save(path, format=ONNX)
        return C.Function.load(path, format=ONNX), C.load_model(path)

    return write_and_read


def numbers(*shape, dtype=np.float32):
    return np.random.RandomState(0).uniform(-1, 1, shape).astype(dtype)


def test_a_batch_has_the_size_1(both):
    x = C.input_variable((3, 4), name='x')
    network = C.relu(x)
    cntk, ours = both(network)
    assert (cntk.arguments[0].shape, cntk.arguments[0].dynamic_axes, cntk.shape) == ((1, 3, 4), (), (1, 3, 4))
    assert (ours.arguments[0].shape, len(ours.arguments[0].dynamic_axes)) == ((3, 4), 1)
    value = numbers(1, 3, 4)
    assert np.array_equal(cntk.eval(value), network.eval(value))
    with pytest.raises(ValueError, match=r'5 x 3 x 4.*1 x 3 x 4'):
        cntk.eval({cntk.arguments[0]: numbers(5, 3, 4)})


@pytest.mark.parametrize(
    'layer',
    [
        lambda: C.layers.Convolution2D((3, 3), 2),
        lambda: C.layers.ConvolutionTranspose2D((3, 3), 2),
        lambda: C.layers.MaxPooling((2, 2)),
        lambda: C.layers.GlobalAveragePooling(),
        lambda: C.layers.BatchNormalization(map_rank=1),
        lambda: C.depth_to_space(C.placeholder(), 2),
    ],
)
def test_behind_operators_of_samples_the_batch_is_free(both, layer):
    network = layer()(C.input_variable((4, 6, 6), name='x'))
    cntk, _ = both(network)
    assert cntk.shape == (C.FreeDimension, *network.shape)
    value = numbers(1, 4, 6, 6)
    np.testing.assert_allclose(cntk.eval(value), network.eval(value), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('kind', [C.AVG_POOLING, C.MAX_POOLING])
@pytest.mark.parametrize('padding', [False, True])
def test_pooling_works_on_each_step_of_a_sequence(both, kind, padding):
    network = C.pooling(C.sequence.input_variable((2, 7, 7), name='s'), kind, (3, 3), (2, 2), [padding] * 2)
    cntk, ours = both(network)
    value = numbers(1, 5, 2, 7, 7)
    due = network.eval(value)
    np.testing.assert_allclose(ours.eval(value), due, rtol=1e-6)
    assert cntk.arguments[0].shape == (C.FreeDimension, 1, 2, 7, 7)
    made = cntk.eval({cntk.arguments[0]: np.swapaxes(value, 0, 1)})
    np.testing.assert_allclose(np.swapaxes(made, 0, 1), due, rtol=1e-6)


def test_operators_of_samples_leave_sequences_of_any_length_as_they_are(both):
    """Also of different lengths, and what comes behind them knows their steps."""
    s = C.sequence.input_variable((2, 6, 6), name='s')
    pictures = C.layers.Sequential(
        [C.layers.Convolution2D((3, 3), 3, pad=True), C.layers.MaxPooling((2, 2), (2, 2))]
    )
    features = C.reshape(C.layers.BatchNormalization(map_rank=1)(pictures(s)), 27)
    network = C.layers.Recurrence(C.layers.RNNStep(4))(
        C.splice(features, C.reshape(C.reduce_mean(s, axis=(0, 1, 2)), 1))
    )
    _, ours = both(network)
    assert len(ours.dynamic_axes) == 2
    value = [numbers(n, 2, 6, 6) for n in (5, 2, 3)]
    for made, due in zip(ours.eval(value), network.eval(value)):
        assert len(made) == len(due)
        np.testing.assert_allclose(made, due, rtol=1e-5, atol=1e-6)
    _, back = both(ours)
    for made, due in zip(back.eval(value), network.eval(value)):
        np.testing.assert_allclose(made, due, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('go_backwards', [False, True])
def test_sequences_are_two_static_axes_steps_first(both, go_backwards):
    s = C.sequence.input_variable(4, name='s')
    network = C.layers.Recurrence(C.layers.LSTM(3), go_backwards=go_backwards)(s)
    cntk, ours = both(network)
    assert cntk.arguments[0].shape == (C.FreeDimension, 1, 4)
    assert len(ours.arguments[0].dynamic_axes) == 2
    value = numbers(1, 6, 4)
    made = cntk.eval({cntk.arguments[0]: np.swapaxes(value, 0, 1)})
    np.testing.assert_allclose(np.swapaxes(made, 0, 1), network.eval(value), rtol=1e-5, atol=1e-6)


def test_directions_of_a_recurrence_meet(both):
    s = C.sequence.input_variable(4, name='s')
    ways = [C.layers.Recurrence(C.layers.RNNStep(3), go_backwards=b)(s) for b in (False, True)]
    network = C.splice(*ways)
    cntk, ours = both(network)
    value = numbers(1, 5, 4)
    due = network.eval(value)
    np.testing.assert_allclose(ours.eval(value), due, rtol=1e-5, atol=1e-6)
    made = cntk.eval({cntk.arguments[0]: np.swapaxes(value, 0, 1)})
    np.testing.assert_allclose(np.swapaxes(made, 0, 1), due, rtol=1e-5, atol=1e-6)


def test_a_model_read_so_is_written_again(both):
    network = C.layers.Convolution2D((3, 3), 2)(C.input_variable((1, 5, 5), name='x'))
    cntk, _ = both(network)
    again, _ = both(cntk)
    value = numbers(1, 1, 5, 5)
    np.testing.assert_allclose(again.eval(value), network.eval(value), rtol=1e-5)


def test_open_sizes_of_others_are_free(tmp_path):
    onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
    h = onnx.helper
    shape = ['N', 2, 'M']
    graph = h.make_graph(
        [h.make_node('Relu', ['x'], ['y'])],
        'g',
        [h.make_tensor_value_info('x', 1, shape)],
        [h.make_tensor_value_info('y', 1, shape)],
    )
    path = str(tmp_path / 'f.onnx')
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]), path)
    free = C.FreeDimension
    cntk, ours = C.load_model(path, format=ONNX), C.load_model(path)
    assert (cntk.arguments[0].shape, ours.arguments[0].shape) == ((free, 2, free), (2, free))
    value = numbers(3, 2, 5)
    assert np.array_equal(cntk.eval({cntk.arguments[0]: value}), np.maximum(value, 0))


def test_names_of_functions_stay_at_the_front_of_names(both):
    x = C.input_variable((2, 3), name='x')
    table = C.constant(numbers(2, 3, 2))
    network = C.gather(table, x, 1, name='looked_up')
    cntk, _ = both(network)
    names = []
    C.logging.graph.depth_first_search(cntk, lambda n: names.append(n.name) or True)
    assert any(n.startswith('looked_up') for n in names)


# ---- found by CNTK's own tests of the format


@pytest.mark.parametrize('dtype', [np.float16, np.int8, np.int16])
@pytest.mark.parametrize(
    'view', [C.alias, C.stop_gradient, lambda x: C.reshape(x, (3, 2)), lambda x: C.flatten(x, 1)]
)
def test_an_input_itself_is_a_result_in_every_element_type(dtype, view):
    x = C.input_variable((2, 3), dtype=dtype)
    value = np.arange(12).reshape(2, 2, 3).astype(dtype)
    made = np.asarray(view(x).eval({x: value}))
    assert made.dtype == dtype and np.array_equal(made.ravel(), value.ravel())


@pytest.mark.parametrize('spatial', [False, True])
def test_batch_normalization_of_float16_with_statistics_of_float32(both, spatial):
    x = C.input_variable((2, 3, 3), dtype=np.float16, name='x')
    count = 2 if spatial else 18
    shape = (2,) if spatial else (2, 3, 3)
    scale, bias, mean = (numbers(*shape) for _ in range(3))
    network = C.batch_normalization(
        x,
        C.parameter(init=scale),
        C.parameter(init=bias),
        C.constant(mean),
        C.constant(np.full(shape, 2, np.float32)),
        spatial=spatial,
        running_count=C.constant(0.0),
    )
    assert network.dtype == np.float16 and scale.size == count
    value = numbers(1, 2, 3, 3, dtype=np.float16)
    wide = [v.reshape((*shape, 1, 1)[:3] if spatial else shape) for v in (scale, bias, mean)]
    due = wide[0] * (value.astype(np.float32) - wide[2]) / np.sqrt(2 + 1e-5) + wide[1]
    for made in (network, *both(network)):
        np.testing.assert_allclose(np.asarray(made.eval(value), np.float32), due, rtol=2e-3, atol=2e-3)


def test_the_batch_axis_has_its_name():
    x = C.input_variable(3)
    assert x.dynamic_axes == (C.Axis('defaultBatchAxis'),)
    assert C.input_variable(2, dynamic_axes=[C.Axis('defaultBatchAxis')]).dynamic_axes == x.dynamic_axes
    assert C.sequence.input_variable(2).dynamic_axes[1] == C.Axis('defaultDynamicAxis')


def test_the_owner_of_an_output_is_true():
    x = C.input_variable(3)
    assert (x < 1).output.owner
    with pytest.raises(TypeError, match='neither true nor false'):
        bool(x < 1)


def test_a_convolution_over_steps_without_channels_reads_steps_of_one_number():
    x = C.sequence.input_variable((1,))
    for pad, due in (False, [11, 18, 25]), (True, [4, 11, 18, 25, 26]):
        layer = C.layers.Convolution(
            3, init=np.array([4, 2, 1], np.float32), sequential=True, pad=pad, reduction_rank=0, bias=False
        )
        made = layer(x).eval(np.arange(1, 6, dtype=np.float32).reshape(1, 5, 1))
        assert np.array_equal(np.ravel(made), due) and made[0].shape == (len(due), 1)


def test_stacks_of_matrices_of_fewer_axes():
    x = C.input_variable((4, 5), dynamic_axes=[], name='x')
    y = C.input_variable((2, 5, 3), dynamic_axes=[], name='y')
    onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
    h = onnx.helper
    graph = h.make_graph(
        [h.make_node('MatMul', ['x', 'y'], ['z'])],
        'g',
        [h.make_tensor_value_info(v.name, 1, v.shape) for v in (x, y)],
        [h.make_tensor_value_info('z', 1, (2, 4, 3))],
    )
    model = C.load_model(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]).SerializeToString())
    a, b = numbers(4, 5), numbers(2, 5, 3)
    made = model.eval(dict(zip(model.arguments, (a, b))))
    np.testing.assert_allclose(made, a @ b, rtol=1e-5)


def first_set(op, shape, **attributes):
    """A model of one operator of ONNX's first sets, which its checker does not know any more."""
    onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
    h, real = onnx.helper, onnx.TensorProto.FLOAT
    graph = h.make_graph(
        [h.make_node(op, ['x'], ['y'], **attributes)],
        'g',
        [h.make_tensor_value_info('x', real, shape)],
        [h.make_tensor_value_info('y', real, None)],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid('', 7)])
    return C.load_model(model.SerializeToString(), format=ONNX)


@pytest.mark.parametrize('shape', [(1, 3, 4, 5), (2, 3, 4, 5), ('N', 3, 4, 5), ('N', 3, 'H', 'W')])
def test_scaled_images(shape):
    x = numbers(2 if shape[0] == 'N' else shape[0], 3, 4, 5)
    column = np.reshape([0.5, -1, 2], (3, 1, 1))
    for attributes, scale in (({'scale': 2.0}, 2), ({}, 1)):
        z = first_set('ImageScaler', shape, bias=[0.5, -1.0, 2.0], **attributes)
        np.testing.assert_allclose(z.eval(x), x * scale + column, rtol=1e-6)
    with pytest.raises(RuntimeError, match='a bias for each channel'):
        first_set('ImageScaler', shape, bias=[0.5], scale=2.0)


@pytest.mark.parametrize('shape', [(1, 2, 5, 6), ('N', 2, 5, 6)])
def test_images_without_their_borders(shape):
    x = numbers(1, 2, 5, 6)
    for left, top, right, bottom in ((1, 0, 2, 3), (0, 1, 0, 0), (0, 0, 0, 0)):
        z = first_set('Crop', shape, border=[left, top, right, bottom])
        np.testing.assert_array_equal(z.eval(x), x[:, :, top : 5 - bottom, left : 6 - right])
    for wrong in ([1, 1], [4, 4, 4, 4], [-1, 0, 0, 0]):
        with pytest.raises((RuntimeError, ValueError), match="Crop|Crop's border"):
            first_set('Crop', shape, border=wrong)


def test_sequences_that_are_sorted_by_lengths_of_a_run():
    """Sizes that come late are asked for before batches are compared."""
    onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
    path = pathlib.Path(__file__).resolve().parent.parent / 'golden' / 'onnx_pytorch' / 'packed_script.onnx'
    network = C.load_model(str(path), format=C.ModelFormat.ONNX)
    session = onnxruntime.InferenceSession(str(path), providers=['CPUExecutionProvider'])
    x = np.random.RandomState(1).randn(3, 7, 4).astype(np.float32)
    for lengths in ([2, 7, 4], [1, 1, 3], [5, 6, 6]):  # also where no sequence takes all steps
        feeds = {'tokens': x, 'lengths': np.array(lengths)}
        found = network.eval({v: feeds[v.name].astype(v.dtype) for v in network.arguments})
        for v, due in zip(network.outputs, session.run(None, feeds)):
            np.testing.assert_allclose(found[v], due, rtol=1e-5, atol=1e-6)
