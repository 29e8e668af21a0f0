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


def features(path, rows, seed):
    random = np.random.RandomState(seed)
    x = random.uniform(-1, 1, (rows, 4)).astype(np.float32)
    if path.stem.startswith('rounded'):
        return np.round(x)
    if path.stem == 'filled_in':
        x[random.uniform(size=x.shape) < 0.2] = np.nan
    return x


@pytest.mark.parametrize('path', sorted(FOLDER.glob('*.onnx')), ids=lambda p: p.stem)
@pytest.mark.parametrize('rows', [1, 30])
def test_a_model_of_scikit_learn(path, rows):
    session = onnxruntime.InferenceSession(str(path), providers=['CPUExecutionProvider'])
    x = features(path, rows, 2)
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
    """A model whose first node of trees, lines or vectors has other attributes; None: without."""
    model = onnx.load(FOLDER / f'{name}.onnx')
    node = next(n for n in model.graph.node if n.op_type.startswith(('Tree', 'Linear', 'SVM')))
    kept = [a for a in node.attribute if a.name not in attributes]
    made = [helper.make_attribute(k, v) for k, v in attributes.items() if v is not None]
    del node.attribute[:]
    node.attribute.extend(kept + made)
    return C.load_model(model.SerializeToString())


WRONG = {
    'texts': ('forest_two', {'classlabels_strings': ['a', 'b']}, 'whole numbers for labels'),
    'texts of lines': ('logistic_three', {'classlabels_strings': ['a', 'b']}, 'whole numbers for labels'),
    'a way to compare': ('tree', {'nodes_modes': None}, 'different lengths'),
    'fewer nodes': ('tree', {'nodes_values': [0.5]}, 'different lengths'),
    'another transform': ('forest_three', {'post_transform': 'PROBIT'}, 'PROBIT'),
    'a leaf of no tree': ('tree', {'target_treeids': [9] * 40}, 'different lengths|belongs to no leaf'),
    'coefficients': ('scaled_regression', {'coefficients': [1.0, 2.0, 3.0]}, 'coefficients'),
    'a kernel': ('vectors_two', {'kernel_type': 'COSINE'}, 'no kernel COSINE'),
    'labels of vectors that are texts': ('vectors_two', {'classlabels_strings': ['a', 'b']}, 'texts'),
    'no labels': ('vectors_two', {'classlabels_ints': None}, 'no labels'),
    'labels for other classes': ('vectors_two', {'classlabels_ints': [1, 2, 3]}, '2 classes have 3 labels'),
    'more vectors than there are': ('vectors_two', {'vectors_per_class': [2**62, 2**62]}, 'a class has'),
    'vectors fewer than none': ('vectors_two', {'vectors_per_class': [-1, 5]}, 'a class has -1 vectors'),
    'vectors of broken rows': ('vectors_two', {'support_vectors': [1.0] * 101}, 'are no .* support vectors'),
    'classes without vectors': ('vectors_two', {'vectors_per_class': None}, 'without support vectors'),
    'weights of vectors': ('vectors_three', {'coefficients': [1.0]}, 'not whole'),
    'shifts of pairs': ('vectors_three', {'rho': [1.0, 2.0]}, 'not whole'),
    'half of the sigmoids': ('vectors_three_probable', {'prob_b': None}, 'not whole'),
    'a regression without rho': ('vectors_real', {'rho': None}, 'no rho'),
    'a regression of fewer weights': ('vectors_real', {'coefficients': [1.0]}, '1 coefficients'),
    'a regression that is transformed': ('vectors_real', {'post_transform': 'LOGISTIC'}, 'transformed'),
}


@pytest.mark.parametrize('name', WRONG)
def test_a_model_that_is_not_whole(name):
    model, attributes, text = WRONG[name]
    with pytest.raises((ValueError, RuntimeError, NotImplementedError), match=text):
        changed(model, **attributes)


def table_model(op, x, outputs, **attributes):
    """One operator of ai.onnx.ml over rows like x's; outputs: the element types."""
    kinds = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64}
    names = [f'y{i}' for i in range(len(outputs))]
    graph = helper.make_graph(
        [helper.make_node(op, ['x'], names, domain='ai.onnx.ml', **attributes)],
        'g',
        [helper.make_tensor_value_info('x', kinds[x.dtype], ['N', x.shape[1]])],
        [helper.make_tensor_value_info(n, kinds[np.dtype(t)], None) for n, t in zip(names, outputs)],
    )
    imports = [helper.make_opsetid('', 17), helper.make_opsetid('ai.onnx.ml', 3)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()


def agrees_with_onnxruntime(model, x, rtol=1e-5):
    session = onnxruntime.InferenceSession(model, providers=['CPUExecutionProvider'])
    for found, due in zip(results(C.load_model(model), x), session.run(None, {'x': x})):
        assert found.shape == due.shape
        np.testing.assert_allclose(found, due, rtol=rtol, atol=1e-6)


def machines(per_class, kernel, post, has_probabilities):
    random = np.random.RandomState(1)
    count, classes = sum(per_class), len(per_class)
    pairs = classes * (classes - 1) // 2
    made = {
        'kernel_type': kernel,
        'kernel_params': [0.5, 0.25, 3.0],
        'vectors_per_class': per_class,
        'support_vectors': random.randn(count * 3).tolist(),
        'coefficients': random.randn((classes - 1) * count).tolist(),
        'rho': (random.randn(pairs) * 0.3).tolist(),
        'post_transform': post,
        'classlabels_ints': list(range(10, 10 + classes)),
    }
    if has_probabilities:
        made['prob_a'] = (-np.abs(random.randn(pairs))).tolist()
        made['prob_b'] = (random.randn(pairs) * 0.1).tolist()
    return made


ROWS = np.random.RandomState(0).randn(7, 3).astype(np.float32)
KERNELS = ['LINEAR', 'POLY', 'RBF', 'SIGMOID']


@pytest.mark.parametrize('per_class', [[2, 3], [2, 1, 3], [2, 3, 2, 1]], ids=len)
@pytest.mark.parametrize('kernel', KERNELS)
@pytest.mark.parametrize('post', ['NONE', 'LOGISTIC', 'SOFTMAX', 'SOFTMAX_ZERO'])
@pytest.mark.parametrize('has_probabilities', [False, True])
def test_classes_by_support_vectors(per_class, kernel, post, has_probabilities):
    attributes = machines(per_class, kernel, post, has_probabilities)
    model = table_model('SVMClassifier', ROWS, ['int64', 'float32'], **attributes)
    agrees_with_onnxruntime(model, ROWS, 1e-4)


@pytest.mark.parametrize('kernel, supports', [('LINEAR', 0), *((k, 4) for k in KERNELS)])
@pytest.mark.parametrize('one_class', [0, 1])
def test_sums_of_support_vectors(kernel, supports, one_class):
    random = np.random.RandomState(2)
    model = table_model(
        'SVMRegressor',
        ROWS,
        ['float32'],
        kernel_type=kernel,
        kernel_params=[0.5, 0.25, 3.0],
        n_supports=supports,
        coefficients=random.randn(supports or 3).tolist(),
        rho=[0.1],
        one_class=one_class,
        **({'support_vectors': random.randn(3 * supports).tolist()} if supports else {}),
    )
    agrees_with_onnxruntime(model, ROWS)


LOOKUPS = {
    'whole to whole': (np.int64, {'keys_int64s': [1, 2, 2], 'values_int64s': [7, 8, 9]}),
    'another one for the rest': (np.int64, {'keys_int64s': [1], 'values_int64s': [7], 'default_int64': 3}),
    'whole to real': (np.int64, {'keys_int64s': [1, 2], 'values_floats': [7.5, 8.0]}),
    'real to whole': (np.float32, {'keys_floats': [1.0, 2.5], 'values_int64s': [7, 8]}),
    'real to real': (np.float32, {'keys_floats': [1.0], 'values_floats': [7.5], 'default_float': 9.0}),
}


@pytest.mark.parametrize('name', LOOKUPS)
def test_a_lookup(name):
    kind, attributes = LOOKUPS[name]
    x = np.array([[1, 2], [3, 1], [2.5, -1]]).astype(kind)
    result = 'int64' if 'values_int64s' in attributes else 'float32'
    agrees_with_onnxruntime(table_model('LabelEncoder', x, [result], **attributes), x)


@pytest.mark.parametrize('kind', [np.int64, np.float32])
def test_categories(kind):
    x = np.array([[1, 2], [5, 1.5], [-3, 2]]).astype(kind)
    agrees_with_onnxruntime(table_model('OneHotEncoder', x, ['float32'], cats_int64s=[1, 2, -3]), x)


def test_what_is_none_of_the_categories():
    x = np.array([[1, 5]])
    network = C.load_model(table_model('OneHotEncoder', x, ['float32'], cats_int64s=[1, 2], zeros=0))
    with pytest.raises((ValueError, RuntimeError), match='5 is none of the categories'):
        results(network, x)


FILLED = {
    'for each feature': (np.float32, {'imputed_value_floats': [1.0, 2.0], 'replaced_value_float': 0.0}),
    'none': (np.float32, {'imputed_value_floats': [9.0], 'replaced_value_float': float('nan')}),
    'by itself': (np.float32, {'imputed_value_floats': [9.0]}),
    'whole': (np.int64, {'imputed_value_int64s': [1, 2], 'replaced_value_int64': 0}),
}


@pytest.mark.parametrize('name', FILLED)
def test_what_is_missing_is_filled_in(name):
    kind, attributes = FILLED[name]
    x = np.array([[0, 2], [3, 0]]).astype(kind)
    if kind == np.float32:
        x[1, 0] = np.nan
    agrees_with_onnxruntime(table_model('Imputer', x, [np.dtype(kind).name], **attributes), x)


COLUMNS_WRONG = {
    'keys and values': ('LabelEncoder', {'keys_int64s': [1, 2], 'values_int64s': [7]}, '2 keys and 1 values'),
    'texts as keys': ('LabelEncoder', {'keys_strings': ['a'], 'values_int64s': [7]}, 'texts'),
    'texts as values': ('LabelEncoder', {'keys_int64s': [1], 'values_strings': ['a']}, 'texts'),
    'no keys': ('LabelEncoder', {}, '0 keys'),
    'texts as categories': ('OneHotEncoder', {'cats_strings': ['a']}, 'texts'),
    'no categories': ('OneHotEncoder', {}, 'no categories'),
    'nothing to fill in': ('Imputer', {}, 'no numbers to fill in'),
    'too much to fill in': ('Imputer', {'imputed_value_int64s': [1, 2, 3]}, '3 numbers for 2 features'),
}


@pytest.mark.parametrize('name', COLUMNS_WRONG)
def test_columns_that_are_not_whole(name):
    op, attributes, text = COLUMNS_WRONG[name]
    with pytest.raises((ValueError, RuntimeError, NotImplementedError), match=text):
        C.load_model(table_model(op, np.array([[1, 2]]), ['int64'], **attributes))


def test_rows_that_do_not_fit_the_vectors():
    x = np.zeros((2, 4), np.float32)
    attributes = machines([2, 3], 'RBF', 'NONE', False)
    with pytest.raises((ValueError, RuntimeError), match='rows have 4 features, and the vectors 3'):
        results(C.load_model(table_model('SVMClassifier', x, ['int64', 'float32'], **attributes)), x)


def test_a_tree_that_leads_to_itself_ends():
    model = onnx.load(FOLDER / 'tree.onnx')
    node = next(n for n in model.graph.node if n.op_type.startswith('Tree'))
    for a in node.attribute:
        if a.name in ('nodes_truenodeids', 'nodes_falsenodeids'):
            a.ints[:] = [0] * len(a.ints)
    network = C.load_model(model.SerializeToString())
    with pytest.raises((ValueError, RuntimeError), match='nowhere'):
        results(network, np.zeros((2, 4), np.float32))


def test_scores_by_label_are_columns():
    """skl2onnx ends a classifier with ZipMap, which makes a dictionary of each row."""
    x = np.float32([[0.25, 0.75], [0.5, 0.5]])
    node = helper.make_node('ZipMap', ['x'], ['y'], domain='ai.onnx.ml', classlabels_int64s=[4, 2])
    dictionary = helper.make_map_type_proto(
        TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    )
    graph = helper.make_graph(
        [node],
        'g',
        [helper.make_tensor_value_info('x', TensorProto.FLOAT, ['N', 2])],
        [helper.make_value_info('y', helper.make_sequence_type_proto(dictionary))],
    )
    imports = [helper.make_opsetid('', 17), helper.make_opsetid('ai.onnx.ml', 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    (found,) = results(C.load_model(model), x)
    np.testing.assert_array_equal(found, x)
    session = onnxruntime.InferenceSession(model, providers=['CPUExecutionProvider'])
    for row, due in zip(found, session.run(None, {'x': x})[0]):
        assert dict(zip([4, 2], row)) == due


@pytest.mark.parametrize('path', sorted(FOLDER.glob('*.onnx')), ids=lambda p: p.stem)
def test_a_model_of_scikit_learn_is_written_again(path, tmp_path):
    network = C.load_model(str(path))
    network.save(str(tmp_path / 'again.onnx'), format=C.ModelFormat.ONNX)
    onnx.checker.check_model(str(tmp_path / 'again.onnx'))
    session = onnxruntime.InferenceSession(str(tmp_path / 'again.onnx'), providers=['CPUExecutionProvider'])
    x = features(path, 9, 4)
    due = results(network, x)
    written = session.run(None, {session.get_inputs()[0].name: x})
    read = results(C.load_model(str(tmp_path / 'again.onnx')), x)
    for a, b, c in zip(due, written, read):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(c, a, rtol=1e-5, atol=1e-6)


def written_again(model, tmp_path, x):
    """A model whose attributes are tensors gives the same after it was written again."""
    network = C.load_model(model.SerializeToString())
    network.save(str(tmp_path / 'again.onnx'), format=C.ModelFormat.ONNX)
    onnx.checker.check_model(str(tmp_path / 'again.onnx'))
    due = results(network, x)
    for found, again in zip(due, results(C.load_model(str(tmp_path / 'again.onnx')), x)):
        np.testing.assert_array_equal(again, found)
    session = onnxruntime.InferenceSession(str(tmp_path / 'again.onnx'), providers=['CPUExecutionProvider'])
    for found, theirs in zip(due, session.run(None, {session.get_inputs()[0].name: x})):
        np.testing.assert_allclose(theirs, found, rtol=1e-5)
    return due


def test_a_lookup_by_tensors(tmp_path):
    def tensor(kind, numbers):
        return helper.make_tensor('t', kind, [len(numbers)], numbers)

    node = helper.make_node(
        'LabelEncoder',
        ['x'],
        ['y'],
        domain='ai.onnx.ml',
        keys_tensor=tensor(TensorProto.FLOAT, [1.5, 2.0]),
        values_tensor=tensor(TensorProto.INT64, [7, 8]),
        default_tensor=tensor(TensorProto.INT64, [-3]),
    )
    x = helper.make_tensor_value_info('x', TensorProto.FLOAT, ['N', 2])
    y = helper.make_tensor_value_info('y', TensorProto.INT64, None)
    imports = [helper.make_opsetid('', 17), helper.make_opsetid('ai.onnx.ml', 4)]
    model = helper.make_model(helper.make_graph([node], 'g', [x], [y]), opset_imports=imports, ir_version=8)
    (found,) = written_again(model, tmp_path, np.float32([[1.5, 3], [2, 1]]))
    np.testing.assert_array_equal(found, [[7, -3], [8, -3]])


def test_a_tree_in_two_lists(tmp_path):
    """TreeEnsemble of version 5: x[0] <= 0.5 gives 3, else x[1] > -1 gives 5 and 7."""
    lists = {
        'tree_roots': [0],
        'nodes_featureids': [0, 1],
        'nodes_trueleafs': [1, 1],
        'nodes_truenodeids': [0, 1],
        'nodes_falseleafs': [0, 1],
        'nodes_falsenodeids': [1, 2],
        'leaf_targetids': [0, 0, 0],
    }
    real = {'nodes_splits': [0.5, -1.0], 'leaf_weights': [3.0, 5.0, 7.0]}
    node = helper.make_node(
        'TreeEnsemble',
        ['x'],
        ['y'],
        domain='ai.onnx.ml',
        n_targets=1,
        nodes_modes=helper.make_tensor('m', TensorProto.UINT8, [2], [0, 3]),
        **{n: helper.make_tensor(n, TensorProto.FLOAT, [len(v)], v) for n, v in real.items()},
        **lists,
    )
    x = helper.make_tensor_value_info('x', TensorProto.FLOAT, ['N', 2])
    y = helper.make_tensor_value_info('y', TensorProto.FLOAT, ['N', 1])
    imports = [helper.make_opsetid('', 17), helper.make_opsetid('ai.onnx.ml', 5)]
    model = helper.make_model(helper.make_graph([node], 'g', [x], [y]), opset_imports=imports, ir_version=8)
    (found,) = written_again(model, tmp_path, np.float32([[0, 0], [1, 0], [1, -2]]))
    np.testing.assert_array_equal(found, [[3], [5], [7]])


def test_arithmetic_without_guards_is_saved_for_cntk(tmp_path):
    """Networks of other frameworks divide, and take roots, without CNTK's guards."""
    nodes = [
        helper.make_node('Div', ['x', 'y'], ['a']),
        helper.make_node('Sqrt', ['x'], ['b']),
        helper.make_node('Log', ['x'], ['c']),
        helper.make_node('Pow', ['x', 'y'], ['d']),
        helper.make_node('Reciprocal', ['y'], ['e']),
        helper.make_node('Max', ['x', 'y'], ['f']),
        helper.make_node('Min', ['x', 'y'], ['g']),
        helper.make_node('ReduceMax', ['b'], ['h'], axes=[1]),
        helper.make_node('ReduceMin', ['b'], ['i'], axes=[1]),
        helper.make_node('Concat', list('abcdefghi'), ['z'], axis=1),
    ]
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ['N', 2]) for n in 'xy']
    z = helper.make_tensor_value_info('z', TensorProto.FLOAT, ['N', 16])
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


@pytest.mark.parametrize('after', ['NONE', 'LOGISTIC'])
def test_one_score_for_two_classes(after):
    """That of the second class: what is left of 1 is that of the first."""
    node = helper.make_node(
        'LinearClassifier',
        ['x'],
        ['label', 'scores'],
        domain='ai.onnx.ml',
        coefficients=[0.1, 0.2, 0.3],
        intercepts=[0.1],
        classlabels_ints=[5, 7],
        post_transform=after,
    )
    value = helper.make_tensor_value_info
    outputs = [value('label', TensorProto.INT64, ['N']), value('scores', TensorProto.FLOAT, ['N', 2])]
    model = helper.make_model(
        helper.make_graph([node], 'g', [value('x', TensorProto.FLOAT, ['N', 3])], outputs),
        opset_imports=[helper.make_opsetid('', 17), helper.make_opsetid('ai.onnx.ml', 3)],
        ir_version=8,
    )
    x = np.random.RandomState(1).uniform(-1, 1, (6, 3)).astype(np.float32)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=['CPUExecutionProvider'])
    for found, due in zip(results(C.load_model(model.SerializeToString()), x), session.run(None, {'x': x})):
        np.testing.assert_allclose(found, due, rtol=1e-5)


def test_trees_are_not_saved_for_cntk(tmp_path):
    network = C.load_model(str(FOLDER / 'tree.onnx'))
    with pytest.raises(NotImplementedError, match='TreeEnsembleRegressor') as raised:
        network.save(str(tmp_path / 'tree.model'))
    assert 'ModelFormat.ONNX' in str(raised.value)
