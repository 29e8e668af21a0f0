"""Files whose inputs begin with open sizes of different names: one of them is the batch, the others are free
(docs/dev/decisions/onnx_batch_axis.md)."""

import numpy as np
import pytest

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
from onnx import helper as h

import cantik as C
from onnx_models import INT64, check, constant, info

random = np.random.default_rng(0)


def numbers(*shape):
    return random.standard_normal(shape).astype('f')


def named(value, *sizes):
    """An input of these sizes, of which texts are names, and what it is fed with."""
    return sizes, value


WEIGHTS = constant('W', numbers(4, 3))
NODES = {
    'attention to a memory': [
        h.make_node('Transpose', ['y'], ['t'], perm=[1, 0]),
        h.make_node('MatMul', ['x', 't'], ['s']),
        h.make_node('Softmax', ['s'], ['p'], axis=-1),
        h.make_node('MatMul', ['p', 'y'], ['z']),
    ],
    'every pair': [
        h.make_node('Transpose', ['y'], ['t'], perm=[1, 0]),
        h.make_node('MatMul', ['x', 't'], ['z']),
    ],
    'a table': [h.make_node('Gather', ['x', 'y'], ['z'])],
    'nodes of edges': [h.make_node('Gather', ['x', 'y'], ['e']), h.make_node('MatMul', ['e', 'W'], ['z'])],
    'one behind the other': [h.make_node('Concat', ['x', 'y'], ['z'], axis=0)],
    'the mean of the others': [
        h.make_node('ReduceMean', ['y'], ['m'], axes=[0], keepdims=1),
        h.make_node('Sub', ['x', 'm'], ['z']),
    ],
    'a row for all': [h.make_node('Add', ['x', 'y'], ['z'])],
    'the same size by two names': [h.make_node('Add', ['x', 'y'], ['z'])],
}
PLACES = np.array([0, 4, 2, 4, 1, 0, 3])
# The inputs, the first size of the output, and the name of the batch.
CASES = {
    'attention to a memory': (named(numbers(5, 4), 'n', 4), named(numbers(3, 4), 'slots', 4), 'n', 'x'),
    'every pair': (named(numbers(5, 4), 'left', 4), named(numbers(3, 4), 'right', 4), 'left', 'x'),
    'a table': (named(numbers(5, 4), 'rows', 4), named(PLACES, 'n'), 'n', 'y'),
    'nodes of edges': (named(numbers(5, 4), 'nodes', 4), named(PLACES, 'edges'), 'edges', 'y'),
    'one behind the other': (named(numbers(5, 4), 'n', 4), named(numbers(3, 4), 'm', 4), 'both', 'x'),
    'the mean of the others': (named(numbers(5, 4), 'n', 4), named(numbers(3, 4), 'm', 4), 'n', 'x'),
    'a row for all': (named(numbers(5, 4), 'n', 4), named(numbers(1, 4), 'm', 4), 'n', 'x'),
    'the same size by two names': (named(numbers(5, 4), 'n', 4), named(numbers(5, 4), 'm', 4), 'n', 'x'),
}


def read(path, case):
    (x_sizes, x), (y_sizes, y), first, batch = CASES[case]
    kind = INT64 if y.dtype == np.int64 else 1
    weights = [WEIGHTS] if any('W' in n.input for n in NODES[case]) else []
    inputs = [info('x', x_sizes), info('y', y_sizes, kind)]
    made = info('z', [first, 'last'])
    return check(path, NODES[case], inputs, [made], weights, {'x': x, 'y': y}), batch


@pytest.mark.parametrize('case', CASES)
def test_first_sizes_of_two_names(tmp_path, case):
    network, batch = read(tmp_path / 'a.onnx', case)
    batches = [a.name for a in network.arguments if len(a.dynamic_axes) == 1]
    assert batches == [batch]
    free = next(a for a in network.arguments if a.name != batch)
    assert free.shape[0] == C.FreeDimension


@pytest.mark.parametrize('case', CASES)
def test_they_are_two_sizes_when_the_model_is_written_again(tmp_path, case):
    network, batch = read(tmp_path / 'a.onnx', case)
    (_, x), (_, y), _, _ = CASES[case]
    feeds = {'x': x, 'y': y}
    network.save(str(tmp_path / 'b.onnx'), format=C.ModelFormat.ONNX)
    again = C.load_model(str(tmp_path / 'b.onnx'))
    assert [a.name for a in again.arguments if len(a.dynamic_axes) == 1] == [batch]
    both = [np.asarray(f.eval({a: feeds[a.name] for a in f.arguments})) for f in (network, again)]
    np.testing.assert_allclose(both[1], both[0], rtol=1e-6)


@pytest.mark.parametrize('names', [('x_dynamic_axes_1', 'y_dynamic_axes_1'), (None, None), (None, 'n')])
def test_names_that_say_nothing_are_the_batch(tmp_path, names):
    nodes = [h.make_node('Mul', ['x', 'y'], ['z'])]
    x, y = numbers(5, 4), numbers(5, 4)
    inputs = [info(name, [first, 4]) for name, first in zip('xy', names)]
    network = check(tmp_path / 'a.onnx', nodes, inputs, [info('z', [None, 4])], [], {'x': x, 'y': y})
    assert all(len(a.dynamic_axes) == 1 for a in network.arguments)
    with pytest.raises(ValueError, match='different numbers of samples'):
        network.eval({'x': x, 'y': y[:3]})


def test_sizes_that_have_to_be_the_same_are_an_error_of_the_run(tmp_path):
    network, _ = read(tmp_path / 'a.onnx', 'the same size by two names')
    with pytest.raises((ValueError, RuntimeError), match='3'):
        network.eval({'x': numbers(5, 4), 'y': numbers(3, 4)})


def test_a_free_first_size_without_a_batch_stays_free(tmp_path):
    x = C.input_variable((C.FreeDimension, 4), dynamic_axes=[], name='x')
    C.relu(x).save(str(tmp_path / 'a.onnx'), format=C.ModelFormat.ONNX)
    again = C.load_model(str(tmp_path / 'a.onnx'))
    assert again.arguments[0].shape == (C.FreeDimension, 4)
    assert len(again.arguments[0].dynamic_axes) == 0


RECURRENT = [
    h.make_node('Transpose', ['x'], ['t'], perm=[1, 0, 2]),
    h.make_node('LSTM', ['t', 'W', 'R'], ['', 'h'], hidden_size=8),
    h.make_node('Gather', ['h', 'last'], ['g'], axis=0),
    h.make_node('MatMul', ['g', 'V'], ['z']),
]
ATTENTION = [
    h.make_node('Transpose', ['x'], ['t'], perm=[1, 0, 2]),
    h.make_node('Transpose', ['t'], ['k'], perm=[1, 2, 0]),
    h.make_node('Transpose', ['t'], ['q'], perm=[1, 0, 2]),
    h.make_node('MatMul', ['q', 'k'], ['s']),
    h.make_node('Softmax', ['s'], ['p'], axis=-1),
    h.make_node('MatMul', ['p', 'q'], ['m']),
    h.make_node('ReduceMean', ['m'], ['g'], axes=[1], keepdims=0),
    h.make_node('MatMul', ['g', 'U'], ['z']),
]


def whole_arrays(path, nodes, names, x):
    weights = [
        constant('W', numbers(1, 32, 4)),
        constant('R', numbers(1, 32, 8)),
        constant('V', numbers(8, 3)),
    ]
    weights += [constant('last', np.int64(-1)), constant('U', numbers(4, 3))]
    used = {name for n in nodes for name in n.input}
    weights = [w for w in weights if w.name in used]
    made = info('z', [names[1], 3])
    return check(path, nodes, [info('x', [names[0], 6, 4])], [made], weights, {'x': x})


@pytest.mark.parametrize(
    'nodes, names',
    [
        (RECURRENT, ('b', 'b')),
        (RECURRENT, ('b', 'other')),
        (RECURRENT, ('x_dynamic_axes_1', 'z_dynamic_axes_1')),
        (RECURRENT, (None, None)),
        (ATTENTION, ('b', 'b')),
    ],
)
def test_a_result_of_whole_arrays_is_a_batch_again(tmp_path, nodes, names):
    x = numbers(5, 6, 4)
    network = whole_arrays(tmp_path / 'a.onnx', nodes, names, x)
    assert len(network.output.dynamic_axes) == 1 and network.output.shape == (3,)
    # Each sample meets its own label.
    y = C.input_variable(3)
    labels = np.eye(3, dtype='f')[[0, 2, 1, 1, 0]]
    loss = C.cross_entropy_with_softmax(network, y)
    scores = network.eval({'x': x})
    due = np.log(np.exp(scores).sum(1)) - (scores * labels).sum(1)
    trainer = C.Trainer(network, loss, C.sgd(network.parameters, 1e-9))
    trainer.train_minibatch({network.arguments[0]: x, y: labels})
    assert trainer.previous_minibatch_loss_average == pytest.approx(due.mean(), rel=1e-5)
    with pytest.raises(ValueError, match='samples'):
        loss.eval({network.arguments[0]: x, y: labels[:3]})
    network.save(str(tmp_path / 'b.onnx'), format=C.ModelFormat.ONNX)
    again = C.load_model(str(tmp_path / 'b.onnx'))
    assert again.output.shape == (3,) and len(again.output.dynamic_axes) == 1
    np.testing.assert_allclose(again.eval({'x': x}), scores, rtol=1e-5)


def test_a_first_size_that_may_be_another_is_no_batch_for_a_trainer(tmp_path):
    x = numbers(5, 6, 4)
    network = whole_arrays(tmp_path / 'a.onnx', ATTENTION, ('b', 'other'), x)
    assert network.output.shape == (C.FreeDimension, 3)
    y, labels = C.input_variable(3), np.eye(3, dtype='f')[[0, 2, 1, 1, 0]]
    with pytest.raises(ValueError, match=r"result Output\('z', \[\], \[\* x 3\]\) has no batch axis"):
        C.Trainer(network, C.cross_entropy_with_softmax(network, y), C.sgd(network.parameters, 0.1))
    with pytest.raises(ValueError, match=r'fit C.to_batch\(model\)'):
        C.fit(network, x, [0, 2, 1, 1, 0], loss='cross_entropy')
    rows = C.to_batch(network)
    trainer = C.Trainer(rows, C.cross_entropy_with_softmax(rows, y), C.sgd(rows.parameters, 0.1))
    assert trainer.train_minibatch({rows.arguments[0]: x, y: labels})
    assert C.fit(rows, x, [0, 2, 1, 1, 0], loss='cross_entropy', epochs=1)
