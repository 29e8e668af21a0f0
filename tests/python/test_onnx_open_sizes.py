"""Lookups, written places, largest numbers, edges, pictures that change their size and products by letters
along axes whose size only a run knows: as in ONNX Runtime, written again, with gradients; wrong ones are
refused."""

import io

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
onnxruntime = pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
from onnx import helper as h
from onnx_models import FLOAT, INT64, by_runtime, check, constant, info


def numbers(*shape):
    return np.random.RandomState(7).uniform(-1, 1, shape).astype(np.float32)


def node(op, inputs, outputs=('y',), **attributes):
    return h.make_node(op, inputs, list(outputs), **attributes)


X = info('x', ['a', 'b', 3])
PLACES = info('i', ['c', 2], INT64)
SCATTERED = [X, info('i', ['c', 'd', 3], INT64), info('u', ['c', 'd', 3])]
PICTURE = info('x', ['n', 2, 'h', 'w'])
FEEDS = {'x': numbers(4, 5, 3)}
ALONG = {**FEEDS, 'i': np.array([[[0, 4, 1], [-1, 0, 0]], [[3, 2, 2], [1, -5, 4]]])}
UNIQUE = {**FEEDS, 'i': np.array([[[0, 4, 1], [2, 0, 0]]]), 'u': numbers(1, 2, 3)}
AGAIN = {**FEEDS, 'i': np.array([[[0, 4, 1], [0, 4, 0]]]), 'u': numbers(1, 2, 3)}
PICTURES = {'x': numbers(2, 2, 5, 7)}
GAPS = {'kernel_shape': [2, 3], 'strides': [2, 1], 'dilations': [2, 1], 'pads': [1, 0, 0, 1]}

# Nodes, inputs, weights, feeds, version of the operator set.
CASES = {
    'elements': ([node('GatherElements', 'xi', axis=1)], [X, SCATTERED[1]], [], ALONG, 17),
    'coordinates': (
        [node('GatherND', 'xi')],
        [X, PLACES],
        [],
        {**FEEDS, 'i': np.array([[1, 2], [-1, -1], [0, 4]])},
        17,
    ),
    'coordinates of a batch': (
        [node('GatherND', 'xi', batch_dims=1)],
        [X, info('i', ['a', 'c', 1], INT64)],
        [],
        {**FEEDS, 'i': np.array([[[1], [4]], [[0], [0]], [[-2], [3]], [[2], [2]]])},
        17,
    ),
    'written elements': ([node('ScatterElements', 'xiu', axis=1)], SCATTERED, [], UNIQUE, 17),
    'added elements': ([node('ScatterElements', 'xiu', axis=1, reduction='add')], SCATTERED, [], AGAIN, 17),
    'multiplied elements': (
        [node('ScatterElements', 'xiu', axis=1, reduction='mul')],
        SCATTERED,
        [],
        AGAIN,
        17,
    ),
    'greatest elements': (
        [node('ScatterElements', 'xiu', axis=1, reduction='max')],
        SCATTERED,
        [],
        AGAIN,
        18,
    ),
    'written rows': (
        [node('ScatterND', 'xiu')],
        [X, info('i', ['c', 1], INT64), info('u', ['c', 'b', 3])],
        [],
        {**FEEDS, 'i': np.array([[2], [-4]]), 'u': numbers(2, 5, 3)},
        17,
    ),
    'added rows': (
        [node('ScatterND', 'xiu', reduction='add')],
        [X, PLACES, info('u', ['c', 3])],
        [],
        {**FEEDS, 'i': np.array([[2, 0], [2, 0], [0, 3]]), 'u': numbers(3, 3)},
        17,
    ),
    'all, sorted': (
        [node('Shape', 'x', 's'), node('Gather', ['s', 'one'], 'k'), node('TopK', 'xk', 'yj', axis=1)],
        [X],
        [constant('one', [1])],
        FEEDS,
        17,
    ),
    'the least': (
        [node('TopK', 'xk', 'yj', axis=0, largest=0)],
        [X, info('k', [1], INT64)],
        [],
        {**FEEDS, 'k': np.array([2])},
        17,
    ),
    'the other way round': (
        [node('Slice', ['x', 'last', 'beyond', 'one', 'last'])],
        [X],
        [constant('last', [-1]), constant('beyond', [-(2**62)]), constant('one', [1])],
        FEEDS,
        17,
    ),
    **{
        f'edges, {mode}': (
            [node('Pad', ['x', 'p'], mode=mode)],
            [PICTURE],
            [constant('p', [0, 0, 2, 1, 0, 0, 1, 3])],
            PICTURES,
            version,
        )
        for mode, version in [('edge', 17), ('reflect', 17), ('wrap', 19), ('constant', 17)]
    },
    'edges that a run tells': (
        [node('Pad', 'xpv', mode='constant')],
        [PICTURE, info('p', [8], INT64)],
        [constant('v', np.float32(0.5))],
        {**PICTURES, 'p': np.array([0, 0, 2, 1, 0, 0, -1, 3])},
        17,
    ),
    **{
        f'{mode}, {place}, {scales}': (
            [node('Resize', ['x', '', 's'], mode=mode, coordinate_transformation_mode=place)],
            [PICTURE],
            [constant('s', np.array([1, 1, *scales], np.float32))],
            PICTURES,
            17,
        )
        for mode, place, scales in [
            ('linear', 'half_pixel', (2, 1.5)),
            ('linear', 'align_corners', (2, 3)),
            ('linear', 'align_corners', (1.5, 0.6)),
            ('cubic', 'align_corners', (0.7, 1.5)),
            ('nearest', 'align_corners', (1.5, 0.6)),
            ('cubic', 'half_pixel', (1.6, 2)),
            ('cubic', 'asymmetric', (2, 0.5)),
            ('nearest', 'asymmetric', (1.5, 0.5)),
            ('linear', 'half_pixel', (1.8, 13 / 7)),  # float32: five times as much is nine
            ('nearest', 'asymmetric', (3.6, 3.6)),  # float32: 9 / 3.6 is 2.5
        ]
    },
    **{
        f'{op} of set {version}, {mode}, {scales}, {"open" if picture is PICTURE else "fixed"}': (
            [node(op, 'x', mode=mode, scales=[1.0, 1.0, *scales])]
            if version < 9
            else [node(op, 'xs', mode=mode)],
            [picture],
            [] if version < 9 else [constant('s', np.array([1, 1, *scales], np.float32))],
            PICTURES,
            version,
        )
        for op, version in [('Upsample', 7), ('Upsample', 9), ('Resize', 10)]
        for mode in ('linear', 'nearest')
        for scales in [(2, 3), (1.5, 2), (1.6, 1)]
        for picture in (PICTURE, info('x', [2, 2, 5, 7]))
    },
    **{
        f'bounds beyond every axis, {beyond}, {step}': (
            [node('Slice', ['x', 'from', 'to', 'axes', 'steps'])],
            [X],
            [
                constant('from', [0, 1, beyond if step < 0 else 0]),
                constant('to', [beyond, beyond, -beyond if step < 0 else beyond]),
                constant('axes', [0, 1, 2]),
                constant('steps', [1, 1, step]),
            ],
            FEEDS,
            17,
        )
        for beyond in (10**9, 2**63 - 1)
        for step in (-1, 1 - 2**63, 2**63 - 1)
    },
    **{
        f'a range {bounds} by {step} of {["the batch", "an axis", "a known axis"][axis]}': (
            [node('Slice', ['x', 'from', 'to', 'axes', 'steps'])],
            [info('x', [4, 5, 3]) if axis == 2 else X],
            [
                constant('from', [bounds[0]]),
                constant('to', [bounds[1]]),
                constant('axes', [axis]),
                constant('steps', [step]),
            ],
            FEEDS,
            17,
        )
        for bounds in [
            (0, 512),
            (1, 100),
            (2, 4),
            (-512, 2**63 - 1),
            (-2, 2**63 - 1),
            (-512, -1),
            (-3, -1),
            (1, 2**63 - 1),
            (0, -1),
            (0, -9),
            (-1024, 2**63 - 1),
            (-2048, -1024),
            (2**63 - 1, 9),
            (0, -(2**63)),
            (7, 9),
            (3, 2),
            (0, 0),
            (-2, 0),
        ]
        for axis in (0, 1, 2)
        for step in (1, 2)
        if axis < 2 or len(range(3)[slice(*bounds)]) > 0  # otherwise the result is known before any run
    },
    **{
        f'backwards from {begin} to {end}': (
            [node('Slice', ['x', 'from', 'to', 'axes', 'steps'])],
            [info('x', [4, 5, 'k'])],
            [constant(k, [v]) for k, v in {'from': begin, 'to': end, 'axes': 1, 'steps': -2}.items()],
            FEEDS,
            17,
        )
        for begin, end in [(-512, -7), (512, -512), (-1, 0), (3, -1024)]
    },
    'another size of one that is cut': (
        [
            node('Slice', ['x', 'none', 'many', 'one'], 'c'),
            node('Slice', ['z', 'none', 'many', 'one'], 'd'),
            node('Add', 'cd'),
        ],
        [X, info('z', ['a', 'b', 1])],
        [constant('none', [0]), constant('many', [512]), constant('one', [1])],
        {**FEEDS, 'z': numbers(4, 5, 1)},
        17,
    ),
    'elements that are written twice': (
        [node('ScatterElements', 'xiu', axis=1)],
        SCATTERED,
        [],
        AGAIN,
        17,
    ),
    'pictures of another size': (
        [
            node('Shape', 'z', 's'),
            node('Slice', ['s', 'two', 'four'], 't'),
            node('Shape', 'x', 'r'),
            node('Slice', ['r', 'none', 'two'], 'f'),
            node('Concat', 'ft', 'q', axis=0),
            node('Resize', ['x', '', '', 'q'], mode='linear'),
        ],
        [PICTURE, info('z', ['n', 1, 'height', 'width'])],
        [constant('none', [0]), constant('two', [2]), constant('four', [4])],
        {**PICTURES, 'z': numbers(2, 1, 8, 3)},
        17,
    ),
    'a part of pictures': (
        [
            node(
                'Resize',
                ['x', 'part', '', 'size'],
                mode='linear',
                coordinate_transformation_mode='tf_crop_and_resize',
                extrapolation_value=9.0,
            )
        ],
        [PICTURE],
        [
            constant('part', np.array([0, 0, 0.2, -0.2, 1, 1, 0.7, 1.3], np.float32)),
            constant('size', [2, 2, 4, 6]),
        ],
        PICTURES,
        17,
    ),
    'smaller pictures': (
        [node('Resize', ['x', '', 's'], mode='linear', antialias=1)],
        [PICTURE],
        [constant('s', np.array([1, 1, 0.5, 0.4], np.float32))],
        PICTURES,
        18,
    ),
    **{
        f'letters, {equation}': (
            [node('Einsum', 'xz', equation=equation)],
            [X, info('z', ['a', 'b', 3])],
            [],
            {**FEEDS, 'z': numbers(4, 5, 3)},
            17,
        )
        for equation in ['tbi,tbi->tb', 'tbi,tbo->tio', 'tbi,tbi->', 'tbi,kbi->tk', 'tbi,tbj->btij']
    },
    'places of the greatest': (
        [node('MaxPool', 'x', 'yj', kernel_shape=[2, 2], strides=[2, 2])],
        [info('x', ['n', 2, 6, 4])],
        [],
        {'x': numbers(3, 2, 6, 4)},
        17,
    ),
    **{
        f'{op} with gaps, {more}': (
            [node(op, 'x', **GAPS, **more)],
            [PICTURE],
            [],
            PICTURES,
            19,
        )
        for op, more in [
            ('MaxPool', {}),
            ('AveragePool', {}),
            ('AveragePool', {'count_include_pad': 1}),
            ('LpPool', {'p': 2}),
            ('LpPool', {'p': 1}),
        ]
    },
    **{
        f'classes along {axis}': ([node('Hardmax', 'x', axis=axis)], [X], [], FEEDS, 17)
        for axis in (0, 1, 2)
    },
    'a row by the matrices of a batch': (
        [node('MatMul', 'vx')],
        [info('x', ['n', 4, 2])],
        [constant('v', numbers(4))],
        {'x': numbers(3, 4, 2)},
        17,
    ),
    **{
        f'indices from the end of {axis}': (
            [node('Gather', 'xi', axis=axis)],
            [X, info('i', ['c'], INT64)],
            [],
            {**FEEDS, 'i': np.array([-1, 0, -2, 3])},
            17,
        )
        for axis in (0, 1)
    },
    'the last ones': ([node('Gather', 'xi', axis=1)], [X], [constant('i', [-1, 0, -2])], FEEDS, 17),
    'rows of a table that are written twice': (
        [node('ScatterND', 'xiu')],
        [info('x', [4, 5]), info('i', ['c', 1], INT64), info('u', ['c', 5])],
        [],
        {'x': numbers(4, 5), 'i': np.array([[1], [1], [-2]]), 'u': numbers(3, 5)},
        17,
    ),
    'elements of a table that are written twice': (
        [node('ScatterElements', 'xiu', axis=1)],
        [info('x', ['c', 4]), info('i', ['c', 3], INT64), info('u', ['c', 3])],
        [],
        {'x': numbers(2, 4), 'i': np.array([[1, 1, -1], [3, -1, 0]]), 'u': numbers(2, 3)},
        17,
    ),
    'blocks': ([node('DepthToSpace', 'x', blocksize=2, mode='CRD')], [info('x', ['n', 8, 'h', 'w'])], [],
               {'x': numbers(2, 8, 3, 5)}, 17),
    'further pixels': (
        [node('ConvTranspose', 'xf', strides=[2, 3], output_padding=[1, 2], pads=[1, 0, 0, 2])],
        [PICTURE],
        [constant('f', numbers(2, 3, 3, 3))],
        PICTURES,
        17,
    ),
    'a number of numbers': (
        [node('Size', 'x', 's'), node('Range', ['none', 's', 'one'], 'y')],
        [X],
        [constant('none', 0), constant('one', 1)],
        FEEDS,
        17,
    ),
}  # fmt: skip


def model_of(name):
    nodes, inputs, weights, feeds, version = CASES[name]
    outputs = [info(o, None, INT64 if o == 'j' or name.endswith('of numbers') else FLOAT)
               for o in nodes[-1].output]  # fmt: skip
    model = h.make_model(
        h.make_graph(nodes, 'g', inputs, outputs, weights), opset_imports=[h.make_opsetid('', version)]
    )
    return model, feeds


def results(network, feeds):
    made = network.eval({v: feeds[v.name].astype(v.dtype) for v in network.arguments})
    return [np.asarray(made[v] if isinstance(made, dict) else made) for v in network.outputs]


def read(model, tmp_path, as_cntk):
    onnx.save(model, tmp_path / 'm.onnx')
    return C.load_model(str(tmp_path / 'm.onnx'), **({'format': C.ModelFormat.ONNX} if as_cntk else {}))


@pytest.mark.parametrize('sizes', [['t', 3], ['n', 't', 3], [2, 't', 3]])
@pytest.mark.parametrize('before_the_end', [1, 2])
def test_a_place_that_is_counted_by_the_size(sizes, before_the_end, tmp_path):
    """x[:, x.size(1) - 1] of PyTorch, along an axis whose size only a run knows."""
    axis = len(sizes) - 2
    nodes = [
        h.make_node('Shape', ['x'], ['sizes']),
        h.make_node('Gather', ['sizes', 'axis'], ['size']),
        h.make_node('Sub', ['size', 'before'], ['place']),
        h.make_node('Gather', ['x', 'place'], ['y'], axis=axis),
    ]
    weights = [constant('axis', np.int64(axis)), constant('before', np.int64(before_the_end))]
    x = np.random.default_rng(0).standard_normal([2, 5, 3][3 - len(sizes) :]).astype('f')
    inputs, outputs = [info('x', sizes)], [info('y', [None] * (len(sizes) - 1))]
    check(tmp_path / 'a.onnx', nodes, inputs, outputs, weights, {'x': x})


@pytest.mark.parametrize('as_cntk', [False, True], ids=['batches', 'as CNTK reads'])
@pytest.mark.parametrize('name', CASES)
def test_an_operator_along_axes_of_any_size(name, as_cntk, tmp_path):
    model, feeds = model_of(name)
    due = by_runtime(model, feeds)
    network = read(model, tmp_path, as_cntk)
    for found, wanted in zip(results(network, feeds), due):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    to = io.BytesIO()
    network.save(to, format=C.ModelFormat.ONNX)
    again = onnx.load_model_from_string(to.getvalue())
    onnx.checker.check_model(again, full_check=True)
    if as_cntk:
        for found, wanted in zip(by_runtime(again, feeds), due):
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


SMOOTH = [n for n in CASES if not n.startswith(('multiplied', 'greatest', 'a number', 'places'))]


@pytest.mark.parametrize('name', SMOOTH)
def test_gradients_along_axes_of_any_size(name, tmp_path):
    model, feeds = model_of(name)
    for i in model.graph.input:  # numbers of 64 bits, for differences
        if i.type.tensor_type.elem_type == FLOAT:
            i.type.tensor_type.elem_type = onnx.TensorProto.DOUBLE
    for t in model.graph.initializer:
        if t.data_type == FLOAT and t.name in ('f', 'v'):
            t.CopyFrom(constant(t.name, onnx.numpy_helper.to_array(t).astype(np.float64)))
    model.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.DOUBLE
    whole = C.combine([read(model, tmp_path, True).outputs[0]])
    asked = {
        v: C.input_variable(v.shape, v.dtype, needs_gradient=True, name=v.name, dynamic_axes=[])
        for v in whole.arguments
        if v.name in ('x', 'z', 'u')
    }
    whole = whole.clone('share', asked)
    real = list(asked.values())
    given = {v: feeds[v.name].astype(v.dtype) for v in whole.arguments}
    weights = np.cos(np.arange(results(whole, feeds)[0].size))

    def loss(values):
        return float(np.sum(np.asarray(whole.eval(values)).ravel() * weights))

    target = C.constant(weights.reshape(results(whole, feeds)[0].shape), dtype=np.float64)
    part = C.reduce_sum(C.element_times(whole, target))
    found = part.grad(given, real, as_numpy=True)
    found = found if isinstance(found, dict) else {real[0]: found}
    for v in real:
        slope = np.asarray(found[v]).reshape(given[v].shape)
        for at in [0, given[v].size // 2, given[v].size - 1]:
            sides = []
            for way in (1e-6, -1e-6):
                moved = given[v].copy()
                moved.ravel()[at] += way
                sides.append(loss({**given, v: moved}))
            np.testing.assert_allclose(slope.ravel()[at], (sides[0] - sides[1]) / 2e-6, rtol=1e-5, atol=1e-6)


WRONG = {
    'elements': ({'i': np.array([[[5, 0, 0]]])}, 'the index 5 is outside of an axis of 5'),
    'coordinates': ({'i': np.array([[4, 0]])}, 'the index 4 is outside of an axis of 4'),
    'written rows': ({'u': numbers(2, 4, 3)}, 'do not fit to their indices'),
    'added elements': ({'u': numbers(1, 1, 3)}, 'do not fit to their indices'),
    'the least': ({'k': np.array([5])}, 'k must be at most the size of the axis, 4, and is 5'),
    'coordinates of a batch': ({'i': np.zeros((3, 2, 1), np.int64)}, 'do not fit to'),
    'letters, tbi,tbi->tb': ({'z': numbers(4, 6, 3)}, ''),
}


@pytest.mark.parametrize('name', WRONG)
def test_wrong_places_are_refused(name, tmp_path):
    model, feeds = model_of(name)
    changed, text = WRONG[name]
    network = read(model, tmp_path, True)
    with pytest.raises((ValueError, RuntimeError)) as error:
        results(network, {**feeds, **changed})
    assert text in str(error.value)


def test_a_joining_that_is_not_known_is_refused(tmp_path):
    model, _ = model_of('added elements')
    model.graph.node[0].attribute[1].s = b'mean'
    with pytest.raises(NotImplementedError, match='it joins numbers by mean, which is not known'):
        read(model, tmp_path, True)
