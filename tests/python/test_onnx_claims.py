"""Nodes of ONNX that lack inputs, or claim sizes that no memory holds: each an error that names the node."""

import numpy as np
import pytest

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
from onnx import helper as h

import cantik as C
from onnx_models import INT64, constant, info

# operator, how many inputs it must have, their ranks
WHOLE_ARRAYS = {
    'Range': (3, [0, 0, 0]),
    'NonZero': (1, [2]),
    'Compress': (2, [2, 1]),
    'Unique': (1, [2]),
    'NonMaxSuppression': (2, [3, 3]),
    'RoiAlign': (3, [4, 2, 1]),
    'MaxUnpool': (2, [4, 4]),
    'DeformConv': (3, [4, 4, 4]),
    'Col2Im': (3, [3, 1, 1]),
    'HannWindow': (1, [0]),
    'MelWeightMatrix': (5, [0] * 5),
    'TfIdfVectorizer': (1, [1]),
}


def read(nodes, inputs, outputs=('y',), weights=(), opset=22):
    graph = h.make_graph(nodes, 'g', inputs, [info(o, None) for o in outputs], list(weights))
    sets = [h.make_opsetid('', opset), h.make_opsetid('ai.onnx.preview', 1)]
    return C.load_model(h.make_model(graph, opset_imports=sets).SerializeToString())


@pytest.mark.parametrize('op', WHOLE_ARRAYS)
def test_an_input_that_is_needed_is_missing(op):
    count, ranks = WHOLE_ARRAYS[op]
    for lacking in range(count):
        names = [f'x{i}' for i in range(count)]
        names[lacking] = ''
        inputs = [info(f'x{i}', [2] * r) for i, r in enumerate(ranks)]
        with pytest.raises(ValueError, match=rf'{op} lacks its input {lacking}\n.*node     {op}'):
            read([h.make_node(op, names, ['y'])], inputs)
    with pytest.raises(ValueError, match=f'{op} lacks its input 0'):
        read([h.make_node(op, [], ['y'])], [])


def test_an_input_has_another_rank():
    with pytest.raises(ValueError, match='the input 1 of RoiAlign has 3 axes, not 2'):
        inputs = [info('x', [1, 1, 4, 4]), info('b', [2, 4, 1]), info('i', [2], INT64)]
        read([h.make_node('RoiAlign', ['x', 'b', 'i'], ['y'])], inputs)


@pytest.mark.parametrize(
    'op, outputs, attributes, sizes',
    [
        ('MaxPool', ['y', 'z'], dict(kernel_shape=[5, 5]), [2**40, 1, 5, 5]),
        ('MaxPool', ['y'], dict(kernel_shape=[2, 2], dilations=[2, 2]), [1, 1, 2**20, 2**20]),
        ('LpPool', ['y'], dict(kernel_shape=[2**20, 2**20]), [1, 1, 2**21, 2**21]),
    ],
)
def test_sizes_that_are_only_claimed(op, outputs, attributes, sizes):
    with pytest.raises(NotImplementedError, match='far too many'):
        read([h.make_node(op, ['x'], outputs, **attributes)], [info('x', sizes)], outputs)


def test_results_of_sizes_that_no_memory_holds():
    f = read([h.make_node('Range', ['a', 'b', 'c'], ['y'])], [info(n, []) for n in 'abc'])
    feeds = dict(a=0, b=1e30, c=1)
    with pytest.raises(ValueError, match='a result is far too large'):
        f.eval({a: np.array(feeds[a.name], 'f') for a in f.arguments})
    f = read([h.make_node('Tile', ['x', 'n'], ['y'])], [info('x', [3]), info('n', [1], INT64)])
    feeds = dict(x=np.ones(3), n=np.array([2.0**50]))
    with pytest.raises(ValueError, match='a size of a result is'):
        f.eval({a: feeds[a.name].astype(a.dtype) for a in f.arguments})


def test_numbers_that_are_none():
    """Places that are no numbers lie outside; NaN differs from all numbers, and comes behind them."""
    grid = [info('x', [1, 1, 4, 4]), info('b', [1, 4]), info('i', [1], INT64)]
    f = read([h.make_node('RoiAlign', ['x', 'b', 'i'], ['y'], sampling_ratio=2)], grid)
    feeds = dict(x=np.ones((1, 1, 4, 4)), b=np.full((1, 4), np.nan), i=np.zeros(1))
    assert np.array_equal(np.ravel(f.eval({a: feeds[a.name].astype(a.dtype) for a in f.arguments})), [0])
    f = read([h.make_node('Unique', ['x'], ['y'])], [info('x', [64])])
    x = np.tile(np.array([3, np.nan, 1, -0.0, 0.0, np.nan, -2, 1], 'f'), 8)
    np.testing.assert_array_equal(f.eval(x), [-2, 0, 1, 3, np.nan])


def test_loops_and_attention_that_lack_parts():
    with pytest.raises(ValueError, match='a loop lacks its body'):
        read([h.make_node('Loop', ['n', ''], ['y'])], [info('n', [], INT64)])
    with pytest.raises(ValueError, match='attention lacks its queries, keys or values'):
        read(
            [h.make_node('FlexAttention', ['q'], ['y'], domain='ai.onnx.preview')], [info('q', [1, 1, 2, 4])]
        )
    with pytest.raises(ValueError, match='CausalConvWithState lacks an input'):
        read([h.make_node('CausalConvWithState', ['x'], ['y'])], [info('x', [1, 2, 4])], opset=27)
    with pytest.raises(ValueError, match='the value that is asked for is not there'):
        read([h.make_node('OptionalGetElement', [''], ['y'])], [])
    with pytest.raises(NotImplementedError, match='repeats an edge far too often'):
        pads = constant('p', np.array([2**40, 0], np.int64))
        read([h.make_node('Pad', ['x', 'p'], ['y'], mode='edge')], [info('x', [3])], weights=[pads])
