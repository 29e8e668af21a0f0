"""ONNX's loops and branches, quantized networks and resizing as whole models, beside ONNX's own evaluator."""

import numpy as np
import pytest

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
from onnx import helper as h, numpy_helper

import cantik as C
from onnx_models import BOOL, FLOAT, INT64, by_runtime, check, constant, info, looped


@pytest.mark.parametrize('number', [-1.0, 2.0])
def test_a_branch_that_a_run_chooses(tmp_path, number):
    then = h.make_graph([h.make_node('Mul', ['x', 'two'], ['a'])], 'then', [], [info('a', [2, 3])])
    other = h.make_graph([h.make_node('Exp', ['x'], ['b'])], 'else', [], [info('b', [2, 3])])
    nodes = [
        h.make_node('ReduceSum', ['x'], ['sum'], keepdims=0),
        h.make_node('Greater', ['sum', 'zero'], ['is_more']),
        h.make_node('If', ['is_more'], ['y'], then_branch=then, else_branch=other),
    ]
    weights = [constant('two', np.float32(2)), constant('zero', np.float32(0))]
    feeds = {'x': np.full((2, 3), number, np.float32)}
    check(tmp_path / 'if.onnx', nodes, [info('x', [2, 3])], [info('y', [2, 3])], weights, feeds)


def branches(other_nodes, other_shape, x):
    """Of numbers whose sum is not 0 they themselves, of others what the nodes make of them."""
    then = h.make_graph([h.make_node('Identity', ['x'], ['a'])], 'then', [], [info('a', x.shape)])
    other = h.make_graph(other_nodes, 'else', [], [info('b', other_shape)])
    nodes = [
        h.make_node('ReduceSum', ['x'], ['sum'], keepdims=0),
        h.make_node('Cast', ['sum'], ['flag'], to=BOOL),
        h.make_node('If', ['flag'], ['y'], then_branch=then, else_branch=other),
    ]
    return nodes, [info('x', x.shape)], [info('y', [None])]


@pytest.mark.parametrize('last', [2, -1])
def test_a_run_takes_one_of_branches_that_make_different_shapes(tmp_path, last):
    x = np.array([1, last], 'f')
    twice = [h.make_node('Concat', ['x', 'x'], ['b'], axis=0)]
    f = check(tmp_path / 'if.onnx', *branches(twice, [4], x), [], {'x': x})
    assert f.shape == (C.FreeDimension,)


def test_branches_of_different_ranks_are_refused(tmp_path):
    flat = [h.make_node('Reshape', ['x', 'flat'], ['b'])]
    nodes, inputs, outputs = branches(flat, [4], np.ones((2, 2), 'f'))
    graph = h.make_graph(nodes, 'g', inputs, outputs, [constant('flat', np.array([-1], np.int64))])
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]), tmp_path / 'if.onnx')
    with pytest.raises(NotImplementedError, match='branches of If, of which a run takes one, have different'):
        C.load_model(str(tmp_path / 'if.onnx'))


def test_a_loop_with_a_known_number_of_rounds(tmp_path):
    body = looped(
        [
            h.make_node('MatMul', ['s', 'w'], ['t']),
            h.make_node('Cast', ['i'], ['round'], to=FLOAT),
            h.make_node('Add', ['t', 'round'], ['u']),
            h.make_node('Tanh', ['u'], ['s_out']),
            h.make_node('ReduceSum', ['s_out'], ['row'], keepdims=0),
        ],
        [info('s', [2, 3])],
        [info('row', [])],
        [constant('w', np.random.default_rng(0).standard_normal((3, 3)).astype('f'))],
    )
    nodes = [h.make_node('Loop', ['rounds', 'yes', 'x'], ['y', 'rows'], body=body)]
    feeds = {'x': np.random.default_rng(1).standard_normal((2, 3)).astype('f')}
    f = check(
        tmp_path / 'loop.onnx',
        nodes,
        [info('x', [2, 3])],
        [info('y', [2, 3]), info('rows', [5])],
        [constant('rounds', np.int64(5)), constant('yes', np.bool_(True))],
        feeds,
    )
    assert sum(p.shape == (3, 3) for p in f.parameters) == 1  # all rounds share their weights


def test_a_loop_ends_when_its_condition_says_so(tmp_path):
    body = h.make_graph(
        [
            h.make_node('Add', ['s', 's'], ['s_out']),
            h.make_node('Less', ['i', 'two'], ['c_out']),
        ],
        'body',
        [info('i', [], INT64), info('c', [], BOOL), info('s', [2])],
        [info('c_out', [], BOOL), info('s_out', [2])],
        [constant('two', np.int64(2))],
    )
    nodes = [h.make_node('Loop', ['most', 'yes', 'x'], ['y'], body=body)]
    feeds = {'x': np.array([1, -3], 'f')}
    weights = [constant('yes', np.bool_(True)), constant('most', np.int64(9))]
    check(tmp_path / 'loop.onnx', nodes, [info('x', [2])], [info('y', [2])], weights, feeds)


def test_a_quantized_network(tmp_path):
    """As quantization tools write it: a convolution of 8 bits with a scale for each filter, and a product."""
    random = np.random.default_rng(5)
    nodes = [
        h.make_node('QuantizeLinear', ['x', 'xs', 'xz'], ['xq']),
        h.make_node('QLinearConv', ['xq', 'xs', 'xz', 'w', 'ws', 'wz', 'ys', 'yz', 'b'], ['c'], pads=[1] * 4),
        h.make_node('DequantizeLinear', ['c', 'ys', 'yz'], ['d']),
        h.make_node('Relu', ['d'], ['r']),
        h.make_node('Flatten', ['r'], ['flat']),
        h.make_node('DequantizeLinear', ['v', 'vs', 'vz'], ['vd'], axis=1),
        h.make_node('MatMul', ['flat', 'vd'], ['y']),
    ]
    weights = [
        constant('xs', np.float32(0.03)),
        constant('xz', np.uint8(120)),
        constant('w', random.integers(-127, 128, (4, 2, 3, 3)).astype(np.int8)),
        constant('ws', np.array([0.01, 0.02, 0.005, 0.01], 'f')),
        constant('wz', np.zeros(4, np.int8)),
        constant('ys', np.float32(0.1)),
        constant('yz', np.uint8(128)),
        constant('b', random.integers(-500, 500, 4).astype(np.int32)),
        constant('v', random.integers(-127, 128, (4 * 25, 3)).astype(np.int8)),
        constant('vs', np.array([0.01, 0.02, 0.03], 'f')),
        constant('vz', np.array([0, 3, -2], np.int8)),
    ]
    feeds = {'x': random.uniform(-3, 3, (3, 2, 5, 5)).astype('f')}
    check(
        tmp_path / 'q.onnx',
        nodes,
        [info('x', ['batch', 2, 5, 5])],
        [info('y', ['batch', 3])],
        weights,
        feeds,
        opset=19,
        atol=1e-4,
    )


@pytest.mark.parametrize('zero', [np.int8(5), np.uint8(127), np.int16(-3), np.uint16(9)])
def test_what_is_no_number_is_quantized_to_the_least(tmp_path, zero):
    """As in ONNX Runtime: there is no whole number that says it."""
    onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
    nodes = [
        h.make_node('QuantizeLinear', ['x', 's', 'z'], ['q']),
        h.make_node('Cast', ['q'], ['y'], to=onnx.TensorProto.FLOAT),
    ]
    weights = [constant('s', np.float32(0.5)), constant('z', zero)]
    graph = h.make_graph(nodes, 'g', [info('x', ['n'])], [info('y', ['n'])], weights)
    path = str(tmp_path / 'n.onnx')
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 21)], ir_version=10), path)
    x = np.array([np.nan, -np.inf, np.inf, 0.75, 1.25, -1e9, 1e9], 'f')
    due = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider']).run(None, {'x': x})[0]
    assert due[0] == np.iinfo(zero.dtype).min
    assert np.array_equal(C.load_model(path).eval(x), due)


def test_scales_of_a_quantized_product_may_be_the_greatest_numbers(tmp_path):
    """A mask of attention: 0, or the least float32, which a scale times a whole number goes beyond."""
    onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
    scales = {'as': 1 / 255, 'bs': 2.6793887e36, 'cs': 1.3344406e36}
    weights = [constant(name, np.float32(v)) for name, v in scales.items()]
    weights += [constant('az', np.uint8(0)), constant('bz', np.uint8(127)), constant('cz', np.uint8(255))]
    weights += [constant('b', np.array([0], np.uint8))]
    nodes = [
        h.make_node('QuantizeLinear', ['x', 'as', 'az'], ['a']),
        h.make_node(
            'QLinearMul',
            ['a', 'as', 'az', 'b', 'bs', 'bz', 'cs', 'cz'],
            ['c'],
            domain='com.microsoft',
        ),
        h.make_node('Cast', ['c'], ['y'], to=onnx.TensorProto.FLOAT),
    ]
    graph = h.make_graph(nodes, 'g', [info('x', ['n'])], [info('y', ['n'])], weights)
    sets = [h.make_opsetid('', 21), h.make_opsetid('com.microsoft', 1)]
    path = str(tmp_path / 'm.onnx')
    onnx.save(h.make_model(graph, opset_imports=sets, ir_version=10), path)
    x = np.array([0, 1, 0.5, 0.25, 0], 'f')
    due = onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider']).run(None, {'x': x})[0]
    assert due[0] == 255 and due[1] == 0
    assert np.array_equal(C.load_model(path).eval(x), due)


@pytest.mark.parametrize('mode', ['nearest', 'linear', 'cubic'])
@pytest.mark.parametrize('place', ['half_pixel', 'align_corners', 'asymmetric', 'pytorch_half_pixel'])
@pytest.mark.parametrize('sizes', [(7, 4), (3, 9), (8, 12), (2, 2)])
def test_pictures_of_a_batch_are_resized(tmp_path, mode, place, sizes):
    nodes = [
        h.make_node(
            'Resize',
            ['x', '', '', 'sizes'],
            ['y'],
            mode=mode,
            coordinate_transformation_mode=place,
            axes=[2, 3],
        )
    ]
    feeds = {'x': np.random.default_rng(7).standard_normal((2, 3, 4, 6)).astype('f')}
    f = check(
        tmp_path / 'r.onnx',
        nodes,
        [info('x', ['n', 3, 4, 6])],
        [info('y', ['n', 3, *sizes])],
        [constant('sizes', np.array(sizes, np.int64))],
        feeds,
        opset=18,
    )
    assert len(f.arguments[0].dynamic_axes) == 1


@pytest.mark.parametrize('mode', ['nearest', 'linear', 'cubic'])
@pytest.mark.parametrize('scale', [0.6, 1.5, 1.25, 0.2])
def test_corners_lie_upon_one_another_whatever_the_scale(tmp_path, mode, scale):
    """Of six pixels 0.6 times as many are three, and the last of them is the sixth, not one beyond."""
    place = {'mode': mode, 'coordinate_transformation_mode': 'align_corners'}
    check(
        tmp_path / 'r.onnx',
        [h.make_node('Resize', ['x', '', 'scales'], ['y'], **place)],
        [info('x', ['n', 1, 6, 5])],
        [info('y', [None] * 4)],
        [constant('scales', np.array([1, 1, scale, 1.5], 'f'))],
        {'x': np.random.default_rng(1).standard_normal((2, 1, 6, 5)).astype('f')},
        due_by=by_runtime,
    )


@pytest.mark.parametrize(
    'equation, shapes, rank',
    [
        ('bij,bjk->bik', [('n', 3, 4), ('n', 4, 2)], 3),
        ('bij,jk->bik', [('n', 3, 4), (4, 2)], 3),
        ('...ij,jk', [('n', 2, 3, 4), (4, 2)], 4),
        ('bij->bji', [('n', 3, 4)], 3),
        ('bi,bi->b', [('n', 4), ('n', 4)], 1),
    ],
)
def test_einsum_over_a_batch(tmp_path, equation, shapes, rank):
    names = [f'x{i}' for i in range(len(shapes))]
    random = np.random.default_rng(2)
    feeds = {
        n: random.standard_normal([5 if d == 'n' else d for d in s]).astype('f')
        for n, s in zip(names, shapes)
    }
    f = check(
        tmp_path / 'e.onnx',
        [h.make_node('Einsum', names, ['y'], equation=equation)],
        [info(n, s) for n, s in zip(names, shapes)],
        [info('y', [None] * rank)],
        [],
        feeds,
    )
    assert len(f.arguments[0].dynamic_axes) == 1


def test_places_of_a_batch_are_looked_up_and_written(tmp_path):
    nodes = [
        h.make_node('GatherElements', ['x', 'places'], ['found'], axis=1),
        h.make_node('ScatterElements', ['x', 'places', 'found'], ['y'], axis=1, reduction='add'),
        h.make_node('ScatterND', ['table', 'rows', 'values'], ['z']),
        h.make_node('MatMul', ['y', 'z'], ['out']),
    ]
    weights = [
        constant('table', np.arange(12, dtype='f').reshape(4, 3)),
        constant('rows', np.array([[1], [3]], np.int64)),
        constant('values', -np.ones((2, 3), 'f')),
    ]
    feeds = {
        'x': np.random.default_rng(3).standard_normal((2, 4)).astype('f'),
        'places': np.array([[3, 1, 0], [-1, 2, 2]], np.int64),
    }
    check(
        tmp_path / 's.onnx',
        nodes,
        [info('x', ['n', 4]), info('places', ['n', 3], INT64)],
        [info('out', ['n', 3])],
        weights,
        feeds,
        opset=16,
    )


@pytest.mark.parametrize('flat', [True, False])
def test_attention_of_a_batch_with_fewer_heads_of_keys(tmp_path, flat):
    random = np.random.default_rng(4)
    shapes = [(3, 4, 8), (5, 2, 8), (5, 2, 8)]  # steps, heads, size
    feeds, inputs = {}, []
    for name, (t, heads, s) in zip('qkv', shapes):
        own = (t, heads * s) if flat else (heads, t, s)
        inputs.append(info(name, ['n', *own]))
        feeds[name] = random.standard_normal((2, *own)).astype('f')
    options = dict(q_num_heads=4, kv_num_heads=2) if flat else {}
    f = check(
        tmp_path / 'a.onnx',
        [onnx.helper.make_node('Attention', ['q', 'k', 'v'], ['y'], is_causal=1, **options)],
        inputs,
        [info('y', [None] * (3 if flat else 4))],
        [],
        feeds,
        opset=23,
    )
    assert all(len(a.dynamic_axes) == 1 for a in f.arguments)


@pytest.mark.parametrize('interleaved', [0, 1])
def test_heads_of_a_batch_are_turned(tmp_path, interleaved):
    random = np.random.default_rng(5)
    angles = random.standard_normal((16, 3)).astype('f')
    feeds = {
        'x': random.standard_normal((2, 5, 16)).astype('f'),
        'places': random.integers(0, 16, (2, 5)).astype(np.int64),
    }
    node = onnx.helper.make_node(
        'RotaryEmbedding',
        ['x', 'cos', 'sin', 'places'],
        ['y'],
        num_heads=2,
        rotary_embedding_dim=6,
        interleaved=interleaved,
    )
    check(
        tmp_path / 'r.onnx',
        [node],
        [info('x', ['n', 5, 16]), info('places', ['n', 5], INT64)],
        [info('y', ['n', 5, 16])],
        [constant('cos', np.cos(angles)), constant('sin', np.sin(angles))],
        feeds,
        opset=23,
    )


@pytest.mark.parametrize('mode', ['linear', 'nearest', 'cubic'])
@pytest.mark.parametrize('outside', ['zeros', 'border', 'reflection'])
@pytest.mark.parametrize('corners', [0, 1])
def test_pictures_of_a_batch_are_sampled(tmp_path, mode, outside, corners):
    """As ONNX Runtime and PyTorch do; ONNX's evaluator brings places to the border, and not pixels."""
    random = np.random.default_rng(6)
    feeds = {
        'x': random.standard_normal((3, 2, 5, 7)).astype('f'),
        'grid': random.uniform(-1.4, 1.4, (3, 4, 6, 2)).astype('f'),
    }
    f = check(
        tmp_path / 'g.onnx',
        [
            h.make_node(
                'GridSample', ['x', 'grid'], ['y'], mode=mode, padding_mode=outside, align_corners=corners
            )
        ],
        [info('x', ['n', 2, 5, 7]), info('grid', ['n', 4, 6, 2])],
        [info('y', ['n', 2, 4, 6])],
        [],
        feeds,
        opset=20,
        due_by=by_runtime,
    )
    assert all(len(a.dynamic_axes) == 1 for a in f.arguments)


def prefix_mask(name):
    """Scores of keys behind the query's place become minus infinity."""
    nodes = [
        h.make_node('Shape', ['scores'], ['all'], start=2, end=3),
        h.make_node('Squeeze', ['all'], ['steps']),
        h.make_node('Range', ['nought', 'steps', 'one'], ['places']),
        h.make_node('Unsqueeze', ['places', 'last'], ['rows']),
        h.make_node('GreaterOrEqual', ['rows', 'places'], ['seen']),
        h.make_node('Where', ['seen', 'scores', 'never'], ['made']),
    ]
    weights = [
        constant('nought', np.int64(0)),
        constant('one', np.int64(1)),
        constant('last', np.array([1], np.int64)),
        constant('never', np.float32(-np.inf)),
    ]
    shape = [None] * 4
    return h.make_graph(nodes, name, [info('scores', shape)], [info('made', shape)], weights)


@pytest.mark.parametrize('heads', [4, 2])
def test_attention_with_a_formula_over_its_scores(tmp_path, heads):
    """For a batch; ONNX's evaluator has the operator, but not its formulas over values of a batch."""
    random = np.random.default_rng(3)
    q, k, v = (random.standard_normal((3, n, 5, 8)).astype('f') for n in (4, heads, heads))
    node = h.make_node(
        'FlexAttention', ['q', 'k', 'v'], ['y'], domain='ai.onnx.preview', score_mod=prefix_mask('mask')
    )
    inputs = [info(n, ['n', a.shape[1], 5, 8]) for n, a in zip('qkv', (q, k, v))]
    graph = h.make_graph([node], 'g', inputs, [info('y', [None] * 4)])
    sets = [h.make_opsetid('', 26), h.make_opsetid('ai.onnx.preview', 1)]
    onnx.save(h.make_model(graph, opset_imports=sets), tmp_path / 'a.onnx')
    f = C.load_model(str(tmp_path / 'a.onnx'))
    wide_k, wide_v = (np.repeat(a, 4 // heads, axis=1) for a in (k, v))
    scores = np.einsum('bhqd,bhkd->bhqk', q, wide_k) / np.sqrt(8)
    scores = np.where(np.tril(np.ones((5, 5), bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    due = np.einsum('bhqk,bhkd->bhqd', weights / weights.sum(-1, keepdims=True), wide_v)
    assert all(len(a.dynamic_axes) == 1 for a in f.arguments)
    np.testing.assert_allclose(f.eval(dict(zip(f.arguments, (q, k, v)))), due, rtol=1e-4, atol=1e-5)


def test_a_stream_is_convolved_part_by_part(tmp_path):
    """The state goes from part to part; all parts together are the whole."""
    random = np.random.default_rng(4)
    x = random.standard_normal((2, 3, 8)).astype('f')
    weights = [
        constant('w', random.standard_normal((3, 1, 4)).astype('f')),
        constant('b', random.standard_normal(3).astype('f')),
    ]
    node = h.make_node('CausalConvWithState', ['x', 'w', 'b', 'past'], ['y', 'now'], activation='silu')

    def read(steps):
        graph = h.make_graph(
            [node],
            'g',
            [info('x', ['n', 3, steps]), info('past', ['n', 3, 3])],
            [info('y', [None] * 3), info('now', [None] * 3)],
            weights,
        )
        onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 27)]), tmp_path / 'c.onnx')
        return C.load_model(str(tmp_path / 'c.onnx'))

    past = np.zeros((2, 3, 3), 'f')

    def made_by(f, *values):
        feeds = dict(zip(('x', 'past'), values))
        made = f.eval({a: feeds[a.name] for a in f.arguments})
        return [made[o] for o in f.outputs]

    y, now = made_by(read(8), x, past)
    parts, step = [], read(2)
    for i in range(0, 8, 2):
        part, past = made_by(step, x[:, :, i : i + 2], past)
        parts.append(part)
    np.testing.assert_allclose(np.concatenate(parts, axis=2), y, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(past, now)
    due = sum(
        np.pad(x, ((0, 0), (0, 0), (3, 0)))[:, :, i : i + 8]
        * numpy_helper.to_array(weights[0])[:, 0, i, None]
        for i in range(4)
    )
    due = due + numpy_helper.to_array(weights[1])[:, None]
    np.testing.assert_allclose(y, due / (1 + np.exp(-due)), rtol=1e-5, atol=1e-6)


def test_a_normalization_of_training_takes_the_statistics_of_its_batch(tmp_path):
    random = np.random.default_rng(5)
    feeds = {'x': random.standard_normal((4, 3, 2, 5)).astype('f')}
    weights = [constant(n, random.uniform(0.5, 2, 3).astype('f')) for n in ('s', 'b', 'm', 'v')]
    node = h.make_node(
        'BatchNormalization', ['x', 's', 'b', 'm', 'v'], ['y', 'mean', 'variance'], training_mode=1
    )
    outputs = [info('y', [None] * 4), info('mean', [3]), info('variance', [3])]
    check(tmp_path / 'b.onnx', [node], [info('x', ['n', 3, 2, 5])], outputs, weights, feeds)
