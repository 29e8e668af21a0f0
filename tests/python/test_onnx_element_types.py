"""A model that was read is written with the element types of its file, so that a runtime is fed the same
arrays before and after."""

import io

import numpy as np
import pytest

import cantik as C

onnx = pytest.importorskip('onnx', reason='tools/requirements/test.txt')
pytest.importorskip('onnxruntime', reason='tools/requirements/test.txt')
from onnx import TensorProto, helper as h
from onnx_models import by_runtime, constant, info

TYPES = {
    'int64': TensorProto.INT64,
    'int32': TensorProto.INT32,
    'int16': TensorProto.INT16,
    'int8': TensorProto.INT8,
    'uint8': TensorProto.UINT8,
    'uint32': TensorProto.UINT32,
    'bool': TensorProto.BOOL,
    'float32': TensorProto.FLOAT,
    'float64': TensorProto.DOUBLE,
    'float16': TensorProto.FLOAT16,
}


def written(network):
    to = io.BytesIO()
    network.save(to, format=C.ModelFormat.ONNX)
    model = onnx.load_model_from_string(to.getvalue())
    onnx.checker.check_model(model, full_check=True)
    return model


def types_of(values):
    return [v.type.tensor_type.elem_type for v in values]


def cast_model(kind):
    """Numbers of one type as a table's rows, and handed through."""
    nodes = [
        h.make_node('Cast', ['x'], ['i'], to=TensorProto.INT64),
        h.make_node('Gather', ['table', 'i'], ['rows']),
        h.make_node('Identity', ['x'], ['same']),
    ]
    inputs, outputs = [info('x', ['n', 3], kind)], [info('rows', None), info('same', None, kind)]
    table = constant('table', np.random.RandomState(1).randn(2, 4).astype(np.float32))
    return h.make_model(
        h.make_graph(nodes, 'g', inputs, outputs, [table]), opset_imports=[h.make_opsetid('', 17)]
    )


@pytest.mark.parametrize('name', TYPES)
@pytest.mark.parametrize('rounds', [1, 3])
def test_inputs_and_outputs_keep_their_types(name, rounds):
    model = cast_model(TYPES[name])
    feeds = {'x': np.array([[0, 1, 1], [1, 0, 1]]).astype(name)}
    due = by_runtime(model, feeds)
    again = model
    for _ in range(rounds):
        again = written(C.load_model(again.SerializeToString()))
    assert types_of(again.graph.input) == types_of(model.graph.input)
    assert types_of(again.graph.output) == types_of(model.graph.output)
    for found, wanted in zip(by_runtime(again, feeds), due):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_copy_keeps_them():
    network = C.load_model(cast_model(TensorProto.INT64).SerializeToString())
    for method in ('share', 'clone', 'freeze'):
        assert types_of(written(network.clone(method)).graph.input) == [TensorProto.INT64]


def test_what_is_built_on_them_keeps_them():
    network = C.load_model(cast_model(TensorProto.INT32).SerializeToString())
    more = C.reduce_sum(network.outputs[0], axis=-1)
    model = written(more)
    assert types_of(model.graph.input) == [TensorProto.INT32]
    assert types_of(model.graph.output) == [TensorProto.FLOAT]


def test_inputs_of_ones_own_have_none():
    x = C.input_variable(3, np.float64, name='x')
    assert types_of(written(x + 1).graph.input) == [TensorProto.DOUBLE]


@pytest.mark.parametrize('first', ['truth', 'number'])
def test_one_value_may_be_two_outputs_of_different_types(first):
    nodes = [
        h.make_node('Greater', ['x', 'y'], ['truth']),
        h.make_node('Cast', ['truth'], ['number'], to=TensorProto.FLOAT),
    ]
    outputs = {'truth': info('truth', None, TensorProto.BOOL), 'number': info('number', None)}
    names = [first, *(set(outputs) - {first})]
    graph = h.make_graph(nodes, 'g', [info('x', ['n', 2]), info('y', ['n', 2])], [outputs[n] for n in names])
    model = h.make_model(graph, opset_imports=[h.make_opsetid('', 17)])
    again = written(C.load_model(model.SerializeToString()))
    assert types_of(again.graph.output) == types_of(model.graph.output)


MADE = {
    'places of the largest': ('TopK', ['x', 'k'], ['v', 'y'], {}, TensorProto.INT64),
    'the largest place': ('ArgMax', ['x'], ['y'], {'axis': 1}, TensorProto.INT64),
    'a truth': ('Less', ['x', 'x'], ['y'], {}, TensorProto.BOOL),
    'whole numbers of 32 bits': ('Cast', ['x'], ['y'], {'to': TensorProto.INT32}, TensorProto.INT32),
    'a unit matrix': ('EyeLike', ['x'], ['y'], {'dtype': TensorProto.INT32}, TensorProto.INT32),
    'vectors with one 1': ('OneHot', ['i', 'k1', 'wide'], ['y'], {}, TensorProto.INT64),
    'the greatest truth': ('ReduceMax', ['t'], ['y'], {'axes': [1]}, TensorProto.INT32),
    'the chosen ones': ('Where', ['b', 'whole', 'whole'], ['y'], {}, TensorProto.INT32),
}


@pytest.mark.parametrize('name', MADE)
def test_results_have_the_type_of_their_operator(name):
    op, inputs, outputs, attributes, kind = MADE[name]
    known = {
        'k': constant('k', [2]),
        'k1': constant('k1', 4),
        'whole': constant('whole', np.array([3, 7], np.int32)),
        'wide': constant('wide', np.array([0, 1])),
        'i': None,
        't': None,
        'b': None,
    }
    kinds = {'i': TensorProto.INT64, 't': TensorProto.INT32, 'b': TensorProto.BOOL}
    asked = [info(n, [2, 2] if n != 'i' else [2], kinds.get(n, TensorProto.FLOAT))
             for n in dict.fromkeys(inputs) if known.get(n) is None]  # fmt: skip
    graph = h.make_graph(
        [h.make_node(op, inputs, outputs, **attributes)],
        'g',
        asked,
        [info('y', None, kind)],
        [known[n] for n in dict.fromkeys(inputs) if known.get(n) is not None],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid('', 17)])
    feeds = {n: np.array([[1, 0], [0, 1]]) for n in inputs}
    feeds['i'] = np.array([1, 3])
    feeds = {
        i.name: feeds[i.name].astype(h.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type)) for i in asked
    }
    again = written(C.load_model(model.SerializeToString()))
    assert types_of(again.graph.output) == [kind]
    np.testing.assert_array_equal(by_runtime(again, feeds)[0], by_runtime(model, feeds)[0])


def test_a_later_set_of_operators_is_taken_where_it_is_needed():
    def model(mode, version):
        graph = h.make_graph(
            [h.make_node('Pad', ['x', 'p'], ['y'], mode=mode)],
            'g',
            [info('x', ['n', 'm'])],
            [info('y', None)],
            [constant('p', [0, 2, 0, 1])],
        )
        return h.make_model(graph, opset_imports=[h.make_opsetid('', version)])

    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    for mode, read, expected in [('edge', 21, 17), ('wrap', 21, 19)]:
        again = written(C.load_model(model(mode, read).SerializeToString()))
        assert again.opset_import[0].version == expected
        due = by_runtime(model(mode, read), {'x': x})[0]
        np.testing.assert_array_equal(by_runtime(again, {'x': x})[0], due)


def test_what_no_set_can_say_is_refused_as_before():
    x = C.input_variable((2, 3), name='x')
    with pytest.raises(NotImplementedError, match='SYMMETRIC_PAD'):
        written(C.pad(x, [(1, 1), (0, 0)], mode=C.ops.SYMMETRIC_PAD))
