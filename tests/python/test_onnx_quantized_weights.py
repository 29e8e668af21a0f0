"""Models whose weights ONNX Runtime's tools quantized: LSTM and products with activations of real numbers."""

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
from onnx import TensorProto, helper as h, numpy_helper
from onnx_models import by_runtime, constant, info

SETS = [h.make_opsetid('', 17), h.make_opsetid('com.microsoft', 1)]


def lstm(directions, batch='batch', lengths=False):
    """An LSTM of 6 states over 5 features, with weights of real numbers."""
    random = np.random.RandomState(3)
    weights = [
        constant('W', random.uniform(-0.4, 0.4, (directions, 24, 5)).astype(np.float32)),
        constant('R', random.uniform(-0.4, 0.4, (directions, 24, 6)).astype(np.float32)),
        constant('B', random.uniform(-0.4, 0.4, (directions, 48)).astype(np.float32)),
    ]
    node = h.make_node(
        'LSTM',
        ['x', 'W', 'R', 'B', *(['n'] if lengths else [])],
        ['y', 'h', 'c'],
        hidden_size=6,
        direction='bidirectional' if directions == 2 else 'forward',
    )
    inputs = [info('x', ['steps', batch, 5])]
    if lengths:
        inputs.append(info('n', [batch], TensorProto.INT32))
    graph = h.make_graph([node], 'g', inputs, [info(v, None) for v in 'yhc'], weights)
    return h.make_model(graph, opset_imports=SETS[:1], ir_version=8)


def quantized(model, tmp_path, per_channel, kind):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    onnx.save(model, tmp_path / 'm.onnx')
    quantize_dynamic(
        str(tmp_path / 'm.onnx'),
        str(tmp_path / 'q.onnx'),
        per_channel=per_channel,
        weight_type=QuantType[kind],
    )
    made = onnx.load(tmp_path / 'q.onnx')
    assert [n.op_type for n in made.graph.node] == ['DynamicQuantizeLSTM']
    return made


def with_real_weights(model):
    """The same, an LSTM whose weights are those whole numbers by their scales."""
    real = onnx.ModelProto()
    real.CopyFrom(model)
    arrays = {t.name: numpy_helper.to_array(t) for t in real.graph.initializer}
    node = real.graph.node[0]
    for i, scale in ((1, 8), (2, 10)):
        w, s, z = (arrays[node.input[k]].astype(np.float64) for k in (i, scale, scale + 1))
        s, z = (v.reshape(w.shape[0], 1, -1) for v in (s, z))
        turned = np.ascontiguousarray(((w - z) * s).transpose(0, 2, 1)).astype(np.float32)
        real.graph.initializer.append(constant(f'real{i}', turned))
    inputs = [node.input[0], 'real1', 'real2', *node.input[3:8]]
    made = h.make_node('LSTM', inputs, list(node.output))
    made.attribute.extend(node.attribute)
    del real.graph.node[:]
    real.graph.node.append(made)
    return real


def results(network, feeds):
    made = network.eval({v: feeds[v.name].astype(v.dtype) for v in network.arguments})
    return [np.asarray(made[v]) for v in network.outputs]


def read(model, tmp_path):
    onnx.save(model, tmp_path / 'read.onnx')
    return C.load_model(str(tmp_path / 'read.onnx'), format=C.ModelFormat.ONNX)


@pytest.mark.parametrize('kind', ['QInt8', 'QUInt8'])
@pytest.mark.parametrize('per_channel', [False, True])
@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('lengths', [False, True])
def test_an_lstm_with_quantized_weights(tmp_path, directions, per_channel, kind, lengths):
    model = quantized(lstm(directions, lengths=lengths), tmp_path, per_channel, kind)
    network = read(model, tmp_path)
    feeds = {'x': np.random.RandomState(4).randn(7, 3, 5).astype(np.float32)}
    if lengths:
        feeds['n'] = np.array([5, 6, 2], np.int32)
    due = by_runtime(with_real_weights(model), feeds)
    runtime = by_runtime(model, feeds)
    for found, wanted, rounded in zip(results(network, feeds), due, runtime):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
        # ONNX Runtime rounds activations to 8 bits too, by the least and the greatest of a whole batch
        assert 0 < np.abs(found - rounded).max() < 0.01


def test_a_sample_is_the_same_alone_and_in_company(tmp_path):
    network = read(quantized(lstm(1), tmp_path, False, 'QInt8'), tmp_path)
    x = np.random.RandomState(4).randn(7, 3, 5).astype(np.float32)
    together = results(network, {'x': x})[0]
    for i in range(3):
        np.testing.assert_array_equal(results(network, {'x': x[:, i : i + 1]})[0][:, :, 0], together[:, :, i])


def test_its_weights_learn(tmp_path):
    network = read(quantized(lstm(1), tmp_path, False, 'QInt8'), tmp_path)
    assert {p.shape for p in network.parameters} == {(5, 24), (6, 24), (24,)}
    x = np.random.RandomState(4).randn(7, 3, 5).astype(np.float32)
    loss = C.reduce_sum(C.square(network.outputs[0]))
    gradients = loss.grad({loss.arguments[0]: x}, network.parameters, as_numpy=True)
    assert all(np.abs(np.asarray(g)).max() > 0 for g in gradients.values())


WRONG = {
    'no scale': (8, '', 'DynamicQuantizeLSTM lacks its input 8'),
    'scales of another shape': (8, 'other', 'have scales of the shape'),
    'zero points of another shape': (11, 'other', 'have scales of the shape'),
}


@pytest.mark.parametrize('name', WRONG)
def test_an_lstm_whose_weights_are_not_whole(name, tmp_path):
    model = quantized(lstm(1), tmp_path, False, 'QInt8')
    at, given, text = WRONG[name]
    model.graph.node[0].input[at] = given
    model.graph.initializer.append(constant('other', np.ones(7, np.float32)))
    with pytest.raises(ValueError, match=text):
        C.load_model(model.SerializeToString())


def product(op, by_column, bias):
    random = np.random.RandomState(5)
    a = random.randint(0, 255, (3, 4)).astype(np.uint8)
    weights = [
        constant('b', random.randint(-100, 100, (4, 2)).astype(np.int8)),
        constant('bs', np.array([0.01, 0.03] if by_column else 0.02, np.float32)),
        constant('bz', np.array([3, -2] if by_column else 1, np.int8)),
        constant('as', np.float32(0.015)),
        constant('az', np.uint8(120)),
        constant('bias', np.array([0.5, -1], np.float32)),
    ]
    if op == 'DynamicQuantizeMatMul':
        kind, x, inputs = TensorProto.FLOAT, random.randn(3, 4).astype(np.float32), ['a', 'b', 'bs', 'bz']
    else:
        kind, x, inputs = TensorProto.UINT8, a, ['a', 'b', 'as', 'bs', 'az', 'bz']
    node = h.make_node(op, [*inputs, *(['bias'] if bias else [])], ['y'], domain='com.microsoft')
    graph = h.make_graph([node], 'g', [info('a', ['n', 4], kind)], [info('y', None)], weights)
    return h.make_model(graph, opset_imports=SETS, ir_version=8), {'a': x}


@pytest.mark.parametrize('op', ['DynamicQuantizeMatMul', 'MatMulIntegerToFloat'])
@pytest.mark.parametrize('by_column', [False, True])
@pytest.mark.parametrize('bias', [False, True])
def test_a_product_with_quantized_weights(op, by_column, bias):
    model, feeds = product(op, by_column, bias)
    network = C.load_model(model.SerializeToString())
    found = network.eval({network.arguments[0]: feeds['a']})
    np.testing.assert_allclose(found, by_runtime(model, feeds)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('op', ['DynamicQuantizeMatMul', 'MatMulIntegerToFloat'])
def test_a_product_without_scale(op):
    model, _ = product(op, False, False)
    model.graph.node[0].input[2] = ''
    with pytest.raises(ValueError, match=f'{op} lacks an input'):
        C.load_model(model.SerializeToString())
