"""Models of tables that skl2onnx wrote (tests/golden/onnx_sklearn.py) give the results of ONNX Runtime."""

import pathlib

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
from onnx import TensorProto, helper

FOLDER = pathlib.Path(__file__).resolve().parent.parent / 'golden' / 'onnx_sklearn'


def results(network, x):
    made = network.eval({network.arguments[0]: x})
    made = made if isinstance(made, dict) else {network.outputs[0]: made}
    return [np.asarray(made[v]) for v in network.outputs]


@pytest.mark.parametrize('path', sorted(FOLDER.glob('*.onnx')), ids=lambda p: p.stem)
@pytest.mark.parametrize('rows', [1, 30])
def test_a_model_of_scikit_learn(path, rows):
    session = onnxruntime.InferenceSession(str(path), providers=['CPUExecutionProvider'])
    x = np.random.RandomState(2).uniform(-1, 1, (rows, 4)).astype(np.float32)
    due = session.run(None, {session.get_inputs()[0].name: x})
    for found, wanted in zip(results(C.load_model(str(path)), x), due):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_a_linear_model_goes_on_learning():
    network = C.load_model(str(FOLDER / 'scaled_regression.onnx'))
    y = C.input_variable(2)
    loss = C.squared_error(network, y)
    trainer = C.Trainer(network, loss, C.sgd(network.parameters, C.learning_parameter_schedule(0.1)))
    random = np.random.RandomState(3)
    feeds = {network.arguments[0]: random.randn(20, 4).astype(np.float32), y: random.randn(20, 2)}
    first = loss.eval(feeds).mean()
    for _ in range(10):
        trainer.train_minibatch(feeds)
    assert loss.eval(feeds).mean() < first


def changed(name, **attributes):
    """A model whose first node of trees or lines has other attributes; None: without."""
    model = onnx.load(FOLDER / f'{name}.onnx')
    node = next(n for n in model.graph.node if n.op_type.startswith(('Tree', 'Linear')))
    kept = [a for a in node.attribute if a.name not in attributes]
    made = [helper.make_attribute(k, v) for k, v in attributes.items() if v is not None]
    del node.attribute[:]
    node.attribute.extend(kept + made)
    return C.load_model(model.SerializeToString())


WRONG = {
    'texts': ('forest_two', {'classlabels_strings': ['a', 'b']}, 'texts'),
    'a way to compare': ('tree', {'nodes_modes': None}, 'different lengths'),
    'fewer nodes': ('tree', {'nodes_values': [0.5]}, 'different lengths'),
    'another transform': ('forest_three', {'post_transform': 'PROBIT'}, 'PROBIT'),
    'a leaf of no tree': ('tree', {'target_treeids': [9] * 40}, 'different lengths|belongs to no leaf'),
    'coefficients': ('scaled_regression', {'coefficients': [1.0, 2.0, 3.0]}, 'coefficients'),
}


@pytest.mark.parametrize('name', WRONG)
def test_trees_and_lines_that_are_not_whole(name):
    model, attributes, text = WRONG[name]
    with pytest.raises((ValueError, RuntimeError, NotImplementedError), match=text):
        changed(model, **attributes)


def test_a_tree_that_leads_to_itself_ends():
    model = onnx.load(FOLDER / 'tree.onnx')
    node = next(n for n in model.graph.node if n.op_type.startswith('Tree'))
    for a in node.attribute:
        if a.name in ('nodes_truenodeids', 'nodes_falsenodeids'):
            a.ints[:] = [0] * len(a.ints)
    network = C.load_model(model.SerializeToString())
    with pytest.raises((ValueError, RuntimeError), match='nowhere'):
        results(network, np.zeros((2, 4), np.float32))


def test_classes_with_texts_for_labels_are_refused_by_name():
    node = helper.make_node('ZipMap', ['x'], ['y'], domain='ai.onnx.ml', classlabels_int64s=[0, 1])
    graph = helper.make_graph(
        [node],
        'g',
        [helper.make_tensor_value_info('x', TensorProto.FLOAT, ['N', 2])],
        [helper.make_tensor_value_info('y', TensorProto.FLOAT, None)],
    )
    imports = [helper.make_opsetid('', 17), helper.make_opsetid('ai.onnx.ml', 1)]
    with pytest.raises((RuntimeError, NotImplementedError), match='ZipMap of the domain ai.onnx.ml'):
        C.load_model(helper.make_model(graph, opset_imports=imports).SerializeToString())


@pytest.mark.parametrize('path', sorted(FOLDER.glob('*.onnx')), ids=lambda p: p.stem)
def test_a_model_of_scikit_learn_is_written_again(path, tmp_path):
    network = C.load_model(str(path))
    network.save(str(tmp_path / 'again.onnx'), format=C.ModelFormat.ONNX)
    onnx.checker.check_model(str(tmp_path / 'again.onnx'))
    session = onnxruntime.InferenceSession(str(tmp_path / 'again.onnx'), providers=['CPUExecutionProvider'])
    x = np.random.RandomState(4).uniform(-1, 1, (9, 4)).astype(np.float32)
    due = results(network, x)
    written = session.run(None, {session.get_inputs()[0].name: x})
    read = results(C.load_model(str(tmp_path / 'again.onnx')), x)
    for a, b, c in zip(due, written, read):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(c, a, rtol=1e-5, atol=1e-6)


def test_arithmetic_without_guards_is_saved_for_cntk(tmp_path):
    """Networks of other frameworks divide, and take roots, without CNTK's guards."""
    nodes = [
        helper.make_node('Div', ['x', 'y'], ['a']),
        helper.make_node('Sqrt', ['x'], ['b']),
        helper.make_node('Log', ['x'], ['c']),
        helper.make_node('Pow', ['x', 'y'], ['d']),
        helper.make_node('Reciprocal', ['y'], ['e']),
        helper.make_node('Concat', list('abcde'), ['z'], axis=1),
    ]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ['N', 2]) for n in 'xy']
    z = helper.make_tensor_value_info('z', TensorProto.FLOAT, ['N', 10])
    model = helper.make_model(
        helper.make_graph(nodes, 'g', inputs, [z]), opset_imports=[helper.make_opsetid('', 17)]
    )
    network = C.load_model(model.SerializeToString())
    network.save(str(tmp_path / 'network.model'))
    again = C.load_model(str(tmp_path / 'network.model'))
    feeds = {'x': np.float32([[1, -1], [0, 4]]), 'y': np.float32([[0, 2], [0, 3]])}
    first, second = (np.asarray(f.eval({a: feeds[a.name] for a in f.arguments})) for f in (network, again))
    assert np.isinf(first).any() and np.isnan(first).any()
    np.testing.assert_array_equal(first, second)


def test_trees_are_not_saved_for_cntk(tmp_path):
    network = C.load_model(str(FOLDER / 'tree.onnx'))
    with pytest.raises(NotImplementedError, match='TreeEnsembleRegressor') as raised:
        network.save(str(tmp_path / 'tree.model'))
    assert 'ModelFormat.ONNX' in str(raised.value)
