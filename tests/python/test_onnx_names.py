"""Names in ONNX's files: functions, labels and outputs keep theirs, both ways."""

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
from onnx import TensorProto, helper


def layered():
    x = C.input_variable(3, name='x')
    return C.layers.Sequential(
        [C.layers.Dense(4, name='first'), C.layers.Label('middle'), C.relu, C.layers.Dense(2, name='last')]
    )(x)


def saved(network, tmp_path):
    path = str(tmp_path / 'model.onnx')
    network.save(path, format=C.ModelFormat.ONNX)
    return path


def test_functions_and_labels_keep_their_names(tmp_path):
    network = layered()
    path = saved(network, tmp_path)
    graph = onnx.load(path).graph
    names = [n.name for n in graph.node]
    assert len(set(names)) == len(names) and {'first', 'middle', 'last'} <= set(names)
    assert [o.name for o in graph.output] == ['last']
    assert [n.op_type for n in graph.node].count('Identity') == 1  # the label
    data = np.random.RandomState(0).randn(5, 3).astype(np.float32)
    for read in (C.load_model(path), C.Function.load(path, format=C.ModelFormat.ONNX)):
        assert read.output.name == 'last'
        for name in ('first', 'middle', 'last'):
            assert read.find_by_name(name).name == name
    read = C.load_model(path)
    middle = C.combine([read.find_by_name('middle')]), C.combine([network.find_by_name('middle')])
    assert np.allclose(middle[0].eval(data), middle[1].eval(data), atol=1e-6)
    assert np.allclose(read.eval(data), network.eval(data), atol=1e-6)


def test_names_are_the_same_after_the_second_save(tmp_path):
    first = C.load_model(saved(layered(), tmp_path))
    before = sorted(n.name for n in onnx.load(tmp_path / 'model.onnx').graph.node)
    saved(first, tmp_path)
    assert sorted(n.name for n in onnx.load(tmp_path / 'model.onnx').graph.node) == before


def test_a_label_at_the_output(tmp_path):
    z = C.layers.Sequential([C.layers.Dense(2), C.layers.Label('top')])(C.input_variable(3))
    path = saved(z, tmp_path)
    assert [o.name for o in onnx.load(path).graph.output] == ['top']
    assert C.load_model(path).output.name == 'top' and C.load_model(path).find_by_name('top')


def test_several_outputs_of_one_value_and_of_leaves(tmp_path):
    x = C.input_variable(2, name='x')
    r = C.relu(x, name='r')
    network = C.combine([r, C.alias(r, 'a'), C.alias(x, 'b'), C.alias(C.constant([1.0, 2.0]), 'c')])
    path = saved(network, tmp_path)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    assert [o.name for o in onnx.load(path).graph.output] == ['r', 'a', 'b', 'c']
    read = C.load_model(path)
    assert [o.name for o in read.outputs] == ['r', 'a', 'b', 'c']
    data = np.float32([[1, -2], [-3, 4]])
    found = {o.name: v for o, v in read.eval({read.arguments[0]: data}).items()}
    assert np.array_equal(found['r'], np.maximum(data, 0)) and np.array_equal(found['a'], found['r'])
    assert np.array_equal(found['b'], data) and np.array_equal(found['c'].ravel()[:2], [1, 2])


def test_one_function_as_two_outputs(tmp_path):
    r = C.relu(C.input_variable(2, name='x'), name='r')
    model = onnx.load(saved(C.combine([r, r]), tmp_path))
    onnx.checker.check_model(model, full_check=True)
    assert [o.name for o in model.graph.output] == ['r', 'r_1']


def test_two_functions_of_one_name(tmp_path):
    x = C.input_variable(2, name='same')
    network = C.relu(C.tanh(x, name='same'), name='same')
    path = saved(network, tmp_path)
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert len({n.name for n in model.graph.node}) == 2
    data = np.float32([[0.5, -2]])
    assert np.allclose(C.load_model(path).eval(data), np.maximum(np.tanh(data), 0))


def other_program(outputs=('y',)):
    """As exporters name things: nodes by their paths, outputs as the user said."""
    nodes = [
        helper.make_node('Relu', ['x'], ['/act/Relu_output_0'], name='/act/Relu'),
        helper.make_node('Identity', ['/act/Relu_output_0'], ['kept'], name='/act/Identity'),
        helper.make_node('Add', ['kept', 'kept'], ['y'], name='/Add'),
        helper.make_node('Neg', ['kept'], ['z']),
    ]
    info = [helper.make_tensor_value_info(o, TensorProto.FLOAT, ['n', 3]) for o in outputs]
    inputs = [helper.make_tensor_value_info('x', TensorProto.FLOAT, ['n', 3])]
    graph = helper.make_graph(nodes, 'g', inputs, info)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)


@pytest.mark.parametrize('outputs', [('y',), ('y', 'z'), ('z', 'kept', 'y')])
def test_outputs_have_the_names_of_the_file(outputs, tmp_path):
    path = str(tmp_path / 'other.onnx')
    onnx.save(other_program(outputs), path)
    read = C.load_model(path)
    names = [o.name for o in read.outputs]
    assert names == list(outputs)
    assert read.find_by_name('/act/Identity') and (('y' not in outputs) or read.find_by_name('/Add'))
    data = np.float32([[1, -2, 3]])
    found = read.eval(data)
    found = list(found.values()) if isinstance(found, dict) else [found]
    wanted = {'y': 2 * np.maximum(data, 0), 'z': -np.maximum(data, 0), 'kept': np.maximum(data, 0)}
    for name, value in zip(names, found):
        assert np.array_equal(value, wanted[name])
    # in CNTK's way outputs have the names of their nodes
    as_cntk = C.Function.load(path, format=C.ModelFormat.ONNX)
    in_cntk = {'y': '/Add', 'z': 'z', 'kept': '/act/Identity'}
    assert [o.name for o in as_cntk.outputs] == [in_cntk[o] for o in outputs]


def test_an_identity_of_weights_makes_no_function(tmp_path):
    weights = helper.make_tensor('W', TensorProto.FLOAT, [3, 2], [1, 2, 3, 4, 5, 6])
    nodes = [
        helper.make_node('Identity', ['W'], ['tied'], name='onnx::Identity_1'),
        helper.make_node('MatMul', ['x', 'tied'], ['y'], name='product'),
    ]
    info = [helper.make_tensor_value_info('y', TensorProto.FLOAT, ['n', 2])]
    inputs = [helper.make_tensor_value_info('x', TensorProto.FLOAT, ['n', 3])]
    graph = helper.make_graph(nodes, 'g', inputs, info, [weights])
    path = str(tmp_path / 'tied.onnx')
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8), path)
    read = C.load_model(path)
    assert [p.name for p in read.parameters] == ['W'] and read.find_by_name('onnx::Identity_1') is None
    assert read.eval(np.float32([[1, 0, 0]])).tolist() == [[1, 2]]
