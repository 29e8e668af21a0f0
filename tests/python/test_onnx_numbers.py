"""What numbers are in models of ONNX: what is not a number stays so, and whole numbers are those of their
type, without digits behind the point, and without bits above its width."""

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
from onnx import helper as h
from onnx_models import by_onnx, by_runtime, check, constant, info

NAN = np.nan
WITH_NAN = np.array([[NAN, 1, 2], [5, NAN, 0], [0, 1, NAN], [3, 1, 2]], np.float32)


def node(op, inputs, **attributes):
    return h.make_node(op, inputs, ['y'], **attributes)


NOT_NUMBERS = {
    'the larger ones': ([node('Max', ['x', 'b'])], 2),
    'the larger ones, turned': ([node('Max', ['b', 'x'])], 2),
    'the larger ones of three': ([node('Max', ['x', 'b', 'x'])], 2),
    'the smaller ones': ([node('Min', ['x', 'b'])], 2),
    'the smaller ones, turned': ([node('Min', ['b', 'x'])], 2),
    'the largest one': ([node('ReduceMax', ['x'], axes=[1])], 2),
    'the largest one of the batch': ([node('ReduceMax', ['x'], axes=[0], keepdims=0)], 1),
    'the smallest one': ([node('ReduceMin', ['x'], axes=[1], keepdims=0)], 1),
    'the smallest one of all': ([node('ReduceMin', ['x'])], 2),
    'the length': ([node('ReduceL2', ['x'], axes=[1])], 2),
    'between bounds': ([node('Clip', ['x', 'low', 'high'])], 2),
    'not below': ([node('Clip', ['x', 'low'])], 2),
    'not above': ([node('Clip', ['x', '', 'high'])], 2),
    'of a whole channel': ([h.make_node('Unsqueeze', ['x', 'one'], ['w']), node('GlobalMaxPool', ['w'])], 3),
}


@pytest.mark.parametrize('name', NOT_NUMBERS)
def test_what_is_not_a_number_stays_so(tmp_path, name):
    nodes, rank = NOT_NUMBERS[name]
    weights = {
        'b': np.array([1, NAN, 1], np.float32),
        'low': np.float32(0.5),
        'high': np.float32(1.5),
        'one': np.array([1]),
    }
    read = {i for n in nodes for i in n.input}
    f = check(
        tmp_path / 'm.onnx',
        nodes,
        [info('x', ['N', 3])],
        [info('y', [None] * rank)],
        [constant(k, v) for k, v in weights.items() if k in read],
        {'x': WITH_NAN},
    )
    assert np.isnan(f.eval(WITH_NAN)).any()
    f.save(str(tmp_path / 'again.onnx'), format=C.ModelFormat.ONNX)
    again = onnx.load(tmp_path / 'again.onnx')
    due = by_onnx(again, {again.graph.input[0].name: WITH_NAN})[0]
    np.testing.assert_array_equal(due.ravel(), np.ravel(f.eval(WITH_NAN)))


INT8, UINT8, INT32, INT64 = (
    onnx.TensorProto.INT8,
    onnx.TensorProto.UINT8,
    onnx.TensorProto.INT32,
    onnx.TensorProto.INT64,
)
# Operator, element type, operands, attributes.
WHOLE = [
    ('ReduceMean', INT32, [[[1, 2], [-1, -2]]], {'axes': [1]}),
    ('ReduceMean', INT64, [[[1, 2], [-1, -2]]], {'axes': [1], 'keepdims': 0}),
    ('ReduceL2', INT32, [[[7, -2, 5]]], {'axes': [1]}),
    ('ReduceLogSum', INT32, [[[7, 2, 5]]], {'axes': [1]}),
    ('ReduceLogSumExp', INT32, [[[7, 2, 5]]], {'axes': [1]}),
    ('ReduceSum', INT32, [[[2**31 - 1, 1]]], {}),
    ('ReduceProd', INT32, [[[10**5, 10**5]]], {'axes': [1]}),
    ('Pow', INT32, [[[7, -3]], [[2, 3]]], {}),
    ('Pow', INT64, [[[7, -3]], [[2, 3]]], {}),
    ('Sub', UINT8, [[[3, 5]], [[5, 3]]], {}),
    ('Add', UINT8, [[[200, 3]], [[100, 3]]], {}),
    ('Mul', INT8, [[[100, 3]], [[2, 3]]], {}),
    ('Mul', INT32, [[[10**5, 3]], [[10**5, -3]]], {}),
    ('Abs', INT8, [[[-128, -3]]], {}),
    ('Neg', INT8, [[[-128, 3]]], {}),
    ('MatMul', INT32, [[[2**30, 2**30]], [[2], [3]]], {}),
    ('CumSum', INT32, [[[2**31 - 1, 1, 1]]], {}),
]


@pytest.mark.parametrize('op, kind, operands, attributes', WHOLE)
def test_whole_numbers_are_those_of_their_type(tmp_path, op, kind, operands, attributes):
    arrays = [np.array(o).astype(h.tensor_dtype_to_np_dtype(kind)) for o in operands]
    names = ['a', 'b'][: len(arrays)]
    weights = [constant('axis', np.array(1))] if op == 'CumSum' else []
    nodes = [h.make_node(op, names + [w.name for w in weights], ['y'], **attributes)]
    inputs = [info(n, ['N' if n == 'a' else a.shape[0], *a.shape[1:]], kind) for n, a in zip(names, arrays)]
    # ONNX Runtime adds no numbers of 8 bits, and its sums stop at the greatest number
    due_by = by_onnx if kind in (INT8, UINT8) or op in ('ReduceSum', 'ReduceProd') else by_runtime
    rank = 1 if attributes.get('keepdims') == 0 else 2
    check(
        tmp_path / 'm.onnx',
        nodes,
        inputs,
        [info('y', [None] * rank, kind)],
        weights,
        dict(zip(names, arrays)),
        due_by=due_by,
    )


def test_roots_of_whole_numbers_are_whole(tmp_path):
    due = np.array([[2, 1]], np.int32)
    nodes = [node('Pow', ['a', 'half'])]
    f = check(
        tmp_path / 'm.onnx',
        nodes,
        [info('a', ['N', 2], INT32)],
        [info('y', [None, 2], INT32)],
        [constant('half', np.float32(0.5))],
        {'a': np.array([[7, 3]], np.int32)},
        due_by=by_runtime,
    )
    assert np.array_equal(f.eval(np.array([[7, 3]], np.int32)), due)


def test_whole_numbers_keep_their_open_sizes(tmp_path):
    """Places along an axis of open size, as exporters count them: one value more broadcasts with its axis."""
    nodes = [
        h.make_node('Cast', ['x'], ['i'], to=INT32),
        h.make_node('Add', ['i', 'one'], ['j']),
        h.make_node('Mul', ['j', 'i'], ['k']),
        h.make_node('Cast', ['k'], ['r'], to=onnx.TensorProto.FLOAT),
        node('Add', ['r', 'x']),
    ]
    check(
        tmp_path / 'm.onnx',
        nodes,
        [info('x', ['N', 'T'])],
        [info('y', [None, None])],
        [constant('one', np.int32(1))],
        {'x': np.arange(6, dtype=np.float32).reshape(2, 3)},
    )
