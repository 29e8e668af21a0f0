"""Sequences of tensors inside a model (scripted loops of PyTorch, EmbeddingBag): lists while it is read."""

import numpy as np
import pytest

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
from onnx import helper as h

import cantik as C
from onnx_models import BOOL, FLOAT, INT64, by_runtime, check, constant, info

X = np.random.default_rng(0).standard_normal((5, 2, 3)).astype('f')
TENSORS = h.make_value_info('rows', h.make_sequence_type_proto(h.make_tensor_type_proto(FLOAT, None)))
WHOLE = [constant(f'c{i}', np.int64(i)) for i in range(9)] + [constant('yes', np.bool_(True))]


def read(path, nodes, x=X, sizes=(5, 2, 3), result=None, weights=()):
    inputs, outputs = [info('x', sizes)], [result or info('y', [None] * 3)]
    return check(path, nodes, inputs, outputs, [*WHOLE, *weights], {'x': x}, due_by=by_runtime)


def refused(path, nodes, text, error=(ValueError, NotImplementedError), output=None):
    graph = h.make_graph(nodes, 'g', [info('x', [5, 2, 3])], [output or info('y', None)], WHOLE)
    model = h.make_model(graph, opset_imports=[h.make_opsetid('', 17)])
    onnx.save(model, path)
    with pytest.raises(error, match=text) as raised:
        C.load_model(str(path))
    return str(raised.value)


def loop_body(*nodes, rows='more'):
    """h = tanh(h + x[i]), which is added to the rows."""
    own = [
        h.make_node('Gather', ['x', 'i'], ['part'], axis=0),
        h.make_node('Add', ['h', 'part'], ['sum']),
        h.make_node('Tanh', ['sum'], ['h_out']),
        h.make_node('Identity', ['c'], ['c_out']),
    ]
    inputs = [info('i', [], INT64), info('c', [], BOOL), info('h', [2, 3]), TENSORS]
    outputs = [info('c_out', [], BOOL), info('h_out', [2, 3])]
    outputs.append(h.make_value_info(rows, TENSORS.type))
    nodes = nodes or [h.make_node('SequenceInsert', ['rows', 'h_out'], ['more'])]
    return h.make_graph([*own, *nodes], 'body', inputs, outputs)


def loop(*nodes, start=None, **body):
    return [
        h.make_node('Shape', ['x'], ['sizes']),
        h.make_node('Gather', ['sizes', 'c0'], ['steps'], axis=0),
        h.make_node('Gather', ['x', 'c0'], ['begin'], axis=0),
        start or h.make_node('SequenceEmpty', [], ['none'], dtype=FLOAT),
        h.make_node(
            'Loop', ['steps', 'yes', 'begin', 'none'], ['last', 'all'], body=loop_body(*nodes, **body)
        ),
    ]


@pytest.mark.parametrize('steps', [5, 't'])
@pytest.mark.parametrize('axis, fresh', [(0, 1), (1, 1), (2, 1), (-1, 1), (-3, 1), (0, 0), (1, 0), (-1, 0)])
def test_rows_that_a_loop_adds(tmp_path, steps, axis, fresh):
    join = h.make_node('ConcatFromSequence', ['all'], ['y'], axis=axis, new_axis=fresh)
    result = info('y', [None] * (2 + fresh))
    read(tmp_path / 'a.onnx', [*loop(), join], sizes=(steps, 2, 3), result=result)


@pytest.mark.parametrize('steps', [5, 't'])
def test_the_length_and_an_element_of_what_a_loop_adds(tmp_path, steps):
    nodes = [
        *loop(),
        h.make_node('SequenceLength', ['all'], ['many']),
        h.make_node('Sub', ['many', 'c2'], ['place']),
        h.make_node('SequenceAt', ['all', 'place'], ['row']),
        h.make_node('Cast', ['many'], ['count'], to=FLOAT),
        h.make_node('Mul', ['row', 'count'], ['y']),
    ]
    read(tmp_path / 'a.onnx', nodes, sizes=(steps, 2, 3), result=info('y', [2, 3]))


LISTS = {
    'joined': [
        h.make_node('SequenceConstruct', ['x', 'n'], ['s']),
        h.make_node('ConcatFromSequence', ['s'], ['y'], axis=1),
    ],
    'at the front': [
        h.make_node('SequenceConstruct', ['x', 'x'], ['s']),
        h.make_node('SequenceInsert', ['s', 'n', 'c0'], ['t']),
        h.make_node('Identity', ['t'], ['u']),
        h.make_node('ConcatFromSequence', ['u'], ['y'], axis=0),
    ],
    'in the middle': [
        h.make_node('SequenceConstruct', ['x', 'x'], ['s']),
        h.make_node('SequenceInsert', ['s', 'n', 'c1'], ['t']),
        h.make_node('ConcatFromSequence', ['t'], ['y'], axis=2),
    ],
    'an element': [
        h.make_node('SequenceConstruct', ['x', 'n'], ['s']),
        h.make_node('SequenceAt', ['s', 'c1'], ['y']),
    ],
    'rows': [
        h.make_node('SplitToSequence', ['x'], ['s'], axis=0, keepdims=1),
        h.make_node('SequenceAt', ['s', 'c3'], ['y']),
    ],
    'parts of one size': [
        h.make_node('SplitToSequence', ['x', 'c2'], ['s'], axis=0),
        h.make_node('SequenceAt', ['s', 'c2'], ['y']),
    ],
    'parts': [
        h.make_node('SplitToSequence', ['x', 'parts'], ['s'], axis=-3),
        h.make_node('SequenceAt', ['s', 'c1'], ['y']),
    ],
}


@pytest.mark.parametrize('case', LISTS)
def test_lists_that_are_known(tmp_path, case):
    nodes = [h.make_node('Neg', ['x'], ['n']), *LISTS[case]]
    read(tmp_path / 'a.onnx', nodes, weights=[constant('parts', np.array([1, 3, 1]))])


@pytest.mark.parametrize('keeps', [0, 1])
def test_rows_with_their_axis_and_without(tmp_path, keeps):
    nodes = [
        h.make_node('SplitToSequence', ['x'], ['s'], axis=1, keepdims=keeps),
        h.make_node('SequenceAt', ['s', 'c1'], ['y']),
    ]
    read(tmp_path / 'a.onnx', nodes, result=info('y', [None] * (2 + keeps)))


TWO = [h.make_node('SequenceConstruct', ['x', 'x'], ['s'])]
WRONG = {
    'a place that is not there': ([*TWO, h.make_node('SequenceAt', ['s', 'c2'], ['y'])], 'no place 2'),
    'a place to insert': ([*TWO, h.make_node('SequenceInsert', ['s', 'x', 'c5'], ['t'])], 'no place 5'),
    'no sequence': ([h.make_node('SequenceAt', ['x', 'c0'], ['y'])], 'reads a sequence of tensors'),
    'no tensor': ([*TWO, h.make_node('Neg', ['s'], ['y'])], 'where a tensor is read'),
    'a sequence of sequences': (
        [*TWO, h.make_node('SequenceConstruct', ['s'], ['y'])],
        'where a tensor is read',
    ),
    'nothing to join': (
        [h.make_node('SequenceEmpty', [], ['s']), h.make_node('ConcatFromSequence', ['s'], ['y'], axis=0)],
        'empty sequence',
    ),
    'no such axis': ([*TWO, h.make_node('ConcatFromSequence', ['s'], ['y'], axis=7)], 'no place 7'),
    'parts of other sizes': (
        [h.make_node('SplitToSequence', ['x', 'c0'], ['s']), h.make_node('SequenceAt', ['s', 'c0'], ['y'])],
        'has no size',
    ),
}


@pytest.mark.parametrize('case', WRONG)
def test_wrong_lists_are_refused(tmp_path, case):
    refused(tmp_path / 'a.onnx', *WRONG[case])


def test_a_tensor_is_not_split_into_far_too_many(tmp_path):
    nodes = [h.make_node('SplitToSequence', ['x'], ['s']), h.make_node('SequenceAt', ['s', 'c0'], ['y'])]
    graph = h.make_graph(nodes, 'g', [info('x', [2**40])], [info('y', None)], WHOLE)
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]), tmp_path / 'a.onnx')
    with pytest.raises(NotImplementedError, match='more than 4096 parts'):
        C.load_model(str(tmp_path / 'a.onnx'))


def test_a_sequence_is_no_output(tmp_path):
    output = h.make_value_info('s', TENSORS.type)
    assert 'ConcatFromSequence' in refused(tmp_path / 'a.onnx', TWO, 'where a tensor is read', output=output)


OPEN = {
    'two in a round': [
        h.make_node('SequenceInsert', ['rows', 'h_out'], ['once']),
        h.make_node('SequenceInsert', ['once', 'h_out'], ['more']),
    ],
    'none in a round': [h.make_node('Identity', ['rows'], ['more'])],
}


@pytest.mark.parametrize('case', OPEN)
def test_loops_that_add_otherwise_are_refused(tmp_path, case):
    nodes = [*loop(*OPEN[case]), h.make_node('ConcatFromSequence', ['all'], ['y'], axis=0)]
    graph = h.make_graph(nodes, 'g', [info('x', ['t', 2, 3])], [info('y', None)], WHOLE)
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]), tmp_path / 'a.onnx')
    with pytest.raises(NotImplementedError, match='one more in each round'):
        C.load_model(str(tmp_path / 'a.onnx'))


def test_a_loop_that_begins_with_tensors_is_refused(tmp_path):
    start = h.make_node('SequenceConstruct', ['begin'], ['none'])
    nodes = [*loop(start=start), h.make_node('ConcatFromSequence', ['all'], ['y'], axis=0)]
    graph = h.make_graph(nodes, 'g', [info('x', ['t', 2, 3])], [info('y', None)], WHOLE)
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]), tmp_path / 'a.onnx')
    with pytest.raises(NotImplementedError, match='has to begin empty'):
        C.load_model(str(tmp_path / 'a.onnx'))


@pytest.mark.parametrize('steps', [6, 't'])
@pytest.mark.parametrize('batch', [3, 'n'])
def test_packed_sequences(tmp_path, steps, batch):
    """PyTorch writes pack_padded_sequence as lengths of an LSTM whose steps are all there again behind it."""
    random = np.random.default_rng(1)
    weights = [
        constant(name, random.standard_normal(shape).astype('f') / 2)
        for name, shape in (('W', (1, 20, 4)), ('R', (1, 20, 5)), ('B', (1, 40)))
    ]
    nodes = [
        h.make_node('Cast', ['l'], ['lengths'], to=onnx.TensorProto.INT32),
        h.make_node('LSTM', ['x', 'W', 'R', 'B', 'lengths'], ['all', '', ''], hidden_size=5),
        h.make_node('Squeeze', ['all', 'one'], ['y']),
    ]
    feeds = {'x': random.standard_normal((6, 3, 4)).astype('f'), 'l': np.array([4, 2, 3])}
    inputs = [info('x', [steps, batch, 4]), info('l', [batch], INT64)]
    outputs = [info('y', [steps, batch, 5])]
    weights.append(constant('one', np.array([1])))
    check(tmp_path / 'a.onnx', nodes, inputs, outputs, weights, feeds, due_by=by_runtime)
