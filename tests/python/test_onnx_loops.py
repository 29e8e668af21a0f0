"""Loops whose rounds a run computes, and Scan in forms other than sequences of a batch, beside ONNX
Runtime."""

import functools

import numpy as np
import pytest

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
from onnx import helper as h

import cantik as C
from onnx_models import BOOL, FLOAT, INT64, by_runtime, check, constant, info, looped

check_by_runtime = functools.partial(check, due_by=by_runtime)


def loop_of(rounds, body, inputs, outputs, weights=(), condition=''):
    """A loop over the state x whose number of rounds is computed from the input `many`."""
    nodes = [
        h.make_node('Cast', ['many'], ['rounds'], to=INT64),
        h.make_node('Loop', [rounds, condition, 'x'], [o.name for o in outputs], body=body),
    ]
    return nodes, [*inputs, info('many', [])], outputs, list(weights)


@pytest.mark.parametrize('many', [0, 1, 7])
def test_a_loop_of_as_many_rounds_as_a_run_computes(tmp_path, many):
    """A value from outside, weights, the number of the round; rows; the shape of the state stays."""
    body = looped(
        [
            h.make_node('MatMul', ['s', 'w'], ['t']),
            h.make_node('Cast', ['i'], ['round'], to=FLOAT),
            h.make_node('Add', ['t', 'round'], ['u']),
            h.make_node('Mul', ['u', 'z'], ['v']),
            h.make_node('Tanh', ['v'], ['s_out']),
            h.make_node('ReduceSum', ['s_out'], ['row'], keepdims=0),
        ],
        [info('s', [2, 3])],
        [info('row', [])],
    )
    random = np.random.default_rng(0)
    feeds = {'x': random.standard_normal((2, 3)).astype('f'), 'z': random.standard_normal(3).astype('f')}
    parts = loop_of(
        'rounds',
        body,
        [info('x', [2, 3]), info('z', [3])],
        [info('y', [2, 3]), info('rows', [None])],
        [constant('w', random.standard_normal((3, 3)).astype('f'))],
    )
    f = check_by_runtime(tmp_path / 'loop.onnx', *parts, {**feeds, 'many': np.array(many, 'f')})
    assert [o.shape for o in f.outputs] == [(2, 3), (C.FreeDimension,)]


def test_a_loop_that_ends_when_its_numbers_say_so(tmp_path):
    """Doubled as long as the sum is below 100; what each round found."""
    body = h.make_graph(
        [
            h.make_node('Add', ['s', 's'], ['s_out']),
            h.make_node('ReduceSum', ['s_out'], ['sum'], keepdims=0),
            h.make_node('Less', ['sum', 'bound'], ['c_out']),
        ],
        'body',
        [info('i', [], INT64), info('c', [], BOOL), info('s', [2])],
        [info('c_out', [], BOOL), info('s_out', [2]), info('sum', [])],
        [constant('bound', np.float32(100))],
    )
    nodes = [h.make_node('Loop', ['', 'yes', 'x'], ['y', 'sums'], body=body)]
    outputs = [info('y', [2]), info('sums', [None])]
    for x in ([1, 2], [60, 1], [3, 0.5]):
        feeds = {'x': np.array(x, 'f')}
        check_by_runtime(
            tmp_path / 'l.onnx', nodes, [info('x', [2])], outputs, [constant('yes', np.bool_(True))], feeds
        )


def test_a_state_that_grows_from_round_to_round(tmp_path):
    body = looped([h.make_node('Concat', ['s', 'x'], ['s_out'], axis=0)], [info('s', [None])], [])
    parts = loop_of('rounds', body, [info('x', [2])], [info('y', [None])])
    f = check_by_runtime(tmp_path / 'l.onnx', *parts, {'x': np.array([1, 2], 'f'), 'many': np.array(3, 'f')})
    assert f.shape == (C.FreeDimension,)


def test_a_list_that_begins_empty(tmp_path):
    """Newton's rule until the square is near; what each round found is appended to a list, and counted."""
    body = h.make_graph(
        [
            h.make_node('Div', ['x', 's'], ['t']),
            h.make_node('Add', ['s', 't'], ['u']),
            h.make_node('Mul', ['u', 'half'], ['s_out']),
            h.make_node('Concat', ['list', 's_out'], ['list_out'], axis=0),
            h.make_node('Add', ['n', 'one'], ['n_out']),
            h.make_node('Sub', ['s', 's_out'], ['by']),
            h.make_node('Abs', ['by'], ['change']),
            h.make_node('Greater', ['change', 'near'], ['far']),
            h.make_node('Squeeze', ['far'], ['c_out']),
        ],
        'body',
        [
            info('i', [], INT64),
            info('c', [], BOOL),
            info('s', [1]),
            info('list', [None]),
            info('n', [], INT64),
        ],
        [info('c_out', [], BOOL), info('s_out', [1]), info('list_out', [None]), info('n_out', [], INT64)],
        [constant('half', np.float32(0.5)), constant('near', np.float32(1e-3)), constant('one', np.int64(1))],
    )
    nodes = [
        h.make_node('Loop', ['most', 'yes', 'x', 'none', 'nought'], ['y', 'list_y', 'count'], body=body),
    ]
    weights = [
        constant('most', np.int64(50)),
        constant('yes', np.bool_(True)),
        constant('none', np.zeros(0, 'f')),
        constant('nought', np.int64(0)),
    ]
    outputs = [info('y', [1]), info('list_y', [None]), info('count', [], INT64)]
    for x in (2, 1000):
        feeds = {'x': np.array([x], 'f')}
        check_by_runtime(tmp_path / 'l.onnx', nodes, [info('x', [1])], outputs, weights, feeds)


def test_a_loop_inside_a_loop(tmp_path):
    inner = looped([h.make_node('Add', ['s', 'r'], ['s_out'])], [info('s', [2])], [])
    inner.input[0].name, inner.input[1].name = 'j', 'd'
    inner.node[0].input[0] = 'd'
    body = h.make_graph(
        [
            h.make_node('Identity', ['c'], ['c_on']),
            h.make_node('Cast', ['i'], ['r'], to=FLOAT),
            h.make_node('Loop', ['i', '', 'q'], ['q_out'], body=inner),
        ],
        'outer',
        [info('i', [], INT64), info('c', [], BOOL), info('q', [2])],
        [info('c_on', [], BOOL), info('q_out', [2])],
    )
    parts = loop_of('rounds', body, [info('x', [2])], [info('y', [2])])
    check_by_runtime(tmp_path / 'l.onnx', *parts, {'x': np.array([1, 2], 'f'), 'many': np.array(4, 'f')})


def test_a_recurrence_inside_a_loop(tmp_path):
    step = h.make_graph(
        [h.make_node('Add', ['state', 'part'], ['next']), h.make_node('Tanh', ['next'], ['row'])],
        'step',
        [info('state', [2, 3]), info('part', [2, 3])],
        [info('next', [2, 3]), info('row', [2, 3])],
    )
    body = looped(
        [
            h.make_node('Scan', ['zeros', 's'], ['last', 's_out'], body=step, num_scan_inputs=1),
        ],
        [info('s', [4, 2, 3])],
        [],
        [constant('zeros', np.zeros((2, 3), 'f'))],
    )
    parts = loop_of('rounds', body, [info('x', [4, 2, 3])], [info('y', [4, 2, 3])])
    x = np.random.default_rng(0).standard_normal((4, 2, 3)).astype('f')
    check_by_runtime(tmp_path / 'l.onnx', *parts, {'x': x, 'many': np.array(3, 'f')})


def read_error(path, parts, error, text):
    nodes, inputs, outputs, weights = parts
    graph = h.make_graph(nodes, 'g', inputs, outputs, weights)
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]), path)
    with pytest.raises(error, match=text):
        C.load_model(str(path))


def test_loops_that_cannot_be_read(tmp_path):
    more = looped([h.make_node('Add', ['s', 's'], ['s_out'])], [info('s', [2])], [])
    inputs, outputs = [info('x', [2])], [info('y', [2])]
    many = constant('most', np.int64(10**12))
    parts = loop_of('most', more, inputs, outputs, [many])
    read_error(tmp_path / 'a.onnx', parts, NotImplementedError, 'of more than 4096 rounds')
    ranks = looped([h.make_node('Unsqueeze', ['s', 'axes'], ['s_out'])], [info('s', None)], [])
    parts = loop_of('rounds', ranks, inputs, [info('y', None)], [constant('axes', np.array([0], np.int64))])
    read_error(tmp_path / 'b.onnx', parts, NotImplementedError, 'the rounds of a loop have different ranks')


def test_rows_of_different_shapes_are_an_error_of_the_run(tmp_path):
    body = looped(
        [h.make_node('Concat', ['s', 'x'], ['s_out'], axis=0), h.make_node('Identity', ['s'], ['row'])],
        [info('s', [None])],
        [info('row', [None])],
    )
    nodes, inputs, outputs, _ = loop_of(
        'rounds', body, [info('x', [2])], [info('y', [None]), info('z', None)]
    )
    graph = h.make_graph(nodes, 'g', inputs, outputs)
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]), tmp_path / 'l.onnx')
    f = C.load_model(str(tmp_path / 'l.onnx'))
    feeds = {'x': np.ones(2, 'f'), 'many': np.array(2, 'f')}
    with pytest.raises(ValueError, match='the rounds of a loop make rows of different shapes'):
        f.eval({a: feeds[a.name] for a in f.arguments})


def running_sum(shape):
    return h.make_graph(
        [h.make_node('Add', ['state', 'part'], ['next']), h.make_node('Identity', ['next'], ['row'])],
        'step',
        [info('state', shape), info('part', shape)],
        [info('next', shape), info('row', shape)],
    )


@pytest.mark.parametrize('backwards', [0, 1])
@pytest.mark.parametrize('axis, made', [(0, 0), (1, 1), (-1, 0), (1, -1)])
def test_a_scan_along_any_axis(tmp_path, axis, made, backwards):
    sizes = [4, 2, 3]
    sample = [s for i, s in enumerate(sizes) if i != axis % 3]
    node = h.make_node(
        'Scan',
        ['zeros', 'x'],
        ['last', 'rows'],
        body=running_sum(sample),
        num_scan_inputs=1,
        scan_input_axes=[axis],
        scan_output_axes=[made],
        scan_input_directions=[backwards],
    )
    feeds = {'x': np.random.default_rng(0).standard_normal(sizes).astype('f')}
    weights = [constant('zeros', np.zeros(sample, 'f'))]
    outputs = [info('last', sample), info('rows', [None] * 3)]
    check_by_runtime(tmp_path / 's.onnx', [node], [info('x', sizes)], outputs, weights, feeds)


@pytest.mark.parametrize('rows', [6, 4])
def test_a_scan_of_rows_that_are_no_sequences_of_a_batch(tmp_path, rows):
    """Distances of samples to rows of the model, as skl2onnx writes those of nearest neighbours."""
    body = h.make_graph(
        [
            h.make_node('Sub', ['samples', 'row'], ['apart']),
            h.make_node('ReduceSumSquare', ['apart'], ['distance'], axes=[1], keepdims=0),
            h.make_node('Identity', ['samples'], ['same']),
        ],
        'step',
        [info('samples', [None, 4]), info('row', [4])],
        [info('same', [None, 4]), info('distance', [None])],
    )
    node = h.make_node('Scan', ['x', 'rows'], ['last', 'distances'], body=body, num_scan_inputs=1)
    random = np.random.default_rng(0)
    weights = [constant('rows', random.standard_normal((rows, 4)).astype('f'))]
    feeds = {'x': random.standard_normal((4, 4)).astype('f')}
    for first in ('n', 4):
        outputs = [info('last', [first, 4]), info('distances', [rows, first])]
        check_by_runtime(tmp_path / 's.onnx', [node], [info('x', [first, 4])], outputs, weights, feeds)


def test_a_scan_of_single_numbers(tmp_path):
    node = h.make_node('Scan', ['zero', 'x'], ['last', 'rows'], body=running_sum([]), num_scan_inputs=1)
    feeds = {'x': np.arange(5, dtype='f')}
    outputs = [info('last', []), info('rows', [5])]
    check_by_runtime(
        tmp_path / 's.onnx', [node], [info('x', [5])], outputs, [constant('zero', np.float32(0))], feeds
    )
    # of as many as only a run knows
    parts = [node], [info('x', ['n'])], outputs, [constant('zero', np.float32(0))]
    read_error(tmp_path / 't.onnx', parts, NotImplementedError, 'needs a batch, and the steps first')


HALF = constant('k', np.float32(0.5))


def scan_that_halves():
    nodes = [
        h.make_node('Add', ['s', 'v'], ['t']),
        h.make_node('Mul', ['t', 'k'], ['s_out']),
        h.make_node('Identity', ['s_out'], ['row']),
    ]
    inputs, outputs = [info(n, [1, 2]) for n in 'sv'], [info(n, [1, 2]) for n in ('s_out', 'row')]
    body = h.make_graph(nodes, 'body', [*inputs, info('k', [])], outputs, [HALF])
    zeros = constant('z', np.zeros((1, 2), np.float32))
    return h.make_node('Scan', ['z', 'x'], ['last', 'y'], body=body, num_scan_inputs=1), [zeros]


def loop_that_halves():
    body = looped([h.make_node('Mul', ['s', 'k'], ['s_out'])], [info('s', None)], [], [HALF])
    body.input.append(info('k', []))
    return h.make_node('Loop', ['n', '', 'x'], ['y'], body=body), [constant('n', np.int64(3))]


@pytest.mark.parametrize('made', [scan_that_halves, loop_that_halves])
@pytest.mark.parametrize('sizes', [['T', 1, 2], [3, 1, 2]])
def test_a_body_that_lists_its_weights_among_its_inputs(tmp_path, made, sizes):
    """As files before IR 4 do, those of CNTK 2.7 too."""
    node, weights = made()
    x = np.arange(6, dtype=np.float32).reshape(3, 1, 2)
    check_by_runtime(
        tmp_path / 'm.onnx', [node], [info('x', sizes)], [info('y', [None] * 3)], weights, {'x': x}, opset=11
    )


@pytest.mark.parametrize('sizes', [['T', 1, 2], ['T', 'N', 2]])
def test_a_body_that_reads_nothing_of_what_is_scanned(tmp_path, sizes):
    """It goes on for as many steps: CNTK's UnfoldFrom is written so."""
    nodes = [h.make_node('Tanh', ['s'], ['s_out']), h.make_node('Identity', ['s_out'], ['row'])]
    inputs, outputs = [info(n, sizes[1:]) for n in 'sv'], [info(n, sizes[1:]) for n in ('s_out', 'row')]
    body = h.make_graph(nodes, 'body', inputs, outputs)
    node = h.make_node('Scan', ['begin', 'x'], ['last', 'y'], body=body, num_scan_inputs=1)
    batch = 3 if sizes[1] == 'N' else 1
    feeds = {'x': np.zeros((4, batch, 2), np.float32), 'begin': np.ones((batch, 2), np.float32)}
    check_by_runtime(
        tmp_path / 'm.onnx',
        [node],
        [info('x', sizes), info('begin', sizes[1:])],
        [info('y', [None] * 3), info('last', [None] * 2)],
        [],
        feeds,
        opset=11,
    )
