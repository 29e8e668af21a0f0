"""Writes the models of ONNX's from which its fuzzer starts, and which the tests damage:

python tests/fuzz/make_onnx.py       with the packages cantik and onnx
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import cantik as C

HERE = pathlib.Path(__file__).resolve().parent / 'corpus' / 'onnx'


def written(name, network):
    network.save(HERE / name, format=C.ModelFormat.ONNX)


def made(name, nodes, inputs, outputs, initializers=(), functions=()):
    def value(item):
        return helper.make_tensor_value_info(item[0], TensorProto.FLOAT, item[1])

    graph = helper.make_graph(
        nodes,
        'g',
        [value(i) for i in inputs],
        [value(o) for o in outputs],
        [numpy_helper.from_array(v, n) for n, v in initializers],
    )
    sets = [helper.make_opsetid('', 17), helper.make_opsetid('own', 1)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=8, functions=list(functions))
    onnx.save(model, HERE / name)


def numbers(*shape):
    return np.random.RandomState(1).uniform(-1, 1, shape).astype(np.float32)


def main():
    HERE.mkdir(parents=True, exist_ok=True)
    x, s = C.input_variable(3, name='x'), C.sequence.input_variable(3, name='s')
    image = C.input_variable((2, 5, 5), name='i')
    written('dense', C.layers.Sequential([C.layers.Dense(2, activation=C.relu), C.softmax])(x))
    written('recurrence', C.layers.Recurrence(C.layers.GRU(2))(s))
    written(
        'images',
        C.layers.Sequential(
            [
                C.layers.Convolution2D((3, 3), 2, pad=True),
                C.layers.BatchNormalization(map_rank=1),
                C.layers.MaxPooling((2, 2)),
            ]
        )(image),
    )
    weights = [('w', numbers(1, 8, 3)), ('r', numbers(1, 8, 2)), ('b', numbers(1, 16))]
    node = helper.make_node('LSTM', ['x', 'w', 'r', 'b'], ['y', 'h', ''], hidden_size=2)
    made('lstm', [node], [('x', ['T', 'N', 3])], [('y', None), ('h', None)], weights)
    shapes = [
        helper.make_node('Shape', ['x'], ['s']),
        helper.make_node('Gather', ['s', 'zero'], ['n']),
        helper.make_node('Concat', ['n', 'rest'], ['to'], axis=0),
        helper.make_node('Reshape', ['x', 'to'], ['z']),
        helper.make_node('Slice', ['z', 'zero', 'rest', 'axis'], ['y']),
    ]
    constants = [(n, np.array(v)) for n, v in (('zero', [0]), ('rest', [-1]), ('axis', [1]))]
    made('shapes', shapes, [('x', ['N', 2, 3])], [('y', None)], constants)
    branch = [
        helper.make_graph(
            [helper.make_node(op, ['x'], ['b'])],
            op,
            [],
            [helper.make_tensor_value_info('b', TensorProto.FLOAT, None)],
        )
        for op in ('Relu', 'Neg')
    ]
    node = helper.make_node('If', ['c'], ['y'], then_branch=branch[0], else_branch=branch[1])
    made('branch', [node], [('x', ['N', 3])], [('y', None)], [('c', np.array(True))])
    function = helper.make_function(
        'own',
        'Twice',
        ['a'],
        ['b'],
        [helper.make_node('Add', ['a', 'a'], ['b'])],
        [helper.make_opsetid('', 17)],
    )
    node = helper.make_node('Twice', ['x'], ['y'], domain='own')
    made('function', [node], [('x', ['N', 3])], [('y', None)], functions=[function])


if __name__ == '__main__':
    main()
