"""model_load in ONNX Runtime: a session of a file of 100 MB, with the optimizations that it makes unless it
is told otherwise, and without them."""

import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, 'workloads'))
from timing import arguments, cost, wanted

args = arguments()
WIDTH, LAYERS = 2500, 4
rng = np.random.RandomState(0)
nodes, numbers, last = [], [], 'x'
for i in range(LAYERS):
    numbers.append(numpy_helper.from_array(rng.rand(WIDTH, WIDTH).astype(np.float32), 'w%d' % i))
    nodes.append(helper.make_node('MatMul', [last, 'w%d' % i], ['p%d' % i]))
    nodes.append(helper.make_node('Relu', ['p%d' % i], ['r%d' % i]))
    last = 'r%d' % i
graph = helper.make_graph(
    nodes,
    'g',
    [helper.make_tensor_value_info('x', TensorProto.FLOAT, ['batch', WIDTH])],
    [helper.make_tensor_value_info(last, TensorProto.FLOAT, ['batch', WIDTH])],
    numbers,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'model.onnx')
    onnx.save(model, path)
    levels = onnxruntime.GraphOptimizationLevel
    for name, level in (('optimized', levels.ORT_ENABLE_ALL), ('plain', levels.ORT_DISABLE_ALL)):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        options.intra_op_num_threads = args.threads
        if wanted(args, name):
            cost(
                'model_load',
                name,
                'ms',
                lambda: onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider']),
                1e3,
                args,
            )
