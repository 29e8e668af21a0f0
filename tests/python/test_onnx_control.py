"""ONNX's loops and branches, quantized networks and resizing as whole models, beside ONNX's own evaluator."""

import numpy as np
import pytest

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
from onnx import TensorProto, helper as h, numpy_helper
from onnx.reference import ReferenceEvaluator

import cantik as C

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def info(name, shape, kind=FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def constant(name, values):
    return numpy_helper.from_array(np.asarray(values), name)


def check(path, nodes, inputs, outputs, weights, feeds, opset=17, atol=1e-5):
    """The model gives here what ONNX's evaluator gives; returns it as it was read."""
    model = h.make_model(
        h.make_graph(nodes, 'g', inputs, outputs, weights), opset_imports=[h.make_opsetid('', opset)]
    )
    onnx.checker.check_model(model)
    due = ReferenceEvaluator(model).run(None, feeds)
    onnx.save(model, path)
    f = C.load_model(str(path))
    found = f.eval({a: feeds[a.name] for a in f.arguments})
    found = [found] if len(f.outputs) == 1 else [found[o] for o in f.outputs]
    for a, b in zip(found, due):
        np.testing.assert_allclose(np.reshape(a, b.shape), b, rtol=1e-5, atol=atol)
    return f


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


def test_branches_of_different_shapes_are_refused(tmp_path):
    then = h.make_graph([h.make_node('Identity', ['x'], ['a'])], 'then', [], [info('a', [2])])
    other = h.make_graph([h.make_node('Concat', ['x', 'x'], ['b'], axis=0)], 'else', [], [info('b', [4])])
    nodes = [
        h.make_node('ReduceSum', ['x'], ['sum'], keepdims=0),
        h.make_node('Cast', ['sum'], ['flag'], to=BOOL),
        h.make_node('If', ['flag'], ['y'], then_branch=then, else_branch=other),
    ]
    model = h.make_model(
        h.make_graph(nodes, 'g', [info('x', [2])], [info('y', None)]), opset_imports=[h.make_opsetid('', 17)]
    )
    onnx.save(model, tmp_path / 'if.onnx')
    with pytest.raises(NotImplementedError, match='branches of If make values of different shapes'):
        C.load_model(str(tmp_path / 'if.onnx'))


def looped(body_nodes, states, scans, weights=()):
    inputs = [info('i', [], INT64), info('c', [], BOOL), *states]
    outputs = [info('c_out', [], BOOL), *[info(s.name + '_out', None) for s in states], *scans]
    nodes = [h.make_node('Identity', ['c'], ['c_out']), *body_nodes]
    return h.make_graph(nodes, 'body', inputs, outputs, list(weights))


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


@pytest.mark.parametrize(
    'rounds, text',
    [('x_sum', 'have to be known when the file is read'), ('many', 'of more than 4096 rounds')],
)
def test_loops_that_cannot_be_written_out(tmp_path, rounds, text):
    body = looped([h.make_node('Add', ['s', 's'], ['s_out'])], [info('s', [2])], [])
    nodes = [
        h.make_node('ReduceSum', ['x'], ['sum'], keepdims=0),
        h.make_node('Cast', ['sum'], ['x_sum'], to=INT64),
        h.make_node('Loop', [rounds, '', 'x'], ['y'], body=body),
    ]
    graph = h.make_graph(nodes, 'g', [info('x', [2])], [info('y', [2])], [constant('many', np.int64(10**12))])
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid('', 17)]), tmp_path / 'loop.onnx')
    with pytest.raises(NotImplementedError, match=text):
        C.load_model(str(tmp_path / 'loop.onnx'))


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
def test_pictures_of_a_batch_are_sampled(tmp_path, mode, outside):
    random = np.random.default_rng(6)
    feeds = {
        'x': random.standard_normal((3, 2, 5, 7)).astype('f'),
        'grid': random.uniform(-1.4, 1.4, (3, 4, 6, 2)).astype('f'),
    }
    f = check(
        tmp_path / 'g.onnx',
        [onnx.helper.make_node('GridSample', ['x', 'grid'], ['y'], mode=mode, padding_mode=outside)],
        [info('x', ['n', 2, 5, 7]), info('grid', ['n', 4, 6, 2])],
        [info('y', ['n', 2, 4, 6])],
        [],
        feeds,
        opset=20,
    )
    assert all(len(a.dynamic_axes) == 1 for a in f.arguments)
